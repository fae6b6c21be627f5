"""What unitary.py says, by rotations and reflections as loops over numbers, which lanes take. Phases of vectors are
other ones than LAPACK's (unitary_lapack.py), but those of orthogonal factors.

Two columns are turned so that an off-diagonal number w * size, |w| = 1, becomes 0: the second one times the conjugate
of w, then both as those of a real matrix with `size` there (Golub and Van Loan 2013, sections 8.5, 8.6).
"""

import numpy as np
from numba import njit

from codegen.runtime.linear_algebra.rotations import rotation


@njit(error_model="numpy")
def turn_columns(
    made: np.ndarray, part: int, rows: int, p: int, q: int, c: float, s: float, x: float, y: float
) -> None:
    """Columns p and q of two parts, the second one times x - iy."""
    for i in range(rows):
        re = made[part, i, p]
        im = made[part + 1, i, p]
        other_re = x * made[part, i, q] + y * made[part + 1, i, q]
        other_im = x * made[part + 1, i, q] - y * made[part, i, q]
        made[part, i, p] = c * re - s * other_re
        made[part + 1, i, p] = c * im - s * other_im
        made[part, i, q] = s * re + c * other_re
        made[part + 1, i, q] = s * im + c * other_im


@njit(error_model="numpy")
def turn_complex_rows(u: np.ndarray, p: int, q: int, c: float, s: float, x: float, y: float) -> None:
    """Rows p and q of two parts, the second one times x + iy."""
    for j in range(u.shape[2]):
        re = u[0, p, j]
        im = u[1, p, j]
        other_re = x * u[0, q, j] - y * u[1, q, j]
        other_im = x * u[1, q, j] + y * u[0, q, j]
        u[0, p, j] = c * re - s * other_re
        u[1, p, j] = c * im - s * other_im
        u[0, q, j] = s * re + c * other_re
        u[1, q, j] = s * im + c * other_im


@njit(error_model="numpy")
def size_of_parts(parts: np.ndarray) -> float:
    """The largest number; infinite where one is, or NaN."""
    most = 0.0
    for k in range(2):
        for i in range(parts.shape[1]):
            for j in range(parts.shape[2]):
                size = abs(parts[k, i, j])
                most = (size if size > most else most) if size < np.inf else np.inf
    return most


@njit(error_model="numpy")
def hermitian_eigensystem_by_rotations(parts: np.ndarray) -> np.ndarray:
    """Jacobi's."""
    n = parts.shape[1]
    most = size_of_parts(parts)
    finite = most < np.inf
    scale = most if finite and most > 0.0 else 1.0
    u = np.zeros((2, n, n), parts.dtype)
    z = np.zeros((2, n, n), parts.dtype)
    total = 0.0
    for i in range(n):
        z[0, i, i] = 1.0
        for j in range(n):
            for k in range(2):
                u[k, i, j] = parts[k, i, j] / scale if finite else 0.0
                total += u[k, i, j] * u[k, i, j]
    total = np.sqrt(total)
    left = finite
    sweeps = 0
    while left and sweeps < 60:
        left = False
        sweeps += 1
        for p in range(n - 1):
            for q in range(p + 1, n):
                x = u[0, p, q]
                y = u[1, p, q]
                size = np.sqrt(x * x + y * y)
                if total + 0.125 * size > total:
                    left = True
                    c, s = rotation(u[0, q, q] - u[0, p, p], 2.0 * size)
                    turn_columns(u, 0, n, p, q, c, s, x / size, y / size)
                    turn_complex_rows(u, p, q, c, s, x / size, y / size)
                    turn_columns(z, 0, n, p, q, c, s, x / size, y / size)
    made = np.full((3, n, n), 0.0 if finite else np.nan, parts.dtype)
    for k in range(n):
        place = 0  # in order
        for j in range(n):
            place += int(u[0, j, j] < u[0, k, k] or (u[0, j, j] == u[0, k, k] and j < k))
        place = max(0, min(place, n - 1))
        made[2, 0, place] = u[0, k, k] * scale if finite else np.nan
        for i in range(n):
            made[0, i, place] = z[0, i, k] if finite else np.nan
            made[1, i, place] = z[1, i, k] if finite else np.nan
    return made


@njit(error_model="numpy")
def hermitian_eigenvalues_of_system(system: np.ndarray, parts: np.ndarray) -> np.ndarray:
    values = np.zeros(parts.shape[2], parts.dtype)
    for k in range(parts.shape[2]):
        values[k] = system[2, 0, k]
    return values


@njit(error_model="numpy")
def complex_singular_system_by_rotations(parts: np.ndarray, wide: int) -> np.ndarray:
    """Hestenes'."""
    m, n = parts.shape[1], parts.shape[2]
    most = size_of_parts(parts)
    left = most < np.inf
    scale = most if left and most > 0.0 else 1.0
    made = np.zeros((5, m, n), parts.dtype)
    for j in range(n):
        made[2, j, j] = 1.0
        for i in range(m):
            made[0, i, j] = parts[0, i, j] / scale
            made[1, i, j] = parts[1, i, j] / scale
    if not left:
        made.fill(np.nan)
    sweeps = 0
    while left and sweeps < 60:
        left = False
        sweeps += 1
        for p in range(n - 1):
            for q in range(p + 1, n):
                alpha, beta, x, y = 0.0, 0.0, 0.0, 0.0
                for i in range(m):
                    alpha += made[0, i, p] * made[0, i, p] + made[1, i, p] * made[1, i, p]
                    beta += made[0, i, q] * made[0, i, q] + made[1, i, q] * made[1, i, q]
                    x += made[0, i, p] * made[0, i, q] + made[1, i, p] * made[1, i, q]
                    y += made[0, i, p] * made[1, i, q] - made[1, i, p] * made[0, i, q]
                gamma = np.sqrt(x * x + y * y)
                size = np.sqrt(alpha * beta)
                if size + 0.125 * gamma > size:
                    left = True
                    c, s = rotation(beta - alpha, 2.0 * gamma)
                    turn_columns(made, 0, m, p, q, c, s, x / gamma, y / gamma)
                    turn_columns(made, 2, n, p, q, c, s, x / gamma, y / gamma)
    put_in_order(made)
    for k in range(n):
        made[4, 0, k] *= scale
    return made


@njit(error_model="numpy")
def complex_full_singular_system_by_rotations(parts: np.ndarray, wide: int) -> np.ndarray:
    """What is at right angles to the columns, beside them."""
    m, n = parts.shape[1], parts.shape[2]
    system = complex_singular_system_by_rotations(parts, wide)
    made = np.zeros((5, m, m), parts.dtype)
    for part in range(5):
        for i in range(m):
            for j in range(n):
                made[part, i, j] = system[part, i, j]
    for k in range(n, m):
        put_unit_column(made, k)
    return made


@njit(error_model="numpy")
def put_in_order(made: np.ndarray) -> None:
    """Columns by their lengths, which become 1, of 0 too."""
    m, n = made.shape[1], made.shape[2]
    for j in range(n):
        squares = 0.0
        for i in range(m):
            squares += made[0, i, j] * made[0, i, j] + made[1, i, j] * made[1, i, j]
        made[4, 0, j] = np.sqrt(squares)
    for k in range(n):
        most = k
        for j in range(k + 1, n):
            if made[4, 0, j] > made[4, 0, most]:
                most = j
        value = made[4, 0, most]
        made[4, 0, most] = made[4, 0, k]
        made[4, 0, k] = value
        for part in range(4):
            for i in range(m if part < 2 else n):
                number = made[part, i, most]
                made[part, i, most] = made[part, i, k]
                made[part, i, k] = number / value if part < 2 and value > 0.0 else number
        if value == 0.0:
            put_unit_column(made, k)


@njit(error_model="numpy")
def put_unit_column(made: np.ndarray, k: int) -> None:
    """Column k of U becomes a unit vector at right angles to those before it: what is left of an axis."""
    m = made.shape[1]
    axis, most = 0, -1.0
    for i in range(m):
        rest = 1.0
        for j in range(k):
            rest -= made[0, i, j] * made[0, i, j] + made[1, i, j] * made[1, i, j]
        if rest > most:
            axis, most = i, rest
    for i in range(m):
        made[0, i, k] = 1.0 if i == axis else 0.0
        made[1, i, k] = 0.0
    for _ in range(2):
        for j in range(k):
            x, y = 0.0, 0.0
            for i in range(m):
                x += made[0, i, j] * made[0, i, k] + made[1, i, j] * made[1, i, k]
                y += made[0, i, j] * made[1, i, k] - made[1, i, j] * made[0, i, k]
            for i in range(m):
                made[0, i, k] -= x * made[0, i, j] - y * made[1, i, j]
                made[1, i, k] -= x * made[1, i, j] + y * made[0, i, j]
    squares = 0.0
    for i in range(m):
        squares += made[0, i, k] * made[0, i, k] + made[1, i, k] * made[1, i, k]
    size = np.sqrt(squares)
    for i in range(m):
        made[0, i, k] /= size
        made[1, i, k] /= size


@njit(error_model="numpy")
def complex_singular_values_of_system(system: np.ndarray, parts: np.ndarray) -> np.ndarray:
    values = np.zeros(parts.shape[2], parts.dtype)
    for k in range(parts.shape[2]):
        values[k] = system[4, 0, k]
    return values


@njit(error_model="numpy")
def complex_orthogonal_factors_by_reflections(parts: np.ndarray) -> np.ndarray:
    """By I - tau v v^H with v[k] = 1, tau as LAPACK has it: the diagonal becomes real. Row k of v reflects column k."""
    m, n = parts.shape[1], parts.shape[2]
    made = np.zeros((4, m, n), parts.dtype)
    v, tau = np.zeros((2, n, m), parts.dtype), np.zeros((2, n), parts.dtype)
    for i in range(m):
        for j in range(n):
            made[2, i, j] = parts[0, i, j]
            made[3, i, j] = parts[1, i, j]
            made[0, i, j] = 1.0 if i == j else 0.0
    for k in range(n):
        below = 0.0
        for i in range(k + 1, m):
            below += made[2, i, k] ** 2 + made[3, i, k] ** 2
        re, im = made[2, k, k], made[3, k, k]
        if below != 0.0 or im != 0.0:
            size = np.sqrt(re**2 + im**2 + below)
            size = -size if re >= 0.0 else size
            tau[0, k] = (size - re) / size
            tau[1, k] = -im / size
            squares = (re - size) ** 2 + im**2
            v[0, k, k] = 1.0
            for i in range(k + 1, m):
                v[0, k, i] = (made[2, i, k] * (re - size) + made[3, i, k] * im) / squares
                v[1, k, i] = (made[3, i, k] * (re - size) - made[2, i, k] * im) / squares
            reflect_parts(made, 2, v, k, tau[0, k], -tau[1, k])
            made[2, k, k] = size
            made[3, k, k] = 0.0
        for i in range(k + 1, m):
            made[2, i, k] = 0.0
            made[3, i, k] = 0.0
    for k in range(n - 1, -1, -1):
        reflect_parts(made, 0, v, k, tau[0, k], tau[1, k])
    return made


@njit(error_model="numpy")
def reflect_parts(made: np.ndarray, part: int, v: np.ndarray, k: int, x: float, y: float) -> None:
    """Columns of two parts from k on, by I - (x + iy) v v^H."""
    m = made.shape[1]
    for j in range(k, made.shape[2]):
        re, im = 0.0, 0.0
        for i in range(k, m):
            re += v[0, k, i] * made[part, i, j] + v[1, k, i] * made[part + 1, i, j]
            im += v[0, k, i] * made[part + 1, i, j] - v[1, k, i] * made[part, i, j]
        along_re = x * re - y * im
        along_im = x * im + y * re
        for i in range(k, m):
            made[part, i, j] -= along_re * v[0, k, i] - along_im * v[1, k, i]
            made[part + 1, i, j] -= along_re * v[1, k, i] + along_im * v[0, k, i]
