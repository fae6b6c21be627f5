"""Divisions of ints, as vectors, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from codegen import jit


def operands(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Ints of all magnitudes, the ends of their range, multiples and what is beside them, and divisors that are 0."""
    rng = np.random.default_rng(1)
    ends = np.iinfo(dtype)
    some = [
        0,
        1,
        2,
        3,
        7,
        10,
        2**15,
        2**26 + 1,
        2**31 - 1,
        ends.max // 2,
        ends.max // 2 + 1,
        ends.max - 1,
        ends.max,
    ]
    few = np.array([*some, *(-each for each in some), ends.min + 1, ends.min]).astype(dtype)
    pairs = np.stack(np.meshgrid(few, few)).reshape(2, -1)
    bits = 8 * np.dtype(dtype).itemsize
    size = rng.integers(0, bits, (2, 20000))
    anything = rng.integers(ends.min, ends.max, (2, 20000), dtype) >> size.astype(dtype)
    divisor = np.where(anything[1] == 0, dtype(1), anything[1])
    near = anything[0] // divisor * divisor + rng.integers(-1, 2, 20000).astype(dtype)
    x, y = np.concatenate((pairs, anything, np.stack((near, divisor))), axis=1)
    return x.copy(), y.copy()


def quotients(x, y):
    return x // y


def remainders(x, y):
    return x % y


def remainders_of_c(x, y):
    return np.fmod(x, y)


def both(x, y):
    return np.divmod(x, y)


def of_seven(x, y):
    return x // 7, x % -7


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
@pytest.mark.parametrize("function", [quotients, remainders, remainders_of_c, both, of_seven])
def test_divisions(function: Any, dtype: type) -> None:
    x, y = operands(dtype)
    with np.errstate(all="ignore"):
        wanted = function(x, y)
    made = jit(function)(x, y)
    pairs = zip(made, wanted, strict=True) if isinstance(wanted, tuple) else [(made, wanted)]
    for ours, theirs in pairs:
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    source = jit(function).source(x, y)
    assert ("whole_" if dtype is np.int64 else "narrow_") in source
