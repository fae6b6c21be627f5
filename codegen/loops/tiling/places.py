"""What is known of a value in a step of a grid: which places of the grid it comes of, along each axis.

u[2:] - u[:-2]         Along(0, 2, less=2)      element i comes of the places i to i + 2; there are n - 2 of them
u[-1]                  Border(1, 1, last=True)  one element, of the last place
n - 2, n = len(u)      Length(0, less=2)
i + 1, i in 1 .. n-2   Spot(0, 1, 1, 1, 1)
(i + 1) % n            Turn(0, 1, 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from codegen.cost_model import SMALLEST_EDGE, WIDEST_BORDER
from codegen.ir import Var
from codegen.ir.kinds import Arithmetic, Relation
from codegen.primitives.index import Cut


class Far(Exception):
    """An element comes of others than those around it, or one cannot say."""


@dataclass(frozen=True)
class Along:
    """Of an axis that has n - less elements where the grid has n: element i comes of the places i + low to i + high."""

    low: int = 0
    high: int = 0
    less: int = 0


@dataclass(frozen=True)
class Border:
    """Of an axis of a few elements that come of the first (or last) `deep` places of the grid."""

    deep: int
    count: int
    last: bool


@dataclass(frozen=True)
class Field:
    """An array, or a number at a place of the grid: what is known along each of its axes; its own of these."""

    grid: tuple[Along | Border, ...]
    axes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Length:
    """n - less, n being a size of the grid."""

    axis: int
    less: int = 0


@dataclass(frozen=True)
class Spot:
    """An index from `first` to n - less of the grid, and at most `low` to `high` added to it."""

    axis: int
    first: int
    less: int
    low: int = 0
    high: int = 0


@dataclass(frozen=True)
class Turn:
    """An index that is any place, and `low` to `high` added to it: the last is next to the first."""

    axis: int
    low: int
    high: int


@dataclass(frozen=True)
class IntRange:
    """An int that is the same wherever one is, between two others."""

    low: int
    high: int


@dataclass(frozen=True)
class Plain:
    """A number that is the same wherever one is."""


@dataclass(frozen=True)
class Holds:
    """A test that holds for every large grid."""


@dataclass(frozen=True)
class Above:
    """A test whether a size of what is no grid is above a number."""

    size: Var
    number: int


Known = Field | Length | Spot | Turn | IntRange | Plain | Holds | Above


# ---- along one axis ----


def known_of_both(a: Known, b: Known) -> Known:
    """What is known of what comes of both."""
    if a == b:
        return a
    match a, b:
        case IntRange(), IntRange():
            return IntRange(min(a.low, b.low), max(a.high, b.high))
        case ((Plain() | IntRange()), (Plain() | IntRange())):
            return Plain()
        case Field(), (Plain() | IntRange()):
            return a
        case ((Plain() | IntRange()), Field()):
            return b
        case Field(), Field() if a.axes == b.axes:
            return Field(along_all(a.grid, b.grid), a.axes)
    raise Far


def along_all(a: Sequence[Along | Border], b: Sequence[Along | Border]) -> tuple[Along | Border, ...]:
    return tuple(along_both(x, y) for x, y in zip(a, b, strict=True))


def along_both(a: Along | Border, b: Along | Border) -> Along | Border:
    match a, b:
        case Along(), Along() if a.less == b.less:
            return Along(min(a.low, b.low), max(a.high, b.high), a.less)
        case Border(), Border() if (a.count, a.last) == (b.count, b.last):
            return replace(a, deep=max(a.deep, b.deep))
    raise Far


def picked(along: Along | Border, axis: int, place: Known) -> Along | Border:
    """One place of an axis."""
    match along, place:
        case Along(low, high), (Spot(own, low=down, high=up) | Turn(own, down, up)) if own == axis:
            return Along(low + down, high + up)
        case Along(low, high, less), IntRange(k, same) if k == same:
            deep = k + 1 + max(high, 0) if k >= 0 else less - k + max(-low, 0)
            return border(deep, 1, k < 0)
    raise Far


def sliced(along: Along | Border, axis: int, cut: Cut, given: Sequence[Known]) -> Along | Border:
    """A slice of an axis."""
    if not isinstance(along, Along) or cut.step != 1:
        raise Far
    start = from_an_end(along, axis, given[0]) if cut.start else 0
    stop = from_an_end(along, axis, given[-1]) if cut.stop else None
    if start is None:
        raise Far
    if start >= 0 and (stop is None or stop < 0):
        less = along.less + start - (stop or 0)
        if less > WIDEST_BORDER:
            raise Far
        return Along(along.low + start, along.high + start, less)
    if start >= 0 and stop is not None and stop > start:
        return border(stop + max(along.high, 0), stop - start, False)
    if start < 0 and (stop is None or start < stop < 0):
        return border(along.less - start + max(-along.low, 0), (stop or 0) - start, True)
    raise Far


def from_an_end(along: Along, axis: int, place: Known) -> int | None:
    """Where a slice begins or ends, counted from the first place or, below 0, the last; None: after the last."""
    match place:
        case IntRange(k, same) if k == same:
            return k
        case Length(own, less) if own == axis and less >= along.less:
            return (along.less - less) or None
    raise Far


def rotated(one: Along | Border, other: Along | Border, whole: Along | Border) -> Along | None:
    """An axis that was cut in two, its last part now before the first; None: that is not what these parts are."""
    match one, other, whole:
        case Border(deep, count, True), Along(), Along(low, high, 0):
            exactly = deep == count + max(-low, 0) and other == Along(low, high, count)
            return Along(low - count, high - count) if exactly else None
        case Along(), Border(deep, count, False), Along(low, high, 0):
            exactly = deep == count + max(high, 0) and one == Along(low + count, high + count, count)
            return Along(low + count, high + count) if exactly else None
    return None


def concatenated(parts: Sequence[Along | Border]) -> Along:
    """Pieces end to end: borders, one that goes all along, borders."""
    middle = [k for k, part in enumerate(parts) if isinstance(part, Along)]
    if len(middle) != 1:
        raise Far
    along = parts[middle[0]]
    first = [b for b in parts[: middle[0]] if isinstance(b, Border)]
    last = [b for b in parts[middle[0] + 1 :] if isinstance(b, Border)]
    if not isinstance(along, Along) or any(b.last for b in first) or not all(b.last for b in last):
        raise Far
    before, after = (sum(b.count for b in side) for side in (first, last))
    less = along.less - before - after
    low = min(along.low - before, -before, *(less + 1 - b.deep for b in last))
    high = max(along.high - before, *(b.deep - 1 for b in first), *(after + less for _ in last))
    return Along(low, high, less)


def border(deep: int, count: int, last: bool) -> Border:
    if deep > WIDEST_BORDER:
        raise Far
    return Border(deep, count, last)


def after_write(
    into: Along | Border, region: Along | Border, made: Along | Border | None, given: Sequence[Known]
) -> Along:
    """An axis of an array of which a region is written; `made`: of the value's, unless that is the same everywhere.

    Near an end of the grid what was there stays, or what is written there comes: not so near where a piece is cut off.
    """
    if not isinstance(into, Along) or into.less:
        raise Far
    spot = given[0] if given and isinstance(given[0], Spot) else None
    match region, made:
        case Along(), _ if spot is not None:
            if spot.low != spot.high or isinstance(made, Border):
                raise Far
            ahead = spot.low
            made = made or Along(ahead, ahead)
            low, high = min(made.low - ahead, -spot.first - ahead), max(made.high - ahead, spot.less - ahead)
        case Along(start, _, less), None:
            low, high = -start, less - start
        case Along(start, _, less), Along(low, high, other) if less == other:
            low, high = min(low - start, -start), max(high - start, less - start)
        case Border(deep, _, last), None:
            low, high = (0, deep) if last else (-deep, 0)
        case Border(deep, count, last), Border(other, count2, last2) if (count, last) == (count2, last2):
            low, high = (1 - other, deep) if last else (-deep, other - 1)
        case _:
            raise Far
    return Along(min(into.low, low), max(into.high, high))


# ---- ints ----


def add_ints(kind: Enum | None, a: Known, b: Known) -> Spot | IntRange:
    """A place, or one of a few ints, and a few ints more."""
    if kind is Arithmetic.ADD and isinstance(b, Spot):
        a, b = b, a
    sum_or_difference = kind in (Arithmetic.ADD, Arithmetic.SUB)
    if not sum_or_difference or not isinstance(a, Spot | IntRange) or not isinstance(b, IntRange):
        raise Far
    by = b if kind is Arithmetic.ADD else IntRange(-b.high, -b.low)
    return replace(a, low=a.low + by.low, high=a.high + by.high)


def of_sizes(kind: Enum | None, *values: Known) -> Known:
    """Sums, extremes and comparisons of sizes of a large grid."""
    if len(values) != 2:
        raise Far
    a, b = values
    turns = kind in (Arithmetic.ADD, Arithmetic.MAXIMUM) or isinstance(kind, Relation)
    if isinstance(a, IntRange) and turns:
        kind, a, b = kind.swapped if isinstance(kind, Relation) else kind, b, a
    match kind, a, b:
        case ((Arithmetic.ADD | Arithmetic.SUB), Length(axis, less), IntRange(k, same)) if k == same:
            return Length(axis, less + (k if kind is Arithmetic.SUB else -k))
        case Arithmetic.SUB, Length(axis, less), Length(own, left) if own == axis:
            return IntRange(left - less, left - less)
        case Arithmetic.MOD, IntRange(k, same), Length(axis, less) if (
            k == same and abs(k) + less < SMALLEST_EDGE
        ):
            return a if k >= 0 else Length(axis, less - k)
        case Arithmetic.MAXIMUM, Length(_, less), IntRange(_, high) if high + less < SMALLEST_EDGE:
            return a
        case Relation.EQ, Length(), Length() if a == b:
            return Holds()
        case ((Relation.GT | Relation.GE | Relation.NE), Length(_, less), IntRange(_, high)):
            if high + less < SMALLEST_EDGE:
                return Holds()
    raise Far
