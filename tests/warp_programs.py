"""Programs whose lanes wait for products with a shared matrix, and have long loops of their own: each is a warp."""

from collections.abc import Callable
from typing import Any

import numpy as np
from waiting_programs import COLUMNS as N


def reduced(q, X):
    """Numbers of several kinds, some begun with another, of loops of the lane's own."""
    t = X @ q
    total, less, product, many = q[0], q[1], 1.5, np.int64(t[0] > 0.0)
    large, small, most = q[2], 3.0, 2
    some, every = False, True
    for i in range(N):
        total += q[i] * t[i]
        less -= q[i]
        product *= 1.0 + 0.01 * t[i]
        many += np.int64(q[i] > t[i])
        large = np.maximum(large, t[i])
        small = np.minimum(small, q[i])
        most = np.maximum(most, np.int64(40.0 * q[i]))
        some = np.logical_or(some, t[i] > 1.0)
        every = np.logical_and(every, t[i] < 0.2)
    return total, less, product, many, large, small, most, some, every


def in_place(q, X):
    """Rounds that look at each other's, and others that do not, over the same arrays."""
    t, q = X @ q, q.copy()
    for i in range(N):
        q[i] = q[i] + t[i]
    for i in range(1, N):
        q[i] = 0.5 * q[i] + 0.25 * q[i - 1]
    for i in range(N - 1):
        q[i] += 0.1 * q[i + 1]
    low = q[3]
    q[5] = low + q[7]
    q[6] *= q[5]
    for i in range(N):
        q[i] = q[i] * q[i]
    return q, t, low


def backwards(q, X):
    """Each element is written by a thread that reads another's: none may be early."""
    t, q, r = X @ q, q.copy(), np.empty(N)
    for i in range(N):
        r[i] = q[N - 1 - i]
    for i in range(N):
        q[i] = r[N - 1 - i] + r[i]
    if q[0] > 0.0:
        q[1] = q[2]
    else:
        q[2] = q[1]
    return q, t[0]


def scattered(q, X, places):
    """Elements at any places, added to and moved."""
    t, found = X @ q, np.zeros(N)
    for i in range(N):
        found[places[i]] += q[i]
    for i in range(N // 2):
        found[places[i]], found[i] = found[i], found[places[i]]
    counts = np.zeros(7, np.int64)
    for i in range(N):
        counts[places[i] % 7] += 1
    return found, counts, t[1]


def searched(q, X):
    """A loop that ends as an element says, which it changes."""
    t, k = X @ q, 0
    while q[k] < 0.12 and k < N - 1:
        q[k + 1] += 0.01 * q[k]
        k += 1
    if k == N - 1:
        raise ValueError("nothing")
    return k, q, t[k]


def of_rows(q, X):
    """Nests: the outer loop is shared, or the inner one; a matrix of the lane's, and a product with it."""
    t = X @ q
    table = np.empty((N, 3))
    for i in range(N):
        for k in range(3):
            table[i, k] = q[i] * (k + 1)
    for k in range(3):
        for i in range(1, N):
            table[i, k] += 0.5 * table[i - 1, k]
    return table @ t[:3], table.T @ q, np.sum(table)


def chosen(q, X, n):
    """Arms of their own, and arrays that change places."""
    t, r = X @ q, 2.0 * q
    for k in range(n):
        if q[k] < r[k]:
            q, r = r.copy(), q.copy()
        else:
            r = q + r
        r[k] = 1.0
    return q @ r, t[0] + r[1]


def drawn(rng, q, X, depth):
    """Draws into arrays, at places that are drawn, by recursion."""
    t, q = X @ (q + rng.normal(size=N)), q.copy()
    q[rng.integers(0, N)] = rng.random()
    for i in range(N):
        q[i] = q[i] + 0.1 * rng.exponential() + t[i]
    if depth == 0 or rng.random() < 0.3:
        return q, 0
    q, n = drawn(rng, q, X, depth - 1)
    r, m = drawn(rng, 0.5 * q, X, depth - 1)
    return q + r, n + m + 1


PLACES = np.random.default_rng(2).permutation(N)
OWN: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "reduced": (reduced, ()),
    "in place": (in_place, ()),
    "backwards": (backwards, ()),
    "scattered": (scattered, (PLACES,)),
    "of rows": (of_rows, ()),
    "chosen": (chosen, (5,)),
}
"""Functions of lanes and a matrix, and what else lanes share."""
