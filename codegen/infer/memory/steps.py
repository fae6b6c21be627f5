"""Slices whose step is known when the program runs alone: places, axis by axis.

x[a:b:k]        y = x[first + np.arange(count) * k], a view of x
x[i, a:b:k] = v   y[i, :] = v: x2 = update x v  i places

and parts of ranges, which are ranges.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.memory.views import view_of
from codegen.infer.values import Range, Ref, Value, View
from codegen.ir import Atom, Var
from codegen.ir.build import Builder, E
from codegen.primitives.calls.subscripts import index_in_i8, read_slice
from codegen.primitives.index import Inside
from codegen.source import Span, refuse


def without_steps(frame: Frame, container: Ref | View, index: Any) -> tuple[Ref | View, Any]:
    """An array and a subscript of it: what such slices show is a view, which is read and written in their stead."""
    places = list(index) if isinstance(index, tuple) else [index]
    if not any(map(is_stepped, places)):
        return container, index
    axes = [0 if place is None or place is Ellipsis else 1 for place in places]
    for k, place in enumerate(places):
        if is_stepped(place):
            behind = Ellipsis in [each for each in places[:k] if not isinstance(each, E)]
            rank = frame.atom(container).type.rank
            axis = rank - sum(axes[k:]) if behind else sum(axes[:k])
            if not 0 <= axis < rank:
                raise ValueError(f"too many indices for array: array is {rank}-dimensional")
            container, places[k] = every_kth(frame, container, place, axis), slice(None)
    return container, tuple(places) if isinstance(index, tuple) else places[0]


def is_stepped(place: Any) -> bool:
    return isinstance(place, slice) and isinstance(place.step, E)


def every_kth(frame: Frame, container: Ref | View, cut: slice, axis: int) -> View:
    """The view that a slice along an axis shows."""
    b, x = frame.b, frame.atom(container)
    cut = cut_in_i8(frame, cut)
    first, count = place_and_count(frame, cut, b.atom(b.size(x.type.shape[axis])))
    places = b.apply("add", first, b.apply("mul", b.apply("arange", count, dtype="i8"), cut.step))
    spec = Inside((":",) * axis + ("a",))
    shown = view_of(b, container, read_slice(b, b.wrap(x), spec, (places,)).atom)
    return replace(shown, stepped=(b.atom(first), b.atom(cut.step)))


def cut_in_i8(frame: Frame, cut: slice) -> slice:
    """A slice whose bounds are Python's ints, or have 64 bits."""

    def bound(n: Any) -> Any:
        if n is None or isinstance(n, int):
            return n
        if n.ndim or frame.b.atom(n).type.dtype[0] not in "iu":
            raise frame.refusal("slice indices must be integers or None")
        return index_in_i8(frame.b, n) if isinstance(n, E) else min(int(n), 2**63 - 1)

    return slice(bound(cut.start), bound(cut.stop), bound(cut.step))


def place_and_count(frame: Frame, cut: slice, count: Atom) -> tuple[Any, Any]:
    """The first place of a slice of so many, and how many it has, as Python's `slice.indices` finds them."""
    b, n = frame.b, frame.b.wrap(count)
    step = 1 if cut.step is None else cut.step
    b.require(b.apply("ne", step, 0), "ValueError", "slice step cannot be zero")
    is_back = b.apply("lt", step, 0)
    lowest = b.apply("select", is_back, -1, 0)
    highest = b.apply("add", n, lowest)

    def place(given: Any, otherwise: Any) -> Any:
        if given is None:
            return b.apply("select", is_back, *otherwise)
        below = b.apply("lt", given, 0)
        found = b.apply("select", below, b.apply("add", given, n), given)
        return b.apply("minimum", b.apply("maximum", found, lowest), highest)

    first, last = place(cut.start, (highest, lowest)), place(cut.stop, (lowest, highest))
    return first, steps_between(b, first, last, step)


def steps_between(b: Builder, first: Any, last: Any, step: Any) -> Any:
    """How many places a range has."""
    if isinstance(step, int) and abs(step) == 1:
        count = b.apply("sub", last, first) if step == 1 else b.apply("sub", first, last)
    else:
        count = b.apply("neg", b.apply("floordiv", b.apply("sub", first, last), step))
    return b.apply("maximum", count, 0)


def part_of_range(frame: Frame, whole: Value, index: Any, span: Span) -> Value:
    """`range(a, b, c)[index]`: an int, or for a slice a range."""
    if not isinstance(whole, Range):
        raise refuse(span, f"{frame.describe(whole)} has no elements")
    b = frame.b
    start, stop, step = (
        b.wrap(n) if isinstance(n, Var) else n.value for n in (whole.start, whole.stop, whole.step)
    )
    count = steps_between(b, start, stop, step)
    if isinstance(index, slice):
        cut = cut_in_i8(frame, index)
        first, found = place_and_count(frame, cut, b.atom(count))
        by = 1 if cut.step is None else cut.step
        ends = (first, b.apply("add", first, b.apply("mul", found, by)))
        begin, end = (b.atom(b.apply("add", start, b.apply("mul", place, step))) for place in ends)
        return Range(begin, end, b.atom(b.apply("mul", step, by)))
    with frame.refusing():
        if (
            not isinstance(index, int | E)
            or isinstance(index, E)
            and b.atom(index).type.dtype[0] not in "iub"
        ):
            raise TypeError("range indices must be integers or slices")
        place = index_in_i8(b, b.wrap(b.atom(index)))
    below = b.apply("lt", place, 0)
    place = b.apply("select", below, b.apply("add", place, count), place)
    is_there = b.apply("and", b.apply("ge", place, 0), b.apply("lt", place, count))
    b.require(is_there, "IndexError", "range object index out of range")
    return b.atom(b.apply("add", start, b.apply("mul", place, step)))
