"""Sums and extremes whose terms are taken in any order: NumPy's values, in vector instructions."""

import re

import numpy as np
import pytest
from numba import njit

from autobatch import batch
from codegen.runtime import IMPORTS, text

ROWS = np.random.default_rng(0).normal(size=(9, 101))
ROWS[1, 0] = ROWS[2, 50] = ROWS[3, 100] = np.nan
ROWS[4, 7], ROWS[5, 8] = np.inf, -np.inf
ROWS[6], ROWS[7] = np.inf, -np.inf
ROWS[8, ::2], ROWS[8, 1::2] = 0.0, -0.0

STEPS = {"plus": np.add, "highest": np.maximum, "lowest": np.minimum}


def extremes(x):
    return np.max(x), np.min(x), np.max(-x * x)


def test_extremes_of_long_rows() -> None:
    """The same as NumPy's, a NaN anywhere included; of zeros of both signs either."""
    lanes = batch(extremes)
    for found, true in zip(lanes(ROWS), (ROWS.max(1), ROWS.min(1), (-ROWS * ROWS).max(1)), strict=True):
        np.testing.assert_array_equal(found, true)
    assert "highest(" in lanes.source() and "lowest(" in lanes.source()


def test_extremes_of_panels() -> None:
    """Of the rows of a shared matrix, each times a lane's vector."""

    def most(x, w):
        return np.max(x @ w), np.min(x @ w)

    finite = np.nan_to_num(ROWS, posinf=3.0, neginf=-3.0)
    matrix, ws = finite.T, finite[:7, :9]
    lanes = batch(most, in_axes=(None, 0))
    for found, true in zip(lanes(matrix, ws), (np.max, np.min), strict=True):
        np.testing.assert_allclose(found, true(ws @ matrix.T, axis=1), rtol=1e-13)
    assert "highest(" in lanes.source() and "lowest(" in lanes.source()


@pytest.mark.parametrize("name", STEPS)
def test_vectorises(name: str) -> None:
    """One after the other from memory: several in one instruction."""
    module: dict = {}
    exec("\n".join([*IMPORTS, text([name])]), module)
    step = module[name]

    @njit(error_model="numpy")
    def total(x):
        t = x[0]
        for k in range(1, len(x)):
            t = step(t, x[k])
        return t

    for row in ROWS:
        np.testing.assert_allclose(total(row), STEPS[name].reduce(row), rtol=1e-12)
    assembly = total.inspect_asm(total.signatures[0])
    assert re.search(r"\bv?(add|max|min|range)pd\b|\bf(add|max|min)\s+v\d+\.2d", assembly), assembly


@pytest.mark.parametrize("name", STEPS)
def test_runs_as_plain_python(name: str) -> None:
    module: dict = {}
    extra = "" if name == "plus" else "_by_comparison"
    exec("\n".join([*IMPORTS, "def plain(f): return f", text([name + extra], decorator="plain")]), module)
    for x in (1.0, 2.5, -np.inf, np.nan):
        for y in (1.0, 2.5, -np.inf, np.nan):
            np.testing.assert_array_equal(module[name + extra](x, y), STEPS[name](x, y))
