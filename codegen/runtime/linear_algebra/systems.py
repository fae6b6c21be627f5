"""Linear systems, determinants and factors of one matrix by NumPy, without exceptions; compiled: elimination.py.

    solved(a, b)        the x with a @ x = b, b a vector or the columns of a matrix; NaN where a is singular
    solved_lower(a, b)  the same for what is on and below the diagonal of a
    solved_turned(a, b) the same for that turned round, a.T @ x = b
    is_singular(a)      whether a pivot of a is 0

Of what elimination leaves: the determinant, its sign and the log of its size, Cholesky's factor.
"""

import numpy as np


def solved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """np.linalg.solve; NaN where the matrix is singular."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.full_like(b, np.nan)


def solved_lower(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By substitution, row after row."""
    x = b.copy()
    with np.errstate(all="ignore"):
        for k in range(len(a)):
            x[k] = (x[k] - a[k, :k] @ x[:k]) / a[k, k]
    return x


def solved_turned(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By substitution, from the last row on."""
    return solved_lower(a.T[::-1, ::-1], b[::-1])[::-1]


def is_singular(a: np.ndarray) -> np.bool_:
    """Whether a pivot of the matrix is 0."""
    with np.errstate(all="ignore"):
        return np.bool_(np.linalg.slogdet(a)[0] == 0.0)


def determinant(a: np.ndarray) -> np.floating:
    """np.linalg.det: the product of the pivots."""
    with np.errstate(all="ignore"):
        return np.linalg.det(a)


def cofactors(a: np.ndarray) -> np.ndarray:
    """How the determinant changes with each element: by the inverse or, of a singular matrix, by singular values."""
    with np.errstate(all="ignore"):
        size = np.linalg.det(a)
        if size != 0.0 or np.linalg.slogdet(a)[0] != 0.0:
            return (size * np.linalg.inv(a).T).astype(a.dtype)
        left, values, right = np.linalg.svd(a)
        others = [np.prod(np.delete(values, k)) for k in range(len(a))]
        turn = np.linalg.det(left) * np.linalg.det(right)
        return ((turn * left * np.array(others)) @ right).astype(a.dtype)


def determinant_sign(a: np.ndarray) -> np.floating:
    """1.0, -1.0, or 0.0 of a singular matrix."""
    with np.errstate(all="ignore"):
        return np.linalg.slogdet(a)[0]


def log_determinant(a: np.ndarray) -> np.floating:
    """log |det a|, -inf of a singular matrix."""
    with np.errstate(all="ignore"):
        return np.linalg.slogdet(a)[1]


def lu_factors(a: np.ndarray) -> np.ndarray:
    """What those below are read off: NumPy gives no factors, and these read the matrix itself. Compiled, the first
    part has both factors of the transposed matrix, the first row of the second the rows that its pivots came from."""
    return np.stack((a, np.zeros_like(a)))


def log_determinant_in(factors: np.ndarray, a: np.ndarray) -> np.floating:
    with np.errstate(all="ignore"):
        return np.linalg.slogdet(a)[1]


def determinant_sign_in(factors: np.ndarray, a: np.ndarray) -> np.floating:
    return determinant_sign(a)


def inverse_in(factors: np.ndarray, a: np.ndarray) -> np.ndarray:
    """NaN of a singular matrix."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return np.full_like(a, np.nan)


def cholesky_factor(a: np.ndarray) -> np.ndarray:
    """np.linalg.cholesky, NaN of NaN; -1, which no diagonal of a factor has, of what is not positive definite."""
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return np.full_like(a, -1.0)


def factor_change(factor: np.ndarray, t: np.ndarray) -> np.ndarray:
    """How Cholesky's factor changes with what is on and below the diagonal: L phi(L^-1 dA L^-T), phi the lower half
    with half the diagonal (Smith 1995; Murray 2016, eq. 8)."""
    both = np.tril(t) + np.tril(t, -1).T
    return np.tril(factor) @ half(solved_lower(factor, solved_lower(factor, both).T).T)


def factor_cotangent(factor: np.ndarray, ct: np.ndarray) -> np.ndarray:
    """The transpose of that: what a cotangent of the factor is one of, below the diagonal what both sides have."""
    left = solved_turned(factor, half(np.tril(factor).T @ np.tril(ct)))
    made = solved_turned(factor, left.T).T
    return np.tril(made) + np.tril(made.T, -1)


def half(a: np.ndarray) -> np.ndarray:
    return np.tril(a, -1) + np.diag(0.5 * np.diag(a))
