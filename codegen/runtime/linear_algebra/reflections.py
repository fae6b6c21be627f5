"""What factors.py says as loops over numbers, which lanes take: reflections (Golub and Van Loan 2013, section 5.2.2),
with LAPACK's signs, elimination, least squares by rotations.
"""

import numpy as np
from numba import njit

from .rotations import pseudoinverse_by_rotations


@njit(error_model="numpy")
def orthogonal_factors_by_reflections(a: np.ndarray) -> np.ndarray:
    """Row k of the vectors is what reflects column k; what is 0 below has no reflection."""
    m, n = a.shape
    made = np.zeros((2, m, n), a.dtype)
    vectors, scales = np.zeros((n, m), a.dtype), np.zeros(n, a.dtype)
    for i in range(m):
        for j in range(n):
            made[1, i, j] = a[i, j]
            made[0, i, j] = 1.0 if i == j else 0.0
    for k in range(min(m - 1, n)):
        head, below = made[1, k, k], 0.0
        for i in range(k + 1, m):
            vectors[k, i] = made[1, i, k]
            below += made[1, i, k] ** 2
        size = np.sqrt(head**2 + below)
        vectors[k, k] = head + (size if head >= 0.0 else -size)
        if below != 0.0:
            scales[k] = 2.0 / (vectors[k, k] ** 2 + below)
            reflect_rows(made, 1, vectors, scales, k)
        for i in range(k + 1, m):
            made[1, i, k] = 0.0
    for k in range(min(m - 1, n) - 1, -1, -1):
        reflect_rows(made, 0, vectors, scales, k)
    return made


@njit(error_model="numpy")
def reflect_rows(made: np.ndarray, part: int, vectors: np.ndarray, scales: np.ndarray, k: int) -> None:
    """Columns of a part from k on."""
    for j in range(k, made.shape[2]):
        along = 0.0
        for i in range(k, made.shape[1]):
            along += vectors[k, i] * made[part, i, j]
        along *= scales[k]
        for i in range(k, made.shape[1]):
            made[part, i, j] -= along * vectors[k, i]


@njit(error_model="numpy")
def pivoted_factors_by_elimination(a: np.ndarray) -> np.ndarray:
    m, n = a.shape
    made = np.zeros((2, m, n), a.dtype)
    for i in range(m):
        for j in range(n):
            made[0, i, j] = a[i, j]
            made[1, i, j] = 1.0 * i if j == 0 else 0.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, m):
            if abs(made[0, i, k]) > abs(made[0, pivot, k]):
                pivot = i
        for part in range(2):
            for j in range(n):
                above = made[part, k, j]
                made[part, k, j] = made[part, pivot, j]
                made[part, pivot, j] = above
        if made[0, k, k] != 0.0:
            for i in range(k + 1, m):
                made[0, i, k] /= made[0, k, k]
                for j in range(k + 1, n):
                    made[0, i, j] -= made[0, i, k] * made[0, k, j]
    return made


@njit(error_model="numpy")
def order_of_rows_of_lane(factors: np.ndarray, a: np.ndarray) -> np.ndarray:
    rows = np.arange(len(a))
    for i in range(len(a)):
        for j in range(min(a.shape[1], 1)):
            rows[i] = int(factors[1, i, j])
    return rows


@njit(error_model="numpy")
def least_squares_by_rotations(a: np.ndarray, b: np.ndarray, cutoff: float) -> np.ndarray:
    inverse = pseudoinverse_by_rotations(a, cutoff)
    made = np.zeros((a.shape[1], b.shape[1]), a.dtype)
    for i in range(a.shape[1]):
        for k in range(len(a)):
            for j in range(b.shape[1]):
                made[i, j] += inverse[i, k] * b[k, j]
    return made
