"""Loops that count from 0 where LLVM would not know the sign of their places: the same results, and vectors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad
from codegen import jit


def after_the_diagonal(x):
    n = len(x)
    made = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            made[i, j] = 2.0 * x[j] + x[j - 1]
    return made


def from_a_literal(x):
    made = np.zeros(len(x))
    for i in range(3, min(len(x), 40)):
        made[i] = x[i - 3] + 1.0
    return made


def down_to_a_literal(x):
    made = x.copy()
    for i in range(len(x) - 1, 4, -1):
        made[i] = 2.0 * made[i - 5] - x[i]
    return made


def in_order(x):
    """Each iteration reads what the one before it wrote."""
    made = x.copy()
    for i in range(2, len(x)):
        made[i] = 0.5 * made[i - 1] + x[i]
    return made


def by_strips(x):
    made = np.zeros(len(x) + 2)
    for start in range(0, len(x), 16):
        for j in range(3):
            for i in range(start, min(start + 16, len(x))):
                made[i + j] += (j + 1.0) * x[i]
    return made


def elimination(x):
    n = len(x)
    u = np.outer(x, x) + np.eye(n)
    for k in range(n):
        for i in range(k + 1, n):
            f = u[i, k] / u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= f * u[k, j]
    return u


COUNTED = [after_the_diagonal, from_a_literal, down_to_a_literal, in_order, by_strips, elimination]


@pytest.mark.parametrize("n", [1, 2, 5, 6, 41, 100])
@pytest.mark.parametrize("f", COUNTED)
def test_values(f: Callable[..., Any], n: int) -> None:
    x = np.random.default_rng(n).uniform(0.5, 1.5, n)
    np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-12)
    assert n < 6 or re.search(r"for k\d* in range\(", jit(f).source(x))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", COUNTED)
def test_gradients(f: Callable[..., Any]) -> None:
    def total(x):
        return np.sum(f(x) ** 2)

    x = np.random.default_rng(1).uniform(0.5, 1.5, 9)
    steps = 1e-6 * np.eye(9)
    differences = [(total(x + step) - total(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(grad(total)(x), differences, rtol=1e-6)


def between(x, first, last):
    made = np.zeros(len(x))
    for i in range(first, last):
        made[i] = x[i] + i
    return made


def test_places_from_the_end_stay() -> None:
    """From -2 on: the last two, then the first."""
    x = np.arange(7.0)
    f = jit(between)
    for first, last in ((-2, 3), (2, 5), (-7, 7), (3, 1)):
        np.testing.assert_array_equal(f(x, first, last), between(x, first, last))
    for first, last in ((-8, 3), (2, 8)):
        with pytest.raises(IndexError, match="out of bounds"):
            f(x, first, last)


def odd_ones(x):
    made = np.zeros(len(x))
    for i in range(3, len(x), 2):
        made[i] = x[i]
    return made


def sums(x):
    total = 0.0
    for i in range(3, len(x)):
        total += x[i] * x[i - 1]
    return total


@pytest.mark.parametrize("f", [odd_ones, sums])
def test_loops_that_make_no_vectors_are_as_they_were_written(f: Callable[..., Any]) -> None:
    x = np.arange(9.0)
    np.testing.assert_array_equal(jit(f)(x), f(x))
    assert "in range(3, " in jit(f).source(x)
