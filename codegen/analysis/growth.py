"""Arrays that are made larger where there is no room for another row.

xs1: f8[m] = if full: update (empty k) xs  :n        growth: {xs1: xs}
             else: xs
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codegen.analysis.definitions import applied, is_empty
from codegen.ir import Apply, Atom, Block, Equation, If, Lit, Program, Var
from codegen.ir.build import SIZE
from codegen.ir.kinds import Access, Arithmetic, Logic, Made, Relation, Same
from codegen.ir.literals import size_atom
from codegen.ir.traversal import all_equations
from codegen.primitives.index import Cut
from codegen.source import UnknownSizeError


def growth(equation: Equation) -> dict[Var, Var]:
    """The outs of an If all of which are, on one way, larger arrays that begin with what they are on the other."""
    ways = larger_and_same(equation)
    if ways is None:
        return {}
    larger, same = ways
    found = {
        out: before
        for out, result, before in zip(equation.outs, larger.results, same.results, strict=True)
        if isinstance(before, Var) and begins_with(larger, result, before)
    }
    return found if len(found) == len(equation.outs) else {}


def larger_and_same(equation: Equation) -> tuple[Block, Block] | None:
    """The way of a branch that makes new arrays, and the other, where that computes nothing."""
    op = equation.op
    if not isinstance(op, If) or not any(map(is_empty, (*op.then.equations, *op.orelse.equations))):
        return None
    larger, same = (op.then, op.orelse) if not op.orelse.equations else (op.orelse, op.then)
    return None if same.equations else (larger, same)


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


@dataclass(frozen=True)
class Growth:
    """What a branch says that makes arrays larger: which ones, which sizes it gives beside, and when."""

    arrays: dict[Var, Var]
    sizes: dict[Var, Atom]
    count: Atom
    more: Atom


def growth_in(equation: Equation, made: Mapping[Atom, Apply]) -> Growth | None:
    """The growth of arrays in an equation, if that is what it is. `made`: what makes each value."""
    ways, op = larger_and_same(equation), equation.op
    if ways is None or not isinstance(op, If):
        return None
    larger, same = ways
    when = told_full(op.test, made, larger is op.then)
    if when is None:
        return None
    pairs = list(zip(equation.outs, larger.results, same.results, strict=True))
    arrays = {
        x: before
        for x, after, before in pairs
        if isinstance(before, Var) and begins_with(larger, after, before)
    }
    before = {size_atom(each.type.shape[0]) for each in arrays.values()}
    after = {size_atom(each.type.shape[0]) for _, each, _ in pairs if each.type.rank}
    ints = {n: old for n, new, old in pairs if new in after and old in before}
    if not arrays or len(arrays) + len(ints) < len(pairs) or len(before) > 1 or when[0] not in before:
        return None
    return Growth(arrays, ints, when[1], when[2])


def told_full(test: Atom, made: Mapping[Atom, Apply], holds: bool) -> tuple[Atom, Atom, Atom] | None:
    """The size of arrays, how many rows are in use and how many more are asked for, of a test whether there is room."""
    op = made.get(test)
    if op is None:
        return None
    if op.primitive.kind is Logic.NOT:
        return told_full(op.operands[0], made, not holds)
    full, room = (Relation.GE, Relation.LT), (Relation.GT, Relation.LE)
    if op.primitive.kind is full[not holds]:
        return op.operands[1], op.operands[0], Lit(1, SIZE)
    added = made.get(op.operands[0])
    if op.primitive.kind is room[not holds] and added is not None and added.primitive.kind is Arithmetic.ADD:
        count, more = added.operands
        return op.operands[1], count, more
    return None


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
