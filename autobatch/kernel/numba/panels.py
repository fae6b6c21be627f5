"""A panel as text: a function for the lanes that wait there, which takes one panel of rows after the other.

    def density_panel(waiting, F_all, F_kept, X, y):
        for first in range(0, 10000, 512):
            np.dot(beta_rows, X_panel.T, logits)
            for j in range(n):
                t[j] = density_panel_rows(size, y_panel, logits[j], logits_bar[j], t[j])
            np.dot(logits_bar, X_panel, slope_part)
            slope_sum += slope_part

What has an element a row lies lane by lane, a panel long, in memory that stays in the second-level cache. The loops
over the rows are functions of their own (panel_rows.py).
"""

from __future__ import annotations

from functools import cached_property

from autobatch.kernel.ir import Memory
from autobatch.kernel.memory.arenas import ARENAS, TYPES, count
from autobatch.kernel.numba.spelling import LaneSpelling
from autobatch.kernel.numba.statements import Statements
from autobatch.kernel.panel_rows import PanelLoops, RowLoop
from autobatch.kernel.panels import is_empty
from codegen.emit.coalescing import candidates
from codegen.ir import Apply, Equation, For, Var

ABREAST = 128  # lanes of one panel
CELLS = 2**16  # numbers of the matrix in one panel
LEAST, MOST = 64, 1024  # rows of a panel


def height(rows: int, columns: int, tile: int | None) -> int:
    """The rows of a panel: as wished, or a power of two, unless one panel has them all."""
    if tile is not None:
        return min(rows, tile)
    wanted = max(LEAST, min(MOST, CELLS // columns))
    return min(rows, 1 << wanted.bit_length() - 1)


class PanelText:
    """The text of one panel; `tile`: the rows taken at a time, None: chosen."""

    def __init__(self, rows: PanelLoops, name: str, tile: int | None, spelling: LaneSpelling):
        self.rows, self.memory, self.panel, self.name = rows, rows.memory, rows.panel, name
        self.tile, self.spelling = tile, spelling
        self.names = self.memory.slots.names
        self.taken = {*self.names.values(), *self.memory.avoid}
        self.used: set[str] = set()  # arrays of all lanes, and shared ones

    @cached_property
    def tall(self) -> int:
        """The rows of a panel."""
        return height(self.panel.rows, self.columns, self.tile)

    @property
    def loops(self) -> dict[Equation, RowLoop]:
        return self.rows.loops

    # all lanes

    @cached_property
    def given(self) -> list[str]:
        """The arrays that the function is called with, beside the lanes."""
        self.used.update(self.names[v] for v in self.sliced)
        used = self.used if self.body else set()
        memories = dict.fromkeys((*(f"{a}_all" for a in self.memory.arenas), *self.memory.kept))
        shared = (self.names[v] for v in self.memory.fixed if v in self.names)
        return [g for g in (*memories, *shared) if g in used]

    def text(self) -> str:
        """The functions."""
        head = [
            '@njit(error_model="numpy")',
            f"def {self.name}({', '.join(('waiting', *self.given))}):",
            f'    """Lanes in `waiting`: {self.panel.rows:,} rows, a panel of them after the other."""',
        ]
        lanes = "\n".join((*head, *self.body))
        return "\n\n\n".join((*(row_function(loop, self.spelling) for loop in self.loops.values()), lanes))

    @cached_property
    def body(self) -> list[str]:
        rows, tall, lines = self.panel.rows, self.tall, ["n = len(waiting)"]
        lines += self.rooms(tall)
        lines += [f"for first in range(0, {rows}, {tall}):"]
        lines += [f"    size = min({tall}, {rows} - first)"]
        lines += [f"    {self.view[v]} = {self.names[v]}[first : first + size]" for v in self.sliced]
        lines += [f"    {slot} = {self.room[slot]}[: n * size].reshape(n, size)" for slot in self.panel_slots]
        for equation in self.panel.equations:
            lines += ["    " + line for line in self.step(equation)]
        lines += ["for j in range(n):", "    k = waiting[j]"]
        for out in self.slopes:
            place = self.memory.memory(out)
            assert place is not None
            lines.append(f"    {self.part_of(place)} = {self.sum[out]}[j]")
        for loop in self.loops.values():
            for param, out in zip(loop.sums, loop.outs, strict=True):
                if out in self.names:
                    lines.append(f"    {self.kept(out)} = {self.names[param]}[j]")
        return ["    " + line for line in lines]

    def rooms(self, tall: int) -> list[str]:
        """What the panels need, and what lanes start with."""
        lines, first = [], []
        for slot, var in self.panel_slots.items():
            lines.append(f"{self.room[slot]} = aligned(n * {tall}, {TYPES[ARENAS[var.type.dtype]]})")
        for vector in self.vectors:
            word, size = self.of_vectors[self.names[vector]], count(vector.type)
            place = self.memory.memory(vector)
            assert place is not None
            lines.append(f"{word} = np.empty((n, {size}))")
            first.append(f"    {word}[j] = {self.part_of(place)}")
        for out in self.slopes:
            lines.append(f"{self.sum[out]} = np.zeros((n, {count(out.type)}))")
            lines.append(f"{self.part[out]} = np.empty((n, {count(out.type)}))")
        for param, _ in self.rows.starts():
            lines.append(f"{self.names[param]} = np.empty(n, {TYPES[ARENAS[param.type.dtype]]})")
            first.append(f"    {self.names[param]}[j] = {self.start(param)}")
        return [*lines, "for j in range(n):", "    k = waiting[j]", *first]

    def step(self, equation: Equation) -> list[str]:
        """One of the panel's equations, for one panel of all lanes."""
        if isinstance(equation.op, For):
            return self.called(self.loops[equation])
        if is_empty(equation):
            return []
        assert isinstance(equation.op, Apply)
        (x, y), out = equation.op.operands, equation.outs[0]
        assert isinstance(x, Var) and isinstance(y, Var)
        if x in self.memory.fixed:
            return [f"np.dot({self.of_vectors[self.names[y]]}, {self.view[x]}.T, {self.names[out]})"]
        if out not in self.names:
            return []
        part = self.part[out]
        return [
            f"np.dot({self.names[x]}, {self.view[y]}, {part})",
            f"{self.sum[out]} += {part}",
        ]

    def called(self, loop: RowLoop) -> list[str]:
        """The call of a loop for each lane."""
        places = [(v, self.memory.memory(v)) for v in loop.by_row if v not in self.view]
        own = [place for v, place in places if v not in self.panel.own and place is not None]
        of_lane = bool(own or loop.arenas or loop.scalars)
        given = [*(["first"] if loop.counted else []), "size", *(self.rows_of(v) for v in loop.by_row)]
        given += [self.names[v] for v in loop.whole]
        given += [f"{a}_all[k]" for a in loop.arenas]
        given += [self.kept(v) for v in loop.scalars]
        given += [f"{self.names[v]}[j]" for v in loop.sums]
        self.used |= {*(self.names[v] for v in loop.whole), *(f"{a}_all" for a in loop.arenas)}
        left = ", ".join(f"{self.names[v]}[j]" for v in loop.sums)
        call = f"    {left}{' = ' * bool(left)}{loop.name}({', '.join(given)})"
        return ["for j in range(n):", *(["    k = waiting[j]"] if of_lane else []), call]

    def rows_of(self, var: Var) -> str:
        """The rows of the panel of an array."""
        place = self.memory.memory(var)
        if var in self.view:
            return self.view[var]
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
        return sum({v: count(v.type) // self.panel.rows for v in self.matrices}.values())

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

    @cached_property
    def view(self) -> dict[Var, str]:
        return {v: self.word(f"{self.names[v]}_panel") for v in self.sliced}

    @cached_property
    def room(self) -> dict[str, str]:
        """Memory of what is a panel long, by slot."""
        return {slot: self.word(f"{slot}_memory") for slot in self.panel_slots}

    @cached_property
    def of_vectors(self) -> dict[str, str]:
        return {self.names[v]: self.word(f"{self.names[v]}_rows") for v in self.vectors}

    @cached_property
    def sum(self) -> dict[Var, str]:
        return {v: self.word(f"{self.names[v]}_sum") for v in self.slopes}

    @cached_property
    def part(self) -> dict[Var, str]:
        return {v: self.word(f"{self.names[v]}_part") for v in self.slopes}

    def word(self, base: str) -> str:
        word = next(c for c in candidates(base) if c not in self.taken)
        self.taken.add(word)
        return word

    def kept(self, var: Var, which: str = "") -> str:
        """What lane k keeps while it waits."""
        memory = self.memory.column(var, which).memory
        self.used.add(memory.name)
        return f"{memory.name}[k, {memory.first}]"

    def start(self, param: Var) -> str:
        return self.kept(param, "at first")

    def part_of(self, memory: Memory) -> str:
        """An array of lane k, as a part of the row that the lane has."""
        self.used.add(f"{memory.name}_all")
        return f"{memory.name}_all[k, {memory.first} : {memory.first} + {count(memory.type)}]"


def row_function(loop: RowLoop, spelling: LaneSpelling) -> str:
    """A loop over a panel's rows as a function of one lane."""
    printer = Statements(spelling, -1)
    given = [*(["first"] if loop.counted else []), "size"]
    given += [loop.names[v] for v in (*loop.by_row, *loop.whole)]
    given += [*loop.arenas, *(loop.names[v] for v in (*loop.scalars, *loop.sums))]
    printer.line('@njit(error_model="numpy", fastmath={"contract"}, pipeline_class=Distinct)')
    printer.line(f"def {loop.name}({', '.join(given)}):")
    printer.depth = 1
    printer.line(f'"""The rows of one panel for one lane{"; returns its sums so far" * bool(loop.sums)}."""')
    printer.line("use_wide_registers()")
    printer.loops += 1
    printer.nested(f"for {loop.row} in range(size):", tuple(loop.a_row()))
    if loop.sums:
        printer.line(f"return {', '.join(loop.names[v] for v in loop.sums)}")
    return printer.text
