"""scipy.linalg: matrices of blocks, triangular systems, Cholesky's factor as SciPy hands it on, the exponential."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.matrices import floats, is_narrow
from codegen.definitions.table import refused, stands_for
from codegen.runtime.linear_algebra.factors import order_of_rows, pivoted_factors
from codegen.runtime.linear_algebra.systems import solved_lower, solved_turned


def lapack_floats(x):
    """What SciPy computes in."""
    x = np.asarray(x)
    return x.astype(np.float32) if is_narrow(x) else floats(x)


def one_matrix(a, check_finite):
    a = lapack_floats(a)
    if a.ndim != 2:
        refused("scipy.linalg takes one square matrix: of more, call it in a loop or a batch")
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    return finite(a, check_finite)


def finite(a, check_finite):
    if check_finite and not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


@stands_for("scipy.linalg.block_diag")
def block_diag(arrs):
    """Each matrix below the ones before it and to their right, vectors as rows; 0 elsewhere."""
    blocks = [np.atleast_2d(np.asarray(each)) for each in arrs]
    if len(blocks) == 0:
        return np.zeros((1, 0))
    height, width = 0, 0
    for block in blocks:
        if block.ndim > 2:
            refused("block_diag takes vectors and matrices: of more, call it in a loop or a batch")
        height, width = height + block.shape[0], width + block.shape[1]
    made = np.zeros((height, width), np.concatenate([block.reshape(-1) for block in blocks]).dtype)
    row, column = 0, 0
    for block in blocks:
        m, n = block.shape
        made[row : row + m, column : column + n] = block
        row, column = row + m, column + n
    return made


@stands_for("scipy.linalg.inv")
def inv(a, overwrite_a=False, check_finite=True):
    return np.linalg.inv(one_matrix(a, check_finite))


@stands_for("scipy.linalg.det")
def det(a, overwrite_a=False, check_finite=True):
    return np.linalg.det(one_matrix(a, check_finite).astype(np.float64))


@stands_for("scipy.linalg.solve")
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
    if np.asarray(a).dtype.kind != "f" and np.asarray(b).dtype.kind != "f":
        b = floats(b)
    a, b = one_matrix(a, check_finite), finite(lapack_floats(b), check_finite)
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        half = np.tril(a) if lower else np.triu(a).T
        a = half + np.tril(half, -1).T
        if assume_a in ("pos", "positive definite"):
            np.linalg.cholesky(a)  # which raises
    elif assume_a in ("upper triangular", "lower triangular"):
        a = np.triu(a) if assume_a == "upper triangular" else np.tril(a)
    elif assume_a == "diagonal":
        a = np.diag(np.diag(a))
    elif assume_a not in (None, "gen", "general"):
        refused("solve: assume_a= is 'gen', 'sym', 'her', 'pos', 'diagonal' or '... triangular' here")
    return np.linalg.solve(a.T if transposed else a, b)


@stands_for("scipy.linalg.cholesky")
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """Of the triangle that is asked for."""
    a = one_matrix(a, check_finite)
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a.T).T


@stands_for("scipy.linalg.solve_triangular")
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    a, b = one_matrix(a, check_finite), finite(lapack_floats(b), check_finite)
    if b.ndim > 0 and a.shape[0] != b.shape[0]:
        raise ValueError(f"shapes of a {a.shape} and b {b.shape} are incompatible")
    if trans not in (0, 1, 2, "N", "T", "C"):
        refused("solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C'")
    if unit_diagonal:
        a = np.where(np.eye(len(a)) == 1.0, np.ones(1, a.dtype), a)
    diagonal = np.diag(a)
    for k in range(len(diagonal)):
        if diagonal[k] == 0.0 and b.size > 0:
            raise np.linalg.LinAlgError(f"singular matrix: resolution failed at diagonal {k}")
    if trans in (0, "N"):
        return solved_lower(a, b) if lower else solved_turned(a.T, b)
    return solved_turned(a, b) if lower else solved_lower(a.T, b)


@stands_for("scipy.linalg.cho_factor")
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """The factor, beside what a has in the other triangle, and which it is."""
    a = one_matrix(a, check_finite)
    n = np.arange(len(a))
    if lower:
        return np.where(n[:, None] >= n, np.linalg.cholesky(a), a), lower
    return np.where(n[:, None] <= n, np.linalg.cholesky(a.T).T, a), lower


@stands_for("scipy.linalg.cho_solve")
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    c, b = one_matrix(c, check_finite), finite(lapack_floats(b), check_finite)
    if b.ndim > 0 and c.shape[0] != b.shape[0]:
        raise ValueError(f"incompatible dimensions ({c.shape} and {b.shape})")
    factor = c if lower else c.T
    return solved_turned(factor, solved_lower(factor, b))


@stands_for("scipy.linalg.expm")
def expm(A):
    """By a Padé approximant of order 13 of what is scaled down, squared as often (Higham 2005, algorithm 2.3)."""
    a = floats(A)
    if a.ndim != 2:
        refused("expm takes one square matrix: of more, call it in a loop or a batch")
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    kind = a.dtype
    size = np.max(np.sum(np.abs(a), 0), initial=0.0)
    steps = math.ceil(np.log2(size / 5.371920351148152)) if size > 5.371920351148152 else 0
    a = a / 2.0**steps
    one, a2 = np.eye(len(a)), a @ a
    a4, a6 = a2 @ a2, a2 @ a2 @ a2
    odd = a6 @ (a6 + 16380.0 * a4 + 40840800.0 * a2)
    odd = a @ (
        odd + 33522128640.0 * a6 + 10559470521600.0 * a4 + 1187353796428800.0 * a2 + 32382376266240000.0 * one
    )
    even = a6 @ (182.0 * a6 + 960960.0 * a4 + 1323241920.0 * a2)
    even = (
        even
        + 670442572800.0 * a6
        + 129060195264000.0 * a4
        + 7771770303897600.0 * a2
        + 64764752532480000.0 * one
    )
    made = np.linalg.solve(even - odd, even + odd)
    for _ in range(steps):
        made = made @ made
    return made.astype(kind)


@stands_for("scipy.linalg.toeplitz")
def toeplitz(c, r=None):
    """Constant along each diagonal: c down the first column, r along the first row."""
    c = np.asarray(c)
    r = c if r is None else np.asarray(r)
    if c.ndim != 1 or r.ndim != 1:
        refused("toeplitz takes vectors")
    along = np.concatenate((c[::-1], r[1:]))
    made = np.empty((len(c), len(r)), along.dtype)
    for i in range(len(c)):
        made[i] = along[len(c) - 1 - i : len(c) - 1 - i + len(r)]
    return made


@stands_for("scipy.linalg.lu")
def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """By elimination with the largest pivots: the order of the rows as a matrix, both factors; of the order times the
    first factor one, where that is asked for."""
    a = finite(lapack_floats(a), check_finite)
    if a.ndim != 2:
        refused("lu takes one matrix: of more, call it in a loop or a batch")
    m, n = a.shape
    size = min(m, n)
    head = a[:, :size]
    factors = pivoted_factors(head)
    order, both = order_of_rows(factors, head), factors[0]
    places = np.arange(m)
    lower = np.where(places[:, None] == places[:size], np.ones(1, a.dtype), np.tril(both, -1))
    upper = np.empty((size, n), a.dtype)
    upper[:, :size] = np.triu(both[:size])
    upper[:, size:] = solved_lower(lower[:size], a[order[:size], size:])
    if permute_l:
        turned = np.empty(lower.shape, a.dtype)
        turned[order] = lower
        return turned, upper
    rows = m if size > 0 else 0  # SciPy has no order of what has no columns
    return (places[:rows, None] == order[:rows]).astype(a.dtype), lower, upper


@stands_for("scipy.linalg.solve_banded")
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """By elimination with the largest pivots. A row of `band` is a row of the matrix, from l places before the diagonal
    to the u + l places after it that exchanges of rows reach."""
    lower, upper = l_and_u
    ab, b = finite(floats(ab), check_finite), finite(floats(b), check_finite)
    n, reach = len(b), lower + upper
    if lower + upper + 1 != ab.shape[0]:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({lower + upper + 1}) "
            f"does not equal ab.shape[0] ({ab.shape[0]})"
        )
    if ab.shape[1] != n:
        raise ValueError("shapes of ab and b are not compatible.")
    band = np.zeros((n, reach + lower + 1), (ab.reshape(-1)[:0] + b.reshape(-1)[:0]).dtype)
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            band[i, j - i + lower] = ab[upper + i - j, j]
    if n == 0:
        return b.astype(band.dtype)
    x = b.astype(band.dtype).reshape((n, b.size // n)).copy()
    for k in range(n):
        bring_pivot(band, x, k, lower, reach)
        for i in range(k + 1, min(n, k + lower + 1)):
            factor = band[i, k - i + lower] / band[k, lower]
            for j in range(k + 1, min(n, k + reach + 1)):
                band[i, j - i + lower] -= factor * band[k, j - k + lower]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, min(n, k + reach + 1)):
            x[k] -= band[k, j - k + lower] * x[j]
        x[k] /= band[k, lower]
    return x.reshape(b.shape)


def bring_pivot(band, x, k, lower, reach):
    """Exchange row k and the one below it that has the largest number in column k."""
    n, best = len(band), k
    for i in range(k + 1, min(n, k + lower + 1)):
        if abs(band[i, k - i + lower]) > abs(band[best, k - best + lower]):
            best = i
    if band[best, k - best + lower] == 0.0:
        raise np.linalg.LinAlgError("singular matrix")
    if best != k:
        for j in range(k, min(n, k + reach + 1)):
            kept = band[k, j - k + lower]
            band[k, j - k + lower] = band[best, j - best + lower]
            band[best, j - best + lower] = kept
        row = x[k].copy()
        x[k] = x[best]
        x[best] = row


@stands_for("scipy.linalg.solve_sylvester")
def solve_sylvester(a, b, q):
    """a x + x b = q, as one system for the elements of x: m n equations, where Schur's form would have m**2 + n**2."""
    a, b, q = one_matrix(a, False), one_matrix(b, False), floats(q)
    m, n = len(a), len(b)
    if q.ndim != 2:
        refused("solve_sylvester takes matrices")
    if q.shape[0] != m or q.shape[1] != n:
        raise ValueError("Matrices need to be of compatible size.")
    left = np.kron(a, np.eye(n)) + np.kron(np.eye(m), b.T)
    return np.linalg.solve(left, q.reshape(-1)).reshape((m, n))
