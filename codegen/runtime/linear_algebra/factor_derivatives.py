"""How Cholesky's factor changes with its matrix, what systems.py says, in compiled code: each step of the factorisation
differentiated or taken back (Murray 2016, section 4); of large matrices by blocks, with products of BLAS between.
"""

# mypy: disable-error-code="call-arg"

import numpy as np
from numba import njit

from codegen.runtime.intrinsics.loop_hints import compiled_apart

from .blas import divide_by_triangle, solve_triangle, take_product

ROWS_AT_ONCE = 24  # whose own steps are loops over numbers


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
    compiled_apart()
    n = len(factor)
    both = np.empty_like(factor)
    for i in range(n):
        for j in range(i + 1):
            both[i, j] = t[i, j]
            both[j, i] = t[i, j]
    solve_triangle(factor, both)
    inner = np.ascontiguousarray(both.T)
    solve_triangle(factor, inner)
    for i in range(n):
        inner[i, i] *= 0.5
        for j in range(i + 1, n):
            inner[i, j] = 0.0
    return np.dot(factor, inner)


@njit(error_model="numpy")
def factor_cotangent_by_rows(factor: np.ndarray, ct: np.ndarray) -> np.ndarray:
    made = np.zeros_like(factor)
    for i in range(len(factor)):
        for j in range(i + 1):
            made[i, j] = ct[i, j]
    take_back(factor, made)
    for i in range(len(factor)):
        made[i, i] *= 0.5
    return made


@njit(error_model="numpy")
def take_back(factor: np.ndarray, made: np.ndarray) -> None:
    """Of the factor's cotangent the matrix's, with a diagonal twice as large, in place."""
    n = len(factor)
    for k in range(n - 1, -1, -1):
        pivot = factor[k, k]
        own = made[k, k]
        for i in range(k + 1, n):
            made[i, k] /= pivot
            own -= factor[i, k] * made[i, k]
        own /= pivot
        made[k, k] = own
        for j in range(k):
            made[k, j] -= own * factor[k, j]
        for i in range(k + 1, n):
            below = made[i, k]
            for j in range(k):
                made[k, j] -= below * factor[i, j]
                made[i, j] -= below * factor[k, j]


@njit(error_model="numpy")
def factor_cotangent_by_blocks(factor: np.ndarray, ct: np.ndarray) -> np.ndarray:
    compiled_apart()
    n = len(factor)
    made = np.empty_like(factor)
    for i in range(n):
        for j in range(i + 1):
            made[i, j] = ct[i, j]
    for first in range((n - 1) // ROWS_AT_ONCE * ROWS_AT_ONCE, -1, -ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, n)
        own, before = factor[first:last, first:last], factor[first:last, :first]
        rest, below = made[first:last, first:last], made[last:, first:last]
        divide_by_triangle(below, own)
        take_product(made[last:, :first], below, before)
        take_product(made[first:last, :last], below.T, factor[last:, :last])
        take_back(own, rest)
        for i in range(last - first):
            for j in range(i):
                rest[j, i] = rest[i, j]
        take_product(made[first:last, :first], rest, before)
    for i in range(n):
        made[i, i] *= 0.5
        for j in range(i + 1, n):
            made[i, j] = 0.0
    return made
