"""Fourier sums term by term, for lanes of short arrays, which take the text of these."""

import math

import numpy as np
from numba import njit


@njit(error_model="numpy")
def fourier_forth_by_terms(x: np.ndarray) -> np.ndarray:
    return fourier_by_terms(x, -1.0)


@njit(error_model="numpy")
def fourier_back_by_terms(x: np.ndarray) -> np.ndarray:
    return fourier_by_terms(x, 1.0)


@njit(error_model="numpy")
def fourier_by_terms(x: np.ndarray, sign: float) -> np.ndarray:
    n = x.shape[2]
    turns = np.empty((2, n))
    for k in range(n):
        turns[0, k] = math.cos(2.0 * math.pi * k / n)
        turns[1, k] = sign * math.sin(2.0 * math.pi * k / n)
    made = np.zeros(x.shape, x.dtype)
    for row in range(x.shape[1]):
        for k in range(n):
            for j in range(n):
                c, s = turns[0, j * k % n], turns[1, j * k % n]
                for column in range(x.shape[3]):
                    re, im = x[0, row, j, column], x[1, row, j, column]
                    made[0, row, k, column] += c * re - s * im
                    made[1, row, k, column] += c * im + s * re
    return made
