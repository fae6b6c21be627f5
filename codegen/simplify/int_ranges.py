"""Ints that their ranges decide: bounds of slices that need not be cut off, tests that always hold.

    for i in range(1, n):                                 for i in range(1, n):
        k = max(min(i + 1 if i < 0 else i, n), 0)   ->        k = i
        s += x[(i + 1) % n]                                   s += x[0 if i + 1 >= n else i + 1]

What is known of ints is in ranges.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from codegen.analysis.range_walk import RangeWalk
from codegen.ir import Apply, Atom, Equation, Lit, Program, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Arithmetic, Choice, Relation
from codegen.ir.literals import literal
from codegen.ir.traversal import with_functions
from codegen.primitives import ROWS


def decide_ints(program: Program, *, remainders: bool = False) -> Program:
    """`program` with comparisons, maxima and minima of ints that are decided replaced by what they give.

    `remainders`: they stay, as they do where a division takes no longer than a comparison.
    """
    return with_functions(program, lambda f: Decisions(remainders).function(f))


@dataclass(eq=False)
class Decisions(RangeWalk):
    """A walk that puts what an int or a test is known to be in its place; `known`: what those are."""

    remainders: bool
    known: dict[Atom, Atom] = field(default_factory=dict)

    def apply(self, equation: Equation, op: Apply) -> Sequence[Equation]:
        found: Atom | None
        if op.primitive.kind is Choice.SELECT:
            found = self.chosen(*op.operands)
        elif len(op.operands) == 2 and all(o.type.dtype == "i8" for o in op.operands):
            found = self.decided(op.primitive.kind, *(self.known.get(o, o) for o in op.operands))
        else:
            return [equation]
        if isinstance(found, Lit) and found.type.dtype == equation.outs[0].type.dtype:
            self.known[equation.outs[0]] = found  # of an array, each element
        if found is None and op.primitive.kind is Arithmetic.MOD and not self.remainders:
            return self.undivided(equation, *op.operands)
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
            case Arithmetic.MOD:
                return x if le(None, x) and le(x, y, -1) else None
            case Arithmetic.MAXIMUM:
                return y if le(x, y) else x if le(y, x) else None
            case Arithmetic.MINIMUM:
                return x if le(x, y) else y if le(y, x) else None
            case Relation.LT | Relation.LE:
                least = -1 if kind is Relation.LT else 0
                return literal(True) if le(x, y, least) else literal(False) if le(y, x, -1 - least) else None
            case Relation.GT | Relation.GE:
                return self.decided(kind.swapped, y, x)
            case Relation.EQ | Relation.NE:
                if le(x, y, -1) or le(y, x, -1):
                    return literal(kind is Relation.NE)
                return literal(kind is Relation.EQ) if le(x, y) and le(y, x) else None
        return None

    def undivided(self, equation: Equation, x: Atom, n: Atom) -> Sequence[Equation]:
        """x % n, where x is less than n beside 0 .. n - 1: in a loop over n places of a ring, those beside each."""
        le = self.ranges.le
        if not (equation.outs[0].type == x.type and is_int(x) and is_int(n) and le(None, n, -1)):
            return [equation]
        b = Builder(span=equation.span, checked=False)
        if self.is_below_twice(x, n):
            test, moved = b.apply("ge", x, n), Lit(0, x.type) if le(x, n) else b.atom(b.apply("sub", x, n))
        elif le(x, n, -1) and self.is_above_minus(x, n):
            test, moved = b.apply("lt", x, 0), b.atom(b.apply("add", x, n))
        elif le(None, x, 1) and le(x, n):
            test, moved = b.apply("lt", x, 0), b.atom(b.apply("sub", n, 1))
            x = b.atom(b.apply("select", b.apply("ge", x, n), Lit(0, x.type), x))
        else:
            return [equation]
        if moved.type != x.type:
            return [equation]
        return [*b.equations, replace(equation, op=Apply(ROWS["select"], (b.atom(test), moved, x)))]

    def is_below_twice(self, x: Atom, n: Atom) -> bool:
        """Is 0 <= x < 2 n? Of x <= n, of a sum of two places, and of n and a place or -1."""
        le = self.ranges.le
        if le(None, x) and le(x, n):
            return True
        total, c = self.ranges.offset(x)
        terms = self.terms(total, Arithmetic.ADD)
        if n in terms:
            other = terms[1 - terms.index(n)]
            return le(None, other, c + 1) and le(other, n, -c - 1)
        return c == 0 and bool(terms) and all(le(None, each) and le(each, n, -1) for each in terms)

    def is_above_minus(self, x: Atom, n: Atom) -> bool:
        """Is -n <= x? Of x >= -1, and of the difference of two places."""
        le, terms = self.ranges.le, self.terms(x, Arithmetic.SUB)
        return le(None, x, 1) or (bool(terms) and le(None, terms[0]) and le(terms[1], n))

    def terms(self, x: Atom, kind: Arithmetic) -> tuple[Atom, ...]:
        """The two of which x is the sum or the difference."""
        made = self.ranges.made.get(x) if isinstance(x, Var) else None
        return made.operands if made is not None and made.primitive.kind is kind else ()

    def rest(self, x: Atom, y: Atom) -> Atom | None:
        """x - y, where x is y + something."""
        terms = [self.known.get(o, o) for o in self.terms(x, Arithmetic.ADD)]
        return terms[terms[0] is y] if y in terms and all(map(is_int, terms)) else None


def is_int(atom: Atom) -> bool:
    return atom.type.dtype == "i8" and not atom.type.rank


def is_int_scalar(atom: Atom, number: int) -> bool:
    return isinstance(atom, Lit) and is_int(atom) and atom.value == number
