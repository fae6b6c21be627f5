"""Loops that make a large array anew, two iterations at a time: unroll_by_two : Program -> Program.

    for _ in range(n):                 for _ in range(0, n - n % 2, 2):
        y = f(x)                           y = f(x)
        x = y  (a copy)        ->          x = f(y)
                                       if n % 2 == 1:
                                           y = f(x); x = y

A lane's arrays are at constant places: what a loop carries has one, and what an iteration makes of it another, from
which it would be copied each time. Two iterations go there and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from autobatch.cost_model import COPIED_ELEMENTS, UNROLLED_EQUATIONS
from codegen.ir import Apply, Atom, Block, Equation, For, If, Lit, Operation, Program, Var, While
from codegen.ir.build import I8, Builder
from codegen.ir.kinds import Made
from codegen.ir.substitution import clone
from codegen.ir.traversal import equation_count, with_bodies, with_equations


def unroll_by_two(program: Program) -> Program:
    """`program` with the loops in it that would copy large arrays unrolled by two."""
    return with_bodies(program, lambda body: with_equations(body, unrolled))


def unrolled(equation: Equation) -> Sequence[Equation]:
    op = equation.op
    if (
        isinstance(op, For)
        and op.step == 1
        and makes_array_anew(op)
        and equation_count(op.body) <= UNROLLED_EQUATIONS
    ):
        return by_twos(equation, op)
    return [equation]


def makes_array_anew(loop: For) -> bool:
    """Whether an iteration makes a large array that the next one takes for one that it was given."""
    made = {out: (e.op, k) for e in loop.body.equations for k, out in enumerate(e.outs)}
    return any(
        p.type.rank and is_large_array(p) and is_begun_here(result, made)
        for p, result in zip(loop.carried, loop.body.results, strict=True)
    )


def is_large_array(var: Var) -> bool:
    return all(isinstance(n, int) for n in var.type.shape) and prod(var.type.shape) >= COPIED_ELEMENTS  # type: ignore[arg-type]


def is_begun_here(atom: Atom, made: dict[Var, tuple[Operation, int]]) -> bool:
    """Whether an array is one that was begun in this block, and then perhaps written."""
    while isinstance(atom, Var) and atom in made:
        op, k = made[atom]
        if isinstance(op, For | While):
            atom = op.init[k]
        elif isinstance(op, Apply) and op.primitive.writes:
            atom = op.operands[0]
        else:
            return isinstance(op, Apply) and op.primitive.kind in (Made.EMPTY, Made.FULL)
    return False


def by_twos(equation: Equation, loop: For) -> Sequence[Equation]:
    """The loop over pairs of iterations, and the iteration that is left if their number is odd."""
    b = Builder(span=equation.span, checked=False)
    start, stop = b.wrap(loop.start), b.wrap(loop.stop)
    odd = b.apply("maximum", stop - start, 0) % 2
    last = stop - odd
    index = Var(loop.index.name, I8)
    first = clone(loop.body, {loop.index: index})
    given = dict(zip(loop.carried, first.results, strict=True))
    inner = b.inner()
    following = inner.atom(inner.wrap(index) + 1)
    second = clone(loop.body, {loop.index: following, **given})
    body = Block((*first.equations, *inner.equations, *second.equations), second.results)
    even = isinstance(odd, int) and odd == 0
    outs = equation.outs if even else tuple(Var(o.name, o.type) for o in equation.outs)
    ends = [Lit(n, I8) if isinstance(n, int) else b.atom(n) for n in (start, last)]
    b.emit(outs, replace(loop, index=index, start=ends[0], stop=ends[1], step=2, body=body))
    if even:
        return b.equations
    alone = clone(loop.body, {loop.index: ends[1], **dict(zip(loop.carried, outs, strict=True))})
    b.emit(equation.outs, If(b.atom(odd == 1), alone, Block((), outs)))
    return b.equations
