"""What the host of a GPU waits for goes before what it does not need: early_checks, early_numbers : Program -> Program.

    t = X.sum(axis=1)                       if len(w) != len(X): raise ...
    if len(w) != len(X): raise ...    ->    t = X.sum(axis=1)
    y = t * w                               y = t * w

So no check stands between loops that can be made one; and a number that a loop gives is fetched while nothing else is
to be computed first. Checks stay in their order, and all of it behind what may fail itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from codegen.analysis.effects import pure
from codegen.ir import Apply, Block, Equation, For, Program, Var
from codegen.ir.kinds import Made
from codegen.ir.substitution import free, sizes
from codegen.ir.traversal import with_bodies, with_inner
from codegen.loops.fusion import is_check

MADE_AT_ONCE = (Made.EMPTY, Made.FULL)


def early_checks(program: Program) -> Program:
    return with_bodies(program, partial(with_early, goes=is_check))


def early_numbers(program: Program) -> Program:
    return with_bodies(program, partial(with_early, goes=gives_number))


def gives_number(equation: Equation) -> bool:
    """Whether a loop gives the host a number that it needs to go on."""
    return isinstance(equation.op, For) and pure(equation) and any(not o.type.rank for o in equation.outs)


def with_early(block: Block, goes: Callable[[Equation], bool]) -> Block:
    """The block with those equations first, as far as they can go."""
    made: list[Equation] = []
    for equation in block.equations:
        if goes(equation):
            made = moved_up(made, equation)
        else:
            inside = with_inner(equation.op, partial(with_early, goes=goes))
            made.append(Equation(equation.outs, inside, equation.span))
    return Block(tuple(made), block.results)


def moved_up(made: list[Equation], equation: Equation) -> list[Equation]:
    """The equations and another, with what it needs, before the first loop of them that it does not need."""
    needed, taken = set(free(equation.op)), [equation]
    kept: list[Equation] = []
    found = [*made, equation]
    for k in reversed(range(len(made))):
        other = made[k]
        is_needed = not needed.isdisjoint(brought_by(other))
        if not pure(other) or is_needed and not is_quick(other):
            break
        if is_needed:
            needed |= set(free(other.op))
            taken.insert(0, other)
        else:
            kept.insert(0, other)
        if isinstance(other.op, For):
            found = [*made[:k], *taken, *kept]
    return found


def brought_by(equation: Equation) -> set[Var]:
    """What an equation defines, and the sizes that are known from there on."""
    given = free(equation.op)
    known = {*given, *(n for v in given for n in sizes(v.type))}
    return {*equation.outs, *(n for out in equation.outs for n in sizes(out.type))} - known


def is_quick(equation: Equation) -> bool:
    """Whether it computes numbers at once, or makes an array."""
    op = equation.op
    if not isinstance(op, Apply):
        return False
    return op.primitive.kind in MADE_AT_ONCE or not any(out.type.rank for out in equation.outs)
