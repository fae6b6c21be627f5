"""Trigonometric functions and their inverses that a compiler inlines and vectorises: fast_sin : f8 -> f8, and so on.

    fast_sin(1e300)        # -0.8178819121159085, as true as fast_sin(1.0)
    fast_atan2(0.0, -1.0), fast_acos(0.5)        # 3.141592653589793, 1.0471975511965979

The C library takes another path for large arguments; lanes cannot, so here one path serves every double, sine and
cosine within 1 unit in the last place: the reduction by multiples of pi/2 looks up the digits of 2 / pi that matter.
For rules and flags see `elementary.py`, whose constants these use.
"""

import math

import numpy as np
from numba import njit

from .elementary import (
    FAST_FIELD,
    FAST_MANTISSA,
    FAST_ROUND,
    FAST_SHIFT,
    FAST_SIGN,
    fast_cubic,
    fast_signed,
)
from .exact import fused, rounded

# pi/2, and what that lacks. What rounds to multiples of 4 and of 8.
FAST_QUARTER = 1.5707963267948966
FAST_QUARTER_REST = 6.123233995736766e-17
FAST_ROUND_4 = 1.5 * 2.0**54
FAST_ROUND_8 = 1.5 * 2.0**55
FAST_0 = np.uint64(0)
FAST_1 = np.uint64(1)
FAST_2 = np.uint64(2)
FAST_62 = np.uint64(62)
FAST_63 = np.uint64(63)
FAST_ONE = np.uint64(0x3FF0000000000000)
FAST_TURN_FIRST = np.uint64(1023 - 32)
FAST_TURN_LAST = np.uint64(1023 + 1023)


def fast_arctan_of_inverse(n: int, one: int) -> int:
    """arctan(1 / n) by its series; integers count 1 / one."""
    total, power, k = 0, one // n, 0
    while power:
        total += (power if k % 2 == 0 else -power) // (2 * k + 1)
        power //= n * n
        k += 1
    return total


def fast_two_over_pi() -> int:
    """2 / pi, counted in 2**-1300."""
    one = 1 << 1500
    pi = 4 * (4 * fast_arctan_of_inverse(5, one) - fast_arctan_of_inverse(239, one))
    return 2 * one * one // pi >> 200


def fast_turns() -> np.ndarray:
    """Of each exponent e from -32 on 2**e * 2 / pi, less multiples of 4 * 2**52: of a mantissa, which is an int times
    2**-52, that many times it leaves out whole turns alone. Each as a sum of four doubles."""
    rows, point = [], 220
    two_over_pi = fast_two_over_pi()
    for exponent in range(-32, 1024):
        left = two_over_pi >> 1300 - point - exponent + 52
        left = (left + (2 << point)) % (4 << point) - (2 << point)
        row = []
        for _ in range(4):
            part = float(left)
            row.append(math.ldexp(part, 52 - point))
            left -= int(part)
        rows.append(row)
    return np.array(rows)


FAST_TURNS = fast_turns()


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_two_sum(a: float, b: float) -> tuple[float, float]:
    """a + b, and what that loses (Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_quarter_turns(x: float) -> tuple[np.uint64, float, float]:
    """|x| = n pi/2 + r + c, |r| <= pi/4, as (n mod 4, r, c), for |x| >= 2**-32: exact for every double.

    Payne and Hanek 1983: of 2 / pi only what the exponent of x moves near the point matters. Its parts times the
    mantissa are products and what those lose; of the first, what it loses and the second the whole turns are taken.
    """
    bits = np.float64(x).view(np.uint64)
    exponent = bits >> FAST_SHIFT & FAST_FIELD
    exponent = exponent if exponent > FAST_TURN_FIRST else FAST_TURN_FIRST
    i = (exponent if exponent < FAST_TURN_LAST else FAST_TURN_LAST) - FAST_TURN_FIRST
    m = np.uint64(bits & FAST_MANTISSA | FAST_ONE).view(np.float64)
    table = FAST_TURNS  # once: a compiler for GPUs has a copy for each mention
    d0, d1, d2, d3 = table[i, 0], table[i, 1], table[i, 2], table[i, 3]
    first, second, third = rounded(m, d0), rounded(m, d1), rounded(m, d2)
    first_lost, second_lost = fused(m, d0, -first), fused(m, d1, -second)
    end = fused(m, d3, fused(m, d2, -third))
    near, near_lost = fast_two_sum(first - ((first + FAST_ROUND_8) - FAST_ROUND_8), first_lost)
    whole = (near + second) + FAST_ROUND
    a, a_lost = fast_two_sum(near - (whole - FAST_ROUND), second)
    b, b_lost = fast_two_sum(near_lost, second_lost)
    b, third_lost = fast_two_sum(b, third)
    turn, turn_lost = fast_two_sum(a, b)
    rest = (a_lost + turn_lost) + ((b_lost + third_lost) + end)
    r = rounded(turn, FAST_QUARTER)
    return (
        np.float64(whole).view(np.uint64),
        r,
        fused(turn, FAST_QUARTER, -r) + (turn * FAST_QUARTER_REST + rest * FAST_QUARTER),
    )


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_sin_and_cos(r: float, c: float) -> tuple[float, float]:
    """Sine and cosine of r + c by polynomials on |r| <= pi/4."""
    z = r * r
    z2 = z * z
    s = (-0.1666666666666663 + 0.00833333333332209 * z) + z2 * (
        (-0.00019841269829566104 + 2.755731361296491e-06 * z)
        + z2 * (-2.5050746401407407e-08 + 1.5896148876460718e-10 * z)
    )
    t = (0.041666666666666595 - 0.0013888888888873017 * z) + z2 * (
        (2.480158728882591e-05 - 2.755731417164675e-07 * z)
        + z2 * (2.0875699776275537e-09 - 1.1358480054527095e-11 * z)
    )
    half = 0.5 * z
    sine = r + (z * (r * s) + c * (1.0 - half))
    cosine = 1.0 - half
    return sine, cosine + (((1.0 - cosine) - half) + (z2 * t - r * c))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_sin_or_cos(x: float, n: np.uint64, r: float, c: float) -> float:
    """sin(n pi/2 + r + c), NaN where x is infinite."""
    sine, cosine = fast_sin_and_cos(r, c)
    y = sine if n & FAST_1 == FAST_0 else cosine
    y = np.uint64(np.float64(y).view(np.uint64) ^ (n & FAST_2) << FAST_62).view(np.float64)
    return y if abs(x) < np.inf else np.nan


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_sin(x: float) -> float:
    """Sine, right for every double however large."""
    n, r, c = fast_quarter_turns(x)
    negative = np.float64(x).view(np.uint64) >> FAST_63 << FAST_1
    y = fast_sin_or_cos(x, n + negative, r, c)
    return x if abs(x) < 2.0**-30 else y


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_cos(x: float) -> float:
    """Cosine, right for every double however large."""
    n, r, c = fast_quarter_turns(x)
    y = fast_sin_or_cos(x, n + FAST_1, r, c)
    return 1.0 if abs(x) < 2.0**-30 else y


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_tan(x: float) -> float:
    """Tangent, right for every double however large: sine / cosine, and -cosine / sine after an odd quarter turn."""
    n, r, c = fast_quarter_turns(x)
    sine, cosine = fast_sin_and_cos(r, c)
    even = n & FAST_1 == FAST_0
    y = (sine if even else -cosine) / (cosine if even else sine)
    y = y if abs(x) < np.inf else np.nan
    return x if abs(x) < 2.0**-30 else (-y if x < 0.0 else y)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_arc(a: float, b: float) -> tuple[float, float]:
    """The angle whose tangent is a / b, from 0 to pi/2, as a sum of two; finite a, b >= 0, not both 0.

    From the nearest of 0, pi/4 and pi/2 it is arctan(u), |u| <= tan(pi/8), by a polynomial. What division leaves
    of u counts once.
    """
    flat, steep = a <= 0.41421356237309503 * b, a > 2.414213562373095 * b
    over = -b if steep else a if flat else a - b
    under = a if steep else b if flat else a + b
    base = FAST_QUARTER if steep else 0.0 if flat else 0.5 * FAST_QUARTER
    rest = FAST_QUARTER_REST if steep else 0.0 if flat else 0.5 * FAST_QUARTER_REST
    inverse = 1.0 / under
    u = over * inverse
    left = fused(-u, under, over) * inverse
    z = u * u
    z2 = z * z
    z4 = z2 * z2
    p = fast_cubic(z, z2, -0.333333333333332, 0.19999999999954, -0.14285714280240017, 0.1111111078570475)
    q = fast_cubic(z, z2, -0.09090897823749988, 0.07692061406766022, -0.0666311771470146, 0.05847989131055771)
    r = (-0.05039754771597683 + 0.038075976556780265 * z) - 0.017919670922660634 * z2
    high = base + u
    tail = u * z * (p + z4 * (q + z4 * r)) + (left * (1.0 - z) + rest)
    return high, (u - (high - base)) + tail


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_atan(x: float) -> float:
    """With the sign of x; from 1e300 on it is pi/2 in every digit."""
    size = abs(x)
    high, low = fast_arc(1e300 if size > 1e300 else size, 1.0)
    return fast_signed(high + low, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_atan2(y: float, x: float) -> float:
    """The angle of the point (x, y), from -pi to pi: pi less the one of (-x, y) on the left.

    Of infinite coordinates each counts as 1 and others as 0; very large and small ones are scaled.
    """
    a, b = abs(y), abs(x)
    largest = a if a > b else b
    infinite = largest == np.inf
    scale = 2.0**-200 if largest > 2.0**900 else 2.0**200 if largest < 2.0**-800 else 1.0
    a = (1.0 if a == np.inf else 0.0) if infinite else a * scale
    b = (1.0 if b == np.inf else 0.0) if infinite else b * scale
    high, low = fast_arc(a, 1.0 if largest == 0.0 else b)
    left = 2.0 * FAST_QUARTER - high
    lost = (2.0 * FAST_QUARTER - left) - high
    behind = left + (lost + (2.0 * FAST_QUARTER_REST - low))
    angle = behind if np.float64(x).view(np.uint64) >= FAST_SIGN else high + low
    return fast_signed(angle if (x == x) & (y == y) else np.nan, y)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_arcsin_parts(x: float) -> tuple[float, float]:
    """s and p with arcsin(s) = s + p; s = |x| up to 1/2, beyond that sqrt((1 - |x|) / 2): of half of what is left."""
    size = abs(x)
    large = size > 0.5
    z = 0.5 - 0.5 * size if large else size * size
    s = math.sqrt(z) if large else size
    z2 = z * z
    z4 = z2 * z2
    a = fast_cubic(z, z2, 0.16666666666666763, 0.07499999999970257, 0.04464285717512456, 0.030381942683467833)
    b = fast_cubic(
        z, z2, 0.02237221566384854, 0.017351600037302222, 0.013980962020141218, 0.011397771873365386
    )
    c = fast_cubic(
        z, z2, 0.010786549784911736, 0.0036829704111810287, 0.021763660803623897, -0.021077507665901673
    )
    return s, s * z * (a + z4 * (b + z4 * (c + 0.032677018296473695 * z4)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_asin(x: float) -> float:
    """pi/2 less twice the arc beyond 1/2, with the sign of x."""
    s, p = fast_arcsin_parts(x)
    rest = FAST_QUARTER - 2.0 * s
    lost = (FAST_QUARTER - rest) - 2.0 * s
    large = rest + ((lost + FAST_QUARTER_REST) - 2.0 * p)
    return fast_signed(large if abs(x) > 0.5 else s + p, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_acos(x: float) -> float:
    """pi/2 less the arcsine up to 1/2, beyond twice the arc, or pi less that."""
    s, p = fast_arcsin_parts(x)
    arc = 2.0 * (s + p)
    signed = -p if x < 0.0 else p
    small = FAST_QUARTER - (x + (signed - FAST_QUARTER_REST))
    large = 2.0 * FAST_QUARTER - (arc - 2.0 * FAST_QUARTER_REST) if x < 0.0 else arc
    return large if abs(x) > 0.5 else small
