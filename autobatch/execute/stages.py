"""What `.stages()` shows of a machine: the program after each pass on the way to a module of lanes."""

from __future__ import annotations

from functools import partial
from typing import Any

from autobatch import pipeline
from autobatch.cfg.check import check as check_blocks
from autobatch.cfg.graph import BlockProgram
from autobatch.cfg.lower import lower_to_blocks
from autobatch.execute.executor import Machine
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.kernel.cuda.module import met, thread_stages
from autobatch.kernel.module import LaneModule
from autobatch.kernel.numba.groups.module import group_stages
from autobatch.kernel.numba.lanes import lane_stages
from autobatch.prepare.passes import is_large_product
from autobatch.simd.block_splitting import is_met
from codegen.ir import Program
from codegen.ir.check import check
from codegen.pipeline import last, through


def machine_stages(
    machine: Machine, module: LaneModule, seconds: dict[str, float] | None = None
) -> dict[str, Program | BlockProgram]:
    """The program after each pass on the way to a module; `seconds` is given what each took."""
    if isinstance(machine, GpuMachine):
        return gpu_stages(machine, seconds)
    in_groups = machine.can_group and module is machine.groups
    made = through(pipeline.PREPARE | pipeline.CONTRACT, machine.traced.program, check, seconds)
    program: Any = last(made)
    meets = partial(is_met, program=program) if in_groups else is_large_product
    lowered: dict[str, Any] = {"blocks": partial(lower_to_blocks, meets=meets)}
    cut = through(lowered | (pipeline.GROUPS if in_groups else {}), program, check_blocks, seconds)
    return {**made, **cut}


def gpu_stages(
    machine: GpuMachine, seconds: dict[str, float] | None = None
) -> dict[str, Program | BlockProgram]:
    """The same for a kernel; its blocks are put in order last."""
    made = through(pipeline.FOR_THREADS | pipeline.CONTRACT, machine.traced.program, check, seconds)
    blocks: dict[str, Any] = {"blocks": lambda _: machine.grouped}
    if machine.votes and not machine.waits:
        blocks["meetings"] = lambda program: met(program, machine.shared, machine.name)[0]
    return {**made, **through(blocks, last(made), check_blocks, seconds)}


def kernel_stages(machine: Machine, module: LaneModule) -> dict[str, str]:
    """The statements of lanes after each pass over them, listed."""
    if isinstance(machine, GpuMachine):
        return thread_stages(machine.grouped, machine.shared, machine.name, votes=machine.votes)
    if machine.can_group and module is machine.groups:
        return group_stages(machine.grouped, machine.shared, machine.name, machine.schedule)
    return lane_stages(machine.program, machine.shared, machine.name)
