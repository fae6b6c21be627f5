"""A program over arrays whose first axis is lanes: over_arrays : Program, arguments over lanes -> LaneProgram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autobatch.lanes.local_static import LaneProgram, local_static
from autobatch.lanes.program_counter import program_counter
from autobatch.schedule import Schedule
from codegen.infer.main import reorder
from codegen.ir import Program
from codegen.ir.check import check
from codegen.simplify.driver import simplify


def over_arrays(traced: Program, over: Sequence[bool], schedule: Schedule, target: str) -> LaneProgram:
    """By program counter, or in structured code where that was asked for, or where Numba is to compile it."""
    one = simplify(traced)
    if target == "numba" or schedule.form == "local_static":
        made = local_static(one, over)
    else:
        made = program_counter(one, over, stack_limit=schedule.stack_limit or "memory")
    count = len(traced.entry.body.results) + bool(made.failings)
    return replace(made, program=check(reorder(made.program, tuple(range(count))), after="lanes"))
