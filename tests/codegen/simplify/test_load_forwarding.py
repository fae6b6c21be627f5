"""Elements that need not be read from an array."""

from __future__ import annotations

import numpy as np
import pytest

from codegen import jit


def element(x: np.ndarray, n: int, i: int, j: int) -> float:
    wide = np.broadcast_to(x, (n, 3))
    return wide[i, j] * 2.0


@pytest.mark.parametrize("shape", [(), (3,), (1,), (1, 3)])
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_elements_of_broadcast_arrays_are_read_where_they_were(shape: tuple[int, ...], target: str) -> None:
    x = np.arange(1.0, 1.0 + np.prod(shape, dtype=int)).reshape(shape)
    f = jit(element, target=target)
    assert f(x, 4, -1, 2) == element(x, 4, -1, 2)
    with pytest.raises(IndexError):
        f(x, 4, 4, 2)
    assert ("broadcast_to" in f.source(x, 4, 1, 2)) == (target == "numpy" and shape[-1:] == (3,))


def spread(u: np.ndarray) -> np.ndarray:
    a, made = np.broadcast_to(2.0, u.shape), np.empty(len(u))
    for k in range(len(u)):
        s = a[k]
        while s < u[k]:
            s = s * 2.0
        made[k] = s
    return made


def test_what_is_spread_and_read_in_a_loop_is_no_array() -> None:
    u = np.array([0.5, 3.0, 100.0])
    np.testing.assert_array_equal(jit(spread)(u), [2.0, 4.0, 128.0])
    assert "broadcast_to" not in jit(spread).source(u)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_nothing_is_spread_to_a_size_that_it_has(target: str) -> None:
    def weighted(x, y):
        return (x * np.broadcast_to(y, x.shape)).sum()

    f = jit(weighted, target=target)
    x, y = np.arange(3.0), np.ones(3)
    assert f(x, y) == 3.0 and "broadcast_to" not in f.source(x, y)
    with pytest.raises(ValueError):
        f(x, np.ones(2))


def written_after(x: np.ndarray) -> float:
    wide = np.broadcast_to(x, (2, 3)).copy()
    seen = np.broadcast_to(x, (2, 3))[1, 2]
    x[2] = 9.0
    return seen + wide[1, 2] + x[2]


def test_an_element_is_that_of_before_a_write() -> None:
    for target in ("numpy", "numba"):
        assert jit(written_after, target=target)(np.arange(3.0)) == 13.0
