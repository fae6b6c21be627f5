"""Derivatives through loops that make lists longer: against forward mode and differences, and what is run for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad, hessian, jacobian, jvp
from codegen import jit

X = np.array([0.5, -1.5, 2.0, 3.0, -0.5, 4.0])


def recorded_decay(k):
    t, y, h = 0.0, 1.0, 0.05
    ys = [y]
    while t < 1.0:
        y = y - h * k * y
        t = t + h
        ys.append(y)
    ys = np.array(ys)
    return np.sum(ys * ys)


def quadrature(a, b=2.0):
    total = 0.0
    stack = [(a, b)]
    while stack:
        lo, hi = stack.pop()
        mid = 0.5 * (lo + hi)
        coarse = (hi - lo) * np.exp(-mid * mid)
        fine = 0.5 * (hi - lo) * (np.exp(-0.25 * (lo + mid) ** 2) + np.exp(-0.25 * (mid + hi) ** 2))
        if abs(coarse - fine) < 1e-3:
            total += fine
        else:
            stack.append((lo, mid))
            stack.append((mid, hi))
    return total


def newton(a):
    xs = [1.0]
    while abs(xs[-1] * xs[-1] - a) > 1e-9:
        xs.append(0.5 * (xs[-1] + a / xs[-1]))
    return xs[-1] + sum(xs)


def kept(x):
    xs = []
    for v in x:
        if v > 0:
            xs.append(v * v)
    return sum(xs) * len(xs) + xs[-1] * xs[0]


def weighted_prefixes(x):
    sums = [0.0]
    for v in x:
        sums.append(sums[-1] * 0.5 + v * v)
    return sum(sums)


def flight(v):
    """As long as it is high, which a small change does not change."""
    state = np.array([0.0, v])
    rows = [state]
    while state[0] > -0.55:
        state = state + 0.1 * np.array([state[1], -1.0])
        rows.append(state)
    path = np.array(rows)
    return np.sum(path * path)


def neighbours(x):
    ys = [v * v for v in x if v > 0]
    return sum([a * b for a, b in zip(ys, ys[1:])])


def queue(x):
    waiting = [x]
    total = 0.0
    while waiting:
        u = waiting.pop(0)
        total += u * u
        if u > 0.3:
            waiting.append(u * 0.5)
            waiting.append(u * 0.3)
    return total


def list_in_a_loop(x):
    """A list anew in each iteration of another loop."""
    total = 0.0
    for v in x:
        halves = [v * v]
        while halves[-1] > 0.11:
            halves.append(halves[-1] * 0.4)
        total += sum(halves) * halves[-1]
    return total


def doubled_by_hand(x):
    ys = np.empty(2)
    n = 0
    while x > 0.5:
        if n == len(ys):
            larger = np.empty(2 * len(ys))
            larger[: len(ys)] = ys
            ys = larger
        ys[n] = x * x
        n += 1
        x = x * 0.7
    return np.sum(ys[:n])


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (recorded_decay, 0.7), (quadrature, 0.1), (newton, 2.0), (kept, X), (weighted_prefixes, X), (flight, 1.0),
    (neighbours, X), (queue, 1.7), (list_in_a_loop, X), (doubled_by_hand, 9.0),
]  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("f, x", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradients(f: Callable[..., Any], x: Any, target: str) -> None:
    slope = grad(f, target=target)(x)
    for direction in np.eye(np.size(x)):
        dot = direction.reshape(np.shape(x)) if np.ndim(x) else float(direction[0])
        _, forward = jvp(f, (x,), (dot,), target="numpy")
        step = 1e-6
        difference = (f(x + step * dot) - f(x - step * dot)) / (2 * step)
        np.testing.assert_allclose(np.sum(slope * dot), forward, 1e-10, 1e-10)
        np.testing.assert_allclose(forward, difference, 1e-5, 1e-5)


@pytest.mark.parametrize("f, x", PROGRAMS[:9:2], ids=lambda p: getattr(p, "__name__", ""))
def test_second_derivatives(f: Callable[..., Any], x: Any) -> None:
    slope = jit(grad(f), target="numpy")
    for k, row in enumerate(np.atleast_2d(hessian(f, target="numpy")(x))):
        step = 1e-6 * np.eye(np.size(x))[k].reshape(np.shape(x))
        step = step if np.ndim(x) else float(step)
        difference = (slope(x + step) - slope(x - step)) / 2e-6
        np.testing.assert_allclose(row, np.ravel(difference), 1e-4, 1e-4)


def test_results_of_as_many_rows_as_there_are() -> None:
    def squares(x):
        found = []
        while x > 1.0:
            found.append(x * x)
            x = x / 2
        return np.array(found)

    np.testing.assert_allclose(jacobian(squares)(9.0), [18.0, 4.5, 1.125, 0.28125], 1e-12)


def test_what_is_only_written_is_not_written_twice() -> None:
    """Where arrays can be made anew the loop runs once; elsewhere the one that is run for the sizes counts alone."""
    assert grad(recorded_decay).source(0.7).count("while t < 1.0") == 1
    text = grad(recorded_decay, target="numpy").source(0.7)
    assert text.count("y -= ") == text.count("ys_count += 1") == text.count("while t < 1.0") == 2
