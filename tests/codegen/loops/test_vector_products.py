"""Products that loops take: of two vectors in loops, of vectors and matrices that are made for them alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad
from codegen import jit


def of_differences(x, y):
    return np.dot(x - y, x - y)


def of_pairs(x, y):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = np.array([x[i], y[i]]) - np.array([x[j], y[j]])
            total += 1.0 / np.sqrt(d @ d + 0.01)
    return total


def of_rows(x, y):
    rows = np.outer(x, y) + 1.0
    total = 0.0
    for i in range(len(x)):
        total += np.sin(rows[i] @ y) - rows[:, i] @ x
    return total


def forward_substitution(x, y):
    lower = np.tril(np.outer(x, y)) + 3.0 * np.eye(len(x))
    solved = y.copy()
    for i in range(len(y)):
        solved[i] = (y[i] - lower[i, :i] @ solved[:i]) / lower[i, i]
    return np.sum(solved**2)


def gathered(x, y):
    """Each row of a sparse matrix by a vector: no two rows have as many."""
    columns = np.arange(len(x)) % 5
    total = 0.0
    for i in range(len(x)):
        total += y[:i] @ x[columns[:i]]
    return total


def reversed_by_steps(x, y):
    total = 0.0
    for k in range(1, 4):
        total += x[::-k] @ y[::k]
    return total


def scaled(x, y):
    a = np.ones((len(x), 3)) + np.arange(3.0)
    return np.sum((2.0 * a * x[:, None]) @ y[:1].repeat(3) + 1.5 * x[:, None] * a @ a[0])


def kernel_sums(x, y):
    return np.sum(y @ np.exp(-((x[:, None] - y) ** 2)) + np.cos(x - y[:, None]) @ y)


def minibatches(x, y):
    """Rows of a table, drawn in each of a few steps."""
    table = np.outer(x, y)
    w = np.zeros(len(y))
    for k in range(3):
        rows = (np.arange(len(x)) * 7 + k) % len(x)
        w += 0.1 * (table[rows] @ y - x)
    return np.sum(w)


FUNCTIONS = [
    of_differences, of_pairs, of_rows, forward_substitution, gathered, reversed_by_steps, scaled, kernel_sums,
    minibatches,
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n", [1, 5, 70])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_values(f: Callable[..., Any], n: int) -> None:
    x, y = np.random.default_rng(n).uniform(0.5, 1.5, (2, n))
    found = jit(f)
    np.testing.assert_allclose(found(x, y), f(x, y), rtol=1e-12)
    assert n == 1 or " @ " not in found.source(x, y)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_gradients(f: Callable[..., Any]) -> None:
    x, y = np.random.default_rng(3).uniform(0.5, 1.5, (2, 7))
    slopes = grad(f, argnums=(0, 1))(x, y)
    for k, step in enumerate(1e-6 * np.eye(7)):
        differences = (f(x + step, y) - f(x - step, y)) / 2e-6, (f(x, y + step) - f(x, y - step)) / 2e-6
        np.testing.assert_allclose((slopes[0][k], slopes[1][k]), differences, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex128, np.bool_])
def test_dtypes(dtype: Any) -> None:
    x = np.arange(9).astype(dtype)
    found, wanted = jit(of_rows_of_any)(x), of_rows_of_any(x)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def of_rows_of_any(x):
    made = np.zeros(3, x.dtype)
    for i in range(3):
        made[i] = x[i : i + 4] @ x[2 : 2 + 4]
    return made


def what_is_kept(x, y):
    """What the product is of is given too: BLAS takes it."""
    d = x - y
    return d, d @ d, x @ y


def test_of_what_is_there_anyway() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 50))
    for found, wanted in zip(jit(what_is_kept)(x, y), what_is_kept(x, y), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
    assert jit(what_is_kept).source(x, y).count(" @ ") == 2


def used_again(x, y):
    """The matrix is computed once, and not again in each step."""
    matrix = np.exp(-np.abs(x[:, None] - x)) + np.diag(y)
    for _ in range(3):
        y = matrix @ y
    return y, 2.0 * matrix @ x + matrix.T @ x


def test_of_a_matrix_for_several_products() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 20))
    for found, wanted in zip(jit(used_again)(x, y), used_again(x, y), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    text = jit(used_again).source(x, y)
    assert text.count(" @ ") == 2 and text.count("fast_exp(-") == 1


def test_sizes_that_do_not_meet() -> None:
    def f(x, y):
        total = 0.0
        for i in range(3):
            total += x[i:] @ y
        return total

    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        jit(f)(np.ones(5), np.ones(5))
