"""Gradients where a size is known in one function, or of one array, and asked for in another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import check_grads, grad

X = np.array([0.3, -1.2, 0.7, 1.9, -0.4, 0.8])


def filled(m, u):
    made = np.zeros(m)
    for i in range(m):
        made[i:] = u[i:m] * 2.0
    return made


def of_a_callee(x):
    return np.sum(filled(4, np.sin(x)))


def of_a_callee_with_a_size_of_the_callers(x):
    return np.sum(filled(len(x), np.sin(x)))


def covariance(m, data):
    data = data - np.mean(data, axis=0)
    made = np.zeros((m, m))
    for i in range(m):
        made[i:m, i] = data[:, i] @ data[:, i:m]
        made[i, i:m] = made[i:m, i]
    return made


def of_a_covariance(x):
    return np.sum(covariance(2, x.reshape(3, 2)))


def steps(x, y):
    for _ in range(3):
        y[1:-1] = 0.3 * (x[:-2] + x[1:-1] + x[2:])
        x[1:-1] = 0.3 * (y[:-2] + y[1:-1] + y[2:])


def of_two_arrays(x):
    x, y = x.copy(), x * 2.0
    steps(x, y)
    return np.sum(x * y)


PROGRAMS = [of_a_callee, of_a_callee_with_a_size_of_the_callers, of_a_covariance, of_two_arrays]


@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_differences(f: Callable[..., Any], target: Any) -> None:
    check_grads(f, (X,), order=2, target=target)


def test_arrays_of_lengths_of_their_own() -> None:
    def loss(x, y):
        steps(x, y)
        return np.sum(x) + np.sum(y)

    found = grad(loss)(X.copy(), X * 2.0)
    for k in range(len(X)):
        sides = []
        for h in (1e-6, -1e-6):
            moved = X.copy()
            moved[k] += h
            sides.append(loss(moved, X * 2.0))
        assert found[k] == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-6, abs=1e-8)
