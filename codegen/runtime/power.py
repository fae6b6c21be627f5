"""Powers that a compiler inlines and vectorises: fast_pow : f8, f8 -> f8, and of one number the cube root,
fast_cbrt, powers of 2, fast_exp2, and logarithms to bases 2 and 10, fast_log2 and fast_log10.

    fast_pow(-1.5, 3.0), fast_pow(0.0, -1.0), fast_pow(-8.0, 1 / 3)        # -3.375, inf, nan

exp(y log x) needs log x to 64 bits and more, since y log x may be 700 times what an error in it may be. The
special cases are C's and NumPy's. For rules and flags see `elementary.py`, whose constants these use.
Logarithms and powers of two come from tables (Tang 1989, 1990), which makes the chain of operations that wait
for one another short: what a lane alone waits for.
"""

import math

import numpy as np
from numba import njit

from .elementary import (
    FAST_COUNT,
    FAST_COUNT_BIAS,
    FAST_EXPONENTS,
    FAST_HALVED,
    FAST_LOG2_HIGH,
    FAST_LOG2_INVERSE,
    FAST_LOG2_LOW,
    FAST_MANTISSA,
    FAST_NORMAL,
    FAST_RAISE,
    FAST_SHIFT,
    FAST_SIGN,
    fast_exp_parts,
    fast_log_limit,
    fast_log_rest,
    fast_log_series,
    fast_normal_log_parts,
)
from .exact import fused, rounded

# Mantissas from 1 - 149 / 2**9 on, in 128 cells of 2**45 bit patterns, so that 1 is in the middle of one.
FAST_CELL_FIRST = np.uint64(0x3FF0000000000000 - (149 << 44))
FAST_CELL_RAISE = np.uint64(149 << 44)
FAST_CELL_SHIFT = np.uint64(45)
FAST_CELLS = np.uint64(128)

# log(2) / 128 in two parts, the first of so few bits that its products with whole numbers of steps are exact.
FAST_STEP_HIGH = 0.0054152123482253955
FAST_STEP_LOW = -1.0082281460997769e-13

# Adding FAST_STEPS rounds to an integer, found in the low bits of the sum, with 128 times twice the bias of exponents.
FAST_STEPS = 1.5 * 2.0**52 + 128.0 * 2046.0
FAST_STEP_MASK = np.uint64(127)
FAST_STEP_SHIFT = np.uint64(7)


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
    """Of each cell: a number of 9 bits near 1 / centre; minus its logarithm to 40 bits; what that leaves."""
    inverses, high, low = [], [], []
    for cell in range(128):
        bits = np.uint64(0x3FF0000000000000 - (149 << 44) + (cell << 45) + (1 << 44))
        inverse = round(256.0 / float(bits.view(np.float64)))
        log = fast_fixed_log(256, inverse)
        leading = (log + (1 << 119)) >> 120
        inverses.append(inverse / 256.0)
        high.append(leading / 2.0**40)
        low.append((log - (leading << 120)) / 2.0**160)
    return np.array([*inverses, *high, *low])


def fast_step_table() -> np.ndarray:
    """The mantissas, as they are stored, of 2**(i / 128) for i = 0 .. 127. Integers here count 2**-160."""
    step = 2 << 160
    for _ in range(7):
        step = math.isqrt(step << 160)
    powers = [1 << 160]
    for _ in range(127):
        powers.append(powers[-1] * step >> 160)
    return np.array([power / 2**160 for power in powers]).view(np.uint64) & FAST_MANTISSA


FAST_CELL_TABLES = fast_cell_tables()
FAST_STEP_TABLE = fast_step_table()


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_pair(x: float) -> tuple[float, float]:
    """log(x) as a sum of two, to about 2**-68 of itself, for finite x > 0: Tang 1990, with exact products.

    x = 2**k m, and m times the cell's inverse is 1 + r, |r| < 2**-7.4: k log 2 + the cell's log + log(1 + r).
    """
    subnormal = x < FAST_NORMAL
    raised = x * FAST_RAISE
    bits = np.float64(raised if subnormal else x).view(np.uint64) + FAST_CELL_RAISE
    k = np.uint64(bits >> FAST_SHIFT | FAST_COUNT).view(np.float64) - FAST_COUNT_BIAS
    k = k - 54.0 if subnormal else k
    within = bits & FAST_MANTISSA
    cell = within >> FAST_CELL_SHIFT
    mantissa = within + FAST_CELL_FIRST
    cells = FAST_CELL_TABLES
    inverse = cells[cell]
    cell_high = cells[cell + FAST_CELLS]
    cell_low = cells[cell + FAST_CELLS + FAST_CELLS]
    r = fused(np.uint64(mantissa).view(np.float64), inverse, -1.0)
    half = -0.5 * r
    square = rounded(half, r)
    r2 = r * r
    a = (0.33333333333333387 - 0.2500000000000011 * r) + (0.19999999988688888 - 0.16666666650785772 * r) * r2
    tail = r2 * r * (a + (0.14286359705063165 - 0.12500704322658263 * r) * (r2 * r2))
    exact = k * FAST_LOG2_HIGH + cell_high
    one = exact + r
    two = one + square
    lost = (r - (one - exact)) + ((one - two) + square)
    return two, lost + (fused(half, r, -square) + (tail + (k * FAST_LOG2_LOW + cell_low)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_pow_sign(x: float, y: float) -> float:
    """The sign of x**y: -1 where x is negative, or -0, and y an odd integer."""
    half = 0.5 * y
    odd = (np.floor(y) == y) & (np.floor(half) != half)
    return -1.0 if odd & (np.float64(x).view(np.uint64) >= FAST_SIGN) else 1.0


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_pow_limit(x: float, y: float) -> float:
    """x**y but for its sign, where it is 0, 1, infinite or NaN."""
    size = abs(x)
    value = np.inf if (y > 0.0) == (size > 1.0) else 0.0
    value = 1.0 if size == 1.0 else value
    value = np.nan if (x < 0.0) & (size < np.inf) & (np.floor(y) != y) else value
    value = value if (x == x) & (y == y) else np.nan
    return 1.0 if (x == 1.0) | (y == 0.0) else value


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_pow(x: float, y: float) -> float:
    """x**y; NaN where x < 0 and y is no integer; 1 where y = 0 or x = 1, whatever the other.

    |x|**y = exp(y log |x|), and exp(z) = 2**(i / 128) 2**k e**r for z = (i + 128 k) log(2) / 128 + r, the factor 2**k
    in two, so that what lies beyond 2**1023 and subnormal results are right (Tang 1989).
    """
    size = abs(x)
    high, low = fast_log_pair(size)
    product = rounded(y, high)
    rest = fused(y, high, -product) + y * low
    t = product * (128.0 * FAST_LOG2_INVERSE) + FAST_STEPS
    k = t - FAST_STEPS
    r = (product - k * FAST_STEP_HIGH) + (rest - k * FAST_STEP_LOW)
    bits = np.float64(t).view(np.uint64)
    both = bits >> FAST_STEP_SHIFT
    one = both >> FAST_HALVED
    scale = np.uint64(FAST_STEP_TABLE[bits & FAST_STEP_MASK] + (one << FAST_SHIFT)).view(np.float64)
    other = np.uint64(both - one << FAST_SHIFT).view(np.float64)
    r2 = r * r
    tail = r + r2 * (
        (0.4999999999989323 + 0.16666666666640714 * r) + r2 * (0.04166674835970273 + 0.008333347858760371 * r)
    )
    sign = fast_pow_sign(x, y)
    value = (scale + scale * tail) * (other * sign)
    ordinary = (size > 0.0) & (size < np.inf) & (abs(product) < 1000.0) & ((x > 0.0) | (np.floor(y) == y))
    return value if ordinary else fast_pow_limit(x, y) * sign


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_half_pow(x: float, y: float) -> float:
    """x**y for a literal y among 3/2, 5/2, -1/2 and -3/2, within 2 units: products of the root."""
    root = math.sqrt(x)
    factor, power = (x, root) if y > 0.0 else (1.0 / x, 1.0 / root)
    size = abs(y)
    power = power * factor if size > 1.0 else power
    power = power * factor if size > 2.0 else power
    limit = np.inf if y > 0.0 else 0.0
    return limit if x == -np.inf else abs(power)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_exp2(x: float) -> float:
    """2**x, from x = k + r / log 2."""
    x = 1025.0 if x > 1025.0 else x
    x = -1076.0 if x < -1076.0 else x
    t = x + FAST_EXPONENTS
    return fast_exp_parts(t, (x - (t - FAST_EXPONENTS)) * 0.6931471805599453)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log2(x: float) -> float:
    """The logarithm to base 2."""
    k, f = fast_normal_log_parts(x)
    return fast_log_limit(x, k + fast_log_rest(0.0, f) * FAST_LOG2_INVERSE)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log10(x: float) -> float:
    """The logarithm to base 10, within 0.7 units, as log(1 + f) is a sum of two: powers of 10 have whole numbers."""
    k, f = fast_normal_log_parts(x)
    half = 0.5 * f
    h = rounded(half, f)
    high = f - h
    low = ((f - high) - h) + (fast_log_series(f, h) - fused(half, f, -h))
    exact = k * 0.3010299956640665
    product = rounded(high, 0.4342944819032518)
    total = exact + product
    lost = product - (total - exact)
    rest = fused(high, 0.4342944819032518, -product) + (
        high * 1.098319650216765e-17 + low * 0.4342944819032518
    )
    return fast_log_limit(x, total + (lost + (rest + k * -8.532344317057107e-14)))


# A third of the upper half of a double's bits, as a product; what it is taken from is near x**(-1/3).
FAST_UPPER_HALF = np.uint64(32)
FAST_THIRD = np.uint64(0x55555556)
FAST_ROOT_OF_INVERSE = np.uint64(0x553EE000)
FAST_SMALL_CUBE = 2.0**-900  # of whose parts nothing may be lost


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_cbrt(x: float) -> float:
    """The cube root, within 1 unit: y = x**(-1/3) to 11 digits by two steps, then t = x y**2, and a last step.

    What the cube of t leaves of x is exact.
    """
    size = abs(x)
    tiny = size < FAST_SMALL_CUBE
    size = size * FAST_RAISE if tiny else size
    third = (np.float64(size).view(np.uint64) >> FAST_UPPER_HALF) * FAST_THIRD >> FAST_UPPER_HALF
    near = np.uint64(FAST_ROOT_OF_INVERSE - third << FAST_UPPER_HALF).view(np.float64)
    e = 1.0 - (size * near) * (near * near)
    y = near * (0.99999809 + e * (0.33331864 + e * (0.22370362 + e * 0.17667662)))
    e = 1.0 - (size * y) * (y * y)
    y = y + y * (e * 0.3333333333333333)
    slope = y * y
    t = size * slope
    square = rounded(t, t)
    left = fused(-square, t, size) - fused(t, t, -square) * t
    t = t + left * (slope * 0.3333333333333333)
    lowered = 2.0**-18 if tiny else 1.0
    root = t * lowered if 0.0 < size < np.inf else size
    return np.uint64(np.float64(root).view(np.uint64) | np.float64(x).view(np.uint64) & FAST_SIGN).view(
        np.float64
    )


FAST_LONG = 2.0**500  # sides from which on squares may overflow, and below which they may lose digits
FAST_SHORT = 2.0**-450
FAST_MUCH = 2.0**600


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_hypot(x: float, y: float) -> float:
    """sqrt(x*x + y*y), within 0.6 units: the root of the sum of the squares, and of what that and the root lose.

    Sides too long or too short for squares are scaled. Infinite where one is, whatever the other.
    """
    a, b = abs(x), abs(y)
    high = a if a > b else b
    low = b if a > b else a
    scale = 1.0 / FAST_MUCH if high > FAST_LONG else FAST_MUCH if high < FAST_SHORT else 1.0
    back = FAST_MUCH if high > FAST_LONG else 1.0 / FAST_MUCH if high < FAST_SHORT else 1.0
    high *= scale
    low *= scale
    first, second = rounded(high, high), rounded(low, low)
    total = first + second
    lost = ((first - total) + second) + (fused(high, high, -first) + fused(low, low, -second))
    root = math.sqrt(total if total > 0.0 else 1.0)
    better = root + (lost + fused(-root, root, total)) * (0.5 / root)
    length = (better if total > 0.0 else total) * back
    return np.inf if (a == np.inf) | (b == np.inf) else length
