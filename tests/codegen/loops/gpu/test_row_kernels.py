"""Loops over rows that threads share (loops/gpu/row_kernels.py), and what goes before them (loops/gpu/early.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_gpu import Launched, with_arrays_there
from array_programs import same_outcome
from row_programs import PROGRAMS, in_rows, normalised, running, triangular, turned

from codegen import jit, runtime

X = np.random.default_rng(3).normal(size=(7, 5))
WIDE = np.random.default_rng(4).normal(size=(2, 9))


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


def test_loops_of_threads_are_counted_by_additions() -> None:
    for program in PROGRAMS:
        assert " in range(" not in text_of(program, X)


def nearest(X, centres, scales):
    """Two tables of one shape, one of another."""
    z = (X[:, None, :] - centres) * np.exp(scales)
    d = np.sum(z**2, axis=2)
    return d.min(axis=1), np.sum(d, axis=1)


def beside_themselves(X, centres):
    """A table whose rows are read in another way too."""
    d = np.sum((X[:, None, :] - centres) ** 2, axis=2)
    return d.min(axis=1) + centres[0, 0] * d.max(axis=1)


def test_tables_are_turned() -> None:
    centres, scales = np.random.default_rng(8).normal(size=(2, 4, 5))
    text = text_of(
        nearest, X, centres, scales
    )  # checks show that both have one shape, and one kernel makes them
    assert [text.count(f"{name}[") for name in ("turned", "turned2")] == [2, 2]
    assert kernels_of(nearest, X, centres, scales) == [
        "nearest_loop_kernel",
        "nearest_loop2_kernel",
        "nearest_loop3_kernel",
    ]
    for given in ((X, centres, scales), (X, centres[:1], scales[:1]), (WIDE, WIDE[:1], WIDE[:1] / 10.0)):
        same_outcome(nearest, given, with_arrays_there)
    same_outcome(beside_themselves, (X, centres), with_arrays_there)


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


def chosen(X, w):
    """A size that is known when the array is made."""
    t = X.sum(axis=1)
    kept = t[t > 0.0]
    u = X * w
    kept[::2] = u[: len(kept[::2]), 0]
    return kept, u


def test_checks_stay_behind_what_brings_their_sizes() -> None:
    same_outcome(chosen, (X, np.ones(5)), with_arrays_there)


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
        (2048, 511, (32, 8)),
        (10_000, 1000, (32, 8)),
        (10, 20, (32, 8)),
        (100_000, 16, (8, 32)),
        (100_000, 25, (16, 16)),
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
