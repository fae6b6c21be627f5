"""Programs on which derivatives break: what other systems got wrong or made expensive."""

import math

import numpy as np

from corpus.case import case

X = np.array([0.5, -1.5, 2.0, 0.25])
Y = np.array([1.5, 0.3, -0.7, 2.2])
ORDER = np.array([3, 0, 0, 2, 1, 3])
M = np.array([[1.0, 0.5], [-0.3, 2.0]])


@case((1.1, 2.2, 3.3), (0.4, -1.0, 2.0), marks="differentiable")
def foo(x, y, z):
    w = x * math.sin(y)
    return math.atan2(z, w) + z * w


@case((X, ORDER), (Y, ORDER), marks="arrays differentiable", shared=(1,))
def gather(x, idx):
    s = 0.0
    for i in range(len(idx)):
        s += x[idx[i]] * x[i % 4]
    return s


@case((X, ORDER), (Y, ORDER), marks="arrays differentiable", shared=(1,))
def scatter(x, idx):
    out = np.zeros(4)
    for i in range(len(idx)):
        out[idx[i]] += x[i % 4] ** 2
    return out


@case((1.02, 4), (0.97, 6), marks="differentiable")
def repeated_squaring(y, k):
    for _ in range(k):
        y = y * y
    return y


@case(1.01, 0.9, marks="differentiable")
def chain_of_shared_values(x):
    a = x * x
    b = a * a
    c = b * b
    d = c * c
    return d * d


@case((2, 0.3), (3, 1.1), marks="differentiable")
def perfect_nest(n, x):
    s = 0.0
    for i in range(n):
        for j in range(n):
            for k in range(n):
                s += math.sin(x * (i + 2 * j + 3 * k))
    return s


@case((2, 0.3), (3, 1.1), marks="differentiable")
def imperfect_nest(n, x):
    for i in range(n):
        x = math.sin(x) + 0.1
        for j in range(n):
            x = x * 0.9 + 0.05 * j
            for k in range(2):
                x = x + 0.1 * math.cos(x)
        x = x * x
    return x


@case((9.0, 1e-9), (2.0, 1e-6), marks="differentiable")
def halve_until(x, eps):
    total = 0.0
    while x > eps:
        total += x * x
        x = x / 2.0
    return total


@case((0, 1.5), (2, 1.5), marks="differentiable")
def zero_trip_gradient(n, x):
    y = x
    while n > 0:
        y = y * x
        n -= 1
    return y


@case(0.0, 2.0, marks="differentiable")
def real_if_protects(x):
    if x > 0.0:
        y = math.log(x)
    else:
        y = 0.0 * x
    return y + x


@case(X, Y, marks="arrays differentiable")
def where_protects(x):
    positive = x > 0.0
    safe = np.where(positive, x, 1.0)
    return np.sum(np.where(positive, np.log(safe), x))


@case((X, Y), (Y, X), marks="arrays differentiable")
def products_and_extremes(x, y):
    return np.prod(x) + np.max(x) * np.min(y) + np.prod(y[:2]) + max(x[0], y[0])


@case((2.0, X), (0.5, Y), marks="arrays differentiable")
def one_scalar_in_all_iterations(c, x):
    out = np.zeros(4)
    for i in range(4):
        out[i] = c * x[i] + c * c
    return out


@case((M, X[:2], X[2:3]), (M.T, Y[:2], Y[3:]), marks="arrays differentiable")
def broadcast_operators(m, v, one):
    a = m + v
    b = m * v[:, None]
    c = (v[:, None] - v[None, :]) / (2.0 + one)
    d = m / (1.0 + v * v) - one
    return np.sum(a * b) + np.sum(c * d) + np.sum(v**2 + one)


@case((X, True), (Y, False), marks="arrays differentiable")
def what_others_refused(x, flag):
    s = np.outer(x, x)
    for i in range(4):
        s[i, i] += x[i]
    column = s[:, np.newaxis, 0]

    def inner(v):
        return v.sum() * x[0]

    first = s[0, :]
    if flag:
        return inner(first) + column.sum()
    return inner(first) * 2.0


@case((X, 3), (Y, 2), marks="arrays")
def returns_an_int(x, n):
    return n * 2, x.sum()


@case((X, 1.0), (Y, 2.0), marks="arrays differentiable")
def unused_argument(x, unused):
    return np.sum(x * x)


@case((X, 0.1), (Y, 0.2), marks="arrays differentiable")
def leapfrog(q, eps):
    p = np.ones(4)
    p = p - 0.5 * eps * q
    for _ in range(5):
        q = q + eps * p
        p = p - eps * q * (1.0 + 0.1 * q * q)
    return 0.5 * np.sum(p * p) + np.sum(q)


@case((X, 2), (Y, 3), marks="arrays differentiable")
def one_hot_sum(x, k):
    total = 0.0
    for i in range(4):
        if i == k:
            total += x[i] * x[i]
    return total


@case((X,), (Y,), marks="arrays differentiable")
def slice_update_chain(x):
    y = np.zeros(4)
    for i in range(3):
        y[i : i + 2] += x[i : i + 2] * (i + 1.0)
    return y


@case((X, 2.0), (Y, 0.1), marks="arrays differentiable")
def break_on_a_threshold(x, limit):
    total = 0.0
    for v in x:
        if total > limit:
            break
        total += v * v
    return total


@case(0.7, 1.3, marks="differentiable")
def stale_primals(x):
    for _ in range(3):
        y = math.tanh(x)
        x = math.exp(y) - math.sqrt(y)
    return x
