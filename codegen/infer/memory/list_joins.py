"""Lists made of others: one after another, and one again and again; and whether two are equal.

xs + ys         the rows of both, one below the other
[0.0] * n       a buffer of n such rows
xs == ys        whether the rows that are in use are equal
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.definitions.lists.equal_items import equal_one_by_one
from codegen.infer.frame import Frame
from codegen.infer.kinds import LONGEST, Differ, Kind, as_kind
from codegen.infer.memory import buffers
from codegen.infer.memory.growing_lists import (
    buffer_of,
    check_form,
    copied,
    count_of,
    fitted,
    form_of_list,
    growing,
    kinds_in,
    part_kinds,
    python_parts,
    size_of,
    unify_forms,
    with_buffers,
    with_room,
)
from codegen.infer.memory.list_items import asks_a_method, rows_in_use
from codegen.infer.values import GrowingList, Nest, Ref, Static, Value, View, leaves
from codegen.ir import Atom, Lit, Var
from codegen.primitives.calls.subscripts import index_in_i8


def joined_lists(frame: Frame, left: Value, right: Value, name: str) -> GrowingList:
    """`left + right`"""
    kinds_of = kinds_in(frame)
    form = unify_forms(form_of_list(left, kinds_of), form_of_list(right, kinds_of))
    held = growing(frame, copied(frame, left), form, name)
    if isinstance(right, Nest):
        return with_items(frame, held, right.items, name)
    return joined(frame, held, growing(frame, copied(frame, right), form, name))


def with_items(frame: Frame, held: GrowingList, items: Sequence[Value], name: str) -> GrowingList:
    """A list with more items behind its own."""
    held = with_room(frame, held, len(items)) if items else held
    for item in items:
        held = with_appended(frame, held, item, name)
    return held


def with_appended(frame: Frame, held: GrowingList, item: Value, name: str) -> GrowingList:
    """A list with one more item, for which there is room."""
    fit = fitted(frame, held, item)
    parts = iter(fit.parts)
    count = count_of(frame, held)

    def write(leaf: Ref) -> Atom:
        return buffers.with_row(frame.b, frame.atom(leaf), count, next(parts)).atom

    return more_in_use(frame, with_buffers(frame, fit.value, write, items=(item,)), name)


def more_in_use(frame: Frame, held: GrowingList, name: str) -> GrowingList:
    """With one more row in use."""
    count = frame.b.apply("add", count_of(frame, held), 1, name=f"{name}_count")
    return GrowingList.of(frame.b.atom(count), held.rows, held.python)


def joined(frame: Frame, held: GrowingList, added: GrowingList) -> GrowingList:
    """The items of one list and then those of another, of the same form."""
    b = frame.b
    count, more = count_of(frame, held), count_of(frame, added)
    size = size_of(frame, added)
    new = (frame.atom(leaf) for leaf in leaves(added.rows) if isinstance(leaf, Ref | View))
    room = with_room(frame, held, size if isinstance(size, int) else more)

    def write(leaf: Ref) -> Atom:
        return buffers.with_rows(b, frame.atom(leaf), count, next(new), more).atom

    return with_buffers(frame, room, write, b.apply("add", count, more), tuple(leaves(added.rows)))


def equal_lists(frame: Frame, left: Value, right: Value, name: str) -> Value:
    """Whether two lists have as many numbers, or tuples of numbers, that are equal."""
    kinds_of = kinds_in(frame)
    form = unify_forms(form_of_list(left, kinds_of), form_of_list(right, kinds_of))
    if asks_a_method(form):
        return frame.inference.call(frame, Static(equal_one_by_one), (left, right), {}, name)
    if any(kind.dims for kind in part_kinds(form)) or any(not isinstance(k, Kind) for k in leaves(form)):
        raise Differ("lists of other items than numbers and tuples of numbers are compared")
    met: Value = frame.b.atom(True)
    sides = (leaves(rows_in_use(frame, growing(frame, side, form, name))) for side in (left, right))
    for pair in zip(*sides, strict=True):
        columns = tuple(frame.take(part, f"{name}_{k}") for k, part in enumerate(pair))
        same = frame.inference.call(frame, Static(np.array_equal), columns, {}, name)
        met = frame.b.atom(frame.b.apply("and", met, frame.atom(same)))
    return met


def is_repetition(sign: str, left: Value, right: Value) -> bool:
    """Whether a list is repeated so often as is known when the program runs, or numbers more often than are taken each
    for itself."""
    return sign == "*" and any(
        isinstance(x, Nest) and x.cls is list and is_counted_or_many(x, y)
        for x, y in ((left, right), (right, left))
    )


def is_counted_or_many(held: Nest, times: Value) -> bool:
    match times:
        case Var():
            return times.type.dtype[0] in "iu"
        case Lit(int(count)):
            numbers = all(isinstance(each, Var | Lit) for each in held.items)
            return numbers and count * len(held.items) > LONGEST
    return False


def repeated(frame: Frame, held: Nest, times: Value, name: str) -> Value:
    """`held * times`"""
    if not held.items:
        return held
    b, kinds_of = frame.b, kinds_in(frame)
    form = form_of_list(held, kinds_of)
    check_form(form)
    rounds = b.apply("maximum", index_in_i8(b, b.wrap(frame.atom(times))), 0)
    count = b.apply("mul", rounds, len(held.items), name=f"{name}_count")

    def column(part: Any, items: list[Any]) -> Any:
        if isinstance(part, Nest):
            columns = zip(*(item.items for item in items), strict=True)
            return part.with_items(
                tuple(column(p, list(c)) for p, c in zip(part.items, columns, strict=True))
            )
        if not isinstance(part, Kind):
            return part
        rows = [b.wrap(as_kind(b, frame.atom(item), part)) for item in items]
        if len(rows) == 1 and not part.dims:
            made = b.apply("full", rows[0], count, dtype=part.dtype, name=name)
        else:
            made = over_and_over(frame, rows, part, rounds, name)
        return buffer_of(frame, made.atom, items)

    return GrowingList.of(b.atom(count), column(form, list(held.items)), python_parts(form))


def over_and_over(frame: Frame, rows: list[Any], part: Kind, rounds: Any, name: str) -> Any:
    b = frame.b
    stacked = b.apply("stack", *rows)
    sizes = tuple(map(b.size, part.dims))
    wide = b.apply("broadcast_to", stacked, rounds, len(rows), *sizes)
    return b.apply("reshape", wide, b.apply("mul", rounds, len(rows)), *sizes, name=name)
