"""The power of two in a float, floats times powers of two, in steps of which none rounds but the last, and the floats
beside one.

binary_exponent(3.0), binary_part(3.0)                          # 2, 0.75
times_power_of_two(0.75, 3), fast_nextafter(1.0, 2.0)           # 6.0, 1.0000000000000002
"""

# mypy: disable-error-code="operator, arg-type"

import math

import numpy as np
from numba import njit

from .elementary import FAST_FIELD, FAST_SHIFT

LEAST_NORMAL = 2.0**-1022
BINARY_FRACTION = np.uint64(2**52 - 1)
BINARY_HALF = np.uint64(1022 << 52)


@njit(error_model="numpy", forceinline=True)
def binary_exponent(x: float) -> np.int32:
    """The power of two between a float and its part from 1/2 to 1; 0 of what is 0 or not finite."""
    size = abs(np.float64(x))
    is_small = size < LEAST_NORMAL
    bits = np.float64(size * 2.0**54 if is_small else size).view(np.uint64)
    power = np.int64(bits >> FAST_SHIFT & FAST_FIELD) - (1076 if is_small else 1022)
    return np.int32(power if (size > 0.0) & (size < np.inf) else 0)


@njit(error_model="numpy", forceinline=True)
def binary_part(x: float) -> float:
    """That part of a float; what is 0 or not finite by itself."""
    size = abs(np.float64(x))
    bits = np.float64(size * 2.0**54 if size < LEAST_NORMAL else size).view(np.uint64)
    part = np.uint64(bits & BINARY_FRACTION | BINARY_HALF).view(np.float64)
    return math.copysign(part, x) if (size > 0.0) & (size < np.inf) else np.float64(x)


@njit(error_model="numpy", forceinline=True)
def power_of_two(n: int) -> float:
    """2.0**n of a normal float."""
    return np.uint64(np.uint64(np.int64(n) + 1023) << FAST_SHIFT).view(np.float64)


@njit(error_model="numpy", forceinline=True)
def times_power_of_two(x: float, n: int) -> float:
    """x * 2.0**n. What is on the way to a subnormal number keeps 53 bits above it, so that it rounds once."""
    y, left = np.float64(x), min(max(np.int64(n), -3000), 3000)
    for _ in range(2):
        step = -969 if left < -1022 else 1023 if left > 1023 else 0
        y *= power_of_two(step)
        left -= step
    return y * power_of_two(min(max(left, -1022), 1023))


@njit(error_model="numpy", forceinline=True)
def fast_nextafter(x: float, y: float) -> float:
    """The float beside x on the way to y: the bits of one without a sign, one more or less."""
    start, end = np.float64(x), np.float64(y)
    bits = start.view(np.int64)
    outward = bits + 1 if (end > start) == (start > 0.0) else bits - 1
    least = math.copysign(5e-324, end)
    beside = least if start == 0.0 else np.int64(outward).view(np.float64)
    return end if start == end else (beside if (start == start) & (end == end) else np.nan)


@njit(error_model="numpy", forceinline=True)
def single_nextafter(x: np.float32, y: np.float32) -> np.float32:
    """The same of float32."""
    bits = np.float32(x).view(np.int32)
    outward = np.int32(bits + 1 if (y > x) == (x > np.float32(0.0)) else bits - 1)
    least = np.float32(math.copysign(1e-45, y))
    beside = least if x == np.float32(0.0) else outward.view(np.float32)
    return y if x == y else (beside if (x == x) & (y == y) else np.float32(np.nan))
