"""Eigenvectors of a lane's matrix, too large to be run side by side, too small to be divided in halves as by LAPACK:
LAPACK makes it tridiagonal, QL steps diagonal (Golub and Van Loan 2013, section 8.3.5). Of float64.
"""

# mypy: disable-error-code="call-overload"

import numpy as np
from numba import njit

from codegen.runtime.reductions import plus

from .blas import scipy_function
from .lapack import LOWER, eigensystem_by_lapack

MAKE_TRIDIAGONAL = scipy_function("cython_lapack", "dsytrd", 10)
MAKE_REFLECTIONS_ONE = scipy_function("cython_lapack", "dorgtr", 8)
ROOM = 8  # of LAPACK, in columns
LARGEST = 128  # of those that are not divided


@njit(error_model="numpy")
def eigensystem_by_steps(a: np.ndarray) -> np.ndarray:
    """What eigensystem(a) is, up to the signs of vectors."""
    n = len(a)
    if n > LARGEST:
        return eigensystem_by_lapack(a)
    made = np.zeros((2, n, n))
    size = 0.0
    for i in range(n):
        for j in range(n):
            size = plus(size, abs(a[i, j]))
    if not size < np.inf:
        made.fill(np.nan)
        return made
    scale = 1.0 if size == 0.0 or 1e-100 < size < 1e100 else 1.0 / max(size, 1e-300)
    d, e, z = np.zeros(n), np.zeros(n), a * scale
    if n > 0:
        make_tridiagonal(d, e, z)
        take_steps(d, e, z, size * scale)
    for k in range(n):
        place = 0
        for j in range(n):
            place += int(d[j] < d[k] or (d[j] == d[k] and j < k))
        made[1, 0, place] = d[k] / scale
        for i in range(n):
            made[0, i, place] = z[k, i]
    return made


@njit(error_model="numpy")
def make_tridiagonal(d: np.ndarray, e: np.ndarray, z: np.ndarray) -> None:
    """z becomes Q', of which Q d, e Q' is what it was."""
    n = len(d)
    words = np.array([LOWER, n, ROOM * n, 0], np.intc)  # of the first LAPACK reads a byte
    scales, room = np.empty(n), np.empty(ROOM * n)
    matrix = words.ctypes, words[1:].ctypes, z.ctypes, words[1:].ctypes
    rest = scales.ctypes, room.ctypes, words[2:].ctypes, words[3:].ctypes
    MAKE_TRIDIAGONAL(*matrix, d.ctypes, e.ctypes, *rest)
    MAKE_REFLECTIONS_ONE(*matrix, *rest)


@njit(error_model="numpy")
def take_steps(d: np.ndarray, e: np.ndarray, z: np.ndarray, size: float) -> None:
    """With Wilkinson's shifts, until nothing is left beside the diagonal; rows of z turn."""
    n = len(d)
    eps = np.finfo(np.float64).eps
    least = eps * eps * size
    low, steps = 0, 0
    while low < n - 1 and steps < 40 * n:
        high = low
        while high < n - 1 and abs(e[high]) > eps * (abs(d[high]) + abs(d[high + 1])) + least:
            high += 1
        if high == low:
            low += 1
        else:
            g = (d[low + 1] - d[low]) / (2.0 * e[low])
            root = np.sqrt(g * g + 1.0)
            turn_rows(d, e, z, low, high, d[low] - e[low] / (g + root if g >= 0.0 else g - root))
            steps += 1


@njit(error_model="numpy", fastmath={"contract"})
def turn_rows(d: np.ndarray, e: np.ndarray, z: np.ndarray, low: int, high: int, shift: float) -> None:
    """One step, from the last of the rows between two upwards, with the shift taken away while it lasts."""
    c, s = 1.0, 0.0
    p = d[high] - shift
    for i in range(high - 1, low - 1, -1):
        beside, own = e[i], d[i] - shift
        r = np.sqrt(p * p + beside * beside)
        inverse = 1.0 / r if r > 0.0 else 0.0
        across, last = c * beside, c * p
        if i + 1 < high:
            e[i + 1] = s * r
        s, c = beside * inverse, (p * inverse if r > 0.0 else 1.0)
        d[i + 1] = last + s * (c * across + s * own) + shift
        p = (p * own - beside * across) * inverse if r > 0.0 else own
        for k in range(len(d)):
            first, second = z[i, k], z[i + 1, k]
            z[i + 1, k] = s * first + c * second
            z[i, k] = c * first - s * second
    d[low] = c * p + shift
    e[low] = s * p
