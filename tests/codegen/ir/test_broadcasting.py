"""Sizes that meet: those that are 1 only when the program runs broadcast; slices and counts at their ends."""

from typing import Any

import numpy as np
import pytest

from autodiff import grad, jacfwd
from codegen import jit

x, A = np.arange(4.0) + 1.0, np.arange(12.0).reshape(3, 4)


def stretched(x, A, k):
    z, w, v, u = x.copy(), x.copy(), x.copy(), x.copy()
    z[:] = x[:k]
    w[1:] = x[:k]
    v += x[:k]
    u[:3] += np.ones(k)
    total = 0.0
    for i in range(3):
        total += np.sum(x[i : i + k] * x)
    return (
        (x[:k] + x, x - x[:k], np.ones(k) * x, np.maximum(np.arange(k), x), np.where(x > np.ones(k), x[:k], 3.0)),
        (x[:k] == x, A[:, :k] * A, np.ones((3, k)) * np.ones((k, 4)) + A, np.broadcast_to(x[:k], (3, 4)).sum(axis=0)),
        (z, w, v, u, total, np.sum(np.exp(x[:k]) * x), A.reshape(-1, k) * A.reshape(12, 1)),
    )  # fmt: skip


def helper(a, b):
    return np.sum(a * b) + a


def through_calls(x, k):
    return helper(x, x), helper(x[:k], x), helper(x, x[:k])


def unequal(x, k):
    return x[:k] + x


def ends(x):
    return (
        (x[:1], x[-1:], x[1:2], x[-2:-1], x[2:3], x[1:][:1], x[:1] * x, x[:1] + x[-1:], x[1:] - x[:-1]),
        (np.roll(x, 1), np.roll(x, -1), np.roll(x, 3), np.roll(x[:, None], 1, axis=0), np.diff(x), np.flip(x)),
        (np.sum(x), np.cumsum(x), np.tile(x, 2), np.diag(x), np.outer(x, x), np.concatenate((x, x[:1]))),
    )  # fmt: skip


def equal(got: Any, want: Any) -> None:
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            equal(g, w)
        return
    np.testing.assert_allclose(got, want, rtol=1e-13, strict=True)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_sizes_that_are_one_at_run_time_broadcast(target: str) -> None:
    compiled, calls = jit(stretched, target=target), jit(through_calls, target=target)
    equal(compiled(x, A, 1), stretched(x, A, 1))
    for k in (1, 4):
        equal(calls(x, k), through_calls(x, k))


@pytest.mark.parametrize("k", [0, 1, 2, 4])
def test_other_sizes_are_equal_or_an_error(k: int) -> None:
    if k in (1, 4):
        equal(jit(unequal, target="numpy")(x, k), unequal(x, k))
    else:
        with pytest.raises(ValueError):
            unequal(x, k)
        with pytest.raises(ValueError):
            jit(unequal, target="numpy")(x, k)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_slices_at_the_ends(n: int) -> None:
    equal(jit(ends, target="numpy")(x[:n].copy()), ends(x[:n]))


def test_slices_at_the_ends_of_an_empty_array_on_numba() -> None:
    equal(jit(ends)(x[:0].copy()), ends(x[:0]))


def test_derivatives_of_what_was_stretched() -> None:
    def f(x, k):
        return np.sum(np.exp(x[:k]) * x) + np.sum(np.ones((3, k)) * (x * np.ones((3, k))) ** 2)

    for k in (1, 4):
        step = 1e-6 * np.eye(4)
        want = [(f(x + h, k) - f(x - h, k)) / 2e-6 for h in step]
        np.testing.assert_allclose(grad(f, target="numpy")(x, k), want, rtol=1e-7)
        np.testing.assert_allclose(jacfwd(f, target="numpy")(x, k), want, rtol=1e-7)


def test_what_is_surely_equal_is_not_broadcast() -> None:
    def f(x):
        d = np.zeros(len(x) - 1)
        d[:] = x[1:] - x[:-1]
        return d * x[1:]

    assert "broadcast_to" not in jit(f, target="numpy").source(x)


def counts_of(k):
    def zeros(k):
        np.zeros(k)
        return 1

    return (
        lambda k: np.eye(k), lambda k: np.linspace(0.0, 1.0, k), lambda k: np.identity(k), lambda k: np.empty((2, k)),
        lambda k: np.full(k, 2), lambda k: np.tile(np.ones(2), k), lambda k: np.zeros_like(np.ones(2), shape=(k,)),
        zeros,
    )  # fmt: skip


@pytest.mark.parametrize("make", counts_of(0))
def test_counts_below_0_are_errors(make: Any) -> None:
    with pytest.raises(ValueError):
        make(-2)
    with pytest.raises(ValueError, match="negative"):
        jit(make, target="numpy")(-2)
