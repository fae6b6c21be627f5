"""Lanes that wait for each other where a product with a shared matrix is worth one call of BLAS, as text.

logits = X @ q          q a lane's, X shared:    each lane stops here; when no lane can go on, the product that most
                                                 of them wait for is taken for all of those, a row a lane
"""

from __future__ import annotations

from autobatch.kernel.ir import Memory
from autobatch.kernel.lane_visits import LaneVisits, SharedProduct
from autobatch.kernel.memory.arenas import TYPES, count, is_stream
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.numba.one_by_one import OneByOne
from autobatch.kernel.numba.panels import ABREAST, PanelText
from autobatch.kernel.numba.spelling import LaneSpelling


class Together(OneByOne):
    """The same of lanes that wait for each other."""

    def __init__(self, memory: LaneMemory, visits: LaneVisits, spelling: LaneSpelling, tile: int | None):
        super().__init__(memory, visits, spelling)
        self.products, self.looked = visits.products, True
        self.panels = {
            p: PanelText(p.panel, visits.panel_names[p.panel.panel], tile, spelling)
            for p in self.products
            if p.panel
        }

    def lanes(self) -> None:
        """All lanes side by side: each runs until it waits, the most wanted product is taken, and so on."""
        p = self.printer
        p.line('"""Lanes first to last together; first if one of them needs a larger stack, else last."""')
        p.written(["use_wide_registers()"] if self.memory.wide else [])
        p.line("count = last - first")
        for arena in self.memory.arenas:
            p.line(f"{arena}_all = np.empty((count, {self.memory.sizes[arena]}), {TYPES[arena]})")
        for arena in self.memory.stacks:
            p.line(f"{arena}_stacks = np.empty((count, len({arena}_stack)), {TYPES[arena]})")
            p.line(f"{arena}_tops = np.zeros(count, np.int64)")
        if self.memory.stacks:
            p.line("depths = np.zeros(count, np.int64)")
        for kind, columns in self.memory.kept.items():
            p.line(f"{kind} = np.empty((count, {len(columns)}), {TYPES[kind.removesuffix('_kept')]})")
        for before, argument in self.streams():
            p.line(f"{before} = {argument}[first:last].copy()")
        p.line("places = np.full(count, -1)  # where each lane is; -1: at its start")
        p.line("waiting = np.empty(count, np.int64)")
        p.line("while True:")
        p.depth += 1
        p.line("for lane in range(first, last):")
        p.depth += 1
        self.resume()
        p.line("while True:")
        p.depth += 1
        self.dispatch()
        p.line("else:")
        p.line("    break")
        p.depth -= 1
        self.pause()
        p.written(["if stopped(failed):", "    break"])
        p.depth -= 1
        p.written(["if stopped(failed):", "    break"])
        self.take()
        p.depth -= 1

    def resume(self) -> None:
        """A lane goes on where it is, if it is not waiting."""
        p = self.printer
        ends = " or ".join(f"pc == {n}" for n in (self.end, *(m.waits for m in self.products)))
        p.line("pc = places[lane - first]")
        p.line(f"if {ends}:")
        p.line("    continue")
        for arena in self.memory.arenas:
            p.line(f"{arena} = {arena}_all[lane - first]")
        for arena in self.memory.stacks:
            p.line(f"{arena}_stack = {arena}_stacks[lane - first]")
            p.line(f"{arena}_top = {arena}_tops[lane - first]")
        if self.memory.stacks:
            p.line("depth = depths[lane - first]")
        for (param, _), argument in zip(self.memory.shared.items(), self.memory.inputs, strict=True):
            if is_stream(param):
                p.line(f"{self.memory.slots.names[param]} = {argument}[lane]")
        p.line("if pc == -1:")
        p.depth += 1
        self.prologue(streams=False)
        p.line(f"pc = {self.memory.program.entry.entry}")
        p.depth -= 1

    def pause(self) -> None:
        """A lane has come to its end or waits."""
        p = self.printer
        p.written(self.marks.between())
        p.line("places[lane - first] = pc")
        for arena in self.memory.stacks:
            p.line(f"{arena}_tops[lane - first] = {arena}_top")
        if self.memory.stacks:
            p.line("depths[lane - first] = depth")
            p.line("if failed[lane] == -1:")
            p.line("    failed[first:last] = 0")
            for before, argument in self.streams():
                p.line(f"    {argument}[first:last] = {before}")
            p.line("    return first")
        p.line(f"if pc == {self.end}:")
        p.depth += 1
        self.epilogue()
        p.depth -= 1

    def take(self) -> None:
        """The product that most lanes wait for."""
        p = self.printer
        p.line("wanted, most = 0, 0")
        p.line(f"for place in ({', '.join(str(m.waits) for m in self.products)},):")
        p.line("    n = np.sum(places == place)")
        p.line("    if n > most:")
        p.line("        wanted, most = place, n")
        p.line("if most == 0:")
        p.line("    break")
        p.line("n = 0")
        p.line("for k in range(count):")
        p.line("    if places[k] == wanted:")
        p.line("        waiting[n] = k")
        p.line("        n += 1")
        for m, made in enumerate(self.products):
            p.line(f"{'if' if m == 0 else 'elif'} wanted == {made.waits}:")
            p.depth += 1
            p.written(self.marks.product(m, made.block, made.equation, "n", "count"))
            self.taken(made)
            p.written(self.marks.alone())
            p.depth -= 1

    def taken(self, made: SharedProduct) -> None:
        """One product for the lanes in `waiting`, a row a lane."""
        p = self.printer
        if (panel := self.panels.get(made)) is not None:
            p.line(f"for begin in range(0, n, {ABREAST}):")
            p.line(f"    some = waiting[begin : min(begin + {ABREAST}, n)]")
            p.line(f"    {panel.name}({', '.join(('some', *panel.given))})")
            p.line("for j in range(n):")
            p.line(f"    places[waiting[j]] = {made.resumes}")
            return
        matrix, vector, transposed = made.operands(self.memory.fixed)
        out = made.equation.outs[0]
        rows, place = count(vector.type), self.memory.memory(vector)
        p.line(f"rows = np.empty((n, {rows}))")
        p.line("for j in range(n):")
        source = self.memory.slots.names[vector] if place is None else part_of(place, "waiting[j]")
        p.line(f"    rows[j] = {source}")
        p.line(f"products = np.dot(rows, {self.memory.slots.names[matrix]}{'.T' if transposed else ''})")
        target = self.memory.memory(out)
        assert target is not None
        p.line("for j in range(n):")
        p.line(f"    {part_of(target, 'waiting[j]')} = products[j]")
        p.line(f"    places[waiting[j]] = {made.resumes}")


def part_of(memory: Memory, lane: str) -> str:
    """An array of a lane, as a part of the row that the lane has."""
    return f"{memory.name}_all[{lane}, {memory.first} : {memory.first} + {count(memory.type)}]"
