"""Eigenvalues, singular values, and what they are for: pseudoinverses, least squares, ranks, condition numbers."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.linear_algebra.polar_factors import nuclear_norm
from codegen.definitions.matrices import floats, matrices, number_of_each, square, vector_of_each
from codegen.definitions.table import refused, stands_for
from codegen.primitives.reduce import norm_of_elements
from codegen.runtime.linear_algebra.decompositions import (
    eigensystem,
    eigenvalues_in,
    full_singular_system,
    full_singular_values_in,
    pseudoinverse,
    singular_system,
    singular_values_in,
)
from codegen.runtime.linear_algebra.factors import least_squares

EighResult = type(np.linalg.eigh(np.eye(1)))
SVDResult = type(np.linalg.svd(np.eye(1)))


@stands_for("numpy.linalg.eigh")
def eigh(a, UPLO="L"):
    a = symmetric(square(floats(a)), UPLO)
    if a.ndim == 2:
        system = eigensystem(a)
        return EighResult(eigenvalues_in(system, a), system[0])
    flat = matrices(a)
    values, vectors = np.empty(flat.shape[:2], a.dtype), np.empty(flat.shape, a.dtype)
    for k in range(len(flat)):
        one = flat[k]
        system = eigensystem(one)
        values[k] = eigenvalues_in(system, one)
        vectors[k] = system[0]
    return EighResult(values.reshape(a.shape[: a.ndim - 1]), vectors.reshape(a.shape))


@stands_for("numpy.linalg.eigvalsh")
def eigvalsh(a, UPLO="L"):
    return vector_of_each(eigenvalues, symmetric(square(floats(a)), UPLO))


def eigenvalues(a):
    return eigenvalues_in(eigensystem(a), a)


def symmetric(a, half):
    """The matrix of which only the lower or upper half is read, as LAPACK reads it."""
    if half in ("U", "u"):
        a = np.swapaxes(a, -1, -2)
    elif half not in ("L", "l"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return np.tril(a) + np.swapaxes(np.tril(a, -1), -1, -2)


@stands_for("numpy.linalg.svd")
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Vectors beyond those of singular values are any at right angles to them: LAPACK's, others in lanes."""
    a = matrix(floats(a))
    a = symmetric(square(a), "L") if hermitian else a
    if not compute_uv:
        return svdvals(a)
    a = without_nan(a)
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    full = full_matrices and m != n
    if m < n:
        found = of_tall(full, np.swapaxes(a, -1, -2).copy(), 1)  # as compiled for tall ones
        return SVDResult(np.swapaxes(found[2], -1, -2), found[1], np.swapaxes(found[0], -1, -2))
    found = of_tall(full, a, 0)
    return SVDResult(found[0], found[1], found[2])


def matrix(a):
    if a.ndim < 2:
        refused("linalg takes a matrix or a stack of them: the array must be at least two-dimensional")
    return a


def of_tall(full, a, wide):
    """U, S, V' of no more columns than rows."""
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    if a.ndim == 2:
        return full_system_of_tall(a, wide) if full else system_of_tall(a, wide)
    flat = matrices(a)
    size = m if full else n
    left, values = np.empty((len(flat), m, size), a.dtype), np.empty((len(flat), n), a.dtype)
    right = np.empty((len(flat), n, n), a.dtype)
    for k in range(len(flat)):
        found = full_system_of_tall(flat[k], wide) if full else system_of_tall(flat[k], wide)
        left[k], values[k], right[k] = found
    lead = a.shape[: a.ndim - 2]
    return left.reshape(lead + (m, size)), values.reshape(lead + (n,)), right.reshape(lead + (n, n))


def system_of_tall(a, wide):
    system = singular_system(a, wide)
    return system[0], singular_values_in(system, a), system[1, : a.shape[1]].T


def full_system_of_tall(a, wide):
    n = a.shape[1]
    system = full_singular_system(a, wide)
    return system[0], full_singular_values_in(system, a), system[1, :n, :n].T


def without_nan(a):
    if np.any(np.isnan(a)):
        raise np.linalg.LinAlgError("SVD did not converge")
    return a


def singular(a, wide):
    return singular_system(without_nan(a), wide)


@stands_for("numpy.linalg.svdvals")
def svdvals(x):
    a = matrix(floats(x))
    if a.shape[a.ndim - 2] < a.shape[a.ndim - 1]:
        return vector_of_each(values_of_turned, np.swapaxes(a, -1, -2).copy())
    return vector_of_each(values_of_tall, a)


def values_of_tall(a):
    return singular_values_in(singular(a, 0), a)


def values_of_turned(a):
    return singular_values_in(singular(a, 1), a)


@stands_for("numpy.linalg.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    """Of matrices by singular values too: the largest (2), the least (-2), their sum ("nuc")."""
    if is_by_singular_values(x, ord, axis):
        return norm_by_singular_values(x, ord, axis, keepdims)
    return norm_of_elements(x, ord, axis, keepdims)


def is_by_singular_values(x, ord, axis):
    return is_of_matrices(x, axis) and ord is not None and (ord == "nuc" or ord == 2 or ord == -2)


def is_of_matrices(x, axis):
    return np.ndim(x) == 2 if axis is None else isinstance(axis, tuple | list) and len(axis) == 2


def norm_by_singular_values(x, ord, axis, keepdims):
    rows, columns = (0, 1) if axis is None else axis
    a = np.moveaxis(np.asarray(x), (rows, columns), (-2, -1))
    if ord == "nuc":
        made = number_of_each(nuclear_norm, a if a.dtype.kind == "c" else floats(a))
    else:
        values = np.linalg.svdvals(a)
        made = np.max(values, axis=-1, initial=0.0) if ord == 2 else np.min(values, axis=-1)
    return np.expand_dims(made, (rows, columns)) if keepdims else made


@stands_for("numpy.linalg.pinv")
def pinv(a, rcond=None, hermitian=False, rtol=None):
    """Singular values below rcond (1e-15) of the largest are taken for 0."""
    a = matrix(floats(a))
    a = symmetric(square(a), "L") if hermitian else a
    if rcond is not None and rtol is not None:
        refused("`rtol` and `rcond` can't be both set.")
    least = float(1e-15 if rcond is None else rcond) if rtol is None else float(rtol)
    if a.ndim == 2:
        return pseudoinverse(without_nan(a), least)
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    flat = matrices(a)
    made = np.empty((len(flat), n, m), a.dtype)
    for k in range(len(flat)):
        made[k] = pseudoinverse(without_nan(flat[k]), least)
    return made.reshape(a.shape[: a.ndim - 2] + (n, m))


@stands_for("numpy.linalg.lstsq")
def lstsq(a, b, rcond=None):
    """Least squares of one matrix: the solution, sums of squares of what is left (none where the rank is less than the
    columns), the rank, the singular values."""
    a, b = matrix(floats(a)), floats(b)
    kind = (a.reshape(-1)[:0] + b.reshape(-1)[:0]).dtype
    a, b = a.astype(kind), b.astype(kind)
    m, n = a.shape
    if b.ndim < 1 or b.ndim > 2 or a.ndim > 2:
        refused("lstsq takes one matrix, and a vector or a matrix")
    if b.shape[0] != m:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    if not np.all(np.isfinite(a)):
        raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    least = np.finfo(a.dtype).eps * max(m, n) if rcond is None else rcond
    values = svdvals(a)
    right = b.reshape(m, math.prod(b.shape[1:]))
    found = least_squares(a, right, float(least))
    x = found.reshape((n,) + b.shape[1:])
    rank = np.sum(values > least * np.max(values, initial=0.0)).astype(np.int32)
    columns = right - a @ found
    left = np.sum(columns * columns, axis=0)
    return x, left[: len(left) if rank == n and m > n else 0], rank, values


@stands_for("numpy.linalg.matrix_rank")
def matrix_rank(A, tol=None, hermitian=False, rtol=None):
    a = matrix(floats(A))
    return rank_of(symmetric(square(a), "L") if hermitian else a, tol, rtol)


def rank_of(a, tol, rtol):
    if tol is not None and rtol is not None:
        refused("`tol` and `rtol` can't be both set.")
    values = np.linalg.svdvals(a)
    largest = np.max(values, axis=-1, initial=0.0)[..., None]
    size = max(a.shape[a.ndim - 2], a.shape[a.ndim - 1])
    least = np.finfo(values.dtype).eps * size if rtol is None else rtol
    bound = least * largest[..., 0] if tol is None else np.asarray(tol)
    return np.sum(values > bound[..., None], axis=-1)


@stands_for("numpy.linalg.cond")
def cond(x, p=None):
    return condition_of(matrix(floats(x)), p)


def condition_of(a, p):
    if a.size == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or p == 2:
        values = np.linalg.svdvals(a)
        return unless_of_zeros(values[..., 0] / values[..., -1], a)
    if p == -2:
        values = np.linalg.svdvals(a)
        return unless_of_zeros(values[..., -1] / values[..., 0], a)
    if p == "nuc":
        return np.linalg.norm(a, p, (-2, -1)) * np.linalg.norm(np.linalg.inv(a), p, (-2, -1))
    is_singular = np.linalg.slogdet(a)[0] == 0
    identity = np.eye(a.shape[a.ndim - 1], dtype=a.dtype)
    inverse = np.linalg.inv(np.where(is_singular[..., None, None], identity, a))
    made = np.linalg.norm(a, p, (-2, -1)) * np.linalg.norm(inverse, p, (-2, -1))
    return unless_of_zeros(np.where(is_singular, np.inf, made), a)


def unless_of_zeros(ratio, a):
    """Infinite where it is NaN and the matrix has none."""
    return np.where(np.isnan(ratio) & ~np.any(np.isnan(a), (-2, -1)), np.inf, ratio)
