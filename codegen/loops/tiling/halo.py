"""A grid in tiles: where each begins and ends, what it reads around it, and how that is moved.

    seams   what lies up to `around` places from where tiles meet, as it was before any tile is written; where tiles
            meet along axis k, in an array whose axis k has 2 * around places for each such line (or row, or column)

Places are values of a Builder: what is written here becomes the text of functions.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from codegen.cost_model import SMALLEST_EDGE, TILE_CELLS, TILE_WIDTH
from codegen.ir import Var
from codegen.ir.build import SIZE, Builder
from codegen.loops.nests import Values, counted_loop
from codegen.primitives.index import Cut

# What a tile's places along one axis are called: of rows, of columns.
AxisNames = namedtuple("AxisNames", "low high first last before after size seam_before seam_after")
ROW = "top bottom top_around bottom_around above below height seam_above seam_below"
COLUMN = "left right left_around right_around before after width seam_before seam_after"
NAMES = [AxisNames(*words.split()) for words in (ROW, COLUMN)]

Range = tuple[Any, Any]  # where it begins (0: the axis's own) and ends (None: the axis's own)
ALL: Range = (0, None)


@dataclass(frozen=True)
class Strip:
    """So many places along an axis: there in one array, here in another."""

    count: Any
    there: Range
    here: Range


@dataclass(frozen=True)
class Extent:
    """A tile along one axis: it writes the places low to high of the grid, and has them from before to after."""

    low: Any
    high: Any
    before: Any
    after: Any
    size: Any  # of its memory
    reads: Sequence[Strip]  # all that it reads, there in its memory, here in the grid
    keeps: Sequence[Strip] = ()  # what lies around its lower end, there in the seams, here in the grid
    around: Sequence[Strip] = ()  # what lies below it and above, there in its memory, here in the seams

    def thirds(self) -> Iterator[tuple[bool, Strip]]:
        """What it reads, there in its memory: is it its own, and then here in the grid, or the seams'."""
        below, above = self.around
        yield False, below
        yield True, Strip(self.high - self.low, (self.before, self.after), (self.low, self.high))
        yield False, above


# A part of an array, a strip along each axis, that goes into the array of a number.
Move = tuple[int, Any, Sequence[Strip]]


@dataclass(frozen=True)
class Tiling:
    """A grid of some sizes in tiles that read so many places around them."""

    dims: Sequence[Any]
    around: int
    round: Collection[int] = ()  # axes whose last place is next to the first

    def counts(self) -> list[Any]:
        """How many tiles there are along each axis."""
        if len(self.dims) == 1:
            return [relabel(self.dims[0] // TILE_CELLS, "tiles")]
        height, width = self.dims
        b: Builder = width.builder
        tall = b.apply("maximum", TILE_CELLS // b.apply("minimum", width, TILE_WIDTH), SMALLEST_EDGE)
        rows = b.apply("maximum", height // tall, 1, name="rows")
        return [rows, b.apply("maximum", width // TILE_WIDTH, 1, name="columns")]

    def seam_sizes(self) -> list[list[Any]]:
        """The shapes of the seams along each axis."""
        made = []
        for axis, count in enumerate(self.counts()):
            made.append([*self.dims])
            made[-1][axis] = 2 * self.around * (count if axis in self.round else count - 1)
        return made

    def each(self, b: Builder, into: Sequence[Any], body: Callable[[Tile, Values], Values]) -> Values:
        """A loop over all tiles, shared among threads, which writes arrays: body(tile, arrays)."""
        counts = self.counts()

        def one(inner: Builder, tile: Any, whole: Values) -> Values:
            across = [inner.wrap(inner.atom(c)) for c in counts]
            numbers = [tile]
            if len(across) == 2:
                numbers = [relabel(tile // across[1], "row"), relabel(tile % across[1], "column")]
            sides = [self.side(inner, *of) for of in zip(range(len(across)), numbers, across, strict=True)]
            return body(Tile(inner, sides), whole)

        return array_loop(b, (0, prod(counts), 1), into, "tile", one, "threads")

    def side(self, b: Builder, axis: int, number: Any, count: Any) -> Extent:
        """A tile of a number along an axis that has so many tiles."""
        a, n = self.around, b.wrap(b.atom(self.dims[axis]))
        names = NAMES[axis - len(self.dims)]
        low = relabel(number * n // count, names.low)
        high = relabel((number + 1) * n // count, names.high)
        if not a:
            size = relabel(high - low, names.size)
            return Extent(low, high, 0, None, size, [Strip(size, ALL, (low, high))])
        if axis in self.round:
            return self.around_a_ring(low, high, number, count, n, names)
        first = relabel(b.apply("maximum", low - a, 0), names.first)
        last = relabel(b.apply("minimum", high + a, n), names.last)
        before, after = relabel(low - first, names.before), relabel(high - first, names.after)
        size = relabel(last - first, names.size)
        seam = 2 * a * number
        below, above = relabel(seam - 2 * before, names.seam_before), relabel(seam + a, names.seam_after)
        beyond = last - high
        reads = [Strip(size, ALL, (first, last))]
        keeps = [Strip(2 * before, (below, below + 2 * before), (first, low + before))]
        around = [
            Strip(before, (0, before), (below, below + before)),
            Strip(beyond, (after, None), (above, above + beyond)),
        ]
        return Extent(low, high, before, after, size, reads, keeps, around)

    def around_a_ring(self, low: Any, high: Any, number: Any, count: Any, n: Any, names: AxisNames) -> Extent:
        """The same where the last place is next to the first, and the last tile to the first."""
        a = self.around
        first, last = relabel((low - a) % n, names.first), relabel(high % n, names.last)
        after = relabel(high - low + a, names.after)
        size = relabel(after + a, names.size)
        below = relabel(2 * a * number, names.seam_before)
        above = relabel(2 * a * ((number + 1) % count) + a, names.seam_after)
        reads = [
            Strip(a, (0, a), (first, first + a)),
            Strip(high - low, (a, after), (low, high)),
            Strip(a, (after, None), (last, last + a)),
        ]
        keeps = [
            Strip(a, (below, below + a), (first, first + a)),
            Strip(a, (below + a, below + 2 * a), (low, low + a)),
        ]
        around = [Strip(a, (0, a), (below, below + a)), Strip(a, (after, None), (above, above + a))]
        return Extent(low, high, a, after, size, reads, keeps, around)


@dataclass(frozen=True)
class Tile:
    """One tile, with its extent along each axis; `b` takes what is done with it."""

    b: Builder
    sides: Sequence[Extent]

    def kept(self, grids: Sequence[Any], seams: Sequence[Any]) -> Values:
        """The seams, which come grid by grid and axis by axis, with those at the lower ends of the tile."""
        whole = [Strip(s.high - s.low, (s.low, s.high), (s.low, s.high)) for s in self.sides]
        for axis, side in enumerate(self.sides):
            boxes = [[*whole[:axis], strip, *whole[axis + 1 :]] for strip in side.keeps]
            for group in [boxes] if axis else [[box] for box in boxes]:  # of the same rows, or not
                places = [(k * len(self.sides) + axis, grid) for k, grid in enumerate(grids)]
                seams = self.moved(seams, [(k, grid, box) for k, grid in places for box in group])
        return tuple(seams)

    def read(self, blank: Sequence[Any], grids: Sequence[Any], seams: Sequence[Any]) -> Values:
        """The tile's own part of some grids, with what lies around it, in `blank` arrays."""
        one, *others = self.sides
        if not one.around:
            return self.wide(blank, grids)
        boxes: list[tuple[int | None, tuple[Strip, ...]]]
        for own, strip in one.thirds():
            if own and others:
                boxes = [(None if inside else 1, (strip, other)) for inside, other in others[0].thirds()]
            else:
                rest = product(*(s.reads for s in others))
                boxes = [(None if own else 0, (strip, *strips)) for strips in rest]
            moves: list[Move] = []
            for k, grid in enumerate(grids):
                for seam, box in boxes:
                    moves.append((k, grid if seam is None else seams[k * len(self.sides) + seam], box))
            blank = self.moved(blank, moves)
        return tuple(blank)

    def wide(self, blank: Sequence[Any], pieces: Sequence[Any]) -> Values:
        """The same of arrays that no tile writes."""
        one, *others = self.sides
        for strip in one.reads:
            boxes = [(strip, *rest) for rest in product(*(s.reads for s in others))]
            blank = self.moved(blank, [(k, x, box) for k, x in enumerate(pieces) for box in boxes])
        return tuple(blank)

    def written(self, grids: Sequence[Any], made: Sequence[Any]) -> Values:
        """The grids with what the tile has made of its own."""
        box = [Strip(s.high - s.low, (s.low, s.high), (s.before, s.after)) for s in self.sides]
        return self.moved(grids, [(k, x, box) for k, x in enumerate(made)])

    def moved(self, arrays: Sequence[Any], moves: Sequence[Move]) -> Values:
        """Some arrays after moves into them, row by row where they have two axes: of the same rows all."""

        def row(b: Builder, i: Any, arrays: Sequence[Any]) -> Values:
            made = list(arrays)
            for into, array, (*rows, last) in moves:
                there, here = [i + s.there[0] for s in rows], [i + s.here[0] for s in rows]
                made[into] = copy_range(b, made[into], [*there, last.there], array, [*here, last.here])
            return tuple(made)

        if not moves:
            return tuple(arrays)
        box = moves[0][2]
        if len(box) == 1:
            return row(self.b, None, arrays)
        return array_loop(self.b, (0, box[0].count, 1), arrays, "i", row, "sequential")


# ---- values ----


def copy_range(b: Builder, into: Any, there: Sequence[Any], array: Any, here: Sequence[Any]) -> Any:
    """A range of an array (of its row, after the row's number) written into another."""
    spec, own = range_subscript(here)
    part = b.apply("index", array, *own, spec=spec)
    spec, own = range_subscript(there)
    return b.apply("update", into, part, *own, spec=spec)


def range_subscript(places: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
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


def relabel(value: Any, name: str) -> Any:
    """A value that has just been made, by a name."""
    b: Builder = value.builder
    made = Var(name, value.type)
    last = b.equations.pop()
    assert last.outs == (value.atom,)
    b.emit((made,), last.op)
    return b.wrap(made)


def array_loop(
    b: Builder,
    over: tuple[Any, Any, int],
    init: Sequence[Any],
    name: str,
    body: Callable[[Builder, Any, Values], Values],
    kind: str,
) -> Values:
    """A loop over a range that carries arrays, first `init`."""
    outs = tuple(Var(v.atom.name, v.type) for v in init)
    return counted_loop(b, Var(name, SIZE), over, outs, init, body, kind)
