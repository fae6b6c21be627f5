"""Statements of one lane of a group: the lane printer with lanes innermost in memory.

    F[ENERGY + lane]                 a number that outlives its block: a row of the group's floats
    F[MOMENTUM + 3 * LS + lane]      element 3 of a lane's array: row 3 of its rows
    S[SIGMA + 3]                     element 3 of an array that all lanes share
    record[lane, 3]                  element 3 of a lane's large array

A block is a function of one lane. It loads what it reads, and returns the number of the block where the lane goes on,
having stored what is needed there; a lane that fails goes to the end. Where lanes go side by side, one that fails goes
on with the others to the end of the block, since no vectors come of loops that are left: `fault` is what failed first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from autobatch.machine.groups.layout import Place
from autobatch.machine.printer import LanePrinter, LaneSpelling, count
from autobatch.machine.slots import Slots
from codegen.emit.spelling import ATOM, Text, number, operator
from codegen.emit.statements import Finish, Moves
from codegen.ir import Apply, Block, Equation, For, If, Lit, Type, Var, While


class GroupSpelling(LaneSpelling):
    """Quotients by products where `reciprocal` gives the text of a divisor's; `straight`: what has no branches."""

    def __init__(
        self,
        reciprocal: Callable[[Apply], str | None],
        straight: Callable[[Apply, Sequence[Text]], Text | None],
    ):
        super().__init__()
        self.reciprocal, self.straight = reciprocal, straight

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        if not out.rank and (found := self.straight(op, args)) is not None:
            return found
        if op.primitive.name != "div" or (inverse := self.reciprocal(op)) is None:
            return super().apply(op, args, out)
        self.wanted["fast_quotient"] = None
        return f"fast_quotient({args[0][0]}, {args[1][0]}, {inverse})", ATOM


class GroupPrinter(LanePrinter):
    """`homes`: slot name -> place, of arrays and of scalars that outlive a block.

    `quotients`: divisions by what is known beforehand; `inverse`: the constant of the reciprocals of an array in S.
    """

    side_by_side = False  # what is being printed is for all lanes of a group
    faulty = False  # and there was a check in it

    def __init__(
        self,
        slots: Slots,
        homes: Mapping[str, Place],
        fixed: Collection[Var],
        *,
        end: int,
        quotients: Mapping[Apply, Lit | Apply],
        inverse: Callable[[str], str],
    ):
        super().__init__(slots, {}, fixed, end=end)
        self.spelling = GroupSpelling(self.reciprocal, self.straight)
        self.homes, self.quotients, self.inverse = homes, quotients, inverse
        self.quote = True

    def reciprocal(self, division: Apply) -> str | None:
        """That of the divisor, where it is at hand and the division is one of all lanes of a group."""
        divisor = self.quotients.get(division) if self.side_by_side else None
        if divisor is None:
            return None
        if isinstance(divisor, Lit):
            return number(1.0 / float(divisor.value))[0]
        array = divisor.operands[0]
        assert isinstance(array, Var)
        home = self.home(array)
        if home is None or home.kind != "shared":
            return None
        place = replace(home, first=self.inverse(home.first))
        return place.element(self.offset(array.type, self.wrapped(divisor, array.type)))

    # places

    def home(self, var: Var) -> Place | None:
        return self.homes.get(self.names.get(var, ""))

    def placed(self, var: Var) -> tuple[str, str, Type] | None:
        home = self.home(var)
        return None if home is None else (home.memory, home.first, home.type)

    def at(self, var: Var, index: str) -> str:
        home = self.home(var)
        assert home is not None
        return home.element(index)

    def expression(self, equation: Equation) -> Text:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.name == "index":
            array = op.operands[0]
            assert isinstance(array, Var)
            if self.home(array) is not None:
                return self.at(array, self.offset(array.type, self.wrapped(op, array.type))), ATOM
        return super().expression(equation)

    def chain(self, left: Lit | Var, right: Lit | Var) -> Text | None:
        return None if self.side_by_side else super().chain(left, right)

    def straight(self, op: Apply, args: Sequence[Text]) -> Text | None:
        """Choices of lanes side by side, none of which are branches.

        `and` would look at its second condition in some lanes only, `x if test else y` at one of two places in memory.
        """
        name = op.primitive.name
        if not self.side_by_side:
            return None
        if name in ("and", "or") and all(o.type.dtype == "b1" for o in op.operands):
            return operator("&" if name == "and" else "|", args)
        if name == "select" and any("[" in text for text, _ in args[1:]):
            return f"select({', '.join(text for text, _ in args)})", ATOM
        return None

    def moves(self, pairs: Sequence[tuple[Var, Lit | Var]]) -> None:
        """As any moves; a stream is 13 words of the group's."""
        streams = [(o, v) for o, v in pairs if o.type.dtype == "rng" and not self.same_slot(o, v)]
        for out, value in streams:
            assert isinstance(value, Var)
            self.line("for k in range(13):")
            self.line(f"    R[{self.stream_at(out)} + k] = R[{self.stream_at(value)} + k]")
        super().moves([pair for pair in pairs if pair not in streams])

    def plain(self, atom: Lit | Var) -> str:
        if isinstance(atom, Var) and atom.type.dtype == "rng":
            return f"R, {self.stream_at(atom)}"
        return super().plain(atom)

    def stream_at(self, stream: Var) -> str:
        return f"{self.homes[self.names[stream]].first} + 16 * lane"

    # conditions

    def branches(self, equation: Equation, op: If, finish: Finish) -> None:
        """As any; but where the arms only move arrays, from or to one place or another, the place is chosen.

        A compiler would make one copy of such arms too, but with every element's place chosen by itself.
        """
        moved = None if self.side_by_side else self.either(op, finish)
        if not moved:
            super().branches(equation, op, finish)
            return
        self.place_copies(moved)

    def place_copies(self, pairs: Sequence[tuple[Place, Place]]) -> None:
        """Arrays copied, to and from places."""
        self.copies([(count(to.type), to.element("k"), place.element("k")) for to, place in pairs])

    def either(self, op: If, finish: Finish) -> list[tuple[Place, Place]] | None:
        """The moves of arrays, to and from, that both arms are but for their places; None if they are more."""
        test = self.plain(op.test)
        then, orelse = (self.array_places(block, finish) for block in (op.then, op.orelse))
        if not test.isidentifier() or then is None or orelse is None or len(then) != len(orelse):
            return None
        moved = []
        for (to, source), (other_to, other_source) in zip(then, orelse, strict=True):
            target, place = one_of(test, to, other_to), one_of(test, source, other_source)
            if target is None or place is None:
                return None
            moved.append((target, place))
        return moved

    def array_places(self, block: Block, finish: Finish) -> list[tuple[Place, Place]] | None:
        """The moves of arrays that a block is, to and from; None if it is more."""
        if not isinstance(finish, Moves) or not all(map(self.is_folded, block.equations)):
            return None
        places = []
        for to, value in self.moving(list(zip(finish.outs, block.results, strict=True))):
            place = self.home(value) if to.type.rank and isinstance(value, Var) else None
            if place is None or self.home(to) is None:
                return None
            places.append((self.homes[self.names[to]], place))
        return places

    # ends of a lane

    def begins(self, loop: For | While) -> None:
        if not self.side_by_side:
            super().begins(loop)

    def for_(self, equation: Equation, loop: For) -> None:
        self.looks = not self.side_by_side
        super().for_(equation, loop)

    def leave(self, number: int) -> None:
        self.line(f"I[FAILED + lane] = {number}")
        self.line("return END")

    def leave_if(self, test: str, number: int) -> None:
        if not self.side_by_side:
            super().leave_if(test, number)
            return
        self.faulty = True
        self.line(f"fault = select((fault == 0) & ({test}), {number}, fault)")

    def denied(self, test: Lit | Var) -> str:
        return str(not test.value) if isinstance(test, Lit) else super().denied(test)

    def left(self, op: For | While) -> None:
        """A lane that stopped in a loop has left its block."""

    def draw(self, equation: Equation, op: Apply) -> None:
        value = equation.outs[1]
        home = self.home(value) if value.type.rank else None
        if home is None:
            super().draw(equation, op)
            return
        self.moves([(equation.outs[0], op.operands[0])] if self.wanted(equation.outs[0]) else [])
        name = op.primitive.name
        given = [self.plain(o) for o in op.operands[: 3 if name == "draw_integers" else 1]]
        self.line(f"for k in range({count(value.type)}):")
        self.line(f"    {home.element('k')} = {name}({', '.join(given)})")

    def product(self, equation: Equation, op: Apply) -> None:
        """A matrix times a vector (or the other way round), element by element of the result."""
        out = equation.outs[0]
        x, y = op.operands
        assert isinstance(x, Var) and isinstance(y, Var)
        matrix, vector = (x, y) if x.type.rank == 2 else (y, x)
        rows, columns = (int(n) for n in matrix.type.shape if isinstance(n, int))
        flat, places = (f"k * {columns} + j", "k, j") if matrix is x else (f"j * {columns} + k", "j, k")
        outer, inner = (rows, columns) if matrix is x else (columns, rows)
        self.line(f"for k in range({outer}):")
        self.line("    total = 0.0")
        self.line(f"    for j in range({inner}):")
        self.line(f"        total += {self.cell(matrix, flat, places)} * {self.cell(vector, 'j', 'j')}")
        self.line(f"    {self.at(out, 'k')} = total")

    # loads and stores of what outlives a block

    def load(self, slot: str) -> None:
        home = self.homes[slot]
        nonzero = " != 0" if home.type.dtype == "b1" else ""
        self.line(f"{slot} = {home.element('0')}{nonzero}")

    def store(self, slot: str) -> None:
        self.line(f"{self.homes[slot].element('0')} = {slot}")

    def save(self, var: Var, stack: str, top: str, at: int) -> None:
        place = top if at == 0 else f"{top} + {at}"
        if not var.type.rank:
            self.line(f"{stack}[lane, {place}] = {self.names[var]}")
            return
        self.line(f"for k in range({count(var.type)}):")
        self.line(f"    {stack}[lane, {place} + k] = {self.at(var, 'k')}")

    def restore(self, var: Var, stack: str, top: str, at: int) -> None:
        place = top if at == 0 else f"{top} + {at}"
        if not var.type.rank:
            dtype = " != 0" if var.type.dtype == "b1" else ""
            self.line(f"{self.names[var]} = {stack}[lane, {place}]{dtype}")
            return
        self.line(f"for k in range({count(var.type)}):")
        self.line(f"    {self.at(var, 'k')} = {stack}[lane, {place} + k]")


def one_of(test: str, then: Place, orelse: Place) -> Place | None:
    """The place of an array that is in one or another of the same memory."""
    if then == orelse:
        return then
    if then.kind not in ("rows", "cold") or replace(orelse, first=then.first) != then or not orelse.first:
        return None
    return replace(then, first=f"({then.first} if {test} else {orelse.first})")
