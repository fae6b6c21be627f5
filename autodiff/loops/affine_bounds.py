"""Subscripts as an index, a size or any other int, plus a literal, with the ranges of the indices for bounds.

    for i in range(n - 2):
        x[i + 1] = ...            place i + 1: at least 1, at most n - 2; in later iterations at least i + 2

Whether a write may touch, in this iteration of a loop or in a later one, what was read (write_hazards.py); how long
slices and histories may get. What is not decided counts as the worse case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.analysis.affine import offset_of
from codegen.ir import Apply, Atom, Block, Dim, For, Lit, Program, Var, While
from codegen.ir.kinds import Logic, Relation
from codegen.ir.substitution import binders, blocks, sizes
from codegen.ir.traversal import binds
from codegen.primitives.index import Cut, cut_bounds, grouped

A_FEW = 16  # iterations

Affine = tuple[Var | None, int]
Edge = Atom | Affine  # an int as it is given, or one counted from the end: an axis's size plus a literal


@dataclass(frozen=True)
class IndexRange:
    """The indices of one axis from `start` up to `stop`, which is not among them."""

    start: Edge
    stop: Edge


Place = tuple[
    Edge | IndexRange | None, ...
]  # the subscript of each axis, None where it is neither int nor slice


def subscript_ints(op: Apply, first: int) -> Place:
    """The ints of a subscript, by axis; operands before `first` are the array and the value."""
    spec = op.params["spec"]
    if "n" in spec:
        return ()
    given = grouped(spec, op.operands[first:])
    return tuple(place(token, of, n) for token, of, n in zip(spec, given, op.operands[0].type.shape))


def place(token: Any, given: tuple[Atom, ...], size: Dim) -> Edge | IndexRange | None:
    """What one part of a subscript chooses of its axis; None where that is not one int or one range."""
    if token == "i":
        return from_start(given[0], size)
    if not isinstance(token, Cut) or token.step != 1:
        return None
    start, stop = cut_bounds(token, given)
    low: Edge = (None, 0) if start is None else from_start(start, size)
    return IndexRange(low, from_start(stop, size) if stop is not None else index_from_end(size, 0))


def from_start(atom: Atom, size: Dim) -> Edge:
    """An int of a subscript; a negative literal is counted from the end of its axis."""
    return index_from_end(size, atom.value) if isinstance(atom, Lit) and atom.value < 0 else atom


def index_from_end(size: Dim, offset: int) -> Affine:
    return (size, offset) if isinstance(size, Var) else (None, size + offset)


class AffineBounds:
    """What is known of the ints of a program: how they were made, and the range of each loop's index."""

    def __init__(self, program: Program):
        self.made: dict[Var, Apply] = {}
        self.loops: dict[Var, For] = {}
        self.sizes: set[Var] = set()
        self.inner: dict[For, set[Var]] = {}
        self.caps: dict[Var, tuple[Atom, int]] = {}  # counts of a while that are at most another int, plus
        for function in program.functions.values():
            self.note(function.params)
            self.enter(function.body)

    def note(self, variables: tuple[Var, ...]) -> None:
        for var in variables:
            self.sizes.update(sizes(var.type))

    def enter(self, block: Block) -> None:
        for equation in block.equations:
            self.note((*equation.outs, *binders(equation.op)))
            if isinstance(equation.op, Apply) and offset_of(equation.op):
                self.made[equation.outs[0]] = equation.op
            if isinstance(equation.op, For):
                self.loops[equation.op.index] = equation.op
            for inner in blocks(equation.op):
                self.enter(inner)

    def affine(self, atom: Edge) -> Affine:
        """An int as something plus a literal."""
        if isinstance(atom, tuple):
            return atom
        if isinstance(atom, Lit):
            return None, atom.value
        if (found := offset_of(self.made.get(atom))) is not None:
            base, offset = self.affine(found[0])
            return base, offset + found[1]
        return atom, 0

    def bounds(self, place: Edge | IndexRange, upper: bool) -> list[Affine]:
        """Bounds from above or from below, each with fewer indices in it than the one before."""
        if isinstance(place, IndexRange):
            base, offset = self.affine(place.stop if upper else place.start)
            offset -= upper
        else:
            base, offset = self.affine(place)
        found = [(base, offset)]
        while base is not None:
            if (loop := self.loops.get(base)) is not None:
                last = loop.stop if (loop.step > 0) == upper else loop.start
                offset += 0 if last is loop.start else -1 if upper else 1
            elif upper and base in self.caps:
                last, over = self.caps[base]
                offset += over
            else:
                break
            base, more = self.affine(last)
            offset += more
            found.append((base, offset))
        return found

    def width(self, token: Any, given: tuple[Atom, ...]) -> int | None:
        """How long a slice from i + a to i + b is at most: b - a, wrapped and cut off or not."""
        if not isinstance(token, Cut) or token.step != 1 or len(given) != 2:
            return None
        (base, start), (other, stop) = map(self.affine, given)
        return max(stop - start, 0) if base is other and base is not None else None

    def trips(self, loop: For) -> int | None:
        """How often a loop from i + a to i + b runs, or one between two numbers."""
        (base, start), (other, stop) = map(self.affine, (loop.start, loop.stop))
        return len(range(start, stop, loop.step)) if base is other else None

    def is_short(self, loop: For | While) -> bool:
        """Does it run a few times only, however large arrays are?"""
        n = self.trips(loop) if isinstance(loop, For) else None
        return n is not None and n <= A_FEW

    def is_window(self, loop: For) -> bool:
        """Is it one from i + a to i + b?"""
        return self.affine(loop.start)[0] is not None and self.trips(loop) is not None

    def cap_count(self, n: Var, loop: While) -> None:
        """Note that a while repeats at most `n` times, if its condition has a counter against a bound."""
        slots = {p: k for k, p in enumerate(loop.carried)}
        tests = {out: e.op for e in loop.cond.equations if isinstance(e.op, Apply) for out in e.outs[:1]}
        todo = list(loop.cond.results)
        while todo:
            test = tests.get(todo.pop())  # type: ignore[arg-type]
            if test is None:
                continue
            if test.primitive.kind is Logic.AND:
                todo += test.operands
            elif test.primitive.kind is Relation.LT and isinstance(i := test.operands[0], Var) and i in slots:
                start = self.affine(loop.init[slots[i]])
                base, step = self.affine(loop.body.results[slots[i]])
                bound = test.operands[1]
                inside = isinstance(bound, Var) and (bound in tests or bound in slots)
                if start[0] is None and start[1] >= 0 and base is i and step > 0 and not inside:
                    self.caps[n] = (bound, -start[1])
                    return

    def counts_from_zero(self, loop: For) -> bool:
        """Is the index known to be 0 or more in every iteration?"""
        low, over = (loop.start, 0) if loop.step > 0 else (loop.stop, 1)
        lowest = self.bounds(low, upper=False)
        return any(c + over >= 0 and (b is None or b in self.sizes) for b, c in lowest)

    def natural(self, place: Edge | IndexRange) -> bool:
        """Is it known to be 0 or more? Of a slice, are both ends? What is counted from the end does not wrap."""
        if isinstance(place, IndexRange):
            return self.natural(place.start) and self.natural(place.stop)
        if isinstance(place, tuple):
            return True
        return any(c >= 0 and (b is None or b in self.sizes) for b, c in self.bounds(place, upper=False))

    def later(self, place: Edge | IndexRange, loop: For, upper: bool, strictly: bool) -> list[Affine]:
        """Bounds of a write's subscript over this iteration (unless `strictly`) and all later ones.

        What is bound inside the loop, the indices of inner loops among it, is not in them what it is now.
        """
        found = []
        for base, c in self.bounds(place, upper):
            if base is not loop.index:
                if base is None or base not in self.varying(loop):
                    found.append((base, c))
            elif (loop.step > 0) != upper:
                found.append((base, c + (loop.step if strictly else 0)))
        return found

    def varying(self, loop: For) -> set[Var]:
        """What is bound inside a loop."""
        if loop not in self.inner:
            inside = {*loop.carried, *(v for e in loop.body.equations for v in binds(e))}
            self.inner[loop] = inside.union(*(sizes(v.type) for v in inside))
        return self.inner[loop]

    def apart(self, read: Place, write: Place, loop: For, strictly: bool) -> bool:
        """Are the places read and written later different, by some axis?"""
        for r, w in zip(read, write):
            if r is None or w is None or not (self.natural(r) and self.natural(w)):
                continue
            if below(self.bounds(r, True), self.later(w, loop, False, strictly)):
                return True
            if below(self.later(w, loop, True, strictly), self.bounds(r, False)):
                return True
        return False


def below(uppers: list[Affine], lowers: list[Affine]) -> bool:
    """Is one of these upper bounds below one of these lower bounds?"""
    return any(a is b and m < n for a, m in uppers for b, n in lowers)
