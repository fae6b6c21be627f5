"""One lane's statements in a block, and those of its end: what is run there, what is stored, where it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from autobatch.cfg.graph import Branch, Call, Jump, Return
from autobatch.kernel.ir import (
    Address,
    Assign,
    Element,
    Frame,
    If,
    Memory,
    Needed,
    Next,
    Pop,
    Push,
    Register,
    Stmt,
    Store,
)
from autobatch.kernel.lane_visits import frame, probe
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.arenas import is_stream
from autobatch.kernel.memory.group import KINDS, GroupMemory
from autobatch.kernel.reciprocals import divisions
from autobatch.profiling.probes import Unmarked
from autobatch.schedule import TOO_DEEP
from autobatch.simd.loop_distribution import Straight
from autobatch.simd.tail_duplication import Flow
from codegen.ir import Atom, Equation, Lit, Var


class GroupVisits:
    """The statements of blocks, while they are made.

    leaving: None, or, of a block that is run several times in one, the numbers that are to be stored after them.
    """

    def __init__(self, memory: GroupMemory, flow: Flow, marks: Unmarked):
        self.memory, self.flow, self.marks = memory, flow, marks
        self.leaving: set[str] | None = None
        self.tops: dict[str, list[str]] = {}  # arena -> names of where frames begin
        self.lowering = Lowering(self.memory.slots, self.home, returns=True)
        self.divisions = divisions(e for block in memory.program.blocks for e in block.equations)

    def home(self, var: Var) -> Memory | None:
        return self.memory.homes.get(self.memory.slots.names.get(var, ""))

    def whole(self, k: int) -> Straight:
        block = self.memory.program.blocks[k]
        return Straight(block.arrives, block.equations, (), last=True)

    def straight(
        self,
        k: int,
        path: tuple[int, ...],
        assigned: set[str],
        pushed: Counter[str],
        last: Straight | None = None,
    ) -> Iterator[Stmt]:
        """The statements of a block, or of its last part, and of what is run at its end.

        `assigned`: the slots with new values; `pushed`: how many frames were pushed on the stack of an arena.
        """
        low, block = self.lowering, self.memory.program.blocks[k]
        part = last or self.whole(k)
        path = (*path, k)
        if not self.memory.wide[path[0]]:
            yield from probe(self.marks.visit(k, block))
        popped = self.memory.where.popped(self.memory.program, k)
        if popped:
            yield Pop(self.frames(popped, pushed))
        yield from low.moves(list(part.before), now=False)
        yield from low.steps(part.equations)
        assigned = assigned | self.changed(part.before)
        made = (*popped, *self.made(part.equations))
        assigned |= {self.memory.slots.names[o] for o in made if o in self.memory.slots.names}
        match block.terminator:
            case Jump() as jump:
                yield from self.go(jump.target, jump.moves, path, assigned, pushed)
            case Branch():
                yield from self.branch(block.terminator, path, assigned, pushed)
            case Call(name, moves, then, span):
                if saved := self.memory.where.pushes.get(k, ()):
                    yield Push(self.frames(saved, pushed), low.site("RecursionError", TOO_DEEP, span))
                    pushed = pushed + Counter(frame.arena for frame in self.frames(saved, pushed))
                callee = self.memory.program.functions[name]
                yield from low.moves(list(moves), now=False)
                assigned = assigned | self.changed(moves)
                if (
                    callee.address in self.memory.slots.names
                    and callee.address in self.memory.where.registers
                ):
                    yield Assign(low.register(callee.address), Lit(then, callee.address.type))
                    assigned.add(self.memory.slots.names[callee.address])
                yield from self.go(callee.entry, (), path, assigned, pushed, self.memory.live[then])
            case Return(moves):
                yield from low.moves(list(moves), now=False)
                known = self.memory.where.returns.get(k)
                address = self.memory.program.functions[block.function].address
                after = frozenset() if known in (None, self.memory.end) else self.memory.live[known]
                handed = {to for to, _ in moves} | (self.after_return(address) if known is None else set())
                yield from self.store(assigned | self.changed(moves), after | handed | self.around(k))
                yield Next(low.register(address) if known is None else known)

    def branch(
        self, end: Branch, path: tuple[int, ...], assigned: set[str], pushed: Counter[str]
    ) -> Iterator[Stmt]:
        test, then, orelse = self.lowering.value(end.test), end.then, end.orelse
        if not any(j.moves or self.flow.goes_on(j.target, path) for j in (then, orelse)):
            needed = self.memory.live[then.target] | self.memory.live[orelse.target] | self.around(path[-1])
            yield from self.store(assigned, needed)
            yield Next(then.target, test, orelse.target)
            return
        ways = [tuple(self.go(j.target, j.moves, path, assigned, pushed)) for j in (then, orelse)]
        ends = [s for way in ways for s in way if isinstance(s, Next) and s.test is None]
        if self.leaving is not None and [len(way) for way in ways] == [1, 1] and len(ends) == 2:
            yield Next(ends[0].then, test, ends[1].then)
        else:
            yield If(test, ways[0], ways[1], ends=True)

    def go(
        self,
        target: int,
        moves: Sequence[tuple[Var, Atom]],
        path: tuple[int, ...],
        assigned: set[str],
        pushed: Counter[str],
        besides: frozenset[Var] = frozenset(),
    ) -> Iterator[Stmt]:
        """On to a block: its statements here and now if it is run at once, else its number."""
        yield from self.lowering.moves(list(moves), now=False)
        assigned = assigned | self.changed(tuple(moves))
        if self.flow.goes_on(target, path):
            yield from self.straight(target, path, assigned, pushed)
            return
        yield from self.store(assigned, self.memory.live[target] | besides | self.around(path[-1]))
        yield Next(target)

    def around(self, k: int) -> frozenset[Var]:
        return frozenset(self.memory.slots.lifetimes.around[self.memory.program.blocks[k].function])

    def after_return(self, address: Var) -> set[Var]:
        """What the blocks that a function may return to need, besides its results."""
        found: set[Var] = set()
        for block in self.memory.program.blocks:
            end = block.terminator
            if isinstance(end, Call) and self.memory.program.functions[end.function].address is address:
                found |= self.memory.live[end.then] - set(
                    self.memory.where.popped(self.memory.program, end.then)
                )
        return found

    def store(self, assigned: set[str], needed: Iterable[Var]) -> Iterator[Stmt]:
        """What was given new values goes to its rows, if it is needed afterwards."""
        kept = [v for v in needed if v in self.memory.slots.names and not is_stream(v)]
        numbers = (
            {self.memory.slots.names[v] for v in kept if not v.type.rank} & assigned & self.memory.registers
        )
        if self.leaving is not None:
            self.leaving |= numbers
            return
        yield from map(self.stored, sorted(numbers))
        if arrays := dict.fromkeys(m for v in kept if v.type.rank and (m := self.home(v)) is not None):
            yield Needed(tuple(arrays))

    def stored(self, slot: str) -> Store:
        """A number to its row."""
        return Store(Address(self.memory.homes[slot]), Register(slot, self.memory.homes[slot].type))

    def loaded(self, slot: str) -> Assign:
        """A number from its row."""
        type_ = next(v.type for v, name in self.memory.slots.names.items() if name == slot)
        return Assign(Register(slot, type_), Element(Address(self.memory.homes[slot]), type_))

    def frames(self, listed: Sequence[Var], pushed: Counter[str]) -> tuple[Frame, ...]:
        """What is pushed, or popped, by arena."""
        contents: dict[str, list[Var]] = {}
        for var in listed:
            contents.setdefault(KINDS[var.type.dtype], []).append(var)
        return tuple(
            frame(arena, self.top(arena, pushed[arena]), each, self.lowering)
            for arena, each in contents.items()
        )

    def top(self, arena: str, pushed: int) -> str:
        """The name of the place where the next frame begins: another for each frame of a function.

        What was popped lies where the first one begins.
        """
        names = self.tops.setdefault(arena, [f"{arena.lower()}_top"])
        while len(names) <= pushed:
            names.append(self.memory.fresh(names[0]))
        return names[pushed]

    # what is given new values

    def numbers(self, values: Iterable[Var]) -> set[str]:
        return {
            self.memory.slots.names[v]
            for v in values
            if v in self.memory.slots.names and not v.type.rank and not is_stream(v)
        }

    def made(self, equations: Iterable[Equation]) -> Iterable[Var]:
        """What equations make; what nobody reads is left out, and its slot may be another's."""
        return (o for e in equations for o in e.outs if self.lowering.is_read(o))

    def changed(self, moves: Iterable[tuple[Var, Atom]]) -> set[str]:
        """The slots that moves give new values."""
        moved = (to for to, a in moves if self.lowering.is_read(to) and not self.lowering.stays(to, a))
        return {self.memory.slots.names[to] for to in moved if to in self.memory.slots.names}
