"""Functions that write an array they are given and return it: their callers have it already.

What is returned may be the array of an argument on every way or on some, of another argument than it seems, or new.
"""

import numpy as np

from corpus.case import Seed, case

X = np.array([0.5, -1.5, 2.0, 3.0, -0.5, 4.0, 1.0])
Y = np.array([-2.0, -1.0, -3.0, -0.25, -4.0, -5.0, 6.0])
PAIRS = np.array([[0, 1], [4, 5], [2, 3], [1, 3], [0, 2], [6, 6]])


def exchange(a, i, j):
    t = a[i]
    a[i] = a[j]
    a[j] = t
    return a


def sift_down(heap, start, end):
    root = start
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and heap[child] < heap[child + 1]:
            child += 1
        if heap[root] < heap[child]:
            heap = exchange(heap, root, child)
            root = child
        else:
            return heap
    return heap


@case((X,), (Y,), marks="arrays")
def heap_sort(x):
    h = x.copy()
    n = len(h)
    for start in range(n // 2 - 1, -1, -1):
        h = sift_down(h, start, n)
    for end in range(n - 1, 0, -1):
        h = exchange(h, 0, end)
        h = sift_down(h, 0, end)
    return h


def partition(a, low, high):
    pivot = a[high]
    i = low
    for j in range(low, high):
        if a[j] < pivot:
            a = exchange(a, i, j)
            i += 1
    a = exchange(a, i, high)
    return a, i


@case((X,), (Y,), marks="arrays")
def quick_sort(x):
    a = x.copy()
    n = len(a)
    ends = np.empty((n + 1, 2), dtype=np.int64)
    ends[0] = (0, n - 1)
    top = 1
    while top > 0:
        top -= 1
        low = ends[top, 0]
        high = ends[top, 1]
        if low < high:
            a, middle = partition(a, low, high)
            ends[top] = (low, middle - 1)
            ends[top + 1] = (middle + 1, high)
            top += 2
    return a


def sorted_part(a, low, high):
    if low < high:
        a, middle = partition(a, low, high)
        a = sorted_part(a, low, middle - 1)
        a = sorted_part(a, middle + 1, high)
    return a


@case((X,), (Y,), marks="arrays recursive")
def quick_sort_in_calls(x):
    return sorted_part(x.copy(), 0, len(x) - 1)


def root_of(parent, k):
    root = k
    while parent[root] != root:
        root = parent[root]
    while parent[k] != root:
        after = parent[k]
        parent[k] = root
        k = after
    return parent, root


@case(0, 4, marks="arrays")
def united(k):
    parent = np.arange(7)
    groups = 7
    for a, b in PAIRS:
        parent, u = root_of(parent, a)
        parent, v = root_of(parent, b)
        if u != v:
            parent[v] = u
            groups -= 1
    parent, u = root_of(parent, k)
    return groups, u, parent


def relaxed(d, u, v, w):
    if d[u] + w < d[v]:
        d[v] = d[u] + w
    return d


@case((X[:6],), (np.abs(Y[:6]),), marks="arrays")
def shortest_ways(w):
    d = np.full(7, 100.0)
    d[0] = 0.0
    for _ in range(3):
        for k in range(6):
            d = relaxed(d, PAIRS[k, 0], PAIRS[k, 1], abs(w[k]))
            d = relaxed(d, PAIRS[k, 1], PAIRS[k, 0], abs(w[k]))
    return d


def scaled(a, b, k):
    """The second as the first, which is new, and the first as the second."""
    a[k] = 2.0 * a[k] + b[0]
    return b * a[k], a


@case((X, Y), (Y, X), marks="arrays differentiable")
def in_turn(x, y):
    u, v = x.copy(), y.copy()
    for k in range(3):
        u, v = scaled(u, v, k)
    return u + v


def either(a, b, k):
    """The array of one argument or another."""
    a[0] = b[k] + 1.0
    if a[k] > b[k]:
        return a
    return b


@case((X, Y, 1), (Y, X, 2), marks="arrays")
def one_of_two(x, y, k):
    u, v = x.copy(), y.copy()
    w = either(u, v, k)
    return w.sum(), u, v


def until_large(a, limit):
    """The argument from inside the loop, a new array from another place in it, and the argument behind it."""
    for k in range(len(a)):
        if a[k] > limit:
            return a
        a[k] += 0.25
        if a[k] == 0.75:
            return a * 10.0
    return a


@case((X, 2.5), (X[::-1].copy(), 10.0), (Y, 1.0), marks="arrays")
def left_early(x, limit):
    y = x.copy()
    z = until_large(y, limit)
    return z.copy(), y


def added(total, x):
    total += x
    return total


@case((X, Y), (Y, X), marks="arrays differentiable")
def one_array_of_two_names(x, y):
    a = x * y
    b = added(a, y)
    b[0] = 0.25 * a[1]
    a = added(b, x)
    return a * b


def noted(rng, rows, k):
    rows[k] = rng.standard_normal()
    return rows, rng.random()


@case((Seed(3),), (Seed(8),), marks="arrays draws")
def drawn_and_noted(rng):
    rows = np.zeros(4)
    total = 0.0
    for k in range(4):
        rows, u = noted(rng, rows, k)
        total += u
    return rows, total


@case((X, 7), (Y, -8), marks="arrays raises", raises=IndexError)
def places_that_are_none(x, k):
    y = x.copy()
    for j in range(3):
        y = exchange(y, j, k)
    return y
