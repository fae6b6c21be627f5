"""Lanes at places of their own: program_counter : Program, which arguments are over lanes -> LaneProgram.

    def fib(n):                              pc = np.zeros(lanes, np.int64)
        if n <= 1:                           while np.any(pc < 5):
            return 1                             block = np.min(pc)
        return fib(n - 1) + fib(n - 2)   ->      at = np.flatnonzero(pc == block)
                                                 if block == 0:
                                                     pc[at] = np.where(n[at] <= 1, 1, 2)
                                                 if block == 1:
                                                     ...

(Radul et al. 2020, "Automatically batching control-intensive programs", section 3: program-counter
autobatching.) A lane waits at a block; the loop picks a block and runs it for the lanes that wait there.
Blocks are numbered in the order in which they are to run (schedule.py), so that the one to pick is the
smallest number waited at.

Registers are arrays over lanes. What a call may overwrite is on stacks, arrays [lanes, depth, ...] that
double when they are full, with one depth a lane. Streams stay where they are. What is the same for all
lanes is computed once, before the loop. What one block does for its lanes is in block_visit.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from autobatch.cfg.graph import BlockProgram, all_moves
from autobatch.cfg.lower import Keep, lower_to_blocks
from autobatch.cfg.uniform_hoisting import hoist_uniform, never_written
from autobatch.cost_model import STACKED_FRAMES
from autobatch.lanes.axes import varying_size
from autobatch.lanes.block_visit import BlockVisit, Layout, State, grown_type, place_in_state
from autobatch.lanes.local_static import (
    LaneFunctions,
    LaneProgram,
    check_lane_flags,
    convert_block,
    local_static,
)
from autobatch.lanes.loops import place_count
from autobatch.lanes.masks import LaneScope, LaneValue
from autobatch.schedule import DEEPEST, FEWEST, STACKS, Schedule
from codegen.infer.main import reorder
from codegen.ir import Atom, Block, Dim, Function, If, Lit, Program, Type, Var, While, program
from codegen.ir.build import I8, Builder
from codegen.ir.check import check
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify

Limit = int | Literal["memory"] | None


def program_counter(
    one: Program, over: Sequence[bool], *, stack_limit: Limit = None, keep: Keep = "calls"
) -> LaneProgram:
    """`one` for many lanes; `over` says which of its parameters are given per lane.

    `stack_limit`: the most frames a lane may push before it fails with RecursionError; "memory": as Schedule says
    for all these lanes; None: stacks grow. A program in which nothing recursive is called is one block unless
    `keep` (lower.py) cuts it: then this is `local_static`. Errors as there.
    """
    check_lane_flags(one, over)
    made = lower_to_blocks(bounds(one), keep=keep)
    if len(made.blocks) == 1:
        return local_static(one, over)
    return build_program(one, made, over, stack_limit)


def over_arrays(traced: Program, over: Sequence[bool], schedule: Schedule, target: str) -> LaneProgram:
    """By program counter, or in structured code where that was asked for, or where Numba is to compile it."""
    schedule.check_on_cpu()
    one = simplify(traced)
    if target == "numba" or schedule.form == "local_static":
        made = local_static(one, over)
    else:
        made = program_counter(one, over, stack_limit=schedule.stack_limit or "memory")
    count = len(traced.entry.body.results) + bool(made.failings)
    return replace(made, program=check(reorder(made.program, tuple(range(count))), after="lanes"))


def build_program(one: Program, made: BlockProgram, over: Sequence[bool], stack_limit: Limit) -> LaneProgram:
    """The loop over blocks, with all that goes before and after it."""
    shared = {p for p, o in zip(made.entry.params, over) if not o} & never_written(made)
    prologue, made = hoist_uniform(made, shared)
    making = LaneFunctions(made.program)
    layout = Layout(made, making)
    b = Builder(span=one.entry.span, checked=False)
    scope = LaneScope(making.whole, b, b.wrap(Var("lanes", I8)), masked=True)
    params = tuple(scope.parameter(var, o) for var, o in zip(made.entry.params, over))
    convert_block(scope, Block(prologue, ()))
    enter_moved_sizes(scope, made)
    if stack_limit is not None and layout.where.stacks:
        layout.limit = Lit(stack_limit, I8) if stack_limit != "memory" else most_frames(scope, layout)
    state, init = initial_state(scope, layout)
    outs = block_loop(scope, layout, state, init)
    end = dict(zip(state, outs))
    results = [scope.b.wrap(place_in_state(layout, end, r)) for r in made.entry.results]
    results += [scope.b.wrap(end["failed"])] if "failed" in end else []
    entry = one.entry
    function = Function(one.main, params, b.block(tuple(results)), entry.span, entry.doc)
    functions = {**making.made, one.main: function}
    whole = simplify(
        program(functions, one.main), explicit=True
    )  # what was pushed is there when it is popped
    return LaneProgram(whole, tuple(making.whole.failings), "program_counter")


def most_frames(scope: LaneScope, layout: Layout) -> Atom:
    """`schedule.deepest` for all lanes, whose number is known when the program runs."""
    frame = max(layout.where.frame, 1)
    few = np.minimum(np.int64(DEEPEST), np.int64(STACKS // frame) // np.maximum(scope.n, 1))
    return scope.b.atom(np.maximum(few, np.int64(FEWEST)))


def enter_moved_sizes(scope: LaneScope, made: BlockProgram) -> None:
    """Enter the sizes of variables that get their values, and so their sizes, by moves."""
    moves = [move for block in made.blocks for move in all_moves(block)]
    changed = True
    while changed:
        changed = False
        for to, source in moves:
            for mine, its in zip(to.type.shape, source.type.shape):
                if isinstance(mine, Var) and scope.find(mine) is None and is_known_size(scope, its):
                    scope.values[mine] = scope.value(Lit(its, I8) if isinstance(its, int) else its)
                    changed = True


def is_known_size(scope: LaneScope, dim: Dim) -> bool:
    return isinstance(dim, int) or scope.find(dim) is not None


def initial_state(scope: LaneScope, layout: Layout) -> tuple[State, list[Any]]:
    """The loop's variables and what they are at first."""
    b, made = scope.b, layout.made
    init: list[Any] = []
    state: dict[object, Var] = {}

    def carry(key: object, name: str, value: Any) -> None:
        init.append(value)
        type_ = b.atom(value).type
        state[key] = Var(name, grown_type(type_) if isinstance(key, tuple) else type_)

    start = layout.number[made.entry.entry]
    carry("pc", "pc", b.apply("full", np.int64(start), scope.n, dtype="i8", name="pc"))
    noted = ["failed"] if layout.fails or layout.limit is not None else []
    for name in noted + (["depth"] if layout.where.stacks else []):
        carry(name, name, b.apply("full", np.int64(0), scope.n, dtype="i8", name=name))
    written = set(made.entry.params) - never_written(made)
    for var in layout.where.registers:
        if var not in layout.streams and (scope.find(var) is None or var in written):
            carry(var, var.name, initial_value(scope, layout, var))
    for var in layout.where.stacks:
        if var not in layout.streams:
            name = f"{var.name}_stack"
            carry(("stack", var), name, empty_over_lanes(scope, var, STACKED_FRAMES, name=name))
    for param in dict.fromkeys(layout.streams.values()):
        carry(param, param.name, scope.over(scope.value(param)))
    return state, init


def initial_value(scope: LaneScope, layout: Layout, var: Var) -> Any:
    if (given := scope.find(var)) is not None:
        return scope.over(given)
    b = scope.b
    if var is layout.made.entry.address:
        return b.apply("full", np.int64(layout.end), scope.n, dtype="i8", name=var.name)
    return empty_over_lanes(scope, var, name=var.name)


def empty_over_lanes(scope: LaneScope, var: Var, *frames: int, name: str) -> Any:
    """An array over lanes for a variable's values, whose sizes must be the same for all lanes."""
    if not all(is_known_size(scope, d) for d in var.type.shape):
        raise varying_size(scope.b, f"the array {var.name!r}")
    sizes = (scope.b.size(scope.dim(d)) for d in var.type.shape)
    return scope.b.apply("empty", scope.n, *frames, *sizes, dtype=var.type.dtype, name=name)


def block_loop(scope: LaneScope, layout: Layout, state: State, init: list[Any]) -> tuple[Var, ...]:
    """while np.any(pc < end): pick a block, run it for the lanes that wait there."""
    body = scope.inner()
    block = body.b.apply("min", body.b.wrap(state["pc"]), axis=(0,), name="block")
    at = body.b.apply("flatnonzero", body.b.apply("eq", body.b.wrap(state["pc"]), block), name="at")
    now = state
    for k in sorted(range(layout.end), key=layout.number.__getitem__):
        now = block_if_chosen(body, layout, now, block, at, k)
    cond = scope.b.inner()
    waiting = cond.apply("any", cond.apply("lt", cond.wrap(state["pc"]), layout.end), axis=(0,))
    carried = tuple(state.values())
    outs = tuple(Var(v.name, open_sizes(v.type)) for v in carried)
    atoms = tuple(scope.b.atom(u) for u in init)
    done = body.b.block(tuple(now.values()))
    scope.b.emit(outs, While(carried, atoms, cond.block((waiting,)), done))
    return outs


def block_if_chosen(body: LaneScope, layout: Layout, state: State, block: Any, at: Any, k: int) -> State:
    """if block == k: ...; the state after it. (Only one of the blocks is chosen each time round.)"""
    for var in (*(v for v in state if isinstance(v, Var)), *layout.streams):
        body.enter(var, LaneValue(place_in_state(layout, state, var), True, body.base))
    then = body.b.inner()
    inside = body.inner(then, at=body.b.atom(at), n=then.wrap(place_count(body.b.atom(at))), masked=True)
    after = {key: then.atom(value) for key, value in BlockVisit(inside, layout, state, k).run().items()}
    changed = [key for key, atom in after.items() if atom is not state[key]]
    outs = {key: Var(state[key].name, open_sizes(state[key].type)) for key in changed}
    test = body.b.apply("eq", block, layout.number[k])
    busy = then.block(tuple(after[key] for key in changed))
    idle = Block((), tuple(state[key] for key in changed))
    body.b.emit(tuple(outs.values()), If(body.b.atom(test), busy, idle))
    return {**state, **outs}


def open_sizes(type_: Type) -> Type:
    """A stack's room may have changed."""
    shape = tuple(Var("room", I8) if isinstance(d, Var) and d.name == "room" else d for d in type_.shape)
    return Type(type_.dtype, shape)
