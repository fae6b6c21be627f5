"""Texts that are put together when the program runs: Python's expressions, values of the program in their places.

    f"{x} is over {LIMIT}"   ->   Wording(Said('f"', {0}, ' is over 4"'), (x,))

What raises or prints one puts it together then, in Python on every target (ir/exceptions.py). One in which nothing is
left open is a constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from codegen.infer.frame import Frame
from codegen.infer.memory.list_items import rows_in_use
from codegen.infer.optional import NONE
from codegen.infer.texts.known_texts import OF_TEXT, Texts, is_letters
from codegen.infer.values import FALSE, GrowingList, Nest, Ref, Static, Value, View, Wording, leaves
from codegen.ir import Atom, Lit, Var
from codegen.ir.exceptions import Said, Slot, quoted
from codegen.read import tree
from codegen.read.tree import Attribute, Binary, CallExpr, Constant, Expression, Name
from codegen.source import Span, refuse

CALLS = {"str": str, "repr": repr}
Pieces = list[str | Slot]


def text_of(frame: Frame, said: Said, values: Sequence[Atom]) -> Value:
    """A text as a value: what it tells is what it is now."""
    if said.constant:
        return Static(said.value())
    parts = (frame.new(each, "told") if each.type.rank else each for each in values)
    return Wording(said, Nest(tuple, tuple(parts)))


def said_of(frame: Frame, value: Value, values: list[Any], span: Span, *, exact: bool = True) -> Said:
    """A value as Python says it. `exact`: so that its type shows, as `repr` does; `values` grow by what is told."""
    told: list[str] = []
    pieces = value_pieces(value, frame, values, span, told)
    if not exact and len(pieces) == 1:
        pieces = exactly(pieces, False)
    return Said(tuple(merge_texts(pieces)), "".join(told))


def merge_texts(pieces: Pieces) -> Pieces:
    """Neighbouring texts as one."""
    found: Pieces = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def is_text(node: Expression) -> bool:
    """Whether an expression is a text by what it is made of."""
    match node:
        case Constant(_, value):
            return isinstance(value, str)
        case tree.Text():
            return True
        case Binary(_, "%", left, _):
            return is_text(left)
        case Binary(_, "+", left, right):
            return is_text(left) or is_text(right)
        case CallExpr(_, Attribute(_, owner, "format")):
            return is_text(owner)
        case CallExpr(_, Name(_, called), (_,), ()):
            return called in CALLS
    return False


def exactly(pieces: Pieces, wanted: bool) -> Pieces:
    """With values whose types show, or do not."""
    return [replace(p, exact=wanted) if isinstance(p, Slot) else p for p in pieces]


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
        case Wording(said, parts):
            told.append(said.told)
            return [
                each if isinstance(each, str) else told_there(each, parts, frame, values)
                for each in said.pieces
            ]
        case Nest(Texts() as texts, (number,)):
            return [
                replace(s, among=texts)
                for s in value_pieces(number, frame, values, span, told)
                if isinstance(s, Slot)
            ]
        case GrowingList() if is_letters(value):
            codes = frame.take(rows_in_use(frame, value).items[0], "told")
            slots = value_pieces(codes, frame, values, span, told)
            return [replace(each, among=OF_TEXT) for each in slots if isinstance(each, Slot)]
        case GrowingList(_, (True,)):
            (rows,) = leaves(rows_in_use(frame, value))
            slots = value_pieces(frame.take(rows, "told"), frame, values, span, told)
            return [replace(each, listed=True) for each in slots if isinstance(each, Slot)]
        case Nest(_, (Var() | Lit() as re, im)) if value.cls is complex:
            told.append(span.said)
            both = (exactly(value_pieces(part, frame, values, span, []), True) for part in (re, im))
            return ["complex(", *next(both), ", ", *next(both), ")"]
        case Nest(cls, items) if cls in (tuple, list):
            pieces: Pieces = ["(" if cls is tuple else "["]
            for item in items:
                pieces += [*exactly(value_pieces(item, frame, values, span, []), True), ", "]
            if pieces[-1] == ", ":
                pieces[-1] = "," * (len(items) == 1 and cls is tuple)
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
    raise refuse(span, f"a text cannot say {what}: give it numbers, arrays, texts, and tuples of them")


def formatted(frame: Frame, text: str, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`text.format(...)` of a text that is known, where it is not written as one."""
    values: list[Any] = []
    pieces: Pieces = [quoted(text), ".format("]
    for name, each in (*(("", each) for each in arguments), *keywords.items()):
        said = value_pieces(each, frame, values, frame.span, [])
        pieces += [", " * (pieces[-1] != ".format("), f"{name}=" * bool(name), *said]
    made = exactly([*pieces, ")"], "!r" in text)
    return text_of(frame, Said(tuple(merge_texts(made)), text), values)


def with_values_in(frame: Frame, text: str, given: Value) -> Value:
    """`text % given`, likewise."""
    values: list[Any] = []
    said = exactly(value_pieces(given, frame, values, frame.span, []), "%r" in text)
    return text_of(frame, Said(tuple(merge_texts([quoted(text), " % ", *said])), text), values)


def told_there(slot: Slot, parts: Nest, frame: Frame, values: list[Any]) -> Slot:
    """A place in a text that is part of another one."""
    atom = frame.atom(parts.items[slot.place])
    if atom not in values:
        values.append(atom)
    return replace(slot, place=values.index(atom))


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
    if (said := class_source(obj)) is not None:
        return said
    if type(obj) in (tuple, list):
        inside = ", ".join(constant_source(item, span) for item in obj)
        return f"[{inside}]" if type(obj) is list else f"({inside}{',' * (len(obj) == 1)})"
    raise refuse(span, f"a text cannot say {obj!r}: give it numbers, arrays, texts, and tuples of them")


def class_source(obj: Any) -> str | None:
    """A dtype or class, as text names it."""
    if isinstance(obj, np.dtype) and obj.kind in "biufc":
        return f'np.dtype("{obj.name}")'
    if isinstance(obj, type) and issubclass(obj, np.generic | np.ndarray):
        return f"np.{obj.__name__}"
    return obj.__name__ if isinstance(obj, type) and obj.__module__ == "builtins" else None


def python_print(
    frame: Frame,
    name: str,
    /,
    *arguments: Value,
    sep: Value = NONE,
    end: Value = NONE,
    flush: Value = FALSE,
) -> Value:
    """Prints when the program runs: what is told is put together by Python then."""
    settings: dict[str, Any] = {}
    for key, value in (("sep", sep), ("end", end), ("flush", flush)):
        if not isinstance(value, Static | Lit):
            raise frame.refusal("print() takes sep=, end= and flush= that are known")
        settings |= {key: value.value} if value.value not in (None, False) else {}
    values: list[Any] = []
    told = tuple(said_of(frame, each, values, frame.span, exact=False) for each in arguments)
    frame.b.apply("print", *values, told=told, settings=MappingProxyType(settings))
    return NONE
