"""schedule="measure": the same numbers, the fastest way found once and remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu_by_numba import with_compiled_gpu

from autobatch import Schedule, batch, streams
from autobatch.execute import autotune as measure
from autobatch.execute import launching


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


@pytest.mark.turns(4)
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


@pytest.mark.turns(4)
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


@pytest.mark.turns(4)
def test_on_a_gpu_one_thing_is_varied_after_the_other(monkeypatch: Any) -> None:
    """Votes, blocks, registers, and again from what was best; what is measured is copies."""
    told: list[tuple[str, int | None, int | None]] = []

    def took(machine: Any, some: int, given: list[Any], results: list[Any]) -> float:
        schedule = machine.schedule
        told.append((schedule.form, schedule.block, schedule.registers))
        machine.run(some, machine.codes(some), given, results)
        return 9.0 - (schedule.form == "lanewise") - 2 * (schedule.block == 128) - (schedule.registers == 168)

    monkeypatch.setattr(measure, "seconds_of", took)
    rngs, same, n = streams(3, 8), streams(3, 8), np.arange(8)
    launched = []
    with with_compiled_gpu():
        run = launching.launch
        monkeypatch.setattr(launching, "launch", lambda *given: (launched.append(given[-1]), run(*given))[1])
        many = batch(noisy, schedule="measure", target="cuda")
        np.testing.assert_array_equal(many(rngs, n), batch(noisy, target="cuda")(same, n))
        np.testing.assert_array_equal(many(rngs, n), batch(noisy, target="cuda")(same, n))
        said = many.explain()
        best = many.latest.measured[n.size.bit_length()].machine
        assert "@cuda.jit(max_registers=168)" in best.by_threads().text
        # What was found is remembered.
        monkeypatch.setattr(measure, "seconds_of", None)
        np.testing.assert_array_equal(
            batch(noisy, schedule="measure", target="cuda")(rngs, n), batch(noisy, target="cuda")(same, n)
        )
    order = list(dict.fromkeys(told))
    votes = ["program_counter", "lanewise"] if "no votes" in said else ["program_counter"]
    form = votes[-1]
    assert order[: len(votes)] == [(each, 64, None) for each in votes]
    assert order[len(votes) :][:5] == [
        *((form, block, None) for block in (32, 128, 256)),
        *((form, 128, most) for most in (128, 168)),
    ]
    assert (best.schedule.form, best.schedule.block, best.schedule.registers) == (form, 128, 168)
    assert (
        launched.count(128) >= 2
        and "blocks of 128, 168 registers" in said.partition("measured over 8 lanes: ")[2]
    )


def test_on_a_gpu_what_is_told_is_not_varied() -> None:
    with with_compiled_gpu():
        many = batch(fib, schedule=Schedule("measure", block=32, registers=128), target="cuda")
        assert many(np.arange(12)).tolist() == [fib(n) for n in range(12)]
        assert {m.schedule.block for m in many.latest.choices.values()} == {32}
        assert {m.schedule.registers for m in many.latest.choices.values()} == {128}


def test_layouts_compute_the_same() -> None:
    x = 10 ** np.random.default_rng(1).uniform(-8, 8, 70)
    rows = batch(root, schedule=Schedule(group=16, layout="rows"))(x)
    np.testing.assert_array_equal(rows, batch(root, schedule=Schedule(group=16))(x))
    with pytest.raises(ValueError, match="'mixed' or 'rows'"):
        Schedule(layout="columns")  # type: ignore[arg-type]
