"""Loops over steps of a grid run tile by tile, several steps at a time: tiles : Program -> Program.

    for _ in range(steps):             for first in range(0, steps, 10):
        u = step(u)            ->          for each tile, on several threads:
                                               new[tile] = 10 steps of u[tile and 10 places around it]
                                           u, new = new, u

Where an element is made of those around it (reach.py), a tile needs for a few steps what lies a little around it: that
stays in the second-level cache, and tiles do not wait for each other. What lies around is computed more than once. The
numbers are those of the loop, to the bit. (Overlapped tiling: Krishnamoorthy et al. 2007, "Effective automatic
parallelization of stencil computations".)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

from codegen import ir
from codegen.apart import opened
from codegen.build import I8, Builder
from codegen.grids.known import SMALLEST
from codegen.grids.reach import Reach, reach
from codegen.ir import (
    Apply,
    Block,
    Call,
    Dim,
    Equation,
    For,
    Function,
    If,
    Lit,
    Operation,
    Program,
    Var,
    While,
)
from codegen.names import unused
from codegen.primitives.index import Cut
from codegen.rename import brought, clone, free, substitute

AROUND = 10  # places around a tile, at most
CELLS = 2**15  # of a tile: a few arrays of as many numbers stay in the second-level cache
WIDTH, HEIGHT = 256, SMALLEST  # of a tile, at least
LARGE = 2**16  # cells of a grid that is worth it
CUT = Cut(start=True, stop=True)


def tiles(program: Program) -> Program:
    """`program` with the loops of its main function that allow it tile by tile, where the grid is large."""
    made = Tiled(program.main, dict(program.functions))
    body = made.block(program.entry.body)
    main = made.functions.pop(program.main)
    return ir.program({**made.functions, main.name: replace(main, body=body)}, program.main)


@dataclass(eq=False)
class Tiled:
    """The functions of a program, and those that run a few steps of a loop."""

    main: str
    functions: dict[str, Function] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        return replace(block, equations=tuple(each for e in block.equations for each in self.equation(e)))

    def equation(self, equation: Equation) -> Sequence[Equation]:
        op = equation.op
        match op:
            case If():
                op = replace(op, then=self.block(op.then), orelse=self.block(op.orelse))
            case While():
                op = replace(op, body=self.block(op.body))
            case For():
                found = reach(op)
                if found is not None and found.far * 2 <= AROUND:
                    names = (unused(f"{self.main}_{word}", self.functions) for word in ("steps", "tiles"))
                    return self.tiled(Steps(equation, op, found, *names))
                op = replace(op, body=self.block(op.body))
        return [replace(equation, op=op)]

    def tiled(self, loop: Steps) -> Sequence[Equation]:
        """The loop by tiles where its grid is large, else as it was."""
        self.functions |= {f.name: f for f in (loop.some_steps(), loop.all_tiles())}
        b = Builder(span=loop.equation.span, checked=False)
        test, inner = loop.worth(b), b.inner()
        then = inner.block(loop.by_tiles(inner))
        orelse = clone(Block((loop.equation,), loop.equation.outs))
        b.emit(loop.equation.outs, If(b.atom(test), then, orelse))
        return b.equations


@dataclass(frozen=True, eq=False)
class Steps:
    """A loop that is to be run by tiles, and the names of the functions for that."""

    equation: Equation
    loop: For
    found: Reach
    steps: str
    tiles: str

    @property
    def together(self) -> int:
        """Steps of a tile at a time."""
        return AROUND // max(self.found.far, 1)

    @property
    def around(self) -> int:
        """Places around a tile that it needs for them."""
        return self.together * self.found.far

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The sizes of the grid, as they are before the loop."""
        return self.loop.init[0].type.shape

    @cached_property
    def others(self) -> tuple[Var, ...]:
        """What the loop reads beside the arrays that it carries, but for sizes that arrays bring."""
        inside = [v for v in free(self.loop.body) if v is not self.loop.index and v not in self.loop.carried]
        arrays = (*self.loop.carried, *(v for v in self.loop.init if isinstance(v, Var)), *inside)
        own = brought(arrays)
        return tuple(v for v in inside if v not in own)

    @cached_property
    def alike(self) -> dict[Var, Var]:
        """What the sizes of all grids are: those of the first."""
        grids = (*self.loop.carried, *self.loop.init, *self.equation.outs, *self.found.pieces)
        return {d: n for v in grids for d, n in zip(v.type.shape, self.shape, strict=True) if d is not n}  # type: ignore[misc]

    def grids(self, name: str = "") -> tuple[Var, ...]:
        """Parameters for what the loop carries."""
        return tuple(Var(name or p.name, replace(p.type, shape=self.shape)) for p in self.loop.carried)

    # ---- functions ----

    def function(self, name: str, params: tuple[Var, ...], body: Block) -> Function:
        """A function for grids of one shape."""
        pieces = {v: Var(v.name, replace(v.type, shape=self.shape)) for v in self.found.pieces}
        params = tuple(pieces.get(p, p) for p in params)
        return clone(Function(name, params, substitute(body, {**self.alike, **pieces})))

    def some_steps(self) -> Function:
        """The loop as a function of what it carries, what else it reads, and where it starts and stops.

        Its checks hold, or the loop is not run by tiles.
        """
        grids, start, stop = self.grids(), Var("start", I8), Var("stop", I8)
        outs = tuple(Var(o.name, o.type) for o in self.equation.outs)
        loop = replace(self.loop, init=grids, start=start, stop=stop, body=unchecked(self.loop.body))
        body = Block((Equation(outs, loop, self.equation.span),), outs)
        return self.function(self.steps, (*grids, *self.others, start, stop), body)

    def all_tiles(self) -> Function:
        """A few steps of all tiles, from grids into new ones."""
        b = Builder(span=self.equation.span, checked=False)
        grids, new, start, stop = self.grids(), self.grids("new"), Var("start", I8), Var("stop", I8)
        counts = counts_of([b.size(n) for n in self.shape])

        def one(inner: Builder, tile: Any, whole: tuple[Any, ...]) -> tuple[Any, ...]:
            across = [inner.wrap(inner.atom(c)) for c in counts]
            numbers = [tile]
            if len(across) == 2:
                row = named(inner, tile // across[1], "row")
                numbers = [row, named(inner, tile % across[1], "column")]
            return self.one_tile(inner, list(zip(numbers, across, strict=True)), grids, whole, (start, stop))

        made = counted(b, (0, prod(counts), 1), tuple(map(b.wrap, new)), "tile", one, "threads")
        return self.function(self.tiles, (*grids, *self.others, *new, start, stop), b.block(made))

    def one_tile(
        self,
        b: Builder,
        place: Sequence[tuple[Any, Any]],
        grids: Sequence[Var],
        new: Sequence[Any],
        ends: tuple[Var, Var],
    ) -> tuple[Any, ...]:
        """The steps of one tile, which is written into the new grids; `place`: its number of how many, by axis."""
        own, wide, inside, sizes_ = [], [], [], []
        for (k, count), n, (one, other, size) in zip(place, map(b.size, self.shape), NAMES):
            low, high = named(b, k * n // count, one), named(b, (k + 1) * n // count, other)
            first = named(b, b.apply("maximum", low - self.around, 0), f"{one}_around")
            last = named(b, b.apply("minimum", high + self.around, n), f"{other}_around")
            own.append((low, high))
            wide.append((first, last))
            inside.append((low - first, high - first))
            sizes_.append(named(b, last - first, size))
        read = (*grids, *self.found.pieces)
        blank = tuple(b.apply("empty", *sizes_, dtype=v.type.dtype, name=v.name) for v in read)
        copies = dict(zip(read, moved(b, blank, None, tuple(map(b.wrap, read)), wide), strict=True))
        given = [copies.get(v, v) for v in self.others]
        made = self.called(b, self.steps, *(copies[g] for g in grids), *given, *ends)
        return moved(b, tuple(new), own, made, inside)

    # ---- the main function ----

    def worth(self, b: Builder) -> Any:
        """Whether the grid is large, all arrays are of its shape, and there is more than one step."""
        dims = [b.size(n) for n in self.shape]
        test = prod(dims) >= LARGE
        for n in dims if len(dims) > 1 else ():
            test = b.apply("and", test, n >= HEIGHT)
        for array in (*self.loop.init[1:], *self.found.pieces):
            for n, m in zip(self.shape, array.type.shape, strict=True):
                test = test if n is m else b.apply("and", test, b.apply("eq", n, m))
        asked = clone(self.found.before)
        b.equations += asked.equations
        for each in asked.results:
            test = b.apply("and", test, each)
        for size, number in self.found.above.items():
            test = b.apply("and", test, b.wrap(size) > number)
        return b.apply("and", test, b.wrap(self.loop.stop) - b.wrap(self.loop.start) > 1)

    def called(self, b: Builder, function: str, *given: Any) -> tuple[Any, ...]:
        """A call of one of the functions; of a tile's grid the sizes are its own."""
        types = [replace(o.type, shape=self.shape) for o in self.equation.outs]
        types = types if function == self.tiles else list(map(opened, types))
        outs = tuple(Var(o.name, t) for o, t in zip(self.equation.outs, types, strict=True))
        b.emit(outs, Call(function, tuple(map(b.atom, given))))
        return tuple(map(b.wrap, outs))

    def by_tiles(self, b: Builder) -> tuple[Any, ...]:
        """A few steps of all tiles, the next few, and so on: from one grid into another and back."""
        start, stop = b.wrap(self.loop.start), b.wrap(self.loop.stop)
        dims = [b.size(n) for n in self.shape]
        new, spare = (
            tuple(b.apply("empty", *dims, dtype=p.type.dtype, name=name) for p in self.loop.carried)
            for name in ("new", "spare")
        )
        last = b.apply("minimum", start + self.together, stop)
        grids = self.called(b, self.tiles, *self.loop.init, *self.others, *new, start, last)

        def turn(inner: Builder, first: Any, both: tuple[Any, ...]) -> tuple[Any, ...]:
            old, other = both[: len(grids)], both[len(grids) :]
            last = inner.apply("minimum", first + self.together, self.loop.stop)
            return (*self.called(inner, self.tiles, *old, *self.others, *other, first, last), *old)

        over = (start + self.together, stop, self.together)
        return counted(b, over, (*grids, *spare), "first", turn, "sequential")[: len(grids)]


def unchecked(block: Block) -> Block:
    """A block without its checks."""
    equations = (
        e for e in block.equations if not (isinstance(e.op, Apply) and e.op.primitive.name == "check")
    )
    return replace(block, equations=tuple(replace(e, op=within(e.op)) for e in equations))


def within(op: Operation) -> Operation:
    match op:
        case If():
            return replace(op, then=unchecked(op.then), orelse=unchecked(op.orelse))
        case For():
            return replace(op, body=unchecked(op.body))
    return op


# ---- values ----

NAMES = (("top", "bottom", "height"), ("left", "right", "width"))  # of a tile, by axis

Box = Sequence[tuple[Any, Any]]  # where it begins and ends along each axis


def counts_of(dims: Sequence[Any]) -> list[Any]:
    """How many tiles there are along each axis."""
    if len(dims) == 1:
        return [named(dims[0].builder, dims[0] // CELLS, "tiles")]
    b: Builder = dims[0].builder
    tall = b.apply("maximum", CELLS // b.apply("minimum", dims[1], WIDTH), HEIGHT)
    rows = b.apply("maximum", dims[0] // tall, 1, name="rows")
    return [rows, b.apply("maximum", dims[1] // WIDTH, 1, name="columns")]


def moved(
    b: Builder, into: tuple[Any, ...], there: Box | None, arrays: tuple[Any, ...], here: Box
) -> tuple[Any, ...]:
    """What is `here` in some arrays written where it is to be `there` (None: all over) in others, row by row."""
    if len(here) == 1:
        pairs = zip(into, arrays, strict=True)
        return tuple(put(b, x, there and there[0], y, here[0]) for x, y in pairs)

    def row(inner: Builder, i: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        start = i + here[0][0]
        own = (i,) if there is None else (i + there[0][0], *there[1])
        return tuple(put(inner, x, own, y, (start, *here[1])) for x, y in zip(values, arrays, strict=True))

    top, bottom = here[0]
    return counted(b, (0, bottom - top, 1), into, "i", row, "sequential")


def put(b: Builder, into: Any, there: Sequence[Any] | None, array: Any, here: Sequence[Any]) -> Any:
    """A slice of an array (a row's, after the number of the row) written into another."""
    spec: dict[int, tuple[Any, ...]] = {0: (":",), 1: ("i",), 2: (CUT,), 3: ("i", CUT)}
    part = b.apply("index", array, *here, spec=spec[len(here)])
    own = there or ()
    return b.apply("update", into, part, *own, spec=spec[len(own)])


def named(b: Builder, value: Any, name: str) -> Any:
    """A value that has just been made, by a name."""
    made = Var(name, value.type)
    assert b.equations[-1].outs == (value.atom,)
    b.equations[-1] = replace(b.equations[-1], outs=(made,))
    return b.wrap(made)


def counted(
    b: Builder,
    over: tuple[Any, Any, int],
    init: tuple[Any, ...],
    name: str,
    body: Callable[[Builder, Any, tuple[Any, ...]], tuple[Any, ...]],
    kind: str,
) -> tuple[Any, ...]:
    """A loop over a range that carries arrays, first `init`."""
    index, inner = Var(name, I8), b.inner()
    carried, outs = (tuple(Var(v.atom.name, v.type) for v in init) for _ in range(2))
    made = body(inner, inner.wrap(index), tuple(map(inner.wrap, carried)))
    atoms = tuple(b.atom(v) for v in init)
    start, stop = (Lit(n, I8) if isinstance(n, int) else b.atom(n) for n in over[:2])
    b.emit(outs, For(index, start, stop, over[2], carried, atoms, inner.block(made), kind))
    return tuple(map(b.wrap, outs))
