"""Loops over steps of a grid run tile by tile, several steps at a time: tiles : Program -> Program.

    for _ in range(steps):             for first in range(0, steps, 10):
        u = step(u)            ->          seams = u within 10 places of where tiles meet
                                           for each tile, on several threads:
                                               u[tile] = 10 steps of u[tile] and what seams have around it

Where an element is made of those around it (dependence_distance.py), a tile needs for a few steps what lies a little
around it: that stays in the second-level cache, and tiles do not wait for each other. What lies around is computed
more than once. The numbers are those of the loop, to the bit. (Overlapped tiling: Krishnamoorthy et al. 2007,
"Effective automatic parallelization of stencil computations".) With the seams apart (halo.py), tiles are written
where they were read: with a second grid an allocator gave both back to the system after every call, and their pages
took 5 of 18 ms for fifty steps of 1,024 x 1,024.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from codegen import ir
from codegen.cost_model import SMALLEST_EDGE, TILED_CELLS, WIDEST_HALO
from codegen.emit.coalescing import unused_spelling
from codegen.ir import Block, Call, Dim, Equation, For, Function, If, Program, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.substitution import brought, clone, free, substitute
from codegen.ir.traversal import with_outer_loops
from codegen.loops.first_failure import unchecked
from codegen.loops.nests import Values
from codegen.loops.tiling.dependence_distance import Reach, loop_reach
from codegen.loops.tiling.halo import Tile, Tiling, array_loop
from codegen.recursion.entry_point import with_new_sizes


def tiles(program: Program) -> Program:
    """`program` with the loops of its main function that allow it tile by tile, where the grid is large."""
    functions = dict(program.functions)

    def tiled(equation: Equation, op: For, again: bool) -> Sequence[Equation] | None:
        """A loop by tiles where its grid is large, else as it was."""
        found = loop_reach(op)
        if found is None or found.far * 2 > WIDEST_HALO:
            return None
        names = (unused_spelling(f"{program.main}_{word}", functions) for word in ("steps", "seams", "tiles"))
        loop = Steps(equation, op, found, *names)
        functions.update((f.name, f) for f in loop.made())
        b = Builder(span=equation.span, checked=False)
        test, inner = loop.worth(b), b.inner()
        then = inner.block(loop.by_tiles(inner))
        orelse = clone(Block((equation,), equation.outs))
        b.emit(equation.outs, If(b.atom(test), then, orelse))
        return b.equations

    body = with_outer_loops(program.entry.body, tiled)
    main = functions.pop(program.main)
    return ir.program({**functions, main.name: replace(main, body=body)}, program.main)


@dataclass(frozen=True, eq=False)
class Steps:
    """A loop that is to be run by tiles, and the names of the functions for that."""

    equation: Equation
    loop: For
    found: Reach
    steps: str
    seams: str
    tiles: str

    @property
    def together(self) -> int:
        """Steps of a tile at a time."""
        return WIDEST_HALO // max(self.found.far, 1)

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

    def grids(self) -> tuple[Var, ...]:
        """Parameters for what the loop carries."""
        return tuple(Var(p.name, replace(p.type, shape=self.shape)) for p in self.loop.carried)

    def seam_grids(self) -> tuple[Var, ...]:
        """Parameters for the seams, grid by grid and axis by axis."""
        if not self.around:
            return ()
        names = ("seams",) if len(self.shape) == 1 else ("row_seams", "column_seams")
        return tuple(
            Var(name, replace(p.type, shape=(*self.shape[:axis], Var("n", SIZE), *self.shape[axis + 1 :])))
            for p in self.loop.carried
            for axis, name in enumerate(names)
        )

    def tiling(self, b: Builder) -> Tiling:
        return Tiling([b.size(n) for n in self.shape], self.around, self.found.round)

    # ---- functions ----

    def made(self) -> Iterator[Function]:
        yield self.some_steps()
        if self.around:
            yield self.all_seams()
        yield self.all_tiles()

    def function(self, name: str, params: tuple[Var, ...], body: Block) -> Function:
        """A function for grids of one shape."""
        pieces = {v: Var(v.name, replace(v.type, shape=self.shape)) for v in self.found.pieces}
        params = tuple(pieces.get(p, p) for p in params)
        return clone(Function(name, params, substitute(body, {**self.alike, **pieces})))

    def some_steps(self) -> Function:
        """The loop as a function of what it carries, what else it reads, and where it starts and stops.

        Its checks hold, or the loop is not run by tiles.
        """
        grids, start, stop = self.grids(), Var("start", SIZE), Var("stop", SIZE)
        outs = tuple(Var(o.name, o.type) for o in self.equation.outs)
        loop = replace(self.loop, init=grids, start=start, stop=stop, body=unchecked(self.loop.body))
        body = Block((Equation(outs, loop, self.equation.span),), outs)
        return self.function(self.steps, (*grids, *self.others, start, stop), body)

    def all_seams(self) -> Function:
        """The seams, of grids as they are."""
        b = Builder(span=self.equation.span, checked=False)
        grids, seams = self.grids(), self.seam_grids()

        def one(tile: Tile, into: Values) -> Values:
            return tile.kept(tuple(map(tile.b.wrap, grids)), into)

        made = self.tiling(b).each(b, tuple(map(b.wrap, seams)), one)
        return self.function(self.seams, (*grids, *seams), b.block(made))

    def all_tiles(self) -> Function:
        """A few steps of all tiles."""
        b = Builder(span=self.equation.span, checked=False)
        grids, seams, start, stop = self.grids(), self.seam_grids(), Var("start", SIZE), Var("stop", SIZE)

        def one(tile: Tile, whole: Values) -> Values:
            inner, read = tile.b, (*grids, *self.found.pieces)
            sizes = [s.size for s in tile.sides]
            blank = [inner.apply("empty", *sizes, dtype=v.type.dtype, name=v.name) for v in read]
            around = tile.read(blank[: len(grids)], whole, tuple(map(inner.wrap, seams)))
            others = tile.wide(blank[len(grids) :], tuple(map(inner.wrap, self.found.pieces)))
            copies = dict(zip(read, (*around, *others), strict=True))
            given = [copies.get(v, v) for v in self.others]
            made = self.called(inner, self.steps, *around, *given, start, stop)
            return tile.written(whole, made)

        made = self.tiling(b).each(b, tuple(map(b.wrap, grids)), one)
        return self.function(self.tiles, (*grids, *self.others, *seams, start, stop), b.block(made))

    # ---- the main function ----

    def worth(self, b: Builder) -> Any:
        """Whether the grid is large, all arrays are of its shape, and there is more than one step."""
        dims = [b.size(n) for n in self.shape]
        test = prod(dims) >= TILED_CELLS
        for n in dims if len(dims) > 1 else ():
            test = b.apply("and", test, n >= SMALLEST_EDGE)
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

    def called(self, b: Builder, function: str, *given: Any) -> Values:
        """A call of one of the functions; of a tile's grid the sizes are its own."""
        wanted = self.seam_grids() if function == self.seams else self.grids()
        types = [v.type if function == self.tiles else with_new_sizes(v.type) for v in wanted]
        outs = tuple(Var(v.name, t) for v, t in zip(wanted, types, strict=True))
        b.emit(outs, Call(function, tuple(map(b.atom, given))))
        return tuple(map(b.wrap, outs))

    def by_tiles(self, b: Builder) -> Values:
        """A few steps of all tiles, the next few, and so on."""
        count, seams = len(self.loop.carried), self.seam_grids()
        sizes = self.tiling(b).seam_sizes() if seams else ()
        blank = [
            b.apply("empty", *shape, dtype=v.type.dtype, name=v.name)
            for v, shape in zip(seams, sizes * count, strict=True)
        ]

        def turn(inner: Builder, first: Any, both: Values) -> Values:
            grids, seams = both[:count], both[count:]
            last = inner.apply("minimum", first + self.together, self.loop.stop)
            if seams:
                seams = self.called(inner, self.seams, *grids, *seams)
            return (*self.called(inner, self.tiles, *grids, *self.others, *seams, first, last), *seams)

        over = (self.loop.start, self.loop.stop, self.together)
        arrays = (*map(b.wrap, self.loop.init), *blank)
        return array_loop(b, over, arrays, "first", turn, "sequential")[:count]
