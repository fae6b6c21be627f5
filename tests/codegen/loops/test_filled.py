"""Arrays filled with a number, of which each iteration has a place (loops/filled.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_gpu import with_arrays_there
from array_programs import same_outcome

from codegen import jit

X = np.random.default_rng(5).normal(size=7)


def added(x):
    t, y = np.ones(len(x)), np.empty(len(x))
    for i in range(len(x)):
        t[i] += x[i]
        y[i] = t[i] * t[i]
    return y


def read_first(x):
    t, y = np.full(len(x), 2.5), np.empty(len(x))
    for i in range(len(x)):
        y[i] = t[i]
        t[i] -= x[i]
        y[i] *= t[i]
    return t, y


def counted(x):
    t = np.full(len(x), 3)
    for i in range(len(x)):
        t[i] += i
    return t


def of_few(x):
    t = np.ones(4)
    for i in range(4):
        t[i] += x[i]
    return t


def twice(x):
    """The second sum begins with the first."""
    t = np.ones(len(x))
    for i in range(len(x)):
        t[i] += x[i]
        t[i] *= 2.0
    return t


def in_part(x):
    """The first element stays."""
    t = np.ones(len(x))
    for i in range(1, len(x)):
        t[i] += x[i]
    return t


def beside(x):
    """An iteration looks at its neighbour's."""
    t, y = np.ones(len(x)), np.empty(len(x))
    for i in range(len(x)):
        t[i] += x[i]
        y[i] = t[i - 1]
    return t, y


def sometimes(x):
    t = np.ones(len(x))
    for i in range(len(x)):
        if x[i] > 0.0:
            t[i] += x[i]
    return t


def of_two(x):
    """Both begin with one array."""
    t = np.ones(len(x))
    u = t.copy()
    for i in range(len(x)):
        t[i] += x[i]
        u[i] -= x[i]
    return t, u


def of_rows(x):
    """What a row adds to its place at last, as adjoints of extremes do."""
    X = np.outer(x, x)
    t, y = np.ones(len(x)), np.empty(len(x))
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += X[i, j]
        t[i] += s
        y[i] = t[i]
    return y


GONE, KEPT = (added, of_rows), (read_first, counted, of_few, twice, in_part, beside, sometimes, of_two)


@pytest.mark.parametrize("given", [X, X.astype("f4"), X[:0]], ids=["f8", "f4", "none"])
@pytest.mark.parametrize("f", [*GONE, *KEPT], ids=lambda f: f.__name__)
def test_programs(f: Any, given: np.ndarray) -> None:
    if not (f is of_few and not len(given)):
        same_outcome(f, (given,), with_arrays_there, 1e-6 if given.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("f", GONE, ids=lambda f: f.__name__)
def test_arrays_that_are_gone(f: Any) -> None:
    assert "cp.ones" not in jit(f, target="cuda").source(X)


@pytest.mark.parametrize(
    ("f", "made"), [(read_first, "cp.empty"), (counted, "cp.empty"), (in_part, "cp.ones")]
)
def test_what_arrays_begin_with(f: Any, made: str) -> None:
    text = jit(f, target="cuda").source(X)
    assert made in text and ("cp.full" in text or "cp.ones" in text) is (made == "cp.ones")
