"""Compiled Fourier sums against NumPy's, of lengths of all kinds."""

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

from codegen.backend.numba.compiler import lean
from codegen.runtime import fourier
from codegen.runtime.fourier.lines import fourier_back_in_stages, fourier_forth_in_stages
from codegen.runtime.fourier.sums import fourier_back, fourier_forth
from codegen.runtime.fourier.terms import fourier_back_by_terms, fourier_forth_by_terms
from codegen.runtime.fourier.turns import fourier_radices, fourier_turn, fourier_turns

for module in vars(fourier).values():
    for each in vars(module).values() if hasattr(module, "__file__") else ():
        if isinstance(each, CPUDispatcher):  # compiled as in programs, in a third of the time
            lean(each)

LENGTHS = [
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    12,
    16,
    25,
    30,
    31,
    37,
    64,
    74,
    97,
    121,
    243,
    1000,
    1009,
    1024,
    3000,
    4928,
    6007,
]  # 37: by a chirp; from 64 on lines alone in two steps
SHAPES = [(1, 1), (3, 1), (1, 5), (2, 3), (40, 1), (1, 33)]
COMPILED = {fourier_forth_in_stages: fourier_forth, fourier_back_in_stages: fourier_back}
BY_TERMS = {fourier_forth_by_terms: fourier_forth, fourier_back_by_terms: fourier_back}


@pytest.mark.turns(8)
@pytest.mark.sampled(20)
@pytest.mark.parametrize("n", LENGTHS)
def test_lengths(n):
    """Within a few units in the last place of the whole, as NumPy's are."""
    for before, after in SHAPES:
        x = np.random.default_rng(n).normal(size=(2, before, n, after))
        for sums, by_numpy in COMPILED.items() | (BY_TERMS.items() if n < 100 else set()):
            want = by_numpy(x)
            assert np.linalg.norm(sums(x) - want) < 2e-14 * np.linalg.norm(want)


@pytest.mark.turns(8)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [12, 37, 64])
def test_single_precision(n):
    x = np.random.default_rng(n).normal(size=(2, 3, n, 1)).astype(np.float32)
    for sums, by_numpy in COMPILED.items():
        assert sums(x).dtype == np.float32
        assert np.linalg.norm(sums(x) - by_numpy(x)) < 1e-6 * np.linalg.norm(x) * np.sqrt(n)


@pytest.mark.turns(4)
def test_accuracy_does_not_fall_with_the_length():
    n = 2**16
    x = np.random.default_rng(0).normal(size=(2, 1, n, 1))
    want = np.fft.fft((x[0] + 1j * x[1]).astype(np.clongdouble), axis=1)
    made = fourier_forth_in_stages(x)
    error = np.linalg.norm(made[0] + 1j * made[1] - want) / np.linalg.norm(want)
    assert error < 4e-16


@pytest.mark.parametrize("n", [1, 2, 3, 8, 100, 1009])
def test_turns(n):
    whole = np.exp(2j * np.pi * np.arange(n) / n)
    one = np.array([complex(*fourier_turn(k, n)) for k in range(n)])
    every = fourier_turns(n, -1.0)
    np.testing.assert_allclose(one, whole, rtol=0, atol=2e-15)
    np.testing.assert_allclose(every[0] - 1j * every[1], whole, rtol=0, atol=2e-15)


@pytest.mark.parametrize("n", [1, 2, 8, 12, 97, 360, 1009, 2**20, 3 * 5 * 7 * 31])
def test_radices(n):
    assert np.prod(fourier_radices(n)) == n


def test_nothing_is_transformed():
    assert fourier_forth_in_stages(np.zeros((2, 0, 4, 1))).shape == (2, 0, 4, 1)
