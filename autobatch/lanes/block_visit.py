"""One block for the lanes that wait at it: visit : Scope, block -> the state after.

    2 fib after fib                                d = depth[at] - 1
        pop n                                      depth[at] = d
        left = result                              m = n_stack[at, d]
        push left               ->                 left = result[at]
        call fib, n <- n - 2, then 3               left_stack[at, d] = left; depth[at] = d + 1
                                                   n[at] = m - 2; address[at] = 3; pc[at] = 0

Registers that nobody needs any more are not written. Where the two ways out of a block move different
values to one place, np.where picks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autobatch.cfg.graph import BasicBlock, BlockProgram, Branch, Call, Jump, Moves, Return
from autobatch.cfg.liveness import Live, live_in
from autobatch.cfg.spilling import Storage
from autobatch.lanes.axes import aligned, named_in, varying
from autobatch.lanes.local_static import Making, fresh
from autobatch.lanes.masks import I8, Scope, Value
from autobatch.lanes.walk import step
from autobatch.schedule import TOO_DEEP
from codegen import ir
from codegen.ir import Atom, Function, If, Lit, Type, Var
from codegen.ir.build import Builder


@dataclass(eq=False)
class Layout:
    """What is settled before the loop is built. number: block -> its number in the order of running."""

    made: BlockProgram
    where: Storage
    number: Mapping[int, int]
    streams: Mapping[Var, Var]
    making: Making
    limit: Atom | None
    fails: bool
    live: tuple[Live, ...] = field(init=False)
    rooms: dict[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.live = live_in(self.made)

    @property
    def end(self) -> int:
        return len(self.made.blocks)

    def pushed(self, k: int) -> tuple[Var, ...]:
        return tuple(v for v in self.where.pushes.get(k, ()) if v not in self.streams)

    def popped(self, k: int) -> tuple[Var, ...]:
        return tuple(v for v in self.where.popped(self.made, k) if v not in self.streams)


@dataclass(frozen=True, eq=False)
class State:
    """The variables of the loop over blocks, in the order in which they are carried."""

    pc: Var
    failed: Var | None
    depth: Var | None
    registers: Mapping[Var, Var]
    stacks: Mapping[Var, Var]
    streams: Mapping[Var, Var]

    def all(self) -> tuple[Var, ...]:
        some = (v for v in (self.pc, self.failed, self.depth) if v is not None)
        return (*some, *self.registers.values(), *self.stacks.values(), *self.streams.values())

    def changed(self, new: Mapping[Var, Var]) -> State:
        """The state with other variables in the place of some."""

        def each(old: Mapping[Var, Var]) -> dict[Var, Var]:
            return {var: new.get(place, place) for var, place in old.items()}

        failed = None if self.failed is None else new.get(self.failed, self.failed)
        depth = None if self.depth is None else new.get(self.depth, self.depth)
        pc = new.get(self.pc, self.pc)
        return State(pc, failed, depth, each(self.registers), each(self.stacks), each(self.streams))

    def place(self, layout: Layout, var: Var) -> Var:
        """Where a variable of the block program is."""
        return self.streams[layout.streams[var]] if var in layout.streams else self.registers[var]


def visit(inside: Scope, layout: Layout, state: State, k: int) -> tuple[Any, ...]:
    """The state's values after block k has run for the scope's lanes."""
    block = layout.made.blocks[k]
    now: dict[Var, Any] = {v: inside.b.wrap(v) for v in state.all()}
    frame = arrive(inside, layout, state, now, k, block)
    for equation in block.equations:
        step(inside, equation)
    after, following = leave(inside, layout, state, now, k, frame)
    needed = needed_after(layout, k, block)
    for var, place in state.registers.items():
        value = after.get(var) or inside.values.get(var)
        if value is not None and value.atom is not place and var in needed:
            now[place] = written(inside, place, value)
    for var, value in stream_values(inside, layout, block).items():
        now[state.streams[var]] = written(inside, state.streams[var], value)
    if inside.failed is not None:
        assert state.failed is not None
        failed = inside.b.wrap(inside.failed)
        now[state.failed] = put(inside, now[state.failed], failed)
        following = np.where(inside.b.apply("eq", failed, 0), following, np.int64(layout.end))
    now[state.pc] = put(inside, now[state.pc], following)
    return tuple(now.values())


def put(inside: Scope, array: Any, value: Any, *places: Any) -> Any:
    """array[at, ...] = value"""
    at = inside.where()
    spec = ("a",) * (1 + len(places))
    return inside.b.apply("update", array, value, at, *places, spec=spec, name=named_in(inside.b.atom(array)))


def written(inside: Scope, place: Var, value: Value) -> Any:
    """The array of a place with the value for the lanes here; the value itself if it was written in place."""
    b = inside.b
    if value.over and not inside.here(value) and place in inside.whole.versions(value.atom):
        return b.wrap(value.atom)
    given = inside.use(value)
    for n, m in zip(place.type.shape[1:], b.atom(given).type.shape[value.over :]):
        if isinstance(n, int) and isinstance(m, int) and n != m:
            raise varying(b, f"the array {place.name!r}, which changes its size")
    if b.atom(given).type.dtype != place.type.dtype:
        given = b.apply("cast", given, dtype=place.type.dtype)
    return put(inside, b.wrap(place), given)


def arrive(
    inside: Scope, layout: Layout, state: State, now: dict[Var, Any], k: int, block: BasicBlock
) -> Frame | None:
    """Pop what was pushed before the call, and take its results; where the popped frame was."""
    results = [(to, inside.value(source)) for to, source in block.arrives if to not in layout.streams]
    b = inside.b
    frame = None
    if popped := layout.popped(k):
        assert state.depth is not None
        at = inside.where()
        top = b.apply("sub", b.apply("index", now[state.depth], at, spec=("a",)), 1, name="top")
        for var in popped:
            value = b.apply("index", b.wrap(state.stacks[var]), at, top, spec=("a", "a"), name=var.name)
            inside.bind(var, value, True)
        frame = Frame(top, {var: inside.values[var] for var in popped})
    for to, value in results:
        inside.enter(to, value)
    if frame is not None and not layout.pushed(k):
        now[state.depth] = put(inside, now[state.depth], frame.top)  # type: ignore[index]
    return frame


@dataclass(frozen=True, eq=False)
class Frame:
    """The frame a block popped: its place on each lane's stack, and what was in it."""

    top: Any
    values: Mapping[Var, Value]


def leave(
    inside: Scope, layout: Layout, state: State, now: dict[Var, Any], k: int, frame: Frame | None
) -> tuple[dict[Var, Value], Any]:
    """What the terminator moves, and the number of the block to go to."""
    block = layout.made.blocks[k]
    match block.terminator:
        case Jump(target, moves):
            return moved(inside, moves), np.int64(layout.number[target])
        case Branch(test, then, orelse):
            value = inside.value(test)
            numbers = [np.int64(layout.number[edge.target]) for edge in (then, orelse)]
            following = np.where(inside.use(value), *numbers)
            return either(inside, layout, value, then, orelse), following
        case Call(name, moves, then, span):
            after = moved(inside, moves)
            inside.b.span = span
            callee = layout.made.functions[name]
            if pushed := layout.pushed(k):
                push(inside, layout, state, now, pushed, frame)
            if callee.address in state.registers:
                after[callee.address] = Value(Lit(layout.number[then], I8), False)
            return after, np.int64(layout.number[callee.entry])
        case Return(moves):
            if k in layout.where.returns:
                return moved(inside, moves), np.int64(layout.number[layout.where.returns[k]])
            address = inside.value(layout.made.functions[block.function].address)
            return moved(inside, moves), inside.use(address)


def moved(inside: Scope, moves: Moves) -> dict[Var, Value]:
    return {to: inside.value(source) for to, source in moves}


def either(inside: Scope, layout: Layout, test: Value, then: Jump, orelse: Jump) -> dict[Var, Value]:
    """What the two edges move: each place as the lane's own edge has it."""
    sides = [moved(inside, edge.moves) for edge in (then, orelse)]
    found = {}
    for var in {**sides[0], **sides[1]}:
        if var in layout.streams:
            continue
        live = [var in layout.live[edge.target] for edge in (then, orelse)]
        a, b = (side.get(var) or inside.value(var) for side in sides)
        if a.atom is b.atom or not live[1]:
            found[var] = a
        elif not live[0]:
            found[var] = b
        else:
            values = [aligned(inside.b, inside.use(v), v.over, var.type.rank) for v in (test, a, b)]
            over = any(v.over for v in (test, a, b))
            found[var] = Value(inside.b.atom(np.where(*values)), over, inside.base if over else None)
    return found


def push(
    inside: Scope,
    layout: Layout,
    state: State,
    now: dict[Var, Any],
    pushed: tuple[Var, ...],
    frame: Frame | None,
) -> None:
    """Put variables on their stacks, which are made larger where they are full.

    A block that has just popped a frame pushes the next one in its place: what is in it already stays there.
    """
    top = frame.top if frame is not None else new_frame(inside, layout, state, now)
    kept = {} if frame is None else frame.values
    for var in pushed:
        value = inside.value(var)
        if var in kept and kept[var].atom is value.atom:
            continue
        stack = room(inside, layout, now[state.stacks[var]], np.max(top))
        now[state.stacks[var]] = put(inside, stack, inside.use(value), top)


def new_frame(inside: Scope, layout: Layout, state: State, now: dict[Var, Any]) -> Any:
    """One frame more for each lane: its place. A lane that has too many fails."""
    assert state.depth is not None
    b = inside.b
    at = inside.where()
    top = b.apply("index", now[state.depth], at, spec=("a",), name="top")
    if layout.limit is not None:
        limit = b.wrap(layout.limit)
        inside.fail(top < limit, True, "RecursionError", TOO_DEEP)
        top = np.where(top < limit, top, 0)
    now[state.depth] = put(inside, now[state.depth], top + 1)
    return top


def room(inside: Scope, layout: Layout, stack: Any, highest: Any) -> Any:
    """The stack, with room for frame `highest`: a call of a function that doubles it if need be."""
    type_: Type = stack.type
    key = (type_.dtype, type_.rank)
    if key not in layout.rooms:
        layout.rooms[key] = name = fresh("room", {*layout.making.made, *layout.making.one.functions})
        layout.making.made[name] = roomy(name, type_)
    out = Var(
        named_in(inside.b.atom(stack)), Type(type_.dtype, (type_.shape[0], Var("room", I8), *type_.shape[2:]))
    )
    inside.b.emit((out,), ir.Call(layout.rooms[key], (inside.b.atom(stack), inside.b.atom(highest))))
    return inside.b.wrap(out)


def roomy(name: str, type_: Type) -> Function:
    """def room(stack, top): a stack [lanes, frames, ...] that has a frame `top`, at least twice as large if
    made.
    """
    sizes = [Var(n, I8) for n in ("lanes", "frames", *("n" for _ in type_.shape[2:]))]
    stack, top = Var("stack", Type(type_.dtype, tuple(sizes))), Var("top", I8)
    b = Builder(checked=False)
    full = b.apply("ge", b.wrap(top), b.wrap(sizes[1]))
    grow = b.inner()
    lanes, frames, *rest = (grow.wrap(n) for n in sizes)
    more = np.maximum(frames, grow.wrap(top) + 1 - frames)
    empty = grow.apply("empty", lanes, more, *rest, dtype=type_.dtype)
    larger = grow.apply("concatenate", grow.wrap(stack), empty, axis=1)
    out = Var("stack", Type(type_.dtype, (sizes[0], Var("room", I8), *sizes[2:])))
    b.emit((out,), If(b.atom(full), grow.block((larger,)), b.inner().block((stack,))))
    return Function(name, (stack, top), b.block((out,)))


def needed_after(layout: Layout, k: int, block: BasicBlock) -> set[Var]:
    """The places that are read after the block before they are assigned again."""
    match block.terminator:
        case Jump(target):
            return set(layout.live[target])
        case Branch(_, then, orelse):
            return set(layout.live[then.target] | layout.live[orelse.target])
        case Call(name, moves, then):
            callee = layout.made.functions[name]
            kept = layout.live[then] - set(layout.pushed(k))
            return set(kept | layout.live[callee.entry] | {callee.address})
        case Return(moves):
            return {to for to, _ in moves}


def stream_values(inside: Scope, layout: Layout, block: BasicBlock) -> dict[Var, Value]:
    """For each of main's streams that the block drew from, where it is now."""
    found = {}
    for equation in block.equations:
        for out in equation.outs:
            if out in layout.streams:
                found[layout.streams[out]] = inside.value(out)
    return found
