"""Eigenvalues of Hermitian matrices, singular values, orthogonal factors, and what is read off them."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.matrices import of_lower_half, turned
from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.decompositions import EighResult, SVDResult, condition_of, rank_of
from codegen.definitions.matrices import factors_of_each, matrices, square
from codegen.definitions.table import of_complex, refused
from codegen.runtime.complex_matrices.unitary import (
    complex_full_singular_system,
    complex_full_singular_values_in,
    complex_orthogonal_factors,
    complex_singular_system,
    complex_singular_values_in,
    hermitian_eigensystem,
    hermitian_eigenvalues_in,
)


@of_complex("numpy.linalg.eigh")
def eigh(a, UPLO="L"):
    a = lower_half(square(a), UPLO)
    if a.ndim == 2:
        values, vectors = eigensystem_of(a)
        return EighResult(values, vectors)
    flat = matrices(a)
    values, vectors = np.empty(flat.shape[:2], a.real.dtype), np.empty(flat.shape, a.dtype)
    for k in range(len(flat)):
        values[k], vectors[k] = eigensystem_of(flat[k])
    return EighResult(values.reshape(a.shape[: a.ndim - 1]), vectors.reshape(a.shape))


@of_complex("numpy.linalg.eigvalsh")
def eigvalsh(a, UPLO="L"):
    a = lower_half(square(a), UPLO)
    if a.ndim == 2:
        return eigenvalues_of(a)
    flat = matrices(a)
    values = np.empty(flat.shape[:2], a.real.dtype)
    for k in range(len(flat)):
        values[k] = eigenvalues_of(flat[k])
    return values.reshape(a.shape[: a.ndim - 1])


def lower_half(a, half):
    """A matrix whose lower half is what is read."""
    if half not in ("L", "l", "U", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return a if half in ("L", "l") else turned(a)


def hermitian_parts(a):
    """The parts of the matrix of which only the lower half is read."""
    re, im = np.tril(a.real), np.tril(a.imag, -1)
    return np.stack((re + np.tril(a.real, -1).T, im - im.T))


def eigensystem_of(a):
    parts = hermitian_parts(a)
    system = hermitian_eigensystem(parts)
    return hermitian_eigenvalues_in(system, parts), complex_of(system[0], system[1])


def eigenvalues_of(a):
    parts = hermitian_parts(a)
    return hermitian_eigenvalues_in(hermitian_eigensystem(parts), parts)


@of_complex("numpy.linalg.svd")
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    a = of_lower_half(square(matrix(a))) if hermitian else matrix(a)
    if not compute_uv:
        return svdvals(a)
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    full = full_matrices and m != n
    if a.ndim == 2:
        left, values, right = singular_system_of(a, full)
        return SVDResult(left, values, right)
    size = min(m, n)
    rows, columns = (m, n) if full else (size, size)
    flat = matrices(a)
    lefts, values = np.empty((len(flat), m, rows), a.dtype), np.empty((len(flat), size), a.real.dtype)
    rights = np.empty((len(flat), columns, n), a.dtype)
    for k in range(len(flat)):
        lefts[k], values[k], rights[k] = singular_system_of(flat[k], full)
    lead = a.shape[: a.ndim - 2]
    return SVDResult(
        lefts.reshape(lead + (m, rows)), values.reshape(lead + (size,)), rights.reshape(lead + (columns, n))
    )


def matrix(a):
    if a.ndim < 2:
        refused("linalg takes a matrix or a stack of them: the array must be at least two-dimensional")
    return a


def singular_system_of(a, full):
    """U, S, V^H; of more columns than rows by the transposed matrix."""
    m, n = a.shape
    if m < n:
        left, values, right = full_system_of_tall(a.T, 1) if full else system_of_tall(a.T, 1)
        return right.T, values, left.T
    return full_system_of_tall(a, 0) if full else system_of_tall(a, 0)


def system_of_tall(a, wide):
    n = a.shape[1]
    parts = parts_of(a)
    system = complex_singular_system(parts, wide)
    right = complex_of(system[2, :n].T, -system[3, :n].T)
    return complex_of(system[0], system[1]), complex_singular_values_in(system, parts), right


def full_system_of_tall(a, wide):
    n = a.shape[1]
    parts = parts_of(a)
    system = complex_full_singular_system(parts, wide)
    right = complex_of(system[2, :n, :n].T, -system[3, :n, :n].T)
    return complex_of(system[0], system[1]), complex_full_singular_values_in(system, parts), right


def parts_of(a):
    if np.any(np.isnan(a)):
        raise np.linalg.LinAlgError("SVD did not converge")
    return np.stack((+a.real, +a.imag))


@of_complex("numpy.linalg.svdvals")
def svdvals(x):
    a = matrix(x)
    if a.shape[a.ndim - 2] < a.shape[a.ndim - 1]:
        a = np.swapaxes(a, -1, -2)
    if a.ndim == 2:
        return singular_values_of(a)
    flat = matrices(a)
    values = np.empty((len(flat), a.shape[a.ndim - 1]), a.real.dtype)
    for k in range(len(flat)):
        values[k] = singular_values_of(flat[k])
    return values.reshape(a.shape[: a.ndim - 2] + a.shape[a.ndim - 1 :])


def singular_values_of(a):
    parts = parts_of(a)
    return complex_singular_values_in(complex_singular_system(parts, 0), parts)


@of_complex("numpy.linalg.qr")
def qr(a, mode="reduced"):
    """By Householder's reflections, with LAPACK's phases: the diagonal of R is real."""
    a = matrix(a)
    if mode != "reduced" and mode != "r":
        refused("qr of complex numbers: mode must be 'reduced' or 'r'")
    return factors_of_each(a, mode, factors_of, min(a.shape[a.ndim - 2], a.shape[a.ndim - 1]))


def factors_of(a):
    """Q and R; what is right of a square R is Q^H times it."""
    m, n = a.shape
    size = min(m, n)
    factors = complex_orthogonal_factors(np.stack((+a[:, :size].real, +a[:, :size].imag)))
    q = complex_of(factors[0], factors[1])
    upper = np.empty((size, n), a.dtype)
    upper[:, :size] = complex_of(factors[2, :size], factors[3, :size])
    upper[:, size:] = turned(q) @ a[:, size:]
    return q, upper


@of_complex("numpy.linalg.matrix_rank")
def matrix_rank(A, tol=None, hermitian=False, rtol=None):
    return rank_of(of_lower_half(square(matrix(A))) if hermitian else matrix(A), tol, rtol)


@of_complex("numpy.linalg.cond")
def cond(x, p=None):
    return condition_of(matrix(x), p)
