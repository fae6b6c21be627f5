"""Cotangents of axes that may have been stretched, which is known when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autodiff import grad, value_and_grad

PRODUCTS = {
    "products": """
def f(x, y, i, j):
    return np.sum(x[:i] * y[j:]) + np.sum(np.sin(x))
""",
    "sums that are used twice": """
def f(x, y, i, j):
    z = np.exp(x[:i]) + y[j:]
    return np.sum(z * z[0] * x[:i])
""",
    "rows": """
def f(x, y, i, j):
    m = np.outer(x, y)
    return np.sum(m[:i] * m[j:, ::-1])
""",
    "lags": """
def f(x, y, i, j):
    s = 0.0
    for k in range(j):
        s += np.sum(x[: len(x) - k] * y[k:])
    return s
""",
    "of sizes that are checked to be one": """
def f(x, y, i, j):
    k, m = 5 if i < 3 else 0, 5 if j > 3 else 0
    y += x * y[k:] - x[m:]
    return np.sum(y)
""",
    "added to what is read before": """
def f(x, y, i, j):
    x[i : i + 3] += y[:i] * x[j:] - np.zeros(i)
    return np.sum(x * x)
""",
    "in a loop": """
def f(x, y, i, j):
    s = 0.0
    for k in range(2):
        s += np.sum(x[k : k + i] * y[j:] * x[:i])
    return s
""",
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("i, j", [(3, 3), (1, 3), (3, 5), (1, 5)])
@pytest.mark.parametrize("name", PRODUCTS)
def test_gradients_agree_with_differences(name: str, i: int, j: int) -> None:
    """Neither stretched, either, and both of one element."""
    f, (x, y), (u, v) = loaded(PRODUCTS[name]), vectors(6), vectors(6, seed=7)
    wanted = (f(x + 1e-6 * u, y + 1e-6 * v, i, j) - f(x - 1e-6 * u, y - 1e-6 * v, i, j)) / 2e-6
    for target in ("numba", "numpy"):
        x_bar, y_bar = grad(f, (0, 1), target=target)(x, y, i, j)
        np.testing.assert_allclose(x_bar @ u + y_bar @ v, wanted, rtol=1e-7)


def test_no_array_is_made_of_what_is_not_stretched() -> None:
    text = value_and_grad(loaded(PRODUCTS["lags"]), (0, 1)).source(*vectors(6), 3, 3)
    assert "np.empty" not in text and "np.full" not in text


CALLED = """
def weighted(x, y, z, i, j):
    return (x - z) @ (y[:i] - z[:j])


def f(x, y, z, i, j):
    return weighted(x, y, z, i, j)
"""


@pytest.mark.parametrize("i, j", [(6, 6), (1, 6), (6, 1)])
def test_what_is_computed_before_a_size_is_known_goes_into_branches_with_what_has_that_size(
    i: int, j: int
) -> None:
    f, (x, y), (u, v), z = loaded(CALLED), vectors(6), vectors(6, seed=7), vectors(6, seed=8)[0]
    wanted = (f(x + 1e-6 * u, y + 1e-6 * v, z, i, j) - f(x - 1e-6 * u, y - 1e-6 * v, z, i, j)) / 2e-6
    x_bar, y_bar = grad(f, (0, 1))(x, y, z, i, j)
    np.testing.assert_allclose(x_bar @ u + y_bar @ v, wanted, rtol=1e-7)


def vectors(n: int, seed: int = 0) -> tuple[Any, Any]:
    chance = np.random.default_rng(seed)
    return chance.uniform(0.2, 0.9, n), chance.uniform(0.2, 0.9, n)
