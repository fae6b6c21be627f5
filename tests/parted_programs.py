"""Programs whose lanes wait for products with a shared matrix, and between these at long loops, or do not."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff import value_and_grad

ROWS, COLUMNS = 1024, 16
rng = np.random.default_rng(6)
X, y = rng.normal(size=(ROWS, COLUMNS)) / 4.0, rng.integers(0, 2, ROWS) * 1.0
STARTS = rng.normal(size=(5, COLUMNS)) / 4.0
DATA = X, y
SCALES = np.array([1.0, 0.5, 2.0, 1.5, 3.0])
CENTRES = np.array([0.0, 1.0, -1.0])


def logistic(q, X, y):
    logits = X @ q
    return np.sum(y * logits - np.logaddexp(0.0, logits)) - 0.5 * np.sum(q**2)


def reduced(q, scale, X, y):
    """Numbers of several kinds, of numbers of the lane's, begun with another."""
    t = X @ q
    total, less, large, small, many, all_small = scale, scale, -1.0, 1, 0, True
    for i in range(len(t)):
        e = np.exp(scale * t[i]) * y[i]
        total += e
        large = np.maximum(large, e)
        small = np.minimum(small, np.int64(e))
        many += np.int64(e > 1.0)
        all_small = np.logical_and(all_small, e < 7.0)
        if e > 0.5:
            less -= e
    return total, less, large, small, many, all_small


def in_turn(q, X):
    """The second loop reads what the first adds up, and cannot follow it at once."""
    t = np.exp(X @ q)
    mean = np.sum(np.log1p(t)) / len(t)
    return np.sum(np.exp(-np.abs(t - mean))), X.T @ (t - mean)


def side_by_side(q, X):
    """Two loops that the lane need not be run between, and a third in a branch."""
    t, u = X @ q, X @ (2.0 * q)
    a, b, c = 0.0, 1.0, 0.0
    for i in range(len(t)):
        a += np.exp(t[i]) * np.sin(t[i])
    for i in range(2, len(t) - 1):
        b *= 1.0 + 0.01 * np.sin(u[i])
    if a > 0.0:
        for i in range(len(t)):
            c += np.exp(-t[i] * t[i] - a)
    return a, b, c


def with_more_between(q, X, y):
    """A prior, and a number of the product's, which are not in the way."""
    logits = X @ q
    prior = -0.5 * np.sum(q**2)
    low = logits[0]
    r = y - 1.0 / (1.0 + np.exp(-logits))
    slope = r @ X
    high = logits[1]
    return prior + low - high, np.sum(r * np.exp(-r * r) * np.cos(r)), slope - q


def by_rows(q, X, centres):
    """A loop in the loop, and an array of two axes that is written over."""
    t = X @ q
    table = np.empty((len(t), 3))
    for i in range(len(t)):
        for k in range(3):
            table[i, k] = np.exp(-((t[i] - centres[k]) ** 2))
    for i in range(len(t)):
        s = table[i, 0] + table[i, 1] + table[i, 2]
        for k in range(3):
            table[i, k] = np.log(table[i, k] / s)
    return table, X.T @ table[:, 0]


def checked(q, low, X, y):
    """The first row that fails says which of two failures it is."""
    t = X @ q
    total = 0.0
    for i in range(len(t)):
        if t[i] < low:
            raise ValueError("too low")
        if t[i] > 0.7:
            raise ArithmeticError("too high")
        total += np.log(t[i] - low + 1.0) * np.exp(y[i])
    return total, X.T @ np.exp(t)


def followed(q, X):
    """A round looks at what the one before has made."""
    t = X @ q
    s = 0.0
    for i in range(len(t)):
        s = np.exp(-np.abs(s + t[i]))
    return s


def neighbours(q, X):
    t = X @ q
    for i in range(1, len(t)):
        t[i] = np.exp(-np.abs(t[i] + t[i - 1]))
    return t


def counted(q, X, places):
    """Rounds add at any places."""
    t = X @ q
    found = np.zeros(8, np.int64)
    for i in range(len(t)):
        found[places[i]] += np.exp(t[i]) * np.exp(-t[i] * t[i]) > 1.0
    return found


def of_any_length(q, X, n):
    t = X @ q
    s = 0.0
    for i in range(n):
        s += np.exp(t[i])
    return s


def of_its_own(q, X, y):
    """A loop that hangs on no product: its sum has the same bits in whatever company."""
    return np.sum(np.exp(q[0] * y) * np.cos(q[1] * y)), X @ q


def climbed(q, X, y, steps):
    """As many steps as each lane is told, so that lanes part."""
    for _ in range(steps):
        logits = X @ q
        q = q + 0.01 * ((y - 1.0 / (1.0 + np.exp(-logits))) @ X - q)
    return q


def walked(rng, q, X, y, depth):
    """By recursion, of which each level draws, goes through a loop, and is left early here and there."""
    if depth == 0:
        return q, 0.0
    logits = X @ (q + 0.01 * rng.normal(size=len(q)))
    if rng.random() < 0.2:
        return q, 1.0
    u = rng.random()
    value = np.sum(y * logits - u * np.logaddexp(0.0, logits))
    q = q + 0.001 * ((y - 1.0 / (1.0 + np.exp(-logits))) @ X)
    r, a = walked(rng, q, X, y, depth - 1)
    s, b = walked(rng, 0.5 * (q + r), X, y, depth - 1)
    return s, a + b + value


slopes = value_and_grad(logistic)
STEPS = np.array([3, 0, 1, 2, 3])
PARTED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...], int]] = {
    "logistic": (slopes, (0, None, None), (STARTS, *DATA), 1),
    "reduced": (reduced, (0, 0, None, None), (STARTS, SCALES, *DATA), 1),
    "in turn": (in_turn, (0, None), (STARTS, X), 2),
    "side by side": (side_by_side, (0, None), (STARTS, X), 3),
    "more between": (with_more_between, (0, None, None), (STARTS, *DATA), 1),
    "by rows": (by_rows, (0, None, None), (STARTS, X, CENTRES), 1),
    "of its own": (of_its_own, (0, None, None), (STARTS, *DATA), 1),
    "climbed": (climbed, (0, None, None, 0), (STARTS, *DATA, STEPS), 1),
}
"""Functions of lanes, what of them is over lanes, arguments, and how many loops lanes wait at."""
