"""sample(..., target="cuda") over stand-ins: the CPU's chains; draws come in rounds, which a run goes on from."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chains_as_threads import CHAINS, agree, program, run
from gpu_by_numba import gpu, with_compiled_gpu
from over_lanes import directory  # noqa: F401

from autobatch import LaneError
from autobatch.mcmc import HMC, NUTS, RWM, chains, real, sample


@pytest.mark.sampled(3)
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


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [NUTS(adapt="pooled", metric="dense"), HMC(), RWM()], ids=repr)
def test_other_samplers(sampler: Any) -> None:
    with with_compiled_gpu():
        found = run("cuda", sampler)
    agree(found, run("numba", sampler))


def test_no_draw_takes_room_of_a_thread() -> None:
    """Draws are written where they go, so that rounds may be of any length."""
    for rows in (100, 8000):
        many, given = program("run", rows)
        text = many.source(*given)
        assert "F = cuda.local.array(90, np.float64)[zero:]" in text
        assert "out4[lane, " in text and "out4[lane, k]" not in text


def bounded(x):
    if x > 6.0:
        raise ValueError("too far")
    return -0.5 * x**2


def test_a_chain_that_fails_is_named_and_what_was_drawn_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "CHUNK", 50)
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
