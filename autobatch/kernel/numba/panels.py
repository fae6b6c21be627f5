"""A panel as text: a function for the lanes that wait there, which takes one panel of rows after the other.

    def density_panel(waiting, F_all, F_kept, X, y):
        for first in range(0, 10000, 512):
            put_product(logits, beta_rows, X_panel.T)
            for j in range(n):
                t[j] = density_panel_rows(size, y_panel, logits[j], logits_bar[j], t[j])
            add_product_to(slope_sum, logits_bar, X_panel)

What has an element a row lies lane by lane, a panel long, in memory that stays in the second-level cache. The loops
over the rows are functions of their own (panel_rows.py).
"""

from __future__ import annotations

from functools import cached_property

from autobatch.cost_model import HIGHEST_PANEL, LOWEST_PANEL, PANEL_CELLS
from autobatch.kernel.memory.arenas import ARENAS, TYPES, element_count
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.numba.spelling import LaneSpelling
from autobatch.kernel.numba.statements import Statements
from autobatch.kernel.numba.writer import CodeWriter
from autobatch.kernel.panel_rows import RowLoop
from autobatch.kernel.panels import Panel
from codegen.analysis.definitions import is_empty
from codegen.emit.coalescing import unused_spelling
from codegen.ir import Apply, Equation, For, Var


def panel_height(rows: int, columns: int, tile: int | None) -> int:
    """The rows of a panel: as wished, or a power of two, unless one panel has them all."""
    if tile is not None:
        return min(rows, tile)
    wanted = max(LOWEST_PANEL, min(HIGHEST_PANEL, PANEL_CELLS // columns))
    return min(rows, 1 << wanted.bit_length() - 1)


class PanelText:
    """The text of one panel; `tile`: the rows taken at a time, None: chosen."""

    def __init__(
        self,
        memory: LaneMemory,
        panel: Panel,
        loops: dict[Equation, RowLoop],
        name: str,
        tile: int | None,
        spelling: LaneSpelling,
    ):
        self.memory, self.panel, self.loops, self.name = memory, panel, loops, name
        self.tile, self.spelling = tile, spelling
        self.names = self.memory.slots.names
        self.taken = set(self.memory.taken)
        self.words: dict[str, str] = {}  # of what an array needs
        self.used: set[str] = set()  # arrays of all lanes, and shared ones

    @cached_property
    def tall(self) -> int:
        """The rows of a panel."""
        return panel_height(self.panel.rows, self.columns, self.tile)

    # all lanes

    @cached_property
    def given(self) -> list[str]:
        """The arrays that the function is called with, beside the lanes."""
        self.used.update(self.names[v] for v in self.sliced)
        used = self.used if self.body else set()
        memories = dict.fromkeys(
            (*(f"{a}_all" for a in self.memory.arenas), *(f"{a}_kept" for a in self.memory.kept))
        )
        shared = (self.names[v] for v in self.memory.fixed if v in self.names)
        return [g for g in (*memories, *shared) if g in used]

    def text(self) -> str:
        """The functions."""
        loops = [row_function(loop, self.spelling) for loop in self.loops.values()]
        head = f'@njit(error_model="numpy")\ndef {self.name}({", ".join(("waiting", *self.given))}):\n'
        return "\n\n\n".join((*loops, head + self.body))

    @cached_property
    def body(self) -> str:
        rows, tall, p = self.panel.rows, self.tall, CodeWriter(1)
        p.line(f'"""Lanes in `waiting`: {rows:,} rows, a panel of them after the other."""')
        p.line("n = len(waiting)")
        self.begin(p)
        with p.block(f"for first in range(0, {rows}, {tall}):"):
            p.line(f"size = min({tall}, {rows} - first)")
            for v in self.sliced:
                p.line(f"{self.word(v, 'panel')} = {self.names[v]}[first : first + size]")
            for slot, v in self.panel_slots.items():
                p.line(f"{slot} = {self.word(v, 'memory')}[: n * size].reshape(n, size)")
            for equation in self.panel.equations:
                self.step(equation, p)
        with p.block("for j in range(n):"):
            p.line("k = waiting[j]")
            for out in self.slopes:
                p.line(f"{self.part_of(out)} = {self.word(out, 'sum')}[j]")
            for loop in self.loops.values():
                for param, _, out in loop.sums:
                    p.written([f"{self.kept(out)} = {self.names[param]}[j]"] if out in self.names else [])
        return p.text

    def begin(self, p: CodeWriter) -> None:
        """What the panels need, and what lanes start with."""
        first = []
        for var in self.panel_slots.values():
            p.line(f"{self.word(var, 'memory')} = aligned(n * {self.tall}, {numpy_type(var)})")
        for vector in self.vectors:
            word = self.word(vector, "rows")
            p.line(f"{word} = np.empty((n, {element_count(vector.type)}))")
            first.append(f"{word}[j] = {self.part_of(vector)}")
        for out in self.slopes:
            p.line(f"{self.word(out, 'sum')} = np.zeros((n, {element_count(out.type)}))")
        for param, _, _ in (each for loop in self.loops.values() for each in loop.sums):
            p.line(f"{self.names[param]} = np.empty(n, {numpy_type(param)})")
            first.append(f"{self.names[param]}[j] = {self.kept(param, 'at first')}")
        with p.block("for j in range(n):"):
            p.written(["k = waiting[j]", *first])

    def step(self, equation: Equation, p: CodeWriter) -> None:
        """One of the panel's equations, for one panel of all lanes."""
        if isinstance(equation.op, For):
            self.call(self.loops[equation], p)
            return
        if is_empty(equation):
            return
        assert isinstance(equation.op, Apply)
        (x, y), out = equation.op.operands, equation.outs[0]
        assert isinstance(x, Var) and isinstance(y, Var)
        if x in self.memory.fixed:
            self.spelling.wanted["put_product"] = None
            p.line(f"put_product({self.names[out]}, {self.word(y, 'rows')}, {self.word(x, 'panel')}.T)")
        elif out in self.names:
            self.spelling.wanted["add_product_to"] = None
            p.line(f"add_product_to({self.word(out, 'sum')}, {self.names[x]}, {self.word(y, 'panel')})")

    def call(self, loop: RowLoop, p: CodeWriter) -> None:
        """The call of a loop for each lane."""
        places = [self.memory.memory(v) for v in loop.by_row if v not in (*self.sliced, *self.panel.own)]
        of_lane = bool(loop.arenas or loop.scalars) or any(place is not None for place in places)
        sums = [f"{self.names[v]}[j]" for v, _, _ in loop.sums]
        given = [*(["first"] if loop.counted else []), "size", *map(self.rows_of, loop.by_row)]
        given += [*(self.names[v] for v in loop.whole), *(f"{a}_all[k]" for a in loop.arenas)]
        given += [*map(self.kept, loop.scalars), *sums]
        self.used |= {*(self.names[v] for v in loop.whole), *(f"{a}_all" for a in loop.arenas)}
        with p.block("for j in range(n):"):
            p.written(["k = waiting[j]"] if of_lane else [])
            p.line(f"{', '.join(sums)}{' = ' * bool(sums)}{loop.name}({', '.join(given)})")

    def rows_of(self, var: Var) -> str:
        """The rows of the panel of an array."""
        place = self.memory.memory(var)
        if var in self.sliced:
            return self.word(var, "panel")
        if var in self.panel.own or place is None:
            return f"{self.names[var]}[j]"
        self.used.add(f"{place.name}_all")
        return f"{place.name}_all[k, {place.first} + first : {place.first} + first + size]"

    # names

    @property
    def products(self) -> list[tuple[Var, Var, Var]]:
        """The panel's products: operands and result."""
        return [
            (*e.op.operands, e.outs[0])  # type: ignore[misc]
            for e in self.panel.equations
            if isinstance(e.op, Apply) and not is_empty(e)
        ]

    @property
    def columns(self) -> int:
        """Numbers in a row of all matrices."""
        return sum({v: element_count(v.type) // self.panel.rows for v in self.matrices}.values())

    @property
    def matrices(self) -> list[Var]:
        return list(dict.fromkeys(x if x in self.memory.fixed else y for x, y, _ in self.products))

    @property
    def vectors(self) -> list[Var]:
        return list({self.names[y]: y for x, y, _ in self.products if x in self.memory.fixed}.values())

    @property
    def slopes(self) -> list[Var]:
        return [out for x, _, out in self.products if x not in self.memory.fixed and out in self.names]

    @property
    def panel_slots(self) -> dict[str, Var]:
        """The arrays that are a panel long, by slot, in order."""
        own = [v for e in self.panel.equations for v in e.outs if v in self.panel.own]
        own += [p for e in self.panel.loops for p in e.op.carried if p.type.rank]  # type: ignore[union-attr]
        return {self.names[v]: v for v in own if v in self.names}

    @property
    def sliced(self) -> list[Var]:
        """Shared arrays of which a panel's rows are used."""
        rows = [v for loop in self.loops.values() for v in loop.by_row if v in self.memory.fixed]
        return list(dict.fromkeys((*self.matrices, *rows)))

    def word(self, var: Var, what: str) -> str:
        """A name for something of an array's."""
        base = f"{self.names[var]}_{what}"
        if base not in self.words:
            self.words[base] = unused_spelling(base, self.taken)
            self.taken.add(self.words[base])
        return self.words[base]

    def kept(self, var: Var, which: str = "") -> str:
        """What lane k keeps while it waits."""
        memory = self.memory.column(var, which).memory
        self.used.add(memory.name)
        return f"{memory.name}[k, {memory.first}]"

    def part_of(self, var: Var) -> str:
        """An array of lane k, as a part of the row that the lane has."""
        place = self.memory.memory(var)
        assert place is not None
        self.used.add(f"{place.name}_all")
        return f"{place.name}_all[k, {place.first} : {place.first} + {element_count(var.type)}]"


def numpy_type(var: Var) -> str:
    return TYPES[ARENAS[var.type.dtype]]


def row_function(loop: RowLoop, spelling: LaneSpelling) -> str:
    """A loop over a panel's rows as a function of one lane."""
    printer = Statements(spelling, -1)
    given = [*(["first"] if loop.counted else []), "size"]
    given += [loop.names[v] for v in (*loop.by_row, *loop.whole)]
    sums = [loop.names[v] for v, _, _ in loop.sums]
    given += [*loop.arenas, *(loop.names[v] for v in loop.scalars), *sums]
    printer.line('@njit(error_model="numpy", fastmath={"contract"}, pipeline_class=Distinct)')
    with printer.block(f"def {loop.name}({', '.join(given)}):"):
        printer.line(f'"""The rows of one panel for one lane{"; returns its sums so far" * bool(sums)}."""')
        printer.line("use_wide_registers()")
        printer.loops += 1
        printer.nested(f"for {loop.row} in range(size):", tuple(loop.a_row()))
        printer.written([f"return {', '.join(sums)}"] if sums else [])
    return printer.text
