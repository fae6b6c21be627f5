"""Arrays that loops make for an iteration, or for a branch in it, are made once, before the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad
from codegen import jit


def pairs(x):
    """What each pair but for those of one makes is of the size of a row."""
    total = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            if i != j:
                d = np.empty(x.shape[1])
                for k in range(x.shape[1]):
                    d[k] = x[i, k] - x[j, k]
                norm = np.sqrt(d @ d)
                for k in range(x.shape[1]):
                    total[k] += d[k] * i / norm
    return np.sum(total**2)


def both_branches(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i, 0] > 0.0:
            t = np.zeros(x.shape[1])
            t[0] = x[i, 1]
            t[i % x.shape[1]] += 1.0
            total += np.sum(np.sort(t) * x[i])
        elif x[i, 1] > 0.0:
            t = np.ones(x.shape[1])
            t[-1] = total
            total = total * 0.5 + np.max(np.sort(t)[::-1] - x[i])
        else:
            total -= 1.0
    return total


def handed_on(x):
    """What lasts for longer than the branch is made in it."""
    last = np.zeros(x.shape[1])
    rows = []
    for i in range(x.shape[0]):
        if x[i, 0] > 0.0:
            made = np.empty(x.shape[1])
            for k in range(x.shape[1]):
                made[k] = x[i, k] + last[k]
            last = made
    for i in range(3):
        t = last.copy()
        t[0] = i
        rows.append(t)
    return np.sum(last) + rows[0][0] + rows[2][0]


@pytest.mark.parametrize("f", [pairs, both_branches, handed_on])
@pytest.mark.parametrize("shape", [(5, 3), (7, 2), (1, 4)])
def test_values(f: Callable[..., Any], shape: tuple[int, int]) -> None:
    x = np.random.default_rng(shape).normal(size=shape)
    np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-12)
    assert x.tolist() == np.random.default_rng(shape).normal(size=shape).tolist()


def test_gradients() -> None:
    x = np.random.default_rng(3).normal(size=(4, 3))
    found = grad(pairs)(x)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-6
        assert found[at] == pytest.approx((pairs(x + step) - pairs(x - step)) / 2e-6, rel=1e-6, abs=1e-6)


def test_nothing_is_made_inside() -> None:
    text = jit(pairs).source(np.ones((4, 3)))
    assert "np.empty" in text and "np.empty" not in text.split("for i in", 1)[1]
