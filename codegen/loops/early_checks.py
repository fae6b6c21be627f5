"""early_checks : Program -> Program, with checks before what computes without failing.

    t = X.sum(axis=1)                       if len(w) != len(X): raise ...
    if len(w) != len(X): raise ...    ->    t = X.sum(axis=1)
    y = t * w                               y = t * w

So nothing stands between loops that can be made one. Checks stay in their order, and behind what may fail itself.
"""

from __future__ import annotations

from codegen.analysis.effects import pure
from codegen.ir import Apply, Block, Equation, For, Program
from codegen.ir.kinds import Effect
from codegen.ir.substitution import free
from codegen.ir.traversal import with_bodies, with_inner


def early_checks(program: Program) -> Program:
    return with_bodies(program, in_block)


def in_block(block: Block) -> Block:
    made: list[Equation] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.kind is Effect.CHECK:
            made = with_check(made, equation)
        else:
            made.append(Equation(equation.outs, with_inner(op, in_block), equation.span))
    return Block(tuple(made), block.results)


def with_check(made: list[Equation], check: Equation) -> list[Equation]:
    """The equations and the check, with what it needs, before the last of them that loops."""
    needed, taken, at = set(free(check.op)), [check], len(made)
    kept: list[Equation] = []
    for k in reversed(range(len(made))):
        equation = made[k]
        if not pure(equation) or needed & set(equation.outs) and not is_number(equation):
            break
        if needed & set(equation.outs):
            needed |= set(free(equation.op))
            taken.insert(0, equation)
        else:
            kept.insert(0, equation)
        if isinstance(equation.op, For):
            at = k
            best = [*made[:k], *taken, *kept]
    return best if at < len(made) else [*made, check]


def is_number(equation: Equation) -> bool:
    """Whether it computes numbers, at once."""
    return isinstance(equation.op, Apply) and not any(out.type.rank for out in equation.outs)
