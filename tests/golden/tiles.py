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
def of_two_seams(u, v, row_seams, column_seams, row_seams2, column_seams2):
    n, n2 = u.shape
    rows = max(n // max(32768 // min(n2, 256), 32), 1)
    columns = max(n2 // 256, 1)
    for tile in prange(rows * columns):
        row = tile // columns
        column = tile % columns
        top = row * n // rows
        bottom = (row + 1) * n // rows
        top_around = max(top - 10, 0)
        above = top - top_around
        t = 2 * above
        seam_above = 20 * row - t
        left = column * n2 // columns
        right = (column + 1) * n2 // columns
        left_around = max(left - 10, 0)
        before = left - left_around
        t2 = 2 * before
        seam_before = 20 * column - t2
        t2 = seam_before + t2
        t3 = left + before
        for i in range(t):
            t4 = i + seam_above
            t5 = i + top_around
            row_seams[t4, left:right] = u[t5, left:right]
            row_seams2[t4, left:right] = v[t5, left:right]
        for i in range(bottom - top):
            t = i + top
            column_seams[t, seam_before:t2] = u[t, left_around:t3]
            column_seams2[t, seam_before:t2] = v[t, left_around:t3]


@njit(cache=True, error_model="numpy", parallel=True)
def of_two_tiles(u, v, c, row_seams, column_seams, row_seams2, column_seams2, start, stop):
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
        above = top - top_around
        below = bottom - top_around
        height = bottom_around - top_around
        t = 20 * row
        seam_above = t - 2 * above
        seam_below = t + 10
        left = column * n2 // columns
        right = (column + 1) * n2 // columns
        left_around = max(left - 10, 0)
        right_around = min(right + 10, n2)
        before = left - left_around
        after = right - left_around
        width = right_around - left_around
        t = 20 * column
        seam_before = t - 2 * before
        seam_after = t + 10
        t = seam_before + before
        t2 = seam_after + (right_around - right)
        u2 = np.empty((height, width))
        v2 = np.empty((height, width))
        c2 = np.empty((height, width))
        for i in range(above):
            t3 = i + seam_above
            u2[i] = row_seams[t3, left_around:right_around]
            v2[i] = row_seams2[t3, left_around:right_around]
        t3 = bottom - top
        for i in range(t3):
            t4 = i + above
            t5 = i + top
            u2[t4, :before] = column_seams[t5, seam_before:t]
            u2[t4, before:after] = u[t5, left:right]
            u2[t4, after:] = column_seams[t5, seam_after:t2]
            v2[t4, :before] = column_seams2[t5, seam_before:t]
            v2[t4, before:after] = v[t5, left:right]
            v2[t4, after:] = column_seams2[t5, seam_after:t2]
        for i in range(bottom_around - bottom):
            t = i + below
            t2 = i + seam_below
            u2[t] = row_seams[t2, left_around:right_around]
            v2[t] = row_seams2[t2, left_around:right_around]
        for i in range(height):
            c2[i] = c[i + top_around, left_around:right_around]
        u2, v2 = of_two_steps(u2, v2, c2, start, stop)
        for i in range(t3):
            t = i + top
            t2 = i + above
            u[t, left:right] = u2[t2, before:after]
            v[t, left:right] = v2[t2, before:after]


@njit(cache=True, error_model="numpy", parallel=True)
def of_two_loop(t, new, u, v, c):
    n = new.shape[1]
    for i in prange(1, t):
        for j in range(1, n - 1):
            u_i_j = u[i, j]
            s = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u_i_j
            new[i, j] = 2.0 * u_i_j - v[i, j] + c[i, j] * s


@njit(cache=True, error_model="numpy")
def of_two(u, v, c, steps):
    n, n2 = u.shape
    n3, n4 = v.shape
    n5, n6 = c.shape
    t = n * n2 >= 65536 and n >= 32 and n2 >= 32 and n == n3
    if t and n2 == n4 and n == n5 and n2 == n6 and steps > 1:
        rows = max(n // max(32768 // min(n2, 256), 32), 1)
        columns = max(n2 // 256, 1)
        t2 = 20 * (rows - 1)
        t3 = 20 * (columns - 1)
        row_seams = np.empty((t2, n2))
        column_seams = np.empty((n, t3))
        row_seams2 = np.empty((t2, n2))
        column_seams2 = np.empty((n, t3))
        u = u.copy()
        v = v.copy()
        for first in range(0, steps, 10):
            of_two_seams(u, v, row_seams, column_seams, row_seams2, column_seams2)
            of_two_tiles(
                u, v, c, row_seams, column_seams, row_seams2, column_seams2, first,
                min(first + 10, steps),
            )
        return u, v
    for _ in range(steps):
        n3, n4 = v.shape
        new = np.zeros((n, n2))
        t = n - 1 <= n3
        if t and n2 - 1 <= n4 and n - 1 <= n5 and n2 - 1 <= n6 and n - 1 - 1 >= 70:
            of_two_loop(n - 1, new, u, v, c)
        else:
            for i in range(1, n - 1):
                for j in range(1, n2 - 1):
                    u_i_j = u[i, j]
                    s = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u_i_j
                    if i >= n3:
                        raise IndexErrorWith(i, n3)
                    if j >= n4:
                        raise IndexErrorWith2(j, n4)
                    if i >= n5:
                        raise IndexErrorWith(i, n5)
                    if j >= n6:
                        raise IndexErrorWith2(j, n6)
                    new[i, j] = 2.0 * u_i_j - v[i, j] + c[i, j] * s
        v = u
        u = new
    return u, v


# What the functions above call.


class IndexErrorWith(IndexError):
    """An IndexError, put together when it is raised."""

    def __new__(cls, i=None, n=None):
        if isinstance(i, BaseException):
            return i
        return IndexError(f"index {i} is out of bounds for axis 0 with size {n}")


class IndexErrorWith2(IndexError):
    """An IndexError, put together when it is raised."""

    def __new__(cls, j=None, n=None):
        if isinstance(j, BaseException):
            return j
        return IndexError(f"index {j} is out of bounds for axis 1 with size {n}")
