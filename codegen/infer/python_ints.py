"""Python's own numbers in operators: bools as ints, operations on constants, what Python says of those it refuses."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from codegen.infer.frame import Frame
from codegen.infer.values import Ref, Value, View
from codegen.ir import Lit, Var
from codegen.ir.build import E, call


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


def operate_power(frame: Frame, x: Any, y: Any, name: str) -> Any:
    """NumPy's, but of Python's ints: to a negative power they are a float where it is a literal, else an error; -1, of
    which any power is 1 or -1, stays an int."""
    b = frame.b
    base = b.atom(x).type
    if base.dtype == "b1" and base.rank and isinstance(y, int) and y == 2:
        x = b.apply("cast", x, dtype="i1")  # NumPy squares int8
    elif python_ints(frame, x, y):
        if isinstance(y, int):
            x = frame.named(b.apply("cast", x, dtype="f8"), "t", weak=True) if y < 0 else x
        elif isinstance(x, int) and x == -1:
            is_odd = b.apply("bitand", y, 1)
            return frame.named(b.apply("sub", 1, b.apply("mul", 2, is_odd)), name, weak=True)
        else:
            text = "an int to a negative int power: make one of them a float"
            b.require(b.apply("ge", y, 0), "ValueError", text)
        return b.apply("pow", x, y, name=name)
    return frame.named(call(b, np.power if base.rank else pow, x, y), name)


def with_float_base(frame: Frame, base: Value, power: Value) -> Value:
    """What is raised to a power that is known when the program runs; an int as a float."""
    if not (isinstance(base, Var | Lit) and isinstance(power, Var)):
        return base
    x, y = as_ints(frame, frame.give(base), frame.give(power))
    if not python_ints(frame, x, y) or isinstance(x, int) and x == -1:
        return base
    if isinstance(x, int):
        return frame.constant(float(x), "t")
    return frame.take(frame.named(frame.b.apply("cast", x, dtype="f8"), "t", weak=True), "t")


def is_float_value(frame: Frame, side: Any) -> bool:
    return isinstance(side, Var | Lit | Ref | View) and frame.b.atom(frame.give(side)).type.dtype[0] == "f"


def operate_shift(frame: Frame, sign: str, x: Any, y: Any, name: str) -> Any:
    """Bits moved out are lost, however far: a processor knows shifts by less than all bits alone."""
    b = frame.b
    if python_ints(frame, x, y) and not isinstance(y, int):
        b.require(b.apply("ge", y, 0), "ValueError", NEGATIVE_SHIFT)
    return frame.named(call(b, operator.lshift if sign == "<<" else operator.rshift, x, y), name)


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
