"""Loops of few iterations that make arrays of other sizes: derivatives have them written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autobatch import batch
from autodiff import check_grads, grad, jacobian

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=5)


def curve(points, t):
    """De Casteljau's algorithm."""
    for _ in range(4):
        points = (1 - t) * points[:-1] + t * points[1:]
    return points[0]


def doubled(x, t):
    for k in range(3):
        x = np.concatenate([x, t * x[: k + 1]])
    return np.sum(x * x)


def halves(x, t):
    for _ in range(2):
        x = x[:-1:2] * x[1::2] + t
    return np.sum(np.sin(x))


def exchanged(x, t):
    y = x[1:] * t
    for k in range(3):
        x, y = np.sin(y), x * (k + 1.0)
    return np.sum(x) * np.prod(y)


def inside(x, t):
    """Within a loop of unknown length, and around one."""
    total = 0.0
    for a in x:
        y = a * x
        for _ in range(2):
            for _ in range(3):
                y = np.sin(y) * t
            y = y[1:] - y[:-1]
        total += np.sum(y * y)
    return total


PROGRAMS = [curve, doubled, halves, exchanged, inside]


@pytest.mark.turns(4)
@pytest.mark.sampled(8)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_derivatives(f, target):
    check_grads(f, (POINTS, 0.3), order=2 if target == "numpy" else 1, target=target)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives_over_lanes(f):
    points, t = np.stack([POINTS, -POINTS, 2.0 * POINTS]), np.array([0.3, 0.9, -0.5])
    made = batch(grad(f, argnums=(0, 1)), target="numpy")(points, t)
    wanted = [grad(f, argnums=(0, 1), target="numpy")(p, s) for p, s in zip(points, t, strict=True)]
    for k in range(2):
        np.testing.assert_allclose(made[k], [each[k] for each in wanted], rtol=1e-12)
    np.testing.assert_allclose(jacobian(f, target="numpy")(POINTS, 0.3), jacobian(f)(POINTS, 0.3), rtol=1e-12)


def test_text():
    text = grad(curve, target="numpy").source(POINTS, 0.3)
    assert "in range(" not in text
    assert text.count("[:-1] += ") == 4


def test_sizes_that_change_in_more_iterations():
    """Are kept one after the other."""

    def f(points, t):
        for _ in range(33):
            points = (1 - t) * points[:-1] + t * points[1:]
        return points[0]

    wanted = [math.comb(33, k) * 0.3**k * 0.7 ** (33 - k) for k in range(34)]
    np.testing.assert_allclose(grad(f)(np.ones(34), 0.3), wanted, rtol=1e-12)
    text = grad(f, target="numpy").source(np.ones(34), 0.3)
    assert text.count("in range(") == 2
    check_grads(f, (np.linspace(0.1, 0.9, 34), 0.3), order=2)
