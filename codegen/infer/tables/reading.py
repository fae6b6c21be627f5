"""Dicts and sets whose keys are numbers, read: what is under a key, whether it is there, their keys and values.

v = d[k]               at = slot_of(d_keys, d_slots, k)
               ->      if d_slots[at] <= 0: raise KeyError(k)
                       v = d_values[d_slots[at] - 1]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.definitions.lists.tables import slot_of, slots_of
from codegen.infer.control.conditions import either
from codegen.infer.control.truth import both
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Raises
from codegen.infer.memory import buffers
from codegen.infer.memory.growing_lists import part_kinds, unify_forms
from codegen.infer.memory.list_items import item_at, place_among
from codegen.infer.tables.forms import (
    form_of_table,
    key_form,
    key_of,
    kind_word,
    known_key,
    require_known,
    wanting_table,
)
from codegen.infer.tables.places import int_at, list_number
from codegen.infer.tables.values import (
    READ_ONLY,
    HeldList,
    Lists,
    ListStore,
    NewTable,
    OfLists,
    Table,
    TableDict,
    TableSet,
)
from codegen.infer.tables.writing import number_in_dtype
from codegen.infer.texts.known_texts import is_letter
from codegen.infer.texts.wording import value_pieces
from codegen.infer.values import GrowingList, Nest, Static, Value, leaves, rebuild
from codegen.ir.build import E
from codegen.ir.exceptions import Said, Thrown
from codegen.ir.literals import name_of
from codegen.read.scope import item_targets, target_name
from codegen.source import Span


def key_given(frame: Frame, index: Any) -> Value:
    """What stands between brackets as a value."""
    if isinstance(index, tuple):
        return Nest(tuple, tuple(key_given(frame, each) for each in index))
    if isinstance(index, E | bool | int | float | np.generic):
        return frame.take(index, "key")
    return index if is_letter(index) else Static(index)


def keys_of_table(table: Table) -> Value:
    """The arrays of a table's keys."""
    made: Value = table.entries.rows.items[0]
    return made


def fitted_key(frame: Frame, table: Table, key: Value) -> Value:
    """A key in the dtypes of a table's."""
    wanted = form_of_table(frame, table).items[0]
    if is_letter(wanted) and isinstance(key, Static) and isinstance(key.value, str):
        key = wanted.cls.chosen(key)
    given = key_form(frame, key)
    try:
        wide = unify_forms(wanted, given)
    except Differ:
        word = kind_word(table)
        raise frame.refusal(
            f"the keys of this {word} are other ones than {frame.describe(key)}: give them one kind"
        ) from None
    dtypes = [[k.dtype for k in part_kinds(form)] for form in (wide, wanted)]
    if dtypes[0] != dtypes[1]:
        form = form_of_table(frame, table)
        raise wanting_table(frame, table, form.with_items((wide, *form.items[1:])))
    kinds: Any = iter(part_kinds(wanted))
    made: Value = rebuild(key, lambda leaf: number_in_dtype(frame, leaf, next(kinds).dtype))
    return made


def place_of_key(frame: Frame, table: Table, key: Value) -> Any:
    """The place of a key's entry, from 1 on; not positive where there is none."""
    return slot_and_place(frame, table, fitted_key(frame, table, key))[1]


def slot_and_place(frame: Frame, table: Table, key: Value) -> tuple[Value, Any]:
    """The slot of a key in the dtypes of a table's, or the free one where it would be; and the place in it."""
    arguments = keys_of_table(table), table.slots, key
    at = frame.inference.call(frame, Static(slot_of), arguments, {}, "at")
    return at, frame.give(int_at(frame, table.slots, frame.give(at), "place"))


def is_in_table(frame: Frame, held: Nest, key: Value) -> Any:
    """Whether a key is there."""
    if isinstance(held, Table) and held.is_list:
        raise frame.refusal("what is in a list of lists is asked for in a loop")
    if not isinstance(held, Table):
        return is_in_text(frame, held, key)
    return frame.b.apply("gt", place_of_key(frame, held, key), 0)


def is_in_text(frame: Frame, held: Nest, key: Value) -> Any:
    """Whether a key is one of those that are known from the text."""
    key_form(frame, key)
    if known_key(key) is None:
        require_known(frame, held)
    met: Any = False
    for each in held.keys or ():
        met = both(frame, "or", met, same_key(frame, key, each))
    return met


def same_key(frame: Frame, key: Value, known: Any) -> Any:
    """Whether a key is one that is known."""
    parts, others = [*leaves(key)], [*leaves(key_of(known))]
    if (
        isinstance(known, str)
        or isinstance(known, tuple) != isinstance(key, Nest)
        or len(parts) != len(others)
    ):
        return False
    met: Any = True
    for part, other in zip(parts, others, strict=True):
        met = both(frame, "and", met, frame.b.apply("eq", frame.give(part), frame.give(other)))
    return met


def has_numbers_for_keys(nest: Nest) -> bool:
    """Whether a dict has keys that are numbers, or may get them."""
    return isinstance(nest, NewTable) or any(isinstance(key, int | tuple) for key in nest.keys or ())


def item_in_text(frame: Frame, held: Nest, key: Value, span: Span) -> Value:
    """`held[key]` of keys that are known from the text: the values must be such as one name may have."""
    known = known_key(key)
    if known is not None and known in (held.keys or ()):
        return held.items[(held.keys or ()).index(known)]
    if known is None:
        require_known(frame, held)
    there = is_in_text(frame, held, key)
    missing(frame, key, there)
    if there is False:
        raise Raises("KeyError", "")
    *first, last = zip(held.keys or (), held.items, strict=True)
    found = last[1]
    for each, item in reversed(first):
        found = either(frame, frame.b.atom(same_key(frame, key, each)), item, found, span)
    return found


def missing(frame: Frame, key: Value, there: Any) -> None:
    """KeyError unless a key is there."""
    values: list[Any] = []
    told: list[str] = []
    pieces = value_pieces(key, frame, values, frame.span, told)
    frame.b.require(there, Thrown(KeyError, (Said(tuple(pieces), "".join(told)),)), None, *values)


def value_under(frame: Frame, table: Table, place: Any, name: str) -> Value:
    """The value at a place, from 1 on, that is there."""
    value = item_at(frame, value_list(table), frame.b.apply("sub", place, 1), name)
    if table.store is None:
        return value
    held = HeldList.made(value, table.store)
    return held if table.store.is_of_lists else table_of_held(frame, held, name)


def table_of_held(frame: Frame, held: HeldList, name: str) -> Table:
    """A dict or set that is a value of a dict that is an argument, to be read."""
    window: Any = window_of(frame, held)
    is_set = held.store.keys[1] == "elements"
    parts = (window.rows,) if is_set else window.rows.items
    count = frame.new(window.count, f"{name}_count")
    rows = Nest(dict, parts, ("keys", "values")[: len(parts)])
    slots = frame.inference.call(frame, Static(slots_of), (parts[0], count), {}, f"{name}_slots")
    objects: tuple[Any, ...] = (count, slots, *leaves(rows))
    for leaf in objects:
        leaf.cell.grows = True
    entries = GrowingList(Nest(tuple, (count, rows), ("count", "")), window.python, fixed=True, grows=True)
    return Table(TableSet if is_set else TableDict, (entries, slots), READ_ONLY)


def window_of(frame: Frame, held: HeldList) -> Value:
    """A list that is a value of a dict as a list of its own, of the items that it has now."""
    if not isinstance(held.all_items, GrowingList):
        return Nest(list, ())
    start, length = (
        frame.give(list_number(frame, held, k, name)) for k, name in enumerate(("start", "length"))
    )
    return part_of_store(frame, held.store, start, length)


def part_of_store(frame: Frame, store: ListStore, start: Any, length: Any) -> GrowingList:
    """The list of so many of the items of all lists."""
    items, stop = store.all_items, frame.b.apply("add", start, length)
    return part_of_rows(frame, items.rows, items.python, (start, stop), length)


def part_of_rows(
    frame: Frame, rows: Any, python: tuple[bool, ...], between: tuple[Any, Any], length: Any
) -> GrowingList:
    """The list of the items between two places of arrays, which are so many."""
    b, (start, stop) = frame.b, between

    def part(leaf: Value) -> Value:
        buffer = frame.atom(leaf)
        made = b.apply("index", buffer, start, stop, spec=buffers.PART, name=name_of(buffer))
        return frame.new(made.atom, name_of(buffer))

    return GrowingList.of(b.atom(length), rebuild(rows, part), python)


def as_list_alone(frame: Frame, value: Value) -> Value:
    """A list that is a value of a dict as a list of its own; other values as they are."""
    if isinstance(value, Lists):
        raise frame.refusal(
            "the lists of a dict are gone through one by one: write a loop, or a comprehension"
        )
    return window_of(frame, value) if isinstance(value, HeldList) else value


def item_of_table(frame: Frame, table: Table, key: Value, name: str) -> Value:
    """`table[key]`"""
    if table.is_set:
        raise frame.refusal("a set has no items: ask what is in it by `in`")
    if table.is_list:
        place = place_of_item(frame, table, key)
        return value_under(frame, table, frame.b.apply("add", frame.b.wrap(frame.b.atom(place)), 1), name)
    place = place_of_key(frame, table, key)
    missing(frame, key, frame.b.apply("gt", place, 0))
    return value_under(frame, table, place, name)


def place_of_item(frame: Frame, table: Table, key: Value, said: str = "list index out of range") -> Any:
    """A place in a list of lists, from the front."""
    if frame.define in frame.inference.within_lists:
        return frame.give(key)
    count = frame.b.wrap(frame.atom(table.entries.count))
    return place_among(frame.b, count, frame.give(key), frame.span, said)


# ---- what is gone through ----


def part_list(table: Table, rows: Any, python: tuple[bool, ...]) -> GrowingList:
    return GrowingList(
        Nest(tuple, (table.entries.count, rows), ("count", "")), python, fixed=True, grows=True
    )


def key_list(table: Table) -> GrowingList:
    """The keys, as a list."""
    rows = keys_of_table(table)
    return part_list(table, rows, table.entries.python[: count_of_leaves(rows)])


def value_list(table: Table) -> GrowingList:
    """The values, as a list."""
    if table.is_list:
        listed: GrowingList = table.entries
        return listed
    keys, values = table.entries.rows.items
    return part_list(table, values, table.entries.python[count_of_leaves(keys) :])


def entry_list(table: Table) -> GrowingList:
    """The keys and values, as a list of pairs."""
    return part_list(table, Nest(tuple, table.entries.rows.items), table.entries.python)


def count_of_leaves(value: Value) -> int:
    return sum(1 for leaf in leaves(value) if not isinstance(leaf, Static))


def as_gone_through(frame: Frame, value: Value, *, in_order: bool) -> Value:
    """A table as the list of its keys, in which a loop goes through it; of a set's order nothing may hang on."""
    if not isinstance(value, Table):
        return as_list_alone(frame, value)
    if value.is_list:
        return Lists(OfLists, (value,))
    if value.is_set and in_order:
        raise frame.refusal(
            "a set is gone through in an order that hangs on how CPython stores it: go through sorted(...) of it"
        )
    return key_list(value)


def length_of(frame: Frame, through: HeldList | Lists) -> Any:
    """How many items a list in a dict has, or how many lists there are."""
    if isinstance(through, HeldList):
        return list_number(frame, through, 1, "length")
    return frame.atom(through.table.entries.count)


def item_of_lists(frame: Frame, through: HeldList | Lists) -> Callable[[Frame, Any, Any], Value]:
    """What a loop's target is at an index."""
    if isinstance(through, HeldList):
        items, start = through.all_items, frame.give(list_number(frame, through, 0, "start"))
        return lambda inner, i, target: item_at(
            inner, items, inner.b.apply("add", start, inner.b.wrap(i)), target_name(target, "x")
        )
    table = through.table

    def entry(inner: Frame, i: Any, target: Any) -> Value:
        key, *value = item_targets(target, 2) if through.with_keys else (None, target)
        place = inner.b.apply("add", inner.b.wrap(i), 1)
        held = value_under(inner, table, place, target_name(value[0], "x"))
        if not through.with_keys:
            return held
        return Nest(tuple, (item_at(inner, key_list(table), inner.b.wrap(i), target_name(key, "x")), held))

    return entry
