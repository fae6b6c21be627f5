"""Determinants and inverses of which one factorisation is enough, in compiled code: by LAPACK's getrf and getri, as
Numba has them for its own functions; without factors as loops over numbers, which lanes take.
"""

# mypy: disable-error-code="call-overload"

import numpy as np
from numba import njit, types

from .elimination import (
    determinant_sign_by_elimination,
    log_determinant_by_elimination,
    solved_by_elimination,
)
from .lapack import FACTOR_MATRIX

FLOAT64 = 100  # ord("d")
INVERT_FACTORS = types.ExternalFunction(
    "numba_ez_xxgetri",
    types.intc(types.char, types.intp, types.CPointer(types.float64), types.intp, types.CPointer(types.intc)),
)


@njit(error_model="numpy")
def factors_by_lapack(a: np.ndarray) -> np.ndarray:
    """Both factors of the transposed matrix, as LAPACK reads it, in the first part; below the rows of the pivots."""
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
    size = 0.0
    for k in range(len(a)):
        size += np.log(abs(factors[0, k, k]))
    return size


@njit(error_model="numpy")
def determinant_sign_of_factors(factors: np.ndarray, a: np.ndarray) -> float:
    """1.0, -1.0, or 0.0 of a singular matrix: each row that changed places turns it, and each number below 0."""
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
    factors = factors_by_lapack(a)
    size = log_determinant_of_factors(factors, a)
    return a.dtype.type(determinant_sign_of_factors(factors, a) * np.exp(size))


@njit(error_model="numpy")
def inverse_of_factors(factors: np.ndarray, a: np.ndarray) -> np.ndarray:
    """NaN of a singular matrix."""
    n = len(a)
    made = factors[0].copy()
    pivots = np.empty(n, np.intc)
    if n > 0:
        for k in range(n):
            pivots[k] = factors[1, 0, k]
        if INVERT_FACTORS(FLOAT64, n, made.ctypes, n, pivots.ctypes) != 0 or len(pivots) != n:
            made.fill(np.nan)
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
