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
from typing import Any, Literal

import numpy as np

from autobatch.cfg.generators import stream_of
from autobatch.cfg.graph import BlockProgram, terminator_moves
from autobatch.cfg.lower import Keep, blocks
from autobatch.cfg.may_fail import can_fail, may_fail
from autobatch.cfg.spilling import storage
from autobatch.cfg.uniform_hoisting import hoist, never_written
from autobatch.lanes.axes import varying
from autobatch.lanes.block_visit import Layout, State, visit
from autobatch.lanes.local_static import LaneProgram, Making, check_arguments, local_static
from autobatch.lanes.loops import count_of
from autobatch.lanes.masks import I8, Scope, Value
from autobatch.lanes.walk import run
from autobatch.schedule import DEEPEST, FEWEST, STACKS, block_order
from codegen.ir import Atom, Block, Dim, Function, If, Lit, Program, Type, Var, While, program
from codegen.ir.build import Builder
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify

CAPACITY = 8  # frames that a stack has room for at first
Limit = int | Literal["memory"] | None


def program_counter(
    one: Program, over: Sequence[bool], *, stack_limit: Limit = None, keep: Keep = "calls"
) -> LaneProgram:
    """`one` for many lanes; `over` says which of its parameters are given per lane.

    `stack_limit`: the most frames a lane may push before it fails with RecursionError; "memory": as Schedule says
    for all these lanes; None: stacks grow. A
    program in which nothing recursive is called is one block unless `keep` (lower.py) cuts it: then this is
    `local_static`. Errors as there.
    """
    check_arguments(one, over)
    made = blocks(bounds(one), keep=keep)
    if len(made.blocks) == 1:
        return local_static(one, over)
    return machine(one, made, over, stack_limit)


def machine(one: Program, made: BlockProgram, over: Sequence[bool], stack_limit: Limit) -> LaneProgram:
    """The loop over blocks, with all that goes before and after it."""
    shared = {p for p, o in zip(made.entry.params, over) if not o} & never_written(made)
    prologue, made = hoist(made, shared)
    making = Making(made.program)
    layout = layout_of(made, making)
    b = Builder(span=one.entry.span, checked=False)
    scope = Scope(making.whole, b, b.wrap(Var("lanes", I8)), masked=True)
    params = []
    for var, o in zip(made.entry.params, over):
        params.append(Var(var.name, scope.type(var.type, o)))
        scope.bind(var, b.wrap(params[-1]), o)
    run(scope, Block(prologue, ()))
    known_sizes(scope, made)
    if stack_limit is not None and layout.where.stacks:
        layout.limit = Lit(stack_limit, I8) if stack_limit != "memory" else most_frames(scope, layout)
    state, init = initial(scope, layout)
    outs = loop(scope, layout, state, init)
    end = dict(zip(state.all(), outs))
    results = [scope.b.wrap(end[state.place(layout, r)]) for r in made.entry.results]
    results += [scope.b.wrap(end[state.failed])] if state.failed is not None else []
    entry = one.entry
    function = Function(one.main, tuple(params), b.block(tuple(results)), entry.span, entry.doc)
    functions = {**making.made, one.main: function}
    whole = simplify(
        program(functions, one.main), explicit=True
    )  # what was pushed is there when it is popped
    return LaneProgram(whole, tuple(making.whole.failings), "program_counter")


def layout_of(made: BlockProgram, making: Making) -> Layout:
    failing = may_fail(made.program)
    fails = any(can_fail(Block(b.equations, ()), failing) for b in made.blocks)
    number = {k: at for at, k in enumerate(block_order(made))}
    number[len(made.blocks)] = len(made.blocks)
    return Layout(made, storage(made), number, stream_of(made), making, None, fails)


def most_frames(scope: Scope, layout: Layout) -> Atom:
    """`schedule.deepest` for all lanes, whose number is known when the program runs."""
    frame = max(layout.where.frame, 1)
    few = np.minimum(np.int64(DEEPEST), np.int64(STACKS // frame) // np.maximum(scope.n, 1))
    return scope.b.atom(np.maximum(few, np.int64(FEWEST)))


def known_sizes(scope: Scope, made: BlockProgram) -> None:
    """Enter the sizes of variables that get their values, and so their sizes, by moves."""
    moves = [m for b in made.blocks for moves in (b.arrives, *terminator_moves(b)) for m in moves]
    changed = True
    while changed:
        changed = False
        for to, source in moves:
            for mine, its in zip(to.type.shape, source.type.shape):
                if isinstance(mine, Var) and scope.find(mine) is None and known(scope, its):
                    scope.values[mine] = (
                        Value(Lit(its, I8), False) if isinstance(its, int) else scope.value(its)
                    )
                    changed = True


def known(scope: Scope, dim: Dim) -> bool:
    return isinstance(dim, int) or scope.find(dim) is not None


def initial(scope: Scope, layout: Layout) -> tuple[State, list[Any]]:
    """The loop's variables and what they are at first."""
    b, made = scope.b, layout.made
    lanes = scope.n
    init: list[Any] = []

    def carried(name: str, value: Any, type_: Type | None = None) -> Var:
        init.append(value)
        return Var(name, type_ or b.atom(value).type)

    start = layout.number[made.entry.entry]
    pc = carried("pc", b.apply("full", np.int64(start), lanes, dtype="i8", name="pc"))
    failed = depth = None
    if layout.fails or layout.limit is not None:
        failed = carried("failed", b.apply("full", np.int64(0), lanes, dtype="i8", name="failed"))
    if layout.where.stacks:
        depth = carried("depth", b.apply("full", np.int64(0), lanes, dtype="i8", name="depth"))
    registers = {}
    for var in layout.where.registers:
        if (var not in layout.streams and scope.find(var) is None) or written(layout, var):
            registers[var] = carried(var.name, first_value(scope, layout, var))
    stacks = {}
    for var in layout.where.stacks:
        if var not in layout.streams:
            sizes = [scope.b.size(d) for d in sizes_of(scope, var)]
            made_ = b.apply("empty", lanes, CAPACITY, *sizes, dtype=var.type.dtype, name=f"{var.name}_stack")
            type_ = b.atom(made_).type
            room = Type(type_.dtype, (type_.shape[0], Var("room", I8), *type_.shape[2:]))
            stacks[var] = carried(f"{var.name}_stack", made_, room)
    streams = {}
    for param in dict.fromkeys(layout.streams.values()):
        streams[param] = carried(param.name, scope.over(scope.value(param)))
    return State(pc, failed, depth, registers, stacks, streams), init


def written(layout: Layout, var: Var) -> bool:
    """Whether a parameter of main is also a place that blocks assign."""
    return (
        var not in layout.streams
        and var in layout.made.entry.params
        and var not in never_written(layout.made)
    )


def first_value(scope: Scope, layout: Layout, var: Var) -> Any:
    if (given := scope.find(var)) is not None:
        return scope.over(given)
    b = scope.b
    if var is layout.made.entry.address:
        return b.apply("full", np.int64(layout.end), scope.n, dtype="i8", name=var.name)
    sizes = [b.size(d) for d in sizes_of(scope, var)]
    return b.apply("empty", scope.n, *sizes, dtype=var.type.dtype, name=var.name)


def sizes_of(scope: Scope, var: Var) -> list[Dim]:
    """The sizes of one lane's value, which must be the same for all lanes."""
    if not all(known(scope, d) for d in var.type.shape):
        raise varying(scope.b, f"the array {var.name!r}")
    return [scope.dim(d) for d in var.type.shape]


def loop(scope: Scope, layout: Layout, state: State, init: list[Any]) -> tuple[Var, ...]:
    """while np.any(pc < end): pick a block, run it for the lanes that wait there."""
    body = scope.inner()
    pc = body.b.wrap(state.pc)
    block = body.b.apply("min", pc, axis=(0,), name="block")
    at = body.b.apply("flatnonzero", body.b.apply("eq", pc, block), name="at")
    now = state
    for k in sorted(range(layout.end), key=layout.number.__getitem__):
        now = block_if_chosen(body, layout, now, block, at, k)
    cond = scope.b.inner()
    waiting = cond.apply("any", cond.apply("lt", cond.wrap(state.pc), layout.end), axis=(0,))
    carried = state.all()
    outs = tuple(Var(v.name, open_sizes(v.type)) for v in carried)
    atoms = tuple(scope.b.atom(u) for u in init)
    scope.b.emit(outs, While(carried, atoms, cond.block((waiting,)), body.b.block(now.all())))
    return outs


def block_if_chosen(body: Scope, layout: Layout, state: State, block: Any, at: Any, k: int) -> State:
    """if block == k: ...; the state after it. (Only one of the blocks is chosen each time round.)"""
    enter(body, layout, state)
    then = body.b.inner()
    inside = body.inner(then, at=body.b.atom(at), n=then.wrap(count_of(body.b.atom(at))), masked=True)
    before = state.all()
    after = [then.atom(value) for value in visit(inside, layout, state, k)]
    changed = [(old, new) for old, new in zip(before, after) if new is not old]
    outs = {old: Var(old.name, open_sizes(old.type)) for old, _ in changed}
    test = body.b.apply("eq", block, layout.number[k])
    busy = then.block(tuple(new for _, new in changed))
    idle = Block((), tuple(old for old, _ in changed))
    body.b.emit(tuple(outs.values()), If(body.b.atom(test), busy, idle))
    return state.changed(outs)


def enter(body: Scope, layout: Layout, state: State) -> None:
    """The block program's variables, where they are now."""
    for var, place in state.registers.items():
        body.enter(var, Value(place, True, body.base))
    for var, param in layout.streams.items():
        body.values[var] = Value(state.streams[param], True, body.base)


def open_sizes(type_: Type) -> Type:
    """A stack's room may have changed."""
    shape = tuple(Var("room", I8) if isinstance(d, Var) and d.name == "room" else d for d in type_.shape)
    return Type(type_.dtype, shape)
