"""Programs over arrays whose parts look at each other, that write into arguments, draw, or solve systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg


def sequence(x):
    s = 0.0
    for i in range(len(x)):
        s = 0.5 * s + x[i]
    return s


def recurrence(x, a):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * a[i - 1]
    return x


def forward(L, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def eliminated(A):
    for i in range(len(A)):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, len(A)):
            A[i, j] -= A[i, :i] @ A[:i, j]


def largest_so_far(x, start):
    best = start
    tops = np.empty(len(x))
    for i in range(len(x)):
        step = best
        for j in range(len(x)):
            step = np.maximum(step, x[j] - i)
        best = 0.5 * (best + step)
        tops[i] = best
    return tops, best


def settles(x, tolerance):
    steps = 0
    while np.max(np.abs(x)) > tolerance:
        x = 0.5 * x
        steps += 1
    return x, steps


def until(x, top):
    seen = np.zeros(len(x))
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        if total > top:
            break
        seen[i] = total
    return seen, total


def gathered(x, places):
    return x[places] * 2.0, np.sum(x[places])


def scattered(x, places, n):
    out = np.zeros(n)
    for i in range(len(places)):
        out[places[i]] += x[i] ** 2
    return out


def scattered_twice(x, a, b, n):
    out = np.zeros(n)
    norm = 0.0
    for i in range(len(x)):
        out[a[i]] += x[i]
        out[b[i]] -= 0.1 * x[i]
        out[a[i]] += b[i]
        norm += x[i]
    return out, norm


def scattered_pairs(X, a, b):
    out = np.ones((4, 3), X.dtype)
    np.add.at(out, (a, b), X[0])
    for i in range(len(a)):
        for j in range(len(X)):
            out[a[i], -b[i] - 1] += X[j, i]
    return out


def scattered_rows(X, places, n):
    out = np.zeros((n, X.shape[1]))
    for i in range(len(places)):
        out[places[i]] += X[i]
    return out


def counted_places(places, n):
    counts = np.zeros(n, np.int64)
    for i in range(len(places)):
        counts[places[i]] += 1
    return counts


def counted_in_turn(places, n):
    """Each round looks at what the last one counted."""
    counts = np.zeros(n, np.int64)
    shift = 0
    for _ in range(3):
        for i in range(len(places)):
            counts[(places[i] + shift) % n] += 1
        shift = counts[0] % 3
    return counts, shift


def running(X):
    return np.cumsum(X[:, 0]), np.cumsum(X, axis=1), np.cumprod(X[0]), np.argmax(X), np.argmin(X[:, 1])


def in_order(x):
    return np.sort(x), np.argsort(x), np.median(x), np.searchsorted(np.sort(x), 0.3), np.unique(np.round(x))


def masked(x):
    y = x.copy()
    y[x < 0.0] = 0.0
    return x[x > 0.5], y, np.flatnonzero(x > 0.0)


def solved(A, b):
    S = A @ A.T + np.eye(len(A))
    return (
        np.linalg.solve(A, b),
        np.linalg.cholesky(S),
        np.linalg.inv(A),
        np.linalg.det(A),
        np.linalg.slogdet(S),
    )


def decomposed(A):
    values, vectors = np.linalg.eigh(A + A.T)
    q, r = np.linalg.qr(A)
    u, s, v = np.linalg.svd(A)
    order, lower, upper = scipy.linalg.lu(A)
    fitted = np.linalg.lstsq(A, A[:, 0])[0]
    made = values, vectors @ np.diag(values) @ vectors.T, q @ r, order @ lower @ upper
    return *made, s, np.linalg.pinv(A), np.linalg.norm(A), fitted


def drawn(rng, x):
    noise = rng.normal(size=len(x))
    y = x + 0.1 * noise
    k = rng.integers(0, len(x))
    u = rng.random()
    return y, y[k] * u, rng.exponential(2.0, size=(2, 3))


def walked(rng, x, steps):
    accepted = 0
    for _ in range(steps):
        proposal = x + 0.3 * rng.normal(size=len(x))
        if np.log(rng.random()) < 0.5 * (np.sum(x**2) - np.sum(proposal**2)):
            x = proposal
            accepted += 1
    return x, accepted


def written(x, y):
    x[:] = x + y
    y[1:] = 0.0
    return x.sum()


def returned(x):
    x *= 2.0
    return x


def columns(X, w):
    out = np.empty(len(X))
    for i in range(len(X)):
        out[i] = X[i] @ w
    return out


def powers(X, w):
    for _ in range(3):
        w = X @ w
        w = w / np.sqrt(w @ w)
    return w


def smooth_step(t):
    """Of so many operations that calls of it are not inlined for that."""
    u = min(max(t, 0.0), 1.0)
    v = u * u * (3.0 - 2.0 * u)
    w = np.sin(v) + np.cos(u * v) - 0.5 * np.tanh(u + v)
    for _ in range(3):
        w = 0.5 * (w + v / (1.0 + w * w))
    return w * np.exp(-u) + np.sqrt(1.0 + v * w)


def steps_of_both(x, y):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = smooth_step(x[i]) - smooth_step(y[i])
    return out


def halves(x):
    if len(x) <= 1:
        return x.sum()
    half = len(x) // 2
    return halves(x[:half]) - 0.5 * halves(x[half:])


def positive_roots(x):
    out = np.empty(len(x))
    for i in range(len(x)):
        if x[i] < 0.0:
            raise ValueError(f"no root of {x[i]} at {i}")
        out[i] = np.sqrt(x[i])
    return out


def up_to(x, top):
    total = 0.0
    for i in range(len(x)):
        total = 0.5 * total + x[i]
        if total > top:
            raise ArithmeticError(f"{total:.3f} is over {top}")
    return total


rng = np.random.default_rng(5)
x, y, X = rng.normal(size=21), rng.normal(size=21), rng.normal(size=(13, 5))
A, L = rng.normal(size=(6, 6)), np.tril(rng.normal(size=(9, 9))) + 4.0 * np.eye(9)
places = rng.integers(-7, 7, size=21)
triples = rng.integers(0, 3, size=13)


def running_of_few(x, steps):
    """A matrix of a thread's own."""
    few, last = np.array([[x[1], 0.0], [0.5, x[0]]]), np.zeros((2, 2))
    for k in range(steps):
        last = np.concatenate((np.cumsum(few, axis=0)[1:], few[:1] + k))
    return last


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (sequence, (x,)),
    (recurrence, (x, y)),
    (forward, (L, x[:9])),
    (eliminated, (A + 6.0 * np.eye(6),)),
    (largest_so_far, (x, -0.5)),
    (settles, (x, 0.01)),
    (until, (np.abs(x), 3.0)),
    (gathered, (x, places)),
    (gathered, (x, np.array([3, 40, 50]))),
    (scattered, (x, places, 7)),
    (scattered, (x, places + 1, 7)),
    (scattered, (x[:0], places[:0], 7)),
    (scattered, (x.astype("f4"), places, 7)),
    (scattered_twice, (x, places, places[::-1].copy(), 7)),
    (scattered_pairs, (X.T.copy(), triples, triples[::-1].copy())),
    (scattered_rows, (X, triples, 3)),
    (scattered_rows, (X, triples, 2)),
    (counted_places, (places, 7)),
    (counted_places, (places, 6)),
    (counted_in_turn, (places, 5)),
    (running, (X,)),
    (in_order, (x,)),
    (masked, (x,)),
    (solved, (A, x[:6])),
    (solved, (np.ones((3, 3)), x[:3])),
    (decomposed, (A,)),
    (drawn, (np.random.default_rng(8), x)),
    (walked, (np.random.Generator(np.random.Philox(3)), x, 9)),
    (written, (x, y)),
    (written, (x[::2], y[:11])),
    (returned, (x,)),
    (columns, (X, X[0])),
    (powers, (A, x[:6])),
    (halves, (x,)),
    (steps_of_both, (x, y)),
    (positive_roots, (np.abs(x),)),
    (positive_roots, (np.where(np.arange(21) > 12, x, np.abs(x)),)),
    (up_to, (np.abs(x), 50.0)),
    (up_to, (np.abs(x), 1.5)),
    (running_of_few, (x, 3)),
]


def of_forward(L, b):
    return np.sum(forward(L, b) ** 2)


def of_largest(x, start):
    tops, best = largest_so_far(x, start)
    return best * np.sum(tops)


def of_gathered(x, places):
    return np.sum(x[places] ** 3)


def of_scattered(x, places):
    return np.sum(scattered(x, places, 7) ** 2)


def of_scattered_twice(x, a, b):
    out, norm = scattered_twice(x, a, b, 7)
    return norm * np.sum(out**2)


def of_rows(X, places):
    return np.sum(scattered_rows(X, places, 3) ** 2)


def of_columns(X, w):
    return np.sum(columns(X, w) ** 2)


def of_running(X):
    return np.sum(np.cumsum(X[:, 0]) ** 2 * np.sort(X[:, 1]))


def of_solution(A, b):
    return np.sum(np.linalg.solve(A, b) ** 2) + np.linalg.slogdet(A @ A.T)[1]


POINTS = np.random.default_rng(5).normal(size=(333, 3))


def nearest(centres, X):
    return np.sum(np.min(np.sum((X[:, None, :] - centres) ** 2, axis=2), axis=1))


def mixture(weights, means, X):
    inside = weights - 0.5 * np.sum((X[:, None, :] - means) ** 2, axis=2)
    top = np.max(inside, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(inside - top[:, None]), axis=1)))


LOSSES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (sequence, (x,)),
    (of_forward, (L, x[:9])),
    (of_largest, (x, -0.5)),
    (of_gathered, (x, places)),
    (of_scattered, (x, places)),
    (of_scattered_twice, (x, places, places[::-1].copy())),
    (of_rows, (X, triples)),
    (of_columns, (X, X[0])),
    (of_running, (X,)),
    (of_solution, (A, x[:6])),
    (nearest, (POINTS[:4], POINTS)),
    (mixture, (np.zeros(4), POINTS[:4], POINTS)),
]
