"""Loops that carry arrays whose size changes: programs, with arguments to try them on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = tuple[Callable[..., Any], tuple[Any, ...]]
RNG = np.random.default_rng(3)


def vector(n: int) -> Any:
    return RNG.uniform(0.4, 1.4, n)


def matrix(n: int) -> Any:
    return RNG.uniform(0.4, 1.4, (n, n)) + 2.0 * np.eye(n)


def binomial_tree(spot, strike, p, disc, n):
    up = np.exp(0.2 / np.sqrt(n))
    values = np.maximum(strike - spot * up ** np.arange(-n, n + 1, 2), 0.0)
    for _ in range(n):
        values = disc * (p * values[1:] + (1.0 - p) * values[:-1])
    return values[0]


def american_put(spot, strike, rate, sigma, years, n):
    dt = years / n
    up = np.exp(sigma * np.sqrt(dt))
    down = 1.0 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    disc = np.exp(-rate * dt)
    values = np.maximum(strike - spot * up ** np.arange(-n, n + 1, 2), 0.0)
    for i in range(n - 1, -1, -1):
        values = disc * (p * values[1:] + (1.0 - p) * values[:-1])
        values = np.maximum(values, strike - spot * up ** np.arange(-i, i + 1, 2))
    return values[0]


def pairs(x):
    while len(x) > 1:
        x = np.sin(x[1:]) * x[:-1]
    return x[0]


def tournament(x):
    while len(x) > 1:
        x = x[::2] * x[1::2] + np.sin(x[::2])
    return x[0]


def uneven_tournament(x):
    while len(x) > 1:
        k = len(x) // 2
        left = x[:k] * np.cos(x[len(x) - k :])
        x = left if len(x) % 2 == 0 else np.append(left, x[k])
    return x[0]


def de_casteljau(points, t):
    for _ in range(len(points) - 1):
        points = (1.0 - t) * points[:-1] + t * points[1:]
    return np.sum(points * points)


def neville(x, y, at):
    for k in range(1, len(x)):
        y = ((at - x[k:]) * y[:-1] - (at - x[:-k]) * y[1:]) / (x[:-k] - x[k:])
    return y[0]


def romberg(a, b, n):
    h = b - a
    row = np.array([0.5 * h * (np.exp(a) * np.sin(a) + np.exp(b) * np.sin(b))])
    m = 1
    for _ in range(n):
        h = h / 2.0
        at = a + h * (2.0 * np.arange(m) + 1.0)
        new = np.array([0.5 * row[0] + h * np.sum(np.exp(at) * np.sin(at))])
        f = 1.0
        for j in range(len(row)):
            f = f * 4.0
            new = np.append(new, new[j] + (new[j] - row[j]) / (f - 1.0))
        row = new
        m = 2 * m
    return row[-1]


def determinant(a):
    d = 1.0
    while len(a) > 0:
        d = d * a[0, 0]
        a = a[1:, 1:] - np.outer(a[1:, 0], a[0, 1:]) / a[0, 0]
    return d


def log_determinant(a):
    s = 0.0
    for _ in range(len(a)):
        s += np.log(a[0, 0] ** 2)
        a = a[1:, 1:] - np.outer(a[1:, 0], a[0, 1:]) / a[0, 0]
    return s


def elimination_in_place(a):
    d = 0.0
    while len(a) > 1:
        b = a.copy()
        for i in range(1, len(b)):
            b[i] = b[i] - b[i, 0] / b[0, 0] * b[0]
        d += b[0, 0] ** 2
        a = b[1:, 1:]
    return d + a[0, 0]


def wavelet(x):
    energy = 0.0
    while len(x) > 1:
        energy += np.sum(np.abs(x[::2] - x[1::2]) ** 3)
        x = np.sin(x[::2] + x[1::2])
    return energy + x[0]


def grids(x, w, n):
    total = 0.0
    for _ in range(n):
        x = np.tanh(w[0] * x[:-2:2] + w[1] * x[1:-1:2] + w[2] * x[2::2])
        total += np.sum(x * x)
    return total


def appended(x, n):
    y = np.array([x])
    for _ in range(n):
        y = np.append(y, np.sum(np.sin(y) * x))
    return np.sum(y)


def polynomial(x, n):
    y = np.array([1.0])
    for _ in range(n):
        y = np.concatenate([y * x, np.zeros(1)]) + np.concatenate([np.zeros(1), np.sin(y)])
    return np.sum(y * np.arange(len(y)))


def doubled(x, n):
    for _ in range(n):
        x = np.concatenate([np.sin(x), x * x[::-1]])
    return np.sum(x)


def beside_others(x, v, n):
    s = 1.0
    for k in range(n):
        s = s * np.sum(x) + v[k]
        v = np.sin(v) * s
        x = x[1:] * s + x[:-1]
    return s + np.sum(x) + np.sum(v)


def of_two_sizes(x, y):
    while len(x) > 1 and len(y) > 2:
        s = np.sum(y[:2])
        x = x[1:] * s
        y = y[2:] + np.sin(x[0])
    return np.sum(x) + np.sum(y)


def exchanged(x, y, n):
    for _ in range(n):
        x, y = y[1:] * np.sum(x), np.sin(x)
    return np.sum(x) + 2.0 * np.sum(y)


def in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        y = x * (k + 1.0)
        while len(y) > 1:
            y = np.sin(y[1:] * y[:-1])
        total += y[0]
        x = x + 0.1 * y[0]
    return total


def loop_in_loop(x):
    while len(x) > 2:
        y = x
        for _ in range(len(x) - 1):
            y = 0.5 * y[1:] + np.sin(y[:-1])
        x = x[1:] * y[0]
    return np.sum(x)


def filled(x):
    while len(x) > 1:
        y = np.zeros(len(x) - 1)
        for i in range(len(y)):
            y[i] = x[i] * np.sin(x[i + 1])
        x = y
    return x[0]


def by_branches(x):
    while len(x) > 1:
        if x[0] > 0.9:
            x = x[1:] * np.cos(x[0])
        else:
            x = x[:-1] + x[-1] ** 2
    return x[0]


def left_early(x, n):
    for k in range(n):
        if len(x) < 3:
            break
        if k % 3 == 1:
            x = 0.5 * np.sin(x)
            continue
        x = np.sin(x[1:]) + x[:-1] ** 2
    return np.sum(x)


def rectangle(a):
    s = 0.0
    while a.shape[0] > 1:
        a = a[:-1, 1:] * np.sin(a[1:, :-1])
        s += np.sum(a)
    return s


def bordered(a, n):
    for _ in range(n):
        b = np.zeros((a.shape[0] + 1, a.shape[1] + 1))
        b[1:, 1:] = np.sin(a)
        b[0, :-1] = a[0]
        a = b
    return np.sum(a * a)


def masked(x):
    while len(x) > 1:
        x = np.sin(x[x < np.max(x)]) + np.max(x) * 0.1
    return x[0]


def step(v):
    return v[1:] * np.cos(v[:-1])


def by_a_function(x):
    while len(x) > 1:
        x = step(x)
    return x[0]


def stretched(x, b, n):
    v = np.array([x])
    for _ in range(n):
        v = np.sin(v) + b
    return np.sum(v)


def by_steps(x, k):
    for i in range(len(x) - 1, 0, -k):
        x = x[:i] * np.sin(x[1 : i + 1])
    return np.sum(x)


def of_weights(w, n):
    k = np.arange(10.0) * 0.001
    for _ in range(n):
        k = k[1:] + k[:-1]
        w = np.sin(w * np.sum(k))
    return w


RAGGED: dict[str, Program] = {f.__name__: (f, arguments) for f, *arguments in (
    (binomial_tree, 1.0, 1.1, 0.51, 0.99, 5), (american_put, 1.0, 1.05, 0.03, 0.2, 1.0, 6), (pairs, vector(6)),
    (tournament, vector(8)), (uneven_tournament, vector(7)), (de_casteljau, vector(5), 0.3),
    (neville, np.array([0.0, 1.0, 2.5, 3.0]), vector(4), 1.7), (romberg, 0.2, 1.1, 3), (determinant, matrix(4)),
    (log_determinant, matrix(3)), (elimination_in_place, matrix(4)), (wavelet, vector(8)),
    (grids, vector(15), vector(3), 2), (appended, 0.7, 5), (polynomial, 0.7, 4), (doubled, vector(2), 3),
    (beside_others, vector(5), vector(4), 3), (of_two_sizes, vector(4), vector(7)),
    (exchanged, vector(5), vector(6), 3), (in_a_loop, vector(4), 3),
    (loop_in_loop, vector(5)), (filled, vector(5)), (by_branches, vector(6)),
    (left_early, 0.5 * vector(6), 5), (rectangle, matrix(4)[:, :3]), (bordered, matrix(2), 3), (masked, vector(5)),
    (by_a_function, vector(5)), (stretched, 0.3, vector(3), 3), (by_steps, vector(8), 2), (of_weights, 0.3, 4),
)}  # fmt: skip


def places(arguments: tuple[Any, ...]) -> tuple[int, ...]:
    """Of the arguments that are floats."""
    return tuple(k for k, a in enumerate(arguments) if not isinstance(a, int))
