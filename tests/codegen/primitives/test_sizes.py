"""Sizes, counts and ranks are ints of any dtype, as NumPy takes them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from codegen import jit


def sized_by_reading(x, k):
    """Sizes and bounds that are read from an array of narrow ints."""
    total, a = 0.0, 0 * k[0]
    for i in range(len(k)):
        b = a + k[i] * 2
        part = x[a:b].reshape((2, k[i]))
        for j in range(k[i]):
            total += part[1, j] * x[j]
        a = b
    return total


SIZED: list[Callable[[Any, Any], Any]] = [
    lambda x, k: x.reshape((k, 6)), lambda x, k: np.reshape(x, (k, -1)), lambda x, k: x.reshape(6, k)[::-1].sum(axis=1),
    lambda x, k: np.ones((k, 6)) @ x.reshape((6, k)), lambda x, k: np.zeros((k, 3)) + x[0], lambda x, k: np.tile(x, k),
    lambda x, k: np.full(k, 2.0) * x[1], lambda x, k: np.broadcast_to(x[1:2], (k, 2)), lambda x, k: np.resize(x, (k,)),
    lambda x, k: np.diag(x[:3], k), lambda x, k: np.eye(k) * x[1], lambda x, k: np.array([x[1]] * k),
    lambda x, k: np.partition(x, k)[k], lambda x, k: x[k : k + k],
    lambda x, k: np.sum(x.reshape((k, 6))[0] * x.reshape((k, 6))[1]),
]  # fmt: skip


@pytest.mark.sampled(32)
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint16, np.uint64, np.int64])
@pytest.mark.parametrize("f", SIZED)
def test_sizes_are_ints_of_any_dtype(f: Callable[[Any, Any], Any], dtype: Any) -> None:
    x, k = np.arange(12.0), dtype(2)
    expected = f(x, k)
    for made in (jit(f)(x, k), jit(f, target="numpy")(x, k), batch(f, in_axes=(0, None))(x[None], k)[0]):
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


@pytest.mark.turns(4)
def test_sizes_are_read_from_arrays_of_narrow_ints() -> None:
    x = np.arange(1.0, 21.0)
    for dtype in (np.int8, np.int32, np.uint16, np.int64):
        k = np.array([2, 3, 1], dtype)
        assert jit(sized_by_reading)(x, k) == sized_by_reading(x, k)
        assert np.array_equal(jit(counted)(k, k[0]), counted(k, k[0]))


def counted(x, k):
    return np.bincount(x, minlength=k + k + k)
