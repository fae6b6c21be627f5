"""A grid in tiles: where each begins and ends, what it reads around it, and how that is moved.

    seams   what lies up to `around` places from where tiles meet, as it was before any tile is written; where tiles
            meet along axis k, in an array whose axis k has 2 * around places for each such line (or row, or column)

Places are values of a Builder: what is written here becomes the text of functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from codegen.build import I8, Builder
from codegen.grids.known import SMALLEST
from codegen.ir import For, Lit, Var
from codegen.primitives.index import Cut

CELLS = 2**15  # of a tile: a few arrays of as many numbers stay in the second-level cache
WIDTH, HEIGHT = 256, SMALLEST  # of a tile, at least
NAMES = (  # of a tile's places, by axis
    ("top", "bottom", "top_around", "bottom_around", "above", "below", "height", "seam_above", "seam_below"),
    ("left", "right", "left_around", "right_around", "before", "after", "width", "seam_before", "seam_after"),
)

Range = tuple[Any, Any]  # where it begins (0: the axis's own) and ends (None: the axis's own)
Box = Sequence[Range]  # along each axis
ALL: Range = (0, None)


@dataclass(frozen=True)
class Side:
    """A tile along one axis: it writes the places low to high of the grid and reads those from first to last."""

    low: Any
    high: Any
    first: Any
    last: Any
    before: Any  # where its own begins and ends in the tile's memory
    after: Any
    size: Any  # of that memory
    seam_before: Any  # where the seam at its lower end begins, among the seams
    seam_after: Any  # where the upper half of that at its upper end does

    def thirds(self) -> Iterator[tuple[bool, Any, Range, Range]]:
        """What it reads: is it its own (or the seams'), how many places, where in the tile, and where there."""
        beyond = self.last - self.high
        yield False, self.before, (0, self.before), (self.seam_before, self.seam_before + self.before)
        yield True, self.high - self.low, (self.before, self.after), (self.low, self.high)
        yield False, beyond, (self.after, None), (self.seam_after, self.seam_after + beyond)


@dataclass(frozen=True)
class Move:
    """A part of an array that goes `there`, into the one of a number."""

    into: int
    there: Box
    array: Any
    here: Box


@dataclass(frozen=True)
class Tiling:
    """A grid of some sizes in tiles that read so many places around them."""

    dims: Sequence[Any]
    around: int

    def counts(self) -> list[Any]:
        """How many tiles there are along each axis."""
        if len(self.dims) == 1:
            return [named(self.dims[0] // CELLS, "tiles")]
        height, width = self.dims
        b: Builder = width.builder
        tall = b.apply("maximum", CELLS // b.apply("minimum", width, WIDTH), HEIGHT)
        rows = b.apply("maximum", height // tall, 1, name="rows")
        return [rows, b.apply("maximum", width // WIDTH, 1, name="columns")]

    def seam_sizes(self) -> list[list[Any]]:
        """The shapes of the seams along each axis."""
        made = []
        for axis, count in enumerate(self.counts()):
            made.append([*self.dims])
            made[-1][axis] = 2 * self.around * (count - 1)
        return made

    def each(self, b: Builder, into: Sequence[Any], body: Callable[..., tuple[Any, ...]]) -> tuple[Any, ...]:
        """A loop over all tiles, shared among threads, which writes arrays: body(builder, sides, arrays)."""
        counts = self.counts()

        def one(inner: Builder, tile: Any, whole: tuple[Any, ...]) -> tuple[Any, ...]:
            across = [inner.wrap(inner.atom(c)) for c in counts]
            numbers = [tile]
            if len(across) == 2:
                numbers = [named(tile // across[1], "row"), named(tile % across[1], "column")]
            axes = range(2 - len(across), 2)
            sides = [self.side(inner, *of) for of in zip(axes, numbers, across, self.dims, strict=True)]
            return body(inner, sides, whole)

        return counted(b, (0, prod(counts), 1), into, "tile", one, "threads")

    def side(self, b: Builder, axis: int, number: Any, count: Any, n: Any) -> Side:
        """A tile of a number along an axis that has so many tiles, of n places."""
        n = b.wrap(b.atom(n))
        one, other, lowest, highest, before, after, size, *seams = NAMES[axis]
        low, high = named(number * n // count, one), named((number + 1) * n // count, other)
        if not self.around:
            return Side(low, high, low, high, 0, None, named(high - low, size), 0, 0)
        first = named(b.apply("maximum", low - self.around, 0), lowest)
        last = named(b.apply("minimum", high + self.around, n), highest)
        inside = named(low - first, before), named(high - first, after)
        length = named(last - first, size)
        seam = 2 * self.around * number
        at = named(seam - 2 * inside[0], seams[0]), named(seam + self.around, seams[1])
        return Side(low, high, first, last, *inside, length, *at)

    def kept(self, b: Builder, sides: Sequence[Side], grids: Sequence[Any], seams: Sequence[Any]) -> Any:
        """The seams, which come grid by grid and axis by axis, with those at the lower ends of a tile."""
        own = [(s.low, s.high) for s in sides]
        for axis, s in enumerate(sides):
            there, here = list(own), list(own)
            there[axis] = (s.seam_before, s.seam_before + 2 * s.before)
            here[axis] = (s.first, s.low + s.before)
            count = 2 * s.before if axis == 0 else sides[0].high - sides[0].low
            moves = [Move(k * len(sides) + axis, there, grid, here) for k, grid in enumerate(grids)]
            seams = moved(b, seams, count, moves)
        return seams

    def read(
        self,
        b: Builder,
        sides: Sequence[Side],
        tile: Sequence[Any],
        grids: Sequence[Any],
        seams: Sequence[Any],
    ) -> tuple[Any, ...]:
        """A tile of some grids, with what lies around it."""
        if not self.around:
            return self.wide(b, sides, tile, grids)
        one, *others = sides
        for own, count, there, here in one.thirds():
            moves = []
            for k, grid in enumerate(grids):
                mine = seams[k * len(sides) : (k + 1) * len(sides)]
                if own and others:
                    for inside, _, too, from_ in others[0].thirds():
                        moves.append(Move(k, (there, too), grid if inside else mine[1], (here, from_)))
                    continue
                rest = [(s.first, s.last) for s in others]
                moves.append(Move(k, (there, *(ALL for _ in rest)), grid if own else mine[0], (here, *rest)))
            tile = moved(b, tile, count, moves)
        return tuple(tile)

    def wide(
        self, b: Builder, sides: Sequence[Side], tile: Sequence[Any], pieces: Sequence[Any]
    ) -> tuple[Any, ...]:
        """A tile of arrays that no tile writes, with what lies around it."""
        there, here = [ALL for _ in sides], [(s.first, s.last) for s in sides]
        return moved(b, tile, sides[0].size, [Move(k, there, x, here) for k, x in enumerate(pieces)])

    def written(
        self, b: Builder, sides: Sequence[Side], grids: Sequence[Any], tile: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The grids with what a tile has made of its own."""
        there = [(s.low, s.high) for s in sides]
        here = [(s.before, s.after) for s in sides]
        count = sides[0].high - sides[0].low
        return moved(b, grids, count, [Move(k, there, x, here) for k, x in enumerate(tile)])


# ---- values ----


def moved(b: Builder, arrays: Sequence[Any], count: Any, moves: Sequence[Move]) -> tuple[Any, ...]:
    """Some arrays after moves into them: of one axis, or of `count` rows each."""

    def row(b: Builder, i: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
        made = list(arrays)
        for m in moves:
            there, here = ([i + box[0][0], *box[1:]] if i is not None else box for box in (m.there, m.here))
            made[m.into] = put(b, made[m.into], there, m.array, here)
        return tuple(made)

    if not moves:
        return tuple(arrays)
    if len(moves[0].there) == 1:
        return row(b, None, arrays)
    return counted(b, (0, count, 1), arrays, "i", row, "sequential")


def put(b: Builder, into: Any, there: Sequence[Any], array: Any, here: Sequence[Any]) -> Any:
    """A range of an array (of its row, after the row's number) written into another."""
    spec, own = subscript(here)
    part = b.apply("index", array, *own, spec=spec)
    spec, own = subscript(there)
    return b.apply("update", into, part, *own, spec=spec)


def subscript(places: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Spec and operands of a place: an index, or a range."""
    spec: list[Any] = []
    own: list[Any] = []
    for place in places:
        if not isinstance(place, tuple):
            spec.append("i")
            own.append(place)
            continue
        start, stop = place
        cut = Cut(start=not (isinstance(start, int) and start == 0), stop=stop is not None)
        spec.append(cut if cut.start or cut.stop else ":")
        own += [n for n, given in ((start, cut.start), (stop, cut.stop)) if given]
    while len(spec) > 1 and spec[-1] == ":":
        spec.pop()
    return tuple(spec), own


def named(value: Any, name: str) -> Any:
    """A value that has just been made, by a name."""
    b: Builder = value.builder
    made = Var(name, value.type)
    last = b.equations.pop()
    assert last.outs == (value.atom,)
    b.emit((made,), last.op)
    return b.wrap(made)


def counted(
    b: Builder,
    over: tuple[Any, Any, int],
    init: Sequence[Any],
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
