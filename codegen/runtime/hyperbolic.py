"""Hyperbolic functions and their inverses that a compiler inlines and vectorises: fast_sinh : f8 -> f8, and so on.

    fast_sinh(0.5), fast_asinh(1e300)        # 0.5210953054937474, 691.4686750787736

For rules, flags and fits see `elementary.py`, whose constants and functions these use. The odd ones are polynomials
near 0, where exponentials cancel, and the inverses log(1 + u) of a u that does not. Compositions: within 4 units.
"""

import math

import numpy as np
from numba import njit

from .elementary import (
    FAST_EXPONENTS,
    FAST_LOG2_HIGH,
    FAST_LOG2_INVERSE,
    FAST_LOG2_LOW,
    fast_cubic,
    fast_exp_parts,
    fast_log1p,
    fast_signed,
)

# Beyond this sqrt(x*x + 1) is x, and 1 + x too; x*x may overflow.
FAST_FAR = 2.0**60
FAST_LOG2 = 0.6931471805599453


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_half_exp(x: float) -> float:
    """e**x / 2 for x >= 0, which is finite a little longer than e**x."""
    x = 711.0 if x > 711.0 else x
    t = x * FAST_LOG2_INVERSE + FAST_EXPONENTS
    k = t - FAST_EXPONENTS
    return fast_exp_parts(t - 1.0, (x - k * FAST_LOG2_HIGH) - k * FAST_LOG2_LOW)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_sinh(x: float) -> float:
    """A polynomial up to 1, and e / 2 - 1 / (2 e) beyond, with the sign of x."""
    size = abs(x)
    half = fast_half_exp(size)
    z = x * x
    z2 = z * z
    a = fast_cubic(
        z, z2, 0.16666666666666669, 0.008333333333333139, 0.0001984126984143768, 2.7557319155337442e-06
    )
    b = (2.5052123398465674e-08 + 1.6057240347041887e-10 * z) + 7.759312078670139e-13 * z2
    near = size + size * z * (a + z2 * z2 * b)
    return fast_signed(near if size < 1.0 else half - 0.25 / half, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_cosh(x: float) -> float:
    """e / 2 + 1 / (2 e)."""
    half = fast_half_exp(abs(x))
    return half + 0.25 / half


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_tanh(x: float) -> float:
    """A polynomial up to 0.55, and 1 - 2 / (e**2|x| + 1) beyond, with the sign of x."""
    size = abs(x)
    half = fast_half_exp(44.0 if size > 22.0 else size + size)
    z = x * x
    z2 = z * z
    z4 = z2 * z2
    a = fast_cubic(z, z2, -0.333333333333333, 0.13333333333326813, -0.05396825396386662, 0.021869488388749095)
    b = fast_cubic(
        z, z2, -0.00886323264680009, 0.0035920924701414447, -0.0014555455698215957, 0.0005884552930528827
    )
    c = (-0.00023340812897315453 + 8.335328901391576e-05 * z) - 1.9516726717561935e-05 * z2
    near = size + size * z * (a + z4 * (b + z4 * c))
    return fast_signed(near if size < 0.55 else 1.0 - 1.0 / (half + 0.5), x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_asinh(x: float) -> float:
    """log(|x| + sqrt(x*x + 1)) with the sign of x; far out log(2 |x|)."""
    size = abs(x)
    square = size * size
    far = size > FAST_FAR
    u = size if far else size + square / (1.0 + math.sqrt(square + 1.0))
    return fast_signed(fast_log1p(u) + (FAST_LOG2 if far else 0.0), x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_acosh(x: float) -> float:
    """log(x + sqrt(x*x - 1)), by what x is more than 1; far out log(2 x)."""
    above = 0.0 if x < 1.0 else x - 1.0
    far = x > FAST_FAR
    u = x if far else above + math.sqrt(above * (above + 2.0))
    y = fast_log1p(u) + (FAST_LOG2 if far else 0.0)
    return np.nan if x < 1.0 else y


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_atanh(x: float) -> float:
    """log((1 + |x|) / (1 - |x|)) / 2 with the sign of x."""
    size = abs(x)
    return fast_signed(0.5 * fast_log1p((size + size) / (1.0 - size)), x)
