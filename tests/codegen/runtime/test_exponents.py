"""Powers of two in and times floats, to the last bit: subnormal numbers, what overflows, float32."""

import numpy as np
import pytest

from codegen import jit


def parts(x):
    return np.frexp(x)


def scaled(x, n):
    return np.ldexp(x, n)


def floats(dtype):
    rng = np.random.default_rng(8)
    bits = {np.float64: np.uint64, np.float32: np.uint32}[dtype]
    any_bits = rng.integers(0, np.iinfo(bits).max, 4000, dtype=bits).view(dtype)
    tiny = np.finfo(dtype).smallest_subnormal
    ends = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, np.finfo(dtype).max, 0.5, 1.0], dtype)
    return np.concatenate((any_bits, (rng.random(500) * np.finfo(dtype).tiny).astype(dtype), ends))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parts_and_powers_are_numpys(dtype):
    x = floats(dtype)
    with np.errstate(all="ignore"):
        for found, expected in zip(jit(parts)(x), parts(x), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_times_powers_of_two_round_once(dtype):
    x = floats(dtype)
    n = np.random.default_rng(9).integers(-2200, 2200, len(x))
    n[::3] //= 20
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(jit(scaled)(x, n), scaled(x, n), strict=True)


def beside(x, y):
    return np.nextafter(x, y), np.spacing(x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_beside_one_are_numpys(dtype):
    """On the way to any other, through 0 and to infinity."""
    x = floats(dtype)
    ends = x[-10:]
    x, y = np.concatenate((x, np.repeat(ends, 10))), np.concatenate((x[::-1], np.tile(ends, 10)))
    with np.errstate(all="ignore"):
        for found, expected in zip(jit(beside)(x, y), beside(x, y), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)
            is_number = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[is_number]), np.signbit(expected[is_number]))
