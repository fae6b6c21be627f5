"""Defaults of parameters that are arrays, or hold some: arrays around the function, read at each call."""

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

W = np.arange(3.0)


def weighted(x, w=W, k=2.0):
    return np.sum(x * w) * k


def beside(x, *, w=np.ones(3), pair=(np.array([1.0, 4.0]), 3)):
    return np.sum(x * w) + pair[0][1] * pair[1]


def test_values_and_derivatives() -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert jit(weighted)(x) == weighted(x)
    assert jit(weighted)(x, k=3.0) == weighted(x, k=3.0)
    assert jit(weighted)(x, np.ones(3)) == 12.0
    assert jit(beside)(x) == beside(x)
    np.testing.assert_array_equal(grad(weighted)(x), 2.0 * W)
    np.testing.assert_array_equal(batch(weighted)(np.stack([x, 2.0 * x])), [weighted(x), 2.0 * weighted(x)])


def test_read_at_each_call() -> None:
    x, compiled = np.ones(3), jit(weighted, target="numpy")
    before = compiled(x)
    W[0] += 1.0
    assert compiled(x) == before + 2.0
    W[0] -= 1.0


def test_not_written() -> None:
    def counted(x, seen=np.zeros(1)):  # noqa: B008
        seen[0] += 1.0
        return x + seen[0]

    with pytest.raises(SourceError, match="'seen' is written in place, but it is an array of the enclosing"):
        jit(counted)(1.0)
