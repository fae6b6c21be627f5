"""Lists of unknown length, changed: what the name that owns one is bound to then.

xs.append(v)     room for one more; v in the row after the last; one more row in use
xs.pop(i)        the rows behind i one place further to the front; one row fewer in use
"""

from __future__ import annotations

from typing import Any

from codegen.infer.calls.listed import as_list
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ
from codegen.infer.memory import buffers
from codegen.infer.memory.growing_lists import (
    count_of,
    fitted,
    form_of_list,
    growing,
    kinds_in,
    of_form,
    unify_forms,
    with_buffers,
    with_room,
)
from codegen.infer.memory.list_items import item_at, last_place, place_in_list, turned
from codegen.infer.memory.list_joins import joined, more_in_use, with_appended, with_items
from codegen.infer.objects.field import called
from codegen.infer.tables.forms import wanted_table
from codegen.infer.tables.values import OF_ARRAYS
from codegen.infer.values import GrowingList, Nest, Ref, Value
from codegen.ir import Atom
from codegen.source import Span, refuse

ONE_FORM = "give all its items one kind and shape"


def is_of_unknown_length(frame: Frame, value: Value) -> bool:
    """Whether how many items a value has is not known before the program runs."""
    is_known = isinstance(value, Nest) and value.cls not in OF_ARRAYS
    return isinstance(value, GrowingList) or not is_known and is_counted(frame, value)


def list_by_method(
    frame: Frame, name: str, held: Nest | GrowingList, method: str, values: tuple[Value, ...], span: Span
) -> GrowingList:
    """What the list of a name is after `append`, `extend`, `insert`, `reverse` or `clear`."""
    try:
        match method, values:
            case "append", (value,):
                return appended(frame, name, as_growing(frame, held, name), value)
            case "extend", (more,):
                return list_extended(frame, name, held, more)
            case "insert", (at, value):
                return inserted(frame, name, as_growing(frame, held, name), at, value)
            case "clear", ():
                assert isinstance(held, GrowingList)
                return GrowingList.of(frame.b.atom(0), held.rows, held.python)
            case "reverse", ():
                return turned(frame, as_growing(frame, held, name))
    except Differ as differ:
        wants = wanted_table(frame, differ, name), None
        raise refuse(span, f"{called(name)} is {differ}: {ONE_FORM}", wants=wants) from None
    raise refuse(span, f"list.{method} is not supported here: make a new one, or use an array")


def as_growing(frame: Frame, held: Nest | GrowingList, name: str) -> GrowingList:
    return growing(frame, held, form_of_list(held, kinds_in(frame)), name)


def appended(frame: Frame, name: str, held: GrowingList, value: Value) -> GrowingList:
    return with_appended(frame, held if name in frame.reserved else with_room(frame, held, 1), value, name)


def list_extended(frame: Frame, name: str, held: Nest | GrowingList, more: Value) -> GrowingList:
    """With the items of another list, or of what else is gone through."""
    if not is_of_unknown_length(frame, more):
        made, items = as_growing(frame, held, name), all_items(frame, more)
        if name not in frame.reserved:
            return with_items(frame, made, items, name)
        for item in items:
            made = with_appended(frame, made, item, name)
        return made
    added = as_list(frame, more)
    if not isinstance(added, GrowingList):
        return list_extended(frame, name, held, added)
    form = unify_forms(form_of_list(held, kinds_in(frame)), form_of_list(added, kinds_in(frame)))
    return joined(frame, growing(frame, held, form, name), of_form(frame, added, form))


def inserted(frame: Frame, name: str, held: GrowingList, at: Value, value: Value) -> GrowingList:
    """With an item before the one at a place: as Python's, at one of the ends where there is no such place."""
    b, count = frame.b, count_of(frame, held)
    fit = fitted(frame, held, value)
    room = fit.value if name in frame.reserved else with_room(frame, fit.value, 1)
    place = last_place(frame, frame.give(at), count)
    parts = iter(fit.parts)

    def write(leaf: Ref) -> Atom:
        buffer = frame.atom(leaf)
        moved = buffers.moved_rows(
            b,
            buffer,
            buffer,
            b.apply("sub", count, place),
            lambda c, k: c.apply("sub", count, k),
            lambda c, k: c.apply("sub", c.apply("sub", count, k), 1),
        )
        return buffers.with_row(b, moved.atom, place, next(parts)).atom

    return more_in_use(frame, with_buffers(frame, room, write, items=(value,)), name)


def list_pop(
    frame: Frame,
    held: GrowingList,
    arguments: tuple[Value, ...],
    span: Span,
    said: str = "pop index out of range",
) -> tuple[GrowingList, Value]:
    """A list without the item at a place, the last one's if none is said; and the item."""
    b, count = frame.b, count_of(frame, held)
    if len(arguments) > 1:
        raise refuse(span, f"pop expected at most 1 argument, got {len(arguments)}")
    none = "pop from empty list" if said.startswith("pop") else said
    b.require(b.apply("gt", count, 0), "IndexError", none)
    left = b.apply("sub", count, 1)
    index = frame.give(arguments[0]) if arguments else -1
    if isinstance(index, int) and index == -1:
        return GrowingList.of(b.atom(left), held.rows, held.python), item_at(frame, held, left, "t")
    known = isinstance(index, int) and index == 0
    place = 0 if known else place_in_list(frame, held, index, span, said)
    item = item_at(frame, held, place, "t")

    def close(leaf: Ref) -> Atom:
        buffer = frame.atom(leaf)
        moved = buffers.moved_rows(
            b,
            buffer,
            buffer,
            b.apply("sub", left, place),
            lambda c, k: c.apply("add", k, place),
            lambda c, k: c.apply("add", c.apply("add", k, place), 1),
        )
        return moved.atom

    return with_buffers(frame, held, close, left), item


def with_item_at(frame: Frame, held: GrowingList, index: Any, value: Value, span: Span) -> GrowingList:
    """`xs[index] = value`"""
    place = place_in_list(frame, held, index, span, "list assignment index out of range")
    try:
        made = fitted(frame, held, value)
    except Differ as differ:
        raise refuse(span, f"the list is {differ}: {ONE_FORM}") from None
    parts = iter(made.parts)

    def write(leaf: Ref) -> Atom:
        return buffers.with_row(frame.b, frame.atom(leaf), place, next(parts)).atom

    return with_buffers(frame, made.value, write, items=(value,))
