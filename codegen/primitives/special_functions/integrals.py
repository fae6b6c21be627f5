"""Exponential integrals, Dawson's integral and the parts of Faddeeva's function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from codegen.ir.build import Builder
from codegen.primitives.row import lowers, row
from codegen.primitives.special_functions.float64_row import float64_of, float64_row, meaning_in_float64

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def no_slope_by_count(t: Any, out: Any, n: Any, x: Any) -> Any:
    raise TypeError("expn: no derivative with respect to n, which is an int")


def expn_slope(t: Any, out: Any, n: Any, x: Any) -> Any:
    """-E of the order before; of the first exp(-x) / x."""
    first = np.exp(-x) / x
    return -t * np.where(n < 1.0, first * (1.0 + 1.0 / x), special.expn(np.maximum(n - 1.0, 0.0), x))


def real_part(x: Any, y: Any) -> Any:
    return special.wofz(x + 1j * y).real


def imaginary_part(x: Any, y: Any) -> Any:
    return special.wofz(x + 1j * y).imag


def slope_of_real(u: Any, v: Any, x: Any, y: Any) -> Any:
    return -2.0 * (x * u - y * v)


def slope_of_imaginary(u: Any, v: Any, x: Any, y: Any) -> Any:
    return TWO_OVER_ROOT_PI - 2.0 * (x * v + y * u)


def other_part(name: str, x: Any, y: Any) -> Any:
    return x.builder.apply(name, x, y)


# fmt: off
float64_row(special.exp1, "exp1", lambda t, out, x: -t * np.exp(-x) / x)
float64_row(special.expi, "expi", lambda t, out, x: t * np.exp(x) / x)
float64_row(special.expn, "expn", no_slope_by_count, expn_slope)
float64_row(special.dawsn, "dawsn", lambda t, out, x: t * (1.0 - 2.0 * x * out))
# w' = 2 i / sqrt(pi) - 2 z w (DLMF 7.10.2)
row("wofz_real", meaning_in_float64(real_part, 2), float64_of(2), "elementwise", helper="wofz_real", cost=300,
    form=lambda x, y, *, rank, lib: (f"scipy.special.wofz({x} + 1j * ({y})).real", 100),
    jvp=(lambda t, out, x, y: t * slope_of_real(out, other_part("wofz_imag", x, y), x, y),
         lambda t, out, x, y: -t * slope_of_imaginary(out, other_part("wofz_imag", x, y), x, y)))
row("wofz_imag", meaning_in_float64(imaginary_part, 2), float64_of(2), "elementwise", helper="wofz_imag", cost=300,
    form=lambda x, y, *, rank, lib: (f"scipy.special.wofz({x} + 1j * ({y})).imag", 100),
    jvp=(lambda t, out, x, y: t * slope_of_imaginary(other_part("wofz_real", x, y), out, x, y),
         lambda t, out, x, y: t * slope_of_real(other_part("wofz_real", x, y), out, x, y)))
# fmt: on


@lowers(real_part)
def faddeeva_real(b: Builder, x: Any, y: Any) -> Any:
    return b.apply("wofz_real", x, y)


@lowers(imaginary_part)
def faddeeva_imaginary(b: Builder, x: Any, y: Any) -> Any:
    return b.apply("wofz_imag", x, y)
