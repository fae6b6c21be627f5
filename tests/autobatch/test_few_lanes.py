"""No lanes, one lane, lanes of no elements, of every dtype, along any axis: as plain Python, lane by lane."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from over_lanes import directory, row, same  # noqa: F401

from autobatch import Schedule, batch

DTYPES = (np.float64, np.float32, np.int64, np.uint8, np.bool_)


@dataclass
class Point:
    x: float
    y: np.ndarray


def handed_on(x, y):
    """Arguments, what is made of them, and constants."""
    return {"given": (x, y, y * 2), "next": x + 1, "three": 3, "sum": y.sum()}


def doubled(p):
    return Point(p.x * 2, p.y)


def check(dtype: Any, lanes: int, size: int, **options: Any) -> None:
    x, y = np.arange(lanes).astype(dtype), np.arange(lanes * size).reshape(size, lanes).astype(dtype)
    found = batch(handed_on, (0, -1), **options)(x, y)
    assert found["given"][1].shape == (lanes, size) and found["three"].shape == (lanes,)
    for k in range(lanes):
        same(row(found, k), handed_on(x[k], y[:, k]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_lanes(dtype: Any) -> None:
    for lanes in (0, 1, 3):
        for size in (0, 1, 2):
            check(dtype, lanes, size, target="numpy")


@pytest.mark.turns(4)
def test_few_lanes_compiled() -> None:
    check(np.float32, 0, 2, schedule=Schedule(group=4))
    check(np.float32, 1, 2, schedule=Schedule(group=4))
    check(np.uint8, 3, 0)


def test_dataclasses_with_axes_of_their_own() -> None:
    point = Point(np.arange(2.0), np.arange(6.0).reshape(3, 2))
    found = batch(doubled, ({"x": 0, "y": 1},), target="numpy")(point)
    np.testing.assert_array_equal(found.x, 2 * point.x)
    np.testing.assert_array_equal(found.y, point.y.T)
