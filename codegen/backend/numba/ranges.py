"""Loops over ranges of signed ints, in a third of Numba's instructions: range_instructions : what Numba has -> ours.

    for i in range(n):       index, left = 0, max(n, 0)
                             while left > 0: i, left, index = index, left - 1, index + 1

Numba stores each structure (the range, its iterator, an item and whether there is one) and loads it field by field, and
divides by the step, a 1 mostly: 75 instructions and seven blocks a loop, which LLVM reads, and takes away again. Here
fields are taken of values, and a step of 1 divides nothing.

The next index does not wrap: no index is beyond the range's end, and the one after the last is not looked at. Of one
that goes down LLVM is told that it is above the range's end, but in innermost loops with checks: it would no longer
take these out of the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.base import BaseContext
from numba.core.lowering import Lower

from codegen.backend.numba.analyses import Attribute


def range_instructions(find: Any, fn: Any, sig: Any) -> Any:
    """What writes the instructions of `range`, of the start of a loop over one, and of the way to its next index;
    `find` as it is where they are of another kind."""
    if fn == "iternext" and is_signed(sig.args[0]):
        return next_index
    if fn == "getiter" and is_signed(getattr(sig.args[0], "iterator_type", None)):
        return started(find)
    if getattr(fn, "typing_key", fn) is range and is_signed(getattr(sig.return_type, "iterator_type", None)):
        return range_bounds
    return find


def is_signed(kind: Any) -> bool:
    return isinstance(kind, types.RangeIteratorType) and kind.yield_type in types.signed_domain


def range_bounds(builder: Any, args: Any, *_: Any) -> Any:
    """range(stop), range(start, stop) or range(start, stop, step): the three in a structure."""
    kind = args[0].type
    return structure_of(builder, *(args if len(args) == 3 else (kind(0), *args, kind(1))[-3:]))


def started(find: Any) -> Any:
    """The iterator: where the next index is, and how many are left, in memory; Numba's unless the step is a known 1, or
    a bound so far that Numba's count overflows."""

    def write(builder: Any, args: Any, *more: Any) -> Any:
        start, stop, step = (field_of(args[0], k) for k in range(3))
        known = isinstance(step, ir.Constant) and step.constant != 0
        if not known or step.constant != 1 and not is_far(start) and not is_far(stop):
            return find(builder, args, *more)
        index, left = (cgutils.alloca_once(builder, start.type) for _ in range(2))
        builder.store(start, index)
        some, count = written_count(builder, start, stop, step.constant)
        with builder.if_else(some) as (filled, empty):
            with filled:
                builder.store(count(), left)
            with empty:
                builder.store(start.type(0), left)
        return structure_of(builder, index, stop, step, left)

    return write


def written_count(builder: Any, start: Any, stop: Any, step: int) -> tuple[Any, Callable[[], Any]]:
    """Whether a range has an item, and what writes how many it has."""
    low, high = (start, stop) if step > 0 else (stop, start)
    if abs(step) > 1:
        some = builder.icmp_signed(">", high, low)
        return some, lambda: whole_steps(builder, builder.sub(high, low), abs(step))
    distance = saturated(builder, high, low) if is_far(low) or is_far(high) else builder.sub(high, low)
    return builder.icmp_signed(">", distance, distance.type(0)), lambda: distance


def whole_steps(builder: Any, distance: Any, step: int) -> Any:
    """How many steps there are in a distance of 1 or more, which has no sign: it may be larger than the largest int."""
    kind = distance.type
    return builder.add(builder.udiv(builder.sub(distance, kind(1)), kind(step)), kind(1))


def is_far(bound: Any) -> bool:
    """Whether a bound is a number, so large that a distance from it may be more than the largest int."""
    return isinstance(bound, ir.Constant) and abs(bound.constant) >= 2 ** (bound.type.width - 2)


def saturated(builder: Any, high: Any, low: Any) -> Any:
    """high - low, or the largest or smallest int where it is beyond."""
    kind = high.type
    told = ir.FunctionType(kind, [kind, kind])
    name = f"llvm.ssub.sat.i{kind.width}"
    return builder.call(cgutils.get_or_insert_function(builder.module, told, name), [high, low])


def next_index(builder: Any, args: Any, *_: Any) -> Any:
    """The index and whether there is one."""
    index, stop, step, left = (builder.extract_value(args[0], k) for k in range(4))
    count, at = builder.load(left), builder.load(index)
    more = builder.icmp_signed(">", count, count.type(0))
    with builder.if_then(more):
        if is_told_of_descent(builder):
            up = builder.icmp_signed(">", step, step.type(0))
            assume(builder, builder.or_(up, builder.icmp_signed(">", at, stop)))
        builder.store(builder.sub(count, count.type(1), flags=("nsw",)), left)
        builder.store(builder.add(at, step, flags=("nsw",)), index)
    return structure_of(builder, at, more)


def structure_of(builder: Any, *fields: Any) -> Any:
    made = ir.LiteralStructType([each.type for each in fields])(ir.Undefined)
    for k, each in enumerate(fields):
        made = builder.insert_value(made, each, k)
    return made


def field_of(value: Any, k: int) -> Any:
    """What was put into a structure at k; None where it is not made here."""
    while isinstance(value, ir.instructions.InsertValue):
        if tuple(value.indices) == (k,):
            return value.operands[1]
        value = value.operands[0]
    return None


def field(k: int) -> Any:
    """What stands in for a method that gives a part of a pair."""
    return lambda self, builder, pair, kind: builder.extract_value(pair, k)


lower_any_block: Any = Lower.lower_block
TOLD = "tells_of_descent"  # an attribute of the builder, while it writes the header of a loop


def lower_block(self: Any, block: Any) -> None:
    """Numba's writing of a block, which notes whether it is the header of a loop where descending indices are told."""
    if not hasattr(self, "told_headers"):
        loops = compute_cfg_from_blocks(self.blocks).loops()
        checked = {h for h, loop in loops.items() if len(loop.exits) > 1}
        outer = {h for h, loop in loops.items() if any(other in loop.body for other in loops if other != h)}
        self.told_headers = {id(self.blocks[h]) for h in loops if h in outer or h not in checked}
    setattr(self.builder, TOLD, id(block) in self.told_headers)
    lower_any_block(self, block)


def is_told_of_descent(builder: Any) -> bool:
    """Whether what is written is the header of a loop where LLVM is told that descending indices stay above the end."""
    return getattr(builder, TOLD, False)


def assume(builder: Any, told: Any) -> None:
    """Tell LLVM that something holds."""
    kind = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.assume"), [told])


LOOPS_WRITTEN: list[Attribute] = [
    (BaseContext, "pair_first", field(0)),
    (BaseContext, "pair_second", field(1)),
    (Lower, "lower_block", lower_block),
]
