"""Writes at places that nobody reads any more are dropped; all others stay."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from array_programs import same
from over_lanes import directory  # noqa: F401

from autodiff import grad
from codegen import jit

X = np.arange(12.0).reshape(4, 3) / 7.0


def read_elsewhere(x):
    y = x * 2.0
    y[1] = 0.0
    return y[0] + y[2, 1]


def read_there(x):
    y = x * 2.0
    y[1] = 0.0
    return y[0] + y[1]


def read_at_a_place_that_is_not_known(x, k):
    y = x * 2.0
    y[1] = 0.0
    return y[k]


def counted_from_the_end(x):
    y = x * 2.0
    y[1] = 0.0
    return y[-3]


def read_after_another_write(x):
    y = x * 2.0
    y[1] = 0.0
    y[2] = 1.0
    y[0] += y[3]
    return y[0], y[1]


def given(x):
    y = x * 2.0
    u = y[1] + 1.0
    y[1] = 0.0
    return u, y


def carried(x):
    y = x * 2.0
    for _ in range(3):
        y[1] = y[0] + y[1]
        y[0] = 0.0
    return y[1]


def left_in_an_argument(x):
    x[1] = 0.0
    return x[0, 0]


def parts(x):
    y = x * 2.0
    y[0, 1] = 5.0
    y[2, 1:] = 6.0
    return y[0, 0] + y[1, 1] + y[2, 0]


def columns(x):
    """Of places along the first axis nothing is known."""
    y = x * 2.0
    y[:, 1] = 5.0
    return y[0, 1], y[:, 2]


def written_as_a_value(x):
    y, z = x * 2.0, x * 3.0
    y[1] = 0.0
    z[:] = y
    return z[1, 0]


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [
    (read_elsewhere, (X,), 0),
    (read_there, (X,), 1),
    (read_at_a_place_that_is_not_known, (X, 1), 1),
    (counted_from_the_end, (X,), 1),
    (read_after_another_write, (X,), 1),
    (given, (X,), 1),
    (carried, (X,), 2),
    (left_in_an_argument, (X,), 1),
    (parts, (X,), 1),
    (columns, (X,), 1),
    (written_as_a_value, (X,), 1),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("f", "args", "left"), CASES, ids=[f.__name__ for f, *_ in CASES])
def test_what_is_dropped(f: Callable[..., Any], args: tuple[Any, ...], left: int) -> None:
    """As often as the program still writes a number or a row."""
    made = jit(f)
    copied = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    again = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    same(made(*copied), f(*again), 1e-15)
    same(copied[0], again[0], 0.0)
    text = made.stages(*args)["dead writes"]
    assert len(re.findall(r"^ +\w+\[[^]]*\] = ", text, re.MULTILINE)) == left


def filled(x):
    y = np.empty((3, 3))
    y[0], y[1], y[2] = np.sin(x[0]), x[1] * x[2], np.roll(x[3], 1)
    return np.sum(y**2)


def test_pieces_of_an_adjoint_are_not_cleared() -> None:
    made = grad(filled)
    text = made.source(X).partition("# What the functions above call.")[0]
    assert "] = 0.0" not in text and ".copy()" not in text and "y_bar" not in text
    e, d = 1e-6, np.random.default_rng(1).normal(size=X.shape)
    slope = (filled(X + e * d) - filled(X - e * d)) / (2.0 * e)
    assert np.sum(made(X) * d) == pytest.approx(slope, rel=1e-8)
