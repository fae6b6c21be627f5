"""Which variables are needed where: live_in : BlockProgram -> for each block, what it or a later block reads.

    0 head:  t = lt i n; Branch t -> 1 | 2        {i, n, s}
    1 body:  s2 = add s i; j = add i 1; Jump 0 with i <- j, s <- s2      {i, n, s}
    2 end:   Return r <- s                        {s, address}

A Return reads the address it goes to. Around a Call, what the block after it needs stays live, and what the
callee reads of other functions' variables (those that never change while it runs) is live in the caller
too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    edges,
    equation_outs,
    terminator_atoms,
    variables_read,
)
from codegen.ir import Apply, Atom, Equation, Var

Live = frozenset[Var]


def live_in(program: BlockProgram) -> tuple[Live, ...]:
    """For each block the variables whose values it needs on entry (before results arrive)."""
    live: list[Live] = [frozenset()] * len(program.blocks)
    own = [reads_and_writes(program, block) for block in program.blocks]
    changed = True
    while changed:
        changed = False
        for k in reversed(range(len(program.blocks))):
            read, written = own[k]
            found = (at_end(program, program.blocks[k], live) - written) | read
            if found != live[k]:
                live[k], changed = found, True
    return tuple(live)


def reads_and_writes(program: BlockProgram, block: BasicBlock) -> tuple[Live, Live]:
    """What a block's equations read that they do not assign before, and what it assigns, moves aside."""
    arrived = [to for to, _ in block.arrives]
    needed: set[Var] = set()
    for equation in reversed(block.equations):
        needed.difference_update(program.assigned(equation.outs))
        needed.update(variables_read(equation))
    needed.difference_update(program.assigned(arrived))
    return frozenset(needed), frozenset(program.assigned([*arrived, *equation_outs(block)]))


def at_end(program: BlockProgram, block: BasicBlock, live: Sequence[Live]) -> Live:
    """What is needed once a block's equations are done, its terminator included."""
    match block.terminator:
        case Call(name, moves, then):
            callee = program.functions[name]
            # What follows the call needs its variables as they are here: the moves into parameters overwrite them, so
            # they are among what is pushed.
            return live[then] | live_before_moves(program, moves, live[callee.entry] - {callee.address})
        case Return():
            return vars_in(terminator_atoms(block)) | {program.functions[block.function].address}
        case Branch(test):
            return vars_in([test]).union(
                *(live_before_moves(program, e.moves, live[e.target]) for e in edges(block))
            )
        case Jump(target, moves):
            return live_before_moves(program, moves, live[target])


def live_before_moves(program: BlockProgram, moves: Moves, target: Live) -> Live:
    """What is needed before the moves to have `target` after them."""
    kept = target.difference(program.assigned(to for to, _ in moves))
    return kept | vars_in(source for to, source in moves if is_live(program, to, target))


def after_moves(program: BlockProgram, live: Sequence[Live], block: BasicBlock, k: int) -> Live:
    """What is needed after the moves of way out k."""
    match block.terminator:
        case Call(name, _, then):
            return live[then] | live[program.functions[name].entry]
        case Return(moves):
            return frozenset(to for to, _ in moves)
        case _:
            return live[edges(block)[k].target]


def is_live(program: BlockProgram, var: Var, live: Set[Var]) -> bool:
    """Whether an assignment of `var` is of use where `live` is needed."""
    return var in live or any(size in live for size, _ in program.brings.get(var, ()))


def vars_in(atoms: Iterable[Atom]) -> Live:
    return frozenset(a for a in atoms if isinstance(a, Var))


def is_pure(equation: Equation) -> bool:
    """Whether an equation may be left out where its outs are not needed: no effect, no stream, no call."""
    op = equation.op
    return isinstance(op, Apply) and not op.primitive.effect and not op.primitive.of_streams
