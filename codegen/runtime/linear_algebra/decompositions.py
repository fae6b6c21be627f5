"""Decompositions of one matrix by NumPy, without exceptions; NaN where LAPACK does not converge, and of NaN and
infinities, of which LAPACK gives any numbers. Compiled: lapack.py, rotations.py.

    eigensystem(a)             of a symmetric matrix: [0] its eigenvectors in columns, [1, 0] its eigenvalues, ascending
    singular_system(a, wide)   a = U S V' of no more columns than rows: [0] U, [1] V in the first rows, [2, 0] S,
                               descending; `wide`: computed as of a', with LAPACK's signs of that
    full_singular_system(a, wide)  the same with all columns of U; V in the first rows and columns of [1], S in [2, 0]
    pseudoinverse(a, cutoff)   without the singular values that are cutoff times the largest, or smaller

Each is one array, so that it is one operation; eigenvalues_in and singular_values_in read the values. Where nothing
else is read, `eigenvalues` and `singular_values` take their place, which find no vectors.
"""

import numpy as np


def eigensystem(a: np.ndarray) -> np.ndarray:
    """np.linalg.eigh."""
    made = np.full((2, *a.shape), np.nan, a.dtype)
    if np.all(np.isfinite(a)):
        try:
            made[1, :1], made[0] = np.linalg.eigh(a)
        except np.linalg.LinAlgError:
            made.fill(np.nan)
    return made


def singular_system(a: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd, thin."""
    made = np.full((3, *a.shape), np.nan, a.dtype)
    if not np.all(np.isfinite(a)):
        return made
    try:
        if wide:
            right, values, left = np.linalg.svd(a.T, full_matrices=False)
            left, right = left.T, right.T
        else:
            left, values, right = np.linalg.svd(a, full_matrices=False)
        made[0], made[1, : a.shape[1]], made[2, :1] = left, right.T, values
    except np.linalg.LinAlgError:
        made.fill(np.nan)
    return made


def full_singular_system(a: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd of more rows than columns."""
    m, n = a.shape
    made = np.full((3, m, m), np.nan, a.dtype)
    if not np.all(np.isfinite(a)):
        return made
    try:
        if wide:
            right, values, left = np.linalg.svd(a.T)
            left, right = left.T, right.T
        else:
            left, values, right = np.linalg.svd(a)
        made[0], made[1, :n, :n], made[2, :1, :n] = left, right.T, values
    except np.linalg.LinAlgError:
        made.fill(np.nan)
    return made


def full_singular_values_in(system: np.ndarray, a: np.ndarray) -> np.ndarray:
    return system[2, 0, : a.shape[1]]


def eigenvalues(a: np.ndarray) -> np.ndarray:
    """np.linalg.eigvalsh."""
    try:
        return np.linalg.eigvalsh(a) if np.all(np.isfinite(a)) else np.full(len(a), np.nan, a.dtype)
    except np.linalg.LinAlgError:
        return np.full(len(a), np.nan, a.dtype)


def singular_values(a: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svdvals, as many as there are columns."""
    if not a.shape[0]:
        return np.zeros(a.shape[1], a.dtype)
    try:
        return np.linalg.svdvals(a) if np.all(np.isfinite(a)) else np.full(a.shape[1], np.nan, a.dtype)
    except np.linalg.LinAlgError:
        return np.full(a.shape[1], np.nan, a.dtype)


def eigenvalues_in(system: np.ndarray, a: np.ndarray) -> np.ndarray:
    return system[1, :1].reshape(a.shape[1])


def singular_values_in(system: np.ndarray, a: np.ndarray) -> np.ndarray:
    return system[2, :1].reshape(a.shape[1]) if a.shape[0] else np.zeros(a.shape[1], a.dtype)


def pseudoinverse(a: np.ndarray, cutoff: float) -> np.ndarray:
    """np.linalg.pinv; NaN where it does not converge."""
    failed = np.full(a.shape[::-1], np.nan, a.dtype)
    try:
        return np.linalg.pinv(a, cutoff) if np.all(np.isfinite(a)) else failed
    except np.linalg.LinAlgError:
        return failed
