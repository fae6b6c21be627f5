"""Powers that a compiler inlines and vectorises: fast_pow : f8, f8 -> f8.

    fast_pow(-1.5, 3.0), fast_pow(0.0, -1.0), fast_pow(-8.0, 1 / 3)        # -3.375, inf, nan

exp(y log x) needs log x to 64 bits and more, since y log x may be 700 times what an error in it may be. The
special cases are C's and NumPy's. For rules and flags see `elementary.py`, whose functions these use.
"""

import numpy as np
from numba import njit

from .elementary import (
    FAST_COUNT,
    FAST_COUNT_BIAS,
    FAST_EXPONENTS,
    FAST_LOG2_HIGH,
    FAST_LOG2_INVERSE,
    FAST_LOG2_LOW,
    FAST_MANTISSA,
    FAST_NORMAL,
    FAST_RAISE,
    FAST_SHIFT,
    FAST_SIGN,
    FAST_UPPER_26,
    FAST_UPPER_27,
    fast_exp_parts,
)

# Mantissas from 1 - 149 / 2**9 on, in 128 cells of 2**45 bit patterns, so that 1 is in the middle of one.
FAST_CELL_FIRST = np.uint64(0x3FF0000000000000 - (149 << 44))
FAST_CELL_RAISE = np.uint64(149 << 44)
FAST_CELL_SHIFT = np.uint64(45)
FAST_CELLS = np.uint64(128)


def fast_fixed_log(numerator: int, denominator: int) -> int:
    """log(numerator / denominator) = 2 atanh(s), s = (n - d) / (n + d); the result counts 2**-160."""
    s = (numerator - denominator << 160) // (numerator + denominator)
    square, power, total, n = s * s >> 160, s, 0, 1
    while power not in (0, -1):
        total += power // n
        power = power * square >> 160
        n += 2
    return 2 * total


def fast_cell_tables() -> np.ndarray:
    """Of each cell: a number of 12 bits near 1 / centre; minus its logarithm to 40 bits; what that leaves."""
    inverses, high, low = [], [], []
    for cell in range(128):
        bits = np.uint64(0x3FF0000000000000 - (149 << 44) + (cell << 45) + (1 << 44))
        inverse = round(4096.0 / float(bits.view(np.float64)))
        log = fast_fixed_log(4096, inverse)
        leading = (log + (1 << 119)) >> 120
        inverses.append(inverse / 4096.0)
        high.append(leading / 2.0**40)
        low.append((log - (leading << 120)) / 2.0**160)
    return np.array([*inverses, *high, *low])


FAST_CELL_TABLES = fast_cell_tables()


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_pair(x: float) -> tuple[float, float]:
    """log(x) as a sum of two, to about 2**-68 of itself, for finite x > 0: Tang 1990, with exact products.

    x = 2**k m, and m times the cell's inverse is 1 + r, |r| < 2**-7.8: k log 2 + the cell's log + log(1 + r).
    """
    subnormal = x < FAST_NORMAL
    raised = x * FAST_RAISE
    bits = np.float64(raised if subnormal else x).view(np.uint64) + FAST_CELL_RAISE
    k = np.uint64(bits >> FAST_SHIFT | FAST_COUNT).view(np.float64) - FAST_COUNT_BIAS
    k = k - 54.0 if subnormal else k
    within = bits & FAST_MANTISSA
    cell = within >> FAST_CELL_SHIFT
    mantissa = within + FAST_CELL_FIRST
    inverse = FAST_CELL_TABLES[cell]
    cell_high = FAST_CELL_TABLES[cell + FAST_CELLS]
    cell_low = FAST_CELL_TABLES[cell + FAST_CELLS + FAST_CELLS]
    upper = np.uint64(mantissa & FAST_UPPER_27).view(np.float64)
    r_high = upper * inverse - 1.0
    r_low = (np.uint64(mantissa).view(np.float64) - upper) * inverse
    r = r_high + r_low
    first = np.uint64(np.float64(r).view(np.uint64) & FAST_UPPER_26).view(np.float64)
    second = (r_high - first) + r_low
    square = 0.5 * first * first
    r2 = r * r
    a = (0.3333333333333335 - 0.2500000000000002 * r) + (0.19999999995468723 - 0.16666666661577154 * r) * r2
    tail = r2 * r * (a + (0.14286122761607253 - 0.12500402245628625 * r) * (r2 * r2))
    exact = k * FAST_LOG2_HIGH + cell_high
    one = exact + first
    two = one - square
    lost = (first - (one - exact)) + ((one - two) - square)
    rest = lost + ((second - second * (first + 0.5 * second)) + (tail + (k * FAST_LOG2_LOW + cell_low)))
    high = two + rest
    return high, rest - (high - two)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_exp_product(y: float, high: float, low: float) -> float:
    """exp(y (high + low)) for |y| <= 2**70 and a logarithm high + low."""
    y_upper = np.uint64(np.float64(y).view(np.uint64) & FAST_UPPER_26).view(np.float64)
    upper = np.uint64(np.float64(high).view(np.uint64) & FAST_UPPER_27).view(np.float64)
    product = y_upper * upper
    rest = y_upper * (high - upper) + ((y - y_upper) * high + y * low)
    total = product + rest
    small = abs(total) < 1000.0
    t = (total if small else 0.0) * FAST_LOG2_INVERSE + FAST_EXPONENTS
    k = t - FAST_EXPONENTS
    r = (product - k * FAST_LOG2_HIGH) + (rest - k * FAST_LOG2_LOW)
    beyond = np.inf if total > 0.0 else 0.0
    return fast_exp_parts(t, r) if small else (beyond if total == total else total)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_pow_from(x: float, y: float, value: float) -> float:
    """x**y from |x|**y, right where x is finite and not 0: the signs and the special cases."""
    size = abs(x)
    extreme = 0.0 if (y > 0.0) == (size == 0.0) else np.inf
    value = value if (size > 0.0) & (size < np.inf) else (extreme if size == size else size)
    whole = np.floor(y) == y
    odd = whole & (np.floor(0.5 * y) != 0.5 * y)
    sign = np.float64(x).view(np.uint64) & FAST_SIGN
    signed = np.uint64(np.float64(value).view(np.uint64) ^ sign).view(np.float64)
    value = signed if odd else value
    value = np.nan if (x < 0.0) & (size < np.inf) & (not whole) else value
    value = value if y == y else y
    return 1.0 if (x == 1.0) | (y == 0.0) else value


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_pow(x: float, y: float) -> float:
    """x**y; NaN where x < 0 and y is no integer; 1 where y = 0 or x = 1, whatever the other."""
    size = abs(x)
    power = 2.0**70 if y > 2.0**70 else y
    power = -(2.0**70) if power < -(2.0**70) else power
    high, low = fast_log_pair(size if (size > 0.0) & (size < np.inf) else 2.0)
    return fast_pow_from(x, y, fast_exp_product(power, high, low))
