"""Operators on ints, floats and bools as Python defines them, and NumPy's dtypes."""

import math

import numpy as np

from corpus.case import case

SCALE = 2.5
LIMITS = (1.0, 3.0)
GRID = np.array([0.5, 1.5, 2.5])
COUNT = 3


@case((7, 2), (-7, 2), (7, -2), (-7, -2), gives=((3, 1), (-4, 1), (-4, -1), (3, -1)))
def floor_division_of_ints(a, b):
    return a // b, a % b


@case((7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0))
def floor_division_of_floats(a, b):
    return a // b, a % b


@case((7, 2.0), (-3, 1.5))
def mixed_operands(n, x):
    return n + x, n - x, n * x, n / x, n // x, n % x, x**n, n**2, -n, +x


@case((7, 2), (-3, 5), (12, 10))
def operators_of_ints(a, b):
    return a + b, a - b, a * b, a / b, a**2, a & b, a | b, a ^ b, a << 2, a >> 1, ~a, -a, abs(a)


@case((2, 3), (3, 4), (-2, 5), gives=((8, 0.125), (81, 1.0 / 27.0), (-32, -0.125)))
def powers_of_ints(a, n):
    return a**n, float(a) ** -3


@case((2.0, 3.0), (0.5, -1.5), marks="differentiable")
def powers_of_floats(x, y):
    return x**y + x**2 + x**-1 + x**0.5


@case((True, 2.5), (False, 2.5))
def bools_as_numbers(flag, x):
    return flag + 1, flag * x, flag + flag, -int(flag), x - flag, flag / 2, True + True


@case((3, 4), (4, 3))
def bools_of_comparisons(a, b):
    count = (a < b) + (a <= b) + (a == 3)
    return count, (a > b) * 10, int(a > b), float(a > b)


@case((2.7,), (-2.7,))
def conversions(x):
    return int(x), float(int(x)), bool(x), round(x), round(2.5), abs(x), int("12"), float("2.5")


@case((2.7,), (-2.2,))
def rounding_functions(x):
    return (
        math.floor(x),
        math.ceil(x),
        math.trunc(x),
        np.floor(x),
        np.ceil(x),
        np.trunc(x),
        np.rint(x),
        np.sign(x),
    )


@case((17, 5), (-17, 5))
def divmod_and_pow(a, b):
    q, r = divmod(a, b)
    return q, r, pow(b, 2), max(a, b), min(a, b, 3)


@case(
    (1.0, 2.0), (3.0, 0.1), (math.nan, 1.0), (1.0, math.nan), (math.inf, math.nan),
    gives=(
        (2.0, 1.0, 2.0), (3.0, 0.1, 0.2), (math.nan, math.nan, 1.0), (1.0, 1.0, 0.2), (math.inf, math.inf, 0.2)
    ),
)  # fmt: skip
def the_first_of_numbers_beside_nan(x, y):
    return max(x, y), min(x, y), min(5.0, max(0.2, y))


@case(1.5, 4.0, marks="differentiable")
def global_constants(x):
    low, high = LIMITS
    total = SCALE * x + low - high + LIMITS[1]
    for k in range(COUNT):
        total += GRID[k] * x
    return total


@case(np.float32(1.5), np.float32(-0.75), marks="f4 differentiable")
def float32_stays(x):
    y = 2.0 * x + 1
    if y > 3:
        y = y / 2
    return y * y - 0.1


@case(np.array([1.5, 2.0], np.float32), np.array([0.1, 0.2], np.float32), marks="f4 arrays differentiable")
def float32_arrays(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * i / len(x)
    return total + x.mean() * 3 + np.sum(np.exp(x) * 0.5)


@case((np.int32(7), np.int32(3)), (np.int32(-7), np.int32(3)))
def int32_stays(a, b):
    c = a * b + 1
    return c // 2, c % 4, a - 2, a / b


@case(np.array([3, 4, 5], np.int32), np.array([1, -2, 3], np.int32), marks="arrays")
def int32_arrays(x):
    total = 0
    for v in x:
        total += v
    return total, x * 2, x / 2, x.sum(), x + 0.5


@case((np.uint8(250), 3), (np.uint8(1), 3))
def unsigned_wraps(a, n):
    b = a + np.uint8(10)
    return b, a & 15, a // np.uint8(7)


@case((1.0, 2.0, 3.0), (-1.0, 0.0, 1.0), marks="differentiable")
def augmented_names(x, y, z):
    x += y
    x -= 2.0
    y *= x
    z /= 4.0
    z **= 2
    return x + y + z


@case((17, 5), (-17, 5))
def augmented_int_operators(a, b):
    c = a
    c //= b
    d = a
    d %= b
    e = a
    e <<= 1
    f = a
    f >>= 1
    g = a
    g &= 12
    h = a
    h |= 3
    k = a
    k ^= b
    return c, d, e, f, g, h, k


@case((0.5, 1e-300), (1.5, 1e300))
def infinities(x, big):
    y = big * big * x
    return (
        math.inf - 1,
        -math.inf,
        y,
        math.isnan(math.nan),
        math.isinf(y),
        math.isfinite(x),
        np.isnan(x),
        np.pi,
    )
