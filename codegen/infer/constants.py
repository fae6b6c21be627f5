"""Python objects of the enclosing scopes as values: numbers, arrays, nests of them; all else is a constant."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any, Protocol

import numpy as np

from codegen.infer.dependencies import note_items
from codegen.infer.functions import Functions
from codegen.infer.tables.values import NewTable
from codegen.infer.values import Nest, Static, Value, complex_pair, keys_of
from codegen.ir import Atom, Dim, Lit
from codegen.ir.literals import literal
from codegen.read.plain_names import plain_object
from codegen.source import SourceError, Span

FEW = 64  # keys of a dict or a set that are looked for one by one


class Capturing(Protocol):
    """What a frame does for the objects around its function."""

    inference: Functions

    def refusal(self, message: str, span: Span | None = None) -> SourceError: ...

    def capture(self, array: np.ndarray, name: str, shape: tuple[Dim, ...] | None = None) -> Value: ...

    def atom(self, value: Value, span: Span | None = None) -> Atom: ...


def value_of_object(frame: Capturing, obj: Any, name: str, span: Span | None) -> Value:
    """A Python object of the enclosing scopes as a value."""
    if isinstance(obj, complex | np.complexfloating):
        parts = (number_of_object(frame, part, span) for part in (obj.real, obj.imag))
        return complex_pair(*parts)
    if isinstance(obj, bool | int | float | np.generic):
        return number_of_object(frame, obj, span)
    if isinstance(obj, np.ndarray):
        if type(obj) not in (np.ndarray, np.memmap):
            raise frame.refusal(
                f"{name!r} is an array of type {type(obj).__name__}: use a plain one, np.asarray of it",
                span,
            )
        if obj.dtype.kind == "c":
            re, im = frame.inference.parts_of(obj)
            first = frame.capture(re, f"{name}_re")
            return complex_pair(first, frame.capture(im, f"{name}_im", frame.atom(first).type.shape))
        return frame.capture(obj, name)
    obj = plain_object(obj)
    note_items(obj)
    if isinstance(obj, tuple | list):
        cls = type(obj)
        items = tuple(value_of_object(frame, item, f"{name}_{k}", span) for k, item in enumerate(obj))
        named = getattr(cls, "__match_args__", None) if hasattr(cls, "n_sequence_fields") else None
        return Nest(cls, items, keys_of(cls) or named)  # `sys.float_info` has names, too
    if isinstance(obj, dict):
        keys = tuple(int(k) if isinstance(k, IntEnum) else k for k in obj)
        named, few = all(isinstance(k, str | Enum) for k in keys), len(keys) <= FEW
        if named or few and all(type(k) is int for k in keys):
            labels = (f"{name}_{getattr(k, 'name', k)}".replace("-", "minus_") for k in keys)
            pairs = zip(obj.values(), labels, strict=True)
            values = tuple(value_of_object(frame, item, label, span) for item, label in pairs)
            return Nest(dict, values, keys) if named else NewTable(dict, values, keys)
    if isinstance(obj, set | frozenset) and len(obj) <= FEW and all(type(k) is int for k in obj):
        return Nest(type(obj), tuple(map(literal, obj)))
    return Static(obj)


def number_of_object(frame: Capturing, obj: Any, span: Span | None) -> Lit:
    if isinstance(obj, int) and not -(2**63) <= obj < 2**64:
        raise frame.refusal(f"the int {obj} does not fit in 64 bits", span)
    try:
        return literal(obj)
    except TypeError:
        raise frame.refusal(
            f"a number of type {type(obj).__name__} is not supported: values are real", span
        ) from None
