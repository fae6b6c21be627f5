"""Loops over places of arrays count from 0, where LLVM does not see itself that a place is not below 0.

    for j in range(i + 1, n):                for k in range(n - (i + 1)):
        y[j] = 2.0 * x[j]            ->          j = i + 1 + k
                                                 y[j] = 2.0 * x[j]

A place below 0 counts from the end, so that a loop whose places may be below 0 makes no vectors. Of Numba's loops LLVM
knows the sign of what begins at 0 or 1 (or ends at 0, going down), and of sums of such; of another beginning,
`max(start, 0)` tells it. The loops are innermost ones without checks that write at places which move with them; where
a place may be below 0 they stay, and where a check in the loop is that a place is inside its array, LLVM sees by it
that it is.

`zero_based : Program -> Program`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from codegen.analysis.effects import may_end
from codegen.analysis.range_walk import RangeWalk
from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, Equation, For, Function, Lit, Program, Var, While
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access, Arithmetic
from codegen.ir.traversal import equations, with_functions
from codegen.primitives import ROWS

WRITES = (Access.WRITE, Access.ADD)
SUMS = (Arithmetic.ADD, Arithmetic.SUB)


def zero_based(program: Program) -> Program:
    return with_functions(program, with_loops_from_zero)


def with_loops_from_zero(f: Function) -> Function:
    loops = (e.op for e in equations(f.body) if isinstance(e.op, For))
    return FromZero().function(f) if any(map(begins_elsewhere, loops)) else f


def begins_elsewhere(loop: For) -> bool:
    """Whether LLVM does not know that a loop's places are not below 0, and may make vectors of it otherwise."""
    return (
        loop.kind != "threads" and abs(loop.step) == 1 and not has_natural_index(loop) and writes_along(loop)
    )


def has_natural_index(loop: For) -> bool:
    """Whether LLVM knows that a loop's index is not below 0."""
    lowest, known = (loop.start, (0, 1)) if loop.step > 0 else (loop.stop, (-1,))
    return isinstance(lowest, Lit) and lowest.value in known and abs(loop.step) == 1


def writes_along(loop: For) -> bool:
    """Whether a loop has no other one inside, nor checks, and writes at a place that its index is added to."""
    moving: set[Atom] = {loop.index}
    writes = False
    for equation in equations(loop.body):
        op = equation.op
        if isinstance(op, For | While) or may_end(equation):
            return False
        if isinstance(op, Apply) and not moving.isdisjoint(op.operands):
            if op.primitive.kind in SUMS:
                moving.update(equation.outs)
            writes = writes or op.primitive.kind in WRITES and not moving.isdisjoint(op.operands[2:])
    return writes


@dataclass(eq=False)
class FromZero(RangeWalk):
    """The walk, which knows the ints of which LLVM knows that they are not below 0."""

    natural: set[Atom] = field(default_factory=set)

    def apply(self, equation: Equation, op: Apply) -> Sequence[Equation]:
        if op.primitive.kind is Arithmetic.ADD and all(map(self.is_known_natural, op.operands)):
            self.natural.update(equation.outs)
        return [equation]

    def is_known_natural(self, atom: Atom) -> bool:
        return atom in self.natural or (isinstance(atom, Lit) and atom.value >= 0)

    def loop(self, equation: Equation, op: For | While) -> For | While:
        if isinstance(op, For) and has_natural_index(op):
            self.natural.add(op.index)
        return super().loop(equation, op)

    def step(self, equation: Equation) -> Sequence[Equation]:
        done = super().step(equation)
        op = done[-1].op
        return done if not isinstance(op, For) or not begins_elsewhere(op) else self.from_zero(done[-1], op)

    def from_zero(self, equation: Equation, loop: For) -> list[Equation]:
        """The loop over as many places from 0 on, in the same order, where none is below 0."""
        b = Builder(span=equation.span, checked=False)
        lowest, past = loop.start, loop.stop
        if loop.step < 0:
            lowest, past = beside(self.ranges, b, loop.stop, 1), beside(self.ranges, b, loop.start, 1)
        if not self.ranges.le(None, lowest):
            return [equation]
        begin, k = lowest, Var("k", SIZE)
        if not self.is_known_natural(lowest):
            begin = b.atom(b.apply("larger", lowest, 0, name="begin"))
        count = (
            beside(self.ranges, b, past, -begin.value)
            if isinstance(begin, Lit)
            else b.wrap(past) - b.wrap(begin)
        )
        start: Atom = Lit(0, SIZE)
        stop: Atom = b.atom(count)
        if loop.step < 0:
            start, stop = beside(self.ranges, b, stop, -1), Lit(-1, SIZE)
        place = Equation((loop.index,), Apply(ROWS["add"], (begin, k)))
        body = replace(loop.body, equations=(place, *loop.body.equations))
        return [*b.equations, replace(equation, op=replace(loop, index=k, start=start, stop=stop, body=body))]


def beside(ranges: Ranges, b: Builder, atom: Atom, step: int) -> Atom:
    """x + 1 as x + (1 + step)."""
    for equation in b.equations:
        ranges.equation(equation)
    base, offset = ranges.offset(atom)
    away = offset + step
    return b.atom(b.wrap(base) + away if away >= 0 else b.wrap(base) - -away)
