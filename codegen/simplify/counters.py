"""Counters that go along with a loop's index: they are it, or are so far from it.

count = 0                             for i in range(n):
for i in range(n):            ->          ys[i] = x[i]
    ys[count] = x[i]                  count = n
    count += 1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from codegen.analysis.affine import offset_of
from codegen.analysis.definitions import applied
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Program, Var
from codegen.ir.build import Builder
from codegen.ir.substitution import sizes, substitute
from codegen.ir.traversal import with_bodies, with_equations
from codegen.primitives import ROWS

T = TypeVar("T")


def without_counters(program: Program) -> Program:
    """`program` with such counters made of the index."""
    return with_bodies(program, lambda body: with_equations(body, uncounted))


def uncounted(equation: Equation) -> list[Equation]:
    op = equation.op
    if not isinstance(op, For) or op.step != 1:
        return [equation]
    measured = {d for v in (*op.carried, *equation.outs) for d in sizes(v.type)}
    places = [k for k, var in enumerate(op.carried) if is_counter(op, k, var) and var not in measured]
    places = [k for k in places if equation.outs[k] not in measured]
    return by_index(equation, op, places) if places else [equation]


def is_counter(op: For, place: int, var: Var) -> bool:
    """Whether a carried int grows by one in each iteration, as the index does, from where that is easily said."""
    init, start = op.init[place], op.start
    if var.type != op.index.type or init.type != var.type:
        return False
    if not (are_same(init, start) or isinstance(start, Lit) and (isinstance(init, Lit) or start.value == 0)):
        return False
    made = applied(op.body.equations).get(op.body.results[place])
    return made is not None and offset_of(made) == (var, 1)


def are_same(x: Atom, y: Atom) -> bool:
    return x is y or isinstance(x, Lit) and isinstance(y, Lit) and x.value == y.value


def by_index(equation: Equation, op: For, places: list[int]) -> list[Equation]:
    """The loop without these carried ints, and what they are after it."""
    before, after = (Builder(span=equation.span, checked=False) for _ in range(2))
    found: dict[Var, Atom] = {}
    for k in places:
        init = op.init[k]
        if are_same(init, op.start):
            found[op.carried[k]], parts = op.index, ("maximum", op.stop, op.start)
        else:
            ahead = before.apply("sub", before.wrap(init), before.wrap(op.start))
            found[op.carried[k]] = before.atom(before.apply("add", before.wrap(op.index), ahead))
            trips = after.apply("maximum", after.apply("sub", after.wrap(op.stop), after.wrap(op.start)), 0)
            parts = ("add", after.atom(trips), init)
        after.emit((equation.outs[k],), Apply(ROWS[parts[0]], parts[1:], {}))
    kept = [k for k in range(len(op.carried)) if k not in places]
    body = substitute(op.body, found)
    block = Block((*before.equations, *body.equations), at_places(body.results, kept))
    loop = replace(op, carried=at_places(op.carried, kept), init=at_places(op.init, kept), body=block)
    return [Equation(at_places(equation.outs, kept), loop, equation.span), *after.equations]


def at_places(each: Sequence[T], places: Sequence[int]) -> tuple[T, ...]:
    return tuple(each[k] for k in places)
