"""Singular values and pseudoinverses, what decompositions.py says, by rotations as loops over numbers, which lanes
take: their matrices are parts of larger arrays. Signs of vectors are other ones than LAPACK's (lapack.py).
"""

import numpy as np
from numba import njit


@njit(error_model="numpy")
def rotation(difference: float, twice: float) -> tuple[float, float]:
    """Cosine and sine that make off-diagonal numbers 0, of the smaller angle (Golub and Van Loan 2013, section 8.5)."""
    ratio = difference / twice
    size = abs(ratio)
    t = 1.0 / (size + np.sqrt(1.0 + size * size)) if size < 1e150 else 0.5 / size
    t = t if ratio >= 0.0 else -t
    c = 1.0 / np.sqrt(1.0 + t * t)
    return c, t * c


@njit(error_model="numpy")
def turn(made: np.ndarray, part: int, rows: int, p: int, q: int, c: float, s: float) -> None:
    """Columns p and q of a part."""
    for i in range(rows):
        first = made[part, i, p]
        second = made[part, i, q]
        made[part, i, p] = c * first - s * second
        made[part, i, q] = s * first + c * second


@njit(error_model="numpy")
def singular_system_by_rotations(a: np.ndarray, wide: int) -> np.ndarray:
    """Hestenes': columns p and q turn until they are at right angles (Golub and Van Loan 2013, section 8.6)."""
    m, n = a.shape
    made = np.zeros((3, m, n), a.dtype)
    total = 0.0
    for i in range(m):
        for j in range(n):
            made[0, i, j] = a[i, j]
            total += a[i, j] * a[i, j]
    for j in range(n):
        made[1, j, j] = 1.0
    left = total < np.inf
    if not left:
        made.fill(np.nan)
    sweeps = 0
    while left and sweeps < 60:
        left = False
        sweeps += 1
        for p in range(n - 1):
            for q in range(p + 1, n):
                alpha, beta, gamma = 0.0, 0.0, 0.0
                for i in range(m):
                    alpha += made[0, i, p] * made[0, i, p]
                    beta += made[0, i, q] * made[0, i, q]
                    gamma += made[0, i, p] * made[0, i, q]
                size = np.sqrt(alpha * beta)
                if size + 0.125 * abs(gamma) > size:
                    left = True
                    c, s = rotation(beta - alpha, 2.0 * gamma)
                    turn(made, 0, m, p, q, c, s)
                    turn(made, 1, n, p, q, c, s)
    for j in range(n):
        squares = 0.0
        for i in range(m):
            squares += made[0, i, j] * made[0, i, j]
        made[2, 0, j] = np.sqrt(squares)
    for k in range(n):
        most = k
        for j in range(k + 1, n):
            if made[2, 0, j] > made[2, 0, most]:
                most = j
        value = made[2, 0, most]
        made[2, 0, most] = made[2, 0, k]
        made[2, 0, k] = value
        for i in range(m):
            vector = made[0, i, most]
            made[0, i, most] = made[0, i, k]
            made[0, i, k] = vector / value if value > 0.0 else vector
        for i in range(n):
            vector = made[1, i, most]
            made[1, i, most] = made[1, i, k]
            made[1, i, k] = vector
        if value == 0.0:
            put_normal(made, k)
    return made


@njit(error_model="numpy")
def full_singular_system_by_rotations(a: np.ndarray, wide: int) -> np.ndarray:
    """What is at right angles to the columns, beside them."""
    m, n = a.shape
    system = singular_system_by_rotations(a, wide)
    made = np.zeros((3, m, m), a.dtype)
    for part in range(3):
        for i in range(m):
            for j in range(n):
                made[part, i, j] = system[part, i, j]
    for k in range(n, m):
        put_normal(made, k)
    return made


@njit(error_model="numpy")
def put_normal(made: np.ndarray, k: int) -> None:
    """Column k of the first part becomes a unit vector at right angles to those before it: what is left of an axis."""
    m = made.shape[1]
    axis, most = 0, -1.0
    for i in range(m):
        rest = 1.0
        for j in range(k):
            rest -= made[0, i, j] * made[0, i, j]
        if rest > most:
            axis, most = i, rest
    for i in range(m):
        made[0, i, k] = 1.0 if i == axis else 0.0
    for _ in range(2):
        for j in range(k):
            along = 0.0
            for i in range(m):
                along += made[0, i, j] * made[0, i, k]
            for i in range(m):
                made[0, i, k] -= along * made[0, i, j]
    squares = 0.0
    for i in range(m):
        squares += made[0, i, k] * made[0, i, k]
    size = np.sqrt(squares)
    for i in range(m):
        made[0, i, k] /= size


@njit(error_model="numpy")
def singular_values_of_system(system: np.ndarray, a: np.ndarray) -> np.ndarray:
    values = np.zeros(a.shape[1], a.dtype)
    for k in range(a.shape[1]):
        values[k] = system[2, 0, k]
    return values


@njit(error_model="numpy")
def singular_values_by_rotations(a: np.ndarray, wide: int) -> np.ndarray:
    return singular_values_of_system(singular_system_by_rotations(a, wide), a)


@njit(error_model="numpy")
def pseudoinverse_of_system(system: np.ndarray, cutoff: float) -> np.ndarray:
    """V S^-1 U' without what is small."""
    m, n = system.shape[1], system.shape[2]
    made = np.zeros((n, m), system.dtype)
    for k in range(n):
        value = system[2, 0, k]
        if not value <= cutoff * system[2, 0, 0]:  # NaN goes on
            for i in range(n):
                scaled = system[1, i, k] / value
                for j in range(m):
                    made[i, j] += scaled * system[0, j, k]
    return made


@njit(error_model="numpy")
def pseudoinverse_by_rotations(a: np.ndarray, cutoff: float) -> np.ndarray:
    if a.shape[0] < a.shape[1]:
        return pseudoinverse_of_system(singular_system_by_rotations(a.T.copy(), 1), cutoff).T.copy()
    return pseudoinverse_of_system(singular_system_by_rotations(a, 0), cutoff)
