"""Simpler blocks: optimise : BlockProgram -> BlockProgram, which does the same with fewer blocks and moves.

    copies      (copy_propagation.py)  a place that is only ever given one value is that value
    tail calls  (tail_calls.py)        a call whose results are returned at once is a jump with moves
    constants   (copy_propagation.py)  a place that is only ever given one literal is that literal
    threading   (jump_threading.py)    an edge into a block whose test is known along it goes where the test leads
    pruning     (block_merging.py)     what nobody needs goes
    merging     (block_merging.py)     a block with one predecessor that jumps to it is part of that predecessor

Blocks are renumbered last, in the order of the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autobatch.cfg.block_merging import merge_blocks, prune_blocks
from autobatch.cfg.copy_propagation import propagate_constants, propagate_copies
from autobatch.cfg.cost import cost
from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Call,
    Jump,
    Return,
    edges,
    successors,
    terminator_moves,
    visited,
    with_blocks,
    with_edges,
)
from autobatch.cfg.jump_threading import thread_jumps
from autobatch.cfg.tail_calls import eliminate_tail_calls


def optimise(program: BlockProgram) -> BlockProgram:
    """Every step until none finds anything; then blocks in source order, with their costs."""
    program = propagate_copies(with_reach(program))
    while True:
        before = block_shapes(program)
        program = thread_jumps(propagate_constants(eliminate_tail_calls(program)))
        program = empty_unreachable(merge_blocks(prune_blocks(program)))
        if block_shapes(program) == before:
            return with_reach(renumbered(program))


def empty_unreachable(program: BlockProgram) -> BlockProgram:
    """Blocks that cannot run any more are emptied: nothing is read or assigned there."""
    alive = visited(program, program.entry.entry)
    empty = {
        k: replace(b, equations=(), arrives=(), terminator=Return(()))
        for k, b in enumerate(program.blocks)
        if k not in alive
    }
    return with_blocks(program, empty)


def block_shapes(program: BlockProgram) -> list[object]:
    """What tells whether a step changed anything: the shape of each block."""
    return [
        (len(b.equations), type(b.terminator), successors(b), [len(m) for m in terminator_moves(b)])
        for b in program.blocks
    ]


def with_reach(program: BlockProgram) -> BlockProgram:
    """`reaches` as the blocks stand: whose blocks may run between a function's entry and its return."""
    reach = {}
    for name, function in program.functions.items():
        seen = visited(program, function.entry)
        again = {b.terminator.function for k in seen if isinstance((b := program.blocks[k]).terminator, Call)}
        inside = {program.blocks[k].function for k in seen}
        back = any(function.entry in visited(program, program.functions[g].entry) for g in again)
        reach[name] = frozenset(inside if back else inside - {name})
    return replace(program, reaches=reach)


def renumbered(program: BlockProgram) -> BlockProgram:
    """Only blocks that can run, in the order they were made, which is the source's; names made unique."""
    order = sorted(visited(program, program.entry.entry))
    number = {old: new for new, old in enumerate(order)}
    taken: dict[str, int] = {}
    blocks = []
    for old in order:
        block = retargeted(program.blocks[old], number)
        count = taken[block.name] = taken.get(block.name, 0) + 1
        name = block.name if count == 1 else f"{block.name} {count}"
        blocks.append(replace(block, name=name, cost=cost(block.equations, program.program)))
    functions = {
        name: replace(f, entry=number[f.entry]) for name, f in program.functions.items() if f.entry in number
    }
    return replace(program, blocks=tuple(blocks), functions=functions)


def retargeted(block: BasicBlock, number: Mapping[int, int]) -> BasicBlock:
    if isinstance(block.terminator, Call):
        call = block.terminator
        return replace(block, terminator=replace(call, then=number[call.then]))
    return with_edges(block, {k: Jump(number[e.target], e.moves) for k, e in enumerate(edges(block))})
