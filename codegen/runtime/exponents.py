"""The power of two in a float, and floats times powers of two, in steps of which none rounds but the last.

binary_exponent(0.75), times_power_of_two(0.75, 3)        # 0, 6.0
"""

# mypy: disable-error-code="operator, arg-type"

import numpy as np
from numba import njit

from .elementary import FAST_FIELD, FAST_SHIFT

LEAST_NORMAL = 2.0**-1022


@njit(error_model="numpy", forceinline=True)
def binary_exponent(x: float) -> np.int32:
    """The power of two between a float and its part from 1/2 to 1; 0 of what is 0 or not finite."""
    size = abs(np.float64(x))
    is_small = size < LEAST_NORMAL
    bits = np.float64(size * 2.0**54 if is_small else size).view(np.uint64)
    power = np.int64(bits >> FAST_SHIFT & FAST_FIELD) - (1076 if is_small else 1022)
    return np.int32(power if (size > 0.0) & (size < np.inf) else 0)


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
