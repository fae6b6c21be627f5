"""One block for the lanes that wait at it: BlockVisit(scope, ...).run() is the state after.

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

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from autobatch.cfg.generators import stream_of
from autobatch.cfg.graph import BlockProgram, Branch, Call, Jump, Moves, Return, edges, equation_outs
from autobatch.cfg.liveness import live_in
from autobatch.cfg.may_fail import failing_functions, fails_in
from autobatch.cfg.spilling import assign_storage
from autobatch.lanes.axes import align_axes
from autobatch.lanes.local_static import LaneFunctions, convert_equation
from autobatch.lanes.masks import LaneScope, LaneValue
from autobatch.schedule import TOO_DEEP, block_order
from codegen import ir
from codegen.ir import Atom, Function, If, Lit, Type, Var
from codegen.ir.build import I8, Builder
from codegen.ir.exceptions import thrown
from codegen.ir.literals import name_of
from codegen.ir.traversal import unused_name


class Layout:
    """What is settled before the loop is built.

    number: block -> its number in the order of running. limit: frames that a lane may have; None: any number.
    rooms: the functions that make stacks larger, by dtype and rank.
    """

    def __init__(self, made: BlockProgram, making: LaneFunctions):
        self.made, self.making = made, making
        self.where, self.live, self.streams = assign_storage(made), live_in(made), stream_of(made)
        self.end = len(made.blocks)
        self.number = {k: at for at, k in enumerate((*block_order(made), self.end))}
        failing = failing_functions(made.program)
        self.fails = any(fails_in(b.equations, failing) for b in made.blocks)
        self.limit: Atom | None = None
        self.rooms: dict[tuple[str, int], str] = {}

    def pushed(self, k: int) -> tuple[Var, ...]:
        return tuple(v for v in self.where.pushes.get(k, ()) if v not in self.streams)

    def popped(self, k: int) -> tuple[Var, ...]:
        return tuple(v for v in self.where.popped(self.made, k) if v not in self.streams)


# The variables of the loop over blocks, in the order in which it carries them: "pc", "failed", "depth", registers and
# main's streams by their variables, stacks by ("stack", variable).
State = Mapping[object, Var]


def place_in_state(layout: Layout, state: State, var: Var) -> Var:
    """Where a variable of the block program is."""
    return state[layout.streams.get(var, var)]


@dataclass(frozen=True, eq=False)
class PoppedFrame:
    """The frame a block popped: its place on each lane's stack, and what was in it."""

    top: Any
    values: Mapping[Var, LaneValue]


class BlockVisit:
    """Block k for the lanes of a scope; `now`: the state's values so far."""

    def __init__(self, inside: LaneScope, layout: Layout, state: State, k: int):
        self.inside, self.b = inside, inside.b
        self.layout = layout
        self.state = state
        self.now: dict[object, Any] = {key: self.b.wrap(v) for key, v in state.items()}
        self.block = layout.made.blocks[k]
        self.pushed, self.popped = layout.pushed(k), layout.popped(k)
        self.returns_to = layout.where.returns.get(k)

    def run(self) -> dict[object, Any]:
        inside, now = self.inside, self.now
        frame = self.arrive()
        for equation in self.block.equations:
            convert_equation(inside, equation)
        after, following = self.leave(frame)
        needed = self.needed_after()
        for var, home in self.state.items():
            if isinstance(var, Var) and var in needed and var not in self.layout.streams:
                value = after.get(var) or inside.values.get(var)
                if value is not None and value.atom is not home:
                    now[var] = inside.put_back(home, value, inside.use)
        drawn = {self.layout.streams[v]: v for v in equation_outs(self.block) if v in self.layout.streams}
        for param, out in drawn.items():
            now[param] = inside.put_back(self.state[param], inside.value(out), inside.use)
        if inside.failed is not None:
            failed = self.b.wrap(inside.failed)
            now["failed"] = inside.put(now["failed"], failed)
            following = np.where(self.b.apply("eq", failed, 0), following, np.int64(self.layout.end))
        now["pc"] = inside.put(now["pc"], following)
        return now

    def arrive(self) -> PoppedFrame | None:
        """Pop what was pushed before the call, and take its results; where the popped frame was."""
        inside, b = self.inside, self.b
        results = [
            (to, inside.value(source)) for to, source in self.block.arrives if to not in self.layout.streams
        ]
        frame = None
        if self.popped:
            at = inside.where()
            top = b.apply("sub", b.apply("index", self.now["depth"], at, spec=("a",)), 1, name="top")
            for var in self.popped:
                stack = b.wrap(self.state["stack", var])
                inside.bind(var, b.apply("index", stack, at, top, spec=("a", "a"), name=var.name), True)
            frame = PoppedFrame(top, {var: inside.values[var] for var in self.popped})
        for to, value in results:
            inside.enter(to, value)
        if frame is not None and not self.pushed:
            self.now["depth"] = inside.put(self.now["depth"], frame.top)
        return frame

    def leave(self, frame: PoppedFrame | None) -> tuple[dict[Var, LaneValue], Any]:
        """What the terminator moves, and the number of the block to go to."""
        inside, layout = self.inside, self.layout
        number = {k: np.int64(n) for k, n in layout.number.items()}
        match self.block.terminator:
            case Jump(target, moves):
                return self.moved(moves), number[target]
            case Branch(test, then, orelse):
                value = inside.value(test)
                following = np.where(inside.use(value), number[then.target], number[orelse.target])
                return self.either(value, then, orelse), following
            case Call(name, moves, then, span):
                after = self.moved(moves)
                self.b.span = span
                callee = layout.made.functions[name]
                if self.pushed:
                    self.push(frame)
                if callee.address in self.state:
                    after[callee.address] = LaneValue(Lit(layout.number[then], I8), False)
                return after, number[callee.entry]
            case Return(moves):
                if self.returns_to is not None:
                    return self.moved(moves), number[self.returns_to]
                address = inside.value(layout.made.functions[self.block.function].address)
                return self.moved(moves), inside.use(address)

    def moved(self, moves: Moves) -> dict[Var, LaneValue]:
        return {to: self.inside.value(source) for to, source in moves}

    def either(self, test: LaneValue, then: Jump, orelse: Jump) -> dict[Var, LaneValue]:
        """What the two edges move: each place as the lane's own edge has it."""
        inside, live = self.inside, self.layout.live
        sides = [self.moved(edge.moves) for edge in (then, orelse)]
        found = {}
        for var in {**sides[0], **sides[1]}:
            if var in self.layout.streams:
                continue
            a, b = (side.get(var) or inside.value(var) for side in sides)
            if a.atom is b.atom or var not in live[orelse.target]:
                found[var] = a
            elif var not in live[then.target]:
                found[var] = b
            else:
                values = [align_axes(inside.b, inside.use(v), v.over, var.type.rank) for v in (test, a, b)]
                over = any(v.over for v in (test, a, b))
                found[var] = LaneValue(self.b.atom(np.where(*values)), over, inside.base if over else None)
        return found

    def push(self, frame: PoppedFrame | None) -> None:
        """Put variables on their stacks, which are made larger where they are full.

        A block that has just popped a frame pushes the next one in its place: what is in it already stays there.
        """
        top = frame.top if frame is not None else self.new_frame()
        kept = {} if frame is None else frame.values
        for var in self.pushed:
            value = self.inside.value(var)
            if var in kept and kept[var].atom is value.atom:
                continue
            stack = ensure_room(self.inside, self.layout, self.now["stack", var], np.max(top))
            self.now["stack", var] = self.inside.put(stack, self.inside.use(value), top)

    def new_frame(self) -> Any:
        """One frame more for each lane: its place. A lane that has too many fails."""
        inside, b, depth = self.inside, self.b, self.now["depth"]
        top = b.apply("index", depth, inside.where(), spec=("a",), name="top")
        if self.layout.limit is not None:
            limit = b.wrap(self.layout.limit)
            inside.fail(top < limit, True, thrown("RecursionError", TOO_DEEP))
            top = np.where(top < limit, top, 0)
        self.now["depth"] = inside.put(depth, top + 1)
        return top

    def needed_after(self) -> Set[Var]:
        """The places that are read after the block before they are assigned again."""
        live = self.layout.live
        match self.block.terminator:
            case Call(name, _, then):
                callee = self.layout.made.functions[name]
                return (live[then] - set(self.pushed)) | live[callee.entry] | {callee.address}
            case Return(moves):
                return {to for to, _ in moves}
            case _:
                return frozenset().union(*(live[edge.target] for edge in edges(self.block)))


def ensure_room(inside: LaneScope, layout: Layout, stack: Any, highest: Any) -> Any:
    """The stack, with room for frame `highest`: a call of a function that doubles it if need be."""
    type_: Type = stack.type
    key = (type_.dtype, type_.rank)
    if key not in layout.rooms:
        layout.rooms[key] = name = unused_name("room", {*layout.making.made, *layout.making.one.functions})
        layout.making.made[name] = grow_function(name, type_)
    out = Var(name_of(inside.b.atom(stack)), grown_type(type_))
    inside.b.emit((out,), ir.Call(layout.rooms[key], (inside.b.atom(stack), inside.b.atom(highest))))
    return inside.b.wrap(out)


def grow_function(name: str, type_: Type) -> Function:
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
    out = Var("stack", grown_type(stack.type))
    b.emit((out,), If(b.atom(full), grow.block((larger,)), b.inner().block((stack,))))
    return Function(name, (stack, top), b.block((out,)))


def grown_type(type_: Type) -> Type:
    """The type of a stack whose room may have changed."""
    return Type(type_.dtype, (type_.shape[0], Var("room", I8), *type_.shape[2:]))
