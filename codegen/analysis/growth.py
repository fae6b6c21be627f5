"""Arrays that are made larger where there is no room for another row.

xs1: f8[m] = if full: update (empty k) xs  :n        growth: {xs1: xs}
             else: xs
"""

from __future__ import annotations

from codegen.analysis.definitions import applied, is_empty
from codegen.ir import Atom, Block, Equation, If, Lit, Program, Var
from codegen.ir.kinds import Access, Made, Same
from codegen.ir.literals import size_atom
from codegen.ir.traversal import all_equations
from codegen.primitives.index import Cut
from codegen.source import UnknownSizeError


def growth(equation: Equation) -> dict[Var, Var]:
    """The outs of an If all of which are, on one way, larger arrays that begin with what they are on the other."""
    op = equation.op
    if not isinstance(op, If) or not any(map(is_empty, (*op.then.equations, *op.orelse.equations))):
        return {}
    larger, same = (op.then, op.orelse) if not op.orelse.equations else (op.orelse, op.then)
    if same.equations:
        return {}
    found = {
        out: before
        for out, result, before in zip(equation.outs, larger.results, same.results, strict=True)
        if isinstance(before, Var) and begins_with(larger, result, before)
    }
    return found if len(found) == len(equation.outs) else {}


def refuse_growth(program: Program) -> Program:
    """The program itself, of a lane. UnknownSizeError where an array is made larger as it runs: what a lane computes
    does not tell how long it gets."""
    for equation in all_equations(program):
        for out in growth(equation):
            raise UnknownSizeError.at(
                equation.span,
                f"how long a list gets, {out.name!r}, is not known before the program runs, and lanes have arrays of "
                "one size: say in the loop how long at most, `assert len(xs) <= 100`",
            )
    return program


def begins_with(block: Block, result: Atom, before: Var) -> bool:
    """Whether a block makes an array whose first rows are those of another."""
    made = applied(block.equations)
    if not before.type.rank or (op := made.get(result)) is None or op.primitive.kind is not Access.WRITE:
        return False
    base, rows = made.get(op.operands[0]), op.operands[1]
    while (copied := made.get(rows)) is not None and copied.primitive.kind in (Same.COPY, Same.BROADCAST):
        rows = copied.operands[0]
    if base is None or base.primitive.kind is not Made.EMPTY or rows is not before:
        return False
    end, size = op.operands[-1], size_atom(before.type.shape[0])
    same = end is size or isinstance(end, Lit) and isinstance(size, Lit) and end.value == size.value
    return op.params["spec"] == (Cut(False, True),) and same
