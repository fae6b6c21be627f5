"""Moves of arrays made when they must be: what a slot holds may stay in another place until the block ends.

    t = u; push t; u = v; return          ->      push u; u = v          nobody reads t: it is never written

A move notes that its target's elements are to be found where its source's are. They are copied only before what they
are found in is written, and at the end of the block where they are needed after it. What is popped stays in its frame,
and what is pushed to where it was popped from is there already: by the first push, whose frame begins where the popped
one did. Each further push of a function has another name for where its frame begins, so that places which read the
same are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from autobatch.cfg.graph import reads
from autobatch.machine.groups.layout import Place, all_outs
from autobatch.machine.groups.printer import GroupPrinter
from codegen.emit.expression_folding import leaves
from codegen.ir import Apply, Equation, Lit, Var

Pairs = Sequence[tuple[Var, Lit | Var]]


class LatePrinter(GroupPrinter):
    """held: slot -> the place of another slot, or of a frame, where its elements are to be found.

    pushed: how many frames were pushed on the stack of an arena since the beginning. blank: arrays made empty.
    """

    held: dict[str, Place]
    pushed: Counter[str]
    blank: set[Var]
    inside = False  # a statement: its own moves are made at once

    def begin(self) -> None:
        """At the start of a block every array is in its own place."""
        self.held = {}
        self.pushed = Counter()
        self.blank = set()

    def home(self, var: Var) -> Place | None:
        slot = self.names.get(var, "")
        return self.held.get(slot) or self.homes.get(slot)

    def array_moves(self, pairs: Pairs) -> None:
        if self.inside:
            super().array_moves(pairs)
            return
        sources = [(out, self.home(value) if isinstance(value, Var) else None) for out, value in pairs]
        for out, place in sources:
            if place is not None:
                self.hold(self.names[out], place)
        rest = [pair for pair, (_, place) in zip(pairs, sources, strict=True) if place is None]
        if rest:
            self.free({self.names[out] for out, _ in rest}, kept=())
            super().array_moves(rest)

    def hold(self, slot: str, place: Place) -> None:
        self.held[slot] = place
        if place == self.homes[slot]:
            del self.held[slot]

    def statement(self, equation: Equation) -> None:
        op = equation.op
        name = op.primitive.name if isinstance(op, Apply) else ""
        if name == "empty":  # writes nothing: what is in the slot may be read until something does
            self.blank.update(equation.outs)
        if self.inside or name in ("copy", "empty"):
            super().statement(equation)
            return
        written = {self.names[o] for o in all_outs([equation]) if o.type.rank and o in self.names}
        read = {v for atom in reads(equation) for v in leaves(atom, self.folded)} - self.blank
        self.free(written & set(self.homes), kept={self.names[v] for v in read if v in self.names})
        self.inside = True
        super().statement(equation)
        self.inside = False

    def free(self, slots: Collection[str], kept: Collection[str]) -> None:
        """The own places of these slots are going to be written: those `kept` with what the slots hold in them."""
        self.held = {slot: place for slot, place in self.held.items() if slot in kept or slot not in slots}
        places = [self.homes[slot] for slot in slots]
        self.settle({s for s, place in self.held.items() if s in slots or place in places})

    def settle(self, slots: Iterable[str]) -> None:
        """What these slots hold is copied to their own places, and first what is held there."""
        moved = set(slots) & set(self.held)
        while more := {s for s, p in self.held.items() if any(p == self.homes[m] for m in moved)} - moved:
            moved |= more
        listed = [slot for slot in self.held if slot in moved]
        self.place_copies([(self.homes[s], self.held[s]) for s in listed])
        self.held = {slot: place for slot, place in self.held.items() if slot not in moved}

    # frames

    def frame_place(self, var: Var, stack: str, top: str, at: int) -> Place:
        return Place("frame", stack, top if at == 0 else f"{top} + {at}", var.type)

    def before_push(self, frame: Sequence[tuple[Var, Place]], tops: Collection[str]) -> None:
        """What is held in frames at these tops, which are going to be written, unless it is where it will be."""
        there = {self.names[v]: place for v, place in frame}
        inside = {s: p for s, p in self.held.items() if p.kind == "frame" and p.first.split(" ")[0] in tops}
        self.settle({s for s, p in inside.items() if there.get(s) != p})

    def save(self, var: Var, stack: str, top: str, at: int) -> None:
        if var.type.rank and self.home(var) == self.frame_place(var, stack, top, at):
            return
        super().save(var, stack, top, at)

    def restore(self, var: Var, stack: str, top: str, at: int) -> None:
        if not var.type.rank:
            super().restore(var, stack, top, at)
            return
        self.hold(self.names[var], self.frame_place(var, stack, top, at))
