"""Diagonals that are given back, as views of the arrays that have them, in compiled code:
diagonal_views : Program -> Program.

    r = arange n                                        return diagonal_of(x)
    return x[:, r, r]        ->

Only where all of an axis' places are read, of two axes of one size, and of a parameter's array or a view of it: what is
not in memory anyway is better computed at its diagonal alone. Two that are read at the same places may be the parts of
a complex array, which are read where they lie.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from codegen.analysis.definitions import applied
from codegen.analysis.equal_sizes import equal_sizes
from codegen.ir import Apply, Atom, Equation, Function, Operation, Program, Var
from codegen.ir.kinds import Access, Made, Same
from codegen.ir.traversal import with_functions
from codegen.primitives.row import ROWS, dim_of


def diagonal_views(program: Program) -> Program:
    """`program` with diagonals that functions give back as views of arrays that they are given."""
    return with_functions(program, with_views)


def with_views(f: Function) -> Function:
    results = {r for r in f.body.results if isinstance(r, Var) and r.type.rank}
    read = [e.op for e in f.body.equations if results.intersection(e.outs) and is_read_by_lists(e.op)]
    if not read:
        return f
    made, known, params = applied(f.body.equations), equal_sizes(f.body.equations), set(f.params)

    def is_given(atom: Atom) -> bool:
        op = made.get(atom)
        if op is not None and op.primitive.kind is Same.TRANSPOSED:
            return is_given(op.operands[0])
        return atom in params

    def shows(op: Apply) -> bool:
        (x, *places), axes = op.operands, op.operands[0].type.shape
        if op.params["spec"] != (":",) * (len(axes) - 2) + ("a", "a") or places[0] is not places[1]:
            return False
        counts = made.get(places[0])
        if counts is None or counts.primitive.kind is not Made.RANGE or not is_given(x):
            return False
        alone = sum(places[0] in each.operands for each in read) == 1
        return alone and all(known.same(dim_of(counts.operands[0]), n) for n in axes[-2:])

    def viewed(equation: Equation) -> Equation:
        op = equation.op
        if not any(op is each for each in read) or not isinstance(op, Apply) or not shows(op):
            return equation
        return replace(equation, op=Apply(ROWS["diagonal_of"], op.operands[:1]))

    return replace(f, body=replace(f.body, equations=tuple(map(viewed, f.body.equations))))


def is_read_by_lists(op: Operation) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.primitive.kind is Access.READ and "a" in op.params["spec"]
