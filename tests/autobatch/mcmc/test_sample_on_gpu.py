"""sample(..., target="cuda") over stand-ins: the CPU's chains; draws come in rounds, which a run goes on from."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from array_gpu import cupy
from chains_as_threads import CHAINS, agree, program, run
from gpu_by_numba import gpu, with_compiled_gpu
from over_lanes import directory  # noqa: F401
from warp import OfLibrary

from autobatch import LaneError
from autobatch.execute import arrivals, executor, gpu_streams, launching
from autobatch.mcmc import HMC, NUTS, RWM, chains, gpu_chains, real, sample
from autobatch.mcmc.validation import checked_data


@pytest.fixture(autouse=True)
def quick_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """For all chains on the CPU: what others are held against runs once, and the numbers are the same."""
    monkeypatch.setattr(executor, "QUICK_LANES", CHAINS)
    monkeypatch.setattr(executor, "QUICK_SECONDS", np.inf)


@pytest.mark.turns(8)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("first, then", [("cuda", "cuda"), ("numba", "cuda"), ("cuda", "numba")])
def test_chains_are_those_of_the_cpu_and_go_on_where_they_stopped(
    first: str, then: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On either: the file of a run does not say where it was drawn. Here not all chains fit into the GPU at once."""
    whole, path = run("numba"), tmp_path / "run.npz"
    with with_compiled_gpu(gpu(bytes_free=1_000_000)):
        run(first, draws=70, resume=path)
        agree(run(then, resume=path, progress=True), whole)
    shown = capsys.readouterr().err.split("\r")[-1]
    assert f"{CHAINS * 210}/{CHAINS * 210}" in shown


@pytest.mark.turns(4)
def test_chains_where_cupy_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays are its own, which have other methods."""
    monkeypatch.setitem(sys.modules, "cupy", cupy())
    with with_compiled_gpu():
        found = run("cuda")
    agree(found, run("numba"))


def grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains are in four groups from now on, on streams and in threads of their own."""
    monkeypatch.setattr(gpu_chains, "GROUPS", 4)
    monkeypatch.setattr(gpu_chains, "GROUP_CHAINS", CHAINS // 4)


@pytest.mark.parametrize("adapt", ["chain", pytest.param("pooled", marks=pytest.mark.slow)])
def test_groups_of_chains_draw_without_each_other(
    adapt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is tuned is a chain's own, or the same for all; a run goes on from where all groups were."""
    sampler, path = NUTS(adapt=adapt), tmp_path / "run.npz"
    whole = run("numba", sampler)
    grouped(monkeypatch)
    if adapt == "chain":
        monkeypatch.setitem(sys.modules, "cupy", cupy())
    used: set[Any] = set()
    on_stream = gpu_streams.launching_on
    monkeypatch.setattr(
        gpu_streams, "launching_on", lambda stream, share: used.add(stream) or on_stream(stream, share)
    )
    with with_compiled_gpu():
        run("cuda", sampler, draws=110, resume=path)
        agree(run("cuda", sampler, resume=path), whole)
    assert len(used) == 4 and None not in used


def test_data_that_are_there() -> None:
    """They are fetched, as results have them too."""
    for value in (np.arange(5.0), np.arange(6).reshape(2, 3), np.asarray(2.0)):
        with with_compiled_gpu():
            found = checked_data("y", OfLibrary(value))
        assert type(found) is np.ndarray and found.dtype == value.dtype
        np.testing.assert_array_equal(found, value)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [NUTS(adapt="pooled", metric="dense"), HMC(), RWM()], ids=repr)
def test_other_samplers(sampler: Any) -> None:
    with with_compiled_gpu():
        found = run("cuda", sampler)
    agree(found, run("numba", sampler))


@pytest.mark.turns(4)
def test_no_draw_takes_room_of_a_thread() -> None:
    """Draws are written where they go, so that rounds may be of any length."""
    for rows in (100, 8000):
        with with_compiled_gpu():  # the program is kept for the tests after this one
            many, given = program("run", rows)
            text = many.source(*given)
        assert "F = cuda.local.array(90, np.float64)[zero:]" in text
        assert "out4[lane, " in text and "out4[lane, k]" not in text


def bounded(x):
    if x > 6.0:
        raise ValueError("too far")
    return -0.5 * x**2


@pytest.mark.turns(8)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("in_groups", [False, True])
def test_a_chain_that_fails_is_named_and_what_was_drawn_is_kept(
    in_groups: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "CHUNK", 50)
    if in_groups:
        grouped(monkeypatch)
    errors = []
    settings = {"chains": CHAINS, "draws": 20_000, "warmup": 0, "seed": 3, "sampler": RWM(scale=1.0)}
    for target in ("cuda", "numba"):
        with with_compiled_gpu(), pytest.raises(LaneError) as error:
            sample(bounded, {"x": real()}, target=target, progress=False, **settings)
        errors.append(error.value)
    on_gpu, on_cpu = errors
    assert on_gpu.failures == on_cpu.failures and on_gpu.failures[0].message == "too far"
    np.testing.assert_array_equal(on_gpu.trace.posterior.x, on_cpu.trace.posterior.x)
    assert on_gpu.trace.posterior.sizes["draw"] % 50 == 0


def noted(monkeypatch: pytest.MonkeyPatch, pause: float = 0.0) -> list[tuple[str, int]]:
    """From now on draws are made in chunks of ten; what is begun and ended, and of which chunk. A copy takes `pause`
    seconds.
    """
    monkeypatch.setattr(arrivals, "COPIERS", ThreadPoolExecutor(1))
    monkeypatch.setattr(chains, "CHUNK", 10)
    monkeypatch.setattr(gpu_chains, "CHUNK", 10)
    found: list[tuple[str, int]] = []
    others, copy = gpu_chains.others_arriving, arrivals.copy_by_threads

    def made(*given: Any) -> Any:
        found.append(("made", sum(what == "made" for what, _ in found)))
        return others(*given)

    def copied(pairs: Any) -> None:
        if pairs and not pairs[0][0].strides[1]:  # step sizes, after a chunk's draws
            time.sleep(pause)
            found.append(("there", sum(what == "there" for what, _ in found)))
        copy(pairs)

    monkeypatch.setattr(gpu_chains, "others_arriving", made)
    monkeypatch.setattr(arrivals, "copy_by_threads", copied)
    return found


@pytest.mark.turns(4)
def test_draws_go_to_the_host_while_the_next_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where copies take longer than draws, these wait for those of three chunks before."""
    whole = run("numba", draws=50)
    found = noted(monkeypatch, pause=0.3)
    monkeypatch.setitem(sys.modules, "cupy", cupy())
    with with_compiled_gpu():
        agree(run("cuda", draws=50), whole)
    when = {each: k for k, each in enumerate(found)}
    assert len(when) == 10
    for chunk in range(2):
        assert when["made", chunk + 2] < when["there", chunk] < when["made", chunk + 3]


@pytest.mark.turns(8)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("error", [LaneError, KeyboardInterrupt])
def test_what_is_under_way_when_a_run_ends_arrives(error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that was made is kept."""
    settings: dict[str, Any] = {
        "chains": CHAINS, "draws": 1000, "warmup": 0, "seed": 20, "progress": False,
        "sampler": RWM(scale=1.1 if error is LaneError else 0.1),
    }  # fmt: skip
    found = noted(monkeypatch, pause=0.1)
    if error is KeyboardInterrupt:
        interrupt_at(monkeypatch, 5)
    with with_compiled_gpu(), pytest.raises(error) as caught:
        sample(bounded, {"x": real()}, target="cuda", **settings)
    trace = caught.value.trace
    chunks = [chunk for what, chunk in found if what == "made"]
    assert len(chunks) > 1 and ("there", chunks[-1]) in found
    kept = trace.posterior.sizes["draw"]
    assert kept == 10 * len(chunks) < 1000
    expected = sample(bounded, {"x": real()}, **(settings | {"draws": kept}))
    np.testing.assert_array_equal(trace.posterior.x, expected.posterior.x)
    np.testing.assert_array_equal(trace.sample_stats.lp, expected.sample_stats.lp)


def interrupt_at(monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """Ctrl-C while a chunk is made."""
    launch, calls = launching.launch_parts, []

    def launched(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == call:
            raise KeyboardInterrupt
        return launch(*given)

    monkeypatch.setattr(launching, "launch_parts", launched)


def test_long_chunks_become_shorter_towards_the_end() -> None:
    """Of 100,000 chains, whose draws are 13.7 megabytes."""
    left, found = 330, []
    while left:
        found.append(min(gpu_chains.rows_of_chunk(left, 13_700_000), 100))
        left -= found[-1]
    assert found == [100, 100, 65, 32, 19, 14]
    assert gpu_chains.rows_of_chunk(1000, 137) == 1000


def test_chains_that_the_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some at a time, and those draw one after the other; what they draw goes to its place at once."""
    monkeypatch.setattr(launching, "OVERLAPPED", 1)
    made: list[tuple[int, bool]] = []

    class LanePart(launching.LanePart):
        def __init__(self, kernel: Any, told: Any, lanes: Any, stream: Any):
            super().__init__(kernel, told, lanes, stream)
            made.append((lanes.stop - lanes.start, stream is not None))

    with with_compiled_gpu(gpu(bytes_free=150_000)):
        monkeypatch.setattr(launching, "LanePart", LanePart)
        found = run("cuda", draws=25, warmup=0)
    agree(found, run("numba", draws=25, warmup=0))
    assert made == [(29, False), (29, False), (12, False), *[(16, False)] * 4, (6, False)]


def sloped(x, y, n, scale):
    return -0.5 * np.sum((y - x) ** 2) / scale - 0.1 * n * x**2


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("sampler", [RWM(), RWM(metric="dense", adapt="pooled")], ids=repr)
def test_data_of_all_kinds(sampler: Any) -> None:
    """Arrays that are not contiguous, or of no axes, and numbers."""
    data = {"y": np.arange(12.0).reshape(4, 3)[:, 1], "n": 3, "scale": np.array(2.5)}
    settings: dict[str, Any] = {
        "chains": 70,
        "draws": 30,
        "warmup": 40,
        "seed": 1,
        "progress": False,
        "data": data,
    }
    with with_compiled_gpu():
        found = sample(sloped, {"x": real()}, target="cuda", sampler=sampler, **settings)
    expected = sample(sloped, {"x": real()}, sampler=sampler, **settings)
    np.testing.assert_array_equal(found.posterior.x, expected.posterior.x)
    np.testing.assert_array_equal(found.sample_stats.step_size, expected.sample_stats.step_size)
