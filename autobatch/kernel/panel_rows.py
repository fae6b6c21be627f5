"""The loops over the rows of a panel, each for one lane: panel_loops : Panel -> RowLoops.

    for i in range(rows):                       for row in range(size):            the rows of one panel
        t += f(logits[i], y[i])          ->         t += f(logits[row], y[row])
        r[i] = g(logits[i], y[i])                   r[row] = g(logits[row], y[row])

An array with an element a row is given for the rows of the panel alone, so that a row's element is at the loop's own
index; what else a row reads is given whole. `t` is a sum so far, with its first value before the first panel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from autobatch.kernel.ir import Assign, Layout, Memory, Operation, Register, Stmt
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.panels import Panel, loop_names
from codegen.analysis.definitions import is_empty
from codegen.analysis.own_places import own_axes
from codegen.emit.coalescing import unused_spelling
from codegen.emit.expression_folding import named_reads
from codegen.ir import Apply, Atom, Block, Equation, For, Type, Var
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, free, reads
from codegen.primitives import ROWS

I8 = Type("i8", weak=True)
FIRST = Var("first", I8)


def panel_loops(memory: LaneMemory, panel: Panel, name: str) -> dict[Equation, RowLoop]:
    """The loops of the panel that is called `name`, by their equations."""
    words = loop_names(name, panel)
    return {e: RowLoop(memory, panel, e, word) for e, word in zip(panel.loops, words, strict=True)}


class RowLoop:
    """One loop.

    Its arguments are, in order: the number of the first row if that is `counted`, how many rows there are, the arrays
    `by_row`, those given `whole`, the lane's memories `arenas`, the numbers `scalars` and the `sums` so far.
    """

    def __init__(self, memory: LaneMemory, panel: Panel, equation: Equation, name: str):
        assert isinstance(equation.op, For)
        self.lane, self.panel, self.name = memory, panel, name
        self.equation, self.loop = equation, equation.op
        self.names, self.folded = memory.slots.names, memory.slots.folded

    # what it is given

    @cached_property
    def outside(self) -> list[Var]:
        """What the body reads that it does not make."""
        own = {self.loop.index, *self.loop.carried}
        return [v for v in free(self.loop.body) if v not in own]

    @cached_property
    def read(self) -> list[Var]:
        """The same as the variables that stand in the text."""
        return list(dict.fromkeys(v for atom in self.outside for v in named_reads(atom, self.folded)))

    @cached_property
    def arrays_by_row(self) -> list[Var]:
        """The arrays of which a row reads and writes its own element."""
        hidden = {v for atom in self.outside if atom in self.folded for v in named_reads(atom, self.folded)}
        blank = {e.outs[0] for e in self.panel.equations if is_empty(e)}
        found = [v for v in self.read if v not in hidden and self.at_row(v)]
        found += [v for v in self.loop.carried if v.type.rank]
        moved = (*self.loop.init, *self.equation.outs)
        return found + [v for v in moved if isinstance(v, Var) and v in self.panel.own and v not in blank]

    def at_row(self, var: Var) -> bool:
        """Whether an array is read only at the loop's row, and lies so that its rows can be given alone."""
        if not var.type.rank or var.type.shape[0] != self.panel.rows:
            return False
        apart = var in self.lane.fixed or var in self.panel.own or var.type.rank == 1
        return apart and 0 in own_axes(self.loop.body, var, self.loop.index, how=(Access.READ,))

    @cached_property
    def by_row(self) -> list[Var]:
        """One of them for each slot."""
        return list({self.names[v]: v for v in self.arrays_by_row if v in self.names}.values())

    @cached_property
    def elsewhere(self) -> list[Var]:
        return [v for v in self.read if v.type.rank and v not in self.arrays_by_row]

    @cached_property
    def whole(self) -> list[Var]:
        return [v for v in self.elsewhere if self.lane.memory(v) is None]

    @cached_property
    def arenas(self) -> list[str]:
        places = (self.lane.memory(v) for v in self.elsewhere)
        return list(dict.fromkeys(place.name for place in places if place is not None))

    @cached_property
    def sums(self) -> list[tuple[Var, Atom, Var]]:
        """The numbers that are summed: so far, what they start with, and as they are called afterwards."""
        carried = zip(self.loop.carried, self.loop.init, self.equation.outs, strict=True)
        return [each for each in carried if not each[0].type.rank]

    @cached_property
    def scalars(self) -> list[Var]:
        sums = {self.names[p] for p, _, _ in self.sums}
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
        return reads_row_number(self.loop.body, self.loop.index, self.inside)

    # its statements

    def a_row(self) -> Iterator[Stmt]:
        """The statements of one row; its sums are in variables that have their values so far already."""
        loop, low = self.loop, Lowering(self.lane.slots, self.memory, returns=False, looks=False)
        low.sums = low.in_any_order(loop)
        if self.counted:
            number = Operation(
                Apply(ROWS["add"], (FIRST, loop.index)), (Register("first", I8), Register(self.row, I8)), I8
            )
            yield Assign(low.register(loop.index), number)
        yield from low.moves(list(self.elements(zip(loop.carried, loop.init, strict=True))))
        yield from low.block(loop.body, loop.carried, None)
        yield from low.moves(list(self.elements(zip(self.equation.outs, loop.carried, strict=True))))

    def memory(self, var: Var) -> Memory | None:
        """Where an array is: its element at the row, where it is given by rows."""
        if var in self.inside:
            return Memory(Layout.BY_ROW, self.names[var], "", var.type, row=self.row)
        return self.lane.memory(var)

    def elements(self, pairs: Iterable[tuple[Var, Atom]]) -> Iterator[tuple[Var, Atom]]:
        """The moves of arrays that have an element a row; an array that was made empty has none yet."""
        return ((o, v) for o, v in pairs if o.type.rank and v in self.inside)

    @cached_property
    def row(self) -> str:
        """The name of a row's number in the panel."""
        index = self.names.get(self.loop.index)
        if index is not None and not self.counted:
            return index
        return unused_spelling("row", self.lane.taken)


def reads_row_number(block: Block, index: Var, by_row: Collection[Var]) -> bool:
    """Whether a loop's index is read otherwise than as the place in an array that is given by rows."""
    for equation in block.equations:
        op = equation.op
        operands = reads(op)
        if isinstance(op, Apply) and operands and operands[0] in by_row:
            first = op.primitive.first_place
            operands = (*operands[:first], *operands[first + 1 :])
        if index in operands or any(reads_row_number(b, index, by_row) for b in blocks(op)):
            return True
    return index in block.results
