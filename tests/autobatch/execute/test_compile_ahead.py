"""Machine code made by another process: it is there when it is wanted, and without it all goes on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autobatch.execute import compile_ahead as ahead
from autobatch.mcmc import positive, real, sample
from codegen.backend.load import load

FEW, MANY = 3, 256


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is compiled yet, and there are two processors."""
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("AUTOBATCH_COMPILE_AHEAD", "1")
    monkeypatch.setattr(ahead, "processors", lambda: {0, 1})


def steps_below(limit: float) -> Callable[..., Any]:
    def f(x: float) -> int:
        steps = 0
        while x > limit:
            x = x * 0.5 if steps % 2 else x - limit
            steps += 1
        return steps

    return f


def started(made: Any) -> list[Any]:
    """The processes that compile for a batched function."""
    (machine,) = made.descriptions
    return [one for one in machine.ahead.values() if one is not None]


def was_found(made: Any) -> bool:
    """Whether what ran was found in the cache."""
    (machine,) = made.descriptions
    function = getattr(load(made.ran.text, machine.name), made.ran.run)
    return bool(function.stats.cache_hits) and not function.stats.cache_misses


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("lanes", [FEW, MANY])
def test_the_call_finds_it(lanes: int) -> None:
    f = steps_below(0.25 + lanes)
    made, x = batch(f), np.linspace(0.0, 40.0, lanes)
    made.compile_ahead(x)
    (one,) = started(made)
    np.testing.assert_array_equal(made(x), [f(each) for each in x])
    assert one.process.returncode == 0 and one not in ahead.RUNNING
    assert was_found(made)
    made.compile_ahead(x)
    assert not started(made)


def test_one_that_ends_early_is_done_without() -> None:
    f = steps_below(0.75)
    made, x = batch(f), np.linspace(0.0, 40.0, FEW)
    made.compile_ahead(x)
    (one,) = started(made)
    one.process.kill()
    np.testing.assert_array_equal(made(x), [f(each) for each in x])
    assert not was_found(made)


def test_where_there_is_no_processor_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made, x = batch(steps_below(0.125)), np.linspace(0.0, 40.0, FEW)
    monkeypatch.setattr(ahead, "processors", lambda: {0})
    made.compile_ahead(x)
    assert not started(made)


def test_what_is_kept_is_not_compiled_again() -> None:
    first, x = batch(steps_below(0.375)), np.linspace(0.0, 40.0, FEW)
    first(x)
    again = batch(steps_below(0.375))
    again.compile_ahead(x)
    assert not started(again)


@pytest.mark.slow
def test_draws_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def density(mu: float, tau: float, y: np.ndarray) -> float:
        return -0.5 * np.sum(((y - mu) / tau) ** 2) - len(y) * np.log(tau) - tau - 0.5 * mu**2

    def drawn() -> Any:
        y = np.array([0.5, 1.5, -0.25])
        params = {"mu": real(), "tau": positive()}
        return sample(
            density, params, data={"y": y}, chains=4, draws=20, warmup=20, seed=1, progress=False
        ).posterior

    begun = []
    compile_ahead = ahead.compile_ahead

    def noted(*given: Any) -> Any:
        begun.append(compile_ahead(*given))
        return begun[-1]

    monkeypatch.setattr("autobatch.execute.executor.compile_ahead", noted)
    found = drawn()
    assert [one.process.returncode for one in begun] == [0]
    monkeypatch.setenv("AUTOBATCH_COMPILE_AHEAD", "0")
    assert found.equals(drawn())
