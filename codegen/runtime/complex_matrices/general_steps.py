"""What general.py says as loops over numbers: Schur's form by rotations, with Wilkinson's shifts, and eigenvectors of a
triangular matrix (Golub and Van Loan 2013, sections 7.4 to 7.6). For lanes that have no LAPACK, on a GPU.

Values are in another order than LAPACK's (general_lapack.py).
"""

import numpy as np
from numba import njit


@njit(error_model="numpy")
def general_eigenvalues_by_steps(parts: np.ndarray) -> np.ndarray:
    return general_eigenvalues_of_system(general_eigensystem_by_steps(parts), parts)


@njit(error_model="numpy")
def general_eigenvalues_of_system(system: np.ndarray, parts: np.ndarray) -> np.ndarray:
    made = np.zeros((2, parts.shape[1]), parts.dtype)
    for k in range(parts.shape[1]):
        made[0, k] = system[2, 0, k]
        made[1, k] = system[3, 0, k]
    return made


@njit(error_model="numpy")
def general_eigensystem_by_steps(parts: np.ndarray) -> np.ndarray:
    n, size = parts.shape[1], 0.0
    for k in range(len(parts)):
        for i in range(n):
            for j in range(n):
                size = max(size, abs(parts[k, i, j])) if parts[k, i, j] == parts[k, i, j] else np.inf
    scale = size if 0.0 < size < np.inf else 1.0
    h = np.zeros((n, n), np.complex128)
    q = np.zeros((n, n), np.complex128)
    for i in range(n):
        q[i, i] = 1.0
        for j in range(n):
            if size < np.inf:
                h[i, j] = complex(parts[0, i, j] / scale, parts[len(parts) - 1, i, j] / scale)
            if len(parts) == 1:
                h[i, j] = complex(h[i, j].real, 0.0)
    done = to_triangle(h, q) and size < np.inf
    made = np.zeros((4, n, n), parts.dtype)
    for k in range(n):
        put_vector(made, h, q, k, scale, len(parts) == 1)
    if not done:
        made.fill(np.nan)
    return made


@njit(error_model="numpy")
def rotate(h: np.ndarray, q: np.ndarray, k: int, other: int, head: complex, below: complex) -> None:
    """A rotation of rows k and `other` that makes (head, below) a number and 0, and of columns back."""
    size = np.sqrt(abs(head) ** 2 + abs(below) ** 2)
    if abs(below) == 0.0 or size == 0.0:
        return
    c = abs(head) / size
    s = np.conj(below) / size
    if abs(head) > 0.0:
        s = head / abs(head) * s
    for j in range(len(h)):
        first, second = h[k, j], h[other, j]
        h[k, j] = c * first + s * second
        h[other, j] = c * second - np.conj(s) * first
    for i in range(len(h)):
        first, second = h[i, k], h[i, other]
        h[i, k] = c * first + np.conj(s) * second
        h[i, other] = c * second - s * first
        first, second = q[i, k], q[i, other]
        q[i, k] = c * first + np.conj(s) * second
        q[i, other] = c * second - s * first


@njit(error_model="numpy")
def to_triangle(h: np.ndarray, q: np.ndarray) -> bool:
    """h becomes Schur's form and q its vectors; whether that ended."""
    n, eps = len(h), 2.220446049250313e-16
    for j in range(n - 2):
        for i in range(j + 2, n):
            rotate(h, q, j + 1, i, h[j + 1, j], h[i, j])
            h[i, j] = 0.0
    last, steps = n - 1, 0
    while last > 0 and steps < 60 * n:
        first = last
        while first > 0 and abs(h[first, first - 1]) > eps * (
            abs(h[first, first]) + abs(h[first - 1, first - 1])
        ):
            first -= 1
        if first > 0:
            h[first, first - 1] = 0.0
        if first == last:
            last -= 1
        else:
            steps += 1
            take_steps_down(h, q, first, last, shift_of(h, last, steps))
    return last <= 0


@njit(error_model="numpy")
def shift_of(h: np.ndarray, last: int, steps: int) -> complex:
    """The eigenvalue of the last two rows that is nearer to the last number; now and then another one."""
    if steps % 12 == 0:
        return h[last, last] + abs(h[last, last - 1])
    half = 0.5 * (h[last - 1, last - 1] - h[last, last])
    beside = h[last - 1, last] * h[last, last - 1]
    root = np.sqrt(half * half + beside)
    if half.real * root.real + half.imag * root.imag < 0.0:
        root = -root
    below = half + root
    if abs(below) == 0.0:
        return h[last, last]
    return h[last, last] - beside / below


@njit(error_model="numpy")
def take_steps_down(h: np.ndarray, q: np.ndarray, first: int, last: int, shift: complex) -> None:
    rotate(h, q, first, first + 1, h[first, first] - shift, h[first + 1, first])
    for k in range(first + 1, last):
        rotate(h, q, k, k + 1, h[k, k - 1], h[k + 1, k - 1])
        h[k + 1, k - 1] = 0.0


@njit(error_model="numpy")
def put_vector(made: np.ndarray, h: np.ndarray, q: np.ndarray, k: int, scale: float, real: bool) -> None:
    """The k-th eigenvalue and its vector. Of a real matrix a value that differs from a real one by rounding is real."""
    n, eps = len(h), 2.220446049250313e-16
    value = h[k, k]
    along = np.zeros(n, np.complex128)
    along[k] = 1.0
    for i in range(k - 1, -1, -1):
        rest = 0j
        for j in range(i + 1, k + 1):
            rest += h[i, j] * along[j]
        gap = value - h[i, i]
        if abs(gap) < eps:
            gap = complex(eps, 0.0)
        along[i] = rest / gap
        size = abs(along[i])
        if size > 1e100:
            for j in range(i, k + 1):
                along[j] /= size
    vector = np.zeros(n, np.complex128)
    most, squares, largest = 0, 0.0, 0.0
    for i in range(n):
        for j in range(k + 1):
            vector[i] += q[i, j] * along[j]
        size = abs(vector[i])
        squares += size * size
        if size > largest:
            most, largest = i, size
    turn = np.conj(vector[most]) / (largest * np.sqrt(squares))
    is_real = real and abs(value.imag) <= 8.0 * n * eps
    made[2, 0, k] = value.real * scale
    made[3, 0, k] = 0.0 if is_real else value.imag * scale
    for i in range(n):
        turned = vector[i] * turn
        made[0, i, k] = turned.real
        made[1, i, k] = 0.0 if is_real or i == most else turned.imag
