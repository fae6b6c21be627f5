"""Lanes that wait for each other where a product with a shared matrix is worth one call of BLAS.

    logits = X @ q          q a lane's, X shared:    each lane stops here; when no lane can go on, the product that most
                                                     of them wait for is taken for all of those, a row a lane

A lane that stops keeps the scalars it will need and its arrays' memory; a block with a product in it is two blocks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from autobatch.cfg.graph import BasicBlock
from autobatch.kernel.arenas import ARENAS, TYPES, is_stream
from autobatch.kernel.ir import Address, Assign, Element, Layout, Memory, Stmt, Store, Wait
from autobatch.kernel.lower import count
from autobatch.machine.panel_text import ABREAST, PanelText, panel_names
from autobatch.machine.panels import Panel
from codegen.ir import Apply, Block, Equation, Type, Var
from codegen.ir.kinds import Product

if TYPE_CHECKING:
    from autobatch.machine.numba_lanes import Visit, Writer


@dataclass(frozen=True, eq=False)
class SharedProduct:
    """A product with a shared matrix at which lanes wait for each other.

    A lane that waits is at place `waits`; once the product is taken it goes on at `resumes` with the scalars `alive`.
    `panel`: the product is the first of a panel's, which are all taken.
    """

    block: BasicBlock
    equation: Equation
    waits: int
    alive: tuple[Var, ...]
    panel: PanelText | None = None

    @property
    def resumes(self) -> int:
        return self.waits + 1

    def operands(self, fixed: Collection[Var]) -> tuple[Var, Var, bool]:
        """The matrix, the lane's vector, and whether the matrix stands on the left: X @ q is q @ X.T, row by row."""
        assert isinstance(self.equation.op, Apply)
        x, y = self.equation.op.operands
        assert isinstance(x, Var) and isinstance(y, Var)
        return (x, y, True) if x in fixed and x.type.rank == 2 else (y, x, False)


def is_product(equation: Equation, fixed: Collection[Var]) -> bool:
    """Whether an equation is a product of a shared matrix and a lane's vector."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.kind is not Product.MATRIX:
        return False
    x, y = op.operands
    return (x in fixed and x.type.rank == 2 and y.type.rank == 1) or (
        y in fixed and y.type.rank == 2 and x.type.rank == 1
    )


class Together:
    """The part of a Writer's text that has to do with waiting."""

    def __init__(self, writer: Writer):
        self.writer = writer
        self.products: list[SharedProduct] = []

    @property
    def tiles(self) -> tuple[int, ...]:
        """The rows of each panel."""
        return tuple(p.panel.tall for p in self.products if p.panel is not None)

    def product(self, k: int, block: BasicBlock, at: int, equation: Equation) -> SharedProduct:
        """Here the lane stops until its product has been taken; the rest of the block is a block of its own."""
        panel = self.writer.panels.get(equation)
        text = PanelText(self.writer, panel, self.panel_names[panel]) if panel is not None else None
        last = at + len(panel.equations) - 1 if panel is not None else at
        waits = self.writer.ends.end + 1 + 2 * len(self.products)
        made = SharedProduct(block, equation, waits, self.alive_after(k, block, last), text)
        self.products.append(made)
        return made

    def pause_at(self, made: SharedProduct) -> Iterator[Stmt]:
        """What a lane that stops keeps, and where: a panel's sums begin with what they start with."""
        low, panel = self.writer.lowering, made.panel
        results = {low.register(v) for v in panel.outs()} if panel is not None else set()
        alive = {low.register(v): v for v in made.alive if low.register(v) not in results}
        alive |= {low.register(v): v for v in panel.inputs()} if panel is not None else {}
        for register, var in alive.items():
            yield Store(self.column(var), register)
        for var, start in panel.starts() if panel is not None else ():
            yield Store(self.column(var, "at first"), low.value(start))
        yield Wait(made.waits)

    def back(self, made: SharedProduct) -> Iterator[Stmt]:
        """What a lane kept that goes on."""
        low = self.writer.lowering
        return (Assign(low.register(v), Element(self.column(v), v.type)) for v in made.alive)

    def alive_after(self, k: int, block: BasicBlock, at: int) -> tuple[Var, ...]:
        """The scalars that a lane needs once it goes on, one for each slot."""
        rest = Block(block.equations[at + 1 :], ())
        lifetimes = self.writer.slots.lifetimes
        alive = lifetimes.alive(k, block, rest)
        addresses = {f.address for f in self.writer.program.functions.values()}
        alive &= ~lifetimes.walk.mask(addresses - set(self.writer.where.registers))
        numbers = (v for v in self.writer.slots.names if not v.type.rank and v.type.dtype != "rng")
        scalars = [v for v in numbers if alive & lifetimes.walk.mask((v,))]
        return tuple({self.writer.slots.names[v]: v for v in scalars}.values())

    def column(self, var: Var, which: str = "") -> Address:
        """Where a waiting lane keeps a number."""
        kind = f"{ARENAS[var.type.dtype]}_kept"
        columns = self.kept.setdefault(kind, {})
        number = columns.setdefault(f"{self.writer.slots.names[var]} {which}", len(columns))
        return Address(Memory(Layout.KEPT, kind, number, Type(var.type.dtype)))

    @cached_property
    def panel_names(self) -> dict[Panel, str]:
        return panel_names(self.writer.name, self.writer.panels.values())

    def functions(self) -> list[str]:
        """The text of the panels."""
        return [made.panel.text() for made in self.products if made.panel is not None]

    @cached_property
    def kept(self) -> dict[str, dict[str, int]]:
        return {}

    def function(self, visits: Sequence[Visit]) -> None:
        """All lanes side by side: each runs until it waits, the most wanted product is taken, and so on."""
        p = self.writer.printer
        p.line('"""Lanes first to last together; first if one of them needs a larger stack, else last."""')
        p.written(["use_wide_registers()"] if self.writer.wide else [])
        p.line("count = last - first")
        for arena in self.writer.arenas:
            p.line(f"{arena}_all = np.empty((count, {self.writer.sizes[arena]}), {TYPES[arena]})")
        for arena in self.writer.stacks:
            p.line(f"{arena}_stacks = np.empty((count, len({arena}_stack)), {TYPES[arena]})")
            p.line(f"{arena}_tops = np.zeros(count, np.int64)")
        if self.writer.stacks:
            p.line("depths = np.zeros(count, np.int64)")
        for kind, columns in self.kept.items():
            p.line(f"{kind} = np.empty((count, {len(columns)}), {TYPES[kind.removesuffix('_kept')]})")
        for before, argument in self.writer.streams():
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
        self.writer.dispatch(visits)
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
        p = self.writer.printer
        ends = " or ".join(f"pc == {n}" for n in (self.writer.ends.end, *(m.waits for m in self.products)))
        p.line("pc = places[lane - first]")
        p.line(f"if {ends}:")
        p.line("    continue")
        for arena in self.writer.arenas:
            p.line(f"{arena} = {arena}_all[lane - first]")
        for arena in self.writer.stacks:
            p.line(f"{arena}_stack = {arena}_stacks[lane - first]")
            p.line(f"{arena}_top = {arena}_tops[lane - first]")
        if self.writer.stacks:
            p.line("depth = depths[lane - first]")
        for (param, _), argument in zip(self.writer.shared.items(), self.writer.inputs, strict=True):
            if is_stream(param):
                p.line(f"{self.writer.slots.names[param]} = {argument}[lane]")
        p.line("if pc == -1:")
        p.depth += 1
        self.writer.prologue(streams=False)
        p.line(f"pc = {self.writer.program.entry.entry}")
        p.depth -= 1

    def pause(self) -> None:
        """A lane has come to its end or waits."""
        p = self.writer.printer
        p.written(self.writer.marks.between())
        p.line("places[lane - first] = pc")
        for arena in self.writer.stacks:
            p.line(f"{arena}_tops[lane - first] = {arena}_top")
        if self.writer.stacks:
            p.line("depths[lane - first] = depth")
            p.line("if failed[lane] == -1:")
            p.line("    failed[first:last] = 0")
            for before, argument in self.writer.streams():
                p.line(f"    {argument}[first:last] = {before}")
            p.line("    return first")
        p.line(f"if pc == {self.writer.ends.end}:")
        p.depth += 1
        self.writer.epilogue()
        p.depth -= 1

    def take(self) -> None:
        """The product that most lanes wait for."""
        p = self.writer.printer
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
            p.written(self.writer.marks.product(m, made.block, made.equation, "n", "count"))
            self.taken(made)
            p.written(self.writer.marks.alone())
            p.depth -= 1

    def taken(self, made: SharedProduct) -> None:
        """One product for the lanes in `waiting`, a row a lane."""
        p = self.writer.printer
        if made.panel is not None:
            panel = made.panel
            p.line(f"for begin in range(0, n, {ABREAST}):")
            p.line(f"    some = waiting[begin : min(begin + {ABREAST}, n)]")
            p.line(f"    {panel.name}({', '.join(('some', *panel.given))})")
            p.line("for j in range(n):")
            p.line(f"    places[waiting[j]] = {made.resumes}")
            return
        matrix, vector, transposed = made.operands(self.writer.fixed)
        out = made.equation.outs[0]
        rows, place = count(vector.type), self.writer.memory(vector)
        p.line(f"rows = np.empty((n, {rows}))")
        p.line("for j in range(n):")
        source = self.writer.slots.names[vector] if place is None else part_of(place, "waiting[j]")
        p.line(f"    rows[j] = {source}")
        p.line(f"products = np.dot(rows, {self.writer.slots.names[matrix]}{'.T' if transposed else ''})")
        target = self.writer.memory(out)
        assert target is not None
        p.line("for j in range(n):")
        p.line(f"    {part_of(target, 'waiting[j]')} = products[j]")
        p.line(f"    places[waiting[j]] = {made.resumes}")


def part_of(memory: Memory, lane: str) -> str:
    """An array of a lane, as a part of the row that the lane has."""
    return f"{memory.name}_all[{lane}, {memory.first} : {memory.first} + {count(memory.type)}]"
