"""What every block program must satisfy: check : BlockProgram -> the same, or InternalError.

Edges lead to blocks that are there. What a Call returns to is entered by nothing else. A test is a scalar b1. A move's
two sides are of one dtype and rank. What is read has been assigned on every path from the start, through calls too: a
parameter that is only ever given one variable is that variable. Linear in the program, but for loops, which are gone
round until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Branch,
    Call,
    assigned,
    edges,
    reads,
    terminator_moves,
)
from autobatch.cfg.spilling import listing
from codegen.ir import Atom, Lit, Type, Var
from codegen.ir.check import InternalError

Known = frozenset[Var]


def check(program: BlockProgram, *, after: str) -> BlockProgram:
    """`program` itself, if it is well formed; `after` names the pass that made it."""
    for said in leads_nowhere(program):
        raise InternalError(f"after {after}: {said}")
    for said in chain(of_blocks(program), of_reads(program)):
        raise InternalError(f"after {after}: {said}\n{listing(program)}")
    return program


def leads_nowhere(program: BlockProgram) -> Iterator[str]:
    """Blocks that are not there."""
    count = len(program.blocks)
    for name, function in program.functions.items():
        if not 0 <= function.entry < count:
            yield f"{name} begins at block {function.entry}, which is not there"
    for block in program.blocks:
        for target in targets(program, block):
            if not 0 <= target < count:
                yield f"{block.name} leads to block {target}, which is not there"


def targets(program: BlockProgram, block: BasicBlock) -> tuple[int, ...]:
    """The blocks that may run next, a callee's first among them."""
    end = block.terminator
    if isinstance(end, Call):
        return program.functions[end.function].entry, end.then
    return tuple(edge.target for edge in edges(block))


def of_blocks(program: BlockProgram) -> Iterator[str]:
    """Tests, moves, and what blocks are entered by."""
    jumped_to = {edge.target for block in program.blocks for edge in edges(block)}
    for k, block in enumerate(program.blocks):
        end = block.terminator
        if isinstance(end, Branch) and (end.test.type.dtype != "b1" or end.test.type.rank):
            yield f"{block.name} branches on {end.test.type}"
        if block.arrives and k in jumped_to:
            yield f"{block.name} takes results of a call, and is jumped to"
        for moves in (block.arrives, *terminator_moves(block)):
            for target, source in moves:
                if not fits(source.type, target.type):
                    yield f"{block.name} moves {source.type} to {target.name}: {target.type}"


def fits(value: Type, place: Type) -> bool:
    """Whether a place can be given a value: sizes that are not known are assigned with it (`alike` asks whether two
    places can be one)."""
    known = [n == m for n, m in zip(value.shape, place.shape) if isinstance(n, int) and isinstance(m, int)]
    return value.dtype == place.dtype and value.rank == place.rank and all(known)


def of_reads(program: BlockProgram) -> Iterator[str]:
    """Blocks that read what may not have been assigned."""
    known = assigned_before(program)
    for k, block in enumerate(program.blocks):
        if (before := known.get(k)) is None:  # nothing leads here
            continue
        now = set(before)

        def unknown(atoms: Iterator[Atom] | tuple[Atom, ...], now: set[Var] = now) -> list[Var]:
            return [a for a in atoms if not isinstance(a, Lit) and a not in now]

        results = {r for f in program.functions.values() for r in f.results}
        missing = [s for s in unknown(source for _, source in block.arrives) if s not in results]
        now.update(v for to, _ in block.arrives for v in assigned(program.brings, to))
        for equation in block.equations:
            missing += unknown(reads(equation))
            now.update(v for out in equation.outs for v in assigned(program.brings, out))
        if isinstance(block.terminator, Branch):
            missing += unknown((block.terminator.test,))
        for moves in terminator_moves(block):
            missing += unknown(source for _, source in moves)
        for atom in dict.fromkeys(missing):
            yield f"{block.name} reads {atom.name}, which is not assigned on every path to it"


def assigned_before(program: BlockProgram) -> dict[int, Known]:
    """For each block that something leads to, what has been assigned on every path to it."""
    known: dict[int, Known] = {}
    todo: list[int] = []

    def enter(k: int, given: Known) -> None:
        met = given if k not in known else known[k] & given
        if known.get(k) != met:
            known[k] = met
            todo.append(k)

    def parameters(name: str) -> Known:
        return frozenset(v for p in program.functions[name].params for v in assigned(program.brings, p))

    enter(program.entry.entry, parameters(program.main))
    while todo:
        k = todo.pop()
        block = program.blocks[k]
        made = [to for to, _ in block.arrives] + [out for e in block.equations for out in e.outs]
        after = known[k].union(v for out in made for v in assigned(program.brings, out))
        if isinstance(block.terminator, Call):
            name = block.terminator.function
            enter(program.functions[name].entry, after | parameters(name))
            enter(block.terminator.then, after)
        for edge in edges(block):
            enter(edge.target, after.union(v for to, _ in edge.moves for v in assigned(program.brings, to)))
    return known
