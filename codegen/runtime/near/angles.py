"""Sine, cosine and tangent of angles that are not huge, by three parts of pi/2 (Cody and Waite 1980) and no table.

near_fast_sin(1.0), is_near_angle(1.0), is_near_angle(1e300)        # 0.8414709848078965, True, False

What n times the first part leaves of x is exact, as it is a multiple of the last bit of both; what rounding then loses
float64 and the tangent keep. So the error is that of polynomials.
"""

# mypy: disable-error-code="assignment, call-arg, var-annotated"

import numpy as np
from numba import njit

from ..elementary import FAST_ROUND, FAST_SIGN
from ..exact import fused, rounded
from ..single import SINGLE_1, SINGLE_HALF, SINGLE_ROUND, SINGLE_SIGN, singles
from ..trigonometric import FAST_0, FAST_1, FAST_2, FAST_62, fast_sin_and_cos

NEAR_ANGLE = 2.0**28  # the largest; more of pi/2 than three parts have would be missed from 2**40 on
NEAR_QUARTERS = 0.6366197723675814  # in an angle of 1
NEAR_QUARTER = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)

# The same of float32: from 2**17 on the number of quarter turns would be off by one. And sin(r) = r + r**3 (a + ...),
# cos(r) = 1 - r**2 / 2 + r**4 (p + ...), tan(r) = r + r**3 (a + ...), each in r**2.
NEAR_SINGLE_ANGLE = np.float32(2.0**17)
NEAR_SINGLE_QUARTERS = np.float32(0.6366197723675814)
NEAR_SINGLE_QUARTER = singles(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15)
NEAR_SINGLE_SIN = singles(-0.16666653192349923, 0.008332070884828645, -0.0001950306862374962)
NEAR_SINGLE_COS = singles(0.04166664456185721, -0.0013887251778236327, 2.4424924159741025e-05)
NEAR_SINGLE_TAN = singles(
    0.3333312354454313, 0.13339672181810897, 0.05333833547679639, 0.024692524815471524, 0.002696227307604368,
    0.009637607144810975,
)  # fmt: skip
NEAR_SINGLE_0 = np.uint32(0)
NEAR_SINGLE_ODD = np.uint32(1)
NEAR_SINGLE_HALF_TURN = np.uint32(2)
NEAR_SINGLE_TO_SIGN = np.uint32(30)


@njit(error_model="numpy", forceinline=True)
def is_near_angle(x: float) -> bool:
    """NaN, too."""
    return not abs(x) > NEAR_ANGLE


@njit(error_model="numpy", forceinline=True)
def is_near_single_angle(x: np.float32) -> bool:
    return not abs(x) > NEAR_SINGLE_ANGLE


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_fast_turned(x: float) -> tuple[np.uint64, float, float]:
    """x = n pi/2 + r, |r| <= pi/4, as (n mod 4, sin(r), cos(r))."""
    whole = fused(x, NEAR_QUARTERS, FAST_ROUND)
    n = whole - FAST_ROUND
    first, second, third = NEAR_QUARTER
    left = fused(-n, first, x)
    part = rounded(n, second)
    r = left - part
    lost = ((left - r) - part) - fused(n, third, fused(n, second, -part))
    sine, cosine = fast_sin_and_cos(r, lost)
    return np.float64(whole).view(np.uint64), sine, cosine


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_fast_either(n: np.uint64, sine: float, cosine: float, sign: np.uint64) -> float:
    """The sine of n quarter turns more, its sign changed by a bit."""
    y = sine if n & FAST_1 == FAST_0 else cosine
    return np.uint64(np.float64(y).view(np.uint64) ^ ((n & FAST_2) << FAST_62 ^ sign)).view(np.float64)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_fast_sin(x: float) -> float:
    n, sine, cosine = near_fast_turned(abs(x))
    return near_fast_either(n, sine, cosine, np.float64(x).view(np.uint64) & FAST_SIGN)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_fast_cos(x: float) -> float:
    n, sine, cosine = near_fast_turned(abs(x))
    return near_fast_either(n + FAST_1, sine, cosine, FAST_0)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_fast_tan(x: float) -> float:
    """Sine / cosine, and -cosine / sine after an odd quarter turn; -0.0 of -0.0."""
    n, sine, cosine = near_fast_turned(abs(x))
    even = n & FAST_1 == FAST_0
    y = (sine if even else -cosine) / (cosine if even else sine)
    return np.uint64(np.float64(y).view(np.uint64) ^ np.float64(x).view(np.uint64) & FAST_SIGN).view(
        np.float64
    )


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_single_turned(x: np.float32) -> tuple[np.uint32, np.float32, np.float32]:
    """The same of float32."""
    whole = fused(x, NEAR_SINGLE_QUARTERS, SINGLE_ROUND)
    n = whole - SINGLE_ROUND
    first, second, third = NEAR_SINGLE_QUARTER
    r = fused(-n, third, fused(-n, second, fused(-n, first, x)))
    z = r * r
    a, b, c = NEAR_SINGLE_SIN
    p, q, s = NEAR_SINGLE_COS
    sine = r + r * z * (a + z * (b + z * c))
    cosine = SINGLE_1 + z * (z * (p + z * (q + z * s)) - SINGLE_HALF)
    return np.float32(whole).view(np.uint32), sine, cosine


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_single_either(n: np.uint32, sine: np.float32, cosine: np.float32, sign: np.uint32) -> np.float32:
    y = sine if n & NEAR_SINGLE_ODD == NEAR_SINGLE_0 else cosine
    turned = np.uint32(np.uint32(n & NEAR_SINGLE_HALF_TURN) << NEAR_SINGLE_TO_SIGN)
    return np.uint32(np.float32(y).view(np.uint32) ^ (turned ^ sign)).view(np.float32)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_single_sin(x: np.float32) -> np.float32:
    n, sine, cosine = near_single_turned(abs(x))
    return near_single_either(n, sine, cosine, np.float32(x).view(np.uint32) & SINGLE_SIGN)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_single_cos(x: np.float32) -> np.float32:
    n, sine, cosine = near_single_turned(abs(x))
    return near_single_either(np.uint32(n + NEAR_SINGLE_ODD), sine, cosine, NEAR_SINGLE_0)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_single_tan(x: np.float32) -> np.float32:
    """By a polynomial of its own, as two would leave 3 units of error; -1 over that after an odd quarter turn."""
    size = abs(x)
    whole = fused(size, NEAR_SINGLE_QUARTERS, SINGLE_ROUND)
    n = whole - SINGLE_ROUND
    first, second, third = NEAR_SINGLE_QUARTER
    left = fused(-n, first, size)
    part = rounded(n, second)
    r = left - part
    lost = ((left - r) - part) - fused(n, third, fused(n, second, -part))
    z = r * r
    a, b, c, d, e, f = NEAR_SINGLE_TAN
    z2 = z * z
    tangent = r + (r * z * ((a + b * z) + z2 * ((c + d * z) + z2 * (e + f * z))) + (lost + lost * z))
    even = np.float32(whole).view(np.uint32) & NEAR_SINGLE_ODD == NEAR_SINGLE_0
    y = tangent if even else -SINGLE_1 / tangent
    return np.uint32(np.float32(y).view(np.uint32) ^ np.float32(x).view(np.uint32) & SINGLE_SIGN).view(
        np.float32
    )
