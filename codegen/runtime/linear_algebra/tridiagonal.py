"""Eigenvectors of a lane's matrix, too large to be run side by side, too small to be divided in halves as by LAPACK:
LAPACK makes it tridiagonal, QL steps diagonal (Golub and Van Loan 2013, section 8.3.5). Of float64.
"""

# mypy: disable-error-code="call-overload, no-untyped-call"

import numpy as np
from numba import njit

from codegen.runtime.intrinsics.vectors import TILE
from codegen.runtime.reductions import plus

from .blas import scipy_function
from .lapack import LOWER, eigensystem_by_lapack
from .short_rows import in_cache_lines, on_vectors
from .tiles import less_product

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
    width = n + -n % TILE
    d, e, z = np.zeros(n), np.zeros(n), in_cache_lines(n * width, a)
    for i in range(n):
        for j in range(n):
            z[i * width + j] = a[i, j] * scale
        for j in range(n, width):
            z[i * width + j] = 0.0
    if n > 0:
        make_tridiagonal(d, e, z, width)
        take_steps(d, e, z, width, size * scale)
    for k in range(n):
        place = 0
        for j in range(n):
            place += int(d[j] < d[k] or (d[j] == d[k] and j < k))
        made[1, 0, place] = d[k] / scale
        for i in range(n):
            made[0, i, place] = z[k * width + i]
    return made


@njit(error_model="numpy")
def make_tridiagonal(d: np.ndarray, e: np.ndarray, z: np.ndarray, width: int) -> None:
    """z, whose rows are so wide, becomes Q', of which Q d, e Q' is what it was."""
    n = len(d)
    words = np.array([LOWER, n, ROOM * n, 0, width], np.intc)  # of the first LAPACK reads a byte
    scales, room = np.empty(n), np.empty(ROOM * n)
    matrix = words.ctypes, words[1:].ctypes, z.ctypes, words[4:].ctypes
    rest = scales.ctypes, room.ctypes, words[2:].ctypes, words[3:].ctypes
    MAKE_TRIDIAGONAL(*matrix, d.ctypes, e.ctypes, *rest)
    MAKE_REFLECTIONS_ONE(*matrix, *rest)


@njit(error_model="numpy")
def take_steps(d: np.ndarray, e: np.ndarray, z: np.ndarray, width: int, size: float) -> None:
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
            shift = d[low] - e[low] / (g + root if g >= 0.0 else g - root)
            turn_rows(d, e, z, width, low, high, shift)
            steps += 1


@njit(error_model="numpy", fastmath={"contract"})
def turn_rows(
    d: np.ndarray, e: np.ndarray, z: np.ndarray, width: int, low: int, high: int, shift: float
) -> None:
    """One step, from the last of the rows between two upwards, with the shift taken away while it lasts.

    Each rotation waits for a root and a quotient: meanwhile rows turn by the one before.
    """
    c, s = 1.0, 0.0
    p = d[high] - shift
    for i in range(high - 1, low - 1, -1):
        beside, own = e[i], d[i] - shift
        square = p * p + beside * beside
        r = np.sqrt(square)
        inverse = 1.0 / r if square > 0.0 else 0.0
        across, last = c * beside, c * p
        rest = p * own - beside * across
        if i + 1 < high:
            e[i + 1] = s * r
            for j in range((i + 1) * width, (i + 2) * width, TILE):
                turn_vectors(z, j, j + width, (c, s))
        c, s, p = p * inverse, beside * inverse, rest * inverse
        if square == 0.0:
            c, p = 1.0, own
        d[i + 1] = last + s * (c * across + s * own) + shift
    for j in range(low * width, (low + 1) * width, TILE):
        turn_vectors(z, j, j + width, (c, s))
    d[low] = c * p + shift
    e[low] = s * p


turn_vectors = on_vectors(
    lambda builder, x, y, c, s: [
        less_product(builder, builder.fmul(c, x), s, y),
        less_product(builder, builder.fmul(c, y), builder.fneg(s), x),
    ]
)
