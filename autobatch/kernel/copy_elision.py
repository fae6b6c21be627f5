"""Copies of arrays made when they must be: what a memory should hold may stay in another one until the visit ends.

    copy T <- U; push T; copy U <- V          ->      push U; copy U <- V          nobody reads T: it is never written

A copy notes that its target's elements are to be found where its source's are. They are copied only before what they
are found in is written, and at the end of the visit where they are needed after it. What is popped stays in its frame,
and what is pushed to where it was popped from is there already: by the first push, whose frame begins where the popped
one did. Each further push of a visit has another register for where its frame begins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from autobatch.cfg.graph import variables_read
from autobatch.kernel.ir import Copy, If, Layout, Memory, Needed, Pop, Push, Region, StackFrame, Step, Stmt
from autobatch.kernel.lower import Lowering
from autobatch.kernel.parallel_copies import copies_by_size
from autobatch.kernel.walk import rebuilt
from codegen.analysis.definitions import is_empty
from codegen.emit.expression_folding import named_reads
from codegen.ir import Apply, Equation, Var
from codegen.ir.kinds import Same
from codegen.ir.traversal import binds


def elide_copies(region: Region, low: Lowering) -> Region:
    """A visit's statements with the copies that something needs; `low` made them."""
    return tuple(Elision(low).region(region))


class Elision:
    """held: a memory -> where its elements are instead. blank: arrays made empty, whose elements are anything."""

    def __init__(self, low: Lowering):
        self.low = low
        self.held: dict[Memory, Memory] = {}
        self.blank: set[Var] = set()

    def region(self, region: Region) -> Iterator[Stmt]:
        for stmt in region:
            yield from self.statement(stmt)

    def statement(self, stmt: Stmt) -> Iterator[Stmt]:
        match stmt:
            case Step(body, equation) if is_copy(equation):
                yield from self.region(body)
            case Step(_, equation) if is_empty(
                equation
            ):  # what is there may be read until something is written
                self.blank.update(equation.outs)
            case Step(_, equation):
                yield from self.free(self.written(equation), kept=self.read(equation))
                yield with_memories(stmt, self.held)
            case Copy(now=False):
                yield from self.copied(stmt)
            case Push(frames):
                yield from self.push(stmt)
            case Pop(frames):
                yield Pop(tuple(map(self.popped, frames)))
            case Needed(memories):
                yield from self.settle(memories)
            case If(test, then, orelse, ends=True):
                held = dict(self.held)
                one = tuple(self.region(then))
                self.held = dict(held)
                other = tuple(self.region(orelse))
                yield If(with_memories(test, held), one, other, ends=True)
            case _:
                yield with_memories(stmt, self.held)

    def copied(self, copy: Copy) -> Iterator[Stmt]:
        """A copy is put off, unless it is from an array of the caller's."""
        found = [(to, self.held.get(source, source)) for to, source in copy.pairs]
        for to, source in found:
            if source.layout is not Layout.PLACES:
                self.hold(to, source)
        rest = tuple(pair for pair in found if pair[1].layout is Layout.PLACES)
        if rest:
            yield from self.free({to for to, _ in rest}, kept=())
            yield replace(copy, pairs=rest, now=True)

    def hold(self, memory: Memory, place: Memory) -> None:
        self.held[memory] = place
        if place == memory:
            del self.held[memory]

    def free(self, written: Collection[Memory], kept: Collection[Memory]) -> Iterator[Stmt]:
        """These memories are going to be written: those `kept` with what they should hold in them."""
        self.held = {m: place for m, place in self.held.items() if m in kept or m not in written}
        yield from self.settle({m for m, place in self.held.items() if m in written or place in written})

    def settle(self, memories: Iterable[Memory]) -> Iterator[Stmt]:
        """What these should hold is copied to them, and first what is held in them."""
        due = set(memories) & set(self.held)
        while more := {m for m, place in self.held.items() if place in due} - due:
            due |= more
        pairs = [(m, place) for m, place in self.held.items() if m in due]
        self.held = {m: place for m, place in self.held.items() if m not in due}
        yield from copies_by_size(pairs)

    # what equations read and write

    def written(self, equation: Equation) -> set[Memory]:
        """The memories of the arrays that an equation makes, also inside it."""
        outs = (o for o in binds(equation) if o.type.rank and o in self.low.names)
        return {m for o in outs if (m := self.low.memory(o)) is not None}

    def read(self, equation: Equation) -> set[Memory]:
        found = {
            v for atom in variables_read(equation) for v in named_reads(atom, self.low.folded)
        } - self.blank
        arrays = (v for v in found if v.type.rank and v in self.low.names)
        return {m for v in arrays if (m := self.low.memory(v)) is not None}

    # frames

    def push(self, push: Push) -> Iterator[Stmt]:
        """What is held in frames at these tops, which are going to be written, unless it is where it will be."""
        tops = {frame.top for frame in push.frames}
        there = {
            each: place_in_frame(frame, each, at)
            for frame in push.frames
            for each, at in frame.content
            if isinstance(each, Memory)
        }
        inside = {m: p for m, p in self.held.items() if p.layout is Layout.FRAME and p.top in tops}
        before = tuple(self.settle({m for m, p in inside.items() if there.get(m) != p}))
        yield replace(push, frames=tuple(map(self.pushed, push.frames)), before=before)

    def pushed(self, frame: StackFrame) -> StackFrame:
        """A frame without what lies in its place already."""
        content = [
            (self.held.get(each, each) if isinstance(each, Memory) else each, at)
            for each, at in frame.content
            if not isinstance(each, Memory) or self.held.get(each) != place_in_frame(frame, each, at)
        ]
        return replace(frame, content=tuple(content))

    def popped(self, frame: StackFrame) -> StackFrame:
        """A frame whose arrays stay where they are."""
        for each, at in frame.content:
            if isinstance(each, Memory):
                self.hold(each, place_in_frame(frame, each, at))
        numbers = tuple(pair for pair in frame.content if not isinstance(pair[0], Memory))
        return replace(frame, content=numbers)


def place_in_frame(frame: StackFrame, memory: Memory, at: int) -> Memory:
    """Where an array is in a frame."""
    return Memory(Layout.FRAME, f"{frame.arena}_stack", at, memory.type, top=frame.top)


def is_copy(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Same.COPY


def with_memories(node: Any, held: Mapping[Memory, Memory]) -> Any:
    """A statement or value with other memories."""
    return rebuilt(node, lambda part: held.get(part, part) if isinstance(part, Memory) else part)
