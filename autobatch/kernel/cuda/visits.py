"""What a lane does as a thread of a GPU: lane_visits.py's visits, but for what follows here.

Divisions are by reciprocals that are at hand: one takes some 25 instructions of a thread, and a leapfrog of NUTS for
eight schools makes 22.

    t / 5.0, t / sigma[i]        ->      quotient(t, 5.0, 0.2), quotient(t, sigma[i], sigma_inverse[i])

Lanes that wait for products wait at long loops too, which are gone through in parts (parts.py). Where one such place
follows another, they go on from the one to the other without being run:

    logits = X @ q                              waits at 2
    for i in range(10000): ...                  waits at 4, once the product is taken
    slope = r @ X                               waits at 6, once the loop is gone through
    ...                                         goes on at 7, where it puts the parts of the loop together
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from autobatch.cfg.graph import BasicBlock
from autobatch.kernel import ir
from autobatch.kernel.check import check
from autobatch.kernel.ir import Assign, Element, Memory, Region, Register, StackFrame, Stmt, Store
from autobatch.kernel.lane_visits import LaneVisits, Stop, Visit
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.parts import PartedLoop, is_parted
from autobatch.kernel.pipeline import LOWERED
from autobatch.kernel.reciprocals import divisions, with_reciprocals
from autobatch.kernel.visits import Top
from autobatch.kernel.walk import outs, read_first, statements
from autobatch.profiling.probes import Unmarked
from codegen.ir import Apply, Equation, Lit, Var


class ThreadVisits(LaneVisits):
    """`follow`: the place that comes at once after another one. `open`: at a place, the loops that have been gone
    through since the lane was run, whose parts are not together yet."""

    memory: ThreadMemory

    def __init__(self, memory: ThreadMemory, marks: Unmarked):
        super().__init__(memory, marks)
        self.follow: dict[Stop, Stop] = {}
        self.open: dict[Stop, tuple[PartedLoop, ...]] = {}

    @property
    def loops(self) -> list[PartedLoop]:
        return [stop for stop in self.stops if isinstance(stop, PartedLoop)]

    def visits(self) -> list[Visit]:
        return [
            replace(visit, region=self.left_in_frame(self.divided(visit.region)))
            for visit in super().visits()
        ]

    def divided(self, region: Region) -> Region:
        return with_reciprocals(region, self.divisions, self.lowering, self.memory.inverse)

    @cached_property
    def divisions(self) -> Mapping[Apply, Lit | Apply]:
        return divisions((e for block in self.program.blocks for e in block.equations), vectors=False)

    def of_a_part(self, loop: PartedLoop) -> Region:
        """What a thread does for one part of a loop."""
        region = self.divided(tuple(loop.of_a_part()))
        check(region, after=LOWERED)
        return region

    def places(self, made: Stop) -> tuple[int, ...]:
        """Where lanes are that wait for it: there, or where they stopped before, without being run since."""
        before = (stop for stop in self.stops if self.follow.get(stop) is made)
        return (*(place for stop in before for place in self.places(stop)), made.waits)

    def resumes(self, made: Stop) -> int:
        """Where a lane goes on that stopped there."""
        return self.resumes(self.follow[made]) if made in self.follow else made.resumes

    def frames(self, listed: Sequence[Var], top: Top) -> tuple[StackFrame, ...]:
        """All as large as the largest, each variable at its place."""
        low, frames = self.lowering, self.memory.frames
        contents: dict[str, list[tuple[Register | Memory, int]]] = {}
        for var in listed:
            place = low.array(var) if var.type.rank else low.register(var)
            contents.setdefault(self.kinds[var.type.dtype], []).append((place, frames.at[self.names[var]]))
        return tuple(StackFrame(a, frames.sizes[a], "depth", tuple(each)) for a, each in contents.items())

    def left_in_frame(self, region: Region) -> Region:
        """What is pushed as it was popped stays where it is, and is read there only where it is of use."""
        pops, pushes = (
            [k for k, s in enumerate(region) if isinstance(s, kind)] for kind in (ir.Pop, ir.Push)
        )
        if not pops or not pushes:
            return region
        (pop, push), (before, between) = (
            (pops[0], pushes[0]),
            (region[: pops[0]], region[pops[0] + 1 : pushes[0]]),
        )
        first, again, rest = region[pop], region[push], region[push + 1 :]
        assert isinstance(first, ir.Pop) and isinstance(again, ir.Push)
        changed = {register.name for stmt in statements(between) for register in outs(stmt)}
        popped = {
            each.name for frame in first.frames for each, _ in frame.content if isinstance(each, Register)
        }
        again = replace(again, frames=without_registers(again.frames, popped - changed), again=True)
        known: set[str] = set()
        read = read_first((*between, again, *rest), known)
        unused = (popped - changed) & known - read
        return (
            *before,
            replace(first, frames=without_registers(first.frames, unused)),
            *between,
            again,
            *rest,
        )

    # where lanes stop

    def stop(self, k: int, block: BasicBlock, at: int, equation: Equation) -> Stop | None:
        """At products and, where there are any, at loops that are gone through in parts."""
        made = super().stop(k, block, at, equation) or self.parted(k, block, at, equation)
        if isinstance(made, PartedLoop):
            self.open[made] = (made,)
        return made

    def parted(self, k: int, block: BasicBlock, at: int, equation: Equation) -> PartedLoop | None:
        if not self.memory.has_products or not is_parted(equation):
            return None
        name = self.memory.fresh(f"{self.memory.name}_loop") + "_kernel"
        made = PartedLoop(block, equation, self.place(), self.alive_after(k, block, at), self.memory, name)
        if not made.is_plain:
            return None
        self.stops.append(made)
        return made

    def said(self, made: Stop) -> str:
        return "the loop gone through" if isinstance(made, PartedLoop) else super().said(made)

    def follows(self, last: Stop, between: Sequence[Stmt], made: Stop) -> bool:
        """Where nothing stands in between, and nothing is read that parts are put together to."""
        loops = self.open.get(last, ())
        if any(not isinstance(stmt, ir.Step) for stmt in statements(tuple(between))):
            return False
        if any(loop.after for loop in loops):
            return False
        if isinstance(made, PartedLoop) and (
            made.before or made.reads & {r for loop in loops for r in loop.made}
        ):
            return False
        self.follow[last] = made
        self.open[made] = (*loops, *self.open.get(made, ()))
        return True

    def pause_at(self, made: Stop) -> Iterator[Stmt]:
        if not isinstance(made, PartedLoop):
            yield from super().pause_at(made)
            return
        yield from made.before
        for var in self.by_slot((v for v in made.alive if self.names[v] not in made.made), made.read):
            yield Store(self.memory.column(var), self.lowering.register(var))
        yield ir.Wait(made.waits)

    def back(self, made: Stop) -> Iterator[Stmt]:
        """What a lane kept that goes on, and the parts of loops put together."""
        loops = self.open.get(made, ())
        later = {register for loop in loops for register in loop.made}
        before = (v for v in made.alive if self.names[v] not in later)
        for var in self.by_slot(before, (v for loop in loops for v in loop.starts)):
            yield Assign(self.lowering.register(var), Element(self.memory.column(var), var.type))
        for loop in loops:
            yield from loop.together()

    def by_slot(self, *listed: Iterable[Var]) -> list[Var]:
        """Numbers, one for each slot."""
        return list({self.names[v]: v for each in listed for v in each}.values())


def without_registers(frames: Sequence[StackFrame], names: Set[str]) -> tuple[StackFrame, ...]:
    """Frames without these registers."""
    return tuple(
        replace(
            frame,
            content=tuple(
                (each, at) for each, at in frame.content if each.name not in names or isinstance(each, Memory)
            ),
        )
        for frame in frames
    )
