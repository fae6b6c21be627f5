"""Places where lanes wait are put next to each other, where nothing is lost by it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import parted_programs as programs
import pytest
from over_lanes import directory  # noqa: F401
from parted_programs import DATA, STARTS, X
from waiting_gpu import noted, with_products

from autobatch import LaneError, batch


def read_before(q, X):
    """A number of an array that a loop writes over."""
    t = X @ q
    low = t[0]
    for i in range(len(t)):
        t[i] = np.exp(-np.abs(t[i])) * np.cos(t[i])
    return low, t @ X


def read_in_the_loop(q, X):
    t = X @ q
    top = np.exp(t[3])
    s = 0.0
    for i in range(len(t)):
        s += np.exp(t[i] - top) * np.cos(t[i])
    return s


def written_before(q, X):
    """The array that was multiplied becomes another one."""
    t = X @ q
    q[1] = 3.0
    s = 0.0
    for i in range(len(t)):
        s += np.exp(t[i]) * np.cos(t[i])
    return s, q


def with_a_prior(q, X):
    """Of two products that do not hang on each other, and sums in between."""
    t = X @ q
    a = np.sum(q)
    u = X @ (q * q)
    b = t[5] + a
    s = 0.0
    for i in range(len(t)):
        s += np.exp(t[i]) * np.cos(u[i])
    return s, a, b


ONE, TWO = 2, 3  # words to the host: after each launch of the lanes


@pytest.mark.turns(4)
@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("f", "arguments", "words"),
    [
        (programs.with_more_between, (STARTS, *DATA), ONE),
        (programs.side_by_side, (STARTS, X), TWO),
        (programs.in_turn, (STARTS, X), TWO),
        (read_before, (STARTS, X), TWO),
        (read_in_the_loop, (STARTS, X), TWO),
        (written_before, (STARTS, X), ONE),
        (with_a_prior, (STARTS, X), ONE),
    ],
)
def test_lanes_are_run_no_more_than_they_must(f: Callable[..., Any], arguments: Any, words: int) -> None:
    axes = (0, *(None for _ in arguments[1:]))
    before = arguments[0].copy()
    with with_products():
        said = noted(sys.modules["cupy"], "asnumpy")
        found = batch(f, axes, target="cuda")(before, *arguments[1:])
    after = arguments[0].copy()
    wanted = batch(f, axes)(after, *arguments[1:])
    listed = (x if isinstance(x, tuple) else (x,) for x in (found, wanted))
    for one, other in zip(*listed, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(before, after)
    assert len(said) == words


def test_failures_stay_in_order() -> None:
    def failing(q, X):
        t = X @ q
        if t[0] < 0.0:
            raise ArithmeticError("the first")
        s = 0.0
        for i in range(len(t)):
            if t[i] > 0.6:
                raise ValueError("another")
            s += np.exp(t[i]) * np.cos(t[i])
        return s

    told = []
    for target in ("cuda", "numba"):
        with with_products(), pytest.raises(LaneError) as error:
            batch(failing, (0, None), target=target)(STARTS, X)
        told.append([(each.lane, each.message) for each in error.value.failures])
    assert told[0] == told[1] and len({message for _, message in told[0]}) == 2
