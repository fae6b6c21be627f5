import numpy as np
from numba import njit, prange


@njit(cache=True, error_model="numpy")
def of_two_steps(u, v, c, start, stop):
    n, n2 = u.shape
    for _ in range(start, stop):
        new = np.zeros((n, n2))
        for i in range(1, n - 1):
            for j in range(1, n2 - 1):
                u_i_j = u[i, j]
                s = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u_i_j
                new[i, j] = 2.0 * u_i_j - v[i, j] + c[i, j] * s
        v = u
        u = new
    return u, v


@njit(cache=True, error_model="numpy", parallel=True)
def of_two_tiles(u, v, c, new, new2, start, stop):
    n, n2 = u.shape
    rows = max(n // max(32768 // min(n2, 256), 32), 1)
    columns = max(n2 // 256, 1)
    for tile in prange(rows * columns):
        row = tile // columns
        column = tile % columns
        top = row * n // rows
        bottom = (row + 1) * n // rows
        top_around = max(top - 10, 0)
        bottom_around = min(bottom + 10, n)
        t = top - top_around
        height = bottom_around - top_around
        left = column * n2 // columns
        right = (column + 1) * n2 // columns
        left_around = max(left - 10, 0)
        right_around = min(right + 10, n2)
        t2 = left - left_around
        t3 = right - left_around
        width = right_around - left_around
        u2 = np.empty((height, width))
        v2 = np.empty((height, width))
        c2 = np.empty((height, width))
        for i in range(height):
            t4 = i + top_around
            u2[i] = u[t4, left_around:right_around]
            v2[i] = v[t4, left_around:right_around]
            c2[i] = c[t4, left_around:right_around]
        u2, v2 = of_two_steps(u2, v2, c2, start, stop)
        for i in range(bottom - top_around - t):
            t4 = i + t
            t5 = i + top
            new[t5, left:right] = u2[t4, t2:t3]
            new2[t5, left:right] = v2[t4, t2:t3]
    return new, new2


@njit(cache=True, error_model="numpy")
def of_two(u, v, c, steps):
    n, n2 = u.shape
    n3, n4 = v.shape
    n5, n6 = c.shape
    t = n * n2 >= 65536 and n >= 32 and n2 >= 32 and n == n3
    t2 = n2 == n4
    if t and t2 and n == n5 and n2 == n6 and steps > 1:
        new = np.empty((n, n2))
        new2 = np.empty((n, n2))
        spare = np.empty((n, n2))
        spare2 = np.empty((n, n2))
        u, v = of_two_tiles(u, v, c, new, new2, 0, min(10, steps))
        for first in range(10, steps, 10):
            u2, v2 = of_two_tiles(u, v, c, spare, spare2, first, min(first + 10, steps))
            spare = u
            u = u2
            spare2 = v
            v = v2
        return u, v
    for _ in range(steps):
        n3, n4 = v.shape
        new = np.zeros((n, n2))
        for i in range(1, n - 1):
            for j in range(1, n2 - 1):
                u_i_j = u[i, j]
                s = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u_i_j
                if i >= n3:
                    raise IndexError("index out of bounds for axis 0")
                if j >= n4:
                    raise IndexError("index out of bounds for axis 1")
                if i >= n5:
                    raise IndexError("index out of bounds for axis 0")
                if j >= n6:
                    raise IndexError("index out of bounds for axis 1")
                new[i, j] = 2.0 * u_i_j - v[i, j] + c[i, j] * s
        v = u
        u = new
    return u, v
