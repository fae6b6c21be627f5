"""Arrays that loops assign anew, whose sizes only the checks of the program show to stay: `h = np.tanh(W @ h + b)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from autobatch import batch
from autodiff import check_grads, grad, hessian, jacobian, jacrev, jvp, linearize, value_and_grad, vjp
from codegen import jit

NUMPY = {"target": "numpy"}
RNG = np.random.default_rng(0)
SQUARE, VECTOR = 0.4 * RNG.normal(size=(9, 9)), RNG.normal(size=9)
ROWS = RNG.normal(size=(6, 9))


def recurrent(W, b, xs):
    h = np.zeros(len(b))
    for x in xs:
        h = np.tanh(W @ h + x + b)
    return np.sum(h * h)


def cell(h, x, W, b):
    return np.tanh(W @ h + x + b)


def recurrent_cell(W, b, xs):
    h = np.zeros(len(b))
    for x in xs:
        h = cell(h, x, W, b)
    return np.sum(h * h)


def power_iteration(A, v, xs):
    for _ in range(len(xs)):
        v = A @ v
        v = v / np.sqrt(v @ v)
    return v @ A @ v


def until_small(A, v, xs):
    k = 0
    while np.abs(v).max() > 0.1 and k < 20:
        v = A @ v * 0.5
        k += 1
    return np.sum(v**2)


def forward_algorithm(A, v, xs):
    alpha = v - np.log(np.sum(np.exp(v)))
    for x in xs:
        m = alpha.max()
        alpha = np.log(np.exp(alpha - m) @ np.exp(A)) + m + x
    return np.log(np.sum(np.exp(alpha)))


def by_branch(A, v, xs):
    for k in range(len(xs)):
        v = A @ v if k % 2 == 0 else v @ A
        if v[0] > 0.0:
            v = A @ v + xs[k]
    return np.sum(np.sin(v))


def in_a_nest(A, v, xs):
    total = 0.0
    for x in xs:
        u = x * v
        for _ in range(3):
            u = np.sin(A @ u)
        total += np.sum(u)
        v = A @ v + u
    return total + np.sum(v)


def of_matrices(A, v, xs):
    P = np.eye(len(v))
    for x in xs:
        P = A @ P @ A.T + np.outer(x, v)
    return np.trace(P)


PROGRAMS = (
    recurrent,
    recurrent_cell,
    power_iteration,
    until_small,
    forward_algorithm,
    by_branch,
    in_a_nest,
    of_matrices,
)


def slope(f: Callable[..., float], point: Any, way: Any, eps: float = 1e-6) -> float:
    """The derivative along a way by central differences."""
    up, down = ([x + s * eps * d for x, d in zip(point, way, strict=True)] for s in (1, -1))
    return (f(*up) - f(*down)) / (2 * eps)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_reverse_mode(f: Callable[..., Any]) -> None:
    point = (SQUARE, VECTOR, ROWS)
    way = tuple(np.random.default_rng(1).normal(size=x.shape) for x in point)
    wanted = slope(f, point, way)
    value, gradient = value_and_grad(f, (0, 1, 2), **NUMPY)(*point)
    assert value == pytest.approx(f(*point), rel=1e-12)
    assert sum(np.vdot(g, d) for g, d in zip(gradient, way, strict=True)) == pytest.approx(wanted, rel=1e-6)
    assert jvp(f, point, way, **NUMPY)[1] == pytest.approx(wanted, rel=1e-6)
    _, pull = vjp(f, *point, **NUMPY)
    for ours, theirs in zip(pull(1.0), gradient, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert linearize(f, *point, **NUMPY)[1](*way) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.turns(4)
def test_compiled_and_in_lanes() -> None:
    point = (SQUARE, VECTOR, ROWS)
    wanted = grad(recurrent, (0, 1), **NUMPY)(*point)
    for found in (grad(recurrent, (0, 1))(*point), jit(grad(recurrent, (0, 1)))(*point)):
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    lanes = batch(grad(recurrent, 1), in_axes=(None, 0, None))(SQUARE, np.stack([VECTOR, VECTOR + 1.0]), ROWS)
    np.testing.assert_allclose(lanes[0], wanted[1], rtol=1e-10)


def test_second_derivatives() -> None:
    def f(v):
        return power_iteration(SQUARE + SQUARE.T, v, ROWS[:2])

    found = hessian(f, **NUMPY)(VECTOR)
    for k in range(3):
        way = np.eye(9)[k] * 1e-5
        wanted = (grad(f, **NUMPY)(VECTOR + way) - grad(f, **NUMPY)(VECTOR - way)) / 2e-5
        np.testing.assert_allclose(found[k], wanted, rtol=1e-5, atol=1e-8)


def moved(A, v, n):
    for _ in range(n):
        v = np.sin(A @ v)
    return v


def test_a_size_that_does_change_is_said_when_it_does() -> None:
    A, v = RNG.normal(size=(8, 9)), VECTOR
    assert jacrev(moved, 1, **NUMPY)(A, v, 0).shape == (9, 9)
    with pytest.raises(ValueError, match="v changes its size from one iteration to the next"):
        jacrev(moved, 1, **NUMPY)(A, v, 1)
    np.testing.assert_allclose(
        jvp(lambda v: moved(A, v, 1), (v,), (v,), **NUMPY)[1], np.cos(A @ v) * (A @ v), rtol=1e-12
    )


def linear(A, v, n):
    for _ in range(n):
        v = A @ v
    return v


def test_a_size_may_change_where_no_value_is_kept() -> None:
    A = RNG.normal(size=(8, 9))
    np.testing.assert_allclose(jacrev(linear, 1, **NUMPY)(A, VECTOR, 1), A)


def shortened(v):
    while len(v) > 2:
        v = v[1:] * v[:-1]
    return v[0]


def test_a_size_that_plainly_changes() -> None:
    check_grads(shortened, (0.5 + np.abs(VECTOR),), order=2)


OTHER = np.random.default_rng(5)
DATA = np.array([0, 2, 1, 0])
PI, A, B = OTHER.normal(size=3), OTHER.normal(size=(3, 3)), OTHER.normal(size=(3, 4))


def forward(log_pi, log_a, log_b, data):
    """The logarithm of what a hidden Markov chain gives for the data."""
    alpha = log_pi
    for y in data:
        alpha = logsumexp(alpha[:, None] + log_a, axis=0) + log_b[:, y]
    return logsumexp(alpha)


def relaxed(u, v):
    """What two fields of one size come to by averages of neighbours."""
    p = np.zeros(len(u))
    for _ in range(4):
        p = np.sin(u - v + np.roll(p, 1)) / 4.0
    return np.sum(p * p)


def while_small(x, w):
    for _ in range(2):
        while np.sum(x) < 10.0:
            x = np.exp(w * x)
    return np.sum(x)


@pytest.mark.parametrize("f, arguments", [
    (lambda p, a, b: forward(p, a, b, DATA), (PI, A, B)),
    (relaxed, (PI, A[0])),
    (while_small, (np.abs(PI), np.abs(A[0]) + 0.5)),
])  # fmt: skip
def test_first_and_second_derivatives_are_differences(f, arguments):
    check_grads(f, arguments, order=2)


@pytest.mark.turns(4)
def test_ways_to_differentiate_agree():
    np.testing.assert_allclose(
        grad(forward)(PI, A, B, DATA), grad(forward, target="numpy")(PI, A, B, DATA), rtol=1e-12
    )
    np.testing.assert_allclose(vjp(relaxed, PI, A[0])[1](1.0)[0], grad(relaxed)(PI, A[0]), rtol=1e-12)
    rows = batch(grad(relaxed), in_axes=(0, None))(np.stack((PI, 2 * PI)), A[0])
    np.testing.assert_allclose(rows[0], grad(relaxed)(PI, A[0]), rtol=1e-12)
    np.testing.assert_allclose(
        jacobian(relaxed, target="numpy")(PI, A[0]), grad(relaxed)(PI, A[0]), rtol=1e-12
    )


def test_a_size_of_another_argument():
    def f(x, m):
        for _ in range(2):
            x = np.sin(m[0]) * np.sum(x * x)
        return np.sum(x)

    same, other = np.ones((1, 3)), np.ones((1, 2))
    assert grad(f, target="numpy")(np.ones(3), same).shape == (3,)
    with pytest.raises(ValueError, match="x changes its size from one iteration to the next"):
        grad(f, target="numpy")(np.ones(3), other)


def grown(x, n):
    assert x.shape == (3,)
    a = x
    for _ in range(n):
        a = np.outer(a, x).ravel()
    return np.sum(a)


@pytest.mark.turns(4)
def test_a_known_size_that_changes() -> None:
    """What a check says and what the loop makes contradict: it changes."""
    x = VECTOR[:3]
    np.testing.assert_allclose(grad(grown, **NUMPY)(x, 0), np.ones(3))
    np.testing.assert_allclose(grad(grown)(x, 2), 3 * np.sum(x) ** 2 * np.ones(3), rtol=1e-12)
    for n in (0, 2, 5):
        slopes = batch(grad(grown, **NUMPY), in_axes=(0, None), **NUMPY)(np.stack((x, -x)), n)
        wanted = [(n + 1) * np.sum(v) ** n * np.ones(3) for v in (x, -x)]
        np.testing.assert_allclose(slopes, wanted, rtol=1e-12)


def counted(x, n):
    s = np.zeros(n)
    for _ in range(3):
        s = s + x * np.arange(n)
    return np.sum(s)


def test_a_size_that_an_int_is() -> None:
    """It may be 1, and then is stretched: but both are the same int."""
    assert [grad(counted, **NUMPY)(0.5, n) for n in (0, 1, 3)] == [0.0, 0.0, 9.0]
