"""Sizes that contradict each other: the program raises what NumPy raises when it runs, in every form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, batch
from autodiff import grad
from codegen import jit


def added(x, k):
    x = 2.0 * x
    x[-1:] += np.ones(k - k)
    return np.sum(x)


def multiplied(x, k):
    return np.sum(x) + np.ones(4) @ (x[0] * np.ones(k - k + 3))


def matrices(x, k):
    return np.sum(np.ones((2, 4)) @ (x[0] * np.ones((k - k + 3, 5))))


def joined(x, k):
    return np.sum(np.concatenate((np.ones((2, k - k + 3)) * x[0], np.ones((2, 4)))))


def stacked(x, k):
    return np.sum(np.stack((x[0] * np.ones(k - k + 3), np.ones(4))))


def chosen(x, k):
    return np.sum(np.where(np.ones(k - k + 3) > 0.5, x[0] * np.ones(4), 0.0))


def solved(x, k):
    return np.sum(np.linalg.solve(np.eye(4) * x[0], np.ones(k - k + 3)))


def largest(x, k):
    return np.sum((x[0] * np.ones((k - k, 3))).max(axis=0))


def in_loop(x, k):
    total = 0.0
    for _ in range(4):
        total += x[0]
        if k > 0:
            total += np.ones(4) @ (total * np.ones(k - k + 3))
    return total


def both(a, b):
    return np.sum(a + b) + a @ b


def called(x, k):
    return both(x[0] * np.ones(k - k + 3), np.ones(4))


def product(a, b):
    return a @ b, a


def array_of_call(x, k):
    found, same = product(np.ones((5, 4)) * x[0], np.ones(k - k + 3))
    return np.sum(found) + found[1] + same[0, 0]


PROGRAMS = [
    added, multiplied, matrices, joined, stacked, chosen, solved, largest, in_loop, called, array_of_call,
]  # fmt: skip
WAYS: dict[str, Callable[[Any], Any]] = {
    "numba": lambda f: jit(f)(np.ones(3), 2),
    "parallel": lambda f: jit(f, parallel=True)(np.ones(3), 2),
    "numpy": lambda f: jit(f, target="numpy")(np.ones(3), 2),
    "grad": lambda f: grad(f, target="numpy")(np.ones(3), 2),
    "batch": lambda f: batch(f, in_axes=(0, None))(np.ones((2, 3)), 2),
    "batch of grad": lambda f: batch(grad(f), in_axes=(0, None))(np.ones((2, 3)), 2),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_raised(f: Callable[..., Any], way: str) -> None:
    with pytest.raises(ValueError):
        f(np.ones(3), 2)
    with pytest.raises((ValueError, LaneError)) as failed:
        WAYS[way](f)
    if isinstance(failed.value, LaneError):
        assert isinstance(failed.value.failures[0].error, ValueError)


def test_what_is_behind_it_goes() -> None:
    text = jit(multiplied, target="numpy").source(np.ones(3), 2)
    assert "raise ValueError" in text and "@" not in text and "np.ones" not in text


def drawn(x, k, rng):
    if k > 2:
        draws = rng.normal(size=4)
        total = draws @ (x[0] * np.ones(k - k + 3)) + rng.normal()
    else:
        total = x[0] * rng.normal()
    return total + rng.normal()


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_streams_go_on(target: str) -> None:
    """Where the way that raises is not gone."""
    found = jit(drawn, target=target)(np.ones(3), 1, np.random.default_rng(0))
    assert found == drawn(np.ones(3), 1, np.random.default_rng(0))
    with pytest.raises(ValueError):
        jit(drawn, target=target)(np.ones(3), 3, np.random.default_rng(0))
