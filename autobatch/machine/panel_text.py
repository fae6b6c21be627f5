"""A panel as text: one function for the lanes that wait there, one for each loop over the rows of a lane.

    def density_panel_rows(size, y, logits, logits_bar, t):             # rows of one lane
        for i in range(size):
            ...
        return t

    def density_panel(waiting, F_all, F_kept, X, y):                    # all lanes in `waiting`, panel by panel
        for first in range(0, 10000, 512):
            np.dot(beta_rows, X_panel.T, logits)
            for j in range(n):
                t[j] = density_panel_rows(size, y_panel, logits[j], logits_bar[j], t[j])
            np.dot(logits_bar, X_panel, slope_part)
            slope_sum += slope_part

What has an element a row lies lane by lane, a panel long, in memory that stays in the second-level cache.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from autobatch.machine.panels import Panel
from autobatch.machine.printer import ARENAS, TYPES, LanePrinter, LaneSpelling, count, is_long
from autobatch.machine.slots import Slots
from codegen.fold import leaves
from codegen.fuse import at_own
from codegen.ir import Apply, Block, Equation, For, Lit, Type, Var
from codegen.names import candidates
from codegen.rename import blocks, free, reads
from codegen.spell import ATOM, Text
from codegen.statements import Moves

if TYPE_CHECKING:
    from autobatch.machine.numba_lanes import Writer

TILE = 128  # lanes of one panel
CELLS = 2**16  # numbers of the matrix in one panel
LEAST, MOST = 64, 1024  # rows of a panel


def height(rows: int, columns: int) -> int:
    """The rows of a panel: a power of two, unless one panel has them all."""
    wanted = max(LEAST, min(MOST, CELLS // columns))
    return min(rows, 1 << wanted.bit_length() - 1)


class RowPrinter(LanePrinter):
    """Statements of one row; `by_row`: arrays given for the rows of the panel, whose element is at `row`."""

    def __init__(
        self,
        slots: Slots,
        places: Mapping[str, tuple[str, str, Type]],
        fixed: Collection[Var],
        spelling: LaneSpelling,
        by_row: Collection[Var],
        row: str,
    ):
        super().__init__(slots, places, fixed, end=-1)
        self.spelling = spelling
        self.by_row = set(by_row)
        self.row = row

    def placed(self, var: Var) -> tuple[str, str, Type] | None:
        return None if var in self.by_row else super().placed(var)

    def slot(self, array: Var, op: Apply) -> str:
        if array not in self.by_row:
            return super().slot(array, op)
        rest = [text for text, _ in self.wrapped(op, array.type)[1:]]
        return f"{self.names[array]}[{', '.join((self.row, *rest))}]"

    def expression(self, equation: Equation) -> Text:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.name == "index" and op.operands[0] in self.by_row:
            return self.slot(op.operands[0], op), ATOM  # type: ignore[arg-type]
        return super().expression(equation)

    def array_moves(self, pairs: Sequence[tuple[Var, Lit | Var]]) -> None:
        """Of an array with an element a row nobody looks at another row: its element moves."""
        if pairs:
            left = ", ".join(f"{self.names[o]}[{self.row}]" for o, _ in pairs)
            right = ", ".join(f"{self.names[v]}[{self.row}]" for _, v in pairs)  # type: ignore[index]
            self.line(f"{left} = {right}")

    def rows(self, equation: Equation, loop: For, blank: Collection[Var]) -> None:
        """The loop over the panel's rows, its sums in variables that have their first values already."""
        self.loops += 1
        sums = [p for p in loop.carried if not p.type.rank and p.type.dtype == "f8"]
        if loop.kind == "parallel" and is_long(loop):
            self.sums = {self.names[p] for p in sums}
        self.line(f"for {self.row} in range(size):")
        self.depth += 1
        if self.row != self.names.get(loop.index, self.row):
            self.line(f"{self.names[loop.index]} = first + {self.row}")
        arrays = [(o, v) for o, v in zip(loop.carried, loop.init) if o.type.rank and v not in blank]
        self.moves(arrays)
        self.depth -= 1
        self.body(loop, Moves(loop.carried))
        self.depth += 1
        self.moves([(o, p) for o, p in zip(equation.outs, loop.carried) if o.type.rank])
        self.depth -= 1


@dataclass(frozen=True, eq=False)
class RowLoop:
    """A loop over the rows of a panel as a function: how it is called, in terms of the Vars it is given."""

    name: str
    text: str
    by_row: tuple[Var, ...]
    whole: tuple[Var, ...]
    arenas: tuple[str, ...]
    scalars: tuple[Var, ...]
    sums: tuple[Var, ...]
    outs: tuple[Var, ...]
    starts: tuple[Var | Lit, ...]
    places: bool


class PanelText:
    """The text of one panel."""

    def __init__(self, writer: Writer, panel: Panel, name: str):
        self.writer, self.panel, self.name = writer, panel, name
        self.printer = writer.printer
        self.names = writer.slots.names
        self.taken = {*self.names.values(), *writer.avoid}

    # one lane's rows

    @cached_property
    def loops(self) -> dict[Equation, RowLoop]:
        """Each loop of the panel as a function."""
        return {e: self.row_loop(e, word) for e, word in zip(self.panel.loops, self.loop_names)}

    @cached_property
    def blank(self) -> set[Var]:
        return {e.outs[0] for e in self.panel.equations if is_empty(e)}

    @property
    def loop_names(self) -> list[str]:
        return loop_names(self.name, self.panel)

    def row_loop(self, equation: Equation, name: str) -> RowLoop:
        loop = equation.op
        assert isinstance(loop, For)
        own = {loop.index, *loop.carried}
        folded = self.writer.slots.folded
        outside = [v for v in free(loop.body) if v not in own]
        read = list(dict.fromkeys(v for atom in outside for v in leaves(atom, folded)))
        hidden = {v for atom in outside if atom in folded for v in leaves(atom, folded)}
        carried = [p for p in loop.carried if p.type.rank]
        by_row = [*(v for v in read if v not in hidden and self.at_row(v, loop)), *carried]
        by_row += [v for v in (*loop.init, *equation.outs) if v in self.panel.own and v not in self.blank]
        inside = {v for v in written(loop.body) if v.type.rank}
        sums = [k for k, p in enumerate(loop.carried) if not p.type.rank]
        arrays = [v for v in read if v.type.rank and v not in by_row]
        arenas = {place[0] for v in arrays if (place := self.printer.placed(v))}
        whole = [v for v in arrays if self.printer.placed(v) is None]
        places = counts(loop.body, loop.index, {*by_row, *inside})
        index = self.names.get(loop.index)
        row = index if index and not places else next(c for c in candidates("row") if c not in self.taken)
        printer = RowPrinter(
            self.writer.slots, self.printer.places, self.writer.fixed, self.printer.spelling,
            {*by_row, *inside}, row,
        )  # fmt: skip
        by_name = tuple({self.names[v]: v for v in by_row if v in self.names}.values())
        names = {self.names[loop.carried[k]] for k in sums}
        scalars = {self.names[v]: v for v in read if not v.type.rank and self.names[v] not in names}
        made = RowLoop(
            name, "", by_name, tuple(whole), tuple(sorted(arenas)), tuple(scalars.values()),
            tuple(loop.carried[k] for k in sums), tuple(equation.outs[k] for k in sums),
            tuple(loop.init[k] for k in sums), places,
        )  # fmt: skip
        return self.printed(made, printer, equation, loop)

    def printed(self, made: RowLoop, printer: RowPrinter, equation: Equation, loop: For) -> RowLoop:
        given = [*(["first"] if made.places else []), "size"]
        given += [self.names[v] for v in (*made.by_row, *made.whole)]
        given += [*made.arenas, *(self.names[v] for v in (*made.scalars, *made.sums))]
        printer.line('@njit(error_model="numpy", pipeline_class=Distinct)')
        printer.listed(f"def {made.name}(", given, "):")
        printer.depth = 1
        printer.line('"""The rows of one panel for one lane; returns its sums so far."""')
        printer.line("use_wide_registers()")
        printer.rows(equation, loop, self.blank)
        if made.sums:
            printer.line(f"return {', '.join(self.names[v] for v in made.sums)}")
        return replace(made, text="\n".join(printer.lines))

    def at_row(self, var: Var, loop: For) -> bool:
        """Whether an array is read only at the loop's row, and lies so that its rows can be given alone."""
        if not var.type.rank or var.type.shape[0] != self.panel.rows:
            return False
        apart = var in self.writer.fixed or var in self.panel.own or var.type.rank == 1
        return apart and at_own(loop.body, var, loop.index, ("index",))

    # what lanes keep while they wait

    def inputs(self) -> list[Var]:
        """The numbers of a lane that its rows need."""
        return list({self.names[v]: v for loop in self.loops.values() for v in loop.scalars}.values())

    def starts(self) -> Iterator[tuple[Var, Var | Lit]]:
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
        return "\n\n\n".join((*(loop.text for loop in self.loops.values()), lanes))

    @cached_property
    def body(self) -> list[str]:
        tall = height(self.panel.rows, self.columns)
        rows, lines = self.panel.rows, ["n = len(waiting)"]
        lines += self.memory(tall)
        lines += [f"for first in range(0, {rows}, {tall}):"]
        lines += [f"    size = min({tall}, {rows} - first)"]
        lines += [f"    {self.view[v]} = {self.names[v]}[first : first + size]" for v in self.sliced]
        lines += [f"    {slot} = {self.room[slot]}[: n * size].reshape(n, size)" for slot in self.panel_slots]
        for equation in self.panel.equations:
            lines += ["    " + line for line in self.step(equation)]
        lines += ["for j in range(n):", "    k = waiting[j]"]
        for out in self.slopes:
            place = self.printer.placed(out)
            assert place is not None
            lines.append(
                f"    {place[0]}_all[k, {place[1]} : {place[1]} + {count(out.type)}] = {self.sum[out]}[j]"
            )
        for loop in self.loops.values():
            for param, out in zip(loop.sums, loop.outs, strict=True):
                if out in self.names:
                    lines.append(f"    {self.kept(out)} = {self.names[param]}[j]")
        return ["    " + line for line in lines]

    def memory(self, tall: int) -> list[str]:
        """What the panels need, and what lanes start with."""
        lines, first = [], []
        for slot, var in self.panel_slots.items():
            kind = "" if var.type.dtype == "f8" else f", {TYPES[ARENAS[var.type.dtype]]}"
            lines.append(f"{self.room[slot]} = np.empty(n * {tall}{kind})")
        for vector in self.vectors:
            word, size = self.of_vectors[self.names[vector]], count(vector.type)
            place = self.printer.placed(vector)
            assert place is not None
            lines.append(f"{word} = np.empty((n, {size}))")
            first.append(f"    {word}[j] = {place[0]}_all[k, {place[1]} : {place[1]} + {size}]")
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
        given = [*(["first"] if loop.places else []), "size"]
        for v in loop.by_row:
            place = self.printer.placed(v)
            if v in self.view:
                given.append(self.view[v])
            elif v in self.panel.own or place is None:
                given.append(f"{self.names[v]}[j]")
            else:
                given.append(f"{place[0]}_all[k, {place[1]} + first : {place[1]} + first + size]")
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
        kind, column = self.writer.together.column(var)
        return f"{kind}[k, {column}]"

    def start(self, param: Var) -> str:
        kind, column = self.writer.together.column(param, "at first")
        return f"{kind}[k, {column}]"


def panel_names(name: str, panels: Iterable[Panel]) -> dict[Panel, str]:
    """The functions of a program's panels."""
    return {panel: f"{name}_panel{k + 1 if k else ''}" for k, panel in enumerate(panels)}


def loop_names(name: str, panel: Panel) -> list[str]:
    """The functions of a panel's loops."""
    return [f"{name}_rows{k + 1 if k else ''}" for k in range(len(panel.loops))]


def is_empty(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.name == "empty"


def written(block: Block) -> Iterator[Var]:
    """What an update in a loop's body makes of an array."""
    for equation in block.equations:
        yield from equation.outs


def counts(block: Block, index: Var, by_row: Collection[Var]) -> bool:
    """Whether a loop's index is read otherwise than as the place in an array that is given by rows."""
    for equation in block.equations:
        op = equation.op
        operands = op.operands if isinstance(op, Apply) else ()
        if operands and operands[0] in by_row:
            first = 1 if op.primitive.name == "index" else 2  # type: ignore[union-attr]
            operands = (*operands[:first], *operands[first + 1 :])
        if index in (operands if isinstance(op, Apply) else reads(op)):
            return True
        if any(counts(b, index, by_row) for b in blocks(op)):
            return True
    return index in block.results
