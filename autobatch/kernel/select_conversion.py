"""Branches without branches: eager choices where lanes go side by side, chosen places where arms only copy arrays.

    side by side      a and b                      ->   a & b
                      x[i] if t else y[i]          ->   select(t, x[i], y[i])       both are loaded, without masks
    lane by lane      if t: copy X <- A            ->   copy X <- (A if t else B)   no test that a lane cannot foresee
                      else: copy X <- B

A processor that foresees a test wrongly does again what it had begun of what follows.
"""

from __future__ import annotations

from dataclasses import replace

from autobatch.cost_model import BRANCHED_COST
from autobatch.kernel import ir
from autobatch.kernel.ir import Either, Layout, Memory, Operation, Region, Register, Stmt, Value
from autobatch.kernel.parallel_copies import copies_by_size
from autobatch.kernel.walk import nodes, rebuilt
from codegen.ir.kinds import Choice, Logic


def eager(region: Region) -> Region:
    """Choices of lanes side by side, none of which are branches."""
    return rebuilt(region, computed)


def computed(value: Value) -> Value:
    """`and` would look at its second condition in some lanes only, `x if t else y` at one of two places in memory, or
    divide in some."""
    if not isinstance(value, Operation | ir.Select) or value.type.rank:
        return value
    if isinstance(value, ir.Select):
        arms: tuple[Value, ...] = (value.then, value.orelse)
    else:
        kind = value.op.primitive.kind
        if kind in (Logic.AND, Logic.OR) and all(o.type.dtype == "b1" for o in value.op.operands):
            return replace(value, eager=True)
        arms = value.operands[1:] if kind is Choice.SELECT else ()
    return replace(value, eager=True) if any(map(is_branched_over, nodes(arms))) else value


def is_branched_over(value: Value) -> bool:
    """Whether LLVM would rather not compute it where it is not chosen."""
    if isinstance(value, Operation):
        return value.op.primitive.cost >= BRANCHED_COST
    return isinstance(value, ir.Element | ir.Quotient)


def chosen_places(region: Region) -> Region:
    """Where the arms of a branch only copy arrays, from or to one place or another, the place is chosen."""
    return rebuilt(region, with_chosen_place)


def with_chosen_place(stmt: Stmt) -> Stmt | Region:
    if not isinstance(stmt, ir.If) or stmt.ends or not isinstance(stmt.test, Register):
        return stmt
    then, orelse = only_copies(stmt.then), only_copies(stmt.orelse)
    if not then or orelse is None or len(then) != len(orelse):
        return stmt
    pairs = []
    for (to, source), (other_to, other_source) in zip(then, orelse, strict=True):
        target, place = chosen_memory(stmt.test, to, other_to), chosen_memory(stmt.test, source, other_source)
        if target is None or place is None:
            return stmt
        pairs.append((target, place))
    return tuple(copies_by_size(pairs))


def only_copies(region: Region) -> list[tuple[Memory, Memory]] | None:
    """The copies that a region is; None if it is more."""
    pairs: list[tuple[Memory, Memory]] = []
    for stmt in region:
        if not isinstance(stmt, ir.Copy) or stmt.test is not None:
            return None
        pairs += stmt.pairs
    return None if any(m.layout is Layout.PLACES for pair in pairs for m in pair) else pairs


def chosen_memory(test: Register, then: Memory, orelse: Memory) -> Memory | None:
    """The place of an array that is in one or another of the same memory."""
    if then == orelse:
        return then
    if (
        then.layout not in (Layout.ROWS, Layout.COLD)
        or replace(orelse, first=then.first) != then
        or not orelse.first
    ):
        return None
    return replace(then, first=Either(test, str(then.first), str(orelse.first)))
