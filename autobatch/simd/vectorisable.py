"""What lanes can do side by side, in vector registers: vector : Equation -> bool."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from autobatch.cost_model import UNROLLED_OPERATIONS
from autobatch.kernel.loops import LONG
from codegen.ir import Apply, Block, Equation, For, If, Lit, Operation, While
from codegen.ir.kinds import Arithmetic, Made, Same
from codegen.ir.substitution import blocks as blocks_of
from codegen.ir.substitution import reads as reads_of
from codegen.ir.traversal import nested
from codegen.loops.vectors.vectorise import is_small_power

Ranges = Mapping[object, range]  # of loops' indices
COUNTING: dict[Enum | None, Callable[[Any, Any], Any]] = {
    Arithmetic.ADD: operator.add,
    Arithmetic.SUB: operator.sub,
    Arithmetic.MUL: operator.mul,
}


def may_diverge(equation: Equation) -> bool:
    """A loop that lanes may leave at different times: it is cut into blocks."""
    op = equation.op
    return isinstance(op, While) or (isinstance(op, For) and not has_known_bounds(op))


def has_known_bounds(loop: For) -> bool:
    return isinstance(loop.start, Lit) and isinstance(loop.stop, Lit)


def known_trips(loop: For) -> int:
    return len(index_values(loop))


def unrolled_size(block: Block) -> int:
    """Operations of a block, its loops unrolled."""
    total = 0
    for equation in block.equations:
        op = equation.op
        inner = sum(unrolled_size(b) for b in blocks_of(op))
        total += (known_trips(op) if isinstance(op, For) and has_known_bounds(op) else 1) * inner + 1
    return total


def is_unrolled(loop: For) -> bool:
    """Whether the compiler unrolls a loop of known count."""
    return known_trips(loop) * unrolled_size(loop.body) <= UNROLLED_OPERATIONS


def is_vector(block: Block) -> bool:
    return all(vector(e) for e in block.equations)


def is_tall(equation: Equation) -> bool:
    """A loop of known count, too long to be unrolled, of which lanes may run every iteration side by side.

    Not one that sums an array's elements: its terms are taken side by side where lanes run one by one.
    """
    op = equation.op
    if not isinstance(op, For) or not has_known_bounds(op) or is_unrolled(op):
        return False
    sums = any(p.type.dtype == "f8" and not p.type.rank for p in op.carried)
    return op.kind == "sequential" or known_trips(op) <= LONG or not sums


def in_any_order(equation: Equation) -> bool:
    """Whether all loops of an equation go in any order, and sum nothing."""
    loops = (e.op for e in nested((equation,)) if isinstance(e.op, For))
    return all(loop.kind == "parallel" and all(p.type.rank for p in loop.carried) for loop in loops)


def vector(equation: Equation, counters: frozenset[object] = frozenset(), inside: bool = False) -> bool:
    """Whether lanes side by side can run an equation.

    `counters`: indices of the loops around it; `inside`: it is in a loop that is unrolled, or under a condition.
    """
    op = equation.op
    match op:
        case Apply():
            return vector_apply(equation, op, counters)
        case If():
            return all(all_vector(b, counters, True) for b in blocks_of(op))
        case For():
            tall = is_tall(equation)
            if not has_known_bounds(op) or (inside if tall else not is_unrolled(op)):
                return False
            return all_vector(op.body, counters | {op.index}, not tall)
    return False


def all_vector(block: Block, counters: frozenset[object], inside: bool) -> bool:
    """The same of a whole block, in which numbers that only hang on `counters` are such too."""
    fixed = set(counters)
    for each in block.equations:
        counts = isinstance(each.op, Apply) and each.op.primitive.kind in COUNTING
        if counts and all(isinstance(o, Lit) or o in fixed for o in reads_of(each.op)):
            fixed.add(each.outs[0])
    return all(vector(e, frozenset(fixed), inside) for e in block.equations)


def vector_apply(equation: Equation, op: Apply, counters: frozenset[object]) -> bool:
    row, out = op.primitive, equation.outs[:1]
    if any(v.type.dtype not in ("f8", "f4", "i8", "b1") for v in (*out, *(o for o in op.operands))):
        return False
    if row.stops or row.kind in (Made.EMPTY, Made.FULL, Same.COPY):
        return True
    if row.accesses:
        return all(isinstance(o, Lit) or o in counters for o in op.operands[row.first_place :])
    if row.kind in (Arithmetic.FLOORDIV, Arithmetic.MOD):
        divisor = op.operands[1]
        return out[0].type.dtype == "i8" and isinstance(divisor, Lit) and divisor.value > 0
    if row.kind is Arithmetic.POW and out[0].type.dtype == "i8":
        return is_small_power(op)
    return row.vector is not None and not (out and out[0].type.rank)


def long_inside(equation: Equation) -> bool:
    op = equation.op
    if isinstance(op, For) and is_tall(equation) and vector(equation):
        return False
    if isinstance(op, For) and (not has_known_bounds(op) or not is_unrolled(op)):
        return True
    return any(long_inside(e) for b in blocks_of(op) for e in b.equations)


def all_inside(equations: Iterable[Equation], ranges: Ranges) -> bool:
    """Whether all places that vector equations read or write are inside their arrays, conditions or not."""
    known_now = dict(ranges)
    for equation in equations:
        op = equation.op
        if isinstance(op, Apply):
            if not inside_array(op, known_now):
                return False
            if op.primitive.kind in COUNTING and (values := counted_by(op, known_now)) is not None:
                known_now[equation.outs[0]] = values
        inner = with_index(known_now, op)
        if not all(all_inside(b.equations, inner) for b in blocks_of(op)):
            return False
    return True


def with_index(ranges: Ranges, op: Operation) -> Ranges:
    """What is known inside an operation: of a loop the values of its index too."""
    return {**ranges, op.index: index_values(op)} if isinstance(op, For) and has_known_bounds(op) else ranges


def counted_by(op: Apply, ranges: Ranges) -> range | None:
    """What a sum, difference or product of loops' indices and literals may be, at least and at most."""
    ends = []
    for each in op.operands:
        values = [each.value] if isinstance(each, Lit) else ranges.get(each, ())
        if not values or not isinstance(values[0], int):
            return None
        ends.append((min(values), max(values)))
    found = [COUNTING[op.primitive.kind](x, y) for x in ends[0] for y in ends[1]]
    return range(min(found), max(found) + 1)


def inside_array(op: Apply, ranges: Ranges) -> bool:
    """Whether the places of an index or a write are inside their array, as far as one sees at once."""
    if not op.primitive.accesses:
        return True
    places = op.operands[op.primitive.first_place :]
    return all(
        isinstance(n, int)
        and (0 <= place.value < n if isinstance(place, Lit) else all_within(ranges.get(place), n))
        for place, n in zip(places, op.operands[0].type.shape, strict=False)
    )


def all_within(values: range | None, n: int) -> bool:
    return values is not None and (not values or (min(values) >= 0 and max(values) < n))


def index_values(loop: For) -> range:
    """The values of a known loop's index."""
    assert isinstance(loop.start, Lit) and isinstance(loop.stop, Lit)
    return range(loop.start.value, loop.stop.value, loop.step)
