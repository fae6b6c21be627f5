"""Lanes on a GPU that wait for products with a shared matrix: over stand-ins, held against plain Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from array_gpu import cupy
from over_lanes import directory  # noqa: F401
from warp import gpu, with_gpu

from autobatch import LaneError, Schedule, batch, streams
from autodiff import grad, value_and_grad

ROWS, COLUMNS = 160, 104
rng = np.random.default_rng(4)
X, y = rng.normal(size=(ROWS, COLUMNS)) / 10.0, rng.integers(0, 2, ROWS) * 1.0
STARTS = rng.normal(size=(5, COLUMNS)) / 10.0


@contextmanager
def with_products(**options: Any) -> Iterator[None]:
    before = sys.modules.get("cupy")
    sys.modules["cupy"] = cupy()  # alone: what is imported meanwhile stays
    try:
        with with_gpu(gpu(**options)):
            yield
    finally:
        del sys.modules["cupy"]
        sys.modules |= {"cupy": before} if before else {}


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


def test_formulas() -> None:
    with with_products():
        found = batch(value_and_grad(logistic), (0, None, None), target="cuda")(STARTS, X, y)
    for k, start in enumerate(STARTS):
        value, slope = value_and_grad(logistic)(start, X, y)
        np.testing.assert_allclose(found[0][k], value, rtol=1e-12)
        np.testing.assert_allclose(found[1][k], slope, rtol=1e-10, atol=1e-13)


def test_lanes_wait_at_different_products() -> None:
    steps = np.array([0, 1, 5, 3, 4])
    with with_products():
        found = batch(climbed, (0, None, None, 0), target="cuda")(STARTS, X, y, steps)
    for k, start in enumerate(STARTS):
        for one, other in zip(found, climbed(start, X, y, steps[k]), strict=True):
            np.testing.assert_allclose(one[k], other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bytes_free", [10**9, 60_000])
def test_recursion_and_draws(bytes_free: int) -> None:
    """The CPU's streams, in parts that fit into the memory, and where lanes start again with larger stacks."""
    rngs, expected, depth = streams(3, 5), streams(3, 5), np.array([2, 0, 3, 1, 4])
    axes = (0, 0, None, None, 0)
    with with_products(bytes_free=bytes_free):
        found = batch(walked, axes, target="cuda")(rngs, STARTS, X, y, depth)
    wanted = batch(walked, axes, schedule=Schedule("lanewise"))(expected, STARTS, X, y, depth)
    np.testing.assert_array_equal(rngs.state, expected.state)
    np.testing.assert_array_equal(found[1], wanted[1])
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-10)


def test_a_lane_fails_alone() -> None:
    with with_products(), pytest.raises(LaneError) as error:
        batch(positive, (0, None), target="cuda")(STARTS, X)
    wanted = [k for k, q in enumerate(STARTS) if (X @ q)[0] < 0.0]
    assert list(error.value.lanes) == wanted and 0 < len(wanted) < 5


def test_the_rounds_of_waiting_lanes_are_counted() -> None:
    def turned(q, X, n):
        for _ in range(n):
            q = (X @ q)[:COLUMNS]
        return q

    n = np.array([1, 9, 2, 3, 1])
    limited = batch(turned, (0, None, 0), target="cuda", schedule=Schedule(round_limit=4))
    with with_products(), pytest.raises(LaneError) as error:
        limited(STARTS, X, n)
    assert error.value.lanes == (1,)


def test_small_products_are_the_lanes_own() -> None:
    many = batch(grad(logistic), (0, None, None), target="cuda")
    assert "WaitingLanes" not in many.source(STARTS[:, :9], X[:, :9], y)
    text = many.source(STARTS, X, y)
    assert '"""One thread a lane, which waits for products with X."""' in text
    assert "lanes wait for 2 products with shared matrices" in many.explain(STARTS, X, y)


def test_what_is_missing_is_said() -> None:
    message = "^products that lanes share need CuPy: pip install"
    with with_products(), pytest.raises(RuntimeError, match=message):
        sys.modules["cupy"] = None  # type: ignore[assignment]
        batch(logistic, (0, None, None), target="cuda")(STARTS, X, y)
