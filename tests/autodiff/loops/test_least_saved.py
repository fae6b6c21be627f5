"""What a loop saves of what it overwrites: what is made of it, where that is fewer bytes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from autodiff import grad
from autodiff.loops.least_saved import SINK, SOURCE, Network

X = np.random.default_rng(8).normal(size=9)


def sorted_by_exchanges(x):
    """Of two elements that are exchanged a bool is kept, whether they were."""
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j + 1]:
                t = y[j]
                y[j] = y[j + 1]
                y[j + 1] = t
    return np.sum(y * np.arange(len(y)))


def relaxed(x):
    """Edges whose ends come nearer: of four numbers that are read the comparison is kept."""
    far = np.full(len(x), 10.0)
    far[0] = 0.0
    for _ in range(3):
        for k in range(len(x)):
            near = far[k] + x[k] * x[k]
            to = (k * 4 + 1) % len(x)
            if near < far[to] and far[k] < 9.0:
                far[to] = near
    return np.sum(far)


def with_a_factor(x):
    """The old element itself is a factor: it is kept, and the comparison is made again."""
    y = x.copy()
    for k in range(1, len(y)):
        if y[k] > 0.0:
            y[k] = y[k] * y[k] * y[k - 1]
    return np.sum(y)


@pytest.mark.parametrize("f", [sorted_by_exchanges, relaxed, with_a_factor])
def test_gradients(f: Callable[..., Any]) -> None:
    found = grad(f)(X)
    for at, step in enumerate(1e-6 * np.eye(len(X))):
        np.testing.assert_allclose(found[at], (f(X + step) - f(X - step)) / 2e-6, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", [sorted_by_exchanges, relaxed])
def test_bools_are_kept(f: Callable[..., Any]) -> None:
    text = grad(f).source(X)
    assert "_olds" not in text and "np.bool_" in text, text


def test_numbers_are_kept() -> None:
    text = grad(with_a_factor).source(X)
    assert "np.bool_" not in text, text


@pytest.mark.parametrize("seed", range(20))
def test_minimum_cut(seed: int) -> None:
    draw = np.random.default_rng(seed)
    nodes = [(k, bool(k % 2)) for k in range(5)]
    edges = [
        (a, b, int(draw.integers(1, 9)))
        for a in (SOURCE, *nodes)
        for b in (*nodes, SINK)
        if a != b and draw.random() < 0.5
    ]
    network = Network()
    for start, end, most in edges:
        network.edge(start, end, most)
    near = network.near_source()
    costs = {
        chosen: sum(most for a, b, most in edges if a in (SOURCE, *chosen) and b not in (SOURCE, *chosen))
        for count in range(6)
        for chosen in combinations(nodes, count)
    }
    found = tuple(node for node in nodes if node in near)
    assert costs[found] == min(costs.values())
    assert all(set(found) <= set(chosen) for chosen, cost in costs.items() if cost == costs[found])
