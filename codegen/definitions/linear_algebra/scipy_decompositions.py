"""scipy.linalg: eigenvalues of symmetric matrices, singular values, least squares, norms. SciPy looks at what it is
given first, and its functions take more arguments than NumPy's.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.matrices import is_narrow
from codegen.definitions.table import refused, stands_for


@stands_for("scipy.linalg.eigh", generic=True)
def eigh(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, check_finite=True
):
    a = symmetric_matrix(a, b, check_finite)
    if eigvals_only:
        return np.linalg.eigvalsh(a, "L" if lower else "U")
    found = np.linalg.eigh(a, "L" if lower else "U")
    return found[0], found[1]


@stands_for("scipy.linalg.eigvalsh", generic=True)
def eigvalsh(a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, check_finite=True):
    return np.linalg.eigvalsh(symmetric_matrix(a, b, check_finite), "L" if lower else "U")


def symmetric_matrix(a, b, check_finite):
    if b is not None:
        refused("a second matrix, b=, is not supported: with L = cholesky(b), take inv(L) @ a @ inv(L).T")
    a = finite_matrices(a, check_finite)
    if a.shape[a.ndim - 2] != a.shape[a.ndim - 1]:
        raise ValueError('expected square "a" matrix')
    return a


@stands_for("scipy.linalg.svd", generic=True)
def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    a = finite_matrices(a, check_finite)
    if not compute_uv:
        return np.linalg.svdvals(a)
    found = np.linalg.svd(a, full_matrices)
    return found[0], found[1], found[2]


@stands_for("scipy.linalg.svdvals", generic=True)
def svdvals(a, overwrite_a=False, check_finite=True):
    return np.linalg.svdvals(finite_matrices(a, check_finite))


@stands_for("scipy.linalg.lstsq", generic=True)
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True):
    """By singular values; sums of squares of what is left are none where the rank is less than the columns."""
    a, b = in_floats(finite_matrices(a, check_finite)), in_floats(finite(b, check_finite))
    if a.ndim != 2 or b.ndim < 1 or b.ndim > 2:
        refused("lstsq takes one matrix, and a vector or a matrix")
    if a.shape[0] != b.shape[0]:
        raise ValueError("Shape mismatch: a and b should have the same number of rows.")
    kind = (a.reshape(-1)[:0] + b.reshape(-1)[:0]).dtype
    x, left, rank, values = np.linalg.lstsq(a, b, np.finfo(kind).eps if cond is None else cond)
    return x, left, rank.astype(np.int64), values


@stands_for("scipy.linalg.norm", generic=True)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    return np.linalg.norm(finite(a, check_finite), ord, axis, keepdims)


def finite_matrices(a, check_finite):
    a = finite(a, check_finite)
    if a.ndim < 2:
        refused("scipy.linalg takes matrices: the array must be at least two-dimensional")
    return a.astype(np.float32) if is_narrow(a) else a


def in_floats(a):
    return a if a.dtype.kind in "fc" else a.astype(np.float32 if is_narrow(a) else np.float64)


def finite(a, check_finite):
    a = np.asarray(a)
    if check_finite and not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a
