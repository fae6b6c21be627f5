"""Systems of linear equations in compiled code, by what systems.py says of singular matrices: by LAPACK, and as loops
over numbers, which lanes take: their matrices are parts of larger arrays.
"""

import numpy as np
from numba import njit


@njit(error_model="numpy")
def eliminate(u: np.ndarray, x: np.ndarray) -> bool:
    """Make u upper triangular, and the same of x, by rows of the largest pivots. Whether no pivot is 0."""
    regular = True
    for k in range(len(u)):
        pivot = k
        for i in range(k + 1, len(u)):
            if abs(u[i, k]) > abs(u[pivot, k]):
                pivot = i
        if u[pivot, k] == 0.0:
            regular = False
        if pivot != k:
            for j in range(k, len(u)):
                above = u[k, j]
                u[k, j] = u[pivot, j]
                u[pivot, j] = above
            row = 1.0 * x[k]
            x[k] = x[pivot]
            x[pivot] = row
        for i in range(k + 1, len(u)):
            factor = u[i, k] / u[k, k]
            for j in range(k + 1, len(u)):
                u[i, j] -= factor * u[k, j]
            x[i] -= factor * x[k]
    return regular


@njit(error_model="numpy")
def solved_by_elimination(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a @ x = b, NaN where a is singular, as LAPACK's getrf and getrs have it."""
    u = a.copy()
    x = b.copy()
    regular = eliminate(u, x)
    for k in range(len(u) - 1, -1, -1):
        x[k] /= u[k, k]
        for i in range(k):
            x[i] -= u[i, k] * x[k]
    if not regular:
        x.fill(np.nan)
    return x


@njit(error_model="numpy")
def is_singular_by_elimination(a: np.ndarray) -> bool:
    """Whether a pivot of the matrix is 0."""
    return not eliminate(a.copy(), np.zeros(len(a), a.dtype))


@njit(error_model="numpy")
def solved_by_lapack(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """np.linalg.solve; NaN where the matrix is singular. (Numba's raises for NaN and infinities, too.)"""
    if np.all(np.isfinite(a)) and np.all(np.isfinite(b)):
        columns = b.reshape(
            (len(b), b.size // max(len(b), 1))
        )  # solve is compiled for matrices alone: in half the time
        try:
            return np.ascontiguousarray(np.linalg.solve(a, columns)).reshape(b.shape)
        except Exception:
            return np.full_like(b, np.nan)
    return solved_by_elimination(a, b)
