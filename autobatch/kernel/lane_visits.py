"""What a lane that runs by itself does at each place where it may be: lane_visits : LaneMemory -> visits.

A block is a visit; one with a product that lanes take together is one more for each product. A lane that stops at it
keeps the numbers it will need, and its arrays' memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from autobatch.cfg.graph import BasicBlock, Branch, Call, Jump, Return
from autobatch.cfg.return_places import address_values
from autobatch.kernel import ir
from autobatch.kernel.check import check
from autobatch.kernel.ir import Region, Stmt
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.panel_rows import RowLoop, panel_loops
from autobatch.kernel.panels import Panel, panel_names, shared_product
from autobatch.kernel.pipeline import LOWERED
from autobatch.kernel.polling import visited_again
from autobatch.kernel.visits import Visits, probe
from autobatch.profiling.probes import Unmarked
from codegen.ir import Block, Equation, Var


@dataclass(frozen=True, eq=False)
class Stop:
    """An equation at which lanes wait for each other.

    A lane that waits is at place `waits`; once the equation is done it goes on at `resumes` with the scalars `alive`.
    """

    block: BasicBlock
    equation: Equation
    waits: int
    alive: tuple[Var, ...]

    @property
    def resumes(self) -> int:
        return self.waits + 1


@dataclass(frozen=True, eq=False)
class SharedProduct(Stop):
    """A product with a shared matrix.

    `panel`: the product is the first of a panel's, which are all taken, with its `loops`.
    """

    panel: Panel | None
    loops: dict[Equation, RowLoop]


@dataclass(frozen=True, eq=False)
class Visit:
    """What a lane does at a place; `looks`: whether it looks before if it is to stop."""

    number: int
    name: str
    region: Region
    looks: bool = False


class LaneVisits(Visits):
    """The visits of a program, and where lanes stop in them, as is met: at products that they take together."""

    def __init__(self, memory: LaneMemory, marks: Unmarked):
        super().__init__(memory, memory.lowering, marks)
        self.memory = memory
        self.stops: list[Stop] = []
        self.panelled = {e for panel in memory.panels.values() for e in panel.equations}

    @cached_property
    def panel_names(self) -> dict[Panel, str]:
        return panel_names(self.memory.name, self.memory.panels.values())

    @property
    def products(self) -> list[SharedProduct]:
        return [stop for stop in self.stops if isinstance(stop, SharedProduct)]

    def visits(self) -> list[Visit]:
        """What lanes do at each place where they may be."""
        found: list[Visit] = []
        come_again = visited_again(self.program)
        for k, block in enumerate(self.program.blocks):
            waits = k in come_again and self.memory.has_products
            begin = [ir.Look()] if waits else []
            first = Visit(
                k, block.name, (*begin, *probe(self.marks.visit(k, block))), k in come_again and not waits
            )
            found += self.block(k, block, first)
        for visit in found:
            check(visit.region, after=LOWERED)
        return found

    def block(self, k: int, block: BasicBlock, visit: Visit) -> Iterator[Visit]:
        """A visit of a block, and one more for each place at which it waits, unless it waits again there at once."""
        low, last, begun = self.lowering, None, 0
        region: list[Stmt] = [*visit.region]
        if popped := self.popped(k):
            region.append(ir.Pop(self.frames(popped, top)))
        region += low.moves(block.arrives)
        for at, equation in enumerate(block.equations):
            if equation in self.panelled and equation not in self.memory.panels:
                continue
            if (stop := self.stop(k, block, at, equation)) is not None:
                if last is None or not self.follows(last, region[begun:], stop):
                    yield replace(visit, region=(*region, *self.pause_at(stop)))
                visit = Visit(stop.resumes, f"{block.name}, {self.said(stop)}", ())
                region = [*probe(self.marks.back(k, block)), *self.back(stop)]
                last, begun = stop, len(region)
            elif not low.is_folded(equation):
                region.append(low.step(equation))
        yield replace(visit, region=(*region, *self.terminator(k, block)))

    def terminator(self, k: int, block: BasicBlock) -> Iterator[Stmt]:
        low = self.lowering
        match block.terminator:
            case Jump() as jump:
                yield from self.jump(jump)
            case Branch(test, then, orelse) if then.moves or orelse.moves:
                yield ir.If(low.value(test), tuple(self.jump(then)), tuple(self.jump(orelse)), ends=True)
            case Branch(test, then, orelse):
                yield ir.Next(then.target, low.value(test), orelse.target)
            case Call() as call:
                yield from self.call(k, call, top, now=True)
                yield ir.Next(self.program.functions[call.function].entry)
            case Return(moves):
                yield from low.moves(moves)
                yield self.returns(k)

    def return_sites(self) -> dict[str, list[int]]:
        """Where lanes may go on that go to the block that a register holds."""
        found: dict[str, set[int]] = {}
        for address, places in address_values(self.program).items():
            if address in self.names:
                found.setdefault(self.names[address], set()).update(places)
        return {name: sorted(places) for name, places in found.items()}

    def jump(self, jump: Jump) -> Iterator[Stmt]:
        yield from self.lowering.moves(jump.moves)
        yield ir.Next(jump.target)

    # where lanes stop

    def stop(self, k: int, block: BasicBlock, at: int, equation: Equation) -> Stop | None:
        """Here the lane stops until its product has been taken; the rest of the block is a block of its own."""
        if shared_product(equation, self.memory.fixed) is None:
            return None
        panel = self.memory.panels.get(equation)
        loops = panel_loops(self.memory, panel, self.panel_names[panel]) if panel is not None else {}
        last = at + len(panel.equations) - 1 if panel is not None else at
        made = SharedProduct(block, equation, self.place(), self.alive_after(k, block, last), panel, loops)
        self.stops.append(made)
        return made

    def place(self) -> int:
        """Where a lane waits at the next stop."""
        return len(self.program.blocks) + 1 + 2 * len(self.stops)

    def said(self, made: Stop) -> str:
        """What has been done there."""
        return "the product taken"

    def follows(self, last: Stop, between: Sequence[Stmt], made: Stop) -> bool:
        """Whether a lane that has been served at the last stop waits at this one without being run in between."""
        return False

    def pause_at(self, made: Stop) -> Iterator[Stmt]:
        """What a lane that stops keeps, and where: a panel's sums begin with what they start with."""
        low = self.lowering
        loops = list(made.loops.values()) if isinstance(made, SharedProduct) else []
        results = {low.register(out) for loop in loops for *_, out in loop.sums if out in self.names}
        alive = {low.register(v): v for v in made.alive if low.register(v) not in results}
        alive |= {low.register(v): v for loop in loops for v in loop.scalars}
        for register, var in alive.items():
            yield ir.Store(self.memory.column(var), register)
        for var, start, _ in (each for loop in loops for each in loop.sums):
            yield ir.Store(self.memory.column(var, "at first"), low.value(start))
        yield ir.Wait(made.waits)

    def back(self, made: Stop) -> Iterator[Stmt]:
        """What a lane kept that goes on."""
        low = self.lowering
        return (ir.Assign(low.register(v), ir.Element(self.memory.column(v), v.type)) for v in made.alive)

    def alive_after(self, k: int, block: BasicBlock, at: int) -> tuple[Var, ...]:
        """The scalars that a lane needs once it goes on, one for each slot."""
        rest = Block(block.equations[at + 1 :], ())
        lifetimes = self.memory.slots.lifetimes
        alive = lifetimes.alive(k, block, rest)
        addresses = {f.address for f in self.program.functions.values()}
        alive &= ~lifetimes.walk.mask(addresses - set(self.where.registers))
        numbers = (v for v in self.names if not v.type.rank and v.type.dtype != "rng")
        scalars = [v for v in numbers if alive & lifetimes.walk.mask((v,))]
        return tuple({self.names[v]: v for v in scalars}.values())


def top(arena: str) -> str:
    """The register from which frames count."""
    return f"{arena}_top"
