"""Lanes that wait for each other where a product with a shared matrix is worth one call of BLAS, as text.

logits = X @ q          q a lane's, X shared:    each lane stops here; when no lane can go on, the product that most
                                                 of them wait for is taken for all of those, a row a lane
"""

from __future__ import annotations

from autobatch.cost_model import PANEL_LANES
from autobatch.kernel.ir import Memory
from autobatch.kernel.lane_visits import LaneVisits, SharedProduct
from autobatch.kernel.memory.arenas import TYPES, element_count
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.numba.one_by_one import STOP, OneByOne
from autobatch.kernel.numba.panels import PanelText
from autobatch.kernel.numba.spelling import LaneSpelling
from autobatch.kernel.panels import shared_product
from codegen.runtime import STATE_WORDS

CHOICE = """
wanted, most = 0, 0
for place in ({places},):
    n = np.sum(places == place)
    if n > most:
        wanted, most = place, n
if most == 0:
    break
n = 0
for k in range(count):
    if places[k] == wanted:
        waiting[n] = k
        n += 1
"""


class Together(OneByOne):
    """The same of lanes that wait for each other."""

    def __init__(self, memory: LaneMemory, visits: LaneVisits, spelling: LaneSpelling, tile: int | None):
        super().__init__(memory, visits, spelling)
        self.products, self.looked = visits.products, True
        self.panels = {
            p: PanelText(memory, p.panel, p.loops, visits.panel_names[p.panel], tile, spelling)
            for p in self.products
            if p.panel
        }

    def lanes(self) -> None:
        """All lanes side by side: each runs until it waits, the most wanted product is taken, and so on."""
        self.line('"""Lanes first to last together; first if one of them needs a larger stack, else last."""')
        self.written(["use_wide_registers()"] if self.memory.wide else [])
        self.line("count = last - first")
        for arena in self.memory.arenas:
            self.line(f"{arena}_all = np.empty((count, {self.memory.sizes[arena]}), {TYPES[arena]})")
        for stream in self.memory.own_streams:
            self.line(f"{stream}_all = np.zeros((count, {STATE_WORDS}), np.uint64)")
        for arena in self.memory.stacks:
            self.line(f"{arena}_stacks = np.empty((count, len({arena}_stack)), {TYPES[arena]})")
            self.line(f"{arena}_tops = np.zeros(count, np.int64)")
        self.written(["depths = np.zeros(count, np.int64)"] if self.memory.stacks else [])
        for arena, columns in self.memory.kept.items():
            self.line(f"{arena}_kept = np.empty((count, {len(columns)}), {TYPES[arena]})")
        for argument, before in self.before.items():
            self.line(f"{before} = {argument}[first:last].copy()")
        self.line("places = np.full(count, -1)  # where each lane is; -1: at its start")
        self.line("waiting = np.empty(count, np.int64)")
        with self.block("while True:"):
            with self.block("for lane in range(first, last):"):
                self.resume()
                with self.block("while True:"):
                    self.dispatch()
                    self.written(["else:", "    break"])
                self.pause()
                self.written(STOP)
            self.written(STOP)
            self.take()

    def resume(self) -> None:
        """A lane goes on where it is, if it is not waiting."""
        ends = " or ".join(f"pc == {n}" for n in (self.end, *(m.waits for m in self.products)))
        self.line("pc = places[lane - first]")
        self.written([f"if {ends}:", "    continue"])
        for arena in self.memory.arenas:
            self.line(f"{arena} = {arena}_all[lane - first]")
        for arena in self.memory.stacks:
            self.line(f"{arena}_stack = {arena}_stacks[lane - first]")
            self.line(f"{arena}_top = {arena}_tops[lane - first]")
        self.written(["depth = depths[lane - first]"] if self.memory.stacks else [])
        for param, argument in self.memory.stream_arguments.items():
            self.line(f"{self.names[param]} = {argument}[lane]")
        for stream in self.memory.own_streams:
            self.line(f"{stream} = {stream}_all[lane - first]")
        with self.block("if pc == -1:"):
            self.prologue(streams=False)
            self.line(f"pc = {self.entry.entry}")

    def pause(self) -> None:
        """A lane has come to its end or waits."""
        self.written(self.marks.between())
        self.line("places[lane - first] = pc")
        for arena in self.memory.stacks:
            self.line(f"{arena}_tops[lane - first] = {arena}_top")
        if self.memory.stacks:
            self.line("depths[lane - first] = depth")
            with self.block("if failed[lane] == -1:"):
                self.line("failed[first:last] = 0")
                for argument, before in self.before.items():
                    self.line(f"{argument}[first:last] = {before}")
                self.line("return first")
        with self.block(f"if pc == {self.end}:"):
            self.epilogue()

    def take(self) -> None:
        """The product that most lanes wait for."""
        places = ", ".join(str(m.waits) for m in self.products)
        self.written(CHOICE.format(places=places).strip().splitlines())
        for m, made in enumerate(self.products):
            with self.block(f"{'if' if m == 0 else 'elif'} wanted == {made.waits}:"):
                self.written(self.marks.product(m, made.block, made.equation, "n", "count"))
                self.taken(made)
                self.written(self.marks.alone())

    def taken(self, made: SharedProduct) -> None:
        """One product for the lanes in `waiting`, a row a lane."""
        if (panel := self.panels.get(made)) is not None:
            with self.block(f"for begin in range(0, n, {PANEL_LANES}):"):
                self.line(f"some = waiting[begin : min(begin + {PANEL_LANES}, n)]")
                self.line(f"{panel.name}({', '.join(('some', *panel.given))})")
            self.written(["for j in range(n):", f"    places[waiting[j]] = {made.resumes}"])
            return
        found, target = (
            shared_product(made.equation, self.memory.fixed),
            self.memory.memory(made.equation.outs[0]),
        )
        assert found is not None and target is not None
        matrix, vector, transposed = found  # X @ q is q @ X.T, row by row
        place = self.memory.memory(vector)
        source = self.names[vector] if place is None else lane_part(place, "waiting[j]")
        self.line(f"rows = np.empty((n, {element_count(vector.type)}))")
        self.written(["for j in range(n):", f"    rows[j] = {source}"])
        self.spelling.wanted["put_product"] = None
        self.line(f"products = np.empty((n, {element_count(target.type)}))")
        self.line(f"put_product(products, rows, {self.names[matrix]}{'.T' if transposed else ''})")
        with self.block("for j in range(n):"):
            self.line(f"{lane_part(target, 'waiting[j]')} = products[j]")
            self.line(f"places[waiting[j]] = {made.resumes}")


def lane_part(memory: Memory, lane: str) -> str:
    """An array of a lane, as a part of the row that the lane has."""
    return f"{memory.name}_all[{lane}, {memory.first} : {memory.first} + {element_count(memory.type)}]"
