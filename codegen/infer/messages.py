"""What an exception is raised with: Python's expressions, values of the program in their places.

    raise Far(f"{x} is over {LIMIT}", i)   ->   Thrown(Far, (f"{0} is over 4", {1})), values x, i

Texts are put together by f-strings, `%`, `+`, `.format`, `str` and `repr`; what is in them, and every other argument,
is a value of the program or a constant. The text is made when the exception is raised, by Python (exceptions.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from codegen.infer.expressions import evaluate
from codegen.infer.frame import Frame
from codegen.infer.values import Nest, Ref, Static, Value, View
from codegen.ir import Lit, Var
from codegen.ir.exceptions import Said, Slot, Thrown, quoted
from codegen.read.tree import Attribute, Binary, CallExpr, Constant, Expression, Name, Replacement, Text
from codegen.source import Span, refuse

CALLS = {"str": str, "repr": repr}
Pieces = list[str | Slot]


def raised_exception(frame: Frame, node: Expression, span: Span, values: list[Any]) -> Thrown:
    """The exception that a raise statement names; `values` are what its arguments tell, and grow."""
    called = node.function if isinstance(node, CallExpr) else node
    cls = node.value if isinstance(node, Constant) else getattr(evaluate(frame, called), "value", None)
    if isinstance(cls, BaseException) and called is node:
        return Thrown(type(cls), tuple(constant_argument(a, span) for a in cls.args))
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise refuse(span, "raise takes an exception, as in `raise ValueError('...')`")
    if not isinstance(node, CallExpr):
        return Thrown(cls)
    if node.keywords:
        raise refuse(span, "an exception takes its arguments by position here, not by name")
    return Thrown(cls, tuple(argument_said(frame, argument, values) for argument in node.arguments))


def is_known_message(frame: Frame, node: Expression) -> bool:
    """Whether a message is a constant."""
    if isinstance(node, Constant):
        return True
    return (
        isinstance(node, Name)
        and node.id not in frame.locals
        and isinstance(evaluate(frame, node), Static | Lit)
    )


def argument_said(frame: Frame, node: Expression, values: list[Any]) -> Said:
    """An argument of an exception."""
    told: list[str] = []
    pieces = merge_texts(pieces_of(frame, node, values, told))
    return Said(tuple(pieces), "".join(told))


def merge_texts(pieces: Pieces) -> Pieces:
    """Neighbouring texts as one."""
    found: Pieces = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def pieces_of(frame: Frame, node: Expression, values: list[Any], told: list[str]) -> Pieces:
    """An expression in pieces; `told` is what it says where the values are not known."""
    match node:
        case Constant(_, str(text)):
            told.append(text)
            return [quoted(text)]
        case Text():
            return fstring_pieces(frame, node, values, told)
        case Binary(_, "+" | "%" as sign, left, right) if is_text(node):
            first = enclosed(left, pieces_of(frame, left, values, told))
            if sign == "%":
                told.append(" % ")
            second = enclosed(right, pieces_of(frame, right, values, told))
            second = (
                exactly(second, any("%r" in p for p in first if isinstance(p, str)))
                if sign == "%"
                else second
            )
            return [*first, f" {sign} ", *second]
        case CallExpr(_, Attribute(_, owner, "format"), arguments, keywords) if is_text(owner):
            pieces = [*enclosed(owner, pieces_of(frame, owner, values, told)), ".format("]
            for k, each in enumerate(arguments):
                pieces += [", " * (k > 0), *pieces_of(frame, each, values, [])]
            for name, each in keywords:
                if name is None:
                    raise refuse(each.span, "`**` in a message is not supported: write what it says out")
                pieces += [", " * (pieces[-1] != ".format("), f"{name}=", *pieces_of(frame, each, values, [])]
            return exactly([*pieces, ")"], any("!r" in p for p in pieces if isinstance(p, str)))
        case CallExpr(_, Name(_, called), (inner,), ()) if called in CALLS and is_builtin(frame, called):
            within = pieces_of(frame, inner, values, told)
            return [f"{called}(", *exactly(within, called == "repr" or len(within) > 1), ")"]
    return value_pieces(evaluate(frame, node), frame, values, node.span, told)


def enclosed(node: Expression, pieces: Pieces) -> Pieces:
    """An operation as part of another."""
    return ["(", *pieces, ")"] if isinstance(node, Binary) and is_text(node) else pieces


def is_builtin(frame: Frame, name: str) -> bool:
    return name not in frame.locals and name not in frame.captured


def is_text(node: Expression) -> bool:
    """Whether an expression is a text by what it is made of."""
    match node:
        case Constant(_, value):
            return isinstance(value, str)
        case Text():
            return True
        case Binary(_, "%", left, _):
            return is_text(left)
        case Binary(_, "+", left, right):
            return is_text(left) or is_text(right)
        case CallExpr(_, Attribute(_, owner, "format")):
            return is_text(owner)
        case CallExpr(_, Name(_, called)):
            return called in CALLS
    return False


def exactly(pieces: Pieces, wanted: bool) -> Pieces:
    """With values whose types show, or do not."""
    return [replace(p, exact=wanted) if isinstance(p, Slot) else p for p in pieces]


def fstring_pieces(frame: Frame, node: Text, values: list[Any], told: list[str]) -> Pieces:
    """An f-string."""
    pieces: Pieces = ['f"']
    for part in node.parts:
        if isinstance(part, str):
            told.append(part)
            pieces.append(as_said(part))
        else:
            pieces += replacement_pieces(frame, part, values, told)
    return [*pieces, '"']


def replacement_pieces(frame: Frame, node: Replacement, values: list[Any], told: list[str]) -> Pieces:
    """What stands between an f-string's braces; a constant as it is said."""
    inner: list[str] = []
    within = pieces_of(frame, node.value, values, inner)
    if len(within) == 1 and isinstance(within[0], str) and not node.conversion and not node.spec:
        text = str(eval(within[0], {"np": np}))
        told.append(text)
        return [as_said(text)]
    told.append(f"{{{''.join(inner)}}}")
    if not node.conversion and not node.spec and len(within) == 1 and isinstance(slot := within[0], Slot):
        return [replace(slot, exact=False, braced=True)]
    if any(isinstance(p, str) and '"' in p for p in within):
        raise refuse(
            node.span, "a text inside an f-string's braces is not supported: write it outside of them"
        )
    several = len(within) > 1 and not node.spec  # a tuple says its items as repr does
    pieces = [
        "{",
        *exactly(within, node.conversion == "r" or several),
        f"!{node.conversion}" * bool(node.conversion),
    ]
    if node.spec:
        pieces.append(":")
    for part in node.spec:
        pieces += [part] if isinstance(part, str) else replacement_pieces(frame, part, values, [])
    return [*pieces, "}"]


def as_said(text: str) -> str:
    """A text between an f-string's quotes."""
    return quoted(f'{text}"')[1:-2].replace("{", "{{").replace("}", "}}").replace('"', '\\"')


def value_pieces(value: Value, frame: Frame, values: list[Any], span: Span, told: list[str]) -> Pieces:
    """A value of the program as an argument."""
    match value:
        case Lit():
            strong = not value.type.weak and value.type.dtype != "b1"
            found = constant_argument(
                np.dtype(value.type.dtype).type(value.value) if strong else value.value, span
            )
            told.append(found.told)
            return list(found.pieces)
        case Static(obj):
            found = constant_argument(obj, span)
            told.append(found.told)
            return list(found.pieces)
        case Nest(_, (Var() | Lit() as re, im)) if value.cls is complex:
            told.append(span.said)
            parts = (exactly(value_pieces(part, frame, values, span, []), True) for part in (re, im))
            return ["complex(", *next(parts), ", ", *next(parts), ")"]
        case Nest(cls, items) if cls in (tuple, list):
            pieces: Pieces = ["(" if cls is tuple else "["]
            for item in items:
                pieces += [*exactly(value_pieces(item, frame, values, span, []), True), ", "]
            if pieces[-1] == ", " and not (len(items) == 1 and cls is tuple):
                pieces.pop()
            told.append(span.said)
            return [*pieces, ")" if cls is tuple else "]"]
        case Var() | Ref() | View():
            atom = frame.atom(value, span)
            if atom.type.dtype != "rng":
                if atom not in values:
                    values.append(atom)
                told.append(span.said)
                return [Slot(values.index(atom), True)]
    what = frame.describe(value)
    raise refuse(span, f"an exception cannot say {what}: give it numbers, arrays, texts, and tuples of them")


def constant_argument(obj: Any, span: Span) -> Said:
    """A constant argument."""
    return Said((constant_source(obj, span),), str(obj))


def constant_source(obj: Any, span: Span) -> str:
    match obj:
        case str():
            return quoted(obj)
        case np.bool_():
            return f"np.{obj!r}".replace("np.np.", "np.")
        case np.generic():
            inside = repr(obj.item()) if np.isfinite(obj) else f'"{obj}"'
            return f"np.{type(obj).__name__}({inside})"
        case float() if not np.isfinite(obj):
            return f'float("{obj}")'
        case None | bool() | int() | float() | bytes():
            return repr(obj)
    if type(obj) in (tuple, list):
        inside = ", ".join(constant_source(item, span) for item in obj)
        return f"[{inside}]" if type(obj) is list else f"({inside}{',' * (len(obj) == 1)})"
    raise refuse(span, f"an exception cannot say {obj!r}: give it numbers, arrays, texts, and tuples of them")
