"""What the host of a GPU has by CuPy's linear algebra: the functions of `linear_algebra/` beside this folder that raise
within. (The others are the same text with CuPy's functions in place of NumPy's.)

CuPy looks whether cuSOLVER failed where it is asked to, and raises then as NumPy does.
"""

import cupy as cp
import cupyx
import numpy as np
from cupyx.scipy.linalg import solve_triangular


def solved(a: cp.ndarray, b: cp.ndarray) -> cp.ndarray:
    """cp.linalg.solve; NaN where the matrix is singular."""
    try:
        with cupyx.errstate(linalg="raise"):
            return cp.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return cp.full_like(b, np.nan)


def solved_lower(a: cp.ndarray, b: cp.ndarray) -> cp.ndarray:
    """By cuBLAS."""
    return solve_triangular(a, b, lower=True)


def solved_turned(a: cp.ndarray, b: cp.ndarray) -> cp.ndarray:
    return solve_triangular(a, b, trans=1, lower=True)


def is_singular(a: cp.ndarray) -> cp.ndarray:
    """Whether a pivot of the matrix is 0."""
    return cp.linalg.slogdet(a)[0] == 0.0


def inverse_in(factors: cp.ndarray, a: cp.ndarray) -> cp.ndarray:
    """NaN of a singular matrix."""
    try:
        with cupyx.errstate(linalg="raise"):
            return cp.linalg.inv(a)
    except np.linalg.LinAlgError:
        return cp.full_like(a, np.nan)


def cholesky_factor(a: cp.ndarray) -> cp.ndarray:
    """cp.linalg.cholesky, NaN of NaN; -1, which no diagonal of a factor has, of what is not positive definite."""
    try:
        with cupyx.errstate(linalg="raise"):
            return cp.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return cp.full_like(a, np.nan if cp.any(cp.isnan(a)) else -1.0)


def eigensystem(a: cp.ndarray) -> cp.ndarray:
    """cp.linalg.eigh."""
    made = cp.full((2, *a.shape), np.nan, a.dtype)
    if cp.all(cp.isfinite(a)):
        try:
            with cupyx.errstate(linalg="raise"):
                made[1, :1], made[0] = cp.linalg.eigh(a)
        except np.linalg.LinAlgError:
            made.fill(np.nan)
    return made


def singular_system(a: cp.ndarray, wide: int) -> cp.ndarray:
    """cp.linalg.svd, thin."""
    made = cp.full((3, *a.shape), np.nan, a.dtype)
    if not cp.all(cp.isfinite(a)):
        return made
    try:
        with cupyx.errstate(linalg="raise"):
            left, values, right = cp.linalg.svd(a.T if wide else a, full_matrices=False)
        if wide:
            left, right = right.T, left.T
        made[0], made[1, : a.shape[1]], made[2, :1] = left, right.T, values
    except np.linalg.LinAlgError:
        made.fill(np.nan)
    return made


def full_singular_system(a: cp.ndarray, wide: int) -> cp.ndarray:
    """cp.linalg.svd of more rows than columns."""
    m, n = a.shape
    made = cp.full((3, m, m), np.nan, a.dtype)
    if not cp.all(cp.isfinite(a)):
        return made
    try:
        with cupyx.errstate(linalg="raise"):
            left, values, right = cp.linalg.svd(a.T if wide else a)
        if wide:
            left, right = right.T, left.T
        made[0], made[1, :n, :n], made[2, :1, :n] = left, right.T, values
    except np.linalg.LinAlgError:
        made.fill(np.nan)
    return made


def pseudoinverse(a: cp.ndarray, cutoff: float) -> cp.ndarray:
    """cp.linalg.pinv; NaN where it does not converge."""
    try:
        if cp.all(cp.isfinite(a)):
            with cupyx.errstate(linalg="raise"):
                return cp.linalg.pinv(a, cutoff)
    except np.linalg.LinAlgError:
        pass
    return cp.full(a.shape[::-1], np.nan, a.dtype)


def least_squares(a: cp.ndarray, b: cp.ndarray, cutoff: float) -> cp.ndarray:
    """cp.linalg.lstsq; NaN where it does not converge."""
    try:
        if cp.all(cp.isfinite(a)):
            with cupyx.errstate(linalg="raise"):
                return cp.linalg.lstsq(a, b, cutoff)[0]
    except np.linalg.LinAlgError:
        pass
    return cp.full((a.shape[1], b.shape[1]), np.nan, b.dtype)
