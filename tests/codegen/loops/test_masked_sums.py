"""Sums under masks, without the places where they hold: NumPy's results, and which are taken so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad
from codegen import jit


def mean_of_some(x, y):
    return y[x > 0.5].mean()


def about_their_mean(x, y):
    v = x[(x > 0.2) & (y < 0.7)]
    return np.sum((v - v.mean()) ** 2) / len(v), v.size


def in_bins(x, y):
    made = np.zeros(4)
    for i in range(4):
        inside = np.logical_and(i / 4 <= x, x < (i + 1) / 4)
        made[i] = y[inside].sum() - 2.0 * np.sum(x[inside] * y[inside])
    return made


def at_places(x, y):
    places = np.flatnonzero(x > y)
    return np.sum(x[places]), len(places)


def counted(x, y):
    return x[x > y].size, len(np.where(y > 0.9)[0])


def none_at_all(x, y):
    return x[x > 2.0].sum(), np.sum(x[y < -1.0] * 3.0)


def added_at_places(x, y):
    places = np.flatnonzero(x > y)
    made = y.copy()
    np.add.at(made, places, 2.0 * x[places])
    counts = np.ones(len(x), np.int64)
    np.add.at(counts, places, 3)
    return np.sum(made * y) + counts[:3].sum(), len(places)


def put_at_places(x, y):
    places = np.flatnonzero((x < 0.4) & (y < 2.0))
    made = y.copy()
    made[places] = 3.0 * x[places]
    return made.sum() + made[:2].sum(), made[:1].sum()


def of_narrow_dtypes(x, y):
    a, b = (10 * x).astype(np.int32), y.astype(np.float32)
    return a[a > 4].sum(), b[a > 4].sum(), (a > 4)[x > 0.3].sum()


TAKEN = [
    mean_of_some,
    about_their_mean,
    in_bins,
    at_places,
    counted,
    none_at_all,
    of_narrow_dtypes,
    added_at_places,
    put_at_places,
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [0, 1, 7, 1000])
@pytest.mark.parametrize("f", TAKEN)
@np.errstate(all="ignore")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values(f: Callable[..., Any], n: int) -> None:
    x, y = np.random.default_rng(n).uniform(size=(2, n))
    found, wanted = jit(f)(x, y), f(x, y)
    for ours, theirs in zip(np.atleast_1d(found), np.atleast_1d(wanted), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6 if f is of_narrow_dtypes else 1e-12)
    assert n == 0 or "places_where" not in jit(f).source(x, y)


def test_what_lies_elsewhere_is_not_added() -> None:
    x = np.array([1.0, np.nan, 3.0, np.inf, -np.inf, 0.5])
    y = np.array([0.9, 0.1, 0.8, 0.2, 0.0, 0.7])
    assert jit(lambda x, y: np.sum(x[y > 0.5] ** 2))(x, y) == 10.25


def dear(x, y):
    """Logarithms of all would take longer than those of few, and places."""
    return np.sum(np.log(x[y > 0.9]))


def kept(x, y):
    v = x[y > 0.5]
    return v, v.sum()


def largest(x, y):
    return x[y > 0.1].max() + x[y > 0.1].prod()


def of_an_argument(x, y):
    """These places need not be in order, nor be there once."""
    return x[(10 * y).astype(np.int64)].sum()


@pytest.mark.parametrize("f", [dear, kept, largest, of_an_argument])
def test_others_are_as_they_were(f: Callable[..., Any]) -> None:
    x, y = np.random.default_rng(1).uniform(size=(2, 50))
    found, wanted = jit(f)(x, y), f(x, y)
    for ours, theirs in zip(found, wanted, strict=True) if f is kept else [(found, wanted)]:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert ("places_where" in jit(f).source(x, y)) is (f is not of_an_argument)


def test_an_empty_choice_has_no_largest() -> None:
    with pytest.raises(ValueError, match="zero-size array"):
        jit(largest)(np.ones(3), np.zeros(3))


def test_a_mask_of_another_size() -> None:
    with pytest.raises(IndexError, match="boolean index did not match"):
        jit(mean_of_some)(np.ones(4), np.ones(5))


@pytest.mark.parametrize("f", [mean_of_some, lambda x, y: np.sum(in_bins(x, y) ** 2)])
def test_gradients(f: Callable[..., Any]) -> None:
    x, y = np.random.default_rng(5).uniform(size=(2, 9))
    slopes = grad(f, argnums=(0, 1))(x, y)
    for k, step in enumerate(1e-6 * np.eye(9)):
        differences = (f(x + step, y) - f(x - step, y)) / 2e-6, (f(x, y + step) - f(x, y - step)) / 2e-6
        np.testing.assert_allclose((slopes[0][k], slopes[1][k]), differences, rtol=1e-6, atol=1e-7)


def square_error(x, y):
    v = x[y > 0.4] - y[y > 0.4]
    return np.mean(v * v)


def two_sides(x, y):
    m = 1.0 - x * y
    return np.sum(m[m > 0.7]) + 0.5 * np.sum(m[m <= 0.7] ** 2)


def in_each_bin(x, y):
    return np.sum(in_bins(x, y) ** 2)


@pytest.mark.parametrize("f", [mean_of_some, square_error, two_sides, in_each_bin])
def test_slopes_are_added_under_masks(f: Callable[..., Any]) -> None:
    x, y = np.random.default_rng(6).uniform(size=(2, 40))
    x[7], y[7] = np.nan, 0.1  # where the masks do not hold, what is computed is not looked at
    text = grad(f).source(x, y)
    assert "places_where" not in text, text
    slopes = grad(f)(x, y)
    for k, step in enumerate(1e-6 * np.eye(40)):
        if k != 7:
            difference = f(x + step, y) - f(x - step, y)
            np.testing.assert_allclose(slopes[k], difference / 2e-6, rtol=1e-6, atol=1e-6)


def shorter(x, y):
    """All places where the mask holds are in the array, which is shorter than the mask."""
    x = x.copy()
    places = np.flatnonzero(y > 0.5)
    x[places] += 1.0
    return x, x[places].sum()


def test_arrays_that_are_shorter_than_the_mask() -> None:
    y = np.zeros(100_000)
    y[1] = 1.0
    found, total = jit(shorter)(np.arange(3.0), y)
    assert found.tolist() == [0.0, 2.0, 2.0] and total == 2.0
    y[-1] = 1.0
    with pytest.raises(IndexError, match="index 99999 is out of bounds for axis 0 with size 3"):
        jit(shorter)(np.arange(3.0), y)
