"""Long loops at which lanes on a GPU wait as at products: by warps in plain Python, against the CPU and plain NumPy."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import parted_programs as programs
import pytest
from gpu_by_numba import with_compiled_gpu
from lanes_as_threads import machine_of
from mcmc_plain import plain_batch
from over_lanes import directory  # noqa: F401
from parted_programs import CENTRES, COLUMNS, DATA, PARTED, ROWS, STARTS, X, slopes, y
from random_parts import random_parts
from user_programs import loaded
from waiting_gpu import alike, noted, with_products

from autobatch import LaneError, Schedule, batch, streams
from autobatch.cli import main
from autobatch.execute import waiting
from autobatch.kernel import parts
from autobatch.mcmc import real, sample
from autobatch.prepare import passes
from autodiff import value_and_grad

# The package's name `sample` is the function.
driver = importlib.import_module("autobatch.mcmc.sample")

LOW = np.array([-0.8, -5.0, -0.8, -5.0, -0.6])
PLACES = np.arange(ROWS) % 8
WHOLE = {
    "followed": (programs.followed, (0, None), (STARTS, X)),
    "neighbours": (programs.neighbours, (0, None), (STARTS, X)),
    "counted": (programs.counted, (0, None, None), (STARTS, X, PLACES)),
    "of any length": (programs.of_any_length, (0, None, 0), (STARTS, X, np.arange(5))),
    "short": (slopes, (0, None, None), (np.ones((5, 400)), np.ones((50, 400)), np.ones(50))),
    "no products": (slopes, (0, None, None), (STARTS[:, :4], X[:, :4], y)),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PARTED)
def test_loops_in_parts(name: str) -> None:
    f, axes, arguments, loops = PARTED[name]
    many = batch(f, axes, target="cuda")
    assert many.source(*arguments).count("    lane, part = ") == loops
    with with_products():
        found = many(*arguments)
    alike(found, batch(f, axes)(*arguments))
    for k in range(len(STARTS)):
        lane = [x[k] if axis == 0 else x for x, axis in zip(arguments, axes, strict=True)]
        one = tuple(x[k] for x in found) if isinstance(found, tuple) else found[k]
        alike(one, f(*lane))


@pytest.mark.turns(4)
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", WHOLE)
def test_other_loops_are_the_threads_own(name: str) -> None:
    f, axes, arguments = WHOLE[name]
    many = batch(f, axes, target="cuda")
    assert "lane, part = " not in many.source(*arguments)
    with with_products():
        alike(many(*arguments), batch(f, axes)(*arguments))


def test_text(golden) -> None:
    text = batch(slopes, (0, None, None), target="cuda").source(STARTS, *DATA)
    golden("parted_loop.py", text.partition("\n\n\n# What the functions above call.")[0])


def test_what_is_shown() -> None:
    many = batch(slopes, (0, None, None), target="cuda")
    assert "lanes wait for 2 products with shared matrices, and at 1 long loops" in many.explain(
        STARTS, *DATA
    )
    stages = many.stages(STARTS, *DATA)
    counted = "    i = part\n    while i < 1024:\n"
    assert any(counted in text and "        i += 32\n" in text for text in map(str, stages.values()))


def test_a_gradient_is_one_word_to_the_host() -> None:
    """From the product on to the loop and the other product lanes are not run, nor counted."""
    with with_products():
        words = noted(sys.modules["cupy"], "asnumpy")
        batch(programs.climbed, (0, None, None, None), target="cuda")(STARTS, *DATA, 4)
    assert len(words) == 5


@pytest.mark.turns(4)
def test_gradients_are_begun_before_the_host_knows_of_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that lanes wait for is one row of launches, with the sums of the loop, and some lanes have ended."""

    def ascended(q, X, y, steps):
        total = 0.0
        for _ in range(steps):
            value, slope = value_and_grad(programs.logistic)(q, X, y)
            q, total = q + 0.01 * slope, total + value
        return q, total

    monkeypatch.setattr(waiting, "ASKED", 3)
    steps = np.array([6, 2, 12, 12, 9])
    many = batch(ascended, (0, None, None, 0), target="cuda")
    with with_products():
        words = noted(sys.modules["cupy"], "asnumpy")
        found = many(STARTS, *DATA, steps)
    assert len(words) < 7
    alike(found, batch(ascended, (0, None, None, 0))(STARTS, *DATA, steps))


def test_sums_are_the_same_in_any_company() -> None:
    many = batch(programs.of_its_own, (0, None, None), target="cuda")
    with with_products():
        together = many(STARTS, *DATA)[0]
        alone = [many(STARTS[k : k + 1], *DATA)[0][0] for k in range(5)]
    np.testing.assert_array_equal(together, alone)


def test_the_first_round_that_fails_is_told() -> None:
    """Of one lane none does, of others the first failure is of the one kind or of the other."""
    many = batch(programs.checked, (0, 0, None, None), target="cuda")
    with with_products(), pytest.raises(LaneError) as error:
        many(STARTS * 0.9, LOW, *DATA)
    with pytest.raises(LaneError) as wanted:
        batch(programs.checked, (0, 0, None, None))(STARTS * 0.9, LOW, *DATA)
    told = [(f.lane, f.message) for f in error.value.failures]
    assert told == [(f.lane, f.message) for f in wanted.value.failures]
    assert {message for _, message in told} == {"too low", "too high"} and 0 < len(told) < 5
    others = [k for k in range(5) if k not in error.value.lanes]
    for one, other in zip(error.value.results, wanted.value.results, strict=True):
        np.testing.assert_allclose(one[others], other[others], rtol=1e-10)


def test_the_text_runs_by_itself() -> None:
    f, axes, arguments, _ = PARTED["climbed"]
    many = batch(f, axes, target="cuda")
    defined: dict[str, Any] = {"__name__": "climbed"}
    with with_products():
        exec(compile(many.source(*arguments), "climbed", "exec"), defined)
        np.testing.assert_array_equal(defined["climbed_batch"](*arguments), many(*arguments))


def test_memory_has_room_for_the_parts() -> None:
    """In parts that fit into the memory, each with its own: a lane takes 18 kilobytes."""
    with with_products(bytes_free=60_000):
        words = noted(sys.modules["cupy"], "asnumpy")
        found = batch(slopes, (0, None, None), target="cuda")(STARTS, *DATA)
    assert len(words) > 4
    alike(found, batch(slopes, (0, None, None))(STARTS, *DATA))


def test_rounds_in_parts_are_not_counted() -> None:
    f, axes, arguments, _ = PARTED["climbed"]
    limited = batch(f, axes, target="cuda", schedule=Schedule(round_limit=3))
    with with_products(), pytest.raises(LaneError) as error:
        limited(*arguments)
    assert error.value.lanes == (0, 4)


@pytest.mark.turns(8)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("bytes_free", [10**9, 150_000])
def test_recursion_and_draws(bytes_free: int) -> None:
    """The CPU's streams, in several parts of the lanes, and where some start again with larger stacks."""
    rngs, expected, depth = streams(3, 5), streams(3, 5), np.array([2, 0, 3, 1, 4])
    axes = (0, 0, None, None, 0)
    many = batch(programs.walked, axes, target="cuda")
    assert many.source(rngs, STARTS, *DATA, depth).count("lane, part = ") == 1
    with with_products(bytes_free=bytes_free):
        found = many(rngs, STARTS, *DATA, depth)
    wanted = batch(programs.walked, axes, schedule=Schedule("lanewise"))(expected, STARTS, *DATA, depth)
    np.testing.assert_array_equal(rngs.state, expected.state)
    alike(found, wanted)


@pytest.mark.turns(4)
def test_divisions_in_parts_are_by_reciprocals() -> None:
    def weighed(q, X, weights):
        t = X @ q
        s = 0.0
        for i in range(len(t)):
            for k in range(3):
                s += np.exp(t[i]) / weights[k] + t[i] / 7.0
        return s

    many, weights = batch(weighed, (0, None, None), target="cuda"), CENTRES + 3.0
    text = many.source(STARTS, X, weights)
    assert text.count("weights_inverse[k] = 1.0 / weights[k]") == 1 and text.count("fast_quotient(") > 2
    with with_products():
        alike(many(STARTS, X, weights), batch(weighed, (0, None, None))(STARTS, X, weights))


@pytest.mark.turns(4)
def test_random_loops() -> None:
    """All that can be in parts is, however short; results, and who fails of what."""
    parted = failing = 0
    with (
        mock.patch.object(parts, "PARTED_OPERATIONS", 1),
        mock.patch.object(parts, "PART_OPERATIONS", 30),
        mock.patch.object(passes, "WAITED_MULTIPLICATIONS", 4),
    ):
        for seed in range(40):
            rng = np.random.default_rng(seed)
            n = int(rng.integers(4, 9))
            lanes = [rng.normal(size=(3, *shape)) for shape in ((3,), (n,), (n,), (n, n))]
            matrix, f = rng.normal(size=(n, 3)), loaded(random_parts(seed))
            many, given = batch(f, (0, None, 0, 0, 0), target="cuda"), (lanes[0], matrix, *lanes[1:])
            parted += many.source(*given).count("lane, part = ")
            found, failed = lanes_of(many, given)
            for k in range(3):
                wanted, message = lane_of(f, lanes[0][k], matrix, *(x[k] for x in lanes[1:]))
                assert failed.get(k) == message
                failing += message is not None
                alike(tuple(x[k] for x in found) if message is None else (), wanted)
    assert parted > 60 and failing > 20


def lanes_of(many: Any, given: Any) -> tuple[Any, dict[int, str]]:
    """What lanes give, and of what some fail."""
    with with_products():
        try:
            return many(*given), {}
        except LaneError as error:
            return error.results, {each.lane: each.message for each in error.failures}


def lane_of(f: Any, *given: Any) -> tuple[Any, str | None]:
    """What a lane gives, or of what it fails."""
    try:
        with np.errstate(all="ignore"):
            return f(*given), None
    except Exception as error:
        return (), str(error)


def test_the_command_line_writes_the_same(tmp_path: Path) -> None:
    """Its kernels have names that the user's file has not."""
    text = inspect.getsource(programs.logistic)
    source, written = tmp_path / "model.py", tmp_path / "made.py"
    source.write_text(f"import numpy as np\n\n\n{text}\n\n_logistic_value_and_grad_loop_kernel = 3\n")
    types = f"q: f8[{COLUMNS}], X: f8[{ROWS},{COLUMNS}], y: f8[{ROWS}]"
    steps = ["--transform", "value_and_grad", "--transform", "batch", "--in-axes", "X: None, y: None"]
    told = [
        "transform",
        f"{source}:logistic",
        *steps,
        "--target",
        "cuda",
        "--types",
        types,
        "-o",
        str(written),
    ]
    assert main(told) == 0
    defined: dict[str, Any] = {"__name__": "made"}
    with with_products():
        exec(compile(written.read_text(), "made", "exec"), defined)
        words = noted(sys.modules["cupy"], "asnumpy")
        found = defined["logistic_value_and_grad_batch"](STARTS, *DATA)
        alike(found, batch(slopes, (0, None, None), target="cuda")(STARTS, *DATA))
    assert defined["_logistic_value_and_grad_loop_kernel"] == 3 and len(words) == 4


def run(target: Any, **settings: Any) -> Any:
    told = {"seed": 1, "progress": False, "data": {"X": X, "y": y}, "target": target, **settings}
    return sample(density, {"q": real(COLUMNS)}, **told)


def density(q, X, y):
    return programs.logistic(q, X, y)


@contextmanager
def chains_of_python() -> Iterator[None]:
    """Samplers for the CPU are Python meanwhile, of one chain after the other: it would take longer to compile them."""
    plain = {
        "batch": lambda program, in_axes, **options: plain_batch(program, in_axes),
        "value_and_grad": partial(value_and_grad, target="numpy"),
    }
    driver.cached_programs.cache_clear()
    with mock.patch.multiple(driver, **plain):
        yield
    driver.cached_programs.cache_clear()


@pytest.mark.turns(4)
@pytest.mark.parametrize("settings", [{"chains": 2, "draws": 1, "warmup": 2}])
def test_nuts(settings: dict[str, int]) -> None:
    with with_products():
        found = run("cuda", **settings)
    with chains_of_python():
        wanted = run("numba", **settings)
    np.testing.assert_array_equal(found.sample_stats.n_steps, wanted.sample_stats.n_steps)
    np.testing.assert_allclose(found.posterior.q, wanted.posterior.q, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_many_chains_of_nuts() -> None:
    settings = {"chains": 5, "draws": 20, "warmup": 20}
    with with_products(), with_compiled_gpu():
        found = run("cuda", **settings)
    wanted = run("numba", **settings)
    np.testing.assert_array_equal(found.sample_stats.n_steps, wanted.sample_stats.n_steps)
    np.testing.assert_allclose(found.posterior.q, wanted.posterior.q, rtol=1e-6, atol=1e-9)


def test_kernels_that_are_called_are_listed() -> None:
    machine = machine_of(programs.in_turn, (STARTS[0], X), (False, True))
    assert machine.by_threads().functions == ("in_turn_kernel", "in_turn_loop_kernel", "in_turn_loop2_kernel")
