"""Parts of lists given other items, or taken out.

xs[a:b] = ys       the items before a, those of ys, and those from b on
xs[::k] = ys       as many items, at every k-th place
del xs[a:b]        xs[a:b] = []
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from codegen.infer.calls.listed import as_list
from codegen.infer.control.conditions import conditional
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Raises
from codegen.infer.memory import buffers
from codegen.infer.memory.growing_lists import (
    count_of,
    form_of_list,
    growing,
    kinds_in,
    size_of,
    unify_forms,
    with_buffers,
    with_room,
)
from codegen.infer.memory.list_changes import ONE_FORM, as_growing, list_pop
from codegen.infer.memory.steps import cut_in_i8, place_and_count
from codegen.infer.values import GrowingList, Nest, Ref, Value, View, leaves
from codegen.ir import Atom
from codegen.ir.build import E
from codegen.ir.exceptions import other_size
from codegen.source import Span, refuse


def with_part(
    frame: Frame, held: Nest | GrowingList, cut: slice, value: Value, span: Span
) -> Nest | GrowingList:
    """`xs[cut] = value`"""
    added, cut = items_given(frame, value), cut_in_i8(frame, cut)
    bounds = (cut.start, cut.stop, cut.step)
    if isinstance(held, Nest) and isinstance(added, Nest) and not any(isinstance(n, E) for n in bounds):
        items = list(held.items)
        try:
            items[cut] = added.items
        except ValueError as error:
            raise Raises("ValueError", str(error)) from None
        return held.with_items(tuple(items))
    if isinstance(held, Nest) and not held.items:
        return added
    try:
        kinds = kinds_in(frame)
        form = unify_forms(form_of_list(held, kinds), form_of_list(added, kinds))
        into, given = growing(frame, held, form, "listed"), growing(frame, added, form, "added")
    except Differ as differ:
        raise refuse(span, f"the list is {differ}: {ONE_FORM}") from None
    first, count = place_and_count(frame, cut, frame.atom(into.count))
    if cut.step is None or isinstance(cut.step, int) and cut.step == 1:
        return with_between(frame, into, first, count, None if is_without_items(added) else given)
    if isinstance(cut.step, E):  # which may be 1

        def as_it_is() -> GrowingList:
            return with_between(frame, into, first, count, given)

        def every() -> GrowingList:
            return spread_out(frame, into, given, first, count, cut.step)

        is_one = frame.b.atom(frame.b.apply("eq", cut.step, 1))
        return conditional(frame, is_one, as_it_is, every, span, "listed")  # type: ignore[return-value]
    return spread_out(frame, into, given, first, count, cut.step)


def spread_out(
    frame: Frame, into: GrowingList, given: GrowingList, first: Any, count: Any, step: Any
) -> GrowingList:
    """A list with the items of another at so many places, every `step`-th from the first."""
    length = count_of(frame, given)
    frame.b.require(frame.b.apply("eq", length, count), other_size(), None, length, count)
    new = rows_apart(frame, given, into)
    return with_buffers(
        frame, into, at_every(frame, new, first, count, step), items=tuple(leaves(given.rows))
    )


def rows_apart(frame: Frame, held: GrowingList, other: GrowingList) -> Iterator[Atom]:
    """A list's buffers, which are none of another's."""
    others, mine = (
        [frame.atom(leaf) for leaf in leaves(each.rows) if isinstance(leaf, Ref | View)]
        for each in (other, held)
    )
    return iter([frame.b.apply("copy", x).atom if x in others else x for x in mine])


def items_given(frame: Frame, value: Value) -> Nest | GrowingList:
    """The list of what a value holds."""
    if not is_counted(frame, value):
        return Nest(list, tuple(all_items(frame, value)))
    made = as_list(frame, value)
    assert isinstance(made, Nest | GrowingList)
    return made


def is_without_items(value: Nest | GrowingList) -> bool:
    return isinstance(value, Nest) and not value.items


def with_between(
    frame: Frame, held: GrowingList, first: Any, count: Any, added: GrowingList | None
) -> GrowingList:
    """A list with the items of another in place of so many from a place on."""
    b, before = frame.b, count_of(frame, held)
    more = 0 if added is None else count_of(frame, added)
    size = None if added is None else size_of(frame, added)
    room = held if added is None else with_room(frame, held, size if isinstance(size, int) else more)
    end = b.apply("add", first, count)
    behind, to = b.apply("sub", before, end), b.apply("add", first, more)
    grows = False if added is None else b.apply("gt", more, count)
    new = rows_apart(frame, added, held) if added is not None else iter(())

    def write(leaf: Ref) -> Atom:
        """The items behind moved, the last one first where there are more items then; those that are new written."""
        buffer = frame.atom(leaf)
        fewer = behind if added is None else b.apply("select", grows, 0, behind)
        moved: Any = buffers.moved_rows(
            b, buffer, buffer, fewer, lambda c, k: c.apply("add", to, k), lambda c, k: c.apply("add", end, k)
        )
        if added is None:
            return moved.atom

        def from_end(start: Any) -> buffers.Place:
            return lambda c, k: c.apply(
                "sub", c.apply("add", start, b.wrap(b.atom(behind))), c.apply("add", k, 1)
            )

        moved = buffers.moved_rows(
            b, moved.atom, moved.atom, b.apply("select", grows, behind, 0), from_end(to), from_end(end)
        )
        written = buffers.moved_rows(
            b, moved.atom, next(new), more, lambda c, k: c.apply("add", first, k), lambda c, k: k
        )
        return written.atom

    left = b.apply("add", b.apply("sub", before, count), more)
    return with_buffers(frame, room, write, left, leaves(added.rows) if added else ())


def at_every(frame: Frame, new: Iterator[Atom], first: Any, count: Any, step: Any) -> Any:
    """What writes the items in other buffers to every `step`-th place of one."""

    def write(leaf: Ref) -> Atom:
        moved = buffers.moved_rows(
            frame.b,
            frame.atom(leaf),
            next(new),
            count,
            lambda c, k: c.apply("add", first, c.apply("mul", k, step)),
            lambda c, k: k,
        )
        return moved.atom

    return write


def without_item(
    frame: Frame, name: str, held: Nest | GrowingList, index: Any, span: Span
) -> Nest | GrowingList:
    """`del held[index]`, of a list or dict."""
    if isinstance(held, GrowingList) or held.cls is list and isinstance(index, E):
        place = frame.take(index, "place")
        said = "list assignment index out of range"
        return list_pop(frame, as_growing(frame, held, name), (place,), span, said)[0]
    if held.cls is dict:
        keys = held.keys or ()
        if not isinstance(index, str) or index not in keys:
            raise refuse(span, f"the key {index!r} is not in the dict: it has {', '.join(map(repr, keys))}")
        left = [(key, item) for key, item in zip(keys, held.items, strict=True) if key != index]
        return Nest(dict, tuple(item for _, item in left), tuple(key for key, _ in left))
    if not isinstance(index, int | np.integer):
        raise refuse(span, "a list is indexed by an int")
    items = list(held.items)
    try:
        del items[index]
    except IndexError as error:
        raise Raises("IndexError", str(error)) from None
    return held.with_items(tuple(items))
