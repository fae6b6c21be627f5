"""Sine, cosine and tangent of float32, in float64, which vectors hold half as many of: single_sin : f4 -> f4.

    single_sin(np.float32(1e30))        # as true as of 1.0

A float32 is a number of 24 bits times a power of 2, and of 2 / pi times that power, without whole turns, two numbers
of a table say enough: the first has so few bits that its product is exact.
"""

import math

import numpy as np
from numba import njit

from .elementary import FAST_FIELD, FAST_MANTISSA, FAST_ROUND, FAST_SHIFT, FAST_SIGN
from .trigonometric import (
    FAST_0,
    FAST_1,
    FAST_2,
    FAST_62,
    FAST_ONE,
    FAST_QUARTER,
    FAST_ROUND_4,
    fast_two_over_pi,
)

SINGLE_LEAST = -149  # the exponents of float32, subnormal ones too
SINGLE_MOST = 127
SINGLE_TURN_BITS = 27
SINGLE_TURN_FIRST = np.uint64(1023 + SINGLE_LEAST - 1)
SINGLE_TURN_LAST = np.uint64(SINGLE_MOST - SINGLE_LEAST + 1)


def single_turns() -> np.ndarray:
    """Of each exponent e, 2**(e - 23) * 2 / pi modulo 4, times 2**23: of a float32 with that exponent, so many times an
    int. As a number of few bits and what that lacks; before them those of 0."""
    rows, point = [(0.0, 0.0)], 1300 - 23
    two_over_pi = fast_two_over_pi() << SINGLE_MOST
    for exponent in range(SINGLE_LEAST, SINGLE_MOST + 1):
        whole = (two_over_pi >> SINGLE_MOST - exponent + 23) % (4 << 1300)
        dropped = whole.bit_length() - SINGLE_TURN_BITS
        rest = whole - (whole >> dropped << dropped)
        finer = max(rest.bit_length() - 64, 0)
        rows.append((math.ldexp(whole >> dropped, dropped - point), math.ldexp(rest >> finer, finer - point)))
    return np.array(rows)


SINGLE_TURNS = single_turns()

# (sin(r) / r - 1) / r**2 and (cos(r) - 1 + r**2 / 2) / r**4 in r**2, |r| <= pi/4.
SINGLE_SIN = (-0.16666654573116266, 0.008332158408753797, -0.00019514957533509243)
SINGLE_COS = (0.04166664561876454, -0.0013887313061300764, 2.443278495401055e-05)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_sin_and_cos(x: np.float32) -> tuple[np.uint64, float, float]:
    """x = n pi/2 + r, |r| <= pi/4, as (n mod 4, sin(r), cos(r))."""
    bits = np.float64(x).view(np.uint64)
    exponent = bits >> FAST_SHIFT & FAST_FIELD
    i = (exponent if exponent > SINGLE_TURN_FIRST else SINGLE_TURN_FIRST) - SINGLE_TURN_FIRST
    i = i if i < SINGLE_TURN_LAST else SINGLE_TURN_LAST
    mantissa = np.uint64(bits & (FAST_SIGN | FAST_MANTISSA) | FAST_ONE).view(np.float64)
    table = SINGLE_TURNS  # once: a compiler for GPUs has a copy for each mention
    first = mantissa * table[i, 0]
    turns = first - ((first + FAST_ROUND_4) - FAST_ROUND_4)
    rest = mantissa * table[i, 1]
    whole = (turns + rest) + FAST_ROUND
    r = ((turns - (whole - FAST_ROUND)) + rest) * FAST_QUARTER
    z = r * r
    a, b, c = SINGLE_SIN
    p, q, s = SINGLE_COS
    sine = r * (1.0 + z * (a + z * (b + z * c)))
    cosine = 1.0 + z * (z * (p + z * (q + z * s)) - 0.5)
    return np.float64(whole).view(np.uint64), sine, cosine


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_sin_or_cos(x: np.float32, n: np.uint64, sine: float, cosine: float) -> np.float32:
    """The sine of n quarter turns more, NaN where x is infinite."""
    y = sine if n & FAST_1 == FAST_0 else cosine
    y = np.uint64(np.float64(y).view(np.uint64) ^ (n & FAST_2) << FAST_62).view(np.float64)
    return np.float32(y if abs(x) < np.inf else np.nan)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_sin(x: np.float32) -> np.float32:
    n, sine, cosine = single_sin_and_cos(x)
    return single_sin_or_cos(x, n, sine, cosine)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_cos(x: np.float32) -> np.float32:
    n, sine, cosine = single_sin_and_cos(x)
    return single_sin_or_cos(x, n + FAST_1, sine, cosine)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_tan(x: np.float32) -> np.float32:
    """Sine / cosine, and -cosine / sine after an odd quarter turn."""
    n, sine, cosine = single_sin_and_cos(x)
    even = n & FAST_1 == FAST_0
    y = (sine if even else -cosine) / (cosine if even else sine)
    return np.float32(y if abs(x) < np.inf else np.nan)
