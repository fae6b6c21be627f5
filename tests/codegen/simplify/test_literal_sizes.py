"""Sizes that are asked for are known after it: text has numbers in their place, and only there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_numba import module

from autodiff import grad
from codegen import jit

POINTS = np.random.default_rng(0).normal(size=(5, 3))


def source(f: Callable[..., Any], *args: Any) -> str:
    """The emitted text, which gives what the function gives."""
    made: str = jit(f).source(*args)
    np.testing.assert_allclose(module(made)[f.__name__](*args), f(*args), rtol=1e-13)
    return made.partition("# What the functions above call.")[0]


def attracted(points, g):
    n, d = points.shape
    assert d == 3
    total = 0.0
    for i in range(n):
        for j in range(i):
            r = points[j] - points[i]
            force = g * r / (r @ r + 0.1)
            total += force[0] * force[2] - force[1]
    return total


def unpacked(points, g):
    total = 0.0
    for row in points:
        x, y, z = row
        turned = row * np.array([z, x, y])
        total += turned[0] - g * turned[2]
    return total


def mixed(points, g):
    """A row that was made before its size is known, and after it."""
    before = points[0] * g
    assert len(before) == 3
    after = points[1] * g
    both = np.stack((before, after, before + after))
    return both[2, 1] + np.concatenate((both, points))[4, 2]


@pytest.mark.parametrize("f", [attracted, unpacked, mixed], ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    source(f, POINTS, 0.5)
    if f is not attracted:
        found = jit(f)
        assert found(POINTS[:4], 2.0) == pytest.approx(f(POINTS[:4], 2.0), rel=1e-13)


def test_what_is_asserted_needs_no_array() -> None:
    assert "np.empty" not in source(attracted, POINTS, 0.5)
    with pytest.raises(AssertionError):
        jit(attracted)(POINTS[:, :2], 0.5)


def test_gradients() -> None:
    found = grad(attracted)(POINTS, 0.5)
    step = np.zeros_like(POINTS)
    step[2, 1] = 1e-6
    wanted = (attracted(POINTS + step, 0.5) - attracted(POINTS - step, 0.5)) / 2e-6
    assert found[2, 1] == pytest.approx(wanted, rel=1e-6)
