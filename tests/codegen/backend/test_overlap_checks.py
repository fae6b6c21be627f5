"""Inner loops of which LLVM asks itself whether arrays overlap, rather than once for all iterations around."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codegen import jit
from codegen.backend.numba.library import Library
from codegen.backend.overlap_checks import are_inside


def elimination(U):
    n = len(U)
    for k in range(n - 1):
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                U[i, j] -= U[i, k] * U[k, j]
    return U


def both_rows(R, c, s):
    for i in range(1, len(R)):
        for k in range(R.shape[1]):
            a = R[i - 1, k]
            R[i - 1, k] = c * a + s * R[i, k]
            R[i, k] = c * R[i, k] - s * a
    return R


def sweep_back(kept, y):
    for t in range(len(kept) - 1, -1, -1):
        for i in range(len(y)):
            y[i] += 2.0 * kept[t, i]
    return y


def steps_back(y, steps):
    """No place moves with the outer loop."""
    for _ in range(steps, 0, -1):
        for i in range(len(y)):
            y[i] = 0.5 * y[i]
    return y


def two_grids(a, b):
    for i in range(1, len(a) - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = a[i - 1, j] + a[i + 1, j] - a[i, j - 1]
    return b


def filter_in_place(y):
    """Elements of one row follow each other: there is nothing to ask."""
    for i in range(len(y)):
        for j in range(1, y.shape[1]):
            y[i, j] += 0.5 * y[i, j - 1]
    return y


INSIDE = (elimination, both_rows, sweep_back)
BEFORE = (steps_back, two_grids, filter_in_place)


@pytest.mark.parametrize("f", [*INSIDE, *BEFORE])
def test_which_loops(f: Callable[..., Any]) -> None:
    assert are_inside(f) == (f in INSIDE)


def test_functions_without_text() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x", names)
    assert not are_inside(names["f"])


def test_llvm_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By what is compiled, and by what links it."""
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))  # where nothing is compiled
    asked = []
    plain = Library.optimise

    def optimise(self: Library, passes: Any) -> None:
        asked.append(self.checks_inside)
        plain(self, passes)

    monkeypatch.setattr(Library, "optimise", optimise)
    grid = np.random.default_rng(0).normal(size=(5, 6))

    def doubled(a, b):
        return two_grids(a, 2.0 * b)

    def eliminated(U):
        return elimination(3.0 * U)

    np.testing.assert_array_equal(jit(doubled)(grid, grid), doubled(grid, grid))
    assert not any(asked)
    np.testing.assert_allclose(jit(eliminated)(grid[:, :5]), eliminated(grid[:, :5]), rtol=1e-13)
    assert any(asked)
