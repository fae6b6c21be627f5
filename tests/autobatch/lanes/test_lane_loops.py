"""Batches inside another function whose lanes come apart, or may fail: values, derivatives, errors."""

from __future__ import annotations

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, jvp, linearize, vjp
from codegen import SourceError, jit

X = np.array([[0.372, 0.799, 0.608], [0.2, 0.3, 0.9], [0.6, 0.1, 0.9]])
W = np.array([1.0, 10.0, 3.0])


def branches(r):
    s = r[0]
    for _ in range(3):
        s = s * 1.5 + r[1] if s < 0.5 else np.sin(s)
    return s


def until(r):
    s = r[0]
    while s < 2.0:
        s = s * 1.1 + 0.1 * r[1]
    return s


def left_early(r):
    s = 0.0
    for i in range(len(r)):
        if r[i] > 0.5:
            break
        s += r[i] ** 2
    return s


def so_many(r):
    s = 0.0
    for i in range(int(r[0] * 5)):
        s += np.sin(r[1] * i)
    return s


def within_a_branch(r):
    return until(r) if r[0] > 0.5 else r[1] ** 2


def written(r):
    s = r.copy()
    while s[0] < 2.0:
        s[0] += 0.3 * s[1]
        s[1] *= 1.1
    return np.sum(s)


def halved(x, n):
    return x if n <= 0 else halved(np.sin(x) * x, n - 1) + x


def recursion(r):
    return halved(r[0], 3) * r[1]


PROGRAMS = (branches, until, left_early, so_many, within_a_branch, written, recursion)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("one", PROGRAMS)
def test_a_batch_is_differentiated(one) -> None:
    def f(x):
        return np.sum(batch(one)(x) * W)

    want = np.array([grad(one, target="numpy")(x) * w for x, w in zip(X, W, strict=True)])
    np.testing.assert_allclose(grad(f, target="numpy")(X), want, rtol=1e-13)
    np.testing.assert_allclose(vjp(f, X, target="numpy")[1](1.0)[0], want, rtol=1e-13)
    np.testing.assert_allclose(linearize(f, X, target="numpy")[1](X), np.sum(want * X), rtol=1e-13)
    np.testing.assert_allclose(jvp(f, (X,), (X,), target="numpy")[1], np.sum(want * X), rtol=1e-13)
    np.testing.assert_allclose(jit(f, target="numpy")(X), sum(one(x) * w for x, w in zip(X, W)), rtol=1e-14)


@pytest.mark.turns(4)
def test_compiled() -> None:
    def f(x, step):
        made, twice = batch(lambda r, h: (until(r) * h, r[1:] * h), in_axes=(0, None))(x, step)
        return np.sum(made * W) + np.sum(twice)

    np.testing.assert_allclose(grad(f)(X, 0.5), grad(f, target="numpy")(X, 0.5), rtol=1e-13)
    np.testing.assert_allclose(jit(f)(X, 0.5), f(X, 0.5), rtol=1e-14)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_the_first_lane_that_fails_raises(target: str) -> None:
    def checked(r):
        if r[1] > 0.25:
            raise ValueError("too large")
        return r[0]

    with pytest.raises(ValueError, match="^too large$"):
        jit(lambda x: np.sum(batch(checked)(x)), target=target)(X)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_lanes_whose_lanes_come_apart(target: str) -> None:
    def one(r):
        return np.sum(batch(until)(np.outer(r, r) + 0.1))

    def f(x):
        return np.sum(batch(one)(x) * W)

    want = [one(x) for x in X]
    np.testing.assert_allclose(batch(one, target=target)(X), want, rtol=1e-14)
    slopes = np.array([grad(one, target="numpy")(x) for x in X])
    np.testing.assert_allclose(batch(grad(one), target=target)(X), slopes, rtol=1e-13)
    np.testing.assert_allclose(grad(f, target=target)(X), slopes * W[:, None], rtol=1e-13)


def test_sizes_that_are_computed() -> None:
    def one(r, k):
        return np.append(np.zeros(k + 1) + r[0], r[1:]) * r[1]

    def f(x, k):
        return np.sum(np.sin(batch(one, in_axes=(0, None))(x, k)))

    want = [grad(lambda r, k: np.sum(np.sin(one(r, k))), target="numpy")(x, 3) for x in X]
    np.testing.assert_allclose(grad(f, target="numpy")(X, 3), want, rtol=1e-13)
    assert jit(f, target="numpy")(np.zeros((0, 3)), 3) == 0.0


def test_sizes_of_a_lanes_own_are_refused() -> None:
    with pytest.raises(SourceError, match="the size would differ from lane to lane"):
        grad(lambda x: np.sum(batch(lambda r: r[: int(r[0] * 3)] * r[1])(x)), target="numpy")(X)
