"""Masks in subscripts: what they select and what is written where they hold, as NumPy has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_python import complaint

from autobatch import batch
from autodiff import check_grads, grad, jacfwd
from codegen import SourceError, jit

X = np.array([1.0, -2.0, 3.0, 3.0, 0.5])


def positive(x):
    return x[x > 0]


def none(x):
    return x[x > 100]


def mean_square(x):
    chosen = x[x > 0]
    return np.mean(chosen * chosen)


def of_a_matrix(x):
    a = np.stack((x, 2 * x))
    return a[np.stack((x, -x)) > 0]


def rows(x):
    return np.stack((x, 2 * x), 1)[x > 0]


def rows_of_a_column(x):
    return np.stack((x, 2 * x), 1)[~(x > 0), 1]


def columns(x):
    return np.stack((x, 2 * x))[:, x > 0]


def last_axis(x):
    return np.stack((x, 2 * x))[..., x > 0]


def places(x):
    return np.where(x > 0)


def places_of_a_matrix(x):
    i, j = np.where(np.stack((x, -x)) > 0)
    return i * 10 + j


def two_masks_in_turn(x):
    return x[x > 0][x[x > 0] < 2]


def written(x):
    y = x.copy()
    y[x > 0] = np.array([1.0, 2.0, 3.0, 4.0])
    return y


def written_list(x):
    y = x.copy()
    y[x > 0] = [1.0, 2.0, 3.0, 4.0]
    return y


def written_one(x):
    y = x.copy()
    y[x > 0] = y[1:2]
    return y


def changed(x):
    y = x.copy()
    y[x > 0] += y[x > 0] ** 2
    return y


def changed_columns(x):
    y = np.stack((x, 2 * x))
    y[:, x > 0] *= 2.0
    return y


def rows_written(x):
    y = np.stack((x, 2 * x), 1)
    y[x > 0] = 7.0
    y[x < 0] += np.array([1.0, 2.0])
    return y


def elements_written(x):
    y = np.stack((x, 2 * x), 1)
    y[x > 0, 0] = x[x > 0] * 2
    return y


def matrix_elements(x):
    y = np.stack((x, 2 * x), 1)
    y[y > 0] -= np.arange(8.0)
    return y


def of_a_view(x):
    y = x.copy()
    y[1:][x[1:] > 0] = 5.0
    return y


def too_short(x):
    return x[x[1:] > 0]


def known_too_short(x):
    return x[np.array([True, False])]


def too_few_values(x):
    y = x.copy()
    y[x > 0] = x[:3]
    return y


PROGRAMS = [
    positive, none, mean_square, of_a_matrix, rows, rows_of_a_column, columns, last_axis, places, places_of_a_matrix,
    two_masks_in_turn, written,
    written_list, written_one, changed, changed_columns, rows_written, elements_written, matrix_elements, of_a_view,
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_numpy_gives(f: Callable[..., Any], target: Any) -> None:
    ours, theirs = jit(f, target=target)(X), f(X)
    assert np.shape(ours) == np.shape(theirs)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("f", [too_short, too_few_values], ids=lambda f: f.__name__)
def test_what_numpy_raises(f: Callable[..., Any], target: Any) -> None:
    with pytest.raises((IndexError, ValueError)) as theirs:
        f(X)
    with pytest.raises(theirs.type) as ours:
        jit(f, target=target)(X)
    assert str(ours.value) == str(theirs.value)


def test_a_mask_that_is_known_not_to_fit_an_axis_of_unknown_length() -> None:
    with pytest.raises(IndexError, match="size of corresponding boolean axis is 2"):
        jit(known_too_short)(X)


@pytest.mark.turns(4)
@pytest.mark.sampled(20)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f: Callable[..., Any]) -> None:
    """Of what does not hang on where the mask holds."""

    def total(x):
        return np.sum(np.asarray(f(x)) ** 2.0)

    check_grads(total, (X,))
    np.testing.assert_allclose(jacfwd(total)(X), grad(total)(X), rtol=1e-12)


def test_lanes_in_turn() -> None:
    """Each reads as many elements as its mask lets through."""
    lanes = np.stack((X, -X))
    np.testing.assert_allclose(batch(mean_square)(lanes), [mean_square(x) for x in lanes])


def test_lanes_side_by_side_have_arrays_of_one_size() -> None:
    with pytest.raises(SourceError, match=r"use the largest size and a mask \(np.where\), or a loop"):
        batch(mean_square, schedule="program_counter")(np.stack((X, -X)))


def test_a_number_is_written_in_each_lane() -> None:
    def clipped(x):
        y = x.copy()
        y[x > 1.0] = 1.0
        return y

    lanes = np.stack((X, -X))
    np.testing.assert_array_equal(batch(clipped)(lanes), np.minimum(lanes, 1.0))


def lowered(x):
    x[x > 2.0] = x[x > 2.0] - 4.0
    return x


def test_places_of_masks_are_not_asked_whether_they_are_there() -> None:
    """Nor those of several axes, which are a division of two ints."""
    text = jit(lowered).source(np.ones((2, 3)))
    assert "raise" not in text and "places_i // n2, places_i % n2" in text
    for x in (np.arange(6.0).reshape(2, 3), np.ones((0, 3)), np.ones((3, 0)), np.full((1, 2), 5.0)):
        np.testing.assert_array_equal(jit(lowered)(x.copy()), lowered(x.copy()))
        np.testing.assert_array_equal(jit(lowered, target="numpy")(x.copy()), lowered(x.copy()))


def made_under_masks(x):
    y = x * 2.0
    for _ in range(3):
        y[y < 5.0] = y[y < 5.0] + x[y < 5.0]
    z = y.T
    z[z > 6.0] = -z[z > 6.0]
    y[0][y[0] < 0.0] = np.arange(np.count_nonzero(y[0] < 0.0))
    return y


@pytest.mark.turns(4)
def test_places_of_an_own_array_are_counted_through() -> None:
    """Without a division where its elements lie in order."""

    def squared(x):
        y = x + 1.0
        y[y < 2.0] = y[y < 2.0] ** 2
        return y

    assert "//" not in jit(squared).source(np.ones((2, 3)))
    for shape in ((2, 3), (3, 0), (4, 5), (1, 2), (2, 1)):
        x = np.arange(float(np.prod(shape))).reshape(shape)
        for target in ("numpy", "numba"):
            np.testing.assert_array_equal(jit(made_under_masks, target=target)(x), made_under_masks(x))
    lanes = np.arange(24.0).reshape(4, 2, 3) % 7.0
    np.testing.assert_array_equal(batch(made_under_masks)(lanes), [made_under_masks(x) for x in lanes])
    check_grads(lambda x: np.sum(made_under_masks(x) ** 2), (lanes[1] + 0.3,))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", [(0,), (3,), (2,), (0, 2), (3, 0), (0, 0), (0, 5), (2, 0)])
@pytest.mark.parametrize("text", ["b[m]", "b[m, 1]", "b[:, m]", "b[..., m]"])
def test_a_mask_without_true(text: str, shape: tuple[int, ...]) -> None:
    for b in (
        np.arange(6.0).reshape(3, 2),
        np.arange(12.0).reshape(3, 2, 2),
        np.arange(3.0),
        np.zeros((2, 0)),
    ):
        given = {"b": b, "m": np.zeros(shape, bool)}
        assert complaint(text, given) is None
        for value in ("7.0", "np.ones(2)", f"{text} * 2"):
            body = f"    b = b.copy()\n    {text} = {value}\n    return b"
            assert complaint(body, given) is None
