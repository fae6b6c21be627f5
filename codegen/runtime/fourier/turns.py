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
def fourier_short_turns(n: int, sign: float) -> np.ndarray:
    """cos and sign * sin of 2 pi k / n for k < step, and for k = 0, step, 2 step, ... < n; step * step >= n."""
    step = 1
    while step * step < n:
        step *= 2
    made = np.empty((2, 2, step))
    for k in range(min(step, n)):
        c, s = fourier_turn(k, n)
        made[0, 0, k], made[0, 1, k] = c, sign * s
    for k in range((n + step - 1) // step):
        c, s = fourier_turn(k * step, n)
        made[1, 0, k], made[1, 1, k] = c, sign * s
    return made


@njit(error_model="numpy")
def fourier_turns(n: int, sign: float) -> np.ndarray:
    """cos(2 pi k / n) and sign * sin(2 pi k / n) for k < n: products of two short tables."""
    short = fourier_short_turns(n, sign)
    made = np.empty((2, n))
    for k in range(n):
        made[0, k], made[1, k] = fourier_turn_of(short, k)
    return made


@njit(error_model="numpy")
def fourier_turn_of(short: np.ndarray, k: int) -> tuple[float, float]:
    """cos(2 pi k / n) and sign * sin(2 pi k / n), 0 <= k < n."""
    far, near = k // short.shape[2], k % short.shape[2]
    c, s, near_c, near_s = short[1, 0, far], short[1, 1, far], short[0, 0, near], short[0, 1, near]
    return c * near_c - s * near_s, c * near_s + s * near_c


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
