"""How far around its own place an iteration looks: loop_reach : For -> Reach | None.

    for _ in range(steps):
        u[1:-1] = u[1:-1] + a * (u[2:] - 2.0 * u[1:-1] + u[:-2])          1: an element and its neighbours

What such a loop makes of a piece of its arrays alone is right but for what lies within `steps` times that of where
the piece was cut off. (At the arrays' own ends it does there what it does to the whole.)

The body is run on what is known of its values: of an array from which places of the grid each element comes, of an int
whether it is a size of the grid, a place in it, or neither. Who asks for anything else is `Far`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce

from codegen.cost_model import SMALLEST_EDGE, WIDEST_BORDER
from codegen.ir import Apply, Atom, Block, Equation, For, If, Lit, Var
from codegen.ir.kinds import Access, Arithmetic, Effect, Joined, Logic, Made, Relation, Same
from codegen.ir.substitution import blocks, free, reads
from codegen.loops.tiling.grids import Grids
from codegen.loops.tiling.places import (
    Above,
    Along,
    Far,
    Field,
    Holds,
    IntRange,
    Known,
    Length,
    Plain,
    Spot,
    Turn,
    add_ints,
    known_of_both,
    of_sizes,
)

ROUNDS = 4  # until what a loop carries no longer changes


@dataclass(frozen=True)
class Reach:
    """How far, along any axis, and what must be so: `pieces`, which are only read, are of the grid's shape too, the
    tests that end `before`, equations that come before the loop, hold, and sizes are `above` a number. Along the axes
    that are `round` the last place is next to the first."""

    far: int
    pieces: tuple[Var, ...]
    before: Block
    above: Mapping[Var, int]
    round: frozenset[int]


def loop_reach(loop: For) -> Reach | None:
    """How far a loop looks; None where that is not known, or it does anything but make arrays of arrays."""
    ranks = {p.type.rank for p in loop.carried}
    if loop.step != 1 or len(ranks) != 1 or not ranks <= {1, 2}:
        return None
    look = AbstractRun(ranks.pop())
    try:
        return look.loop(loop)
    except Far:
        return None


@dataclass(eq=False)
class AbstractRun(Grids):
    """The body of a loop over grids of some rank, as it is run on what is known."""

    tests: dict[Atom, None] = field(default_factory=dict)  # what must hold, whatever the place
    above: dict[Var, int] = field(default_factory=dict)  # sizes of others, and what they must be above

    def loop(self, loop: For) -> Reach:
        arrays = [v for v in free(loop.body) if v.type.rank == self.rank and v not in loop.carried]
        self.tables = {v for v in arrays if is_table(loop.body, v, {loop.index})}
        outside = [v for v in arrays if v not in self.tables]
        for array in (*loop.carried, *loop.init, *outside):
            if len({d for d in array.type.shape if isinstance(d, Var)}) < self.rank:
                raise Far
            for axis, d in enumerate(array.type.shape):
                assert isinstance(d, Var)
                if self.known.setdefault(d, Length(axis)) != Length(axis):
                    raise Far
        self.known |= dict.fromkeys(loop.carried, self.grid)
        self.known[loop.index] = Plain()
        self.block(loop.body)
        far = 0
        for made in map(self.value, loop.body.results):
            if not isinstance(made, Field) or made.axes != self.grid.axes:
                raise Far
            for along in made.grid:
                if not isinstance(along, Along) or along.less:
                    raise Far
                far = max(far, -along.low, along.high)
        if any(v not in self.given for v in outside) or self.round & self.ends:
            raise Far  # of an array that is not read the sizes were taken for the grid's
        return Reach(far, tuple(self.given), self.before(loop), self.above, frozenset(self.round))

    def before(self, loop: For) -> Block:
        """What the loop's checks ask that is the same in every step."""
        made = {out: e for e in loop.body.equations for out in e.outs}
        wanted: dict[Equation, None] = {}
        todo: list[Atom] = list(self.tests)
        while todo:
            atom = todo.pop()
            if atom is loop.index or atom in loop.carried:
                raise Far
            if atom in made and made[atom] in wanted:
                continue
            if atom in made:
                equation = made[atom]
                if not isinstance(equation.op, Apply) or equation.op.primitive.family != "elementwise":
                    raise Far
                wanted[equation] = None
                todo += equation.op.operands
            elif isinstance(atom, Var) and atom in self.known:
                raise Far
        return Block(tuple(e for e in loop.body.equations if e in wanted), tuple(self.tests))

    def block(self, block: Block) -> None:
        for equation in block.equations:
            match equation.op:
                case Apply() as op:
                    self.made |= dict.fromkeys(equation.outs, op)
                    made = self.apply(equation, op)
                    self.known.update((out, made) for out in equation.outs if made is not None)
                case If() as op:
                    self.branch(equation, op)
                case For() as op:
                    self.inner(equation, op)
                case _:
                    raise Far
            self.bring(equation.outs)

    # ---- primitives ----

    def apply(self, equation: Equation, op: Apply) -> Known | None:
        kind, operands = op.primitive.kind, op.operands
        if kind is Effect.CHECK:
            match self.value(operands[0]):
                case Plain():
                    self.tests[operands[0]] = None
                case Above(size, number):
                    self.above[size] = max(number, self.above.get(size, number))
                case Holds():
                    pass
                case _:
                    raise Far
            return None
        match kind:
            case Access.READ:
                return self.read(op)
            case Access.WRITE | Access.ADD:
                return self.write(equation.outs[0], op)
            case Joined.CONCATENATE:
                return self.join(operands, op.params["axis"])
            case Same.COPY:
                return self.array_or_number(operands[0])
            case Made.EMPTY:
                return self.blank(operands)
            case Made.FULL | Same.BROADCAST if isinstance(self.value(operands[0]), Plain | IntRange):
                return self.blank(operands[1:])
        if op.primitive.family != "elementwise":
            raise Far
        if kind is Relation.LT and isinstance(operands[1], Var) and operands[1] not in self.known:
            few = self.value(operands[0])
            if isinstance(few, IntRange) and operands[1].type.dtype == "i8" and not operands[1].type.rank:
                return Above(operands[1], few.high)
        return self.elementwise(kind, [self.array_or_number(o) for o in operands])

    def blank(self, dims: Sequence[Atom]) -> Field:
        """A new array of the grid's shape, or smaller by a little."""
        found = [n for n in map(self.value, dims) if isinstance(n, Length)]
        if len(dims) != self.rank or tuple(n.axis for n in found) != self.grid.axes:
            raise Far
        return Field(tuple(Along(less=n.less) for n in found), self.grid.axes)

    def elementwise(self, kind: Enum | None, values: Sequence[Known]) -> Known:
        if all(isinstance(v, IntRange) for v in values) and kind in (Arithmetic.ADD, Arithmetic.SUB):
            return add_ints(kind, *values)
        if all(isinstance(v, Plain | IntRange) for v in values):
            return Plain()
        match kind, values:
            case (
                (Arithmetic.MOD | Arithmetic.ADD | Arithmetic.SUB),
                [Spot(axis, low=low, high=high) | Turn(axis, low, high), Length(own, 0)],
            ) if own == axis:  # n places further is the same place
                return Turn(axis, low, high)
        if any(isinstance(v, Spot | Turn) for v in values):
            if len(values) != 2:
                raise Far
            return self.compared(kind, *values) if isinstance(kind, Relation) else add_ints(kind, *values)
        if any(isinstance(v, Length) for v in values):
            return of_sizes(kind, *values)
        if all(isinstance(v, Holds) for v in values) and kind is Logic.AND:
            return Holds()
        plain: list[Known] = [Plain() if isinstance(v, Holds) else v for v in values]
        return reduce(known_of_both, plain)

    def compared(self, kind: Relation, a: Known, b: Known) -> Field | Holds:
        """A place with another int: always so, or a matter of how near an end of the grid one is."""
        if not isinstance(a, Spot):
            kind, a, b = kind.swapped, b, a
        if not isinstance(a, Spot):
            raise Far
        match b:
            case IntRange(_, high):
                if a.first + a.low - high >= {Relation.GE: 0, Relation.GT: 1}.get(
                    kind, WIDEST_BORDER + SMALLEST_EDGE
                ):
                    return Holds()
                along = Along(low=min(a.low - high - (kind not in (Relation.LT, Relation.GE)), 0))
            case Length(axis, less) if axis == a.axis:
                if a.less - a.high - less >= {Relation.LT: 0, Relation.LE: -1}.get(
                    kind, WIDEST_BORDER + SMALLEST_EDGE
                ):
                    return Holds()
                along = Along(high=max(a.high + less, 0))
            case _:
                raise Far
        self.ends.add(a.axis)
        return Field(tuple(along if k == a.axis else Along() for k in self.grid.axes))

    # ---- control ----

    def branch(self, equation: Equation, op: If) -> None:
        """What either side gives, and where it depends on the place what the test saw too."""
        test = self.value(op.test)
        if not isinstance(test, Plain | Field | Holds):
            raise Far
        for side, holds in ((op.then, True), (op.orelse, False)):
            index, first = self.later(op.test, holds)
            before = self.known.get(index) if index is not None else None
            if index is not None and isinstance(before, Spot):
                self.known[index] = replace(before, first=max(before.first, first))
            self.block(side)
            if index is not None and before is not None:
                self.known[index] = before
        for out, *sides in zip(equation.outs, op.then.results, op.orelse.results, strict=True):
            made = known_of_both(*(self.value(s) for s in sides))
            if out.type.rank and isinstance(test, Field):
                raise Far
            self.known[out] = known_of_both(made, test) if isinstance(test, Field) else made

    def later(self, test: Atom, holds: bool) -> tuple[Var | None, int]:
        """An index that is at least an int where a test gives this: i > 0 says that i - 1 is not the other end."""
        made = self.made.get(test)
        if made is None or not isinstance(made.primitive.kind, Relation):
            return None, 0
        kind, (index, bound) = made.primitive.kind, made.operands
        if not isinstance(index, Var):
            kind, index, bound = kind.swapped, bound, index
        spot, least = self.known.get(index), self.value(bound)  # type: ignore[arg-type]
        if not isinstance(index, Var) or not isinstance(spot, Spot) or not isinstance(least, IntRange):
            return None, 0
        if spot.low or spot.high or least.low != least.high:
            return None, 0
        kind = kind if holds else kind.negated
        above = {Relation.GT: 1, Relation.GE: 0}
        if least.low == spot.first:
            above |= {Relation.NE: 1}
        return (index, least.low + above[kind]) if kind in above else (None, 0)

    def inner(self, equation: Equation, loop: For) -> None:
        """A loop over places of the grid, or over a few ints."""
        index = self.counter(loop)
        over = isinstance(index, Spot)
        if over and not all(p.type.rank for p in loop.carried):
            raise Far
        values = [self.value(a) for a in loop.init]
        self.known[loop.index] = index
        for p, out, first in zip(loop.carried, equation.outs, loop.init, strict=True):
            if over:
                self.open.add(p)
            if first in self.open:
                self.open |= {p, out}
        for _ in range(ROUNDS):
            self.known.update(zip(loop.carried, values, strict=True))
            self.block(loop.body)
            after = [known_of_both(a, self.value(r)) for a, r in zip(values, loop.body.results, strict=True)]
            if after == values:
                break
            values = after
        else:
            raise Far
        self.known.update(zip(equation.outs, values, strict=True))

    def counter(self, loop: For) -> Known:
        """What a loop's index is."""
        if loop.step != 1:
            raise Far
        match self.value(loop.start), self.value(loop.stop):
            case IntRange(first, same), Length(axis, less) if first == same and 0 <= first <= WIDEST_BORDER:
                if first or less:
                    self.ends.add(axis)
                return Spot(axis, first, less)
            case IntRange(low, _), IntRange(_, high) if low < high:
                return IntRange(low, high - 1)
            case ((Plain() | IntRange()), (Plain() | IntRange())):
                return Plain()
        raise Far


def is_table(block: Block, array: Var, few: Collection[Atom]) -> bool:
    """Whether of an array only numbers are read, at places that are made of literals and `few` ints."""
    few = set(few)
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Apply) and array in op.operands:
            given, spec = op.operands[1:], op.params.get("spec", ())
            if op.primitive.kind is not Access.READ or {*spec} != {"i"} or len(spec) < array.type.rank:
                return False
            if not all(isinstance(g, Lit) or g in few for g in given):
                return False
        elif array in reads(op):
            return False
        elif isinstance(op, Apply) and op.primitive.kind in (Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MUL):
            made = all(isinstance(o, Lit) or o in few for o in op.operands)
            few.update(equation.outs if made else ())
        short = isinstance(op, For) and isinstance(op.start, Lit) and isinstance(op.stop, Lit)
        inner = {*few, op.index} if short else few  # type: ignore[union-attr]
        if not all(is_table(b, array, inner) for b in blocks(op)):
            return False
    return array not in block.results
