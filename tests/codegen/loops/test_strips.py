"""Loops that are run in strips by functions of near arguments, and again where one is not near: NumPy's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad
from codegen import jit
from codegen.cost_model import FEWEST_IN_STRIPS, STRIP

N = 3 * STRIP + 17


def sines(x):
    return np.sin(x)


def tangents(x):
    return np.tan(x[::-1])


def powers(x):
    return np.abs(x) ** 2.7


def powers_of_many(x):
    return x**x


def of_rows(x):
    return np.cos(x[:, None] * x[:3])


def a_sum(x):
    return np.sum(np.sin(x) * np.exp(-np.abs(x)) + np.cos(2.0 * x))


def two_results(x):
    return np.sin(x), np.max(np.cos(x))


def in_place(x):
    y = x + 1.0
    y[:] = np.sin(y)
    return y


def sums_of_columns(x):
    return np.sum(np.sin(np.outer(x[:7], x)), axis=0)


FUNCTIONS: list[Callable[..., Any]] = [
    sines, tangents, powers, powers_of_many, of_rows, a_sum, two_results, in_place, sums_of_columns,
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_values(f: Callable[..., Any], dtype: Any) -> None:
    """With none that is far, one, several of a kind, all; of no elements, few, and one more than a strip has."""
    x = np.random.default_rng(0).normal(0.0, 2.0, N).astype(dtype)
    several = x.copy()
    several[[0, 5, STRIP, -1]] = np.nan, 1e30, np.inf, -1e20
    one = x.copy()
    one[STRIP + 3] = 1e12
    compiled = jit(f)
    for given in (
        x,
        one,
        several,
        1e12 * x,
        x[:0] if f not in (a_sum, two_results) else x[:1],
        x[:9],
        x[: STRIP + 1],
    ):
        with np.errstate(all="ignore"):
            found, wanted = compiled(given.copy()), f(given.copy())
        many = 40 if f in (a_sum, sums_of_columns) else 8
        for a, b in zip(*((found, wanted) if isinstance(wanted, tuple) else ((found,), (wanted,)))):
            assert a.dtype == b.dtype
            size = np.nanmax(np.abs(np.where(np.isfinite(b), b, 0.0)), initial=1.0)
            atol = 0.0 if f in (powers, powers_of_many) else many * np.finfo(dtype).eps * size
            np.testing.assert_allclose(a, b, rtol=many * np.finfo(dtype).eps, atol=atol)


def test_text() -> None:
    """The strip, and the same once more by the C library."""
    text = jit(sines).source(np.ones(N)).partition("# What")[0]
    for line in (
        f"for first in range(0, n, {STRIP}):",
        "near &= is_near_angle(x_i)",
        "near_fast_sin(x_i)",
        "if not near:",
        "= math.sin(x[i])",
    ):
        assert line in text


def of_known_size(x):
    return np.sin(np.arange(300.0) * x[0])


def of_few(x):
    return np.sin(np.arange(100.0) * x[0])


def test_loops_of_known_length() -> None:
    """One strip needs no loop over strips; of a few the other loop is not worth compiling."""
    assert FEWEST_IN_STRIPS <= 300 <= STRIP
    x = np.array([0.7])
    text = jit(of_known_size).source(x).partition("# What")[0]
    assert "near_fast_sin" in text and "first" not in text
    assert "near_fast" not in jit(of_few).source(x)
    for f in (of_known_size, of_few):
        for scale in (1.0, 1e9):
            np.testing.assert_allclose(jit(f)(scale * x), f(scale * x), rtol=0, atol=1e-15)


def added_up(x):
    y = np.ones(len(x))
    y += np.sin(x)
    return y


def written_over(x):
    for _ in range(3):
        x = np.sin(x) + 0.25
    return x


@pytest.mark.parametrize("f", [added_up, written_over])
def test_what_is_read_and_written_is_not_run_again(f: Callable[..., Any]) -> None:
    x = np.random.default_rng(1).normal(size=N)
    x[7] = 1e15
    np.testing.assert_allclose(jit(f)(x.copy()), f(x.copy()), rtol=1e-14, atol=1e-15)


def loss(w, x):
    return np.sum(np.sin(w * x) * np.abs(x) ** 1.5)


def test_derivatives() -> None:
    x = np.random.default_rng(2).normal(size=N)
    wanted = np.sum(x * np.cos(0.3 * x) * np.abs(x) ** 1.5)
    assert grad(loss)(0.3, x) == pytest.approx(wanted, rel=1e-12)
    assert "near_fast_cos" in grad(loss).source(0.3, x)
