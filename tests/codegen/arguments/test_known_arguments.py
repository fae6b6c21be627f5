"""Ints that a program has to know: those that are arguments are constants of programs of their own."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, jvp, value_and_grad
from codegen import SourceError, jit

X = np.arange(12.0).reshape(3, 4)


def moved(x, axis, k):
    return np.flip(np.cumsum(x, axis), axis) * k


def turned(x, axes):
    return np.transpose(x, axes)


def parts(x, n):
    return [np.sum(part) for part in np.split(x, n)]


def spectrum(x, n, axis):
    return np.fft.rfft(x, n, axis)


def through(x, axis, keep):
    def inner(y, at):
        return np.sum(y, at, keepdims=keep)

    return inner(x, axis)


def rest(x, k):
    return x.shape[k:]


def rows(x, n):
    return tuple([x[i] for i in range(n)])


CALLS: dict[Any, list[tuple[Any, ...]]] = {
    moved: [(X, 0, 2), (X, 1, 3), (X, -1, 3), (X, np.int64(0), 4), (X[0], 0, 2)],
    turned: [(X, (1, 0)), (X, (0, 1))],
    parts: [(X, 3), (X, 1)],
    spectrum: [(X, 4, 0), (X, 3, 1)],
    through: [(X, 0, True), (X, 1, False), (X, (0, 1), True)],
    rest: [(X, 0), (X, 1)],
    rows: [(X, 2), (X, 3)],
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", CALLS)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_each_value_has_a_program(f: Any, target: str):
    compiled = jit(f, target=target)
    for args in [*CALLS[f], *CALLS[f]]:
        got, want = compiled(*args), f(*args)
        assert type(got) is type(want)
        for one, other in zip(np.atleast_1d(got), np.atleast_1d(want), strict=True):
            np.testing.assert_allclose(one, other)


def test_by_name_and_only_where_it_is_needed():
    def f(x, axis, k):
        return np.sum(x, axis=axis) * k

    compiled = jit(f, target="numpy")
    for k in range(4):
        compiled(X, k=k, axis=1)
    assert "def f(x, k):" in compiled.source()
    np.testing.assert_array_equal(compiled(X, axis=0, k=2), X.sum(0) * 2)


def test_under_derivatives_and_over_lanes():
    def f(x, axis):
        return np.sum(np.prod(x, axis=axis))

    want = np.prod(X + 1.0, axis=1)[:, None] / (X + 1.0)
    np.testing.assert_allclose(grad(f, target="numpy")(X + 1.0, 1), want)
    assert value_and_grad(f, target="numpy")(X + 1.0, axis=0)[0] == f(X + 1.0, 0)
    assert jvp(lambda x: f(x, 1), (X + 1.0,), (X,), target="numpy")[1] == pytest.approx(np.sum(want * X))
    lanes = np.stack([X, X + 1.0])
    for axis in (0, 1):
        np.testing.assert_array_equal(
            batch(lambda x, a: np.sum(x, a), in_axes=(0, None), target="numpy")(lanes, axis),
            lanes.sum(axis + 1),
        )


def test_what_is_wrong_with_the_value_is_said():
    def f(x, axis):
        return np.sum(x, axis=axis)

    with pytest.raises(SourceError, match="axis 7 is out of bounds for an array with 2 dimensions"):
        jit(f)(X, 7)
    with pytest.raises(SourceError, match="axis must be a known int or a tuple of them"):
        jit(f)(X, np.array([1]))
    np.testing.assert_array_equal(jit(f, target="numpy")(X, 1), X.sum(1))
    assert jit(f, target="numpy")(2.5, -1) == 2.5  # of np.sum
    for other in (np.mean, np.var, np.std, np.average):  # which take none
        with pytest.raises(SourceError, match="axis -1 is out of bounds for an array with 0 dimensions"):
            jit(lambda x, other=other: other(x, axis=-1))(2.5)


def gains(theta, order):
    """Which numbers there are hangs on an int."""
    if order == 2:
        return 1.0 - theta**2, (1.0 - theta) ** 2
    if order == 3:
        return 1.0 - theta**3, 1.5 * (1.0 - theta), 0.5 * (1.0 - theta) ** 3
    raise ValueError("no such order")


def noise(order, dt):
    """A matrix whose size hangs on an int, given to a function with a literal and with an argument."""
    if order == 1:
        q = [[dt**2, dt], [dt, 1.0]]
    else:
        q = [[dt**4, dt**3, dt**2], [dt**3, dt**2, dt], [dt**2, dt, 1.0]]
    return np.array(q)


def gained(theta):
    return gains(theta, 2)[1] + gains(theta, 3)[2]


def test_which_kind_a_value_is_hangs_on_an_int() -> None:
    assert jit(gained)(0.5) == gained(0.5)
    for order in (2, 3):
        assert jit(gains)(0.5, order) == pytest.approx(gains(0.5, order))
        lanes = batch(gains, in_axes=(0, None))(np.array([0.5, 0.25]), order)
        np.testing.assert_allclose(np.transpose(lanes), [gains(0.5, order), gains(0.25, order)])
    slope = grad(lambda dt, n: np.sum(noise(n, dt)), target="numpy")
    for order in (1, 2):
        np.testing.assert_allclose(jit(noise)(order, 0.5), noise(order, 0.5))
        above, below = (np.sum(noise(order, 0.5 + h)) for h in (1e-6, -1e-6))
        assert slope(0.5, order) == pytest.approx((above - below) / 2e-6)
    with pytest.raises(ValueError, match="no such order"):
        jit(gains)(0.5, 4)
    with pytest.raises(SourceError, match="the value returned is a tuple of 2 on one way"):
        jit(gains)(0.5, 400)  # no small int


def warned(x, n):
    if n % 2 == 0:
        print("even")
    return n * x


def test_lanes_print_nothing_where_an_int_says_so() -> None:
    np.testing.assert_array_equal(batch(warned, in_axes=(0, None))(np.ones(2), 3), [3.0, 3.0])
    with pytest.raises(SourceError, match="over lanes is not supported"):
        batch(warned, in_axes=(0, None))(np.ones(2), 2)


def unpacked(x):
    first, *others = x
    return first, tuple(others), {"abcde"[i]: x[i] for i in range(len(x))}


@dataclass
class Parameters:
    rate: Any
    start: Any


def by_stages(p, steps):
    """Whose slope is by arrays that broadcast against ones of two numbers, in a loop."""
    y, t, h = p.start, 0.0, 0.3
    while t < 1.0:
        stages: list[Any] = []
        for k in range(2):
            at = y if k == 0 else y + 0.5 * h * stages[0]
            stages.append(np.array([p.rate[0] * at[0] - at[0] * at[1], p.rate[1] * at[1]]))
        if np.max(np.abs(stages[1] - stages[0])) < 5.0:
            y = y + h * sum(stages)
        t += h / steps
    return np.sum(y)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_sizes_of_arrays_where_nothing_else_is_left(target: str):
    compiled = jit(unpacked, target=target)
    for n in (2, 4, 2, 3):
        assert compiled(X[0, :n] + n) == unpacked(X[0, :n] + n)
    with pytest.raises(SourceError, match="known"):
        compiled(np.zeros(40))
    slope = grad(by_stages, target=target)
    given = Parameters(np.array([0.4, -0.3]), np.array([0.7, 0.2]))
    for name in ("rate", "start"):
        for k in range(2):
            sides = []
            for h in (1e-6, -1e-6):
                moved = copy.deepcopy(given)
                getattr(moved, name)[k] += h
                sides.append(by_stages(moved, 2.0))
            wanted = (sides[0] - sides[1]) / 2e-6
            assert getattr(slope(given, 2.0), name)[k] == pytest.approx(wanted, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_sizes_of_arrays_around_the_function(target: str):
    def farthest(s):
        return s * max(*data[0]), np.hypot(*(data[:2, 0] * s))

    def steps(s, n):
        states = [data[0] * s]
        for _ in range(n):
            states.append(data.T @ states[-1][: len(data)])
        return np.sum(states[-1])

    for data in (X, X[:, :2], X + 1.0):
        assert jit(farthest, target=target)(2.0) == pytest.approx(farthest(2.0))
    data = np.eye(3)[::-1] * 0.5
    compiled, slope = jit(steps, target=target), grad(steps, target=target)
    for data in (data, np.eye(2) + 0.1):
        assert compiled(2.0, 40) == pytest.approx(steps(2.0, 40))
        assert slope(2.0, 40) == pytest.approx(steps(1.0, 40))
        assert jvp(lambda s: steps(s, 40), (2.0,), (3.0,), target=target)[1] == pytest.approx(steps(3.0, 40))
