"""Kernels as warps in plain Python: the whole corpus, the programs of the first autobatcher, NUTS written twice."""

from typing import Any

import numpy as np
import pytest
from corpus import Case
from first_autobatcher import PROGRAMS as FIRST
from first_autobatcher import chain_of_correlated, label, steps_where_nothing_turns
from first_autobatcher import lanes_of as lanes_in
from lane_programs import PROGRAMS, lanes_of, of_case
from lanes_as_threads import NUTS, UNSIZED, given, machine_of, nuts_arguments, nuts_machine
from over_lanes import arguments, directory  # noqa: F401
from warp import efficiency, run_kernel

from autobatch import Schedule, batch, streams
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.kernel.cuda.module import met, works_of
from codegen import SourceError
from codegen.infer.trace import Traced


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    lanes = of_case(case)
    if case.name in UNSIZED:
        shared = tuple(not over for over in lanes.over)
        with pytest.raises(SourceError, match="is not known before the program runs"):
            GpuMachine(Traced(lanes.program, (), ()), shared, Schedule()).by_threads()
        return
    made = given(lanes)
    module, failed, _ = run_kernel(made.on_gpu, made.count, made.inputs, made.outputs)
    made.agree(failed, module)


@pytest.mark.parametrize("program", FIRST, ids=label)
def test_what_the_first_autobatcher_was_tested_on(program: Any) -> None:
    function, listed, shared = program
    made = given(lanes_of(function, lambda: lanes_in(listed), shared))
    module, failed, _ = run_kernel(made.on_gpu, made.count, made.inputs, made.outputs)
    made.agree(failed, module)


def plain_nuts(source: str, chains: int, draws: int) -> tuple[Any, Any, list[Any], tuple[Any, ...]]:
    """The algorithm of scripts/peers by plain recursion or a loop, for eight schools: by a kernel and on the CPU."""
    u, *rest = nuts_arguments(chains, draws)
    machine = nuts_machine(source)
    rngs, expected = streams(1, chains), streams(1, chains)
    outputs = [np.zeros((chains, 10)), np.zeros(chains, np.int64), np.zeros((chains, 10))]
    module, failed, trace_ = run_kernel(machine, chains, [rngs.state, u, *rest], outputs)
    assert not failed.any()
    wanted = batch(NUTS[source], in_axes=(0, 0, None, None, None, None))(expected, u, *rest)
    np.testing.assert_array_equal(rngs.state, expected.state)
    program, _ = met(machine.grouped, machine.shared, machine.name)
    works = works_of(program, machine.shared, machine.name)
    return module, efficiency(trace_, works), outputs, wanted


@pytest.mark.turns(8)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("source, floor", [("recursive", 0.65), ("iterative", 0.65)])
def test_nuts(source: str, floor: float) -> None:
    """The leapfrogs and streams of the CPU, its positions but for rounding, and warps that are kept full."""
    module, full, found, wanted = plain_nuts(source, 64, 20)
    assert module.met and full > floor
    np.testing.assert_array_equal(found[1], wanted[1])
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-10)
    np.testing.assert_allclose(found[2], wanted[2], rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("source, floor", [("recursive", 0.68), ("iterative", 0.69)])
def test_warps_of_1024_chains_are_kept_full(source: str, floor: float) -> None:
    _, full, found, wanted = plain_nuts(source, 1024, 40)
    np.testing.assert_array_equal(found[1], wanted[1])
    assert full >= floor


@pytest.mark.turns(4)
def test_the_sampler_of_the_library() -> None:
    """Where nothing turns 2^depth - 1 leapfrogs; elsewhere as many as the CPU makes."""
    depths = np.arange(1, 7)
    machine = machine_of(steps_where_nothing_turns, (streams(2, 1)[0], np.ones(2), 1), (False,) * 3)
    outputs = [np.zeros((6, 2)), np.zeros(6, np.int64)]
    run_kernel(machine, 6, [streams(2, 6).state, np.ones((6, 2)), depths], outputs)
    np.testing.assert_array_equal(outputs[1], 2**depths - 1)
    start, rngs, expected = np.random.default_rng(1).normal(size=(20, 10)), streams(5, 20), streams(5, 20)
    machine = machine_of(chain_of_correlated, (streams(5, 1)[0], start[0], 5), (False, False, True))
    outputs = [np.zeros((20, 10)), np.zeros(20, np.int64)]
    inputs = [rngs.state, start, 5, *machine.traced.hidden]
    run_kernel(machine, 20, inputs, outputs)
    wanted = batch(chain_of_correlated, in_axes=(0, 0, None), schedule=Schedule("lanewise"))(
        expected, start, 5
    )
    np.testing.assert_array_equal(outputs[1], wanted[1])
    np.testing.assert_array_equal(rngs.state, expected.state)
    np.testing.assert_allclose(outputs[0], wanted[0], rtol=1e-10)


def drawn_in_recursion(rng, n):
    return 0.0 if n == 0 else drawn_in_recursion(rng, n - 1) + rng.random()


def test_a_lane_that_wants_a_larger_stack_says_so() -> None:
    """Its stream is as it was, so that it can start again; the others of its warp end. (64 frames are near.)"""
    lanes = lanes_of(drawn_in_recursion, lambda: list(zip(streams(3, 3), (3, 73, 2))))
    made = given(lanes)
    before = made.inputs[0].copy()
    _, failed, _ = run_kernel(made.on_gpu, 3, made.inputs, made.outputs, stack=8)
    assert failed.tolist() == [0, -1, 0]
    assert (made.inputs[0] == before).all(axis=1).tolist() == [False, True, False]
    once_more = [x[1:2] for x in made.inputs], [out[1:2] for out in made.outputs]
    module, failed[1:2], _ = run_kernel(made.on_gpu, 1, *once_more, stack=64)
    made.agree(failed, module)
