"""Lists of arrays of several sizes, read at the index of a loop: layers of a network, and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from autobatch import batch
from autodiff import check_grads, grad, hvp
from codegen import SourceError, jit

RNG = np.random.default_rng(0)
SIZES = [3, 4, 5, 2]
WEIGHTS = [RNG.normal(size=(n, m)) for n, m in zip(SIZES, SIZES[1:])]  # noqa: B905, RUF007
SHIFTS = [RNG.normal(size=m) for m in SIZES[1:]]
PAIRS = list(zip(WEIGHTS, SHIFTS, strict=True))
ROWS = [RNG.normal(size=k + 1) for k in range(4)]
X = RNG.normal(size=3)


def by_index(p, x):
    for i in range(len(p)):
        x = np.tanh(x @ p[i][0] + p[i][1])
    return np.sum(x)


def but_the_last(p, x):
    n = len(p) - 1
    for i in range(n):
        x = np.tanh(x @ p[n - 1 - (n - 1 - i)][0] + p[i][-1])
    return np.sum((x @ p[-1][0] + p[-1][1]) ** 2)


def in_pairs(p, x):
    for W, b in p:
        x = np.tanh(x @ W + b)
    return np.sum(x)


def numbered(p, x):
    for i, (W, b) in enumerate(p):
        x = x @ W + b
        if i < len(p) - 1:
            x = np.tanh(x)
    return np.sum(x)


def zipped(p, x):
    Ws, bs = [layer[0] for layer in p], [layer[1] for layer in p]
    for W, b in zip(Ws, bs, strict=True):
        x = np.tanh(x @ W + b)
    for i in range(len(Ws)):
        x = x + np.sum(Ws[i] @ bs[i])
    return np.sum(x)


def layer(p, i, x):
    return np.tanh(x @ p[i][0] + p[i][1])


def by_calls(p, x):
    for i in range(len(p)):
        x = layer(p, i, x)
    return np.sum(x)


LAYERED = [by_index, but_the_last, in_pairs, numbered, zipped, by_calls]
FORMS = {
    "tuples": PAIRS,
    "lists": [list(pair) for pair in PAIRS],
    "a tuple": tuple(PAIRS),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("f", LAYERED, ids=lambda f: f.__name__)
def test_layers(f, form):
    """One example and a matrix of them; derivatives of both orders; lanes."""
    p, many = FORMS[form], RNG.normal(size=(7, 3))
    assert jit(f, target="numpy")(p, X) == pytest.approx(f(p, X), rel=1e-14)
    assert jit(f, target="numpy")(p, many) == pytest.approx(f(p, many), rel=1e-14)
    check_grads(f, (p, X), order=2)
    lanes = batch(f, in_axes=(None, 0), target="numpy")(p, many)
    np.testing.assert_allclose(lanes, [f(p, x) for x in many], rtol=1e-13)
    slopes = batch(grad(f, argnums=1), in_axes=(None, 0), target="numpy")(p, many)
    np.testing.assert_allclose(slopes, [grad(f, argnums=1, target="numpy")(p, x) for x in many], rtol=1e-12)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [by_index, by_calls], ids=lambda f: f.__name__)
def test_layers_compiled(f):
    assert jit(f)(PAIRS, X) == pytest.approx(f(PAIRS, X), rel=1e-14)
    many = RNG.normal(size=(7, 3))
    slopes = batch(grad(f), in_axes=(None, 0))(PAIRS, many)
    for k, x in enumerate(many):
        wanted = grad(f, target="numpy")(PAIRS, x)
        for got, want in zip(slopes, wanted, strict=True):
            np.testing.assert_allclose(got[0][k], want[0], rtol=1e-10)
            np.testing.assert_allclose(got[1][k], want[1], rtol=1e-10)
    along = [(0.1 * W, 0.2 * b) for W, b in PAIRS]
    second, same = (hvp(f, (PAIRS, X), (along, X), target=target)[1] for target in ("numba", "numpy"))
    for got, want in zip(second, same, strict=True):
        np.testing.assert_allclose(got[0], want[0], rtol=1e-9)
        np.testing.assert_allclose(got[1], want[1], rtol=1e-9)


def test_text_is_that_of_the_loop_through_the_list():
    """Nothing is asked in each layer about which it is."""
    by_place, through = (jit(f, target="numpy").source(PAIRS, X) for f in (by_index, in_pairs))
    assert by_place.replace("by_index", "in_pairs") == through


def nested(p, x):
    for i in range(2):
        for j in range(2):
            x = x + np.sum(p[2 * i + j] ** 2)
    return np.sum(x)


def beside_long_loops(p, x):
    for i in range(len(p)):
        for _ in range(50):
            x = x + 0.01 * np.sum(p[i] ** 2)
    for _ in range(50):
        for i in reversed(range(len(p))):
            x = x + 0.01 * np.sum(p[i] ** 2)
    return np.sum(x)


def in_an_order(p, x):
    order = [2, 0, 1]
    for i in range(3):
        x = x + np.sum(p[order[i]] * (i + 1.0))
    return np.sum(x)


def left_early(p, x):
    for i in range(6):
        if x[0] > 0.3:
            break
        x = x + abs(p[i][:1])
    else:
        x = -x
    return np.sum(x)


def returned(p, x):
    for i in range(len(p)):
        if np.sum(p[i]) > np.sum(x):
            return np.sum(p[i] * i) + np.sum(x)
    return np.sum(x)


def in_sums(p, x):
    return np.sum(x) + sum(np.sum(p[i] ** 2) for i in range(len(p))) + sum([np.sum(p[i]) for i in range(4)])


def at_other_places(p, x):
    """Of many iterations, and of a place that hangs on a value."""
    for k in range(40):
        x = x + 0.1 * np.sum(p[k % len(p)] ** 2)
    for i in range(len(p)):
        x = x + p[(int(x[0] > 0.0) + i) % len(p)][0]
    return np.sum(x)


OTHERS = [nested, beside_long_loops, in_an_order, left_early, returned, in_sums, at_other_places]


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_loops(f):
    for x in (X * 0.1, X + 1.0):
        assert jit(f, target="numpy")(ROWS, x) == pytest.approx(f(ROWS, x), rel=1e-13)
        check_grads(f, (ROWS, x))
    many = np.stack([X * 0.1, X + 1.0])
    lanes = batch(f, in_axes=(None, 0), target="numpy")(ROWS, many)
    np.testing.assert_allclose(lanes, [f(ROWS, x) for x in many], rtol=1e-13)


def test_a_place_that_is_not_there_ends_the_program_where_it_is_read():
    low = [row * 0.01 for row in ROWS]
    with pytest.raises(IndexError, match="^list index out of range$"):
        left_early(low, 0.1 * X)
    with pytest.raises(IndexError, match="^list index out of range$"):
        jit(left_early, target="numpy")(low, 0.1 * X)
    assert jit(left_early, target="numpy")(low, X + 1.0) == left_early(low, X + 1.0)
    with pytest.raises(SourceError, match="^index 4 is out of range for a list of 4"):
        jit(lambda p: p[4], target="numpy")(ROWS)


class Lamp(NamedTuple):
    power: float
    on: bool = True


@dataclass
class Ball:
    centre: np.ndarray
    radius: float
    lamp: Lamp

    def depth(self, x):
        return np.sum((x - self.centre) ** 2) - self.radius**2


BALLS = [Ball(np.array([k, 0.5 * k, 1.0]), 1.0 + k, Lamp(2.0 * k, k < 2)) for k in range(3)]


def nearest(x):
    best, least = None, np.inf
    for k, ball in enumerate(BALLS):
        if ball.depth(x) < least:
            best, least = k, ball.depth(x)
    if best is None:
        return 0.0
    ball = BALLS[best]
    return ball.depth(x) * ball.radius + (ball.lamp.power if ball.lamp.on else -1.0)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_structures_around_a_program_are_found_by_places(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, slope = jit(nearest, target=target), grad(nearest, target=target)
    for x in (np.zeros(3), np.array([2.0, 1.0, 0.0]), np.array([1.0, -0.5, 1.0])):
        assert np.isclose(compiled(x), nearest(x))
        near = [(nearest(x + 1e-6 * e) - nearest(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
        assert np.allclose(slope(x), near, atol=1e-6)
    xs = np.array([[0.0, 0.0, 0.0], [2.0, 1.0, 0.0]])
    assert np.allclose(batch(nearest)(xs), [nearest(x) for x in xs])
    monkeypatch.setattr(BALLS[2], "radius", 9.0)
    assert np.isclose(compiled(x), nearest(x))


def best_shift(a, b):
    """The shift of several for which a matrix is conditioned best, and the last one that was tried."""
    best, least, last = 0.0, np.inf, 0.0
    for shift in (0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 10.0, 100.0):
        z = a + shift * np.eye(2)
        inner = np.linalg.solve(z, b) @ np.linalg.inv(z + b) @ np.linalg.solve(z + 2.0 * b, a)
        outer = np.linalg.inv(inner + shift * np.eye(2)) @ np.linalg.solve(inner + b, a)
        size = np.sum(np.abs(outer)) + np.linalg.det(inner) ** 2
        if size < least:
            best, least = shift, size
        last = shift
    return best, least, last


def by_exponents(x):
    total = 0.0
    for shift in (0.5, 1.5, 2.5):
        total += x**shift
    return total


def test_long_loops_over_known_floats_are_loops() -> None:
    a, b = np.array([[2.0, 0.3], [0.1, 1.0]]), np.array([[1.0, 0.2], [0.2, 0.5]])
    compiled = jit(best_shift, target="numpy")
    assert compiled(a, b) == pytest.approx(best_shift(a, b))
    assert compiled.source(a, b).count("np.linalg.det(") == 1
    assert [type(each) for each in compiled(a, b)] == [float, np.float64, float]
    assert "for" not in jit(by_exponents, target="numpy").source(1.5)  # a short one is written out
    slope = grad(lambda a: best_shift(a, b)[1], target="numpy")(a)
    moved = [[np.eye(2)[i][:, None] * np.eye(2)[j] * 1e-6 for j in range(2)] for i in range(2)]
    near = [[(best_shift(a + h, b)[1] - best_shift(a - h, b)[1]) / 2e-6 for h in row] for row in moved]
    np.testing.assert_allclose(slope, near, rtol=1e-5)
