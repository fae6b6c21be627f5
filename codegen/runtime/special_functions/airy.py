"""Airy's functions and their slopes, by Bessel functions of thirds of an order (DLMF 9.6)."""

import math

from numba import njit

from codegen.runtime.special_functions.bessel import waves
from codegen.runtime.special_functions.modified import bessel_iv, bessel_kv

ROOT_THREE = 1.7320508075688772
# At 0: Ai, Ai', Bi and Bi'.
AIRY_AI_AT_0, AIRY_AI_SLOPE_AT_0 = 0.3550280538878172, -0.2588194037928068
AIRY_BI_AT_0, AIRY_BI_SLOPE_AT_0 = 0.6149266274460007, 0.4482883573538264
AIRY_NEAR = 1e-20  # up to which the series ends with its second term


@njit(error_model="numpy")
def airy_ai(x: float) -> float:
    """Ai(x); NaN at infinity, as SciPy has it."""
    size = abs(x)
    if not size < math.inf:
        return math.nan
    if size < AIRY_NEAR:
        return AIRY_AI_AT_0 + x * AIRY_AI_SLOPE_AT_0
    root = math.sqrt(size)
    if x > 0.0:
        return root / (math.pi * ROOT_THREE) * bessel_kv(1.0 / 3.0, 2.0 / 3.0 * root * size)
    j, y = waves(1.0 / 3.0, 2.0 / 3.0 * root * size)
    return 0.5 * root * (j - y / ROOT_THREE)


@njit(error_model="numpy")
def airy_ai_slope(x: float) -> float:
    """Ai'(x)."""
    size = abs(x)
    if not size < math.inf:
        return math.nan
    if size < AIRY_NEAR:
        return AIRY_AI_SLOPE_AT_0
    root = math.sqrt(size)
    if x > 0.0:
        return -size / (math.pi * ROOT_THREE) * bessel_kv(2.0 / 3.0, 2.0 / 3.0 * root * size)
    j, y = waves(2.0 / 3.0, 2.0 / 3.0 * root * size)
    return 0.5 * size * (j + y / ROOT_THREE)


@njit(error_model="numpy")
def airy_bi(x: float) -> float:
    """Bi(x)."""
    size = abs(x)
    if not size < math.inf:
        return math.nan
    if size < AIRY_NEAR:
        return AIRY_BI_AT_0 + x * AIRY_BI_SLOPE_AT_0
    root = math.sqrt(size)
    zeta = 2.0 / 3.0 * root * size
    if x > 0.0:
        falling = bessel_kv(1.0 / 3.0, zeta) * ROOT_THREE / math.pi
        return root / ROOT_THREE * (2.0 * bessel_iv(1.0 / 3.0, zeta) + falling)
    j, y = waves(1.0 / 3.0, zeta)
    return -0.5 * root * (j / ROOT_THREE + y)


@njit(error_model="numpy")
def airy_bi_slope(x: float) -> float:
    """Bi'(x)."""
    size = abs(x)
    if not size < math.inf:
        return math.nan
    if size < AIRY_NEAR:
        return AIRY_BI_SLOPE_AT_0
    root = math.sqrt(size)
    zeta = 2.0 / 3.0 * root * size
    if x > 0.0:
        falling = bessel_kv(2.0 / 3.0, zeta) * ROOT_THREE / math.pi
        return size / ROOT_THREE * (2.0 * bessel_iv(2.0 / 3.0, zeta) + falling)
    j, y = waves(2.0 / 3.0, zeta)
    return 0.5 * size * (j / ROOT_THREE - y)
