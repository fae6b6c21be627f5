"""Ints as an index, a size or any other int, plus a literal, with the ranges of the indices for bounds.

    for i in range(n - 2):
        x[i + 1] = ...            i + 1: at least 1, at most n - 2

How long slices and histories may get. What is not decided counts as the worse case.
"""

from __future__ import annotations

from typing import Any

from codegen.analysis.affine import offset_of
from codegen.ir import Apply, Atom, Block, For, If, Lit, Program, Var, While
from codegen.ir.kinds import Logic, Relation
from codegen.ir.literals import range_size
from codegen.ir.substitution import binders, blocks, sizes
from codegen.primitives.index import Cut

A_FEW = 16  # iterations

Affine = tuple[Var | None, int]

Guards = tuple[tuple[Atom, bool], ...]
"""The tests of the branches around something, and whether they hold there."""


class AffineBounds:
    """What is known of the ints of a program: how they were made, and the range of each loop's index.

    made    the scalar ints and bools that one operation makes
    loops   by their indices
    guards  of the loops in branches, the tests of these, and whether they hold
    sizes   of arrays
    outside what no loop binds
    caps    counts of a while that are at most another int, plus
    """

    def __init__(self, program: Program):
        self.made: dict[Var, Apply] = {}
        self.loops: dict[Var, For] = {}
        self.guards: dict[For, Guards] = {}
        self.sizes: set[Var] = set()
        self.outside: set[Var] = set()
        self.caps: dict[Var, tuple[Atom, int]] = {}
        for function in program.functions.values():
            self.note(function.params, loops=0)
            self.enter(function.body, (), loops=0)

    def note(self, variables: tuple[Var, ...], loops: int) -> None:
        for var in variables:
            self.sizes.update(sizes(var.type))
            if not loops:
                self.outside.update((var, *sizes(var.type)))

    def enter(self, block: Block, guards: Guards, loops: int) -> None:
        """Note what a block binds; `loops`: how many there are around it."""
        for equation in block.equations:
            self.note(equation.outs, loops)
            self.note(binders(equation.op), loops + 1)
            match equation.op:
                case Apply() as op:
                    self.made |= {
                        v: op for v in equation.outs if v.type.dtype in ("i8", "b1") and not v.type.rank
                    }
                case For(index=index) as op:
                    self.loops[index] = op
                    self.guards[op] = guards
                case If(test, then, orelse):
                    self.enter(then, (*guards, (test, True)), loops)
                    self.enter(orelse, (*guards, (test, False)), loops)
                    continue
            for inner in blocks(equation.op):
                self.enter(inner, guards, loops + 1)

    def affine(self, atom: Atom) -> Affine:
        """An int as something plus a literal."""
        if isinstance(atom, Lit):
            return None, atom.value
        if (found := offset_of(self.made.get(atom))) is not None:
            base, offset = self.affine(found[0])
            return base, offset + found[1]
        return atom, 0

    def bounds(self, atom: Atom, upper: bool) -> list[Affine]:
        """Bounds from above or from below, each with fewer indices in it than the one before."""
        base, offset = self.affine(atom)
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
        return range_size(start, stop, loop.step) if base is other else None

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
