"""Gradients where a size is known in one function, or of one array, and asked for in another."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad

X = np.array([0.3, -1.2, 0.7, 1.9, -0.4, 0.8])


def filled(m, u):
    made = np.zeros(m)
    for i in range(m):
        made[i:] = u[i:m] * 2.0
    return made


def of_a_callee(m, x):
    return np.sum(filled(m, np.sin(x)))


def covariance(m, data):
    data = data - np.mean(data, axis=0)
    made = np.zeros((m, m))
    for i in range(m):
        made[i:m, i] = data[:, i] @ data[:, i:m]
        made[i, i:m] = made[i:m, i]
    return made


def of_a_covariance(m, x):
    return np.sum(covariance(m, x.reshape(-1, m)))


def of_two_arrays(n, x, y):
    for _ in range(n):
        y[1:-1] = 0.3 * (x[:-2] + x[1:-1])
        x[1:-1] = 0.3 * (y[:-2] + y[1:-1])
    return np.sum(x)


def steps(n, x):
    """What it takes in turn has a size that each round shows anew, and the rows of a list are to have."""
    state = x[:3]
    path = [state]
    for _ in range(n):
        a, b, c = state
        state = state + 0.1 * np.array([b * c, -a * c, a * b])
        path.append(state)
    return np.sum(np.stack(path)[:, 1] ** 2)


def until_small(n, x):
    """An array keeps its size where it is changed in place by one whose size is shown to be the same."""

    def descended(x):
        x, it = x.copy(), 0
        while True:
            slope = np.array([2.0 * x[0], 6.0 * x[1], x[2]])
            if np.linalg.norm(slope) < 0.5 or it > 50:
                return x, it
            x -= 0.1 * slope
            it += n

    return np.sum(descended(x[1:4])[0] ** 2)


PROGRAMS = [(of_a_callee, (4, X)), (of_a_covariance, (2, X)), (of_two_arrays, (3, X, X * 2.0))]
PROGRAMS += [(steps, (5, X)), (until_small, (1, X))]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize(("f", "arguments"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_gradients_are_differences(f: Callable[..., Any], arguments: tuple[Any, ...], target: Any) -> None:
    found = grad(f, 1, target=target)(*copy.deepcopy(arguments))
    for k in range(len(X)):
        sides = []
        for h in (1e-6, -1e-6):
            moved = copy.deepcopy(arguments)
            moved[1][k] += h
            sides.append(f(*moved))
        assert found[k] == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-6, abs=1e-7)
