"""Parts of matrices, and systems of linear equations."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.table import is_known, refused, stands_for
from codegen.runtime.linear_algebra.factors import orthogonal_factors
from codegen.runtime.linear_algebra.systems import (
    cholesky_factor,
    determinant,
    determinant_sign,
    is_singular,
    log_determinant,
    solved,
)

SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


@stands_for("numpy.triu", generic=True)
def triu(m, k=0):
    m = np.asarray(m)
    return np.where(on_or_below_diagonal(m, k - 1), np.zeros(1, m.dtype), m)


@stands_for("numpy.tril", generic=True)
def tril(m, k=0):
    m = np.asarray(m)
    return np.where(on_or_below_diagonal(m, k), m, np.zeros(1, m.dtype))


def on_or_below_diagonal(m, k):
    """Which places of a matrix (of those that a vector is broadcast to) are on its k-th diagonal or below."""
    if m.ndim < 1:
        refused("a number has no diagonal")
    if not isinstance(k, int | np.signedinteger):
        refused("the diagonal, k=, must be an int that has a sign")
    rows, columns = np.arange(m.shape[max(m.ndim - 2, 0)]), np.arange(m.shape[m.ndim - 1])
    return columns[None, :] - rows[:, None] <= k


@stands_for("numpy.linalg.solve")
def solve(a, b):
    """Of stacks, each system; b is a vector where it has one axis, else a stack of matrices."""
    a, b = square(floats(a)), floats(b)
    if a.ndim > 2 and b.ndim > 1 and a.shape[a.ndim - 1] != b.shape[b.ndim - 2]:
        raise ValueError("solve: Input operand 1 has a mismatch in its core dimension 0")
    return each_system(solution, a, b)


def each_system(f, a, b):
    """f of a matrix and its right side, or of each of two stacks."""
    if a.ndim == 2 and b.ndim <= 2:
        return f(a, b)
    if b.ndim == 1:
        b = np.broadcast_to(b, a.shape[: a.ndim - 1])[..., None]
        return each_system(f, a, b)[..., 0]
    lead = (np.zeros(a.shape[: a.ndim - 2]) + np.zeros(b.shape[: b.ndim - 2])).shape
    left = matrices(np.broadcast_to(a, lead + a.shape[a.ndim - 2 :]))
    b = np.broadcast_to(b, lead + b.shape[b.ndim - 2 :])
    right = matrices(b)
    made = np.empty(right.shape, (left.reshape(-1)[:0] + right.reshape(-1)[:0]).dtype)
    for k in range(len(left)):
        made[k] = f(left[k], right[k])
    return made.reshape(b.shape)


def floats(x):
    """LAPACK computes in float32 and float64."""
    x = np.asarray(x)
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def is_narrow(x):
    """Whether LAPACK's float32 holds the dtype, which SciPy computes bools and ints of up to 16 bits in."""
    return x.dtype.kind in "iub" and x.dtype.itemsize < 4


def square(a):
    """A square matrix, or a stack of them."""
    a = np.asarray(a)
    if a.ndim < 2:
        refused("linalg takes a square matrix or a stack of them: the array must be at least two-dimensional")
    require_square(a.shape[a.ndim - 2], a.shape[a.ndim - 1])
    return a


def require_square(m, n):
    """Of sizes that are known too what follows is read, and the error raised where the user's program gets there."""
    if m != n:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


def solution(a, b):
    x = solved(a, b)
    if np.any(np.isnan(x)) and is_singular(a):
        raise np.linalg.LinAlgError("Singular matrix")
    return x


def matrices(a):
    """A stack as one row of matrices."""
    return a.reshape((math.prod(a.shape[: a.ndim - 2]),) + a.shape[a.ndim - 2 :])


def matrix_of_each(f, a):
    """f of a matrix, or of each matrix of a stack, where that is one of the same size."""
    if a.ndim == 2:
        return f(a)
    flat = matrices(a)
    made = np.empty(flat.shape, a.dtype)
    for k in range(len(flat)):
        made[k] = f(flat[k])
    return made.reshape(a.shape)


def number_of_each(f, a):
    """f of a matrix, or of each matrix of a stack, where that is a number."""
    if a.ndim == 2:
        return f(a)
    flat = matrices(a)
    made = np.empty(len(flat), a.dtype)
    for k in range(len(flat)):
        made[k] = f(flat[k])
    return made.reshape(a.shape[: a.ndim - 2])


def vector_of_each(f, a):
    """f of a matrix, or of each matrix of a stack, where that is a vector with a number for each column."""
    if a.ndim == 2:
        return f(a)
    flat = matrices(a)
    made = np.empty((len(flat), a.shape[a.ndim - 1]), a.dtype)
    for k in range(len(flat)):
        made[k] = f(flat[k])
    return made.reshape(a.shape[: a.ndim - 2] + a.shape[a.ndim - 1 :])


@stands_for("numpy.linalg.inv")
def inv(a):
    return matrix_of_each(inverse, square(floats(a)))


def inverse(a):
    return solution(a, np.eye(a.shape[1], dtype=a.dtype))


@stands_for("numpy.linalg.det")
def det(a):
    return number_of_each(determinant, square(floats(a)))


@stands_for("numpy.linalg.slogdet")
def slogdet(a):
    """Of each matrix both by one factorisation."""
    a = square(floats(a))
    if a.ndim == 2:
        return SlogdetResult(determinant_sign(a), log_determinant(a))
    flat = matrices(a)
    signs, sizes = np.empty(len(flat), a.dtype), np.empty(len(flat), a.dtype)
    for k in range(len(flat)):
        one = flat[k]
        signs[k] = determinant_sign(one)
        sizes[k] = log_determinant(one)
    lead = a.shape[: a.ndim - 2]
    return SlogdetResult(signs.reshape(lead), sizes.reshape(lead))


@stands_for("numpy.linalg.cholesky")
def cholesky(a, upper=False):
    """Of what is on and below the diagonal, as LAPACK's."""
    a = square(floats(a))
    if upper:
        return np.swapaxes(matrix_of_each(checked_factor, np.swapaxes(a, -1, -2)), -1, -2)
    return matrix_of_each(checked_factor, a)


def checked_factor(a):
    factor = cholesky_factor(a)
    if np.any(np.diag(factor) < 0.0):
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return factor


QRResult = type(np.linalg.qr(np.eye(1)))


@stands_for("numpy.linalg.qr")
def qr(a, mode="reduced"):
    """By Householder's reflections, with LAPACK's signs."""
    a = floats(a)
    if a.ndim < 2:
        refused("qr takes a matrix or a stack of them: the array must be at least two-dimensional")
    if mode != "reduced" and mode != "r" and mode != "complete":
        refused("qr: mode must be 'reduced', 'complete' or 'r'")
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    if mode == "complete":
        return factors_of_each(a, mode, reflected, m)
    return factors_of_each(a, mode, thin, min(m, n))


def factors_of_each(a, mode, factors, size):
    """Of a matrix, or of each of a stack: Q of so many columns, and R, or R alone."""
    if a.ndim == 2:
        q, upper = factors(a)
        return upper if mode == "r" else QRResult(q, upper)
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    flat = matrices(a)
    left, uppers = np.empty((len(flat), m, size), a.dtype), np.empty((len(flat), size, n), a.dtype)
    for k in range(len(flat)):
        left[k], uppers[k] = factors(flat[k])
    lead = a.shape[: a.ndim - 2]
    uppers = uppers.reshape(lead + (size, n))
    return uppers if mode == "r" else QRResult(left.reshape(lead + (m, size)), uppers)


def thin(a):
    """Q and R of as many columns and rows as the smaller side has; what is right of a square R is Q' times it."""
    m, n = a.shape
    size = min(m, n)
    factors = orthogonal_factors(a[:, :size])
    q, upper = factors[0], np.empty((size, n), a.dtype)
    upper[:, :size] = factors[1, :size]
    upper[:, size:] = q.T @ a[:, size:]
    return q, upper


def reflected(a):
    """Q and R of a square Q."""
    m, n = a.shape
    r, q = a.copy(), np.eye(m, dtype=a.dtype)
    for k in range(min(m - 1, n)):
        reflect(r, q, k)
    return q, np.triu(r)


def reflect(r, q, k):
    """Column k of r without what is below its diagonal; q times the same reflection."""
    m, n = r.shape
    below = 0.0
    for i in range(k + 1, m):
        below += r[i, k] ** 2
    if below == 0.0:
        return
    size = np.sqrt(r[k, k] ** 2 + below)
    head = r[k, k] + (size if r[k, k] >= 0.0 else -size)
    v = np.zeros(m)
    v[k] = head
    for i in range(k + 1, m):
        v[i] = r[i, k]
    scale = 2.0 / (head**2 + below)
    for j in range(n):
        along = 0.0
        for i in range(k, m):
            along += v[i] * r[i, j]
        for i in range(k, m):
            r[i, j] -= scale * along * v[i]
    for i in range(m):
        along = 0.0
        for j in range(k, m):
            along += q[i, j] * v[j]
        for j in range(k, m):
            q[i, j] -= scale * along * v[j]


@stands_for("numpy.linalg.matrix_power", generic=True)
def matrix_power(a, n):
    """By squaring; of the inverse for n below 0."""
    a = square(a)
    if not isinstance(n, int | np.integer):
        refused("exponent must be an integer")
    if n == 1:
        return a
    if n == 0:
        return np.broadcast_to(np.eye(a.shape[a.ndim - 1]), a.shape).astype(a.dtype)
    base = power_base(a, n)
    left = -n if n < 0 else n
    while left % 2 == 0:
        base = base @ base
        left //= 2
    made = base
    while left > 1:
        base = base @ base
        left //= 2
        if left % 2 == 1:
            made = made @ base
    return made


def power_base(a, n):
    """The matrix or its inverse; of ints that has another dtype, which an exponent that is not known cannot say."""
    if a.dtype.kind not in "iub" or is_known(n):
        return np.linalg.inv(a) if n < 0 else a
    if n < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return a


@stands_for("numpy.linalg.multi_dot", generic=True)
def multi_dot(arrays):
    """From the left."""
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    made = np.asarray(arrays[0])
    for k in range(len(arrays)):
        ndim = np.ndim(arrays[k])
        if len(arrays) > 2 and (ndim > 2 or ndim < 2 and 0 < k < len(arrays) - 1):
            raise np.linalg.LinAlgError(f"{ndim}-dimensional array given. Array must be two-dimensional")
        made = np.dot(made, arrays[k]) if k > 0 else made
    return made


@stands_for("numpy.linalg.trace", generic=True)
def trace(x, offset=0, dtype=None):
    return np.trace(x, offset, -2, -1, dtype)


@stands_for("numpy.linalg.diagonal", generic=True)
def diagonal(x, offset=0):
    return np.diagonal(x, offset, -2, -1)


@stands_for("numpy.linalg.outer", generic=True)
def outer(x1, x2):
    a, b = np.asarray(x1), np.asarray(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={a.ndim} and x2.ndim={b.ndim}."
        )
    return np.outer(a, b)


@stands_for("numpy.linalg.matmul", generic=True)
def matmul(x1, x2):
    return np.matmul(x1, x2)


@stands_for("numpy.matvec", generic=True)
def matvec(x1, x2):
    if np.ndim(x1) < 2:
        refused("matvec: Input operand 0 does not have enough dimensions: it takes matrices and vectors")
    return np.matmul(x1, np.asarray(x2)[..., None])[..., 0]


@stands_for("numpy.vecmat")
def vecmat(x1, x2):
    if np.ndim(x2) < 2:
        refused("vecmat: Input operand 1 does not have enough dimensions: it takes vectors and matrices")
    return np.matmul(np.asarray(x1)[..., None, :], x2)[..., 0, :]


@stands_for("numpy.linalg.tensordot", generic=True)
def tensordot(x1, x2, axes=2):
    return np.tensordot(x1, x2, axes)


@stands_for("numpy.linalg.cross", generic=True)
def cross(x1, x2, axis=-1):
    return np.cross(x1, x2, axis=axis)


@stands_for("numpy.vecdot")
@stands_for("numpy.linalg.vecdot")
def vecdot(x1, x2, axis=-1):
    """In the operands' own dtype."""
    x1, x2 = np.asarray(x1), np.asarray(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        refused("vecdot: an operand does not have enough dimensions: it takes vectors")
    n, m = x1.shape[axis], x2.shape[axis]
    if n != m:
        raise ValueError(
            "vecdot: Input operand 1 has a mismatch in its core dimension 0, "
            f"with gufunc signature (n),(n)->() (size {m} is different from {n})"
        )
    terms = x1 * x2
    return np.any(terms, axis) if terms.dtype.kind == "b" else np.sum(terms, axis, dtype=terms.dtype)


@stands_for("numpy.linalg.vector_norm", generic=True)
def vector_norm(x, axis=None, keepdims=False, ord=2):
    """Over several axes, or all where none is given, that of all their elements."""
    x = np.asarray(x)
    if axis is None:
        made = np.linalg.norm(x.reshape(-1), ord)
        return made.reshape((1,) * x.ndim) if keepdims else made
    if not isinstance(axis, tuple):
        return np.linalg.norm(x, ord, axis, keepdims)
    last = np.moveaxis(x, axis, tuple(range(x.ndim - len(axis), x.ndim)))
    lead, over = last.shape[: x.ndim - len(axis)], last.shape[x.ndim - len(axis) :]
    made = np.linalg.norm(last.reshape(lead + (math.prod(over),)), ord, -1)
    return np.expand_dims(made, axis) if keepdims else made


@stands_for("numpy.linalg.matrix_norm", generic=True)
def matrix_norm(x, keepdims=False, ord="fro"):
    return np.linalg.norm(x, ord, (-2, -1), keepdims)
