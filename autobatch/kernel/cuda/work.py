"""What a thread of a GPU does in a visit, in instructions, roughly: work : Region -> float.

    F[Q + k], F[P + k] = F[U + k], F[V + k]      k < 10      4 * 10: as many loads, as many stores
    u = draw_random(rng)                                     a quarter of ten rounds of Philox, and what a draw does

A CPU goes from block to block for little, and its draws take a tenth of a leapfrog; so costs (cfg/cost.py) leave out
copies. A warp whose lanes come to a block one by one pays for all of it 32 times.

Of the arrays of a lane those that it reads and writes most often are found by the same walk: hot_arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from autobatch.cost_model import ASSUMED_ROUNDS, ASSUMED_TRIPS, DRAW_INSTRUCTIONS, QUOTIENT_OPERATIONS
from autobatch.kernel import ir
from autobatch.kernel.ir import Layout, Region, Stmt
from autobatch.kernel.lane_visits import Visit
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.walk import VALUES, memories_in, nodes, values_read
from autobatch.schedule import likely_visits
from codegen.ir import Lit, Var
from codegen.ir.literals import range_size


def works(visits: Iterable[Visit], blocks: int) -> list[float]:
    """Of each of so many blocks, where lanes wait for products until then."""
    return [region_work(visit.region) for visit in visits if visit.number < blocks]


def region_work(region: Region) -> float:
    """The instructions of a region; of branches those of the longer one."""
    return sum(map(work_of, region), 0.0)


def work_of(stmt: Stmt) -> float:
    match stmt:
        case ir.Step(body):
            return region_work(body)
        case ir.If(test, then, orelse):
            return 1.0 + instructions(test) + max(region_work(then), region_work(orelse))
        case ir.Loop(start=start, stop=stop, step=step, body=body):
            return assumed_trips(start, stop, step) * (1.0 + region_work(body))
        case ir.While(head, test, body):
            return ASSUMED_ROUNDS * (region_work(head) + instructions(test) + region_work(body))
        case ir.Copy(pairs):
            return 2.0 * sum(element_count(to.type) for to, _ in pairs)
        case ir.Fill(memory):
            return float(element_count(memory.type))
        case ir.Draw():
            return DRAW_INSTRUCTIONS
        case ir.DrawArray(out=out):
            return DRAW_INSTRUCTIONS * element_count(out.type)
        case ir.Push(frames=frames) | ir.Pop(frames=frames):
            return 2.0 * sum(element_count(each.type) for frame in frames for each, _ in frame.content)
        case _:
            return 1.0 + sum(map(own_instructions, values_read(stmt)))


def assumed_trips(start: ir.Value, stop: ir.Value, step: int) -> int:
    if isinstance(start, Lit) and isinstance(stop, Lit):
        return range_size(int(start.value), int(stop.value), step)
    return ASSUMED_TRIPS


def instructions(value: ir.Value) -> float:
    return sum(own_instructions(node) for node in nodes(value) if isinstance(node, VALUES))


def own_instructions(value: ir.Value) -> float:
    """Of the value itself, not of what it is made of."""
    match value:
        case ir.Operation(op):
            return DRAW_INSTRUCTIONS if op.primitive.family == "random" else op.primitive.cost
        case ir.Quotient():
            return QUOTIENT_OPERATIONS
        case ir.Element() | ir.Select():
            return 1.0
        case _:
            return 0.0


def hot_arrays(memory: ThreadMemory, visits: Sequence[Visit]) -> list[Var]:
    """The arrays of a lane that are in its own memory, by the likely accesses of an element, most first."""
    likely, uses = likely_visits(memory.program), Counter[tuple[str, ir.First]]()
    for visit in visits:
        for used in memories_in(visit.region):
            if used.layout is Layout.ARENA:
                uses[used.name, used.first] += likely[visit.number]
    homes = {slot: (home.name, home.first) for slot, home in memory.homes.items()}
    found = [var for var, slot in memory.slots.names.items() if uses[homes.get(slot, ("", 0))]]
    return sorted(found, key=lambda var: -uses[homes[memory.slots.names[var]]])
