"""A block program as functions over groups of lanes side by side: groups_module : BlockProgram -> LaneModule.

    def leaf(lane, F, I):                      # one block, of one lane
        energy0 = F[ENERGY0 + lane]
        ...
        return 17                              # where the lane goes on

    def leaf_group(F, I):                      # the block for the lanes that wait at it
        for lane in range(G):                  # side by side: vector instructions, stores under a mask
            if I[PC + lane] == 13:
                I[PC + lane] = leaf(lane, F, I)

A group is G lanes, each at its own block, their numbers in rows of one array a dtype, lanes innermost. At blocks that
matter lanes wait for each other, and of those the cheapest runs first, so that vectors are full at the expensive ones.
The others run lane by lane, one after the other until the lane waits again (`advance`). A lane that comes to its end
makes room for the next that no thread has taken: threads share nothing but the number of that lane. Where all lanes go
the same way, none of that is needed (`sweep.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.cfg.graph import BlockProgram
from autobatch.kernel.memory.group import GroupMemory
from autobatch.kernel.module import LaneModule, module_text
from autobatch.kernel.numba import hints
from autobatch.kernel.numba.groups.advance import advancing, onwards
from autobatch.kernel.numba.groups.blocks import Blocks
from autobatch.kernel.numba.groups.driver import constant_lines, driver, memory_sizes
from autobatch.kernel.numba.groups.ends import finishing, loading
from autobatch.kernel.numba.groups.queue import closer
from autobatch.kernel.numba.groups.sweep import all_lanes, has_narrow_blocks
from autobatch.profiling.probes import UNMARKED, Unmarked
from autobatch.schedule import Schedule
from autobatch.simd.block_splitting import tests_after
from autobatch.simd.tail_duplication import Flow
from codegen import runtime


def groups_module(
    program: BlockProgram,
    shared: Sequence[bool],
    name: str,
    notes: str = "",
    schedule: Schedule | None = None,
    marks: Unmarked = UNMARKED,
) -> LaneModule:
    """The module of a block program whose parameters marked in `shared` are one for all lanes.

    Of `schedule` the lanes of a group and the layout of their memory are heeded.
    """
    memory = GroupMemory(program, shared, name, schedule or Schedule(), marks)
    flow = Flow(memory)
    b = Blocks(memory, flow, marks)
    return LaneModule(
        module_text(*group_code(b), notes, program),
        f"{name}_lanes",
        tuple(b.visits.lowering.sites),
        (),
        False,
        wide=tuple(f"{b.block_names[k]}_group" for k in flow.order()),
        group=memory.group,
        few=b.few or memory.group,
        ways=ways_to_run(b),
        frame=memory.where.frame,
        queued=not flow.one_way,
        divisors=tuple(memory.inputs.index(memory.shares[constant][0]) for constant in memory.inverses),
    )


def group_stages(
    program: BlockProgram, shared: Sequence[bool], name: str, schedule: Schedule
) -> dict[str, str]:
    """The statements of all blocks after each pass over them, by its name."""
    memory = GroupMemory(program, shared, name, schedule, UNMARKED)
    b = Blocks(memory, Flow(memory), UNMARKED)
    b.stages = {}
    for k in b.flow.entered():
        b.block(k)
    return {name: "\n".join(listed) for name, listed in b.stages.items()}


def group_code(b: Blocks) -> tuple[list[str], list[str]]:
    """Constants, functions of blocks, and of what is between them; what they call."""
    one_way = b.flow.one_way
    blocks = [b.block(k) for k in b.flow.entered()]
    load, finish, advance = loading(b), finishing(b), advancing(b)
    on = None if one_way else onwards(b, advance, finish)
    run = driver(b, load, advance, finish, on)
    helpers = b.spelling.helpers(b.memory.program)
    head = constant_lines(b) + (f"\n{memory_sizes(b)}" if any(b.memory.wide) else "")
    parts = [
        head,
        hints.DISTINCT,
        *[hints.WITHIN] * any(b.memory.wide),
        *blocks,
        load.text,
        finish.text,
    ]
    parts += [advance.text] if on or has_narrow_blocks(b) else []
    parts += [on.text] if on else []
    parts += [closer(b.memory)] if b.few else []
    parts += [all_lanes(b, load, advance, finish)] if one_way else []
    return [*parts, run], helper_texts(b, helpers)


def helper_texts(b: Blocks, helpers: Sequence[str]) -> list[str]:
    """What the functions call; `helpers`: of codegen/runtime."""
    wide, intrinsics = any(b.memory.wide), b.spelling.intrinsics
    found = {
        WIDER: b.memory.stacks,
        hints.NEXT_LANES: not b.flow.one_way,
        hints.MULADD: "muladd" in intrinsics,
        hints.SELECT: "select" in intrinsics,
        runtime.text(helpers, form=in_group): True,
        hints.ALIGNED: True,
        hints.WIDE: wide,
        hints.READABLE: wide,
        hints.APART: not all(map(b.paired, b.flow.order())),
        hints.PAIRED: any(map(b.paired, b.flow.order())),
        hints.UNROLL: b.unrolled,
        hints.DRAWS: b.draws_often,
        hints.RARE: not runtime.RARE.isdisjoint(runtime.defines(helpers)),
        hints.ATTENDS: True,
        hints.STOPS: True,
    }
    return [*(text for text, wanted in found.items() if wanted), b.marks.text()]


def ways_to_run(b: Blocks) -> tuple[str, ...]:
    """How lanes run each block."""
    entered, wide = b.flow.entered(), [k for k, wide in enumerate(b.memory.wide) if wide]
    found = ["lane by lane" if k in entered else "at the end of others" for k in range(b.memory.end)]
    for k in wide:
        found[k] = "side by side"
        for test in tests_after(b.memory.program, k):
            if b.flow.goes_on(test, (k,)):
                found[test] = "side by side at the end of others"
    return tuple(found)


def in_group(part: runtime.Part) -> str:
    """A function of codegen/runtime, its stream in one row of many. What is rare stays a function of its own: inlined
    it is half of a module."""
    source = runtime.with_offset(part)
    if runtime.RARE.isdisjoint(part.names):
        return source
    lines = source.split("\n")[1:]
    lines.insert(part.opening, "    rarely_called()")
    return "\n".join(('@njit(error_model="numpy", pipeline_class=Distinct)', *lines))


WIDER = '''
@njit(error_model="numpy")
def wider(stack, more):
    """A stack with room for twice as much, and `more`."""
    made = np.empty((stack.shape[0], 2 * stack.shape[1] + more), stack.dtype)
    for lane in range(stack.shape[0]):
        for k in range(stack.shape[1]):
            made[lane, k] = stack[lane, k]
    return made
'''
