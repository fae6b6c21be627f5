"""Spherical Bessel functions of whole orders, by those of half ones (DLMF 10.47.3 to 10.47.9)."""

import math

from numba import njit

from codegen.runtime.special_functions.bessel import bessel_jv, bessel_yv
from codegen.runtime.special_functions.modified import bessel_iv, bessel_kv


@njit(error_model="numpy")
def whole_order(n: float) -> float:
    """Without what is behind the point, as SciPy makes it an int."""
    return n - n % 1.0 if n >= 0.0 else n + -n % 1.0


@njit(error_model="numpy")
def spherical_sign(n: float, z: float) -> float:
    """-1 of odd orders below 0, as odd functions have it."""
    return -1.0 if z < 0.0 and n % 2.0 == 1.0 else 1.0


@njit(error_model="numpy")
def spherical_jn(n: float, z: float) -> float:
    """scipy.special.spherical_jn."""
    n, size = whole_order(n), abs(z)
    if not n >= 0.0 or z != z:
        return math.nan
    if size == 0.0 or size == math.inf:
        return 1.0 if n == 0.0 and size == 0.0 else 0.0
    return spherical_sign(n, z) * math.sqrt(0.5 * math.pi / size) * bessel_jv(n + 0.5, size)


@njit(error_model="numpy")
def spherical_yn(n: float, z: float) -> float:
    """scipy.special.spherical_yn."""
    n, size = whole_order(n), abs(z)
    if not n >= 0.0 or z != z:
        return math.nan
    if size == 0.0 or size == math.inf:
        return -math.inf if size == 0.0 else 0.0
    return spherical_sign(n + 1.0, z) * math.sqrt(0.5 * math.pi / size) * bessel_yv(n + 0.5, size)


@njit(error_model="numpy")
def spherical_in(n: float, z: float) -> float:
    """scipy.special.spherical_in."""
    n, size = whole_order(n), abs(z)
    if not n >= 0.0 or z != z:
        return math.nan
    if size == 0.0:
        return 1.0 if n == 0.0 else 0.0
    if size == math.inf:
        return spherical_sign(n, z) * math.inf
    return spherical_sign(n, z) * math.sqrt(0.5 * math.pi / size) * bessel_iv(n + 0.5, size)


@njit(error_model="numpy")
def spherical_kn(n: float, z: float) -> float:
    """scipy.special.spherical_kn, which goes on below 0 as its finite sum does."""
    n, size = whole_order(n), abs(z)
    if not n >= 0.0 or z != z:
        return math.nan
    if size == 0.0 or size == math.inf:
        return math.inf if size == 0.0 else -math.inf if z < 0.0 else 0.0
    scale = math.sqrt(0.5 * math.pi / size)
    falling = scale * bessel_kv(n + 0.5, size)
    if z > 0.0:
        return falling
    return (falling if n % 2.0 == 1.0 else -falling) - math.pi * scale * bessel_iv(n + 0.5, size)
