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
FAR_OUT = 576.0  # squares, from which on the series below is exact
OF_SQUARES = (10395.0, 945.0, 105.0, 15.0, 3.0, 1.0)  # (2 k - 1)!!, of the highest power first


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
    """Of w' = 2 i / sqrt(pi) - 2 z w (DLMF 7.10.2), far out by the series that both all but cancel to."""
    far, _, of_series = slope_far_out(x, y)
    return np.where(far, TWO_OVER_ROOT_PI * of_series, -2.0 * (x * u - y * v))


def slope_of_imaginary(u: Any, v: Any, x: Any, y: Any) -> Any:
    far, of_series, _ = slope_far_out(x, y)
    return np.where(far, -TWO_OVER_ROOT_PI * of_series, TWO_OVER_ROOT_PI - 2.0 * (x * v + y * u))


def slope_far_out(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Where exp(-z**2) is nothing, and there both parts of w' sqrt(pi) / (-2 i): the sum of (2 k - 1)!! / (2 z**2)**k
    (DLMF 7.12.1)."""
    far = (x * x + y * y > FAR_OUT) & ((y > 1e-3) | ((y - x) * (y + x) < -745.0))
    u, v = np.where(far, x, 24.0), np.where(far, y, 0.0)
    size = u * u + v * v
    inverse_re, inverse_im = u / size, -v / size
    p, q = 0.5 * (inverse_re - inverse_im) * (inverse_re + inverse_im), inverse_re * inverse_im
    re, im = OF_SQUARES[0] * p, OF_SQUARES[0] * q
    for each in OF_SQUARES[1:]:
        more = each + re
        re, im = more * p - im * q, more * q + im * p
    return far, re, im


def slope_of_dawson(t: Any, out: Any, x: Any) -> Any:
    """1 - 2 x times it, far out by the series that both all but cancel to."""
    far = x * x > FAR_OUT
    u = 1.0 / np.where(far, x, 24.0)
    square = 0.5 * u * u
    total = OF_SQUARES[0] * square
    for each in OF_SQUARES[1:]:
        total = (each + total) * square
    return t * np.where(far, -total, 1.0 - 2.0 * x * out)


def other_part(name: str, x: Any, y: Any) -> Any:
    return x.builder.apply(name, x, y)


# fmt: off
float64_row(special.exp1, "exp1", lambda t, out, x: -t * np.exp(-x) / x)
float64_row(special.expi, "expi", lambda t, out, x: t * np.exp(x) / x)
float64_row(special.expn, "expn", no_slope_by_count, expn_slope)
float64_row(special.dawsn, "dawsn", slope_of_dawson)
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
