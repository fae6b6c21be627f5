"""Systems of complex equations and determinants. Pseudoinverses and least squares as real ones of twice the size, whose
singular values come twice: (A + iB)(x + iy) has the parts Ax - By and Bx + Ay. So has Cholesky's factor, with the parts
of each element side by side: with a positive diagonal there is but one.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.matrices import (
    SlogdetResult,
    each_system,
    matrices,
    matrix_of_each,
    number_of_each,
    square,
)
from codegen.definitions.table import of_complex, refused
from codegen.runtime.complex_matrices.systems import complex_log_determinant, complex_solved


@of_complex("numpy.linalg.solve")
def solve(a, b):
    """Of stacks, each system; b is a vector where it has one axis."""
    a = square(a)
    if b.ndim < 1:
        raise ValueError("solve: Input operand 1 does not have enough dimensions")
    if a.ndim > 2 and b.ndim > 1 and a.shape[a.ndim - 1] != b.shape[b.ndim - 2]:
        raise ValueError("solve: Input operand 1 has a mismatch in its core dimension 0")
    return each_system(complex_solution, a, b)


def complex_solution(a, b):
    if b.ndim == 1:
        return complex_solution(a, b[:, None])[:, 0]
    parts = parts_of(a)
    x = complex_solved(parts, parts_of(b))
    if np.any(np.isnan(x)) and complex_log_determinant(parts)[2] == -np.inf:
        raise np.linalg.LinAlgError("Singular matrix")
    return complex_of(x[0], x[1])


def parts_of(a):
    return np.stack((a.real, a.imag))


def of_lower_half(a):
    """The Hermitian matrix of which only the lower half is read."""
    below = np.tril(a, -1)
    return below + np.conjugate(np.swapaxes(below, -1, -2)) + np.tril(np.triu(a.real))


@of_complex("numpy.linalg.inv")
def inv(a):
    return matrix_of_each(complex_inverse, square(a))


def complex_inverse(a):
    return complex_solution(a, np.eye(a.shape[1], dtype=a.dtype))


@of_complex("numpy.linalg.pinv")
def pinv(a, rcond=None, hermitian=False, rtol=None):
    """As of real matrices."""
    if a.ndim < 2:
        refused("linalg takes a matrix or a stack of them: the array must be at least two-dimensional")
    if rcond is not None and rtol is not None:
        refused("`rtol` and `rcond` can't be both set.")
    a = of_lower_half(square(a)) if hermitian else a
    least = (1e-15 if rcond is None else rcond) if rtol is None else rtol
    return of_first_columns(np.linalg.pinv(of_both_parts(a), least), a.shape[a.ndim - 1], a.shape[a.ndim - 2])


@of_complex("numpy.linalg.lstsq")
def lstsq(a, b, rcond=None):
    """As of real matrices."""
    m, n = a.shape
    if b.shape[0] != m:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    least = np.finfo(of_both_parts(a).dtype).eps * max(m, n) if rcond is None else rcond
    x, left, rank, values = np.linalg.lstsq(of_both_parts(a), np.concatenate((b.real, b.imag)), least)
    return complex_of(x[:n].copy(), x[n:].copy()), left, (rank // 2).astype(np.int32), values[::2].copy()


@of_complex("numpy.linalg.cholesky")
def cholesky(a, upper=False):
    """Of what is on and below the diagonal, as LAPACK's."""
    n = square(a).shape[a.ndim - 1]
    if upper:
        return turned(np.linalg.cholesky(turned(a)))
    re, im = +a.real, np.tril(a.imag, -1)
    both = np.empty(a.shape[: a.ndim - 2] + (2 * n, 2 * n), re.dtype)
    both[..., ::2, ::2], both[..., 1::2, 1::2] = re, re
    both[..., 1::2, ::2], both[..., ::2, 1::2] = im, -im
    made = np.linalg.cholesky(both)
    return complex_of(made[..., ::2, ::2].copy(), np.tril(made[..., 1::2, ::2], -1))  # of a real diagonal


@of_complex("numpy.linalg.det")
def det(a):
    return number_of_each(determinant, square(a))


def determinant(a):
    sign, size = sign_and_size(a)
    return sign * np.exp(size)


@of_complex("numpy.linalg.slogdet")
def slogdet(a):
    a = square(a)
    if a.ndim == 2:
        sign, size = sign_and_size(a)
        return SlogdetResult(sign, size)
    flat = matrices(a)
    signs, sizes = np.empty(len(flat), a.dtype), np.empty(len(flat), a.real.dtype)
    for k in range(len(flat)):
        signs[k], sizes[k] = sign_and_size(flat[k])
    lead = a.shape[: a.ndim - 2]
    return SlogdetResult(signs.reshape(lead), sizes.reshape(lead))


def sign_and_size(a):
    made = complex_log_determinant(parts_of(a))
    return complex_of(made[0], made[1]), made[2]


def turned(a):
    """The transposed matrix of conjugates."""
    return np.conj(np.swapaxes(a, -1, -2))


def of_first_columns(both, m, n):
    """The matrix that [[A, -B], [B, A]] stands for."""
    return complex_of(both[..., :m, :n].copy(), both[..., m:, :n].copy())


def of_both_parts(a):
    """[[A, -B], [B, A]]"""
    re, im = +a.real, +a.imag
    return np.concatenate((np.concatenate((re, -im), axis=-1), np.concatenate((im, re), axis=-1)), axis=-2)
