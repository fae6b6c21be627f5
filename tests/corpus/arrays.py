"""Making arrays, elementwise functions, reductions, products, shapes, selecting."""

import numpy as np

from corpus.case import case

X = np.array([1.0, -2.0, 3.0])
Y = np.array([0.5, 4.0, -1.0])
M = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 4.0]])
N = np.array([[0.0, 1.0, 2.0], [5.0, -0.5, 3.0]])
B = np.stack((M, N, M * N - 1.0))


@case(np.array([12, 13]), np.array([-13, 10]), np.array([14, 1]), marks="arrays", gives=(50, -6, 30))
def sum_of_doubles(x):
    return np.sum(x + x)


@case((X, M, 2.0), (Y, N, -1.0), marks="arrays differentiable")
def event_shapes_side_by_side(x, m, s):
    return np.sum(m * x + s, axis=1), x * s, s


@case((3, 2), (2, 4), marks="arrays")
def array_creation(n, m):
    a = np.zeros((2, 3))
    b = np.ones(3)
    c = np.full((2,), 7.0)
    d = np.arange(5)
    e = np.arange(1.0, 2.0, 0.25)
    f = np.linspace(0.0, 1.0, 5)
    g = np.eye(3)
    h = np.zeros_like(a)
    k = np.array([[1, 2], [3, 4]])
    return a, b, c, d, e, f, g, h, k, np.array([1.0, n, m]), np.identity(2), np.full(2, n)


@case((3, 2), (2, 4), marks="arrays")
def creation_of_runtime_size(n, m):
    a = np.zeros(n)
    for i in range(n):
        a[i] = i * m
    b = np.arange(n) + 1
    return a.sum() + b.sum(), len(a), a.shape[0] * 2, np.ones((n, m)).size


@case((X, Y), (Y, X), marks="arrays differentiable")
def elementwise_functions(x, y):
    z = np.exp(-x * x) + np.sin(y) * np.cos(x) - np.tanh(x)
    w = np.sqrt(x * x + 1.0) + np.log1p(y * y) + np.arctan2(x, y)
    return z / w + np.abs(x) ** 1.5 + np.maximum(x, y) - np.minimum(x, 0.3)


@case((M,), (N,), marks="arrays differentiable")
def reductions(m):
    return (
        m.sum(), m.sum(axis=0), np.sum(m, axis=1, keepdims=True), np.mean(m, axis=-1), m.prod(axis=1),
        np.max(m, axis=0), m.min(), np.cumsum(m[0]),
        np.std(m), np.var(m, axis=0, ddof=1), m.mean(axis=(0, 1)),
    )  # fmt: skip


@case((M,), (N,), marks="arrays")
def reductions_to_places(m):
    return (
        np.argmax(m), m.argmin(axis=1), np.any(m > 3.0), np.all(m > -9.0, axis=0), np.sum(m > 0.0),
        (m > 0.0).mean(), any(m[0] > 2.0), max(m[0]), min(m[1]), sum(m[0]),
    )  # fmt: skip


@case((M, X, N), (N, Y, M), marks="arrays differentiable")
def products(m, x, n):
    a = m @ x
    b = np.dot(x, x)
    c = m @ n.T
    d = np.outer(a, x)
    e = np.matmul(x, m.T)
    return a, b, c, d, e, x.dot(x), np.dot(m, x), np.vdot(x, x), np.inner(x, x)


@case((M, X), (N, Y), marks="arrays differentiable")
def broadcasting(m, x):
    return m + x, m * m[:, 0:1], x[:, None] - x[None, :], m - 1.0, x * m[0, 0], 2.0 / (m * m + 1.0)


@case((M, X), (N, Y), marks="arrays differentiable")
def shapes(m, x):
    return (
        m.reshape(3, 2), m.T, m.ravel(), m.reshape(-1), np.reshape(m, (1, 6)), x[:, np.newaxis],
        np.transpose(m), np.concatenate((x, x * 2.0)), np.stack((x, x + 1.0)), np.hstack((x, 1.0)),
        np.stack([x, x], axis=1), np.squeeze(x[None, :]), np.expand_dims(x, 0),
        np.flip(x), np.diff(x), np.append(x, 3.0), np.broadcast_to(x, (2, 3)), np.swapaxes(m, 0, 1),
    )  # fmt: skip


@case((M,), (N,), marks="arrays")
def attributes(m):
    rows, columns = m.shape
    return rows, columns, m.ndim, m.size, len(m), m.shape[1], m.T.shape[0], m[0].size


@case((X, Y), (Y, X), marks="arrays differentiable")
def where_and_clip(x, y):
    return np.where(x > y, x * x, y), np.where(x > 0, 1.0, x), np.clip(x, -0.4, 2.5), np.where(x > 0, 1, 2)


@case((B,), (B[:, ::-1],), marks="arrays")
def spreads_of_rows(b):
    return (
        np.std(b, axis=-1),
        np.std(b > 0.0, axis=-1),
        np.var(b, axis=1, keepdims=True),
        np.std(b, axis=(0, 2)),
    )


@case((X, 1), (Y, 2), marks="arrays differentiable")
def reading_elements(x, k):
    return x[k], x[-1], x[k - 1] + x[0], x[: k + 1], x[-2:], x[::-1], x[k:], x[..., 0], x[1:][0]


@case((M, 1, 2), (N, 0, -1), marks="arrays differentiable")
def reading_matrices(m, i, j):
    return (
        m[i, j],
        m[i],
        m[:, j],
        m[i][j],
        m[i, 1:],
        m[0, :],
        m[:, ::2],
        m[..., j],
        m[-1, -1],
        m[i : i + 1, :2],
    )


@case((X, np.array([2, 0, 2, 1])), (Y, np.array([1, 1, -1, 0])), marks="arrays differentiable")
def index_arrays(x, order):
    return x[order], x[order].sum(), np.take(x, order), x[[0, 2]]


@case((X, Y), (Y, X), marks="arrays")
def comparisons_of_arrays(x, y):
    return x > y, (x > 0) & (y > 0), ~(x == y), np.logical_or(x > y, y > 3.0), np.isfinite(x), x != 1.0


@case((X,), (Y,), marks="arrays")
def conversions_of_arrays(x):
    n = x.astype(np.int64)
    return (
        n,
        n.astype(np.float64) / 2,
        (x > 0).astype(int),
        x.astype("float32") * 2.0,
        x.copy(),
        float(x[0]),
        np.float64(3),
    )


@case((X, M), (Y, N), marks="arrays differentiable")
def diagonals(x, m):
    square = m @ m.T
    return np.diag(x), np.diag(square), np.trace(square), np.linalg.norm(x), np.tile(x, 2)


@case((X,), (Y,), marks="arrays differentiable")
def scalars_out_of_arrays(x):
    total = np.sum(x)
    half = total / 2
    if half > 0.5:
        half = half * x[0]
    return half, x.max() - x.min(), x[0] * 1


@case((M, 2), (N, 1), marks="arrays differentiable")
def rows_are_values(m, n):
    total = np.zeros(3)
    for i in range(2):
        total = total + m[i] * n
    return total


@case((X, 4), (Y, 0), marks="arrays")
def arrays_that_grow(x, n):
    y = x
    for k in range(n):
        y = np.append(y, y[k] + 1.0)
    return y.sum(), len(y), y


@case(np.array([1.0, 2.5, 0.5]), np.array([1.0, 2.0, 5.0]), marks="arrays differentiable")
def ranges_beside_arrays(x):
    n = len(x)
    y = x * range(1, n + 1) - (range(n) - x) / range(2, n + 2)
    y += range(n)
    return x @ range(n) + np.sum(np.where(y > range(n), y, 0.0))
