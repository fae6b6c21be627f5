"""Systems of linear equations as loops over numbers, which lanes take, whose matrices are parts of larger arrays; of
singular matrices they say what systems.py does. By LAPACK: lapack.py.
"""

import numpy as np
from numba import njit

# Of this size and more, loops over whole rows, of a known count, take less time than over what is left of rows.
WHOLE_ROWS = 32


@njit(error_model="numpy")
def eliminate(u: np.ndarray, x: np.ndarray) -> float:
    """Make u upper triangular, and the same of x, by rows of the largest pivots.

    The sign of the order that the rows come in, 0.0 where a pivot is 0.
    """
    sign = 1.0
    for k in range(len(u)):
        pivot = k
        most = abs(u[k, k])
        for i in range(k + 1, len(u)):
            size = abs(u[i, k])
            if size > most:
                pivot = i
                most = size
        if most == 0.0:
            sign = 0.0
        if pivot != k:
            sign = -sign
            for j in range(first_column(k, len(u)), len(u)):
                above = u[k, j]
                u[k, j] = u[pivot, j]
                u[pivot, j] = above
            swap_rows(x, k, pivot)
        for i in range(k + 1, len(u)):
            factor = u[i, k] / u[k, k]
            for j in range(first_column(k, len(u)), len(u)):
                u[i, j] -= factor * u[k, j]
            take_row(x, i, factor, k)
    return sign


@njit(error_model="numpy")
def swap_rows(x: np.ndarray, k: int, pivot: int) -> None:
    """Of a vector numbers."""
    if x.ndim == 1:
        above = x[k]
        x[k] = x[pivot]
        x[pivot] = above
    else:
        for c in range(x.shape[1]):
            number = x[k, c]
            x[k, c] = x[pivot, c]
            x[pivot, c] = number


@njit(error_model="numpy")
def take_row(x: np.ndarray, i: int, factor: float, k: int) -> None:
    """x[i] -= factor * x[k]"""
    if x.ndim == 1:
        x[i] -= factor * x[k]
    else:
        for c in range(x.shape[1]):
            x[i, c] -= factor * x[k, c]


@njit(error_model="numpy")
def divide_row(x: np.ndarray, k: int, pivot: float) -> None:
    if x.ndim == 1:
        x[k] /= pivot
    else:
        for c in range(x.shape[1]):
            x[k, c] /= pivot


@njit(error_model="numpy")
def first_column(k: int, n: int) -> int:
    """Where the work on a row of n numbers begins, of which those before k are not read again."""
    return k if n < WHOLE_ROWS else 0


@njit(error_model="numpy")
def solved_by_elimination(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a @ x = b, NaN where a is singular, as LAPACK's getrf and getrs have it."""
    u = a.copy()
    x = b.copy()
    sign = eliminate(u, x)
    for k in range(len(u) - 1, -1, -1):
        divide_row(x, k, u[k, k])
        for i in range(k):
            take_row(x, i, u[i, k], k)
    if sign == 0.0:
        x.fill(np.nan)
    return x


@njit(error_model="numpy")
def is_singular_by_elimination(a: np.ndarray) -> bool:
    """Whether a pivot of the matrix is 0."""
    return eliminate(a.copy(), np.zeros(len(a), a.dtype)) == 0.0


@njit(error_model="numpy")
def solved_lower_by_substitution(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a @ x = b of what is on and below the diagonal of a, row after row."""
    x = b.copy()
    for k in range(len(a)):
        for j in range(k):
            take_row(x, k, a[k, j], j)
        divide_row(x, k, a[k, k])
    return x


@njit(error_model="numpy")
def solved_turned_by_substitution(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a.T @ x = b of the same, from the last row on."""
    x = b.copy()
    for k in range(len(a) - 1, -1, -1):
        divide_row(x, k, a[k, k])
        for j in range(k):
            take_row(x, j, a[k, j], k)
    return x


@njit(error_model="numpy")
def determinant_by_elimination(a: np.ndarray) -> float:
    """The product of the pivots."""
    u = a.copy()
    made = eliminate(u, np.zeros(len(u), u.dtype))
    if made == 0.0:
        return 0.0
    for k in range(len(u)):
        made *= u[k, k]
    return made


@njit(error_model="numpy")
def determinant_sign_by_elimination(a: np.ndarray) -> float:
    """The sign of the determinant, 0.0 of a singular matrix."""
    u = a.copy()
    sign = eliminate(u, np.zeros(len(u), u.dtype))
    if sign == 0.0:
        return 0.0
    for k in range(len(u)):
        sign *= np.sign(u[k, k])
    return sign


@njit(error_model="numpy")
def log_determinant_by_elimination(a: np.ndarray) -> float:
    """log |det a|, -inf of a singular matrix."""
    u = a.copy()
    if eliminate(u, np.zeros(len(u), u.dtype)) == 0.0:
        return -np.inf
    size = 0.0
    for k in range(len(u)):
        size += np.log(abs(u[k, k]))
    return size


@njit(error_model="numpy")
def factored_by_elimination(a: np.ndarray) -> np.ndarray:
    """Cholesky's factor; -1 where the matrix is not positive definite."""
    factor = np.zeros_like(a)
    if len(a) >= WHOLE_ROWS:
        return factored_in_rows(a, factor)
    regular = True
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            if i > j:
                factor[i, j] = rest / factor[j, j]
            elif rest <= 0.0:
                regular = False
            else:
                factor[i, i] = np.sqrt(rest)
    if not regular:
        factor.fill(-1.0)
    return factor


@njit(error_model="numpy")
def factored_in_rows(a: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """The same of large matrices, with the transposed factor's rows, each of which is taken off those below."""
    n = len(a)
    u = np.empty_like(a)
    for i in range(n):
        for j in range(n):
            u[i, j] = a[j, i]
    regular = True
    for k in range(n):
        if u[k, k] <= 0.0:
            regular = False
        root = 1.0 / np.sqrt(u[k, k])
        for j in range(n):
            u[k, j] *= root
        for i in range(k + 1, n):
            above = u[k, i]
            for j in range(n):
                u[i, j] -= above * u[k, j]
    if not regular:
        factor.fill(-1.0)
        return factor
    for i in range(n):
        for j in range(i + 1):
            factor[i, j] = u[j, i]
    return factor


@njit(error_model="numpy")
def cofactors_by_elimination(a: np.ndarray) -> np.ndarray:
    """The transposed adjugate: P A Q = L U by the largest pivots, but for the last one, d, which may be 0:

    adj(A) = det(P) det(Q) Q adj(U) L^-1 P,  adj([[U1, u], [0, d]]) = det(U1) [[d U1^-1, -U1^-1 u], [0, 1]]
    """
    n, product, u, order = len(a), 1.0, a.copy(), np.arange(len(a))
    x, made = np.zeros_like(a), np.zeros_like(a)
    for k in range(n):
        x[k, k] = 1.0
    for k in range(n - 1):
        row, column, most = k, k, abs(u[k, k])
        for i in range(k, n):
            for j in range(k, n):
                size = abs(u[i, j])
                if size > most:
                    row, column, most = i, j, size
        if row != k:
            swap_rows(u, k, row)
            swap_rows(x, k, row)
            product = -product
        if column != k:
            product = -product
            place = order[k]
            order[k] = order[column]
            order[column] = place
            for i in range(n):
                number = u[i, k]
                u[i, k] = u[i, column]
                u[i, column] = number
        product *= u[k, k]
        pivot = u[k, k] if most != 0.0 else 1.0  # of two pivots that are 0 all cofactors are
        for i in range(k + 1, n):
            factor = u[i, k] / pivot
            for j in range(k, n):
                u[i, j] -= factor * u[k, j]
            take_row(x, i, factor, k)
    for c in range(n):
        last = x[n - 1, c]
        made[c, order[n - 1]] = product * last
        for i in range(n - 2, -1, -1):
            left = u[n - 1, n - 1] * x[i, c] - u[i, n - 1] * last
            for j in range(i + 1, n - 1):
                left -= u[i, j] * x[j, c]
            x[i, c] = left / (u[i, i] if u[i, i] != 0.0 else 1.0)
            made[c, order[i]] = product * x[i, c]
    return made
