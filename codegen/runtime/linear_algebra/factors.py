"""Factors of one matrix with no fewer rows than columns, and least squares, by NumPy; compiled: lapack_factors.py and
reflections.py.

    orthogonal_factors(a)        a = Q R: [0] Q, as many columns as a has, [1] R in the first rows
    pivoted_factors(a)           a[order] = L U by the largest pivots: [0] both, but for the ones of L
    order_of_rows(factors, a)    that order
    least_squares(a, b, cutoff)  of a matrix of any shape the smallest x for which a @ x is as near to b as can be,
                                 without the singular values that are cutoff times the largest, or smaller; NaN where
                                 they do not converge
"""

import numpy as np


def orthogonal_factors(a: np.ndarray) -> np.ndarray:
    """np.linalg.qr."""
    made = np.zeros((2, *a.shape), a.dtype)
    made[0], made[1, : a.shape[1]] = np.linalg.qr(a)
    return made


def pivoted_factors(a: np.ndarray) -> np.ndarray:
    """Column after column."""
    made, rows = np.stack((a, np.zeros_like(a))), np.arange(len(a))
    factors = made[0]
    for k in range(a.shape[1]):
        pivot = k + np.argmax(np.abs(factors[k:, k])).item()
        both, turned = np.array([k, pivot]), np.array([pivot, k])
        factors[both], rows[both] = factors[turned], rows[turned]
        if factors[k, k] != 0.0:
            factors[k + 1 :, k] /= factors[k, k]
            factors[k + 1 :, k + 1 :] -= np.outer(factors[k + 1 :, k], factors[k, k + 1 :])
    made[1, :, :1] = rows[:, None]
    return made


def order_of_rows(factors: np.ndarray, a: np.ndarray) -> np.ndarray:
    return factors[1, :, 0].astype("i8") if a.shape[1] else np.arange(len(a))


def least_squares(a: np.ndarray, b: np.ndarray, cutoff: float) -> np.ndarray:
    """np.linalg.lstsq."""
    failed = np.full((a.shape[1], b.shape[1]), np.nan, b.dtype)
    try:
        return np.linalg.lstsq(a, b, cutoff)[0] if np.all(np.isfinite(a)) else failed
    except np.linalg.LinAlgError:
        return failed
