"""Equations of a block as statements of the kernel language: Lowering(slots, memory).step(equation) -> Step.

    s2 = for i in range(0, 3) with s = 0.0:          s = 0.0
      t = index q, i                          ->     for i in range(0, 3):
      s1 = add s, t                                      s = add(s, F[Q + i])
      yield s1

Values are expressions: what is folded (expression_folding.py) stands where it is used. Moves that do nothing, as both
sides share a slot, are left out, the others put in an order in which nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from autobatch.cost_model import SELECT_OPERATIONS, UNCONDITIONAL_COPIES, UNPOLLED_ROUNDS
from autobatch.errors import Site, site_number
from autobatch.kernel import ir
from autobatch.kernel.ir import Address, Layout, Memory, Region, Register, Stmt, Value
from autobatch.kernel.loops import is_long, may_stop
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.memory.register_allocation import Slots
from autobatch.kernel.parallel_copies import choices, copies_by_size, independent, sequential_order
from autobatch.kernel.polling import is_endless, may_be_stripped
from autobatch.kernel.walk import nodes
from codegen.analysis.places import is_nowhere
from codegen.analysis.ranges import Ranges
from codegen.emit.expression_folding import is_choice, named_reads
from codegen.ir import Apply, Atom, Block, Equation, For, If, Lit, Operation, Var, While
from codegen.ir.exceptions import Thrown
from codegen.ir.kinds import Access, Arithmetic, Effect, Made, Product, Same, Stream
from codegen.ir.substitution import blocks
from codegen.ir.traversal import equations
from codegen.source import Span

REASSOCIATED = (Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MAXIMUM, Arithmetic.MINIMUM)

Moved = tuple[Var, Atom]


class Lowering:
    """`memory`: where an array, or a stream that has no name, is. `sites` are noted as they are met.

    `returns`: a lane that stops leaves its function, so that nothing needs to look for it after a loop. `selects`:
    branches that only move a few numbers are choices (choices.py).
    """

    def __init__(
        self,
        slots: Slots,
        memory: Callable[[Var], Memory | None],
        *,
        returns: bool,
        looks: bool = True,
        selects: bool = False,
    ):
        self.names, self.folded, self.used = slots.names, slots.folded, slots.used
        self.memory, self.returns, self.selects = memory, returns, selects
        self.looks = looks  # whether loops look if they are to stop
        self.looking: set[Operation] = set()  # those that do
        self.ranges = Ranges()
        self.sites: list[Site] = []
        self.sums: set[Register] = set()
        self.reorders = False  # whether a sum was met whose terms may be taken in any order
        self.nobody = unused_underscore(set(slots.names.values()))

    # values

    def register(self, var: Var) -> Register:
        return Register(self.names[var], var.type)

    def value(self, atom: Atom) -> Value:
        if isinstance(atom, Lit):
            return atom
        if atom in self.folded:
            return self.expression(self.folded[atom])
        if atom.type.dtype == "rng" and (memory := self.memory(atom)) is not None:
            return ir.Element(Address(memory), atom.type)
        return self.register(atom)

    def expression(self, equation: Equation) -> Value:
        op, type_ = equation.op, equation.outs[-1].type
        if isinstance(op, If):
            then, orelse = (self.value(b.results[0]) for b in (op.then, op.orelse))
            return ir.Select(self.value(op.test), then, orelse, type_)
        assert isinstance(op, Apply)
        if op.primitive.kind is Access.READ:
            assert not type_.rank, "a part of an array is left in a lane's program"
            if is_nowhere(op):
                return Lit(0, type_)
            return ir.Element(self.address(op, op.operands[0]), type_)
        return ir.Operation(op, tuple(map(self.value, op.operands)), type_)

    def address(self, op: Apply, array: Atom) -> Address:
        """The element that an index, update or accumulate is about, in the memory of `array`."""
        assert isinstance(array, Var)
        memory = self.array(array)
        given = op.operands[op.primitive.first_place :]
        if memory.layout is not Layout.PLACES:
            return Address(memory, tuple(map(self.from_start, array.type.shape, given)))
        return Address(memory, tuple(map(self.value, given)))

    def from_start(self, size: int | Var, place: Atom) -> Value:
        """A place; a literal that counts from the end is counted from the start."""
        if isinstance(place, Lit) and place.value < 0 and isinstance(size, int):
            return Lit(place.value + size, place.type)
        return self.value(place)

    def array(self, var: Var) -> Memory:
        return self.memory(var) or Memory(Layout.PLACES, self.names[var], "", var.type)

    def site(self, thrown: Thrown, span: Span | None) -> int:
        """The number of a place where a lane can fail."""
        return site_number(self.sites, thrown, span)

    # statements

    def steps(self, equations: Sequence[Equation]) -> Region:
        return tuple(self.step(e) for e in self.unfolded(equations))

    def unfolded(self, equations: Iterable[Equation]) -> Iterator[Equation]:
        """Those that are statements of their own; of all it is noted what they say of ints."""
        for equation in equations:
            self.ranges.equation(equation)
            if not self.is_folded(equation):
                yield equation

    def step(self, equation: Equation) -> ir.Step:
        return ir.Step(tuple(self.statement(equation, equation.span)), equation)

    def is_folded(self, equation: Equation) -> bool:
        """Whether an equation is part of another's expression, and no statement of its own."""
        return bool(equation.outs) and equation.outs[0] in self.folded

    def is_read(self, out: Var) -> bool:
        return bool(self.used[out])

    def statement(self, equation: Equation, around: Span | None) -> Iterator[Stmt]:
        """`around`: the span of what the equation stands in."""
        around = equation.span or around
        match equation.op:
            case Apply() as op:
                yield from self.apply(equation, op, around)
            case If() if self.as_choice(equation):
                if self.is_read(out := equation.outs[0]):
                    yield ir.Assign(self.register(out), self.expression(equation), equation.span)
            case If() as op:
                yield from self.branches(op, equation.outs, around)
            case For() as op:
                yield from self.for_(equation, op, around)
            case While() as op:
                yield from self.while_(equation, op, around)
            case _:
                raise AssertionError("a call is left in a lane's program")

    def as_choice(self, equation: Equation) -> bool:
        """Whether an If is short enough to be an expression."""
        return (
            is_choice(equation, self.folded)
            and expression_size(self.expression(equation)) <= SELECT_OPERATIONS
        )

    def apply(self, equation: Equation, op: Apply, around: Span | None) -> Iterator[Stmt]:
        span = equation.span
        match op.primitive.kind:
            case Effect.CHECK | Effect.FAIL as kind:
                number = self.site(op.params["exception"], around)
                checked = kind is Effect.CHECK
                yield ir.Check(self.value(op.operands[0]), number, span) if checked else ir.Fail(number, span)
                return
            case _ if op.primitive.family == "random":
                yield from self.draw(equation, op)
                return
        (out,) = equation.outs
        match op.primitive.kind:
            case Made.EMPTY:
                pass
            case Same.COPY if out.type.rank:
                yield from self.moves([(out, op.operands[0])], span, now=False)
            case _ if not self.is_read(out):
                pass
            case Stream.SEEDED:
                yield ir.MakeStream(op, self.stream(out), tuple(map(self.value, op.operands)), span)
            case Made.FULL if out.type.rank:
                yield ir.Fill(self.array(out), self.value(op.operands[0]), span)
            case Access.WRITE | Access.ADD:
                yield from self.write(op, out, span)
            case _ if out.type.rank and (op.primitive.definition or is_of_matrices(op)):  # a library's
                given = tuple(self.array(o) for o in op.operands if isinstance(o, Var))
                yield ir.LibraryCall(self.array(out), op, given, span)
            case Product.MATRIX:
                yield self.matrix_vector(op, out, span)
            case _:
                assert not out.type.rank, f"{op.primitive.name} of arrays is left in a lane's program"
                yield self.assign(out, self.expression(equation), span)

    def assign(self, out: Var, value: Value, span: Span | None) -> ir.Assign:
        """A number's new value; of a long sum the terms may be taken in any order."""
        register = self.register(out)
        step = isinstance(value, ir.Operation) and value.op.primitive.kind in REASSOCIATED
        sum_ = step and register in self.sums and value.operands[0] == register  # type: ignore[union-attr]
        return ir.Assign(register, value, span, reassociated=sum_)

    def write(self, op: Apply, out: Var, span: Span | None) -> Iterator[Stmt]:
        array, value = op.operands[:2]
        yield from self.moves([(out, array)], span)
        if is_nowhere(op):
            return
        to, given = self.address(op, out), self.value(value)
        if op.primitive.kind is Access.WRITE:
            yield ir.Store(to, given, span)
        elif isinstance(given, ir.Operation) and given.op.primitive.kind is Arithmetic.NEG:
            yield ir.Accumulate(to, given.operands[0], True, span)
        else:
            yield ir.Accumulate(to, given, False, span)

    def matrix_vector(self, op: Apply, out: Var, span: Span | None) -> ir.MatrixVector:
        """A matrix times a vector (or the other way round) of one lane's own."""
        x, y = op.operands
        assert isinstance(x, Var) and isinstance(y, Var)
        matrix, vector = (x, y) if x.type.rank == 2 else (y, x)
        return ir.MatrixVector(self.array(out), self.array(matrix), self.array(vector), matrix is x, span)

    def draw(self, equation: Equation, op: Apply) -> Iterator[Stmt]:
        (stream, value), span = equation.outs, equation.span
        if self.is_read(stream):
            yield from self.moves([(stream, op.operands[0])], span)
        if value in self.folded:
            return
        given = tuple(map(self.value, op.operands))
        if value.type.rank:
            yield ir.DrawArray(op, self.array(value), given, span)
        else:
            out = self.register(value) if self.is_read(value) else Register(self.nobody, value.type)
            yield ir.Draw(op, out, given, span)

    # control

    def block(self, block: Block, outs: Sequence[Var], around: Span | None) -> Iterator[Stmt]:
        """The statements of a block, whose results go to `outs`."""
        last = next((e for e in reversed(block.equations) if not self.is_folded(e)), None)
        for equation in self.unfolded(block.equations):
            inner = self.passed(equation, block, outs) if equation is last else None
            if inner is not None and isinstance(equation.op, If):
                yield from self.branches(equation.op, inner, equation.span or around)
                return
            yield from self.statement(equation, around)
            if isinstance(equation.op, Apply) and equation.op.primitive.kind is Effect.FAIL:
                return
        yield from self.moves(zip(outs, block.results))

    def passed(self, equation: Equation, block: Block, outs: Sequence[Var]) -> tuple[Var, ...] | None:
        """Where the branches' results go when the block's last statement is an If, whose outs are the block's."""
        if not isinstance(equation.op, If) or self.as_choice(equation):
            return None
        onto = dict(zip(block.results, outs))
        if len(onto) != len(outs) or set(onto) != set(equation.outs):
            return None
        return tuple(onto[o] for o in equation.outs)

    def branches(self, op: If, outs: Sequence[Var], around: Span | None) -> Iterator[Stmt]:
        if self.selects and (few := self.few_moves(op, outs)):
            numbers = [(self.register(o), self.value(x), self.value(y)) for o, x, y in few if not o.type.rank]
            arrays = [(self.array(o), self.array(x), self.array(y)) for o, x, y in few if o.type.rank]
            yield from choices(self.value(op.test), numbers, arrays)
            return
        then, orelse = (tuple(self.block(b, outs, around)) for b in (op.then, op.orelse))
        yield ir.If(self.value(op.test), then, orelse)

    def few_moves(self, op: If, outs: Sequence[Var]) -> list[tuple[Var, Any, Any]]:
        """What is given, where the test holds and where not; nothing if the arms do more, or move no array or much."""
        if op.then.equations or op.orelse.equations:
            return []
        given = zip(outs, op.then.results, op.orelse.results, strict=True)
        found = [
            g for g in given if self.is_read(g[0]) and not all(self.stays(g[0], value) for value in g[1:])
        ]
        if any(o.type.dtype == "rng" or x in self.folded or y in self.folded for o, x, y in found):
            return []
        return (
            found
            if 0 < sum(element_count(o.type) for o, _, _ in found if o.type.rank) <= UNCONDITIONAL_COPIES
            else []
        )

    def for_(self, equation: Equation, loop: For, around: Span | None) -> Iterator[Stmt]:
        """In a long loop over an array's elements the terms of its sums and extremes may be taken in any order."""
        before, self.sums = self.sums, self.sums | self.in_any_order(loop)
        if self.looks and is_endless(loop, self.ranges):
            self.looking.add(loop)
        strips = loop in self.looking and may_be_stripped(loop)
        yield from self.moves(zip(loop.carried, loop.init))
        look = [ir.Look(equation.span or around)] if loop in self.looking and not strips else []
        depth = len(self.ranges.undo)
        self.ranges.loop_index(loop)
        body = (*look, *self.block(loop.body, loop.carried, around))
        self.ranges.leave(depth)
        index = Register(self.names[loop.index] if self.used[loop.index] else self.nobody, loop.index.type)
        fails, strip = may_stop(loop.body), UNPOLLED_ROUNDS if strips else 0
        start, stop = self.value(loop.start), self.value(loop.stop)
        yield ir.Loop(index, start, stop, loop.step, body, strip, fails, equation.span or around)
        yield from self.moves(zip(equation.outs, loop.carried))
        self.sums = before
        yield from self.left(loop)

    def in_any_order(self, loop: For) -> set[Register]:
        """The sums and extremes of a loop whose terms may be taken in any order."""
        sums = (p for p in loop.carried if not p.type.rank and p.type.dtype == "f8")
        found = set(map(self.register, sums)) if loop.kind == "parallel" and is_long(loop) else set()
        self.reorders |= bool(found)
        return found

    def while_(self, equation: Equation, loop: While, around: Span | None) -> Iterator[Stmt]:
        yield from self.moves(zip(loop.carried, loop.init))
        look = [ir.Look(equation.span or around)] if self.looks else []
        self.looking.update([loop] if self.looks else [])
        rest = list(self.unfolded(loop.cond.equations))
        head = tuple(s for e in rest for s in self.statement(e, around))
        test = self.value(loop.cond.results[0])
        body = tuple(self.block(loop.body, loop.carried, around))
        if rest:
            yield ir.While((*look, *head), test, body)
        else:
            yield ir.While((), test, (*look, *body))
        yield from self.moves(zip(equation.outs, loop.carried))
        yield from self.left(loop)

    def left(self, op: For | While) -> Iterator[Stmt]:
        """After a loop in which the lane may have stopped."""
        inner = (e.op for block in blocks(op) for e in equations(block))
        looks = op in self.looking or any(each in self.looking for each in inner)
        if not self.returns and (looks or any(may_stop(block) for block in blocks(op))):
            yield ir.LeaveIfFailed()

    # moves

    def moves(self, pairs: Iterable[Moved], span: Span | None = None, *, now: bool = True) -> Iterator[Stmt]:
        """Arrays, streams and numbers, all read before any is written. `now`: arrays too, whoever reads them."""
        pairs = [(o, a) for o, a in pairs if not self.stays(o, a)]
        numbers = [(o, a) for o, a in pairs if not o.type.rank and o.type.dtype != "rng" and self.is_read(o)]
        arrays = [(o, a) for o, a in pairs if o.type.rank and self.is_read(o)]
        over = {self.names[o] for o, _ in arrays}
        first = any(self.names.get(v) in over for _, a in numbers for v in named_reads(a, self.folded))
        if first:  # they are made of elements that are moved over
            yield from self.numbers(numbers, span)
        yield from self.copies(arrays, span, now)
        for out, value in pairs:
            if out.type.dtype == "rng":
                yield ir.CopyStream(self.stream(out), self.stream(value), span)
        if not first:
            yield from self.numbers(numbers, span)

    def copies(self, pairs: Sequence[Moved], span: Span | None, now: bool) -> Iterator[Stmt]:
        """Arrays of one size are moved together."""
        places = [(self.array(o), self.array(a)) for o, a in pairs if isinstance(a, Var)]
        by_row = [pair for pair in places if pair[0].layout is Layout.BY_ROW]
        if by_row:
            yield ir.Copy(tuple(by_row), now, span)
        rest = copies_by_size([pair for pair in places if pair not in by_row], now=now, span=span)
        yield from map(independent, rest) if self.selects else rest

    def stays(self, out: Var, value: Atom) -> bool:
        """Whether a value is in its slot already."""
        named = isinstance(value, Var) and value not in self.folded
        return named and self.names.get(out) == self.names[value]  # type: ignore[index]

    def stream(self, var: Atom) -> Register | Memory:
        assert isinstance(var, Var)
        return self.memory(var) or self.register(var)

    def numbers(self, pairs: Sequence[Moved], span: Span | None) -> Iterator[Stmt]:
        """One by one where no value is lost, else side by side (`a, b = b, a`)."""
        values = [(self.register(o), self.value(a)) for o, a in pairs]
        order, together = sequential_order(values)
        for k in order:
            yield self.assign(pairs[k][0], values[k][1], self.span_of(pairs[k][1], span))
        if together:
            registers, given = zip(*(values[k] for k in together), strict=True)
            yield ir.Move(registers, given, span)

    def span_of(self, atom: Atom, span: Span | None) -> Span | None:
        """The user's line of a moved value."""
        return self.folded[atom].span if isinstance(atom, Var) and atom in self.folded else span


def is_of_matrices(op: Apply) -> bool:
    """Whether an operation is a product of two matrices."""
    return op.primitive.kind is Product.MATRIX and all(o.type.rank == 2 for o in op.operands)


def expression_size(value: Value) -> int:
    """The operations of an expression; loads are none."""
    return sum(isinstance(node, ir.Operation | ir.Select) for node in nodes(value))


def unused_underscore(taken: set[str]) -> str:
    """The name of what nobody reads: an underscore, or more where the user has a variable of that name."""
    return next(word for k in range(1, len(taken) + 2) if (word := "_" * k) not in taken)
