"""Arrays of which each iteration of a loop uses its own part: own_axes, written_axes : ... -> axes.

    for i in range(n):
        for j in range(m):
            t[i, j] = x[i, j + 1]     over i both are used along axis 0, over j t along axis 1

What iterations do to such an array does not hang on the order in which they run, and two loops over one range that use
it along the same axis may be one; if no index counts from the end, where others are too (`never_negative`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import Enum

from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, Block, For, If, Var, While
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, free


def never_negative(loop: For, ranges: Ranges) -> bool:
    """Whether a loop's index never counts from the end: places of two iterations are different then."""
    return ranges.le(None, loop.start) if loop.step > 0 else ranges.le(None, loop.stop, 1)


def own_axes(
    block: Block,
    array: Var,
    index: Var,
    result: Atom | None = None,
    how: Collection[Enum | None] = tuple(Access),
) -> set[int]:
    """The axes at which a block, and the loops within, use an array in these ways only, at places `index`.

    None of them where `result` is not what the block makes of the array.
    """
    versions, axes = {array}, set(range(array.type.rank))
    for op in uses(block, versions):
        if op is None or not only_at_places(op, versions) or op.primitive.kind not in how:
            return set()
        axes &= axes_at(op, index)
    return axes if result is None or result in versions else set()


def written_axes(loop: For, k: int) -> set[int]:
    """The axes at which carried array k is written, and what was written, at places of the loop's index only."""
    param = loop.carried[k]
    versions, axes = {param}, set(range(param.type.rank))
    for op in uses(loop.body, versions):
        if op is None:
            return set()
        if op.primitive.writes and op.operands[0] in versions:
            axes &= axes_at(op, loop.index)
    return axes if loop.body.results[k] in versions else set()


def uses(block: Block, versions: set[Var]) -> Iterator[Apply | None]:
    """What is applied to an array; its `versions` after writes, in loops and branches, are found on the way.

    None where it is no longer sure which values are that array.
    """
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Apply):
            if not versions.isdisjoint(op.operands):
                yield op
                if op.primitive.writes and op.operands[0] in versions:
                    versions.add(equation.outs[0])
        elif isinstance(op, For | While):
            both = tuple(zip(op.carried, op.init, op.body.results, equation.outs, strict=True))
            versions.update(v for param, init, _, out in both if init in versions for v in (param, out))
            for inner in blocks(op):
                yield from uses(inner, versions)
            if any((param in versions) != (result in versions) for param, _, result, _ in both):
                yield None
        elif isinstance(op, If):
            for inner in blocks(op):
                yield from uses(inner, versions)
            arms = tuple(zip(op.then.results, op.orelse.results, equation.outs, strict=True))
            if any((x in versions) != (y in versions) for x, y, _ in arms):
                yield None
            versions.update(out for x, _, out in arms if x in versions)
        elif not versions.isdisjoint(free(op)):
            yield None


def only_at_places(op: Apply, versions: set[Var]) -> bool:
    """Whether an operation reads or writes one place of an array, and does nothing else with it."""
    if not op.primitive.accesses or op.operands[0] not in versions:
        return False
    return set(op.params["spec"]) <= {"i"} and versions.isdisjoint(op.operands[1:])


def axes_at(op: Apply, index: Var) -> set[int]:
    """The axes at which an access is at place `index`."""
    if not set(op.params["spec"]) <= {"i"}:
        return set()
    return {k for k, place in enumerate(op.operands[op.primitive.first_place :]) if place is index}
