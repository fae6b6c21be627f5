"""Long loops of lanes that wait, gone through in parts: is_parted : Equation -> bool, PartedLoop.

    for i in range(10000):                          for i in range(part, 10000, 128):      a thread for each part
        t += f(logits[i], y[i])        ->               t += f(logits[i], y[i])
        r[i] = g(logits[i], y[i])                       r[i] = g(logits[i], y[i])
                                                    t_parts[part] = t

                                                    for part in range(128):                the lane, when it goes on
                                                        t += t_parts[part]

Where lanes wait for products with shared matrices, what stands between two of these is often one loop over the rows. A
lane that comes to it waits there too, and as many threads as there are parts go through it. No round looks at what
another has made, but for sums and the like (codegen/loops/independent.py), which begin anew in each part. How many
parts there are hangs on the loop alone: a sum is taken in one order, whatever other lanes there are. A round that fails
ends its part, and the lane then fails as the first of them does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autobatch.cost_model import MOST_PARTS, PART_OPERATIONS, PARTED_OPERATIONS
from autobatch.kernel import ir
from autobatch.kernel.ir import Address, Assign, Element, Memory, Operation, Region, Register, Stmt, Value
from autobatch.kernel.lane_visits import Stop
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.polling import price
from autobatch.kernel.walk import statements
from codegen.emit.expression_folding import named_reads
from codegen.ir import Apply, Equation, For, If, Lit, Type, Var
from codegen.ir.kinds import Arithmetic, Logic
from codegen.ir.substitution import free
from codegen.ir.traversal import equations
from codegen.loops.independent import Kind, counts, is_independent, reductions
from codegen.primitives import ROWS

I8, B1 = Type("i8", weak=True), Type("b1")
PART, FAILING = Register("part", I8), Register("failing", I8)
REDUCED: dict[Kind, tuple[str, float]] = {
    Arithmetic.ADD: ("add", 0.0),
    Arithmetic.MUL: ("mul", 1.0),
    Arithmetic.MAXIMUM: ("maximum", -math.inf),
    Arithmetic.MINIMUM: ("minimum", math.inf),
    Logic.AND: ("and", 1.0),
    Logic.OR: ("or", 0.0),
}
"""What puts two parts together, and what each begins with: a number, or the least or the largest of a dtype."""

OF_A_ROUND = (
    ir.Assign | ir.Move | ir.Store | ir.Accumulate | ir.Check | ir.Fail | ir.If | ir.Loop | ir.Step
)  # what a round of such a loop is made of: nothing that is about whole arrays


def is_parted(equation: Equation) -> bool:
    """Whether a lane that waits for products waits at a loop too: long, of known length, its rounds independent."""
    loop = equation.op
    if not isinstance(loop, For) or not isinstance(loop.start, Lit) or not isinstance(loop.stop, Lit):
        return False
    if not all(map(is_of_numbers, equations(loop.body))) or not is_independent(loop):
        return False
    added = any(counts(loop, k) for k, param in enumerate(loop.carried) if param.type.rank)
    return not added and price((equation,)) >= PARTED_OPERATIONS


def is_of_numbers(equation: Equation) -> bool:
    """Whether an equation makes numbers, or writes one into an array."""
    op = equation.op
    if not isinstance(op, Apply):
        return isinstance(op, If | For)
    if op.primitive.accesses:
        return op.primitive.writes or not equation.outs[0].type.rank
    return not any(atom.type.rank for atom in (*op.operands, *equation.outs))


@dataclass(frozen=True, eq=False)
class PartedLoop(Stop):
    """One loop. `kernel`: the name of what its parts are gone through by."""

    memory: ThreadMemory
    kernel: str

    @property
    def loop(self) -> For:
        assert isinstance(self.equation.op, For)
        return self.equation.op

    @cached_property
    def rounds(self) -> range:
        loop = self.loop
        assert isinstance(loop.start, Lit) and isinstance(loop.stop, Lit)
        return range(int(loop.start.value), int(loop.stop.value))

    @cached_property
    def parts(self) -> int:
        least = max(PART_OPERATIONS // price(self.loop.body.equations), 1)  # rounds of a part
        return min(-(-len(self.rounds) // least), MOST_PARTS)

    # what it needs, and what it makes

    @cached_property
    def sums(self) -> list[tuple[Var, Kind, Memory]]:
        """Numbers that rounds reduce to, by what, and where each part leaves its own."""
        found, names = reductions(self.loop).items(), self.memory.slots.names
        return [(v, kind, self.memory.parts_place(names[v], v.type, self.parts)) for v, kind in found]

    @cached_property
    def scalars(self) -> list[Var]:
        """The numbers that rounds read, one for each slot."""
        loop, folded = self.loop, self.memory.slots.folded
        own = {loop.index, *loop.carried}
        read = (v for atom in free(loop.body) if atom not in own for v in named_reads(atom, folded))
        return list({self.memory.slots.names[v]: v for v in read if not v.type.rank}.values())

    @cached_property
    def starts(self) -> list[Var]:
        """The numbers that its sums begin with, one for each slot."""
        inits = (init for init in self.loop.init if not init.type.rank)
        read = (v for init in inits for v in named_reads(init, self.memory.slots.folded))
        return list({self.memory.slots.names[v]: v for v in read if not v.type.rank}.values())

    @property
    def read(self) -> list[Var]:
        """The numbers that it needs."""
        return [*self.scalars, *self.starts]

    @property
    def reads(self) -> set[str]:
        return {self.memory.slots.names[v] for v in self.read}

    @cached_property
    def made(self) -> set[str]:
        """The registers of its sums, once the parts are together."""
        names = self.memory.slots.names
        return {names[out] for out in self.equation.outs if not out.type.rank and out in names}

    # its statements

    @cached_property
    def before(self) -> Region:
        """What the lane does before: arrays that rounds write into are put where they do."""
        pairs = zip(self.loop.carried, self.loop.init, strict=True)
        return tuple(self.memory.lowering.moves([(p, init) for p, init in pairs if p.type.rank]))

    @cached_property
    def after(self) -> Region:
        pairs = zip(self.equation.outs, self.loop.carried, strict=True)
        return tuple(self.memory.lowering.moves([(out, p) for out, p in pairs if out.type.rank]))

    @cached_property
    def round(self) -> Region:
        """The statements of one round."""
        low = Lowering(self.memory.slots, self.memory.memory, returns=True, looks=False)
        low.sites = self.memory.lowering.sites
        low.ranges.loop_index(self.loop)
        return tuple(low.block(self.loop.body, self.loop.carried, self.equation.span))

    @property
    def is_plain(self) -> bool:
        """Whether rounds are about numbers and elements alone, where everything is."""
        return all(isinstance(stmt, OF_A_ROUND) for stmt in statements(self.round))

    @cached_property
    def index(self) -> Register:
        names, index = self.memory.slots.names, self.loop.index
        return Register(names[index] if index in names else self.memory.fresh("row"), index.type)

    @cached_property
    def sites(self) -> list[int]:
        """Where a round may fail."""
        found = (stmt.site for stmt in statements(self.round) if isinstance(stmt, ir.Check | ir.Fail))
        return list(dict.fromkeys(found))

    @cached_property
    def failures(self) -> Memory:
        """Where each part leaves its first failure: round * (sites + 1) + 1, 2, ..., by the site."""
        return self.memory.parts_place(FAILING.name, I8, self.parts)

    @property
    def no_failure(self) -> int:
        """What a part leaves there of which no round fails: no site, and after all of these."""
        return self.rounds.stop * (len(self.sites) + 1)

    def of_a_part(self) -> Iterator[Stmt]:
        """What a thread does for one part."""
        low = self.memory.lowering
        for var in self.scalars:
            yield Assign(low.register(var), Element(self.memory.column(var), var.type))
        for var, kind, _ in self.sums:
            yield Assign(low.register(var), first_of(kind, var.type))
        start: Value = PART
        if self.rounds.start:
            start = operation("add", I8, PART, Lit(self.rounds.start, I8))
        yield ir.Loop(self.index, start, Lit(self.rounds.stop, I8), self.parts, self.round)
        for var, _, memory in self.sums:
            yield ir.Store(Address(memory, (PART,)), low.register(var))
        if self.sites:
            yield ir.Store(Address(self.failures, (PART,)), Lit(self.no_failure, I8))

    def together(self) -> Iterator[Stmt]:
        """What the lane does when it goes on: the parts put together, in order."""
        low = self.memory.lowering
        pairs = list(zip(self.loop.carried, self.loop.init, strict=True))
        yield from low.moves([(p, init) for p, init in pairs if not p.type.rank])
        body = [
            Assign(low.register(var), combined(REDUCED[kind][0], low.register(var), memory))
            for var, kind, memory in self.sums
        ]
        if self.sites:
            yield Assign(FAILING, Lit(self.no_failure, I8))
            body.append(Assign(FAILING, combined("minimum", FAILING, self.failures)))
        if body:
            reduced = [(low.register(var), kind, False) for var, kind, _ in self.sums]
            reduced += [(FAILING, Arithmetic.MINIMUM, True)] * bool(self.sites)
            yield ir.Loop(PART, Lit(0, I8), Lit(self.parts, I8), 1, tuple(body), reduced=tuple(reduced))
        sites = Lit(len(self.sites) + 1, I8)
        for k, site in enumerate(self.sites, 1):
            which = operation("mod", I8, FAILING, sites)
            yield ir.Check(operation("ne", B1, which, Lit(k, I8)), site)
        ends = zip(self.equation.outs, self.loop.carried, strict=True)
        yield from low.moves([(out, p) for out, p in ends if not out.type.rank])
        yield from self.after


def first_of(kind: Kind, type_: Type) -> Lit:
    """What a part's sum begins with."""
    value, dtype = REDUCED[kind][1], np.dtype(type_.dtype if type_.dtype != "b1" else "?")
    if math.isinf(value) and dtype.kind in "iu":
        value = np.iinfo(dtype).min if value < 0 else np.iinfo(dtype).max
    return Lit(dtype.type(value).item(), type_)


def combined(row: str, register: Register, memory: Memory) -> Value:
    """A number and what a part has left."""
    return operation(row, register.type, register, Element(Address(memory, (PART,)), register.type))


def operation(row: str, type_: Type, *operands: Value) -> Value:
    """A primitive on values."""
    atoms = tuple(o if isinstance(o, Lit) else Var("x", o.type) for o in operands)
    return Operation(Apply(ROWS[row], atoms), operands, type_)
