"""Loops whose places are not below 0 are vectors, wherever they begin; ranges of all kinds give Python's ints."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, batch
from autodiff import grad
from codegen import jit
from codegen.backend.load import load


def from_a_literal(x, y, m):
    for i in range(5, len(x)):
        y[i] = 0.5 * x[i]


def between_places(x, y, m):
    for start in range(0, len(x), 64):
        for i in range(start, min(start + 64, len(x))):
            y[i] = 0.5 * x[i]


def down_to_a_literal(x, y, m):
    for i in range(len(x) - 1, 5, -1):
        y[i] = 0.5 * x[i]


def down_to_another_place(x, y, m):
    for j in range(1, len(x)):
        for i in range(len(x) - 1, j - 1, -1):
            y[i] = 0.5 * x[i - j]


def beside_one_that_goes_down(x, y, m):
    for j in range(len(x) // 2 - 1, -1, -1):
        for i in range(len(x) - j):
            y[j + i] = 0.5 * x[i]


def steps_in_turn(x, y, m):
    """As sizes of slices are not below 0 by a maximum, of which LLVM loses sight behind a check."""
    for _ in range(m):
        y[1:-1] = 0.3 * (x[:-2] + x[1:-1] + x[2:])
        x[1:-1] = 0.3 * (y[:-2] + y[1:-1] + y[2:])


@pytest.mark.parametrize(
    ("f", "vectors"),
    [
        (from_a_literal, 1),
        (between_places, 1),
        (down_to_a_literal, 1),
        (down_to_another_place, 1),
        (beside_one_that_goes_down, 1),
        (steps_in_turn, 5),
    ],
)
def test_loops_are_vectors(
    f: Callable[..., Any], vectors: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Machine code from the cache comes without LLVM's text.
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    x, y = np.arange(300.0), np.zeros(300)
    wanted = x.copy(), y.copy()
    f(*wanted, 3)
    compiled = getattr(load(jit(f).source(x, y, 3), f.__name__), f.__name__)
    compiled(x, y, 3)
    (result,) = compiled.overloads.values()
    made = re.findall(r"^vector\.body\d*:", result.library.get_llvm_str(), re.MULTILINE)
    assert len(made) >= vectors
    np.testing.assert_array_equal((x, y), wanted)


def listed(start, stop, step):
    total, count = 0, 0
    for i in range(start, stop, step):
        total = 3 * total + i
        count += 1
    return total, count


END = 2**63 - 1


@pytest.mark.parametrize(
    "given", [(0, 5, 1), (5, 0, -2), (-7, 9, 3), (3, 3, 1), (4, 1, 1), (END - 3, END, 1), (3 - END, -END, -1)]
)
def test_ranges(given: tuple[int, int, int]) -> None:
    """To the last int, where the one after it is none."""
    total, count = 0, 0
    for i in range(*given):
        total, count = (3 * total + i + 2**63) % 2**64 - 2**63, count + 1
    assert jit(listed)(*given) == (total, count)


def from_below(x):
    total = 0.0
    for i in range(-5, 2**63 - 1, 3):
        total += x[i + 5]
    return total


def one_by_one(x):
    total = 0.0
    for i in range(-5, 2**63 - 1):
        total += x[i + 5]
    return total


def on_from(x):
    total = 0.0
    for i in range(-len(x), 2**63 - 1):
        total += x[i + len(x)]
    return total


def down_from(x):
    total = 0.0
    for i in range(len(x), -(2**63) + 1, -2):
        total += x[i - 1]
    return total


@pytest.mark.parametrize("f", [from_below, one_by_one, on_from, down_from], ids=lambda f: f.__name__)
def test_more_items_than_ints_count(f: Callable[[Any], Any]) -> None:
    """They begin, and go on until there is no element."""
    x = np.ones(20)
    for made in (f, jit(f), jit(f, target="numpy"), grad(f)):
        with pytest.raises(IndexError):
            made(x)
    with pytest.raises(LaneError) as failed:
        batch(f)(np.ones((2, 20)))
    assert isinstance(failed.value.failures[0].error, IndexError)
