"""Expressions that are texts, and what an exception is raised with: values of the program in their places.

    raise Far(f"{x} is over {LIMIT}", i)   ->   Thrown(Far, (f"{0} is over 4", {1})), values x, i

Texts are put together by f-strings, `%`, `+`, `.format`, `str` and `repr`; what is in them, and every other argument,
is a value of the program or a constant (texts.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from codegen.infer.expressions import evaluate
from codegen.infer.frame import Frame
from codegen.infer.operators import operate
from codegen.infer.texts.known_texts import is_letter, is_letters, letter
from codegen.infer.texts.wording import (
    Pieces,
    as_said,
    constant_argument,
    exactly,
    is_text,
    merge_texts,
    said_of,
    text_of,
    value_pieces,
)
from codegen.infer.values import Static, Value
from codegen.ir import Apply, Lit
from codegen.ir.exceptions import Said, Slot, Thrown, quoted
from codegen.ir.kinds import Arithmetic
from codegen.read.tree import Attribute, Binary, CallExpr, Constant, Expression, Name, Replacement, Text
from codegen.source import Span, refuse


def text_value(frame: Frame, node: Expression) -> Value:
    """An expression that is a text (`is_text`), as a value."""
    values: list[Any] = []
    if isinstance(node, Binary) and node.operator == "+":
        sides = evaluate(frame, node.left), evaluate(frame, node.right)
        if any(is_letters(side) or is_letter(side) for side in sides):
            return operate(frame, "+", *sides, "t")
        first, second = (said_of(frame, side, values, frame.span) for side in sides)
        pieces = ("(", *first.pieces, " + ", *second.pieces, ")")
        return text_of(frame, Said(tuple(merge_texts([*pieces])), first.told + second.told), values)
    said = argument_said(frame, node, values)
    if isinstance(node, CallExpr) and (letter := digit_letter(frame, said, values)) is not None:
        return letter
    if isinstance(node, Binary):
        said = replace(said, pieces=("(", *said.pieces, ")"))
    return text_of(frame, said, values)


def digit_letter(frame: Frame, said: Said, values: list[Any]) -> Value | None:
    """`str(n % 10)`, which is a letter; None of other texts."""
    if [*map(type, said.pieces)] != [str, Slot, str] or said.pieces[0] != "str(" or said.pieces[1].among:  # type: ignore[union-attr]
        return None
    (number,) = values
    made = next((e.op for e in reversed(frame.b.equations) if number in e.outs), None)
    if not isinstance(made, Apply) or made.primitive.kind is not Arithmetic.MOD or number.type.rank:
        return None
    _, by = made.operands
    if not (number.type.dtype == "i8" and isinstance(by, Lit) and 0 < by.value <= 10):
        return None
    code = frame.b.apply("add", frame.b.wrap(number), ord("0"))
    return letter(frame.take(frame.named(code, "code", weak=True), "code"))


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


def exception_made(frame: Frame, node: Expression) -> Static | None:
    """An exception that is given a name, `error = ValueError("...")`, with arguments that are known: a constant."""
    if not isinstance(node, CallExpr) or node.keywords or not is_name_in_module(frame, node.function):
        return None
    cls = getattr(evaluate(frame, node.function), "value", None)
    if not (isinstance(cls, type) and issubclass(cls, Exception)) or has_own_making(cls):
        return None
    parts = [evaluate(frame, each) for each in node.arguments if isinstance(each, Constant | Name)]
    given = tuple(each.value for each in parts if isinstance(each, Static | Lit))
    if len(given) < len(node.arguments) or not all(isinstance(each, str | int | float) for each in given):
        return None
    make: Callable[..., BaseException] = known_exception
    return Static(make(cls, given, tuple(map(type, given))))


def is_name_in_module(frame: Frame, node: Expression) -> bool:
    """Whether an expression is a name of a module, or one in a module or class."""
    if isinstance(node, Attribute):
        return is_name_in_module(frame, node.value)
    return isinstance(node, Name) and node.id not in frame.locals and node.id not in frame.captured


def has_own_making(cls: type) -> bool:
    """Whether a class of exceptions may do anything to their arguments."""
    return any(
        {"__init__", "__new__"} & vars(base).keys() and base.__module__ != "builtins" for base in cls.__mro__
    )


@lru_cache(256)
def known_exception(
    cls: type[BaseException], given: tuple[Any, ...], kinds: tuple[type, ...]
) -> BaseException:
    """The same for the same arguments, so that it is one value on several ways."""
    return cls(*given)


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
        case CallExpr(_, Name(_, called), (inner,)) if is_text(node):
            within = pieces_of(frame, inner, values, told)
            return [f"{called}(", *exactly(within, called == "repr" or len(within) > 1), ")"]
    return value_pieces(evaluate(frame, node), frame, values, node.span, told)


def enclosed(node: Expression, pieces: Pieces) -> Pieces:
    """An operation as part of another."""
    return ["(", *pieces, ")"] if isinstance(node, Binary) and is_text(node) else pieces


CONVERSIONS: dict[str, Any] = {"s": str, "r": repr, "a": ascii}


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
    plain = not node.conversion and not node.spec
    if len(within) == 1 and isinstance(within[0], str) and (plain or '"' in within[0]):
        spec = [part for part in node.spec if isinstance(part, str)]
        if len(spec) == len(node.spec):
            value = eval(within[0], {"np": np})
            value = CONVERSIONS[node.conversion](value) if node.conversion else value
            text = format(value, "".join(spec))
            told.append(text)
            return [as_said(text)]
    if isinstance(node.value, Name) and not node.conversion and not node.spec and str(within[0])[:2] == 'f"':
        told += inner
        return [str(within[0])[2:], *within[1:-1], str(within[-1])[:-1]]
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
