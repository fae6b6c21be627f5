"""Products of arrays whose sizes are known when the program runs: of few numbers and of many, NumPy's to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from codegen import jit

SIZES = [
    (0, 0, 0),
    (0, 3, 2),
    (2, 0, 3),
    (1, 1, 1),
    (2, 3, 4),
    (7, 9, 8),
    (8, 9, 8),
    (9, 9, 8),
    (16, 16, 16),
    (40, 3, 5),
]


def all_products(a, b, x, y):
    return a @ b, a @ x, y @ a, x @ x, np.dot(a, b), np.dot(x, x)


def arrays(sizes: tuple[int, int, int], dtype: Any) -> list[Any]:
    m, k, n = sizes
    rng = np.random.default_rng(m)
    return [rng.normal(size=shape).astype(dtype) for shape in ((m, k), (k, n), k, m)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_of_any_size(sizes: tuple[int, int, int], dtype: Any) -> None:
    given = arrays(sizes, dtype)
    tolerance = 1e-5 if dtype is np.float32 else 1e-13
    for found, wanted in zip(jit(all_products)(*given), all_products(*given), strict=True):
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("sizes", SIZES[3:], ids=str)
def test_of_turned_and_parted_arrays(sizes: tuple[int, int, int]) -> None:
    a, b, x, y = arrays(sizes, np.float64)
    wide = np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3]
    for given in ((np.asfortranarray(a), np.asfortranarray(b)), (wide, b), (a, b[::-1, ::-1]), (a[::-1], b)):
        for found, wanted in zip(jit(all_products)(*given, x, y), all_products(*given, x, y), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("n", [3, 300])
def test_what_is_not_finite(n: int) -> None:
    a, x = np.ones((n, n)), np.arange(n) * 1.0
    a[0, 1], a[1, 1], x[2] = np.inf, np.nan, -np.inf
    with np.errstate(all="ignore"):
        for found, wanted in zip(jit(all_products)(a, a, x, x), all_products(a, a, x, x), strict=True):
            np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
            np.testing.assert_array_equal(np.isinf(found), np.isinf(wanted))


@pytest.mark.parametrize("n", [3, 300])
@pytest.mark.parametrize(
    "f", [lambda a, x: a @ x, lambda a, x: x @ a, lambda a, x: x @ a[0], lambda a, x: a @ a[1:]]
)
def test_sizes_that_do_not_meet(f: Any, n: int) -> None:
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        jit(f)(np.ones((n, n)), np.ones(n - 1))


def turned(r, x):
    """Each row by its own matrix."""
    made = np.empty_like(x)
    for i in range(len(x)):
        made[i] = r[i] @ x[i] + x[i] @ r[i] * (x[i] @ x[i])
    return made


def test_in_a_loop() -> None:
    rng = np.random.default_rng(0)
    r, x = rng.normal(size=(50, 3, 3)), rng.normal(size=(50, 3))
    np.testing.assert_allclose(jit(turned)(r, x), turned(r, x), rtol=1e-12)


def own_products(a, b, x, y):
    """NumPy's are symmetric to the bit, and so are those of what is computed first or is a part of an array."""
    made = a - a.mean(axis=0)
    return a.T @ a, a @ a.T, made.T @ made, a[1:, 1:].T @ a[1:, 1:], a[:, ::2] @ a[:, ::2].T


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "shape", [(0, 3), (3, 0), (5, 3), (40, 17), (17, 40), (97, 96), (600, 203), (203, 1000)], ids=str
)
def test_with_its_transpose(shape: tuple[int, int], dtype: Any) -> None:
    given = arrays((*shape, 2), dtype)
    for order in "CF":
        given[0] = np.asarray(given[0], order=order)
        for found, wanted in zip(jit(own_products)(*given), own_products(*given), strict=True):
            assert found.dtype == wanted.dtype and np.array_equal(found, found.T)
            close = 1e-4 if dtype is np.float32 else 1e-12
            np.testing.assert_allclose(found, wanted, rtol=close, atol=close * (1 + len(given[0])))


def nearly_own_products(a, b, x, y):
    """Of matrices that share memory, but are not each other's transpose."""
    n = min(a.shape)
    square = a[:n, :n].copy()
    other = square.copy()
    other[0, 0] += 1.0
    return square.T @ square.T, square @ square, square[::-1].T @ square, other.T @ square, a[:n].T @ a[:n]


def test_with_what_is_not_its_transpose() -> None:
    given = arrays((130, 120, 2), np.float64)
    for found, wanted in zip(jit(nearly_own_products)(*given), nearly_own_products(*given), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
