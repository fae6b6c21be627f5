"""Few lanes by code that is made quickly: the same numbers, bit for bit, until better code has been made."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import CASES, Case
from over_lanes import arguments

from autobatch import LaneError, Schedule, batch
from autobatch.execute import compile_ahead as ahead
from autobatch.execute import executor
from autobatch.mcmc import NUTS, positive, real, sample
from codegen import SourceError
from codegen.pytree import describe, flatten, known_size

QUICK, FULL = (Schedule("program_counter", optimize=optimize) for optimize in ("fast", "full"))


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is compiled yet, there are two processors, and lanes have soon run long enough."""
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("AUTOBATCH_COMPILE_AHEAD", "1")
    monkeypatch.setattr(ahead, "processors", lambda: {0, 1})
    monkeypatch.setattr(executor, "QUICK_SECONDS", 1e-9)


def outcome(case: Case, schedule: Schedule) -> Any:
    """The bytes of what lanes give and leave in their arguments, or what became of them; whether they ran quickly."""
    given, axes = arguments(case.lanes(), case.shared)
    many = batch(case.function, axes, schedule=schedule)
    try:
        found = [many(*given), given]
    except LaneError as error:
        return [(f.exception, f.lane) for f in error.failures], True
    except SourceError as error:
        return str(error), False
    parts = [leaf for value in found for leaf in flatten(value, describe(value, known_size))]
    made = [getattr(part, "state", part) for part in parts]
    return [np.asarray(one).tobytes() for one in made], many.ran.quick


@pytest.mark.sampled(54)
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES[::2]])
def test_the_same_numbers(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "is_made", lambda *_: False)  # by other tests
    found, is_quick = outcome(case, QUICK)
    wanted, _ = outcome(case, FULL)
    assert found == wanted
    assert is_quick or isinstance(found, str) or any(m.reorders for m in modules(case))


def modules(case: Case) -> list[Any]:
    given, axes = arguments(case.lanes(), case.shared)
    many = batch(case.function, axes, schedule=QUICK)
    many(*given)
    return [machine.lanewise for machine in many.descriptions]


def halvings_below(limit: float) -> Callable[..., Any]:
    def f(x: float) -> int:
        steps = 0
        while x > limit:
            x = x * 0.5 if steps % 2 else np.exp(np.log(x) * 0.75)
            steps += 1
        return steps

    return f


X = np.array([1.5, 40.0, 3000.0])


@pytest.mark.turns(4)
@pytest.mark.usefixtures("own_cache")
def test_better_code_takes_over() -> None:
    many = batch(halvings_below(1.25), schedule=Schedule(optimize="auto"))
    wanted = many(X)
    (machine,) = many.descriptions
    assert many.ran.quick and not machine.ahead
    assert "made quickly" in many.explain(X)
    np.testing.assert_array_equal(many(X), wanted)  # lanes have run long enough
    (process,) = machine.ahead.values()
    process.wait()
    np.testing.assert_array_equal(many(X), wanted)
    assert many.ran is machine.lanewise and "made quickly" not in many.explain(X)


@pytest.mark.usefixtures("own_cache")
def test_where_there_is_no_other_process_lanes_run_longer_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOBATCH_COMPILE_AHEAD", "0")
    many = batch(halvings_below(1.5), schedule=Schedule(optimize="auto"))
    for _ in range(3):
        many(X)
        assert many.ran.quick
    monkeypatch.setattr(executor, "LONG_QUICK_SECONDS", 0.0)
    many(X)
    assert not many.ran.quick


@pytest.mark.usefixtures("own_cache")
def test_code_that_was_made_is_taken_at_once() -> None:
    batch(halvings_below(1.75))(X)
    many = batch(halvings_below(1.75), schedule=Schedule(optimize="auto"))
    many(X)
    assert not many.ran.quick


def test_sums_of_many_terms_are_made_in_full() -> None:
    def total(x: float, y: np.ndarray) -> float:
        return np.sum(np.exp(x * y))

    many = batch(total, (0, None), schedule=Schedule(optimize="fast"))
    many(X, np.linspace(-1.0, 0.0, 200))
    assert not many.ran.quick


@pytest.mark.turns(4)
def test_many_lanes_are_in_groups() -> None:
    many = batch(halvings_below(1.125), schedule=Schedule(optimize="fast"))
    many(np.linspace(2.0, 9.0, 256))
    assert not many.ran.quick


@pytest.mark.slow
def test_draws_of_a_few_chains() -> None:
    def density(mu: float, tau: float, y: np.ndarray) -> float:
        return -0.5 * np.sum(((y - mu) / tau) ** 2) - len(y) * np.log(tau) - tau - 0.25 * mu**2

    def drawn(optimize: Any) -> Any:
        return sample(
            density, {"mu": real(), "tau": positive()}, data={"y": np.array([0.5, 1.5, -0.25])}, chains=3,
            draws=50, warmup=60, seed=1, sampler=NUTS(), progress=False, optimize=optimize,
        )  # fmt: skip

    quick, full = drawn("fast"), drawn("full")
    assert quick.posterior.equals(full.posterior)
    assert quick.sample_stats.equals(full.sample_stats)


def grown(limit: float) -> Callable[..., Any]:
    def f(x: np.ndarray) -> np.ndarray:
        y = x.copy()
        while np.sum(y) < limit:
            y = y + np.exp(0.1 * np.sin(y))
        return y

    return f


@pytest.mark.turns(4)
@pytest.mark.usefixtures("own_cache")
def test_groups_take_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes that fill vectors begin one by one, and go on side by side."""
    monkeypatch.setattr(executor, "QUICK_LANES", 64)
    many = batch(grown(50.0), schedule=Schedule(optimize="auto"))
    x = np.linspace(0.0, 2.0, 64 * 4).reshape(64, 4)
    wanted = many(x)
    assert many.ran.quick
    many(x)
    (machine,) = many.descriptions
    (process,) = machine.ahead.values()
    process.wait()
    np.testing.assert_array_equal(many(x), wanted)
    assert many.ran is machine.groups
    again = batch(grown(50.0), schedule=Schedule(optimize="auto"))
    np.testing.assert_array_equal(again(x), wanted)
    assert again.ran.wide


def test_what_is_no_such_value() -> None:
    with pytest.raises(ValueError, match="optimize is 'full', 'auto', 'fast', not 'slow'"):
        Schedule(optimize="slow")  # type: ignore[arg-type]
