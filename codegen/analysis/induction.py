"""Ints carried round a loop: which of them only grow, or only fall, and which are never negative.

k = 0
for i in range(n):
    if x[i] > 0:                 k >= 0, and k <= i inside the loop
        k += 1

low, high = 0, n
while low < high:
    middle = (low + high) // 2   low >= 0 and high >= 0: each is, as long as the other is
    ...
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from codegen.analysis.affine import offset_of
from codegen.analysis.definitions import definitions
from codegen.analysis.doubling import LARGEST_STEP, Doubling, Made
from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, For, If, Lit, Var, While
from codegen.ir.kinds import Arithmetic, Choice
from codegen.ir.traversal import equations


def counters(r: Ranges, loop: For | While, outs: tuple[Var, ...]) -> None:
    """A carried int that only grows is at least its initial value; one that only falls is at most that."""
    inside = definitions(equations(loop.body))
    for var in naturals(r, loop, inside):
        for each in (var, outs[loop.carried.index(var)]):
            r.bound(r.below, each, None, 0)
    for out, var, init, after in zip(outs, loop.carried, loop.init, loop.body.results):
        if var.type.dtype != "i8" or var.type.rank:
            continue
        steps = increments(inside, after, var)
        if steps is None:
            continue
        for each in (out, var):
            if steps[0] >= 0:
                r.bound(r.below, each, init, 0)
            if steps[1] <= 0:
                r.bound(r.above, each, init, 0)
        if isinstance(loop, For) and steps[0] >= 0 and steps[1] <= loop.step:
            keep_behind(r, loop, var, init)


def keep_behind(r: Ranges, loop: For, var: Var, init: Atom) -> None:
    """A counter that grows no faster than the loop's index stays as far behind it as it began."""
    if isinstance(loop.start, Lit) and isinstance(init, Lit):
        r.bound(r.above, var, loop.index, init.value - loop.start.value)


def increments(inside: Made, after: Atom, var: Var, depth: int = 8) -> tuple[float, float] | None:
    """The least and the largest number by which `after` exceeds `var`; None where that is not known."""
    if after is var:
        return 0, 0
    if not depth or after not in inside:
        return None
    equation, k = inside[after]
    match equation.op:
        case Apply() as op if (step := offset_of(op)) is not None and abs(step[1]) <= LARGEST_STEP:
            found = increments(inside, step[0], var, depth - 1)
            return found and (found[0] + step[1], found[1] + step[1])
        case Apply(primitive, (_, x, y)) if primitive.kind is Choice.SELECT:
            parts = (x, y)
        case If(_, then, orelse):
            parts = (then.results[k], orelse.results[k])
        case For() | While() as loop:
            return increments_of_loop(inside, loop, k, var, depth - 1)
        case _:
            return None
    both = [increments(inside, p, var, depth - 1) for p in parts]
    known = [b for b in both if b is not None]
    return (min(b[0] for b in known), max(b[1] for b in known)) if len(known) == len(both) else None


def increments_of_loop(
    inside: Made, loop: For | While, k: int, var: Var, depth: int
) -> tuple[float, float] | None:
    """The same of what a loop inside carries: what its iterations add, as often as there are any."""
    first = increments(inside, loop.init[k], var, depth)
    each = increments(inside, loop.body.results[k], loop.carried[k], depth)
    if first is None or each is None:
        return None
    least, most = 0.0 if each[0] >= 0 else -math.inf, 0.0 if each[1] <= 0 else math.inf
    return first[0] + least, first[1] + most


def naturals(r: Ranges, loop: For | While, inside: Made) -> set[Atom]:
    """The carried ints that begin at 0 or more and stay there, as long as all of these do."""
    ints = [v.type.dtype == "i8" and not v.type.rank for v in loop.carried]
    steps = list(zip(loop.carried, loop.init, loop.body.results))
    doubling = Doubling(loop, inside)
    found: set[Atom] = {v for (v, init, _), is_int in zip(steps, ints) if is_int and r.le(None, init)}
    if isinstance(loop, For) and loop.step > 0 and r.le(None, loop.start):
        found.add(loop.index)
    while lost := {
        v for v, _, after in steps if v in found and not After(r, doubling, found, v).is_natural(after)
    }:
        found -= lost
    return found.intersection(loop.carried)


@dataclass(eq=False)
class After:
    """What a carried int is made of, where all of `found` are 0 or more."""

    r: Ranges
    doubling: Doubling
    found: set[Atom]
    var: Atom

    def is_natural(self, x: Atom, depth: int = 8, held: frozenset[Atom] | None = None) -> bool:
        """Whether x is 0 or more, too; `held`: what is below something that the loop does not change."""
        inside = self.doubling.inside
        if x in self.found or (x not in inside and self.r.le(None, x)):
            return True
        if not depth or x not in inside:
            return False
        held = self.doubling.held_in_loop if held is None else held
        equation, k = inside[x]
        match equation.op:
            case If(test, then, orelse):
                ways = (then, True), (orelse, False)
                return all(
                    self.is_natural(way.results[k], depth - 1, held | self.doubling.held(test, value))
                    for way, value in ways
                )
            case For() | While() as loop:
                carried = loop.carried[k]
                after = After(self.r, Doubling(loop, inside), self.found | {carried}, carried)
                return self.is_natural(loop.init[k], depth - 1, held) and after.is_natural(
                    loop.body.results[k], depth - 1
                )
            case Apply() as op:
                return self.is_natural_made(x, op, depth, held)
        return False

    def is_natural_made(self, x: Atom, op: Apply, depth: int, held: frozenset[Atom]) -> bool:
        def are(parts: Iterable[Atom]) -> bool:
            return all(self.is_natural(each, depth - 1, held) for each in parts)

        inside, operands = self.doubling.inside, op.operands
        match op.primitive.kind:
            case Choice.SELECT:
                return are(operands[1:])
            case Arithmetic.MAXIMUM:
                return any(are((each,)) for each in operands)
            case Arithmetic.MOD:  # of a number below 0 as well
                return are(operands[1:])
            case Arithmetic.FLOORDIV if (summed := summands(inside, operands[0])) and at_least_two(
                operands[1]
            ):
                return are(summed)  # no more than the larger of both
            case Arithmetic.MINIMUM | Arithmetic.FLOORDIV:
                return are(operands)
            case Arithmetic.ADD | Arithmetic.MUL:  # Python's, which do not wrap but where they are doubled
                if x.type.weak and self.doubling.may_wrap(self.var, x, op, held):
                    self.r.doubled.add(x)
                    return False
                return x.type.weak and are(operands)
            case Arithmetic.SUB:
                return x.type.weak and is_quotient(inside, operands[1], operands[0]) and are(operands[:1])
        return False


def summands(inside: Made, x: Atom) -> tuple[Atom, ...]:
    """The two of which an int of Python's is the sum."""
    op = inside[x][0].op if x in inside else None
    is_sum = isinstance(op, Apply) and op.primitive.kind is Arithmetic.ADD and x.type.weak
    return op.operands if is_sum else ()  # type: ignore[union-attr]


def at_least_two(divisor: Atom) -> bool:
    return isinstance(divisor, Lit) and divisor.value >= 2


def is_quotient(inside: Made, part: Atom, whole: Atom) -> bool:
    """Whether an int is another one // 2 or the like."""
    op = inside[part][0].op if part in inside else None
    divides = isinstance(op, Apply) and op.primitive.kind is Arithmetic.FLOORDIV and op.operands[0] is whole
    return divides and isinstance(op.operands[1], Lit) and op.operands[1].value >= 1  # type: ignore[union-attr]
