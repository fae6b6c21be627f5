"""Sizes that checks show to be small numbers are those from there on: literal_sizes : Program -> Program.

    assert x.shape == (3,)                 check n == 3
    y = 2.0 * x: f8[n]             ->      y = 2.0 * x: f8[3]

So what is made of arrays of few elements is known to have few, and can be numbers (scalar_replacement.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard

from codegen.analysis.definitions import applied
from codegen.analysis.equal_sizes import comparisons
from codegen.cost_model import SMALL_ARRAY
from codegen.ir import Apply, Atom, Equation, Function, Lit, Operation, Program, Var
from codegen.ir.check import InternalError, check
from codegen.ir.kinds import Effect, Relation
from codegen.ir.substitution import keep, replaced, rewrite
from codegen.ir.traversal import equations, with_functions


def literal_sizes(program: Program) -> Program:
    """`program` with numbers for ints that are known to be these; itself where they contradict each other, so that a
    check fails whenever it is run."""
    made = with_functions(program, settle_literals)
    if made.functions == program.functions:
        return program
    try:
        return check(made, after="literal sizes")
    except InternalError:
        return program


def settle_literals(function: Function) -> Function:
    made = applied(equations(function.body))

    def expand(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        op = equation.op
        if is_check_of_sizes(op):
            done = replace(equation, op=replace(op, operands=replaced(op.operands, env)))
            env.update(shown_literals(op.operands[0], made))
            return [done]
        return None

    checks = [e.op for e in equations(function.body) if is_check_of_sizes(e.op)]
    if not any(True for op in checks for _ in shown_literals(op.operands[0], made)):
        return function
    return replace(function, body=rewrite(function.body, {}, keep, expand))


def is_check_of_sizes(op: Operation) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.primitive.kind is Effect.CHECK


def shown_literals(test: Atom, made: Mapping[Atom, Apply]) -> Iterator[tuple[Var, Lit]]:
    """The ints that are small literals where a test holds."""
    for kind, *sides in comparisons(test, made):
        for n, value in (sides, sides[::-1]) if kind is Relation.EQ else ():
            if isinstance(n, Var) and isinstance(value, Lit) and 1 < value.value <= SMALL_ARRAY:
                yield n, Lit(value.value, n.type)
