"""Fewer and fuller blocks: prune_blocks, merge_blocks : BlockProgram -> BlockProgram.

    0: t = add x 1; jump 1 with y <- t          0: t = add x 1; z = mul t 2; return r <- z
    1: z = mul y 2; return r <- z          ->

Moves on the only edge into a block become the block's own: it reads the sources, and moves on what is
needed later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import replace

from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Call,
    Jump,
    Moves,
    edges,
    equation_outs,
    replaced_block,
    successors,
    terminator_moves,
    variables_read,
    visited,
    with_blocks,
    with_edges,
    with_moves,
)
from autobatch.cfg.liveness import Live, after_moves, at_end, is_live, is_pure, live_in
from codegen.ir import Apply, Equation, For, If, Lit, Var
from codegen.ir.kinds import Effect
from codegen.ir.substitution import blocks as blocks_of


def prune_blocks(program: BlockProgram) -> BlockProgram:
    """Without moves, arrivals and pure equations whose targets nobody needs."""
    live = live_in(program)
    return with_blocks(program, {k: prune_block(program, live, b) for k, b in enumerate(program.blocks)})


def prune_block(program: BlockProgram, live: tuple[Live, ...], block: BasicBlock) -> BasicBlock:
    def useful(moves: Moves, needed: Set[Var]) -> Moves:
        return tuple((to, s) for to, s in moves if to is not s and is_live(program, to, needed))

    end = with_moves(block.terminator, lambda k, moves: useful(moves, after_moves(program, live, block, k)))
    block = replace(block, terminator=end)
    needed = set(at_end(program, block, live))
    kept: list[Equation] = []
    for equation in reversed(block.equations):
        outs = set(program.assigned(equation.outs))
        if (only_computes(equation) and not outs & needed) or is_true_check(equation):
            continue
        kept.append(equation)
        needed = (needed - outs) | set(variables_read(equation))
    return replace(block, equations=tuple(reversed(kept)), arrives=useful(block.arrives, needed))


def only_computes(equation: Equation) -> bool:
    """Whether an equation does nothing but compute its outs; a `while` may also never end."""
    if isinstance(equation.op, If | For):
        return all(only_computes(e) for inner in blocks_of(equation.op) for e in inner.equations)
    return is_pure(equation)


def is_true_check(equation: Equation) -> bool:
    """Whether an equation is a check of what is known to hold."""
    match equation.op:
        case Apply(primitive, (Lit(value), *_)):
            return primitive.kind is Effect.CHECK and bool(value)
    return False


def merge_blocks(program: BlockProgram) -> BlockProgram:
    """Blocks joined with their only predecessor where that one jumps to them; else its moves its own."""
    live = live_in(program)
    blocks = dict(enumerate(program.blocks))
    entries = {f.entry for f in program.functions.values()}
    seen = visited(program, program.entry.entry)
    incoming = Counter(e.target for k in seen for e in edges(program.blocks[k]))
    single = {k for k, count in incoming.items() if count == 1 and k not in entries}
    changed: set[int] = set()  # blocks that may read more than `live` says: what leads there has to wait
    for k in sorted(seen):
        for e, edge in enumerate(edges(blocks[k])):
            target = blocks[edge.target]
            if edge.target not in single - {k} or not edge.moves or changed & {k, *successors(target)}:
                continue
            if can_read_sources(program, live, edge, target):
                changed.add(edge.target)
                tail = absorb_moves(program, live, edge.moves, target)
                blocks[k] = with_edges(blocks[k], {e: Jump(edge.target)})
                blocks[edge.target] = tail
    for k in sorted(seen):
        while isinstance(end := blocks[k].terminator, Jump) and end.target in single - {k} and not end.moves:
            tail = blocks[end.target]
            blocks[end.target] = replace(tail, terminator=Jump(end.target))
            single.discard(end.target)
            equations = blocks[k].equations + tail.equations
            blocks[k] = replace(blocks[k], equations=equations, terminator=tail.terminator)
    return with_blocks(program, blocks)


def can_read_sources(program: BlockProgram, live: tuple[Live, ...], edge: Jump, block: BasicBlock) -> bool:
    """Whether a block can read the sources of an edge instead of the places they are moved to.

    A Call saves what is live after it before it moves anything, so that nothing can be moved there for later.
    """
    places = {to for to, _ in edge.moves}
    if isinstance(block.terminator, Call) and after_moves(program, live, block, 0) & places:
        return False
    made = program.assigned(equation_outs(block))
    return places.isdisjoint(program.brings) and not any(v in made for move in edge.moves for v in move)


def absorb_moves(
    program: BlockProgram, live: tuple[Live, ...], moves: Moves, block: BasicBlock
) -> BasicBlock:
    """The block doing the moves itself, on its way out, as far as they are needed there."""

    def carried(k: int, own: Moves) -> Moves:
        needed = after_moves(program, live, block, k) - {to for to, _ in terminator_moves(block)[k]}
        return (*((to, source) for to, source in moves if to in needed), *own)

    reading = replaced_block(block, dict(moves))
    return replace(reading, terminator=with_moves(reading.terminator, carried))
