"""Sine and cosine that a compiler inlines and vectorises: fast_sin, fast_cos : f8 -> f8.

    fast_sin(1e300)        # -0.8178819121159085, as true as fast_sin(1.0)

The C library takes another path for large arguments; lanes cannot, so here one path serves every double,
within 1 unit in the last place: the reduction by multiples of pi/2 looks up the digits of 2 / pi that matter.
For rules and flags see `elementary.py`, whose constants these use.
"""

import numpy as np
from numba import njit

from .elementary import FAST_FIELD, FAST_MANTISSA, FAST_ROUND, FAST_SHIFT

# pi/2, also in two parts, the first of 26 bits; what rounds to a multiple of 4; the upper half of a double.
FAST_QUARTER = 1.5707963267948966
FAST_QUARTER_HIGH = 1.5707963109016418
FAST_QUARTER_LOW = 1.5893254773528196e-08
FAST_ROUND_4 = 1.5 * 2.0**54
FAST_UPPER = np.uint64(0xFFFFFFFFFC000000)
FAST_0 = np.uint64(0)
FAST_1 = np.uint64(1)
FAST_2 = np.uint64(2)
FAST_62 = np.uint64(62)
FAST_63 = np.uint64(63)
FAST_ONE = np.uint64(0x3FF0000000000000)
FAST_TURN_FIRST = np.uint64(1023 - 32)
FAST_TURN_LAST = np.uint64(1023 + 1023)
FAST_DIGIT = np.uint64(26)


def fast_arctan_of_inverse(n: int, one: int) -> int:
    """arctan(1 / n) by its series; integers count 1 / one."""
    total, power, k = 0, one // n, 0
    while power:
        total += (power if k % 2 == 0 else -power) // (2 * k + 1)
        power //= n * n
        k += 1
    return total


def fast_turn_digits() -> np.ndarray:
    """26 bits of 2 / pi from each bit on, as a signed digit: entry i begins at bit i - 85 after the point.

    A digit whose first bit is set counts as negative, and the digit before it is one more: every 26th entry,
    from any on, gives 2 / pi from there, up to a multiple of what the first digit's carry weighs.
    """
    one = 1 << 1500
    pi = 4 * (4 * fast_arctan_of_inverse(5, one) - fast_arctan_of_inverse(239, one))
    two_over_pi = 2 * one * one // pi >> 200
    digits = []
    for first in range(-85, 1128):
        bits = two_over_pi >> 1300 - first - 26
        digits.append((bits >> 1 & 0x3FFFFFF) + (bits & 1) - (bits >> 26 & 1) * 0x4000000)
    return np.array(digits, np.float64)


FAST_TURN_DIGITS = fast_turn_digits()


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_quarter_turns(x: float) -> tuple[np.uint64, float, float]:
    """|x| = n pi/2 + r + c, |r| <= pi/4, as (n mod 4, r, c), for |x| >= 2**-32: exact for every double.

    Payne and Hanek 1983: of 2 / pi only those digits matter that the exponent of x moves near the point. The
    mantissa, in parts of 27 and 26 bits, times digits of 26 bits gives exact columns of 52 and fewer bits.
    """
    bits = np.float64(x).view(np.uint64)
    exponent = bits >> FAST_SHIFT & FAST_FIELD
    exponent = exponent if exponent > FAST_TURN_FIRST else FAST_TURN_FIRST
    i = (exponent if exponent < FAST_TURN_LAST else FAST_TURN_LAST) - FAST_TURN_FIRST
    mantissa = bits & FAST_MANTISSA | FAST_ONE
    high = np.uint64(mantissa & FAST_UPPER).view(np.float64)
    low = (np.uint64(mantissa).view(np.float64) - high) * 2.0**26
    digits = FAST_TURN_DIGITS  # once: a compiler for GPUs has a copy for each mention
    d0, d1, d2, d3, d4 = (
        digits[i],
        digits[i + FAST_DIGIT],
        digits[i + np.uint64(52)],
        digits[i + np.uint64(78)],
        digits[i + np.uint64(104)],
    )
    d5, d6 = digits[i + np.uint64(130)], digits[i + np.uint64(156)]
    first = 4.0 * (high * d1 + low * d0)
    second = 2.0**-24 * (high * d2 + low * d1)
    turns = (first - ((first + FAST_ROUND_4) - FAST_ROUND_4)) + (
        second - ((second + FAST_ROUND_4) - FAST_ROUND_4)
    )
    whole = turns + FAST_ROUND
    a = turns - (whole - FAST_ROUND)
    b = 2.0**-50 * (high * d3 + low * d2)
    c = 2.0**-76 * (high * d4 + low * d3)
    tail = 2.0**-102 * (high * (d5 + 2.0**-26 * d6) + low * (d4 + 2.0**-26 * d5))
    ab = a + b
    back = ab - a
    ab_lost = (a - (ab - back)) + (b - back)
    abc = ab + c
    back = abc - ab
    abc_lost = (ab - (abc - back)) + (c - back)
    rest = ab_lost + (abc_lost + tail)
    upper = np.uint64(np.float64(abc).view(np.uint64) & FAST_UPPER).view(np.float64)
    leading = upper * FAST_QUARTER_HIGH
    trailing = ((abc - upper) * FAST_QUARTER_HIGH + abc * FAST_QUARTER_LOW) + rest * FAST_QUARTER
    r = leading + trailing
    return np.float64(whole).view(np.uint64), r, trailing - (r - leading)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_sin_or_cos(x: float, n: np.uint64, r: float, c: float) -> float:
    """sin(n pi/2 + r + c), NaN where x is infinite, by polynomials for sine and cosine on |r| <= pi/4."""
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
    cosine = cosine + (((1.0 - cosine) - half) + (z2 * t - r * c))
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
