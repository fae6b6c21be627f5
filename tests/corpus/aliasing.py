"""Names that are one array, and views: writes are seen under every name."""

import numpy as np

from corpus.case import case

X = np.array([1.0, 2.0, 3.0])
Y = np.array([0.5, -1.0, 2.0])
M = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 4.0]])


@case(X, Y, marks="arrays differentiable")
def one_array_two_names(x):
    y = x
    y[0] = 2.0
    y += 1.0
    return x, y


def add_into(a, b):
    a[0] = 5.0
    b[1] = b[0] + a[2]
    return a[1] + b[0]


@case(X, Y, marks="arrays differentiable")
def same_argument_twice(x):
    r = add_into(x, x)
    return r, x


@case((X, Y), (Y, X), marks="arrays differentiable")
def two_arguments(x, y):
    r = add_into(x, y)
    return r, x, y


@case((M, 1), (M * 2.0, 0), marks="arrays differentiable")
def row_is_a_view(x, i):
    row = x[i]
    row[0] = 1.0
    row += 0.5
    x[i, 2] = 7.0
    return x, row, row.sum()


@case(X, Y, marks="arrays differentiable")
def slice_is_a_view(x):
    tail = x[1:]
    tail[0] = 9.0
    inner = tail[1:]
    inner[0] += 1.0
    x[1] += 0.5
    return x, tail, inner


@case((M,), (M + 1.0,), marks="arrays differentiable")
def transposed_reads(m):
    total = 0.0
    t = m.T
    for column in t:
        total += column[0] * column[1]
    return total, t[2, 1]


@case((M, X), (M + 1.0, Y), marks="arrays differentiable")
def columns_written(m, v):
    m[:, 0] = v[:2]
    c = m[:, 1]
    c[0] = 4.0
    c *= 2.0
    return m, c


def fill(row, value):
    for k in range(len(row)):
        row[k] = value + k


@case((M, 0.5), (M + 1.0, 3.0), marks="arrays differentiable")
def view_given_to_a_callee(m, v):
    for i in range(2):
        fill(m[i], v * i)
    fill(m[0, 1:], 9.0)
    return m


def first_of(x):
    return x


@case(X, Y, marks="arrays differentiable")
def callee_returns_its_argument(x):
    y = first_of(x)
    y[0] = 7.0
    return x


@case((X, True), (Y, False), marks="arrays differentiable")
def copies_are_apart(x, flag):
    y = x.copy()
    z = np.array(x)
    w = x + 0.0
    y[0], z[0], w[0] = 1.0, 2.0, 3.0
    return x, y, z, w


@case((X, True), (Y, False), marks="arrays differentiable")
def rebound_on_one_way(x, flag):
    y = x.copy()
    if flag:
        y = y * 2.0
    y[0] = 7.0
    return x, y


@case((X, 2), (Y, 3), marks="arrays differentiable")
def rebound_in_a_loop(x, n):
    y = x.copy()
    for k in range(n):
        y = y * 0.5
        y[0] = 1.0 + k
    return x, y


@case((X, 2), (Y, 3), marks="arrays differentiable")
def alias_made_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        y = x
        y[0] += 1.0
        total += x[0]
    return total, x


@case((X, 2), (Y, 3), marks="arrays differentiable")
def alias_made_before_a_loop(x, n):
    y = x
    for k in range(n):
        x[k % 3] = 1.0
        y[0] += 1.0
    return x, y


@case((X, Y), (Y, X), marks="arrays")
def best_row_so_far(x, y):
    best = x.copy()
    for k in range(3):
        candidate = x * k + y
        if candidate.sum() > best.sum():
            best = candidate
    return best


@case((M, 1), (M + 1.0, 0), marks="arrays differentiable")
def view_of_a_view_in_a_loop(m, n):
    for i in range(2):
        row = m[i]
        for k in range(1, 3):
            part = row[k:]
            part[0] = part[0] + row[0]
    return m


@case((X, 1), (Y, 2), marks="arrays differentiable")
def element_swaps(x, k):
    x[0], x[k] = x[k], x[0]
    return x


def columns(m):
    return m.T


def part_of(m, i):
    return m[i, 1:]


def filled(v, x):
    v[0] = x


@case((M, 1), (M + 1.0, 0), marks="arrays differentiable")
def writes_through_turned_and_flat_views(m, i):
    turned = columns(m)
    turned[i] = turned[i - 1] * 2.0
    filled(part_of(m, i), m[0, 0] * 3.0)
    filled(turned[2], 0.5)
    m[1, 1] += 1.0
    own = m * 1.0
    flat = own.reshape(-1)
    for k in range(1, len(flat)):
        flat[k] += 0.5 * flat[k - 1]
    own.flat[2] *= 2.0
    own.flat[::4] = m[0, 2]
    return m, own, turned * flat[4]


@case((M, True), (M, False), marks="arrays")
def views_of_views_follow_what_is_written(m, c):
    own = np.zeros((2, 6))
    cube = own.reshape(2, 2, 3)
    side = np.moveaxis(cube, 2, 0)[::-1]
    if c:
        side[0] = m[:, :2]
        own[0, 1] = 7.0
    else:
        own[1] = 2.0
        side[1:, 0] += m[0, 0]
    np.squeeze(cube[:, None], 1)[1, 0] = m[1]
    for row in own.T:
        row[1] += 1.0
    return own, side, np.diagonal(side) + 1.0


@case((X, 1), (Y, 0), marks="arrays")
def two_arrays_that_both_branches_write(a, b):
    """In each branch one of two arrays that were one before is written."""
    first = a * 1.0
    if b:
        first[0] = b
    else:
        a[1] = b
    return a, first


@case((M, True, 1), (M, False, 0), marks="arrays differentiable")
def a_view_that_hangs_on_the_branch(m, c, i):
    row = m[i] if c else m[i - 1]
    if m[0, 0] > 0.5:
        column = m.T[2]
    else:
        column = m.T[i]
    column[1] = 2.0 * row[0]
    row[1:] += column[0]
    m[i, 1] += 7.0
    return m, row, column
