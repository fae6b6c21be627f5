"""One lane's statements in a block, and those of its end: what is run there, what is stored, where it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from autobatch.cfg.graph import Branch, Call, Jump, Return
from autobatch.kernel import ir
from autobatch.kernel.ir import Address, Memory, Region, Register, Stmt
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.arenas import is_stream
from autobatch.kernel.memory.group import GroupMemory
from autobatch.kernel.reciprocals import divisions
from autobatch.kernel.visits import Visits, probe
from autobatch.kernel.walk import outs, statements
from autobatch.profiling.probes import Unmarked
from autobatch.simd.loop_distribution import Straight
from autobatch.simd.tail_duplication import Flow
from codegen.ir import Var

Path = tuple[int, ...]  # blocks, each run at the end of the one before


class GroupVisits(Visits):
    """The statements of blocks, while they are made.

    leaving: None, or, of a block that is run several times in one, the numbers that are to be stored after them.
    """

    def __init__(self, memory: GroupMemory, flow: Flow, marks: Unmarked):
        super().__init__(memory, Lowering(memory.slots, self.home, returns=True), marks)
        self.memory, self.flow = memory, flow
        self.leaving: set[str] | None = None
        self.tops: dict[str, list[str]] = {}  # arena -> names of where frames begin
        self.divisions = divisions(e for block in memory.program.blocks for e in block.equations)

    def home(self, var: Var) -> Memory | None:
        return self.memory.homes.get(self.names.get(var, ""))

    def whole(self, k: int) -> Straight:
        block = self.program.blocks[k]
        return Straight(block.arrives, block.equations, (), last=True)

    def region(self, k: int, part: Straight) -> Region:
        """The statements of a block's last part, and of what is run at its end."""
        return tuple(self.with_stores(self.straight(k, part, (), Counter()), set()))

    def straight(self, k: int, part: Straight, path: Path, pushed: Counter[str]) -> Iterator[Stmt]:
        """The same without stores; `pushed`: how many frames were pushed on the stack of an arena."""
        low, block = self.lowering, self.program.blocks[k]
        path = (*path, k)
        if not self.memory.wide[path[0]]:
            yield from probe(self.marks.visit(k, block))
        if popped := self.popped(k):
            yield ir.Pop(self.frames(popped, self.tops_after(pushed)))
        yield from low.moves(part.before, now=False)
        yield from low.steps(part.equations)
        match block.terminator:
            case Jump() as jump:
                yield from self.go(jump, path, pushed)
            case Branch() as branch:
                yield from self.branch(branch, path, pushed)
            case Call() as call:
                made = list(self.call(k, call, self.tops_after(pushed), now=False))
                yield from made
                more = Counter(f.arena for s in made if isinstance(s, ir.Push) for f in s.frames)
                entry = Jump(self.program.functions[call.function].entry)
                yield from self.go(entry, path, pushed + more, self.memory.live[call.then])
            case Return(moves):
                yield from low.moves(moves, now=False)
                known = self.where.returns.get(k)
                after = self.after_return(k) if known is None else set()
                after |= self.memory.live[known] if known not in (None, self.memory.end) else set()
                yield self.needed({*after, *(to for to, _ in moves)} | self.around(k))
                yield self.returns(k)

    def branch(self, end: Branch, path: Path, pushed: Counter[str]) -> Iterator[Stmt]:
        test, then, orelse = self.lowering.value(end.test), end.then, end.orelse
        if any(j.moves or self.flow.goes_on(j.target, path) for j in (then, orelse)):
            one, other = (tuple(self.go(jump, path, pushed)) for jump in (then, orelse))
            yield ir.If(test, one, other, ends=True)
            return
        yield self.needed(
            self.memory.live[then.target] | self.memory.live[orelse.target] | self.around(path[-1])
        )
        yield ir.Next(then.target, test, orelse.target)

    def go(
        self, jump: Jump, path: Path, pushed: Counter[str], besides: frozenset[Var] = frozenset()
    ) -> Iterator[Stmt]:
        """On to a block: its statements here and now if it is run at once, else its number."""
        yield from self.lowering.moves(jump.moves, now=False)
        if self.flow.goes_on(jump.target, path):
            yield from self.straight(jump.target, self.whole(jump.target), path, pushed)
            return
        yield self.needed(self.memory.live[jump.target] | besides | self.around(path[-1]))
        yield ir.Next(jump.target)

    def around(self, k: int) -> set[Var]:
        return self.memory.slots.lifetimes.around[self.program.blocks[k].function]

    def after_return(self, k: int) -> set[Var]:
        """What the blocks that block k may return to need, besides its results."""
        functions, found = self.program.functions, set[Var]()
        address = functions[self.program.blocks[k].function].address
        for block in self.program.blocks:
            end = block.terminator
            if isinstance(end, Call) and functions[end.function].address is address:
                found |= self.memory.live[end.then] - set(self.popped(end.then))
        return found

    def needed(self, values: Iterable[Var]) -> ir.Needed:
        """What is needed after the visit."""
        slots = {self.names[v] for v in values if v in self.names and not is_stream(v)}
        arrays = (m for slot, m in self.memory.homes.items() if slot in slots and m.type.rank)
        return ir.Needed(tuple(arrays), frozenset(slots))

    def with_stores(self, region: Iterable[Stmt], assigned: set[str]) -> Iterator[Stmt]:
        """What was given new values goes to its rows, if it is needed afterwards."""
        for stmt in region:
            match stmt:
                case ir.Needed(memories, numbers):
                    due = numbers & assigned & self.memory.registers
                    if self.leaving is not None:
                        self.leaving |= due
                        continue
                    yield from map(self.stored, sorted(due))
                    yield from [ir.Needed(memories)] if memories else []
                case ir.If(test, then, orelse, ends=True):
                    ways = [tuple(self.with_stores(arm, set(assigned))) for arm in (then, orelse)]
                    ends = [s for way in ways for s in way if isinstance(s, ir.Next) and s.test is None]
                    if self.leaving is not None and [len(way) for way in ways] == [1, 1] and len(ends) == 2:
                        yield ir.Next(ends[0].then, test, ends[1].then)
                    else:
                        yield ir.If(test, ways[0], ways[1], ends=True)
                case _:
                    assigned |= assigned_in((stmt,))
                    yield stmt

    def stored(self, slot: str) -> ir.Store:
        """A number to its row."""
        return ir.Store(Address(self.memory.homes[slot]), Register(slot, self.memory.homes[slot].type))

    def loaded(self, slot: str) -> ir.Assign:
        """A number from its row."""
        type_ = next(v.type for v, name in self.names.items() if name == slot)
        return ir.Assign(Register(slot, type_), ir.Element(Address(self.memory.homes[slot]), type_))

    def tops_after(self, pushed: Counter[str]) -> Callable[[str], str]:
        """The names of the places where the next frames begin: others for each frame of a function.

        What was popped lies where the first one begins.
        """

        def top(arena: str) -> str:
            names = self.tops.setdefault(arena, [f"{arena.lower()}_top"])
            while len(names) <= pushed[arena]:
                names.append(self.memory.fresh(names[0]))
            return names[pushed[arena]]

        return top


def assigned_in(region: Region) -> set[str]:
    """The registers that statements give new values."""
    return {register.name for stmt in statements(region) for register in outs(stmt)}
