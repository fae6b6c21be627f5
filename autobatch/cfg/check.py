"""What every block program must satisfy: check : BlockProgram -> the same, or InternalError.

Edges lead to blocks that are there. What a Call returns to is entered by nothing else. A test is a scalar b1. A move's
two sides are of one dtype and rank. What is read has been assigned on every path from the start, through calls too: a
parameter that is only ever given one variable is that variable. Linear in the program, but for loops, which are gone
round until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import chain

from autobatch.cfg.graph import (
    BlockProgram,
    Branch,
    Call,
    all_moves,
    edges,
    equation_outs,
    targets,
    terminator_atoms,
    variables_read,
)
from autobatch.cfg.spilling import block_listing
from codegen.ir import Atom, Type, Var
from codegen.ir.check import InternalError

Known = frozenset[Var]


def check(program: BlockProgram, *, after: str) -> BlockProgram:
    """`program` itself, if it is well formed; `after` names the pass that made it."""
    for said in missing_targets(program):
        raise InternalError(f"after {after}: {said}")
    for said in chain(block_complaints(program), read_complaints(program)):
        raise InternalError(f"after {after}: {said}\n{block_listing(program)}")
    return program


def missing_targets(program: BlockProgram) -> Iterator[str]:
    """Blocks that are not there."""
    count = len(program.blocks)
    for name, function in program.functions.items():
        if not 0 <= function.entry < count:
            yield f"{name} begins at block {function.entry}, which is not there"
    for block in program.blocks:
        for target in targets(program, block):
            if not 0 <= target < count:
                yield f"{block.name} leads to block {target}, which is not there"


def block_complaints(program: BlockProgram) -> Iterator[str]:
    """Tests, moves, and what blocks are entered by."""
    jumped_to = {edge.target for block in program.blocks for edge in edges(block)}
    for k, block in enumerate(program.blocks):
        end = block.terminator
        if isinstance(end, Branch) and (end.test.type.dtype != "b1" or end.test.type.rank):
            yield f"{block.name} branches on {end.test.type}"
        if block.arrives and k in jumped_to:
            yield f"{block.name} takes results of a call, and is jumped to"
        for target, source in all_moves(block):
            if not fits_place(source.type, target.type):
                yield f"{block.name} moves {source.type} to {target.name}: {target.type}"


def fits_place(value: Type, place: Type) -> bool:
    """Whether a place can be given a value: sizes that are not known are assigned with it (`share_a_place` asks
    whether two places can be one)."""
    known = [n == m for n, m in zip(value.shape, place.shape) if isinstance(n, int) and isinstance(m, int)]
    return value.dtype == place.dtype and value.rank == place.rank and all(known)


def read_complaints(program: BlockProgram) -> Iterator[str]:
    """Blocks that read what may not have been assigned."""
    known = assigned_before(program)
    results = {r for f in program.functions.values() for r in f.results}
    for k, block in enumerate(program.blocks):
        if k not in known:  # nothing leads here
            continue
        now = set(known[k])
        missing = not_assigned((source for _, source in block.arrives), results | now)
        now.update(program.assigned(to for to, _ in block.arrives))
        for equation in block.equations:
            missing += not_assigned(variables_read(equation), now)
            now.update(program.assigned(equation.outs))
        missing += not_assigned(terminator_atoms(block), now)
        for atom in dict.fromkeys(missing):
            yield f"{block.name} reads {atom.name}, which is not assigned on every path to it"


def not_assigned(atoms: Iterable[Atom], known: Set[Var]) -> list[Var]:
    return [a for a in atoms if isinstance(a, Var) and a not in known]


def assigned_before(program: BlockProgram) -> dict[int, Known]:
    """For each block that something leads to, what has been assigned on every path to it."""
    known: dict[int, Known] = {}
    todo: list[int] = []

    def enter(k: int, given: Known) -> None:
        met = given if k not in known else known[k] & given
        if known.get(k) != met:
            known[k] = met
            todo.append(k)

    enter(program.entry.entry, frozenset(program.assigned(program.entry.params)))
    while todo:
        k = todo.pop()
        block = program.blocks[k]
        made = [*(to for to, _ in block.arrives), *equation_outs(block)]
        after = known[k].union(program.assigned(made))
        if isinstance(block.terminator, Call):
            callee = program.functions[block.terminator.function]
            enter(callee.entry, after.union(program.assigned(callee.params)))
            enter(block.terminator.then, after)
        for edge in edges(block):
            enter(edge.target, after.union(program.assigned(to for to, _ in edge.moves)))
    return known
