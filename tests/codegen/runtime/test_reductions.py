"""Sums and extremes whose terms are taken in any order: NumPy's values, in vector instructions."""

import re

import numpy as np
import pytest
from numba import njit

from autobatch import batch
from codegen import jit
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


def single_sums(x, m, v):
    n = len(x)
    return (
        np.sum(x), np.mean(x), np.std(x), np.sum(x * x) / n, x @ x / n, np.sum(m, axis=1), np.mean(m), m @ v,
        v @ m.T, np.sum(m, axis=(0, 1)),
    )  # fmt: skip


@pytest.mark.turns(4)
def test_sums_of_float32_lose_nothing() -> None:
    """Added up one after the other a million times 0.1 is off by a hundredth; compared with sums in float64."""
    x = np.full(10**6, 0.1, np.float32)
    given = x, x.reshape(4, -1), x[: 10**6 // 4]
    exact = single_sums(*(a.astype(np.float64) for a in given))
    one = jit(single_sums)(*given)
    lanes = [made[0] for made in batch(single_sums)(*(a[None] for a in given))]
    for found in (one, lanes, jit(single_sums, target="numpy")(*given)):
        for value, true in zip(found, exact, strict=True):
            assert value.dtype == np.float32
            np.testing.assert_allclose(value, true, rtol=1e-4, atol=2e-8)  # BLAS's own products: 4e-5


def places_of_extremes(x):
    return np.argmax(x), np.argmin(x)


def places_in_rows(x):
    return np.argmax(x, axis=1), np.argmin(x, axis=-1), np.argmax(x.T, 1), np.argmax(2 * x, axis=1)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "b1", "u1"])
@pytest.mark.parametrize("n", [1, 63, 64, 1025, 5000])
def test_places_of_extremes_of_all_dtypes(dtype: str, n: int) -> None:
    """Of few values each is there more than once; the first counts, and the first NaN."""
    rng = np.random.default_rng(n)
    for most in (2, 10**6):
        x = rng.integers(0, most, n).astype(dtype)
        assert jit(places_of_extremes)(x) == places_of_extremes(x)
        rows = np.stack((x, x[::-1], np.sort(x), 0 * x)).astype(dtype)
        if dtype[0] == "f":
            rows[1, n // 2 :] = np.nan
        for ours, theirs in zip(jit(places_in_rows)(rows), places_in_rows(rows), strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_places_of_extremes(dtype: type) -> None:
    """Of vectors longer than a piece: the first of equal ones, the first NaN, what is infinite altogether."""
    compiled = jit(places_of_extremes)
    x = np.random.default_rng(0).normal(size=5000).round(1).astype(dtype)
    for places, value in (
        ([], 0.0),
        ([4999], 9.0),
        ([0, 4999], -9.0),
        ([1023, 1024, 3000], 9.0),
        ([2000, 10], np.nan),
    ):
        x[places] = value
        assert compiled(x) == places_of_extremes(x)
    for value in (np.inf, -np.inf, np.nan, -0.0):
        whole = np.full(3000, value, dtype)
        assert compiled(whole) == places_of_extremes(whole) == (0, 0)
