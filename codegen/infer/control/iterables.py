"""What a loop runs over: items known one by one, or a count and what the loop's target is at each index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import get_item
from codegen.infer.values import Enumerate, Nest, Range, Ref, Reversed, Static, Value, View, Zip
from codegen.ir import Atom, Lit, Var
from codegen.ir.build import SIZE, Builder, E, call

Item = Callable[[Frame, Atom], Value]
Counted = tuple[Atom, Atom, int, Item]
LONGEST = 256


def known_items(frame: Frame, iterable: Value) -> list[Value] | None:
    """The items, where the loop is over a tuple or the like and so is unrolled; None for counted loops."""
    match iterable:
        case Nest():
            return iterable.iterated()
        case Static(str() as text):
            return [Static(letter) for letter in text]
        case Enumerate(inner, start):
            known = known_items(frame, inner)
            if known is None:
                return None
            b = frame.b
            places = [b.atom(b.apply("add", b.wrap(start), k)) for k in range(len(known))]
            return [Nest(tuple, (p, v)) for p, v in zip(places, known, strict=True)]
        case Zip(inners):
            return known_rows(frame, inners)
        case Reversed(inner):
            known = known_items(frame, inner)
            return None if known is None else known[::-1]
    return None


def known_rows(frame: Frame, inners: tuple[Value, ...]) -> list[Value] | None:
    """The items of a zip in which one part at least is written out and no part's length is unknown."""
    listed = [known_items(frame, inner) for inner in inners]
    if all(known is None for known in listed):
        return None
    shortest = min(len(known) for known in listed if known is not None)
    for k, known in enumerate(listed):
        if known is None:
            bounds = counted_iteration(frame, inners[k])
            if (places := known_range(*bounds[:3])) is None:
                return None
            listed[k] = [bounds[3](frame, Lit(place, SIZE)) for place in places[:shortest]]
    return [Nest(tuple, row) for row in zip(*[known or [] for known in listed], strict=False)]


def known_range(start: Atom, stop: Atom, step: int) -> range | None:
    return range(start.value, stop.value, step) if isinstance(start, Lit) and isinstance(stop, Lit) else None


def is_counted(frame: Frame, iterable: Value) -> bool:
    """Whether a loop counts its iterations: how many items there are is not known, or they are too many."""
    if known_items(frame, iterable) is not None:
        return False
    places = known_range(*counted_iteration(frame, iterable)[:3])
    return places is None or len(places) > LONGEST


def all_items(frame: Frame, iterable: Value) -> list[Value]:
    """The items of an iterable whose length must be known: for lists and comprehensions."""
    known = known_items(frame, iterable)
    if known is not None:
        return known
    if isinstance(iterable, Zip) and iterable.strict:
        counts = [range_length(frame.b, *counted_iteration(frame, each)[:3]) for each in iterable.inners]
        if any(isinstance(n, E) or n != counts[0] for n in counts):
            raise frame.refusal("zip(strict=True) of lengths that are not known to be equal")
    bounds = counted_iteration(frame, iterable)
    places = known_range(*bounds[:3])
    if places is None or len(places) > LONGEST:
        raise frame.refusal(
            f"a list's length must be known and at most {LONGEST}: make an array with np.zeros and fill it in a loop"
        )
    return [bounds[3](frame, Lit(place, SIZE)) for place in places]


def counted_iteration(frame: Frame, iterable: Value) -> Counted:
    """start, stop, step, and what the loop's target is at an index."""
    match iterable:
        case Range(start, stop, Lit(value=int(step))) if step:
            return as_count(frame, start), as_count(frame, stop), step, lambda inner, i: i
        case Range(start, stop, step_):
            return runtime_range(frame, *(as_count(frame, a) for a in (start, stop, step_)))
        case Ref() | View():
            x = frame.atom(iterable)
            if not x.type.rank:
                raise frame.refusal(f"{frame.describe(iterable)} cannot be iterated over")
            n = frame.b.atom(frame.b.size(x.type.shape[0]))
            return ZERO, n, 1, lambda inner, i: get_item(inner, iterable, inner.b.wrap(i), inner.span, "x")
        case Enumerate(inner_, first):
            return enumerated_loop(frame, inner_, first)
        case Zip(inners):
            return zipped_loop(frame, inners)
        case Reversed(inner_):
            return reversed_loop(frame, inner_)
        case Nest():
            return numbers_loop(frame, iterable)
    raise frame.refusal(f"{frame.describe(iterable)} cannot be iterated over")


ZERO = Lit(0, SIZE)


def as_count(frame: Frame, atom: Atom) -> Atom:
    """A bound of a range: a Python int."""
    if atom.type.dtype[0] not in "iu" or atom.type.rank:
        raise frame.refusal(f"range takes ints, not {atom.type}")
    if isinstance(atom, Lit):
        return Lit(atom.value, SIZE)
    b = frame.b
    return atom if atom.type.dtype == "i8" else b.atom(b.apply("cast", atom, dtype="i8"))


def numbers_loop(frame: Frame, nest: Nest) -> Counted:
    """A tuple of numbers next to something of unknown length: an array of them."""
    if not nest.items or not all(isinstance(v, Var | Lit) for v in nest.items):
        raise frame.refusal("zip of a tuple and something of unknown length: use range(len(...)) and index")
    array = frame.take(call(frame.b, np.array, frame.give(nest)), "t")
    return counted_iteration(frame, array)


def enumerated_loop(frame: Frame, inner: Value, first: Atom) -> Counted:
    start, stop, step, item = counted_iteration(frame, inner)

    def pair(inside: Frame, i: Atom) -> Value:
        place = count_at(inside.b, i, start, step)
        return Nest(
            tuple, (inside.b.atom(inside.b.apply("add", inside.b.wrap(first), place)), item(inside, i))
        )

    return start, stop, step, pair


def count_at(b: Builder, i: Atom, start: Atom, step: int) -> Any:
    """How many iterations came before index i."""
    offset = b.apply("sub", b.wrap(i), b.wrap(start))
    return offset if step == 1 else b.apply("floordiv", offset, step)


def index_at(b: Builder, k: Any, start: Atom, step: Any) -> Any:
    """range(start, ..., step)[k]"""
    return b.apply("add", b.wrap(start), b.apply("mul", k, step))


def range_length(b: Builder, start: Atom, stop: Atom, step: Any) -> Any:
    """len(range(start, stop, step))."""
    distance = b.apply("sub", b.wrap(stop), b.wrap(start))
    if not isinstance(step, int) or step != 1:
        distance = b.apply("neg", b.apply("floordiv", b.apply("neg", distance), step))
    return b.apply("maximum", distance, 0)


def item_count(frame: Frame, iterable: Value) -> Any:
    """How many items a loop that counts goes through; of an array, its size."""
    match iterable:
        case Ref() | View():
            return frame.b.size(frame.atom(iterable).type.shape[0])
        case Enumerate(inner, _) | Reversed(inner):
            return item_count(frame, inner)
    return range_length(frame.b, *counted_iteration(frame, iterable)[:3])


def runtime_range(frame: Frame, start: Atom, stop: Atom, step: Atom) -> Counted:
    """A step known only at run time: count the iterations, then i = start + k * step."""
    b = frame.b
    s = b.wrap(step)
    b.require(b.apply("ne", s, 0), "ValueError", "range() arg 3 must not be zero")
    n = range_length(b, start, stop, s)
    return ZERO, b.atom(n), 1, lambda inner, k: inner.b.atom(index_at(inner.b, k, start, inner.b.wrap(step)))


def reversed_loop(frame: Frame, inner: Value) -> Counted:
    b = frame.b
    start, stop, step, item = counted_iteration(frame, inner)
    n = range_length(b, start, stop, step)
    last = index_at(b, b.apply("sub", n, 1), start, step)
    return b.atom(last), b.atom(b.apply("sub", b.wrap(start), step)), -step, item


def zipped_loop(frame: Frame, inners: tuple[Value, ...]) -> Counted:
    b = frame.b
    parts = [counted_iteration(frame, inner) for inner in inners]
    length = range_length(b, *parts[0][:3])
    for start, stop, step, _ in parts[1:]:
        length = b.apply("minimum", length, range_length(b, start, stop, step))

    def row(inner: Frame, k: Atom) -> Value:
        c = inner.b
        places = [index_at(c, k, start, step) for start, _, step, _ in parts]
        items = (item(inner, c.atom(place)) for (_, _, _, item), place in zip(parts, places, strict=True))
        return Nest(tuple, tuple(items))

    return ZERO, b.atom(length), 1, row
