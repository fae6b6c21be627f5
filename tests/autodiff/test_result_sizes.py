"""Sizes that branches, loops and calls bring: derivatives where only the results' tangents are left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import grad, jacrev, jvp, vjp
from codegen import jit

NUMPY: dict[str, Any] = {"target": "numpy"}
X, W = np.arange(1.0, 6.0), np.array([2.0, -1.0, 0.5])


def one_of_two(x, w, k):
    if k > 0:
        w = x[1:]
    return np.sum(np.tile(w, 2)) * 0.5


def rest(x, k):
    if k > 0:
        return x[1:]
    return x


def by_a_call(x, w, k):
    return np.sum(rest(x, k) + rest(x * 2.0, k)) + np.sum(rest(w, k))


def shorter(x, k):
    if k == 0:
        return x
    return shorter(x[1:], k - 1)


def by_recursion(x, w, k):
    return np.sum(shorter(x, k)) * np.sum(w)


def two_sizes(x, w, k):
    if k > 0:
        x, w = w, np.concatenate((x, w))
    return np.sum(np.outer(x, w))


def matrices(x, w, k):
    m = np.outer(x, w)
    if k > 0:
        m = m.T
    return np.sum(np.sum(m * 2.0, axis=0) ** 2)


def exchanged(x, w, k):
    for _ in range(k):
        x, w = w, x
    return np.sum(x) - 0.5 * np.sum(w)


def exchanged_until(x, w, k):
    while k < 3:
        x, w, k = 2.0 * w, x, k + 1
    return np.sum(x)


def beside_the_diagonal(x):
    return np.diag(x, 1)


def weighted_call(x, w, k):
    """Both sizes of what the call gives are one size inside it."""
    return np.sum(np.ones((6, 6)) * beside_the_diagonal(x)) + k * np.sum(w)


def turned(a, k):
    if k > 0:
        rows = a.T[:3].T
    else:
        rows = np.zeros((3, len(a))).T
    return rows.T


def turned_back(x, w, k):
    """What is turned after the call was turned in it: of sizes with other names."""
    return np.sum(turned(np.outer(x, w), k) * 2.0)


@pytest.mark.parametrize(
    "f",
    [
        exchanged, exchanged_until, one_of_two, by_a_call, by_recursion, two_sizes, matrices, weighted_call,
        turned_back,
    ],
)  # fmt: skip
@pytest.mark.parametrize("k", [0, 1])
def test_sizes_of_results_are_known_in_return_sweeps(f, k):
    gradients = grad(f, argnums=(0, 1), **NUMPY)(X, W, k)
    _, change = jvp(lambda x, w: f(x, w, k), (X, W), (np.cos(X), np.sin(W)), **NUMPY)
    assert np.sum(gradients[0] * np.cos(X)) + np.sum(gradients[1] * np.sin(W)) == pytest.approx(change)
    assert f(X, W, k) == jit(f, **NUMPY)(X, W, k)


@pytest.mark.turns(4)
def test_compiled_and_by_other_transformations():
    def total(x, w):
        return np.array([one_of_two(x, w, 1), by_recursion(x, w, 2)])

    wanted = jacrev(total, **NUMPY)(X, W)
    np.testing.assert_allclose(jacrev(total)(X, W), wanted)
    np.testing.assert_allclose(vjp(total, X, W, **NUMPY)[1](np.array([0.0, 1.0]))[0], wanted[1])


def regulated(a, b):
    """Whose results have the size of its argument, as checks in the loop show."""
    n = a.shape[0]
    p, f = np.zeros((n, n)), np.ones((1, n))
    c = np.array([[0.0], [1.0]])
    for _ in range(3):
        f = b * (c.T @ p @ a) + 1.0
        left = a - c @ f
        p = left.T @ p @ left + np.eye(2)
    return f, p


def regulated_by(a, b):
    return regulated(a, 2.0 * b)


def test_sizes_of_what_a_function_gives_that_another_one_gave():
    def loss(a, b):
        return np.sum(regulated_by(a, b)[0])

    a = np.array([[0.9, 0.1], [0.3, 0.8]])
    slope = (loss(a, 0.3 + 1e-6) - loss(a, 0.3 - 1e-6)) / 2e-6
    assert grad(loss, argnums=1, **NUMPY)(a, 0.3) == pytest.approx(slope)
