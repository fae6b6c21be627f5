"""Python's own numbers in operators: bools as ints, operations on constants, what Python says of those it refuses."""

from __future__ import annotations

from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.values import Value
from codegen.ir.build import E


def by_python(frame: Frame, function: Any, *operands: Any, name: str) -> Value:
    """An operation on Python's own objects: Python's answer."""
    try:
        return frame.constant(function(*operands), name)
    except (TypeError, ValueError, ArithmeticError, KeyError) as error:
        raise frame.refusal(str(error)) from error


def as_ints(frame: Frame, *values: Any) -> list[Any]:
    """Python's bools as the ints that they are in its arithmetic; beside NumPy's bools they are such bools."""
    types = [frame.b.atom(v).type for v in values]
    if any(t.dtype == "b1" and not t.weak for t in types):
        return list(values)
    return [as_int(frame, v) if t.dtype == "b1" else v for v, t in zip(values, types)]


def as_int(frame: Frame, x: Any) -> Any:
    """A Python bool as an int."""
    if isinstance(x, E):
        return frame.named(frame.b.apply("cast", x, dtype="i8"), "t", weak=True)
    return int(x)


def python_ints(frame: Frame, *values: Any) -> bool:
    """Are all these Python's ints?"""
    types = [frame.b.atom(v).type for v in values]
    return all(t.weak and t.dtype == "i8" for t in types)


def python_message(function: Any) -> str:
    """What Python says of an operation that it refuses."""
    try:
        function()
    except (ArithmeticError, ValueError) as error:
        return str(error)
    raise AssertionError("it is not refused")


ZERO_DIVISION = {
    "/": python_message(lambda: 1 / 0),
    "//": python_message(lambda: 1 // 0),
    "%": python_message(lambda: 1 % 0),
}
NEGATIVE_SHIFT = python_message(lambda: 1 << -1)
