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


def require_as_python(frame: Frame, sign: str, x: Any, y: Any) -> None:
    """Inside `try` that takes them, the errors of Python's floats: NumPy gives inf and NaN."""
    b, catches = frame.b, frame.inference.catches
    types = [b.atom(v).type for v in (x, y)]
    if any(t.rank or not t.weak for t in types) or all(t.dtype != "f8" for t in types):
        return
    if ZeroDivisionError in catches and sign in ZERO_DIVISION:
        b.require(b.apply("ne", y, 0), "ZeroDivisionError", f"float {ZERO_DIVISION[sign]}")
    if sign == "**":
        if ZeroDivisionError in catches:
            negative = b.apply("and", b.apply("eq", x, 0), b.apply("lt", y, 0))
            b.require(
                b.apply("not", negative), "ZeroDivisionError", "0.0 cannot be raised to a negative power"
            )
        if OverflowError in catches:
            raise frame.refusal(
                "what `**` of floats raises when it overflows is not seen to inside `try`: test it"
            )


ZERO_DIVISION = {
    "/": python_message(lambda: 1 / 0),
    "//": python_message(lambda: 1 // 0),
    "%": python_message(lambda: 1 % 0),
}
NEGATIVE_SHIFT = python_message(lambda: 1 << -1)
