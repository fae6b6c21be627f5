"""What systems.py says by elimination as loops over numbers, which lanes take."""

import numpy as np
from numba import njit


@njit(error_model="numpy")
def eliminate_parts(u: np.ndarray, x: np.ndarray) -> float:
    """Make u upper triangular, and the same of x, by rows of the largest pivots, |re| + |im| as LAPACK has them.

    The sign of the order that the rows come in, 0.0 where a pivot is 0.
    """
    n, sign = u.shape[1], 1.0
    for k in range(n):
        pivot, most = k, abs(u[0, k, k]) + abs(u[1, k, k])
        for i in range(k + 1, n):
            size = abs(u[0, i, k]) + abs(u[1, i, k])
            if size > most:
                pivot, most = i, size
        if most == 0.0:
            sign = 0.0
        if pivot != k:
            sign = -sign
            swap_rows_of_parts(u, k, pivot)
            swap_rows_of_parts(x, k, pivot)
        c, s = reciprocal_of_parts(u[0, k, k], u[1, k, k])
        for i in range(k + 1, n):
            re = u[0, i, k] * c - u[1, i, k] * s
            im = u[0, i, k] * s + u[1, i, k] * c
            take_row_of_parts(u, i, k, re, im, k)
            for j in range(x.shape[2]):  # not by the same function: kernels would take 36 more registers
                x[0, i, j] -= re * x[0, k, j] - im * x[1, k, j]
                x[1, i, j] -= re * x[1, k, j] + im * x[0, k, j]
    return sign


@njit(error_model="numpy")
def swap_rows_of_parts(x: np.ndarray, k: int, pivot: int) -> None:
    for part in range(2):
        for j in range(x.shape[2]):
            above = x[part, k, j]
            x[part, k, j] = x[part, pivot, j]
            x[part, pivot, j] = above


@njit(error_model="numpy")
def take_row_of_parts(x: np.ndarray, i: int, k: int, re: float, im: float, first: int) -> None:
    """x[i] -= (re + i im) * x[k], from the column `first` on."""
    for j in range(first, x.shape[2]):
        x[0, i, j] -= re * x[0, k, j] - im * x[1, k, j]
        x[1, i, j] -= re * x[1, k, j] + im * x[0, k, j]


@njit(error_model="numpy")
def reciprocal_of_parts(re: float, im: float) -> tuple[float, float]:
    """1 / (re + i im), of numbers whose squares may overflow."""
    size = abs(re) + abs(im)
    x, y = re / size, im / size
    square = x * x + y * y
    return x / square / size, -y / square / size


@njit(error_model="numpy")
def complex_solved_by_elimination(parts: np.ndarray, right: np.ndarray) -> np.ndarray:
    u, x = parts.copy(), right.copy()
    sign = eliminate_parts(u, x)
    for k in range(u.shape[1] - 1, -1, -1):
        c, s = reciprocal_of_parts(u[0, k, k], u[1, k, k])
        for j in range(x.shape[2]):
            re, im = x[0, k, j], x[1, k, j]
            x[0, k, j], x[1, k, j] = re * c - im * s, re * s + im * c
        for i in range(k):
            take_row_of_parts(x, i, k, u[0, i, k], u[1, i, k], 0)
    if sign == 0.0:
        x.fill(np.nan)
    return x


@njit(error_model="numpy")
def complex_log_determinant_by_elimination(parts: np.ndarray) -> np.ndarray:
    u, made = parts.copy(), np.zeros(3, parts.dtype)
    sign = eliminate_parts(u, np.zeros((2, parts.shape[1], 0), parts.dtype))
    if sign == 0.0:
        made[2] = -np.inf
        return made
    made[0] = sign
    for k in range(u.shape[1]):
        re, im, x, y = u[0, k, k], u[1, k, k], made[0], made[1]
        size = np.hypot(re, im)
        made[0], made[1] = (x * re - y * im) / size, (x * im + y * re) / size
        made[2] += np.log(size)
    return made
