"""What runs the lanes of a batch: made_for_lanes : Program of one lane, target, Schedule -> Machine or Structured.

On the CPU each lane is at its own place in compiled blocks (`Machine`), or is a row of arrays (`Structured`); where
lanes have arrays whose sizes only the running program knows, or make random generators in a recursion, they are run
in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autobatch.argument_writes import Written, functional
from autobatch.call_plan import Structured
from autobatch.execute.autotune import gpu_machine_for, machine_for
from autobatch.execute.executor import Machine
from autobatch.execute.threads import workers_of
from autobatch.execute.turns import Turns
from autobatch.lanes.lane_loops import can_take_turns, lanes_in_turn, rows_filled
from autobatch.lanes.local_static import LaneProgram
from autobatch.lanes.program_counter import over_arrays
from autobatch.prepare.known_sizes import with_sized_results
from autobatch.prepare.own_streams import refuse_own_streams
from autobatch.results import check_result_sizes, in_one_array
from autobatch.schedule import Schedule
from codegen.analysis.growth import refuse_growth
from codegen.backend.load import load
from codegen.emit.coalescing import function_names
from codegen.emit.module import show
from codegen.infer.trace import Traced
from codegen.ir import Program
from codegen.pipeline import last, stages
from codegen.simplify.driver import simplify
from codegen.source import InTurnError, SourceError


def made_for_lanes(
    sized: Callable[[], Traced],
    unsized: Callable[[], Traced],
    axes: list[int | None],
    target: str,
    schedule: Schedule,
    *,
    turns: bool,
    refused: bool,
) -> tuple[Machine | Structured, Written | None]:
    """What runs the lanes of a function that is traced so, and what they leave in their arguments. `turns`: they may be
    run in turn; `refused`: side by side they were not."""
    turns = turns and target != "cuda" and schedule.form == "auto"
    if turns and refused and (made := lanes_refused(unsized, axes, target, schedule)) is not None:
        return made
    traced, written = functional(in_one_array(partial(one_lane, sized, unsized, turns=turns)), axes)
    shared = tuple(axis is None for axis in axes) + (True,) * len(traced.hidden)
    return lane_machine(traced, shared, target, schedule, unsized, turns=turns), written


def lane_machine(
    traced: Traced,
    shared: tuple[bool, ...],
    target: str,
    schedule: Schedule,
    unsized: Callable[[], Traced],
    *,
    turns: bool,
) -> Machine | Structured:
    """What cannot be compiled is refused before any lane runs. `unsized`: traces without sizes that are known;
    `turns`: lanes may be run in turn."""
    if target == "cuda":
        machine: Machine = gpu_machine_for(with_sized_results(traced), shared, schedule)
        check_result_sizes(machine.traced)
        assert machine.lanewise
        return machine
    over = tuple(not s for s in shared)
    try:
        if target == "numpy" or schedule.form == "local_static":
            return structured_machine(traced, array_lanes(traced.program, over, schedule, target), target)
        machine = machine_for(with_sized_results(traced), shared, schedule, unsized)
        assert machine.lanewise
    except InTurnError:
        if not (turns and may_take_turns(traced.program, schedule)):
            if schedule.form == "auto":
                check_result_sizes(with_sized_results(traced))
            raise
        return machine_in_turn(traced, over, target, schedule)
    check_result_sizes(machine.traced)
    return machine


def one_lane(sized: Callable[[], Traced], unsized: Callable[[], Traced], *, turns: bool) -> Traced:
    """The program of one lane; where lanes may be run in turn, of a derivative that keeps what it knows no size of."""
    try:
        return sized()
    except InTurnError:
        if not turns:
            raise
        return unsized()


def lanes_refused(
    unsized: Callable[[], Traced], axes: list[int | None], target: str, schedule: Schedule
) -> tuple[Structured, Written | None] | None:
    """What runs lanes in turn that cannot be run side by side, and what they leave in their arguments; None where that
    cannot be done either. A derivative keeps what it needs in arrays, of sizes that the running program finds."""
    try:
        traced, written = functional(in_one_array(unsized), axes)
    except SourceError:
        return None
    if not may_take_turns(traced.program, schedule):
        return None
    over = tuple(axis is not None for axis in axes) + (False,) * len(traced.hidden)
    return machine_in_turn(traced, over, target, schedule), written


def may_take_turns(one: Program, schedule: Schedule) -> bool:
    """Whether lanes are run in turn where they cannot be run otherwise."""
    return schedule.form == "auto" and can_take_turns(one)


def array_lanes(one: Program, over: Sequence[bool], schedule: Schedule, target: str) -> LaneProgram:
    """Lanes as rows of arrays. InTurnError where they would have to be run in turn."""
    refuse_own_streams(one)
    if may_take_turns(one, schedule):  # lists that get equally long in all lanes could be rows, others not
        refuse_growth(simplify(one))
    return over_arrays(one, over, schedule, target)


def structured_machine(traced: Traced, made: LaneProgram, target: str) -> Structured:
    """A program over arrays of all lanes, compiled."""
    passed = stages(target, (*traced.stages, ("lanes", made.program)))
    run = compiled(last(passed), target)
    return Structured(traced, made, run, lambda: passed, len(traced.program.entry.body.results))


def machine_in_turn(traced: Traced, over: tuple[bool, ...], target: str, schedule: Schedule) -> Structured:
    """A loop over lanes, of which threads take parts; shown as one of all lanes."""
    made = lanes_in_turn(traced.program, over)
    passed = partial(stages, target, (*traced.stages, ("lanes", made.program)))
    loop = last(stages(target, (("lanes", rows_filled(traced.program, over)),)))
    types = tuple(r.type for r in traced.program.entry.body.results)
    workers = 1 if target == "numpy" else workers_of(schedule.threads)
    return Structured(traced, made, Turns(compiled(loop, target), over, types, workers), passed, len(types))


def compiled(program: Program, target: str) -> Callable[..., Any]:
    """The main function, during which other threads run."""
    text = show(program, target=target, options=["nogil=True"])
    function: Callable[..., Any] = getattr(load(text, program.main), function_names(program)[program.main])
    return function
