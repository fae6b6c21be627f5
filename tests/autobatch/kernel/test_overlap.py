"""Loops that fill an array over one they read: the same numbers, no copies where it may be, copies where it must be."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import Schedule, batch

LANES = np.random.default_rng(3).uniform(0.1, 1.0, (41, 6))
TURNS = np.random.default_rng(4).integers(0, 9, 41)


def walk(x, n):
    """Every array is needed once: in place throughout."""
    p = np.exp(-x)
    while n > 0:
        p = p - 0.1 * np.sin(x)
        x = x + 0.1 * np.exp(-p) * p
        n -= 1
    return x, p


def needed_afterwards(x, n):
    p = np.exp(-x)
    while n > 0:
        y = x + 0.1 * np.exp(-p)
        p = p + 0.01 * np.sum(y) * np.sin(x)  # x is read when all of y is there
        x = y
        n -= 1
    return x, p


def other_places(x, n):
    while n > 0:
        y = np.empty(6)
        for i in range(6):
            y[i] = 0.5 * np.exp(-x[i]) + 0.5 * x[5 - i]
        x = y
        n -= 1
    return x


def read_after_the_write(x, n):
    total = 0.0
    while n > 0:
        y = np.empty(6)
        for i in range(6):
            y[i] = np.exp(-0.1 * i * n)
            if y[i] > 0.7:
                total += np.sin(x[i])
        x = y
        n -= 1
    return x, total


def from_the_end(x, n):
    """The last two elements are met twice, as -2 and 4, -1 and 5: what is read the second time is the old value."""
    while n > 0:
        y = np.empty(6)
        for i in range(-2, 6):
            y[i] = np.exp(-x[i]) + 0.25 * x[i]
        x = y
        n -= 1
    return x


def two_from_one(x, n):
    z = np.sin(x)
    while n > 0:
        y, z = np.empty(6), np.empty(6)
        for i in range(6):
            y[i] = np.exp(-x[i])
            z[i] = np.cos(x[i]) * y[i]
        x = y
        n -= 1
    return x, z


def exchanged(x, n):
    y = np.cos(x)
    while n > 0:
        if n % 3 == 1:
            x, y = y, x
        x = np.exp(-x) + 0.5 * y
        n -= 1
    return x, y


PROGRAMS = (
    walk, needed_afterwards, other_places, read_after_the_write, from_the_end, two_from_one, exchanged,
)  # fmt: skip


def parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "schedule", [Schedule(group=8, threads=1), Schedule("lanewise")], ids=lambda s: s.form
)
def test_as_the_function_itself(f: Callable[..., Any], schedule: Schedule) -> None:
    found = batch(f, schedule=schedule)(LANES, TURNS)
    expected = [f(x.copy(), n) for x, n in zip(LANES, TURNS)]
    for k, column in enumerate(parts(found)):
        np.testing.assert_allclose(column, np.array([parts(each)[k] for each in expected]), rtol=1e-13)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_groups_bit_for_bit_as_one_lane_at_a_time(f: Callable[..., Any]) -> None:
    found = batch(f, schedule=Schedule(group=8, threads=1))(LANES, TURNS)
    expected = batch(f, schedule="lanewise")(LANES, TURNS)
    for a, b in zip(parts(found), parts(expected), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.turns(4)
def test_nothing_is_copied_where_nothing_is_needed_twice() -> None:
    many = batch(walk, schedule=Schedule(group=8, threads=1))
    many(LANES, TURNS)
    body = many.source().split("def walk_body(")[1].split("\n\n\n")[0]
    assert "for k in range(" not in body and body.count("for ") >= 1
