"""Determinants and inverses of which one factorisation, LAPACK's, is enough, in compiled code; without factors as loops
over numbers, which lanes take.
"""

# mypy: disable-error-code="call-overload, call-arg"

import numpy as np
from numba import njit

from codegen.runtime.intrinsics.loop_hints import compiled_apart

from .blas import invert_triangle, solve_triangle_of_ones
from .elimination import (
    cofactors_by_elimination,
    determinant_sign_by_elimination,
    log_determinant_by_elimination,
    solved_by_elimination,
)
from .lapack import FACTOR_MATRIX

FLOAT64 = 100  # ord("d")


@njit(error_model="numpy")
def factors_by_lapack(a: np.ndarray) -> np.ndarray:
    """Both factors of the transposed matrix, as LAPACK reads it, in the first part; below the rows of the pivots."""
    compiled_apart()
    n = len(a)
    factors = np.empty((2, n, n))
    pivots = np.empty(n, np.intc)
    if n > 0:
        for i in range(n):
            for j in range(n):
                factors[0, i, j] = a[i, j]
        FACTOR_MATRIX(FLOAT64, n, n, factors.ctypes, n, pivots.ctypes)
        for k in range(n):
            factors[1, 0, k] = pivots[k]
    return factors


@njit(error_model="numpy")
def log_determinant_of_factors(factors: np.ndarray, a: np.ndarray) -> float:
    """One logarithm of many pivots, as long as their product is far from overflowing."""
    compiled_apart()
    size, product = 0.0, 1.0
    for k in range(len(a)):
        pivot = abs(factors[0, k, k])
        if 1e-150 < pivot < 1e150:
            product *= pivot
        else:
            size += np.log(pivot)
        if not 1e-150 < product < 1e150:
            size += np.log(product)
            product = 1.0
    return size + np.log(product)


@njit(error_model="numpy")
def determinant_sign_of_factors(factors: np.ndarray, a: np.ndarray) -> float:
    """1.0, -1.0, or 0.0 of a singular matrix: each row that changed places turns it, and each number below 0."""
    compiled_apart()
    sign = 1.0
    for k in range(len(a)):
        pivot = factors[0, k, k]
        if pivot == 0.0:
            sign = 0.0
        elif (pivot < 0.0) != (factors[1, 0, k] != k + 1):
            sign = -sign
    return sign


@njit(error_model="numpy")
def determinant_by_lapack(a: np.ndarray) -> float:
    """By its logarithm, as NumPy's: products of pivots overflow."""
    compiled_apart()
    factors = factors_by_lapack(a)
    size = log_determinant_of_factors(factors, a)
    return a.dtype.type(determinant_sign_of_factors(factors, a) * np.exp(size))


@njit(error_model="numpy")
def inverse_of_factors(factors: np.ndarray, a: np.ndarray) -> np.ndarray:
    """NaN of a singular matrix."""
    compiled_apart()
    n = len(a)
    made, singular = np.zeros((n, n)), False
    for i in range(n):
        singular = singular or factors[0, i, i] == 0.0
        for j in range(i + 1):
            made[i, j] = factors[0, i, j]
    if singular:
        made.fill(np.nan)
        return made
    invert_triangle(made)
    solve_triangle_of_ones(factors[0], made)
    for k in range(n - 1, -1, -1):
        other = int(factors[1, 0, k]) - 1
        if other != k:
            for j in range(n):
                made[k, j], made[other, j] = made[other, j], made[k, j]
    return made


@njit(error_model="numpy")
def cofactors_by_lapack(a: np.ndarray) -> np.ndarray:
    """By the inverse, where there is one."""
    compiled_apart()
    factors = factors_by_lapack(a)
    sign = determinant_sign_of_factors(factors, a)
    if sign == 0.0:
        return cofactors_by_elimination(a)
    size, inverse = sign * np.exp(log_determinant_of_factors(factors, a)), inverse_of_factors(factors, a)
    made = np.empty_like(a)
    for i in range(len(a)):
        for j in range(len(a)):
            made[i, j] = size * inverse[j, i]
    return made


@njit(error_model="numpy")
def no_factors(a: np.ndarray) -> np.ndarray:
    """What lanes do not read."""
    return np.zeros((2, len(a), len(a)), a.dtype)


@njit(error_model="numpy")
def log_determinant_without_factors(factors: np.ndarray, a: np.ndarray) -> float:
    return log_determinant_by_elimination(a)


@njit(error_model="numpy")
def determinant_sign_without_factors(factors: np.ndarray, a: np.ndarray) -> float:
    return determinant_sign_by_elimination(a)


@njit(error_model="numpy")
def inverse_without_factors(factors: np.ndarray, a: np.ndarray) -> np.ndarray:
    ones = np.zeros_like(a)
    for k in range(len(a)):
        ones[k, k] = 1.0
    return solved_by_elimination(a, ones)
