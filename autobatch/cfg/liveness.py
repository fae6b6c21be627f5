"""Which variables are needed where: live_in : BlockProgram -> for each block, what it or a later block reads.

    0 head:  t = lt i n; Branch t -> 1 | 2        {i, n, s}
    1 body:  s2 = add s i; j = add i 1; Jump 0 with i <- j, s <- s2      {i, n, s}
    2 end:   Return r <- s                        {s, address}

A Return reads the address it goes to. Around a Call, what the block after it needs stays live, and what the
callee reads of other functions' variables (those that never change while it runs) is live in the caller
too.
"""

from __future__ import annotations

from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    assigned,
    edges,
    reads,
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
    needed: set[Var] = set()
    written: set[Var] = set()
    for equation in reversed(block.equations):
        for out in equation.outs:
            each = assigned(program.brings, out)
            needed.difference_update(each)
            written.update(each)
        needed.update(reads(equation))
    for target, _ in block.arrives:
        each = assigned(program.brings, target)
        needed.difference_update(each)
        written.update(each)
    return frozenset(needed), frozenset(written)


def at_end(program: BlockProgram, block: BasicBlock, live: list[Live] | tuple[Live, ...]) -> Live:
    """What is needed once a block's equations are done, its terminator included."""
    match block.terminator:
        case Jump() | Branch():
            needed: set[Var] = set()
            for edge in edges(block):
                needed |= through(program, edge.moves, live[edge.target])
            if isinstance(block.terminator, Branch):
                needed |= vars_in((block.terminator.test,))
            return frozenset(needed)
        case Call(name, moves, then):
            callee = program.functions[name]
            inside = live[callee.entry] - {callee.address}
            # What follows the call needs its variables as they are here: the moves into parameters overwrite them, so
            # they are among what is pushed.
            return frozenset(live[then] | through(program, moves, inside))
        case Return(moves):
            sources = vars_in(tuple(source for _, source in moves))
            return frozenset(sources | {program.functions[block.function].address})


def through(program: BlockProgram, moves: Moves, target: Live) -> Live:
    """What is needed before the moves to have `target` after them."""
    needed = set(target)
    for var, _ in moves:
        needed.difference_update(assigned(program.brings, var))
    return frozenset(needed | vars_in(tuple(source for to, source in moves if wanted(program, to, target))))


def wanted(program: BlockProgram, var: Var, live: Live | set[Var]) -> bool:
    """Whether an assignment of `var` is of use where `live` is needed."""
    return any(v in live for v in assigned(program.brings, var))


def vars_in(atoms: tuple[Atom, ...]) -> set[Var]:
    return {a for a in atoms if isinstance(a, Var)}


def pure(equation: Equation) -> bool:
    """Whether an equation may be left out where its outs are not needed: no effect, no draw, no call."""
    op = equation.op
    return isinstance(op, Apply) and not op.primitive.effect and op.primitive.family != "random"
