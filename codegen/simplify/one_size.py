"""Sizes that checks show to be equal are one from there on: one_size : Program -> Program.

    check n == m                                 check n == m
    for i in range(n): t[i] = x[i] * s    ->     for i in range(n): t[i] = x[i] * s         which can be one loop
    for i in range(m): y[i] = t[i] + z[i]        for i in range(n): y[i] = t[i] + z[i]

Of two the one that comes first stays. Those of arrays that loops carry, or branches give, and that are always equal are
one from the first simplification on, as numbers are (`congruent_as_one`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from codegen.analysis.congruence import congruent
from codegen.analysis.definitions import applied
from codegen.analysis.equal_sizes import comparisons
from codegen.ir import Apply, Atom, Equation, Function, Program, Var
from codegen.ir.kinds import Relation
from codegen.ir.substitution import keep, replaced, rewrite, sizes
from codegen.ir.traversal import binds, equations, with_functions
from codegen.simplify.literal_sizes import is_check_of_sizes


def one_size(program: Program) -> Program:
    return with_functions(program, with_one_size)


def congruent_as_one(program: Program) -> Program:
    """`program` with one number, or size, for what is equal in all iterations of a loop, or in each branch."""

    def change(function: Function) -> Function:
        same = congruent(function)
        return replace(function, body=rewrite(function.body, {**same}, keep)) if same else function

    return with_functions(program, change)


def with_one_size(function: Function) -> Function:
    made = applied(equations(function.body))
    inside = (v for e in function.body.equations for v in binds(e))
    listed = dict.fromkeys(n for v in (*function.params, *inside) for n in sizes(v.type))
    order: dict[Atom, int] = {n: k for k, n in enumerate(listed)}

    def expand(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        op = equation.op
        if not is_check_of_sizes(op):
            return None
        done = replace(equation, op=replace(op, operands=replaced(op.operands, env)))
        for pair in shown_equal(op.operands[0], made):
            first, later = sorted(replaced(pair, env), key=lambda n: order.get(n, -1))
            if first in order and first is not later:
                assert isinstance(later, Var)
                env.update({n: first for n, known in env.items() if known is later} | {later: first})
        return [done]

    def shown_equal(test: Atom, made: Mapping[Atom, Apply]) -> Iterator[tuple[Atom, Atom]]:
        for kind, n, m in comparisons(test, made):
            if kind is Relation.EQ and n in order and m in order:
                yield n, m

    return replace(function, body=rewrite(function.body, {}, keep, expand))
