"""Writes into arrays: elements, slices, rows, augmented, in loops and branches."""

import numpy as np

from corpus.case import case

X = np.array([1.0, 2.0, 3.0, 4.0])
Y = np.array([0.5, -1.0, 2.0, 0.25])
M = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 4.0], [0.0, 1.0, -2.0]])


@case(
    (np.array([1.0, 2.0, 3.0]), np.uint8(3), np.array([-128, 5], np.int8)),
    (np.array([0.5, 0.0, 9.0]), np.uint8(0), np.array([1, -128], np.int8)),
    marks="arrays",
)
def ints_taken_from_floats(x, a, b):
    x[1] -= a
    x[:2] -= b
    x[2] -= b[0]
    return x


@case(X, Y, marks="arrays differentiable")
def writes_elements(x):
    y = np.zeros(4)
    y[0] = x[1]
    y[-1] = 2.0
    y[1] += x[0] * x[0]
    y[1] -= 1.0
    y[1] *= 3.0
    y[2], y[3] = y[1], x[2]
    return y


@case(X, Y, marks="arrays differentiable")
def writes_slices(x):
    y = x.copy()
    y[1:3] += 1
    y[:2] = y[2:]
    y[::2] *= 2.0
    y[-2:] = 0.5
    z = np.zeros((2, 4))
    z[0] = y
    z[:, 1] = x[:2]
    z[1, 2:] += x[:2] * 3.0
    z[1][0] = 7.0
    return y, z


@case(X, Y, marks="arrays differentiable")
def fills(x):
    y = x.copy()
    y[1:3].fill(x[0] * 2.0)
    z = np.zeros((2, 2), np.int32)
    for k in range(2):
        z[k].fill(k + 1)
    return y, z * x[0]


@case((X, 2), (Y, 4), marks="arrays differentiable")
def recurrence_in_place(a, n):
    x = np.zeros(n + 1)
    x[0] = 1.0
    for i in range(1, n + 1):
        x[i] = x[i - 1] * a[i - 1]
    return x.sum()


@case(X, Y, marks="arrays differentiable")
def gauss_seidel(b):
    x = b.copy()
    for _ in range(3):
        for i in range(1, 3):
            x[i] = 0.25 * (x[i - 1] + x[i + 1]) + b[i]
    return x


@case(X, Y, marks="arrays differentiable")
def write_after_read(x):
    y = x.copy()
    for i in range(len(y) - 1):
        y[i] = y[i + 1] * y[i]
    return y


@case((M, True), (M - 1.0, False), marks="arrays differentiable")
def diagonal_under_a_branch(m, flag):
    s = m @ m.T
    for i in range(3):
        if flag:
            s[i, i] += m[0, i]
    return s


@case((X, 1), (Y, -1), marks="arrays differentiable")
def argument_overwritten(x, k):
    x[k] = 3.0 * x[0]
    x *= 2.0
    return x, x[k] * x[0]


@case((X, 3), (Y, 4), marks="arrays differentiable")
def double_buffering(x, n):
    a = x.copy()
    b = np.zeros(4)
    for _ in range(n):
        for i in range(4):
            b[i] = 0.5 * a[i] + 0.25 * a[i - 1]
        a, b = b, a
    return a


@case((X, Y), (Y, X), marks="arrays differentiable")
def arrays_swapped(x, y):
    x, y = y, x
    x[0] = 10.0
    return x, y


@case(X, Y, marks="arrays differentiable")
def augmented_array_names(x):
    y = x * 1.0
    y += x
    y -= 0.5
    y *= y
    y /= 3.0
    y **= 2
    return y


@case((X, np.array([0, 2, 0])), (Y, np.array([3, 3, 3])), marks="arrays differentiable")
def duplicate_places(x, order):
    a = np.zeros(4)
    a[order] = x[:3]
    b = np.zeros(4)
    b[order] += x[:3]
    c = np.zeros(4)
    np.add.at(c, order, x[:3])
    return a, b, c


@case((X, np.array([0, 2, 0, 1])), (Y, np.array([3, 3, 3, 3])), marks="arrays")
def histogram(x, places):
    counts = np.zeros(4, dtype=np.int64)
    weights = np.zeros(4)
    for k in range(len(x)):
        counts[places[k]] += 1
        weights[places[k]] += x[k]
    return counts, weights


@case((np.array([5, 3, 9, 1]), 2), (np.array([2, 2, 1, 0]), 0), marks="arrays")
def int_arrays_written(x, k):
    y = x.copy()
    y[k] //= 2
    y[k] += 7
    y[0] = 3.9
    y -= 1
    return y


@case(X, Y, marks="arrays")
def insertion_sort(x):
    y = x.copy()
    for i in range(1, len(y)):
        v = y[i]
        j = i - 1
        while j >= 0 and y[j] > v:
            y[j + 1] = y[j]
            j -= 1
        y[j + 1] = v
    return y


@case((M, X[:3]), (M + 1.0, Y[:3]), marks="arrays differentiable")
def writes_rows_in_loops(m, x):
    out = np.zeros((3, 3))
    for i in range(3):
        out[i] = m[i] * x[i]
        out[i, :2] += 1.0
        for j in range(i):
            out[i, j] = -out[j, i]
    return out


@case((X, 2.0), (Y, 0.1), marks="arrays differentiable")
def masks_written(x, limit):
    y = x.copy()
    y[y > limit] = limit
    y[x < 0.3] *= 2.0
    return y


@case((M,), (2.0 * M,), marks="arrays differentiable")
def cholesky(m):
    a = m @ m.T + 3.0 * np.eye(3)
    l = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, i] = np.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return l


@case((X, 1), (Y, 7), marks="arrays differentiable")
def array_defined_in_a_branch(x, k):
    if k > 3:
        y = np.zeros(4)
        y[0] = x[1]
    else:
        y = x * 2.0
        y[1] = 0.0
    y[2] += 1.0
    return y


@case((X, 0), (Y, 4), marks="arrays")
def written_before_a_break(x, n):
    seen = np.zeros(4)
    for i in range(4):
        if i == n:
            break
        seen[i] = x[i]
        if x[i] > 1.5:
            continue
        seen[i] += 10.0
    return seen


@case(5, 8, marks="arrays")
def table_of_a_recurrence(n):
    table = np.zeros(10, dtype=np.int64)
    table[0] = table[1] = 1
    for k in range(2, n + 1):
        table[k] = table[k - 1] + table[k - 2]
    return table[n]


@case((X, 3), (Y, 2), marks="arrays differentiable")
def history_of_rows(x, n):
    rows = np.zeros((4, 4))
    y = x
    for t in range(n):
        rows[t] = y
        y = y * 0.5 + 1.0
        rows[t, 0] += y[0]
    return rows


@case((M, X[:3]), (2.0 * M, Y[:3]), marks="arrays differentiable")
def rows_into_parts(m, x):
    """Parts of a matrix of which each row, or each number, is changed by the same."""
    z = m.copy()
    z[1:] += x
    z[:-1] -= 2.0 * x[0]
    z[-2:, 1:] += x[1:]
    z[::2] += x[:1]
    z[:2] *= x
    z[:, :2] -= z[:, :1].copy()
    return z
