"""Which loops are which kernels: of a grid, of one block of threads, of one thread; and that random ones are right."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from array_gpu import with_arrays_there
from array_programs import same_outcome, taken_away
from ordered_array_programs import (
    counted_in_turn,
    counted_places,
    eliminated,
    forward,
    recurrence,
    scattered,
    scattered_rows,
    steps_of_both,
    up_to,
)
from over_lanes import directory  # noqa: F401
from random_loops import random_loops
from random_sweeps import random_sweeps
from user_programs import loaded

from codegen import jit


def launches(f: Callable[..., Any], *args: Any) -> tuple[int, int, int]:
    """How many kernels a program has for a grid of threads, for one block, and for one thread."""
    text = jit(f, target="cuda").source(*args)
    return tuple(text.count(f"_kernel[{shape}](") for shape in ("BLOCKS, THREADS", "1, THREADS", "1, 1"))


X, M, PLACES = np.ones(9), np.eye(9), np.arange(9)


def stencil(A, B):
    for _ in range(3):
        B[1:-1, 1:-1, 1:-1] = A[2:, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1] - A[1:-1, 1:-1, 2:]
        A[1:-1, 1:-1, 1:-1] = 0.5 * B[1:-1, 1:-1, 1:-1]


def rows_in_turn(A):
    for i in range(1, len(A)):
        for j in range(len(A)):
            t = 0.0
            for k in range(len(A)):
                t += A[i - 1, k] * A[k, j]
            A[i, j] += t
    return A


@pytest.mark.parametrize(
    ("f", "args", "found"),
    [
        (stencil, (np.ones((5, 6, 7)), np.ones((5, 6, 7))), (3, 0, 0)),
        (recurrence, (X, X), (0, 0, 1)),
        (up_to, (X, 3.0), (0, 0, 1)),
        (forward, (M, X), (0, 1, 0)),
        (eliminated, (M,), (0, 1, 0)),
        (scattered, (X, PLACES, 9), (2, 0, 0)),
        (scattered_rows, (M, PLACES, 9), (2, 0, 0)),
        (counted_places, (PLACES, 9), (1, 0, 0)),
        (rows_in_turn, (M,), (0, 1, 0)),
        (steps_of_both, (X, X), (1, 0, 0)),
        (taken_away, (X, 2.0), (1, 0, 1)),
    ],
)
def test_which_kernels(f: Callable[..., Any], args: tuple[Any, ...], found: tuple[int, int, int]) -> None:
    assert launches(f, *args) == found


def test_whole_numbers_are_counted_at_once() -> None:
    made = jit(counted_places, target="cuda")
    assert "cuda.atomic.add(counts, places_i, 1)" in made.source(PLACES, 9).replace("iteration", "i")
    assert "counts[places_i] += 1" in made.stages(PLACES, 9)["kernels"]
    assert "counted_places_loop" in made.explain(PLACES, 9)
    assert launches(counted_in_turn, PLACES, 9) == (0, 1, 0)
    assert "cuda.atomic.add(" in jit(counted_in_turn, target="cuda").source(PLACES, 9)


def test_neighbours_in_memory_are_neighbouring_threads() -> None:
    text = jit(stencil, target="cuda").source(np.ones((5, 6, 7)), np.ones((5, 6, 7)))
    assert "    while place < cells:\n        k = place" in text and "k2 = k // " in text
    assert text.count("        for ") == 0


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    own = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            return f(*own), None, own
    except (ValueError, IndexError) as error:
        return (), (type(error), str(error)), ()


def again_and_again(x, y, n):
    """Of the outer loop's index no more is asked, and its name is free for another's; places may be missing."""
    for k in range(3):
        for i in range(n):
            for k in range(len(y)):
                x[i] = 0.5 * x[i - 1] + y[k] * x[i]
    return x


def test_indices_of_one_name() -> None:
    for n in (5, 6):
        args = np.linspace(1.0, 2.0, 5), np.linspace(0.1, 0.3, 3), n
        same_outcome(again_and_again, args, with_arrays_there)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("made", [random_loops, random_sweeps], ids=["loops", "sweeps"])
def test_random_programs(made: Callable[[int], str]) -> None:
    """Results, arguments, and what is raised."""
    blocks = 0
    for seed in range(70):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 9))
        args = (*rng.normal(size=(3 if made is random_loops else 2, n)), rng.normal(size=(n, n)))
        if made is random_sweeps:
            args = (*args, rng.integers(-n, n + (seed % 7 == 0), size=n))
        f = loaded(made(seed))
        many = jit(f, target="cuda")
        wanted, failure, left = outcome(f, args)
        with with_arrays_there():
            found, own_failure, own_left = outcome(many, args)
        assert own_failure == failure
        blocks += "[1, THREADS]" in many.source(*args)
        for one, other in zip((*found, *own_left), (*wanted, *left), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    assert blocks >= (20 if made is random_sweeps else 0)
