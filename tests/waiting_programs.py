"""Programs whose lanes share a matrix that is worth waiting for products with."""

import numpy as np

from autodiff import value_and_grad

ROWS, COLUMNS = 160, 104
rng = np.random.default_rng(4)
X, y = rng.normal(size=(ROWS, COLUMNS)) / 10.0, rng.integers(0, 2, ROWS) * 1.0
STARTS = rng.normal(size=(5, COLUMNS)) / 10.0


def logistic(q, X, y):
    logits = X @ q
    return np.sum(y * logits - np.logaddexp(0.0, logits)) - 0.5 * np.sum(q**2)


def climbed(q, X, y, steps):
    """As many steps as each lane is told; those that go wrong are halved."""
    value, slope = value_and_grad(logistic)(q, X, y)
    size = 1.0
    for _ in range(steps):
        proposal = q + size * slope
        new, direction = value_and_grad(logistic)(proposal, X, y)
        if new > value:
            q, value, slope = proposal, new, direction
        else:
            size = 0.5 * size
    return q, value, size


def walked(rng, q, X, y, depth):
    """By recursion, of which each level draws, multiplies, and is left early here and there."""
    if depth == 0:
        return q, 0
    logits = X @ (q + 0.01 * rng.normal(size=len(q)))
    if rng.random() < 0.2:
        return q, 1
    q = q + 0.001 * ((y - 1.0 / (1.0 + np.exp(-logits))) @ X)
    r, n = walked(rng, q, X, y, depth - 1)
    s, m = walked(rng, 0.5 * (q + r), X, y, depth - 1)
    return s, n + m


def positive(q, X):
    t = X @ q
    if t[0] < 0.0:
        raise ValueError("the first is negative")
    return np.sum(t)
