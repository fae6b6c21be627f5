"""Long loops of known count in groups: every iteration for all lanes side by side, the same numbers as lane by lane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autobatch import Schedule, batch
from autodiff import value_and_grad

SERIES = np.random.default_rng(3).normal(size=120)
POINTS = np.random.default_rng(4).uniform(0.1, 0.9, 101)
LENGTHS = np.random.default_rng(5).integers(0, 6, 101)


def recurrence(x, n, y):
    """Lanes come to the long loop a different number of times."""
    total = x
    for _ in range(n):
        s = 0.0
        for t in range(1, len(y)):
            s = 0.9 * s + np.exp(-x * y[t - 1]) * y[t]
            total += s / (1.0 + s * s)
        x = 0.5 * x + 0.001 * total
    return total


def volatility(x, n, y):
    """Its derivative keeps what the loop carries in an array, which the loop back reads."""
    variance, lp = 1.0, 0.0
    for t in range(1, len(y)):
        variance = 0.1 + 0.2 * (y[t - 1] - x) ** 2 + 0.5 * variance
        lp -= 0.5 * (np.log(variance) + (y[t] - x) ** 2 / variance)
    return lp * n


def stepped(x, n, y):
    """A loop in a loop, both too long to be written out."""
    u, v, lp = x, 1.0, 0.0
    for t in range(len(y)):
        for _ in range(40):
            u, v = u + 0.01 * u * (1.0 - v), v + 0.01 * v * (u - 1.0)
            u = u / np.sqrt(1.0 + 0.001 * u * u)
        lp -= (y[t] - np.log(u)) ** 2 + (y[t] - np.log(v)) ** 2
    return lp + n


def there_and_back(x, n, y):
    """An array of the lane's own, written by one loop and read by another from its end."""
    path = np.zeros(120)
    for t in range(1, 120):
        path[t] = np.tanh(path[t - 1] * x + y[t]) + 0.1 * path[t - 1]
    total = 0.0
    for t in range(119, 0, -1):
        total = 0.7 * total + path[t] * path[t - 1] / (1.0 + total * total)
    return total + path[n]


def chosen(x, n, y):
    """A condition in the loop, and a short loop that is written out."""
    weights, best = np.ones(4), -10.0
    for t in range(len(y)):
        s = 0.0
        for k in range(4):
            weights[k] = 0.9 * weights[k] + 0.1 * np.exp(-((y[t] - k * x) ** 2))
            s += weights[k]
        if s > best:
            best = s - 0.01 * x
        else:
            best = best * 0.99
    return best + weights[n % 4]


PROGRAMS = [recurrence, volatility, stepped, there_and_back, chosen]


@pytest.mark.turns(4)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_lane_by_lane_and_as_python(f: Any) -> None:
    in_axes = (0, 0, None)
    one = batch(f, in_axes, schedule="lanewise")(POINTS, LENGTHS, SERIES)
    for schedule in (Schedule(group=32), Schedule(group=64, threads=1))[: 2 if f is PROGRAMS[0] else 1]:
        many = batch(f, in_axes, schedule=schedule)
        np.testing.assert_array_equal(many(POINTS, LENGTHS, SERIES), one)
        assert "_part2(lane, " in many.source()
    expected = [f(x, n, SERIES) for x, n in zip(POINTS, LENGTHS, strict=True)]
    np.testing.assert_allclose(one, expected, rtol=1e-10)


@pytest.mark.turns(4)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", [recurrence, volatility, there_and_back], ids=lambda f: f.__name__)
def test_derivatives(f: Any) -> None:
    in_axes = (0, 0, None)
    many = batch(value_and_grad(f), in_axes, schedule=Schedule(group=32))
    one = batch(value_and_grad(f), in_axes, schedule="lanewise")
    for a, b in zip(many(POINTS, LENGTHS, SERIES), one(POINTS, LENGTHS, SERIES), strict=True):
        np.testing.assert_array_equal(a, b)


def test_chosen_where_many_lanes_have_a_long_loop() -> None:
    many = batch(volatility, (0, 0, None))
    many(POINTS, LENGTHS, SERIES)
    assert "side by side in vector registers" in many.explain()


def nearest(x, n, y):
    """Sums and a least of few terms are taken in order, by lanes side by side as well."""
    best = np.inf
    for _ in range(n):
        best = np.min(np.sum((np.reshape(y, (30, 4)) - x) ** 2, axis=1)) + 0.5 * x
    return best


@pytest.mark.turns(4)
def test_few_terms_are_added_up_side_by_side() -> None:
    together = batch(nearest, in_axes=(0, 0, None), schedule=Schedule(group=32))
    alone = batch(nearest, in_axes=(0, 0, None), schedule=Schedule("lanewise"))
    found = together(POINTS, LENGTHS, SERIES)
    assert np.array_equal(found, alone(POINTS, LENGTHS, SERIES))
    want = [nearest(x, n, SERIES) for x, n in zip(POINTS, LENGTHS, strict=True)]
    np.testing.assert_allclose(found, want, rtol=1e-12)
    assert "side by side" in together.explain()


def spread(x, steps):
    """A lane's own vectors: every element for itself, far more than lanes side by side can keep at hand."""
    for _ in range(steps):
        x = x + 0.1 * (np.concatenate((x[:, 1:], x[:, :1]), axis=1) - np.sin(x))
    return x


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("size", "way"), [(70, "too many for a group's"), (8, "side by side")])
def test_lanes_with_large_arrays_run_alone(size: int, way: str) -> None:
    x = np.random.default_rng(6).normal(size=(101, size, size))
    many = batch(spread, in_axes=(0, None), schedule=Schedule(threads=1))
    np.testing.assert_allclose(many(x, 3), [spread(each, 3) for each in x], rtol=1e-12, atol=1e-14)
    assert way in many.explain()


def neighbours(x, n, y):
    """The place beside a loop's index is read under a condition alone."""
    path = np.zeros(121)
    for t in range(1, 120):
        path[t] = np.tanh(path[t - 1] * x + y[t])
        path[t + 1] = 0.5 / path[t] if path[t] > 0.1 else path[t + 1]
    return path[120] + n


def in_order(x, n, y):
    """What a lane has found goes to places of its own, in the end."""
    values = np.zeros(12)
    for k in range(12):
        s = x + 0.1 * k
        for t in range(120):
            s = 0.9 * s + np.sin(s + y[t]) * np.exp(-s * s)
        values[k] = s
    made = np.zeros(12)
    for k in range(12):
        place = 0
        for j in range(12):
            place += int(values[j] < values[k] or (values[j] == values[k] and j < k))
        made[max(0, min(place, 11))] = values[k]
    return made + n


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [neighbours, in_order])
def test_little_that_lanes_do_by_themselves(f: Any) -> None:
    many = batch(f, in_axes=(0, 0, None))
    found = many(POINTS, LENGTHS, SERIES)
    assert "in groups" in many.explain()
    wanted = [f(x, n, SERIES) for x, n in zip(POINTS, LENGTHS, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_what_is_chosen_is_no_branch() -> None:
    """Side by side both are computed, and both places read."""
    many = batch(neighbours, in_axes=(0, 0, None))
    assert "= select(t2 > 0.1, 0.5 / t2, path_rows[" in many.source(POINTS, LENGTHS, SERIES)
