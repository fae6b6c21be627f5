"""Draws of gamma, Poisson and binomial numbers against NumPy's: the same numbers, the stream left at the same place."""

from typing import Any

import numpy as np
import pytest
from numba import njit

from codegen.runtime import draws_by_rejection, state_of

COUNT = 20_000
SHAPES = (0.0, 1e-4, 0.05, 0.3, 0.99, 1.0, 1.5, 2.0, 17.3, 1e6, 5e-324)
MEANS = (0.0, 1e-3, 0.7, 9.99, 10.0, 12.5, 63.0, 1e4, 3e15, 9.2e18)
TRIALS = (
    (0, 0.3), (1, 0.5), (7, 0.0), (7, 1.0), (20, 0.4), (29, 0.97), (60, 0.5), (61, 0.5), (100, 0.62), (1000, 0.029),
    (1000, 0.031), (1000, 0.9), (10**6, 0.25), (10**6, 1e-7), (10**12, 0.6), (10**15, 1e-9),
)  # fmt: skip


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed, 4]))


@njit
def gammas(row: np.ndarray, out: np.ndarray, shape: float) -> None:
    for i in range(out.size):
        out[i] = draws_by_rejection.draw_standard_gamma(row, shape)


@njit
def poissons(row: np.ndarray, out: np.ndarray, lam: float) -> None:
    for i in range(out.size):
        out[i] = draws_by_rejection.draw_poisson(row, lam)


@njit
def binomials(row: np.ndarray, out: np.ndarray, n: int, p: float) -> None:
    for i in range(out.size):
        out[i] = draws_by_rejection.draw_binomial(row, n, p)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "fill, method, parameters",
    [
        *((gammas, "standard_gamma", (shape,)) for shape in SHAPES),
        *((poissons, "poisson", (lam,)) for lam in MEANS),
        *((binomials, "binomial", trials) for trials in TRIALS),
    ],
)
def test_the_same_numbers(fill: Any, method: str, parameters: tuple[Any, ...]) -> None:
    theirs = generator(len(method))
    row = state_of(theirs)
    out = np.empty(COUNT, np.float64 if method == "standard_gamma" else np.int64)
    fill(row, out, *parameters)
    want = getattr(theirs, method)(*parameters, size=COUNT)
    if method == "standard_gamma":
        np.testing.assert_allclose(out, want, rtol=1e-15)
    else:
        np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(row, state_of(theirs))


def test_a_gamma_of_no_shape_is_not_a_number() -> None:
    theirs = generator(1)
    row, out = state_of(theirs), np.empty(3)
    gammas(row, out, np.nan)
    assert np.all(np.isnan(out)) and np.all(np.isnan(theirs.standard_gamma(np.nan, size=3)))
    np.testing.assert_array_equal(row, state_of(theirs))
