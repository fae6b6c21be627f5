"""Ints that their ranges decide: bounds of slices that need not be cut off, tests that always hold.

    for i in range(1, n):                                 for i in range(1, n):
        k = max(min(i + 1 if i < 0 else i, n), 0)   ->        k = i

What is known of ints is in ranges.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from codegen.analysis.range_walk import RangeWalk
from codegen.ir import Apply, Atom, Equation, Lit, Program, Var
from codegen.ir.kinds import Arithmetic, Choice, Relation
from codegen.ir.literals import literal
from codegen.ir.traversal import with_functions
from codegen.primitives import ROWS


def decide_ints(program: Program) -> Program:
    """`program` with comparisons, maxima and minima of ints that are decided replaced by what they give."""
    return with_functions(program, lambda f: Decisions().function(f))


@dataclass(eq=False)
class Decisions(RangeWalk):
    """A walk that puts what an int or a test is known to be in its place; `known`: what those are."""

    known: dict[Atom, Atom] = field(default_factory=dict)

    def apply(self, equation: Equation, op: Apply) -> Sequence[Equation]:
        found: Atom | None
        if op.primitive.kind is Choice.SELECT:
            found = self.chosen(*op.operands)
        elif len(op.operands) == 2 and all(map(is_int, op.operands)):
            found = self.decided(op.primitive.kind, *(self.known.get(o, o) for o in op.operands))
        else:
            return [equation]
        if found is None or found.type != equation.outs[0].type:
            return [equation]
        self.known[equation.outs[0]] = found
        return [replace(equation, op=Apply(ROWS["cast"], (found,), {"dtype": found.type.dtype}))]

    def chosen(self, test: Atom, then: Atom, orelse: Atom) -> Atom | None:
        """The side that is taken; a place 0 if n == 1 else i, of an axis of size n, is place i."""
        if isinstance(holds := self.known.get(test), Lit):
            return then if holds.value else orelse
        made, le = self.ranges.made.get(test) if isinstance(test, Var) else None, self.ranges.le
        if made is None or made.primitive.kind is not Relation.EQ or not is_int_scalar(then, 0):
            return None
        n, one = made.operands
        inside = is_int_scalar(one, 1) and is_int(orelse) and le(None, orelse) and le(orelse, n, -1)
        return orelse if inside else None

    def decided(self, kind: Enum | None, x: Atom, y: Atom) -> Atom | None:
        """What an operation on two ints is known to give."""
        le = self.ranges.le
        match kind:
            case Arithmetic.SUB:
                return self.rest(x, y)
            case Arithmetic.MAXIMUM:
                return y if le(x, y) else x if le(y, x) else None
            case Arithmetic.MINIMUM:
                return x if le(x, y) else y if le(y, x) else None
            case Relation.LT:
                return literal(True) if le(x, y, -1) else literal(False) if le(y, x) else None
            case Relation.LE:
                return literal(True) if le(x, y) else literal(False) if le(y, x, -1) else None
            case Relation.GT:
                return literal(True) if le(y, x, -1) else literal(False) if le(x, y) else None
            case Relation.GE:
                return literal(True) if le(y, x) else literal(False) if le(x, y, -1) else None
        return None

    def rest(self, x: Atom, y: Atom) -> Atom | None:
        """x - y, where x is y + something."""
        made = self.ranges.made.get(x) if isinstance(x, Var) else None
        if made is None or made.primitive.kind is not Arithmetic.ADD:
            return None
        terms = [self.known.get(o, o) for o in made.operands]
        return terms[terms[0] is y] if y in terms and all(map(is_int, terms)) else None


def is_int(atom: Atom) -> bool:
    return atom.type.dtype == "i8" and not atom.type.rank


def is_int_scalar(atom: Atom, number: int) -> bool:
    return isinstance(atom, Lit) and is_int(atom) and atom.value == number
