"""Ints carried round a loop: which of them only grow, or only fall.

k = 0
for i in range(n):
    if x[i] > 0:                 k >= 0, and k <= i inside the loop
        k += 1
"""

from __future__ import annotations

from collections.abc import Mapping

from codegen.analysis.affine import offset_of
from codegen.analysis.definitions import definitions
from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, Equation, For, If, Lit, Var, While
from codegen.ir.kinds import Choice
from codegen.ir.traversal import equations


def counters(r: Ranges, loop: For | While, outs: tuple[Var, ...]) -> None:
    """A carried int that only grows is at least its initial value; one that only falls is at most that."""
    inside = definitions(equations(loop.body))
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


def increments(
    inside: Mapping[Atom, tuple[Equation, int]], after: Atom, var: Var, depth: int = 8
) -> tuple[int, int] | None:
    """The least and the largest constant by which `after` exceeds `var`; None where that is not known."""
    if after is var:
        return 0, 0
    if not depth or after not in inside:
        return None
    equation, k = inside[after]
    match equation.op:
        case Apply() as op if (step := offset_of(op)) is not None:
            found = increments(inside, step[0], var, depth - 1)
            return found and (found[0] + step[1], found[1] + step[1])
        case Apply(primitive, (_, x, y)) if primitive.kind is Choice.SELECT:
            parts = (x, y)
        case If(_, then, orelse):
            parts = (then.results[k], orelse.results[k])
        case _:
            return None
    both = [increments(inside, p, var, depth - 1) for p in parts]
    known = [b for b in both if b is not None]
    return (min(b[0] for b in known), max(b[1] for b in known)) if len(known) == len(both) else None
