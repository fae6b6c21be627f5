"""One slot for each value of a block program: slots : BlockProgram, Storage -> Slots.

Values that flow into one another (moves of jumps, calls and returns; an array before and after a write) share a slot
where their lifetimes allow it, so that most moves cost nothing and writes are done in place. Inside a block the
lifetimes are those of `codegen.emit.coalescing`; across blocks they follow liveness, and across a call what was not
pushed stays alive through all that the callee runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    edges,
    terminator_atoms,
    terminator_moves,
    visited,
)
from autobatch.cfg.liveness import live_in
from autobatch.cfg.spilling import Storage
from autobatch.kernel.memory.overlap import Filled, Overlap
from codegen.emit.coalescing import Classes, Interference
from codegen.emit.expression_folding import Folded, Folding, use_count
from codegen.ir import Atom, Block, Var

Live = frozenset[Var]


@dataclass(frozen=True, eq=False)
class Slots:
    """names: each value that is not folded -> its slot's name; folded: values written inside expressions."""

    names: dict[Var, str]
    folded: Folded
    used: Counter[Var]
    lifetimes: Lifetimes


def slots(program: BlockProgram, where: Storage, fixed: Collection[Var], avoid: Collection[str]) -> Slots:
    """`fixed`: shared arrays, which are read where they are and share a slot with nothing."""
    bodies = [as_block(program, k) for k in range(len(program.blocks))]
    used: Counter[Var] = Counter()
    for body in bodies:
        used.update(use_count(body))
    used.update(program.entry.results)
    used.update(source for block in program.blocks for _, source in block.arrives if isinstance(source, Var))
    for pushed in where.pushes.values():
        used.update(pushed)
    memory = ArrayClasses(program, bodies)
    folded: dict[Var, object] = {}
    crossing = set(where.registers)
    for body in bodies:
        folding = Folding(used, memory, {})
        folding.block(body)
        folded.update({v: e for v, e in folding.folded.items() if v not in crossing and not v.type.rank})
    walk = Overlap(folded, used)
    lifetimes = Lifetimes(program, where, walk, bodies)
    lifetimes.walk_all()
    classes = SlotClasses(walk, tuple(fixed))
    for filled in walk.filled:
        keep_whole(classes, filled)
    for a, b in wishes(program, walk):
        if a in classes.parent and b in classes.parent and not {a, b} & set(fixed):
            merge_slots(classes, a, b)
    return Slots(dict(classes.name(avoid)), folded, used, lifetimes)  # type: ignore[arg-type]


class SlotClasses(Classes):
    """Values in one slot: a slot has room for arrays of one shape."""

    def kind(self, var: Var) -> object:
        return var.type.dtype, var.type.shape


def keep_whole(classes: Classes, filled: Filled) -> None:
    """Gives an array that a loop fills one slot, or none of the places that it might take."""
    for name in filled.names[1:]:
        merge_slots(classes, filled.names[0], name)
    if len({classes.find(name) for name in filled.names}) > 1:
        for name, old in product(filled.names, filled.over):
            classes.clash[classes.find(name)] |= classes.walk.mask((old,))


def merge_slots(classes: Classes, a: Var, b: Var) -> None:
    """As Classes.join, but slots of different names may become one, and shapes must be equal."""
    a, b = classes.find(a), classes.find(b)
    if a is not b and classes.kind(a) == classes.kind(b) and not classes.meet(a, b):
        classes.merge(a, b)


def as_block(program: BlockProgram, k: int) -> Block:
    """A block's equations, what its terminator reads as results."""
    return Block(program.blocks[k].equations, tuple(terminator_atoms(program.blocks[k])))


def wishes(program: BlockProgram, walk: Interference) -> Iterator[tuple[Var, Var]]:
    """Pairs that should share a slot: arrays before scalars, what has one name first, inside blocks before moves."""
    pairs = list(walk.wishes)
    for block in program.blocks:
        for moves in (*terminator_moves(block), block.arrives):
            pairs += [(to, source) for to, source in moves if isinstance(source, Var)]
    yield from sorted(pairs, key=lambda pair: (not pair[0].type.rank, pair[0].name != pair[1].name))


class ArrayClasses:
    """The memories that arrays may live in: arrays that could ever share a slot are one memory."""

    def __init__(self, program: BlockProgram, bodies: list[Block]):
        self.parent: dict[Var, Var] = {}
        walk = Interference({}, Counter())
        for body in bodies:
            walk.forward(body)
        for a, b in wishes(program, walk):
            self.parent[self.find(a)] = self.find(b)

    def find(self, var: Var) -> Var:
        while (up := self.parent.get(var, var)) is not var:
            var = up
        return var

    def __call__(self, var: Var) -> frozenset[object]:
        return frozenset((self.find(var),))


class Lifetimes:
    """Walks all blocks backward and notes in `walk` which values are alive together."""

    def __init__(self, program: BlockProgram, where: Storage, walk: Interference, bodies: list[Block]):
        self.program, self.where, self.walk, self.bodies = program, where, walk, bodies
        self.live = live_in(program)
        self.around = self.kept_alive()

    def kept_alive(self) -> dict[str, set[Var]]:
        """For each function what its callers need after it and did not push."""
        around: dict[str, set[Var]] = {name: set() for name in self.program.functions}
        for k, block in enumerate(self.program.blocks):
            if isinstance(block.terminator, Call):
                entry = self.program.functions[block.terminator.function].entry
                for name in {self.program.blocks[j].function for j in visited(self.program, entry)}:
                    around[name] |= self.after_call(k, block.terminator)
        return around

    def after_call(self, k: int, call: Call) -> Live:
        """What is needed once a call has returned, its results and what was pushed aside."""
        results = {source for _, source in self.program.blocks[call.then].arrives if isinstance(source, Var)}
        return self.live[call.then] - results - set(self.where.pushes.get(k, ()))

    def walk_all(self) -> None:
        entry = self.program.entry
        self.walk.first_seen(entry.params)
        for block, body in zip(self.program.blocks, self.bodies, strict=True):
            self.walk.first_seen(tuple(to for to, _ in block.arrives))
            self.walk.forward(body)
            for moves in terminator_moves(block):
                self.walk.first_seen(tuple(to for to, _ in moves))
        self.walk.first_seen(tuple(f.address for f in self.program.functions.values()))
        self.walk.first_seen(entry.results)
        self.walk.first_seen(self.where.registers)
        for k, body in enumerate(self.bodies):
            self.block(k, body)
        self.walk.define(entry.params, self.walk.mask(self.live[entry.entry]))

    def block(self, k: int, body: Block) -> None:
        block = self.program.blocks[k]
        alive = self.alive(k, block, Block(body.equations, ()))
        targets = [to for to, _ in block.arrives]
        popped = self.where.popped(self.program, k)
        self.walk.define((*targets, *popped), alive & ~self.walk.mask((*targets, *popped)))
        sources = self.read(source for _, source in block.arrives)
        self.walk.define(popped, (alive | sources) & ~self.walk.mask(popped))

    def alive(self, k: int, block: BasicBlock, rest: Block) -> int:
        """What is alive before the equations that a block ends with, as a set of `walk`'s."""
        return self.walk.block(rest, self.at_end(k, block) | self.walk.mask(self.around[block.function]))

    def read(self, atoms: Iterable[Atom]) -> int:
        return self.walk.read(atoms)

    def at_end(self, k: int, block: BasicBlock) -> int:
        """What is alive before the terminator's moves, noting what its targets may not overwrite."""
        around = self.walk.mask(self.around[block.function])
        match block.terminator:
            case Call(name, moves):
                callee = self.program.functions[name]
                kept = self.after_call(k, block.terminator)
                after = around | self.walk.mask((*self.live[callee.entry], *kept, callee.address))
                before = self.moved(moves, after)
                self.walk.define((callee.address,), after)
                return before | self.walk.mask(self.where.pushes.get(k, ()))
            case Return(moves):
                address = self.program.functions[block.function].address
                return self.moved(moves, self.walk.mask((address, *(to for to, _ in moves))) | around)
            case Branch() | Jump():
                found = self.read((block.terminator.test,) if isinstance(block.terminator, Branch) else ())
                for edge in edges(block):
                    found |= self.moved(edge.moves, self.walk.mask(self.live[edge.target]) | around)
                return found

    def moved(self, moves: Moves, after: int) -> int:
        targets = [to for to, _ in moves]
        rest = after & ~self.walk.mask(targets)
        self.walk.define(targets, rest)
        return rest | self.read(source for _, source in moves)
