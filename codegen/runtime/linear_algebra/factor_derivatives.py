"""How Cholesky's factor changes with its matrix, what systems.py says, in compiled code: each step of the factorisation
differentiated or taken back (Murray 2016, section 4); of large matrices by blocks, with products of BLAS between.
"""

import numpy as np
from numba import njit

from .elimination import WHOLE_ROWS, solved_lower_by_columns


@njit(error_model="numpy")
def factor_change_by_rows(factor: np.ndarray, t: np.ndarray) -> np.ndarray:
    made = np.zeros_like(factor)
    for k in range(len(factor)):
        for i in range(k, len(factor)):
            rest = t[i, k]
            for j in range(k):
                rest -= made[i, j] * factor[k, j] + factor[i, j] * made[k, j]
            if i == k:
                made[k, k] = 0.5 * rest / factor[k, k]
            else:
                made[i, k] = (rest - factor[i, k] * made[k, k]) / factor[k, k]
    return made


@njit(error_model="numpy")
def factor_change_by_products(factor: np.ndarray, t: np.ndarray) -> np.ndarray:
    """L phi(L^-1 dA L^-T), phi the lower half with half the diagonal (Smith 1995)."""
    n = len(factor)
    both = np.empty_like(factor)
    for i in range(n):
        for j in range(i + 1):
            both[i, j] = t[i, j]
            both[j, i] = t[i, j]
    left = solved_lower_by_columns(factor, both)
    inner = solved_lower_by_columns(factor, np.ascontiguousarray(left.T))
    for i in range(n):
        inner[i, i] *= 0.5
        for j in range(i + 1, n):
            inner[i, j] = 0.0
    return np.dot(factor, inner)


@njit(error_model="numpy")
def factor_cotangent_by_rows(factor: np.ndarray, ct: np.ndarray) -> np.ndarray:
    n = len(factor)
    made = np.zeros_like(factor)
    for i in range(n):
        for j in range(i + 1):
            made[i, j] = ct[i, j]
    for k in range(n - 1, -1, -1):
        pivot = factor[k, k]
        own = made[k, k]
        for i in range(k + 1, n):
            made[i, k] /= pivot
            own -= factor[i, k] * made[i, k]
        own /= pivot
        made[k, k] = 0.5 * own
        for j in range(k):
            made[k, j] -= own * factor[k, j]
        for i in range(k + 1, n):
            below = made[i, k]
            for j in range(k):
                made[k, j] -= below * factor[i, j]
                made[i, j] -= below * factor[k, j]
    return made


@njit(error_model="numpy")
def factor_cotangent_by_blocks(factor: np.ndarray, ct: np.ndarray) -> np.ndarray:
    n = len(factor)
    made = np.zeros_like(factor)
    for i in range(n):
        for j in range(i + 1):
            made[i, j] = ct[i, j]
    for first in range((n - 1) // WHOLE_ROWS * WHOLE_ROWS, -1, -WHOLE_ROWS):
        last = min(first + WHOLE_ROWS, n)
        own = np.ascontiguousarray(factor[first:last, first:last])
        before = np.ascontiguousarray(factor[first:last, :first])
        rest = np.ascontiguousarray(made[first:last, first:last])
        if last < n:
            turned = np.ascontiguousarray(made[last:, first:last].T[::-1])
            below = solved_lower_by_columns(np.ascontiguousarray(own.T[::-1, ::-1]), turned)
            below = np.ascontiguousarray(below[::-1])
            made[last:, first:last] = below.T
            rest -= np.dot(below, np.ascontiguousarray(factor[last:, first:last]))
            made[last:, :first] -= np.dot(np.ascontiguousarray(below.T), before)
            made[first:last, :first] -= np.dot(below, np.ascontiguousarray(factor[last:, :first]))
        rest = factor_cotangent_by_rows(own, rest)
        made[first:last, first:last] = rest
        made[first:last, :first] -= np.dot(rest + rest.T, before)
    return made
