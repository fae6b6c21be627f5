"""for over arrays, rows, tuples, enumerate, zip and reversed."""

import numpy as np

from corpus.case import case

X = np.array([1.0, 2.0, 3.0, 4.0])
Y = np.array([-1.0, 0.5, 2.0, 0.0])
M = np.arange(6.0).reshape(2, 3)


@case(X, Y, marks="arrays differentiable")
def over_an_array(x):
    total = 0.0
    for v in x:
        total += v * v
    return total


@case(M, M - 2.5, marks="arrays differentiable")
def over_rows(m):
    total = 0.0
    for row in m:
        total += row[0] * row.sum()
        for v in row:
            total += v
    return total


@case((X, Y), (Y, X), marks="arrays differentiable")
def over_zip(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b
    return total


@case(X, Y, marks="arrays")
def over_enumerate(x):
    best, at = x[0], 0
    for i, v in enumerate(x):
        if v > best:
            best, at = v, i
    for k, v in enumerate(x, 1):
        best += k * v
    return best, at


@case((X, Y), (Y, X), marks="arrays")
def over_enumerated_zip(x, y):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        total += i * a - b
    return total


@case(X, Y, marks="arrays")
def over_reversed(x):
    total = 0.0
    for v in reversed(x):
        total = total * 2.0 + v
    for i in reversed(range(len(x))):
        total = total * 3.0 + x[i]
    return total


@case((1.0, 2), (3.0, 4), marks="differentiable")
def over_a_tuple(x, n):
    total = 0.0
    for a in (x, 2.0 * x, n):
        total = total * x + a
    for name, a in (("plus", x), ("minus", x * 0.5)):
        if name == "plus":
            total += a
        else:
            total -= a
    return total


@case((1.0, 3), (9.0, 3), (5.0, 0))
def breaks_out_of_a_tuple(x, n):
    k = 0
    for limit in (2.0, 4.0, 8.0):
        if n == 0:
            continue
        if x < limit:
            break
        k += 1
    else:
        k = 100
    return k


@case(X, Y, marks="arrays")
def zip_with_a_range(x):
    total = 0.0
    for k, v in zip(range(10, 100, 10), x):
        total += k * v
    for a, b in zip((1.0, 2.0), x):
        total += a * b
    return total


@case((X, 2), (Y, 3), marks="arrays")
def over_slices(x, n):
    total = 0.0
    for v in x[1:n]:
        total += v
    for v in x[::-2]:
        total = total * 2.0 + v
    return total


@case(np.zeros(0), marks="arrays")
def empty_array(x):
    total = 1.0
    for v in x:
        total += v
    return total + np.sum(x) + len(x), np.prod(x), x * 2.0


@case((M, X[:3]), (M + 1.0, Y[:3]), marks="arrays differentiable")
def rows_with_a_vector(m, v):
    out = np.zeros(len(m))
    for i, row in enumerate(m):
        out[i] = row @ v
    return out


@case(np.array([2, 0, 1]), np.array([1, 1, 1]), marks="arrays")
def over_ints_as_indices(order):
    total = 0
    for k in order:
        total = total * 10 + order[k]
    return total


@case((3, 4), (4, 2))
def list_of_runtime_index(k, n):
    table = [1, 10, 100, 1000, 10000]
    return table[k] + table[n], (5, 6, 7)[k - n]


@case(
    (np.array([1.0, 2.0]), np.array([[0.5, 1.0], [2.0, -1.0], [1.0, 1.0]])),
    shared=(1,),
    marks="arrays differentiable",
)
def rows_beside_a_list_of_arrays(x, rows):
    total = 0.0
    for k, (row, y) in enumerate(zip(rows, [x, 2.0 * x, x * x])):
        total += (k + 1) * (row @ y)
    return total
