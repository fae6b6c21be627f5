"""Groups whose lanes all go the same way: the same numbers, whatever is done lane by lane between, and who fails."""

from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, Schedule, batch

TABLE = np.linspace(0.5, 2.0, 7)
POINTS = np.random.default_rng(5).normal(size=101)
PLACES = np.random.default_rng(6).integers(0, 7, 101)


def curve(x):
    return np.exp(-x * x) + np.log1p(x * x) * np.tanh(x)


def looked_up(x, k, table):
    """Expensive, lane by lane where it looks up, expensive again."""
    y = curve(x)
    z = table[k]
    return curve(y + z) + np.cos(z * x), y


def grouped(f: Any, axes: Any) -> Any:
    return batch(f, axes, schedule=Schedule(group=8, threads=1))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 101])
def test_bit_for_bit_as_one_lane_at_a_time(count: int) -> None:
    axes, given = (0, 0, None), (POINTS[:count], PLACES[:count], TABLE)
    many = grouped(looked_up, axes)
    one = batch(looked_up, axes, schedule="lanewise")
    for found, expected in zip(many(*given), one(*given), strict=True):
        np.testing.assert_array_equal(found, expected)
    for name in ("load_all(", "advance_all(", "finish_all("):
        assert name in many.source(), name


def test_a_lane_that_fails_on_the_way_leaves_the_others() -> None:
    places = PLACES.copy()
    places[[0, 40, 100]] = 7, -8, 99
    with pytest.raises(LaneError) as error:
        grouped(looked_up, (0, 0, None))(POINTS, places, TABLE)
    assert list(error.value.lanes) == [0, 40, 100]
    kept = np.setdiff1d(np.arange(101), [0, 40, 100])
    whole = batch(looked_up, (0, 0, None), schedule="lanewise")(POINTS, PLACES, TABLE)
    for found, expected in zip(error.value.results, whole, strict=True):
        np.testing.assert_array_equal(found[kept], expected[kept])


@pytest.mark.turns(4)
def test_lanes_of_different_ways_wait_for_each_other() -> None:
    def turning(x, n):
        for _ in range(n):
            x = curve(x)
        return x

    many = grouped(turning, 0)
    lengths = PLACES
    np.testing.assert_array_equal(
        many(POINTS, lengths), batch(turning, 0, schedule="lanewise")(POINTS, lengths)
    )
    assert "load_all(" not in many.source()
