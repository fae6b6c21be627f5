"""schedule="measure": the same numbers, the fastest way found once and remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import Schedule, batch, streams
from autobatch.execute import autotune as measure


def root(a):
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def noisy(rng, n):
    total = 0.0
    for _ in range(n):
        total += np.exp(-rng.random()) * np.sqrt(1.0 + total * total)
    return total


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(measure, "MEASURED_ROUNDS", 1)


def test_the_same_numbers_and_all_ways_named() -> None:
    x = 10 ** np.random.default_rng(1).uniform(-8, 8, 700)
    many = batch(root, schedule="measure")
    np.testing.assert_array_equal(many(x), batch(root, schedule="lanewise")(x))
    found = many.explain().splitlines()[-2]  # the last line tells what passes took
    assert found.startswith("measured over 512 lanes: ")
    for way in ("lane after lane", "groups of 16 lanes", "groups of 64 lanes", "all in rows"):
        assert way in found


@pytest.mark.slow
def test_what_is_measured_does_not_advance_streams() -> None:
    rngs, same = streams(3, 40), streams(3, 40)
    n = np.arange(40)
    for _ in range(2):
        np.testing.assert_array_equal(batch(noisy, schedule="measure")(rngs, n), batch(noisy)(same, n))


def test_remembered_by_the_next_process(monkeypatch: Any) -> None:
    x = np.linspace(1.0, 9.0, 30)
    batch(root, schedule="measure")(x)

    def again(*_: Any) -> float:
        raise AssertionError("measured again")

    monkeypatch.setattr(measure, "seconds_of", again)
    np.testing.assert_array_equal(batch(root, schedule="measure")(x), batch(root)(x))
    with pytest.raises(AssertionError, match="measured again"):
        batch(root, schedule="measure")(np.linspace(1.0, 9.0, 200))  # so many lanes are another case


def test_recursion_by_the_hosts_calls_is_one_of_the_ways() -> None:
    many = batch(fib, schedule="measure")
    assert many(np.arange(12)).tolist() == [fib(n) for n in range(12)]
    assert "by the host's calls" in many.explain()


def test_layouts_compute_the_same() -> None:
    x = 10 ** np.random.default_rng(1).uniform(-8, 8, 70)
    rows = batch(root, schedule=Schedule(group=16, layout="rows"))(x)
    np.testing.assert_array_equal(rows, batch(root, schedule=Schedule(group=16))(x))
    with pytest.raises(ValueError, match="'mixed' or 'rows'"):
        Schedule(layout="columns")  # type: ignore[arg-type]
