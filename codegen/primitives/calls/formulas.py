"""Elementwise functions of NumPy that are formulas of others: np.fmax, np.sinc, np.isclose and their like."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from codegen.ir import Type
from codegen.ir.build import Builder
from codegen.ir.promotion import computed_in
from codegen.primitives.elementwise import power, result_dtype
from codegen.primitives.reduce import as_array, of_array
from codegen.primitives.row import FUNCTIONS, first_argument, lowers

Number = Any  # a number of Python's or an expression
PYTHON_BOOL = Type("b1", weak=True)


def in_loop(b: Builder, ufunc: np.ufunc, *operands: Any) -> list[Any]:
    """Operands in the dtypes that a ufunc computes in: SciPy's in float64 unless all are float32."""
    types = [b.atom(x).type for x in operands]
    inside, _ = computed_in(ufunc, types)
    return [
        x if (t.weak and t.dtype != "b1") or t.dtype == dtype else b.apply("cast", x, dtype=dtype)
        for x, t, dtype in zip(operands, types, inside, strict=True)
    ]


def in_dtypes(b: Builder, ufunc: np.ufunc, *operands: Any) -> Iterator[Any]:
    """The same, Python's numbers too, which are divided in another way than NumPy's."""
    inside, _ = computed_in(ufunc, [b.atom(x).type for x in operands])
    return (b.apply("cast", x, dtype=dtype) for x, dtype in zip(operands, inside, strict=True))


def as_float(b: Builder, ufunc: np.ufunc, x: Any) -> Any:
    """The operand of a ufunc of floats in the dtype of its result, Python's numbers too."""
    return b.apply("cast", x, dtype=result_dtype(ufunc, (b.atom(x),)))


def is_float(b: Builder, x: Any) -> bool:
    return b.atom(x).type.is_float


def extreme_number(ufunc: np.ufunc) -> Callable[..., Any]:
    """The larger or smaller of two, of which a NaN counts as missing. Ties share a derivative as in `maximum`."""

    def build(b: Builder, x: Number, y: Number) -> Any:
        missing_x, missing_y = (np.isnan(z) if is_float(b, z) else False for z in (x, y))
        either_x = x if missing_x is False else np.where(missing_x, y, x)
        either_y = y if missing_y is False else np.where(missing_y, x, y)
        return ufunc(either_x, either_y)

    return build


FUNCTIONS[np.fmax] = extreme_number(np.maximum)
FUNCTIONS[np.fmin] = extreme_number(np.minimum)


def scaled(numerator: float, denominator: float, ufunc: np.ufunc) -> Callable[..., Any]:
    """x times a quotient that is taken in the dtype of the result, as C does."""

    def build(b: Builder, x: Number) -> Any:
        (x,) = in_loop(b, ufunc, x)
        number = np.dtype(computed_in(ufunc, [b.atom(x).type])[1]).type
        return x * (number(numerator) / number(denominator))

    return build


for _names, _parts in (
    ((np.deg2rad, np.radians), (math.pi, 180.0)),
    ((np.rad2deg, np.degrees), (180.0, math.pi)),
):
    for _ufunc in _names:
        FUNCTIONS[_ufunc] = scaled(*_parts, _ufunc)


@lowers(np.fabs)
def fabs(b: Builder, x: Number) -> Any:
    return b.apply("abs", as_float(b, np.fabs, x))


@lowers(np.spacing)
def spacing(b: Builder, x: Number) -> Any:
    """How far the next number is, away from 0; of the largest one too."""
    x = as_float(b, np.spacing, x)
    infinity = np.dtype(b.atom(x).type.dtype).type(np.inf)
    outward = np.where(x < 0, -infinity, infinity)  # of -0.0 too
    return np.where(np.isfinite(x), np.nextafter(x, outward) - x, np.nan)


@lowers(np.heaviside)
def heaviside(b: Builder, x: Number, h0: Number) -> Any:
    """0 below 0, h0 at 0, 1 above; NaN stays."""
    x, h0 = in_loop(b, np.heaviside, x, h0)
    dtype = np.dtype(computed_in(np.heaviside, [b.atom(x).type, b.atom(h0).type])[1]).type
    return np.where(x < 0, dtype(0), np.where(x == 0, h0, np.where(np.isnan(x), x, dtype(1))))


@lowers(np.fmod)
def fmod(b: Builder, x: Number, y: Number) -> Any:
    """The remainder with the sign of x, as C's."""
    x, y = in_dtypes(b, np.fmod, x, y)
    if is_float(b, x) or is_float(b, y):
        negative = np.signbit(x)
        rest = np.mod(np.where(negative, -x, x), abs(y))
        return np.where(negative, -rest, rest)
    rest = np.mod(x, y)
    return np.where((rest != 0) & ((x < 0) != (y < 0)), rest - y, rest)


@lowers(np.modf)
def modf(b: Builder, x: Number) -> Any:
    """The fractional part and the whole one, both with the sign of x."""
    x = as_float(b, np.sqrt, x)  # of modf's dtypes
    whole = np.trunc(x)
    zero = np.dtype(b.atom(x).type.dtype).type(0)
    return np.copysign(np.where(np.isinf(x), zero, x - whole), x), whole


@lowers(np.frexp)
def frexp(b: Builder, x: Number) -> Any:
    """A part between 1/2 and 1, and the power of two that it is multiplied by; what is 0 or not finite by itself."""
    x = as_float(b, np.sqrt, x)  # of frexp's dtypes
    return b.apply("mantissa", x), b.apply("exponent", x)


@lowers(np.divmod)
def divmod_(b: Builder, x: Number, y: Number) -> Any:
    x, y = in_dtypes(b, np.floor_divide, x, y)
    return np.floor_divide(x, y), np.mod(x, y)


@lowers(np.logaddexp2)
def logaddexp2(b: Builder, x: Number, y: Number) -> Any:
    """log2(2**x + 2**y); of equal ones, infinities too, one more."""
    x, y = in_dtypes(b, np.logaddexp2, x, y)
    number = np.dtype(b.atom(x).type.dtype).type
    first = x >= y
    high: Any = np.where(first, x, y)
    low: Any = np.where(first, y, x)
    apart = np.where((high == low) & np.isinf(high), number(0.0), low - high)
    return high + np.log1p(np.exp2(apart)) * number(LOG2_E)


LOG2_E = 1.0 / math.log(2.0)


@lowers(np.float_power)
def float_power(b: Builder, x: Number, y: Number) -> Any:
    """In float64, of Python's ints too."""
    return power(b, b.apply("cast", x, dtype="f8"), b.apply("cast", y, dtype="f8"))


@of_array(np.sinc)
def sinc(b: Builder, x: Any) -> Any:
    """sin(pi x) / (pi x), near 0 by its series."""
    turned = math.pi * x
    near = np.abs(turned) < 0.3
    number = np.dtype(turned.dtype).type
    angle = np.where(near, number(1.0), turned)
    squared = np.where(near, turned, number(0.0)) ** 2
    made = number(1.0)
    for k in range(6, 0, -1):
        made = 1.0 - squared * made * number(1.0 / (2 * k * (2 * k + 1)))
    return np.where(near, made, np.sin(angle) / angle)


@of_array(np.nan_to_num)
def nan_to_num(b: Builder, x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Numbers in place of NaN and infinities, which are the largest there are unless said."""
    if not x.type.is_float:
        return x.copy()
    ends = np.finfo(x.dtype)
    number = np.dtype(x.dtype).type
    for test, value in (
        (np.isnan(x), nan),
        (x == np.inf, ends.max if posinf is None else posinf),
        (x == -np.inf, ends.min if neginf is None else neginf),
    ):
        x = np.where(
            test, b.apply("cast", value, dtype=x.type.dtype) if hasattr(value, "atom") else number(value), x
        )
    return x


@of_array(np.round, np.around)
def round_(b: Builder, x: Any, decimals: Any = 0) -> Any:
    """To so many digits behind the point, as NumPy does it: the multiple of a power of ten, rounded to even."""
    if not isinstance(decimals, int | np.integer):
        raise TypeError("round: how many decimals must be an int that is known when the function is read")
    if not x.type.is_float:
        if decimals < 0 or x.type.dtype == "b1":
            raise TypeError("round: of ints there are decimals from 0 on alone")
        return x.copy() if x.ndim else x
    if not decimals:
        return np.rint(x)
    power = np.dtype(x.dtype).type(10.0 ** abs(int(decimals)))
    return np.rint(x * power) / power if decimals > 0 else np.rint(x / power) * power


@of_array(np.fix)
def fix(b: Builder, x: Any) -> Any:
    """Towards 0."""
    return np.trunc(x)


@of_array(np.isposinf)
def isposinf(b: Builder, x: Any) -> Any:
    return x == np.inf


@of_array(np.isneginf)
def isneginf(b: Builder, x: Any) -> Any:
    return x == -np.inf


@lowers(np.isclose)
def isclose(
    b: Builder, a: Any, b_: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Any:
    """|a - b| <= atol + rtol |b|, where b is finite; or both are the same."""
    x, y = (as_array(b, v) if isinstance(v, tuple | list) else v for v in (a, b_))
    if not is_float(b, y):
        y = y + 0.0 if b.atom(y).type.weak else b.apply("cast", y, dtype="f8")
    near = (abs(x - y) <= atol + rtol * abs(y)) & np.isfinite(y) | (x == y)
    if equal_nan and is_float(b, x):
        near = near | (np.isnan(x) & np.isnan(y))
    return near


@of_array(np.conj)
def conj(b: Builder, x: Any) -> Any:
    """There are no complex numbers; NumPy has none of bools either."""
    if x.dtype == np.bool_:
        return x.astype(np.int8)
    return x.copy() if x.ndim else x


@of_array(np.imag)
def imag(b: Builder, x: Any) -> Any:
    return 0 if b.atom(x).type == PYTHON_BOOL else np.zeros_like(x)


@of_array(np.iscomplex)
def iscomplex(b: Builder, x: Any) -> Any:
    return np.zeros_like(x, dtype=np.bool_)


@of_array(np.isreal)
def isreal(b: Builder, x: Any) -> Any:
    return np.ones_like(x, dtype=np.bool_)


@of_array(np.real_if_close, views=first_argument)
def real_if_close(b: Builder, x: Any) -> Any:
    """There are no complex numbers."""
    return x


@of_array(np.real, views=first_argument)
def real(b: Builder, x: Any) -> Any:
    """There are no complex numbers; of Python's bools they are ints."""
    return x + 0 if b.atom(x).type == PYTHON_BOOL else x


@lowers(np.positive)
def positive(b: Builder, x: Number) -> Any:
    if b.atom(x).type.dtype == "b1":
        raise TypeError("positive: of bools there is none")
    return b.apply("copy", x)
