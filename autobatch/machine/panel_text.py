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

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from autobatch.kernel.arenas import ARENAS, TYPES
from autobatch.kernel.ir import Memory
from autobatch.kernel.lower import count
from autobatch.machine.panel_rows import RowLoop, row_loops
from autobatch.machine.panels import Panel, is_empty
from codegen.emit.coalescing import candidates
from codegen.ir import Apply, Atom, Equation, For, Var

if TYPE_CHECKING:
    from autobatch.machine.numba_lanes import Writer

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
    """The text of one panel."""

    def __init__(self, writer: Writer, panel: Panel, name: str):
        self.writer, self.panel, self.name = writer, panel, name
        self.names = writer.slots.names
        self.taken = {*self.names.values(), *writer.avoid}

    @cached_property
    def tall(self) -> int:
        """The rows of a panel."""
        return height(self.panel.rows, self.columns, self.writer.tile)

    @cached_property
    def loops(self) -> dict[Equation, RowLoop]:
        return row_loops(self.writer, self.panel, self.name, self.taken)

    # what lanes keep while they wait

    def inputs(self) -> list[Var]:
        """The numbers of a lane that its rows need."""
        return list({self.names[v]: v for loop in self.loops.values() for v in loop.scalars}.values())

    def starts(self) -> Iterator[tuple[Var, Atom]]:
        """Each sum, and what it starts with."""
        for loop in self.loops.values():
            yield from zip(loop.sums, loop.starts, strict=True)

    def outs(self) -> list[Var]:
        """The sums by the names they have afterwards."""
        return [v for loop in self.loops.values() for v in loop.outs if v in self.names]

    # all lanes

    @cached_property
    def given(self) -> list[str]:
        """The arrays that the function is called with, beside the lanes."""
        code = "\n".join(self.body)
        memories = dict.fromkeys((*(f"{a}_all" for a in self.writer.arenas), *self.writer.together.kept))
        shared = (self.names[v] for v in self.writer.fixed if v in self.names)
        return [g for g in (*memories, *shared) if re.search(rf"(?<![\w.]){g}\b", code)]

    def text(self) -> str:
        """The functions."""
        head = [
            '@njit(error_model="numpy")',
            f"def {self.name}({', '.join(('waiting', *self.given))}):",
            f'    """Lanes in `waiting`: {self.panel.rows:,} rows, a panel of them after the other."""',
        ]
        lanes = "\n".join((*head, *self.body))
        return "\n\n\n".join((*(loop.text() for loop in self.loops.values()), lanes))

    @cached_property
    def body(self) -> list[str]:
        rows, tall, lines = self.panel.rows, self.tall, ["n = len(waiting)"]
        lines += self.memory(tall)
        lines += [f"for first in range(0, {rows}, {tall}):"]
        lines += [f"    size = min({tall}, {rows} - first)"]
        lines += [f"    {self.view[v]} = {self.names[v]}[first : first + size]" for v in self.sliced]
        lines += [f"    {slot} = {self.room[slot]}[: n * size].reshape(n, size)" for slot in self.panel_slots]
        for equation in self.panel.equations:
            lines += ["    " + line for line in self.step(equation)]
        lines += ["for j in range(n):", "    k = waiting[j]"]
        for out in self.slopes:
            place = self.writer.memory(out)
            assert place is not None
            lines.append(f"    {part_of(place)} = {self.sum[out]}[j]")
        for loop in self.loops.values():
            for param, out in zip(loop.sums, loop.outs, strict=True):
                if out in self.names:
                    lines.append(f"    {self.kept(out)} = {self.names[param]}[j]")
        return ["    " + line for line in lines]

    def memory(self, tall: int) -> list[str]:
        """What the panels need, and what lanes start with."""
        lines, first = [], []
        for slot, var in self.panel_slots.items():
            lines.append(f"{self.room[slot]} = aligned(n * {tall}, {TYPES[ARENAS[var.type.dtype]]})")
        for vector in self.vectors:
            word, size = self.of_vectors[self.names[vector]], count(vector.type)
            place = self.writer.memory(vector)
            assert place is not None
            lines.append(f"{word} = np.empty((n, {size}))")
            first.append(f"    {word}[j] = {part_of(place)}")
        for out in self.slopes:
            lines.append(f"{self.sum[out]} = np.zeros((n, {count(out.type)}))")
            lines.append(f"{self.part[out]} = np.empty((n, {count(out.type)}))")
        for param, _ in self.starts():
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
        if x in self.writer.fixed:
            return [f"np.dot({self.of_vectors[self.names[y]]}, {self.view[x]}.T, {self.names[out]})"]
        if out not in self.names:
            return []
        part = self.part[out]
        return [
            f"np.dot({self.names[x]}, {self.view[y]}, {part})",
            f"{self.sum[out]} += {part}",
        ]

    def called(self, loop: RowLoop) -> list[str]:
        given = [*(["first"] if loop.counted else []), "size"]
        for v in loop.by_row:
            place = self.writer.memory(v)
            if v in self.view:
                given.append(self.view[v])
            elif v in self.panel.own or place is None:
                given.append(f"{self.names[v]}[j]")
            else:
                given.append(f"{place.name}_all[k, {place.first} + first : {place.first} + first + size]")
        given += [self.names[v] for v in loop.whole]
        given += [f"{a}_all[k]" for a in loop.arenas]
        given += [self.kept(v) for v in loop.scalars]
        given += [f"{self.names[v]}[j]" for v in loop.sums]
        left = ", ".join(f"{self.names[v]}[j]" for v in loop.sums)
        call = f"{loop.name}({', '.join(given)})"
        lines = ["for j in range(n):", f"    {left + ' = ' if left else ''}{call}"]
        if re.search(r"\[k\b", call):
            lines.insert(1, "    k = waiting[j]")
        return lines

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
        return list(dict.fromkeys(x if x in self.writer.fixed else y for x, y, _ in self.products))

    @property
    def vectors(self) -> list[Var]:
        return list({self.names[y]: y for x, y, _ in self.products if x in self.writer.fixed}.values())

    @property
    def slopes(self) -> list[Var]:
        return [out for x, _, out in self.products if x not in self.writer.fixed and out in self.names]

    @property
    def panel_slots(self) -> dict[str, Var]:
        """The arrays that are a panel long, by slot, in order."""
        own = [v for e in self.panel.equations for v in e.outs if v in self.panel.own]
        own += [p for e in self.panel.loops for p in e.op.carried if p.type.rank]  # type: ignore[union-attr]
        return {self.names[v]: v for v in own if v in self.names}

    @property
    def sliced(self) -> list[Var]:
        """Shared arrays of which a panel's rows are used."""
        rows = [v for loop in self.loops.values() for v in loop.by_row if v in self.writer.fixed]
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

    def kept(self, var: Var) -> str:
        return kept(self.writer.together.column(var).memory)

    def start(self, param: Var) -> str:
        return kept(self.writer.together.column(param, "at first").memory)


def panel_names(name: str, panels: Iterable[Panel]) -> dict[Panel, str]:
    """The functions of a program's panels."""
    return {panel: f"{name}_panel{k + 1 if k else ''}" for k, panel in enumerate(panels)}


def part_of(memory: Memory) -> str:
    """An array of lane k, as a part of the row that the lane has."""
    return f"{memory.name}_all[k, {memory.first} : {memory.first} + {count(memory.type)}]"


def kept(memory: Memory) -> str:
    """What lane k keeps while it waits."""
    return f"{memory.name}[k, {memory.first}]"
