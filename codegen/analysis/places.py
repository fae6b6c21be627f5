"""Where arrays are read and written: places_of : access -> ...; whether that is inside or surely outside of them."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, Dim, Equation, For
from codegen.ir.literals import size_atom
from codegen.ir.substitution import blocks
from codegen.primitives.index import is_outside, places_along


def stays_inside(equation: Equation, ranges: Ranges) -> bool:
    """Whether all places that an equation reads and writes are in their arrays, whatever checks before it say."""
    op, depth = equation.op, len(ranges.undo)
    if isinstance(op, Apply):
        ranges.equation(equation)
        return not op.primitive.accesses or all(
            token != "a" and ranges.le(None, place) and ranges.le(place, size_atom(n), -1)
            for token, place, n in places_of(op)
        )
    if isinstance(op, For):
        ranges.loop_index(op)
    inside = all(stays_inside(e, ranges) for block in blocks(op) for e in block.equations)
    ranges.leave(depth)
    return inside


def places_of(op: Apply) -> Iterator[tuple[str, Atom, Dim]]:
    """The places at which an access is, and the sizes of their axes."""
    return places_along(op.operands[0].type, op.params["spec"], op.operands[op.primitive.first_place :])


def is_nowhere(op: Apply) -> bool:
    """Whether a place is surely outside its axis: a check before it always fails, and this is never reached."""
    return any(token == "i" and (n == 0 or is_outside(place, n)) for token, place, n in places_of(op))
