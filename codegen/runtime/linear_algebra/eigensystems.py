"""Eigenvalues and eigenvectors, what decompositions.py says, by reflections and rotations as loops over numbers, which
lanes take. The signs of vectors are other ones than LAPACK's (lapack.py).

Lanes go through these loops side by side: all of them have the same lengths, and what only some lanes have to do the
others do with weights of 0, or choose what they had.
"""

import numpy as np
from numba import njit


@njit(error_model="numpy")
def eigenvalues_of_system(system: np.ndarray, a: np.ndarray) -> np.ndarray:
    values = np.zeros(a.shape[1], a.dtype)
    for k in range(a.shape[1]):
        values[k] = system[1, 0, k]
    return values


@njit(error_model="numpy")
def eigenvalues_by_rotations(a: np.ndarray) -> np.ndarray:
    return eigenvalues_of_system(eigensystem_by_rotations(a), a)


@njit(error_model="numpy")
def eigensystem_by_rotations(a: np.ndarray) -> np.ndarray:
    """A tridiagonal matrix by reflections, made diagonal by QL steps (Golub and Van Loan 2013, sections 8.3.1, 8.3.5).

    Vectors are rows until they are done: whole rows turn.
    """
    n = len(a)
    size = 0.0
    for i in range(n):
        for j in range(n):
            size += abs(a[i, j]) / n
    size /= max(n, 1)
    finite = size < np.inf
    scale = 1.0
    if size > 0.0 and finite and not 1e-4 < size < 1e4:  # squares neither overflow nor vanish
        scale = 1.0 / np.maximum(size, np.finfo(a.dtype).tiny)
    u = np.zeros((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            u[i, j] = a[i, j] * scale if finite else 0.0
    d = np.zeros(n, a.dtype)
    e = np.zeros(n, a.dtype)
    z = np.zeros((n, n), a.dtype)
    if n > 0:
        reflect_to_tridiagonal(u, z, d, e)
        diagonalise(d, e, z, size * scale if finite else 0.0)
    made = np.zeros((2, n, n), a.dtype)
    for k in range(n):
        place = 0  # in order
        for j in range(n):
            place += int(d[j] < d[k] or (d[j] == d[k] and j < k))
        place = max(0, min(place, n - 1))  # as it is: one sees that it is inside
        made[1, 0, place] = d[k] / scale if finite else np.nan
        for i in range(n):
            made[0, i, place] = z[k, i] if finite else np.nan
    return made


@njit(error_model="numpy")
def reflect_to_tridiagonal(u: np.ndarray, z: np.ndarray, d: np.ndarray, e: np.ndarray) -> None:
    """The diagonal of Q' u Q and what is beside it; z becomes Q'. Row k of u becomes reflection k's vector."""
    n = len(d)
    heads = np.zeros(n, u.dtype)
    image = np.zeros(n, u.dtype)
    least = 4.0 * np.finfo(u.dtype).tiny / np.finfo(u.dtype).eps  # of squares that still have a reciprocal
    for k in range(n - 2):
        d[k] = u[k, k]
        below = 0.0
        for j in range(n):
            below += u[k, j] * u[k, j] if j > k + 1 else 0.0
            u[k, j] = u[k, j] if j > k else 0.0
        beside = u[k, k + 1]
        turns = below > least
        length = np.sqrt(beside * beside + below)
        head = beside + length if beside >= 0.0 else beside - length
        length = -length if beside >= 0.0 else length
        e[k] = length if turns else beside
        heads[k] = 2.0 / (head * head + below) if turns else 0.0
        u[k, k + 1] = head
        for j in range(n):
            image[j] = 0.0
        for i in range(n):
            weight = heads[k] * u[k, i]
            for j in range(n):
                image[j] += weight * u[i, j]
        along = 0.0
        for j in range(n):
            along += image[j] * u[k, j]
        along *= 0.5 * heads[k]
        for j in range(n):
            image[j] -= along * u[k, j]
        for i in range(n):
            first = u[k, i]
            second = image[i] if i > k else 0.0
            for j in range(n):
                u[i, j] = u[i, j] - first * image[j] - second * u[k, j]
    for k in range(max(n - 2, 0), n):
        d[k] = u[k, k]
    if n > 1:
        e[n - 2] = u[n - 2, n - 1]
    for i in range(n):
        z[i, i] = 1.0
    for k in range(n - 2):  # Q' = Q_last ... Q_first: of each row what lies along a vector
        for i in range(n):
            along = 0.0
            for j in range(n):
                along += z[j, i] * u[k, j]
            along *= heads[k]
            for j in range(n):
                z[j, i] -= along * u[k, j]


@njit(error_model="numpy")
def diagonalise(d: np.ndarray, e: np.ndarray, z: np.ndarray, size: float) -> None:
    """QL steps with Wilkinson's shifts, until nothing is left beside the diagonal."""
    low, shift = next_step(d, e, size)
    steps = 0
    while low < len(d) - 1 and steps < 40 * len(d):
        take_step(d, e, z, low, shift)
        low, shift = next_step(d, e, size)
        steps += 1


@njit(error_model="numpy")
def next_step(d: np.ndarray, e: np.ndarray, size: float) -> tuple[int, float]:
    """The first row that has not come apart from the one below, the last row where all have, and the shift for it."""
    n = len(d)
    eps = np.finfo(d.dtype).eps
    least = eps * eps * size
    low, at, after, beside = n - 1, 0.0, 0.0, 1.0
    for i in range(n - 2, -1, -1):
        joined = abs(e[i]) > eps * (abs(d[i]) + abs(d[i + 1])) + least
        low = i if joined else low
        at = d[i] if joined else at
        after = d[i + 1] if joined else after
        beside = e[i] if joined else beside
    g = (after - at) / (2.0 * beside)
    root = np.sqrt(g * g + 1.0)
    return low, at - beside / (g + root if g >= 0.0 else g - root)


@njit(error_model="numpy")
def take_step(d: np.ndarray, e: np.ndarray, z: np.ndarray, low: int, shift: float) -> None:
    """Rotations from the last row up to `low`, with the shift taken away while they last (Wilkinson and Reinsch 1971,
    II/3): a row that has come apart from the one above, somewhere between, needs no other step.
    """
    n = len(d)
    cosines, sines = np.zeros(n, d.dtype), np.zeros(n, d.dtype)
    c, s = 1.0, 0.0
    p = d[n - 1] - shift
    for i in range(n - 2, -1, -1):
        here = low <= i
        beside, own = e[i], d[i] - shift
        r = np.sqrt(p * p + beside * beside)
        nothing = r == 0.0
        inverse = 1.0 / (1.0 if nothing else r)
        across = c * beside
        last = c * p
        e[i + 1] = s * r if here else e[i + 1]
        s = beside * inverse if here else s
        c = (1.0 if nothing else p * inverse) if here else c
        d[i + 1] = last + s * (c * across + s * own) + shift if here else d[i + 1]
        p = (own if nothing else (p * own - beside * across) * inverse) if here else p
        cosines[i] = c if here else 1.0
        sines[i] = s if here else 0.0
    for i in range(n - 1):
        d[i] = c * p + shift if i == low else d[i]
        e[i] = s * p if i == low else e[i]
    for k in range(n):
        second = z[n - 1, k]
        for i in range(n - 2, -1, -1):
            first = z[i, k]
            z[i + 1, k] = sines[i] * first + cosines[i] * second
            second = cosines[i] * first - sines[i] * second
        z[0, k] = second
