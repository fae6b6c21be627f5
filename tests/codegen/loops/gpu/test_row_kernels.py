"""Loops over rows that threads share (loops/gpu/row_kernels.py), and what goes before them (loops/gpu/early.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_gpu import Launched, with_arrays_there
from array_programs import same_outcome

from codegen import jit, runtime

X = np.random.default_rng(3).normal(size=(7, 5))
WIDE = np.random.default_rng(4).normal(size=(2, 9))


def normalised(X):
    mean = X.mean(axis=1)
    spread = X.std(axis=1)
    return (X - mean[:, None]) / spread[:, None]


def turned(X):
    """What a thread reads another one has written."""
    e = np.exp(X - X.max(axis=1)[:, None])
    return e[:, ::-1] / e.sum(axis=1)[:, None]


def of_all(X):
    """Numbers of all rows beside what is the rows' own."""
    top = X.max(axis=1)
    return top, np.sum(top), np.max(X.sum(axis=1) * top)


def of_ints(X):
    n = np.floor(X * 10.0).astype(np.int64)
    return n.max(axis=1), n.sum(axis=1) - n.min(axis=1), np.all(n > -9, axis=1)


def in_rows(X):
    """Loops, and a number of the row that is made anew in between."""
    out = np.zeros(X.shape)
    for i in range(len(X)):
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j]
        total = total / X.shape[1]
        for j in range(X.shape[1]):
            out[i, j] = X[i, j] - total
    return out


def triangular(X):
    """Rows of lengths that are not known before."""
    out = np.zeros(len(X))
    for i in range(len(X)):
        for j in range(min(i, X.shape[1])):
            out[i] += X[i, j]
    return out


def running(X):
    """A row's work is a recurrence."""
    out = np.zeros(X.shape)
    for i in range(len(X)):
        s = 0.0
        for j in range(X.shape[1]):
            s = 0.5 * s + X[i, j]
            out[i, j] = s
    return out


def kept_back(X):
    """A row is written where it is read, by an element of it."""
    Y = X.copy()
    for i in range(len(Y)):
        first = Y[i, 0]
        for j in range(Y.shape[1]):
            Y[i, j] -= first
        Y[i, -1] = np.sum(Y[i])
        for j in range(Y.shape[1]):
            Y[i, j] *= Y[i, -1]
    return Y


PROGRAMS = (normalised, turned, of_all, of_ints, in_rows, triangular, running, kept_back)


@pytest.mark.parametrize("given", [X, WIDE, X[:, :1].copy(), X[:1]], ids=["many", "wide", "columns", "one"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(program: Any, given: np.ndarray) -> None:
    same_outcome(program, (given,), with_arrays_there)


def kernels_of(f: Any, *given: Any) -> list[str]:
    """The kernels of a call, in order."""
    with with_arrays_there():
        jit(f, target="cuda")(*given)
        return [name for name, _ in Launched.given]


def text_of(f: Any, *given: Any) -> str:
    return jit(f, target="cuda").source(*given).partition("# What the functions above call.")[0]


def test_work_on_rows_is_one_kernel() -> None:
    assert kernels_of(turned, X) == ["turned_loop_kernel"]
    assert kernels_of(in_rows, X)[-1:] == ["in_rows_loop_kernel"]


def test_a_recurrence_is_of_a_thread() -> None:
    assert "row_threads" in text_of(normalised, X)
    assert "row_threads" not in text_of(running, X)
    assert "row_threads" not in text_of(triangular, X)


def compared(X, w, v):
    """Sizes are compared in between."""
    t = X.sum(axis=1)
    u = X * w
    return u.sum(axis=1) + t * v


def test_checks_go_first() -> None:
    """And raise what they did."""
    w, v = np.ones(5), np.ones(7)
    same_outcome(compared, (X, w, v), with_arrays_there)
    for other in ((X, w[:3], v), (X, w, v[:3]), (X, w[:3], v[:3])):
        with with_arrays_there(), pytest.raises(ValueError, match="could not be broadcast together"):
            jit(compared, target="cuda")(*other)
    assert len(kernels_of(compared, X, w, v)) == 1


def scaled(X, w):
    t = X.sum(axis=1)
    return t / np.sum(w * w)


def test_numbers_that_the_host_waits_for_are_found_first() -> None:
    assert "scaled_loop(w)" in text_of(scaled, X, np.ones(3)).replace("cells, ", "").splitlines()[-3]
    same_outcome(scaled, (X, np.ones(3)), with_arrays_there)


@pytest.mark.parametrize(
    ("rows", "length", "threads"),
    [
        (10, 10**6, (256, 1)),
        (2048, 512, (256, 1)),
        (10_000, 1000, (32, 8)),
        (10, 20, (32, 8)),
        (10_000, 16, (16, 16)),
        (100_000, 16, (1, 256)),
        (100_000, 1000, (32, 8)),
        (10**6, 3, (1, 256)),
        (10, 3, (4, 64)),
        (5, 1, (1, 256)),
        (0, 0, (1, 256)),
    ],
)
def test_threads_of_a_row(rows: int, length: int, threads: tuple[int, int]) -> None:
    made: dict[str, Any] = {}
    text = runtime.text(["row_threads"], device=True)
    exec(text, made)
    assert made["row_threads"](rows, length) == threads
