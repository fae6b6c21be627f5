"""scipy.linalg: systems, triangular ones too, Cholesky's and Gauss's factors as SciPy hands them on.

Of stacks each matrix; a right side with one axis is a vector. Of complex matrices the triangles are gone through here.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.matrices import each_system, floats, is_narrow
from codegen.definitions.table import refused, stands_for
from codegen.runtime.linear_algebra.factors import order_of_rows, pivoted_factors
from codegen.runtime.linear_algebra.systems import solved_lower, solved_turned


def lapack_floats(x):
    """What SciPy computes in."""
    x = np.asarray(x)
    if x.dtype.kind == "c":
        return x
    return x.astype(np.float32) if is_narrow(x) else floats(x)


def finite_matrices(a, check_finite):
    a = finite(lapack_floats(a), check_finite)
    if a.ndim < 2:
        refused("scipy.linalg takes matrices: the array must be at least two-dimensional")
    return a


def square_matrices(a, check_finite):
    a = finite_matrices(a, check_finite)
    if a.shape[a.ndim - 2] != a.shape[a.ndim - 1]:
        raise ValueError("expected square matrix")
    return a


def one_matrix(a, check_finite):
    a = finite_matrices(a, check_finite)
    if a.ndim > 2:
        refused("this function of scipy.linalg takes one matrix: of more, call it in a loop or a batch")
    return a


def one_square(a, check_finite):
    return square_matrices(one_matrix(a, check_finite), False)


def finite(a, check_finite):
    if check_finite and not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


@stands_for("scipy.linalg.inv", generic=True)
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    return np.linalg.inv(of_structure(square_matrices(a, check_finite), assume_a, lower))


@stands_for("scipy.linalg.det", generic=True)
def det(a, overwrite_a=False, check_finite=True):
    a = square_matrices(a, check_finite)
    return np.linalg.det(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64))


@stands_for("scipy.linalg.solve", generic=True)
def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
):
    """Of what is assumed of a, that part of a is read which SciPy reads."""
    if np.asarray(a).dtype.kind not in "fc" and np.asarray(b).dtype.kind not in "fc":
        b = floats(b)
    a, b = square_matrices(a, check_finite), finite(lapack_floats(b), check_finite)
    if transposed and a.dtype.kind == "c":
        raise NotImplementedError(
            "scipy.linalg.solve can currently not solve a^T x = b or a^H x = b for complex matrices."
        )
    a = of_structure(a, assume_a, lower)
    return np.linalg.solve(np.swapaxes(a, -1, -2) if transposed else a, b)


def of_structure(a, assume_a, lower):
    """The matrix whose part is read that SciPy reads of one with this structure."""
    if assume_a is None or assume_a in ("gen", "general"):
        return a
    if assume_a in ("sym", "symmetric"):
        half = np.tril(a) if lower else np.swapaxes(np.triu(a), -1, -2)
        return half + np.swapaxes(np.tril(half, -1), -1, -2)
    if assume_a in ("her", "hermitian", "pos", "positive definite"):
        half = np.tril(a) if lower else adjoint(np.triu(a))
        a = half + adjoint(np.tril(half, -1))
        if assume_a in ("pos", "positive definite"):
            np.linalg.cholesky(a)  # which raises
        return a
    if assume_a in ("upper triangular", "lower triangular"):
        return np.triu(a) if assume_a == "upper triangular" else np.tril(a)
    if assume_a in ("diagonal", "tridiagonal"):
        beside = 0 if assume_a == "diagonal" else 1
        return np.tril(np.triu(a, -beside), beside)
    refused(
        "assume_a= is 'gen', 'sym', 'her', 'pos', 'diagonal', 'tridiagonal' or '... triangular' here",
    )
    return a


@stands_for("scipy.linalg.cholesky", generic=True)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """Of the triangle that is asked for."""
    return np.linalg.cholesky(square_matrices(a, check_finite), upper=not lower)


@stands_for("scipy.linalg.solve_triangular", generic=True)
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    a, b = square_matrices(a, check_finite), finite(lapack_floats(b), check_finite)
    if trans not in (0, 1, 2, "N", "T", "C"):
        refused("solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C'")
    if trans == 2 or trans == "C":
        a = np.conj(a)

    def solution(a, b):
        if b.ndim > 0 and a.shape[0] != b.shape[0]:
            raise ValueError(f"shapes of a {a.shape} and b {b.shape} are incompatible")
        if unit_diagonal:
            a = np.where(np.eye(len(a)) == 1.0, np.ones(1, a.dtype), a)
        diagonal = np.diag(a)
        for k in range(len(diagonal)):
            if diagonal[k] == 0.0 and b.size > 0:
                raise np.linalg.LinAlgError(f"singular matrix: resolution failed at diagonal {k}")
        if trans in (0, "N"):
            return lower_solution(a, b) if lower else turned_solution(a.T, b)
        return turned_solution(a, b) if lower else lower_solution(a.T, b)

    return each_system(solution, a, b)


def lower_solution(a, b):
    """The x with a @ x = b for what is on and below the diagonal of a."""
    return substituted(a, b) if a.dtype.kind == "c" else solved_lower(a, b)


def turned_solution(a, b):
    """The same of a.T."""
    return substituted(a.T[::-1, ::-1], b[::-1])[::-1] if a.dtype.kind == "c" else solved_turned(a, b)


def substituted(a, b):
    """By substitution, row after row."""
    x = b.astype((a.reshape(-1)[:0] + b.reshape(-1)[:0]).dtype)
    for k in range(len(a)):
        x[k] = (x[k] - a[k, :k] @ x[:k]) / a[k, k]
    return x


@stands_for("scipy.linalg.cho_factor", generic=True)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """The factor, beside what a has in the other triangle, and which it is; of a stack that is said of each."""
    a = square_matrices(a, check_finite)
    factor = np.linalg.cholesky(a, upper=not lower)
    made = np.tril(factor) + np.triu(a, 1) if lower else np.triu(factor) + np.tril(a, -1)
    return made, (lower if a.ndim == 2 else np.full(a.shape[: a.ndim - 2], lower))


@stands_for("scipy.linalg.cho_solve", generic=True)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    c, b = square_matrices(c, check_finite), finite(lapack_floats(b), check_finite)
    if np.ndim(lower) > 0:  # as cho_factor says it of a stack
        c = np.where(lower[..., None, None], c, adjoint(c))
    elif not lower:
        c = adjoint(c)

    def solution(c, b):
        if b.ndim > 0 and c.shape[0] != b.shape[0]:
            raise ValueError(f"incompatible dimensions ({c.shape} and {b.shape})")
        return turned_solution(np.conj(c), lower_solution(c, b))

    return each_system(solution, c, b)


@stands_for("scipy.linalg.lu_factor", generic=True)
def lu_factor(a, overwrite_a=False, check_finite=True):
    """Both factors in one matrix, and with which row each one was exchanged."""
    a = one_matrix(a, check_finite)
    m, n = a.shape
    size = min(m, n)
    order, lower, upper = ordered_factors(a)
    made = np.zeros((m, n), a.dtype)
    made[:, :size] = np.tril(lower, -1)
    made[:size] += upper
    pivots, at, there = (
        np.empty(size, np.int32),
        np.arange(m),
        np.arange(m),
    )  # the row at a place; where a row is
    for k in range(size):
        place, row = there[order[k]], at[k]
        pivots[k] = place
        at[place], there[row] = row, place
    return made, pivots


@stands_for("scipy.linalg.lu_solve", generic=True)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    lu, piv = lu_and_piv
    lu, b = one_square(lu, check_finite), finite(lapack_floats(b), check_finite)
    if b.ndim < 1 or b.ndim > 2:
        refused("lu_solve takes a vector or a matrix beside the factors of one matrix")
    if trans not in (0, 1, 2):
        refused("lu_solve: trans must be 0, 1 or 2")
    n = len(lu)
    if n != len(b):
        raise ValueError(f"Shapes of lu {lu.shape} and b {b.shape} are incompatible")
    order = np.arange(n)
    for k in range(n):
        kept = order[k]
        order[k] = order[piv[k]]
        order[piv[k]] = kept
    lower = np.where(np.eye(n) == 1.0, np.ones(1, lu.dtype), lu)
    if trans == 0:
        return turned_solution(lu.T, lower_solution(lower, b[order]))
    if trans == 2:
        lower, lu = np.conj(lower), np.conj(lu)
    return turned_solution(lower, lower_solution(lu.T, b))[np.argsort(order)]


@stands_for("scipy.linalg.lu", generic=True)
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """By elimination with the largest pivots: the order of the rows as a matrix, or as places, and both factors; of the
    order times the first factor one, where that is asked for."""
    a = one_matrix(a, check_finite)
    m, n = a.shape
    order, lower, upper = ordered_factors(a)
    if permute_l:
        turned = np.empty(lower.shape, a.dtype)
        turned[order] = lower
        return turned, upper
    rows = m if n > 0 else 0  # SciPy has no order of what has no columns
    if p_indices:
        return np.argsort(order[:rows]).astype(np.int32), lower, upper
    return (np.arange(rows)[:, None] == order[:rows]).astype(a.real.dtype), lower, upper


def ordered_factors(a):
    """The order of the rows, both factors."""
    m, n = a.shape
    size = min(m, n)
    head = a[:, :size]
    if a.dtype.kind == "c":
        order, both = eliminated(head)
    else:
        factors = pivoted_factors(head)
        order, both = order_of_rows(factors, head), factors[0]
    places = np.arange(m)
    lower = np.where(places[:, None] == places[:size], np.ones(1, a.dtype), np.tril(both, -1))
    upper = np.empty((size, n), a.dtype)
    upper[:, :size] = np.triu(both[:size])
    upper[:, size:] = lower_solution(lower[:size], a[order[:size], size:])
    return order, lower, upper


def eliminated(a):
    """The order of the rows, and both factors in one matrix: each pivot is the largest of a column by the sum of its
    parts' sizes, as LAPACK has it."""
    order, u = np.arange(len(a)), a.copy()
    for k in range(a.shape[1]):
        place = k + np.argmax(np.abs(u[k:, k].real) + np.abs(u[k:, k].imag))
        row, where = u[k].copy(), order[k]
        u[k], order[k] = u[place].copy(), order[place]
        u[place], order[place] = row, where
        if u[k, k] != 0.0:
            u[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
        u[k + 1 :, k + 1 :] -= np.outer(u[k + 1 :, k], u[k, k + 1 :])
    return order, u
