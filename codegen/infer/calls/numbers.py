"""Python's own functions of a number: int(), float(), bool(), abs(), round(), divmod(), pow()."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from codegen.definitions.python_math import power_modulo
from codegen.infer.calls.rows import call_row
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.control.truth import python_bool, truth
from codegen.infer.frame import Frame
from codegen.infer.operators import operate
from codegen.infer.python_ints import as_ints, by_python
from codegen.infer.values import GrowingList, Nest, Range, Static, Value
from codegen.ir import Lit, Var
from codegen.ir.build import call
from codegen.primitives.calls.rounding import to_digits
from codegen.primitives.fits import whole_number


def python_scalar(python: type, dtype: str) -> Callable[..., Value]:
    """int(x), float(x), bool(x): Python's numbers."""

    def convert(frame: Frame, name: str, x: Value | None = None, /) -> Value:
        if x is None:
            return frame.constant(python(), name)
        if python is bool:
            return python_bool(frame, truth(frame, x), name)
        if is_complex(x):
            what = (
                "string or a real number"
                if python is float
                else "string, a bytes-like object or a real number"
            )
            raise frame.refusal(f"{python.__name__}() argument must be a {what}, not 'complex'")
        if isinstance(x, Static | Lit):
            return by_python(frame, python, x.value, name=name)
        atom = frame.atom(x)
        if atom.type.rank:
            raise frame.refusal(f"{python.__name__}() takes a number, not {frame.describe(x)}")
        if atom.type.dtype == dtype and atom.type.weak:
            return atom
        given = frame.b.wrap(atom)
        rounds = python is int and given.type.is_float
        made = whole_number(frame.b, given) if rounds else frame.b.apply("cast", given, dtype=dtype)
        return frame.take(frame.named(made, name, weak=True), name)

    return convert


def python_int(frame: Frame, name: str, x: Value | None = None, /, base: Value | None = None) -> Value:
    if x is None or base is None:
        return python_scalar(int, "i8")(frame, name, *([] if x is None else [x]))
    if not (isinstance(x, Static) and isinstance(base, Lit)):
        raise frame.refusal("int() in a base takes a text that is known")
    return by_python(frame, int, x.value, base.value, name=name)


def python_abs(frame: Frame, name: str, x: Value, /) -> Value:
    """Of a Python bool an int."""
    if isinstance(x, Lit | Var) and x.type.weak:
        x = frame.take(as_ints(frame, frame.give(x))[0], "t")
    if isinstance(x, GrowingList | Range):
        raise frame.refusal(f"abs() of {frame.describe(x)} is not supported")
    return call_row(frame, abs, (x,), {}, name)


NO_ROUND = "type numpy.bool doesn't define __round__ method"


def python_round(frame: Frame, name: str, /, number: Value, ndigits: Value | None = None) -> Value:
    given = [number] if ndigits is None or is_left_out(ndigits) else [number, ndigits]
    atom = frame.atom(number)
    if atom.type.dtype == "b1" and not atom.type.weak and not atom.type.rank:
        raise frame.refusal(NO_ROUND)
    known = [a.value for a in given if isinstance(a, Lit)]
    if len(known) == len(given):
        return by_python(frame, round, *known, name=name)
    if atom.type.rank:
        raise frame.refusal("round() takes a number: use np.rint for an array")
    x = frame.b.wrap(atom)
    if len(given) > 1:
        if x.type.weak:
            with frame.refusing():
                made = to_digits(frame.b, x, frame.give(given[1]))
            return frame.take(frame.named(made, name, weak=True), name)
        return call_row(frame, np.round, tuple(given), {}, name)
    if not x.type.is_float:
        if x.type.weak and x.type.dtype == "i8":
            return number
        return frame.take(frame.named(frame.b.apply("cast", x, dtype="i8"), name, weak=True), name)
    made = whole_number(frame.b, call(frame.b, np.rint, x))
    return frame.take(frame.named(made, name, weak=True), name)


def is_left_out(value: Value | None) -> bool:
    """Whether an argument is left out, or None."""
    return value is None or isinstance(value, Static) and value.value is None


def python_divmod(frame: Frame, name: str, x: Value, y: Value, /) -> Value:
    return Nest(tuple, tuple(operate(frame, sign, x, y, name) for sign in ("//", "%")))


def python_pow(frame: Frame, name: str, /, base: Value, exp: Value, mod: Value | None = None) -> Value:
    if not is_left_out(mod):
        given = [frame.atom(each).type for each in (base, exp, mod) if isinstance(each, Var | Lit)]
        if len(given) < 3 or not all(type_.weak for type_ in given):
            raise frame.refusal("pow() of three numbers takes Python's ints: write int(x)")
        return frame.inference.call(frame, Static(power_modulo), (base, exp, mod), {}, name)
    return operate(frame, "**", base, exp, name)
