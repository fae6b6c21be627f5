"""Results that a lane writes and never reads, which are therefore written where they go: only_written.

    draws = np.empty(n)
    for i in range(n):                     F[DRAWS + i] = x                     out0[lane, i] = x
        ...                                ...                          ->
        draws[i] = x                       out0[lane, k] = F[DRAWS + k]
    return draws

They take nothing of a lane's memory, however long they are. What is read again stays with the lane, where it is near;
so does what is short, as an address that is held to the end takes registers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from autobatch.cfg.graph import BlockProgram
from autobatch.cfg.spilling import Storage
from autobatch.cost_model import SHORT_RESULT
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.memory.register_allocation import Slots, wishes
from codegen.ir import Apply, Var
from codegen.ir.kinds import Access
from codegen.ir.traversal import nested


def only_written(program: BlockProgram, where: Storage, slots: Slots) -> dict[str, int]:
    """The slots of such results, each with the result's number."""
    names = slots.names
    results = [names.get(result, "") for result in program.entry.results]
    shared = {slot for slot, count in Counter(results).items() if count > 1}
    kept = {names.get(v, "") for v in (*read_arrays(program, where, slots), *program.entry.params)} | shared
    whole = enumerate(zip(program.entry.results, results, strict=True))
    return {slot: k for k, (result, slot) in whole if is_long_result(result) and slot not in kept}


def is_long_result(result: Var) -> bool:
    return result.type.rank > 0 and element_count(result.type) > SHORT_RESULT


def read_arrays(program: BlockProgram, where: Storage, slots: Slots) -> Iterator[Var]:
    """The arrays of which elements are read, or all by being moved elsewhere."""
    for block in program.blocks:
        for equation in nested(block.equations):
            if isinstance(op := equation.op, Apply):
                written = op.primitive.kind is Access.WRITE
                yield from (o for o in op.operands[written:] if isinstance(o, Var))
    for to, source in wishes(program, slots.lifetimes.walk):
        if slots.names.get(to) != slots.names.get(source):
            yield source
    for pushed in where.pushes.values():
        yield from pushed
