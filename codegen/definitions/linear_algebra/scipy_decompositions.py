"""scipy.linalg: eigenvalues of symmetric matrices, singular values, orthogonal factors, least squares, norms. SciPy
looks at what it is given first, and its functions take more arguments than NumPy's.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.matrices import each_system
from codegen.definitions.scipy_linalg import (
    adjoint,
    finite,
    finite_matrices,
    lapack_floats,
    lower_solution,
    of_structure,
    one_matrix,
    turned_solution,
)
from codegen.definitions.table import refused, stands_for


@stands_for("scipy.linalg.eigh", generic=True)
def eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
):
    """With a second matrix b = L L^H by the eigenvectors of L^-1 a L^-H, or of L^H a L."""
    a = symmetric_matrix(a, check_finite)
    if b is None:
        if eigvals_only:
            return chosen(np.linalg.eigvalsh(a, "L" if lower else "U"), subset_by_index)
        found = np.linalg.eigh(a, "L" if lower else "U")
        return chosen(found[0], subset_by_index), chosen(found[1], subset_by_index)
    if type not in (1, 2, 3):
        refused('"type" keyword only accepts 1, 2, and 3.')
    b = symmetric_matrix(b, check_finite)
    factor = np.linalg.cholesky(b) if lower else adjoint(np.linalg.cholesky(b, upper=True))
    a = of_structure(a, "her", lower)
    if type == 1:
        half = each_system(lower_solution, factor, a)
        between = each_system(lower_solution, factor, adjoint(half))
    else:
        between = adjoint(factor) @ a @ factor
    if eigvals_only:
        return chosen(np.linalg.eigvalsh(between), subset_by_index)
    values, vectors = np.linalg.eigh(between)
    vectors = factor @ vectors if type == 3 else each_system(turned_solution, np.conj(factor), vectors)
    return chosen(values, subset_by_index), chosen(vectors, subset_by_index)


def chosen(x, subset):
    """The values, or columns, from the first to the last place that is asked for."""
    if subset is None:
        return x
    first, last = subset
    n = x.shape[x.ndim - 1]
    if not 0 <= first <= last < n:
        raise ValueError(
            f"Requested eigenvalue indices are not valid. Valid range is [0, {n - 1}] and start <= end, "
            f"but start={first}, end={last} is given"
        )
    return x[..., first : last + 1].copy()


@stands_for("scipy.linalg.eigvalsh", generic=True)
def eigvalsh(
    a,
    b=None,
    *,
    lower=True,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
):
    return eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
    )


def symmetric_matrix(a, check_finite):
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


@stands_for("scipy.linalg.qr", generic=True)
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """By Householder's reflections, with LAPACK's signs."""
    a = finite_matrices(a, check_finite)
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    if pivoting or mode not in ("full", "qr", "r", "economic"):
        refused("qr: mode must be 'full', 'economic' or 'r', and there is no pivoting")
    if mode == "r":
        upper = np.linalg.qr(a, "r")
        return (np.concatenate((upper, np.zeros(a.shape[: a.ndim - 2] + (max(m - n, 0), n), a.dtype)), -2),)
    if mode != "economic" and a.dtype.kind == "c":
        refused("qr of complex numbers: mode must be 'economic' or 'r'; of square matrices it is the same")
    if mode == "economic" or m <= n:
        found = np.linalg.qr(a)
        return found[0], found[1]
    found = np.linalg.qr(a, "complete")
    return found[0], found[1]


@stands_for("scipy.linalg.pinv", generic=True)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """Singular values up to atol + rtol times the largest are taken for 0."""
    return inverted(finite_matrices(a, check_finite), atol, rtol, return_rank)


@stands_for("scipy.linalg.pinvh", generic=True)
def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
    """The same of the symmetric matrix of which one half is read."""
    found = inverted(of_structure(symmetric_matrix(a, check_finite), "her", lower), atol, rtol, return_rank)
    if not return_rank:
        return found
    made, rank = found
    return made, (int(rank) if rank.ndim == 0 else rank)


def inverted(a, atol, rtol, return_rank):
    if rtol is None:
        rtol = max(a.shape[a.ndim - 2], a.shape[a.ndim - 1]) * np.finfo(a.dtype).eps
    if rtol < 0.0 or atol is not None and atol < 0.0:
        raise ValueError("atol and rtol values must be positive.")
    if atol is not None:
        if a.ndim > 2:
            refused("pinv with atol= takes one matrix: of more, call it in a loop or a batch")
        largest = np.max(np.linalg.svdvals(a), initial=0.0)
        rtol = np.where(largest > 0.0, rtol + atol / np.where(largest > 0.0, largest, 1.0), rtol)
    made = np.linalg.pinv(a, rtol=float(rtol))
    return (made, np.linalg.matrix_rank(a, rtol=rtol)) if return_rank else made


@stands_for("scipy.linalg.orth", generic=True)
def orth(A, rcond=None):
    """An orthonormal basis of what a matrix takes vectors to."""
    left, values, right = np.linalg.svd(one_matrix(A, True), full_matrices=False)
    return left[:, : count_of_large(values, len(left), right.shape[1], rcond)].copy()


@stands_for("scipy.linalg.null_space", generic=True)
def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True):
    """An orthonormal basis of what a matrix takes to 0."""
    left, values, right = np.linalg.svd(one_matrix(A, check_finite), full_matrices=True)
    return adjoint(right[count_of_large(values, len(left), len(right), rcond) :])


def count_of_large(values, m, n, rcond):
    least = np.finfo(values.dtype).eps * max(m, n) if rcond is None else rcond
    return np.sum(values > np.max(values, initial=0.0) * least)


@stands_for("scipy.linalg.lstsq", generic=True)
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True):
    """By singular values; sums of squares of what is left are none where the rank is less than the columns."""
    a, b = one_matrix(a, check_finite), finite(lapack_floats(b), check_finite)
    if b.ndim < 1 or b.ndim > 2:
        refused("lstsq takes one matrix, and a vector or a matrix")
    if a.shape[0] != b.shape[0]:
        raise ValueError("Shape mismatch: a and b should have the same number of rows.")
    kind = (a.reshape(-1)[:0] + b.reshape(-1)[:0]).dtype
    x, left, rank, values = np.linalg.lstsq(a, b, np.finfo(kind).eps if cond is None else cond)
    return x, left, rank.astype(np.int64), values


@stands_for("scipy.linalg.norm", generic=True)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    return np.linalg.norm(finite(np.asarray(a), check_finite), ord, axis, keepdims)
