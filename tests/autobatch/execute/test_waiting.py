"""Lanes on a GPU that wait for products with a shared matrix: over stand-ins, held against plain Python."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from gpu_by_numba import with_compiled_gpu
from over_lanes import directory  # noqa: F401
from waiting_gpu import noted, with_products
from waiting_programs import COLUMNS, STARTS, X, climbed, logistic, positive, walked, y

from autobatch import LaneError, Schedule, batch, streams
from autobatch.execute import waiting
from autobatch.mcmc import real, sample
from autobatch.prepare import passes
from autodiff import grad, value_and_grad


@pytest.mark.turns(4)
def test_formulas() -> None:
    with with_products():
        found = batch(value_and_grad(logistic), (0, None, None), target="cuda")(STARTS, X, y)
    for k, start in enumerate(STARTS):
        value, slope = value_and_grad(logistic)(start, X, y)
        np.testing.assert_allclose(found[0][k], value, rtol=1e-12)
        np.testing.assert_allclose(found[1][k], slope, rtol=1e-10, atol=1e-13)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("steps", "gathered"),
    [
        ([3, 3, 3], False),
        ([0, 3, 3], False),
        ([2, 3, 3], True),
        ([0, 0, 0, 3], False),
        ([0, 0, 0, 0, 3], True),
    ],
)
def test_vectors_are_gathered_only_where_lanes_wait_apart(steps: list[int], gathered: bool) -> None:
    """Each product goes where its result belongs, and the host sees a few numbers a round."""

    def turned(q, X, X_back, n):
        q = X_back @ (X @ q)
        for _ in range(n):
            q = q / np.sum(q * q)
            q = X_back @ (X @ q)
        if n == 2:
            q = X_back @ (X @ (q + 1.0))
        return q

    seen: dict[str, list[Any]] = {}
    with with_products():
        library = sys.modules["cupy"]
        for name in ("matmul", "flatnonzero", "asnumpy"):
            seen[name] = noted(library, name)
        many = batch(turned, (0, None, None, 0), target="cuda")
        found = many(STARTS[: len(steps)], X, X.T.copy(), np.array(steps))
    for k, n in enumerate(steps):
        np.testing.assert_allclose(found[k], turned(STARTS[k], X, X.T, n), rtol=1e-10)
    assert bool(seen["flatnonzero"]) is gathered
    assert seen["matmul"]
    assert max(array.size for array in seen["asnumpy"]) < 10


@pytest.mark.turns(8)
def test_lanes_wait_at_different_products() -> None:
    steps = np.array([0, 1, 5, 3, 4])
    with with_products():
        found = batch(climbed, (0, None, None, 0), target="cuda")(STARTS, X, y, steps)
    for k, start in enumerate(STARTS):
        for one, other in zip(found, climbed(start, X, y, steps[k]), strict=True):
            np.testing.assert_allclose(one[k], other, rtol=1e-9, atol=1e-12)


@pytest.mark.turns(4)
def test_no_lane_waits_for_others_to_go_its_way() -> None:
    """As many rounds as a lane has to wait, though most are elsewhere."""

    def two_ways(q, X, n, m):
        for _ in range(n):
            q = q + (X @ q) @ X * 0.01
        for _ in range(m):
            q = q - (X @ q) @ X * 0.02
        return q

    n, m = np.array([5, 1, 1, 2, 1]), np.array([1, 5, 5, 4, 5])
    many = batch(two_ways, (0, None, 0, 0), target="cuda")
    with with_products():
        said = noted(sys.modules["cupy"], "asnumpy")
        found = many(STARTS, X, n, m)
    assert len(said) == 7
    for k, start in enumerate(STARTS):
        np.testing.assert_allclose(found[k], two_ways(start, X, n[k], m[k]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("steps", "few"),
    [
        ([20, 20, 21, 25, 30], 25),
        ([9, 60, 9, 9, 9], 9),
        ([40] * 5, 40),
        ([0, 0, 0, 0, 30], 0),
        ([7, 8, 8, 8, 8], 8),
    ],
)
def test_rounds_are_begun_before_the_host_knows_who_has_ended(
    steps: list[int], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where lanes come to one place alone, but for the first rounds and those of few lanes."""
    monkeypatch.setattr(passes, "WAITED_MULTIPLICATIONS", 4)
    square = np.random.default_rng(8).normal(size=(6, 6)) / 3.0
    starts = np.random.default_rng(9).normal(size=(5, 6))

    def turned(q, X, n):
        for _ in range(n):
            q = 0.5 * q + X @ q
        return q

    begun: list[int] = []
    ahead = waiting.WaitingLanes.ahead

    def noted_ahead(self: Any, library: Any, lanes: int, launch: Any, serve: Any, stopped: Any) -> Any:
        def launched() -> None:
            begun.append(lanes - int(stopped[0]))
            launch()

        return ahead(self, library, lanes, launched, serve, stopped)

    monkeypatch.setattr(waiting.WaitingLanes, "ahead", noted_ahead)
    many = batch(turned, (0, None, 0), target="cuda")
    with with_products():
        asked = noted(sys.modules["cupy"], "asnumpy")
        found = many(starts, square, np.array(steps))
    for k, n in enumerate(steps):
        np.testing.assert_allclose(found[k], turned(starts[k], square, n), rtol=1e-10)
    # Lanes are few two rounds before the host knows it.
    assert len(begun) == max(few - waiting.ASKED + 1, 0) and all(begun[:-2])
    assert len(asked) == max(max(steps) + 1 - len(begun), waiting.ASKED * bool(begun) + 1)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("bytes_free", [10**9, 60_000])
def test_recursion_and_draws(bytes_free: int) -> None:
    """The CPU's streams, in parts that fit into the memory, and where lanes start again with larger stacks."""
    rngs, expected, depth = streams(3, 5), streams(3, 5), np.array([2, 0, 3, 1, 4])
    axes = (0, 0, None, None, 0)
    with with_products(bytes_free=bytes_free):
        found = batch(walked, axes, target="cuda")(rngs, STARTS, X, y, depth)
    wanted = batch(walked, axes, schedule=Schedule("lanewise"))(expected, STARTS, X, y, depth)
    np.testing.assert_array_equal(rngs.state, expected.state)
    np.testing.assert_array_equal(found[1], wanted[1])
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-10)


@pytest.mark.turns(8)
def test_the_text_runs_by_itself() -> None:
    steps = np.array([0, 1, 5, 3, 4])
    many = batch(climbed, (0, None, None, 0), target="cuda")
    defined: dict[str, Any] = {"__name__": "climbed"}
    with with_products():
        exec(compile(many.source(STARTS, X, y, steps), "climbed", "exec"), defined)
        found = defined["climbed_batch"](STARTS, X, y, steps)
        wanted = many(STARTS, X, y, steps)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_lane_fails_alone() -> None:
    with with_products(), pytest.raises(LaneError) as error:
        batch(positive, (0, None), target="cuda")(STARTS, X)
    wanted = [k for k, q in enumerate(STARTS) if (X @ q)[0] < 0.0]
    assert list(error.value.lanes) == wanted and 0 < len(wanted) < 5


def test_the_rounds_of_waiting_lanes_are_counted() -> None:
    def turned(q, X, n):
        for _ in range(n):
            q = (X @ q)[:COLUMNS]
        return q

    n = np.array([1, 9, 2, 3, 1])
    limited = batch(turned, (0, None, 0), target="cuda", schedule=Schedule(round_limit=4))
    with with_products(), pytest.raises(LaneError) as error:
        limited(STARTS, X, n)
    assert error.value.lanes == (1,)


def test_small_products_are_the_lanes_own() -> None:
    many = batch(grad(logistic), (0, None, None), target="cuda")
    assert "WaitingLanes" not in many.source(STARTS[:, :9], X[:, :9], y)
    text = many.source(STARTS, X, y)
    assert '"""A warp a lane, which waits for products with X."""' in text
    assert "a warp of a GPU for each lane; lanes wait for 2 products with shared matrices" in many.explain(
        STARTS, X, y
    )


def test_what_is_missing_is_said() -> None:
    message = "^products that lanes share need CuPy: pip install"
    with with_products(), pytest.raises(RuntimeError, match=message):
        sys.modules["cupy"] = None  # type: ignore[assignment]
        batch(logistic, (0, None, None), target="cuda")(STARTS, X, y)


@pytest.mark.slow
def test_chains_that_wait_are_those_of_the_cpu() -> None:
    def run(target: Any) -> Any:
        settings = {"chains": 3, "draws": 4, "warmup": 6, "seed": 1, "progress": False}
        return sample(log_density, {"q": real(COLUMNS)}, data={"X": X, "y": y}, target=target, **settings)

    with with_products(), with_compiled_gpu():
        found = run("cuda")
    wanted = run("numba")
    np.testing.assert_array_equal(found.sample_stats.n_steps, wanted.sample_stats.n_steps)
    np.testing.assert_allclose(found.posterior.q, wanted.posterior.q, rtol=1e-9, atol=1e-9)


def log_density(q, X, y):
    return logistic(q, X, y)
