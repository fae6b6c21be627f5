"""Roots of unity and factors of lengths, for Fourier transforms (stages.py)."""

import math

import numpy as np
from numba import njit

FOURIER_LARGEST = 31  # the largest prime factor of a length that has a stage of its own


@njit(error_model="numpy")
def fourier_turn(k: int, n: int) -> tuple[float, float]:
    """cos and sin of 2 pi k / n, 0 <= k < n, by angles of an eighth of a turn at most."""
    octant = 8 * k // n
    left = (octant + 1) * n - 8 * k if octant % 2 == 1 else 8 * k - octant * n
    angle = 0.25 * math.pi * (left / n)
    c, s = math.cos(angle), math.sin(angle)
    if octant == 1 or octant == 2 or octant == 5 or octant == 6:
        c, s = s, c
    return -c if 2 <= octant <= 5 else c, -s if octant >= 4 else s


@njit(error_model="numpy")
def fourier_turns(n: int, sign: float) -> np.ndarray:
    """cos(2 pi k / n) and sign * sin(2 pi k / n) for k < n: products of two short tables."""
    made = np.empty((2, n))
    step = 1
    while step * step < n:
        step *= 2
    for k in range(min(step, n)):
        c, s = fourier_turn(k, n)
        made[0, k], made[1, k] = c, sign * s
    for first in range(step, n, step):
        c, s = fourier_turn(first, n)
        s *= sign
        for k in range(min(step, n - first)):
            made[0, first + k] = c * made[0, k] - s * made[1, k]
            made[1, first + k] = c * made[1, k] + s * made[0, k]
    return made


@njit(error_model="numpy")
def fourier_radices(n: int) -> np.ndarray:
    """Factors of n: 4 as often as there is one, 2, 3, 5 and larger primes."""
    found = np.empty(64, np.int64)
    count, left, radix = 0, n, 4
    while left > 1:
        if left % radix == 0:
            found[count] = radix
            count += 1
            left //= radix
        elif radix * radix > left and radix > 4:
            radix = left
        else:
            radix = 2 if radix == 4 else 3 if radix == 2 else radix + 2
    return found[:count]
