"""The grade of a number."""

import math

from numba import njit


@njit(cache=True, error_model="numpy")
def grade(x, low, high):
    if x < low:
        y = low
        k = 0
    elif x > high:
        y = high
        k = 2
    else:
        y = x
        k = 1
    z = math.log(y) if y > 0.0 else 0.0
    if not (math.isfinite(z) & (k != 5)):
        raise ValueError("z is not finite")
    return y, k, z
