"""The loops over the rows of a panel, each a function of one lane: row_loops : Panel -> RowLoops.

    def density_panel_rows(size, y, logits, logits_bar, t):
        for i in range(size):
            y_i = y[i]
            ...
        return t

An array with an element a row is given for the rows of the panel alone, so that a row's element is at the loop's own
index; what else a row reads is given whole. `t` is a sum so far, with its first value before the first panel.

Products may be contracted into the sums after them: a program with panels is only ever run by this machine, so there is
no other whose numbers would have to be the same bit for bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from autobatch.machine.panels import Panel, is_empty
from autobatch.machine.printer import LanePrinter, LaneSpelling, is_long
from autobatch.machine.slots import Slots
from codegen.emit.coalescing import candidates
from codegen.emit.expression_folding import leaves
from codegen.emit.spelling import ATOM, Text
from codegen.emit.statements import Moves
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Type, Var
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, free, reads
from codegen.loops.fusion import at_own

if TYPE_CHECKING:
    from autobatch.machine.numba_lanes import Writer


def row_loops(writer: Writer, panel: Panel, name: str, taken: Collection[str]) -> dict[Equation, RowLoop]:
    """Each loop of a panel as a function; `taken` are names that are not to be used."""
    words = loop_names(name, panel)
    return {e: RowLoop(writer, panel, e, word, taken) for e, word in zip(panel.loops, words, strict=True)}


def loop_names(name: str, panel: Panel) -> list[str]:
    """The functions of a panel's loops."""
    return [f"{name}_rows{k + 1 if k else ''}" for k in range(len(panel.loops))]


class RowLoop:
    """One loop; `taken` are names that are not to be used.

    Its arguments are, in order: the number of the first row if that is `counted`, how many rows there are, the arrays
    `by_row`, those given `whole`, the lane's memories `arenas`, the numbers `scalars` and the `sums` so far.
    """

    def __init__(self, writer: Writer, panel: Panel, equation: Equation, name: str, taken: Collection[str]):
        assert isinstance(equation.op, For)
        self.writer, self.panel, self.name, self.taken = writer, panel, name, taken
        self.equation, self.loop = equation, equation.op
        self.names, self.folded = writer.slots.names, writer.slots.folded

    # what it is given

    @cached_property
    def outside(self) -> list[Var]:
        """What the body reads that it does not make."""
        own = {self.loop.index, *self.loop.carried}
        return [v for v in free(self.loop.body) if v not in own]

    @cached_property
    def read(self) -> list[Var]:
        """The same as the variables that stand in the text."""
        return list(dict.fromkeys(v for atom in self.outside for v in leaves(atom, self.folded)))

    @cached_property
    def arrays_by_row(self) -> list[Var]:
        """The arrays of which a row reads and writes its own element."""
        hidden = {v for atom in self.outside if atom in self.folded for v in leaves(atom, self.folded)}
        blank = {e.outs[0] for e in self.panel.equations if is_empty(e)}
        found = [v for v in self.read if v not in hidden and self.at_row(v)]
        found += [v for v in self.loop.carried if v.type.rank]
        moved = (*self.loop.init, *self.equation.outs)
        return found + [v for v in moved if isinstance(v, Var) and v in self.panel.own and v not in blank]

    def at_row(self, var: Var) -> bool:
        """Whether an array is read only at the loop's row, and lies so that its rows can be given alone."""
        if not var.type.rank or var.type.shape[0] != self.panel.rows:
            return False
        apart = var in self.writer.fixed or var in self.panel.own or var.type.rank == 1
        return apart and at_own(self.loop.body, var, self.loop.index, (Access.READ,))

    @cached_property
    def by_row(self) -> list[Var]:
        """One of them for each slot."""
        return list({self.names[v]: v for v in self.arrays_by_row if v in self.names}.values())

    @cached_property
    def elsewhere(self) -> list[Var]:
        return [v for v in self.read if v.type.rank and v not in self.arrays_by_row]

    @cached_property
    def whole(self) -> list[Var]:
        return [v for v in self.elsewhere if self.writer.printer.placed(v) is None]

    @cached_property
    def arenas(self) -> list[str]:
        places = (self.writer.printer.placed(v) for v in self.elsewhere)
        return list(dict.fromkeys(place[0] for place in places if place is not None))

    @cached_property
    def sums(self) -> list[Var]:
        return [p for p in self.loop.carried if not p.type.rank]

    @property
    def starts(self) -> list[Atom]:
        """What the sums start with."""
        return [v for p, v in zip(self.loop.carried, self.loop.init, strict=True) if not p.type.rank]

    @property
    def outs(self) -> list[Var]:
        """The sums as they are called afterwards."""
        return [out for out in self.equation.outs if not out.type.rank]

    @cached_property
    def scalars(self) -> list[Var]:
        sums = {self.names[p] for p in self.sums}
        named = {self.names[v]: v for v in self.read if not v.type.rank}
        return [v for word, v in named.items() if word not in sums]

    @cached_property
    def inside(self) -> set[Var]:
        """The arrays that a row's element is at the loop's own index of."""
        made = (out for equation in self.loop.body.equations for out in equation.outs)
        return {*self.arrays_by_row, *(v for v in made if v.type.rank)}

    @cached_property
    def counted(self) -> bool:
        """Whether the number of a row matters."""
        return counts(self.loop.body, self.loop.index, self.inside)

    # its text

    def text(self) -> str:
        writer = self.writer
        printer = RowPrinter(
            writer.slots, writer.printer.places, writer.fixed, writer.printer.spelling, self.inside, self.row
        )
        given = [*(["first"] if self.counted else []), "size"]
        given += [self.names[v] for v in (*self.by_row, *self.whole)]
        given += [*self.arenas, *(self.names[v] for v in (*self.scalars, *self.sums))]
        printer.line('@njit(error_model="numpy", fastmath={"contract"}, pipeline_class=Distinct)')
        printer.listed(f"def {self.name}(", given, "):")
        printer.depth = 1
        printer.line(
            f'"""The rows of one panel for one lane{"; returns its sums so far" * bool(self.sums)}."""'
        )
        printer.line("use_wide_registers()")
        printer.rows(self.equation, self.loop, f"first + {self.row}" if self.counted else "")
        if self.sums:
            printer.line(f"return {', '.join(self.names[v] for v in self.sums)}")
        return "\n".join(printer.lines)

    @cached_property
    def row(self) -> str:
        """The name of a row's number in the panel."""
        index = self.names.get(self.loop.index)
        if index is not None and not self.counted:
            return index
        return next(c for c in candidates("row") if c not in self.taken)


def counts(block: Block, index: Var, by_row: Collection[Var]) -> bool:
    """Whether a loop's index is read otherwise than as the place in an array that is given by rows."""
    for equation in block.equations:
        op = equation.op
        operands = reads(op)
        if isinstance(op, Apply) and operands and operands[0] in by_row:
            first = 1 if op.primitive.name == "index" else 2
            operands = (*operands[:first], *operands[first + 1 :])
        if index in operands or any(counts(b, index, by_row) for b in blocks(op)):
            return True
    return index in block.results


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
        self.looks = False
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
        if isinstance(op, Apply) and op.primitive.name == "index":
            array = op.operands[0]
            if isinstance(array, Var) and array in self.by_row:
                return self.slot(array, op), ATOM
        return super().expression(equation)

    def array_moves(self, pairs: Sequence[tuple[Var, Lit | Var]]) -> None:
        """Of an array with an element a row nobody looks at another row: its element moves."""
        if pairs:
            left = ", ".join(f"{self.names[o]}[{self.row}]" for o, _ in pairs)
            right = ", ".join(f"{self.names[v]}[{self.row}]" for _, v in pairs if isinstance(v, Var))
            self.line(f"{left} = {right}")

    def rows(self, equation: Equation, loop: For, number: str) -> None:
        """The loop over the panel's rows, its sums in variables that have their values so far already."""
        self.loops += 1
        if loop.kind == "parallel" and is_long(loop):
            sums = (p for p in loop.carried if not p.type.rank and p.type.dtype == "f8")
            self.sums = {self.names[p] for p in sums}
        self.line(f"for {self.row} in range(size):")
        self.depth += 1
        if number:
            self.line(f"{self.names[loop.index]} = {number}")
        self.moves(list(self.elements(zip(loop.carried, loop.init, strict=True))))
        self.depth -= 1
        self.body(loop, Moves(loop.carried))
        self.depth += 1
        self.moves(list(self.elements(zip(equation.outs, loop.carried, strict=True))))
        self.depth -= 1

    def elements(
        self, pairs: Iterator[tuple[Var, Atom]] | zip[tuple[Var, Atom]]
    ) -> Iterator[tuple[Var, Atom]]:
        """The moves of arrays that have an element a row; an array that was made empty has none yet."""
        return ((o, v) for o, v in pairs if o.type.rank and v in self.by_row)
