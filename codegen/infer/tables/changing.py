"""Dicts and sets whose keys are numbers, made and changed.

d[k] = v          at = slot_of(d_keys, d_slots, k)
                  place = d_slots[at]
            ->    if place > 0:
                      d_values[place - 1] = v
                  else:
                      if d_count == len(d_keys) or ...:
                          d_keys, d_values, d_slots = make_room(d_count, d_keys, d_values, d_slots)
                          at = slot_of(d_keys, d_slots, k)
                      d_keys[d_count], d_values[d_count] = k, v
                      ...

What is done again and again looks for a key as reading does, once, and gives the dict no other arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from codegen.definitions.lists.tables import (
    LEAST_SLOTS,
    add_all,
    make_room,
    put_all,
    remove_element,
    remove_key,
)
from codegen.infer.control.conditions import conditional
from codegen.infer.frame import Frame
from codegen.infer.memory.growing_lists import form_of, form_of_list, is_list, kinds_in
from codegen.infer.memory.list_objects import growing_object
from codegen.infer.optional import NONE
from codegen.infer.tables.forms import (
    Held,
    entry_form,
    entry_nest,
    form_of_keys,
    form_of_table,
    kind_word,
    known_form,
    require_own,
    same_kinds,
    wanting_table,
    wide_form,
)
from codegen.infer.tables.lists import INT, handle_of, new_store
from codegen.infer.tables.reading import (
    fitted_key,
    key_given,
    missing,
    place_of_item,
    place_of_key,
    slot_and_place,
    value_under,
)
from codegen.infer.tables.values import (
    Default,
    HeldList,
    ListForm,
    NewTable,
    Table,
    TableDict,
    TableSet,
)
from codegen.infer.tables.writing import append_row, free_slots, has_room, write_entry, write_value
from codegen.infer.values import Cell, GrowingList, Nest, Ref, Static, Value, rebuild
from codegen.ir.literals import literal
from codegen.source import Span

# ---- made ----


def new_table(
    frame: Frame, kind: type, form: Any, name: str, at: Span, default: Default | None = None
) -> Table:
    """A table without entries, for such of a form."""
    store = None
    if len(form.items) > 1 and isinstance(form.items[1], ListForm):
        store = new_store(frame, form.items[1].items[0], name, at)
        form = form.with_items((form.items[0], INT))
    entries = growing_object(frame, Nest(list, ()), form, name, at)
    slots = Cell(f"{name}_slots", grows=True)
    frame.st.store[slots] = free_slots(frame, LEAST_SLOTS, f"{name}_slots").atom
    return Table.made(TableSet if kind is set else TableDict, entries, Ref(slots), default, store)


def made_empty(frame: Frame, kind: type, name: str, default: Default | None = None) -> Held:
    """A dict or set without keys: a table, if it is known to get keys that are numbers."""
    form = known_form(frame, frame.span)
    if form is None:
        return NewTable(kind, (), () if kind is dict else None, frame.span, default)
    return new_table(frame, kind, form, name, frame.span, default)


def made_of_entries(frame: Frame, kind: type, given: Iterable[tuple[Value, ...]], name: str) -> Held:
    """A dict or set of entries in turn."""
    made = made_empty(frame, kind, name)
    for parts in given:
        enter(frame, made, *parts)
    return made


def made_of_list(frame: Frame, kind: type, held: GrowingList, name: str) -> Held:
    """A dict of a list of pairs, a set of a list of keys."""
    made = made_empty(frame, kind, name)
    update(frame, made, held)
    return made


def copied_table(frame: Frame, table: Table, name: str) -> Table:
    """A table of its own with the same entries."""
    if table.store is not None:
        require_own(frame, table)

    def copied(leaf: Value) -> Value:
        if not isinstance(leaf, Ref):
            return leaf
        cell = Cell(name, grows=True)
        frame.st.store[cell] = frame.atom(leaf)
        if (at := frame.inference.made_at.get(leaf.cell)) is not None:
            frame.inference.made_at[cell] = at
        return Ref(cell)

    made: Table = rebuild(table, copied)
    if table.store is None:
        return replace(made, keys=("", "slots"))
    return made.with_items((*made.items[:-1], table.store))


# ---- changed ----


def enter(frame: Frame, held: Held, key: Value, *value: Value) -> None:
    """`held[key] = value`, `held.add(key)`"""
    require_own(frame, held)
    require_entries(frame, held, entry_form(frame, held, key, *value))
    assert isinstance(held, Table)
    if held.store is not None:
        value = (handle_of(frame, held, *value),)
    if held.entries.count.cell in frame.gone_through:
        enter_again(frame, held, key, *value)
        return
    key = fitted_key(frame, held, key)
    at, place = slot_and_place(frame, held, key)

    def change() -> Value:
        if value:
            write_value(frame, held, frame.b.apply("sub", place, 1), value[0])
        return NONE

    def again() -> Value:
        frame.inference.call(frame, Static(make_room), (held,), {}, "t")
        return slot_and_place(frame, held, key)[0]

    def put() -> Value:
        free = conditional(frame, has_room(frame, held), lambda: at, again, frame.span, "at")
        write_entry(frame, held, free, key, *value)
        return NONE

    conditional(frame, frame.b.atom(frame.b.apply("gt", place, 0)), change, put, frame.span, "t")


def require_entries(frame: Frame, held: Held, form: Any) -> None:
    """SourceError where a dict or set, as it was made, has no entries of a form."""
    if isinstance(held, NewTable) or not same_kinds(form, form_of_table(frame, held)):
        raise wanting_table(frame, held, form)


SIZE_CHANGED = "dictionary changed size during iteration"


def enter_again(frame: Frame, table: Table, key: Value, *value: Value) -> None:
    """`table[key] = value` in a loop over the table, which must have the key."""
    if frame.gone_through[table.entries.count.cell]:
        raise frame.refusal(
            "this may put a key into the dict that the loop around, which may be left early, goes through: go through "
            "list(...) of it"
        )
    place = place_of_key(frame, table, key)
    frame.b.require(frame.b.apply("gt", place, 0), "RuntimeError", SIZE_CHANGED)
    write_value(frame, table, frame.b.apply("sub", place, 1), value[0])


def item_or_default(frame: Frame, held: Held, key: Value, name: str) -> Value:
    """`held[key]` of a dict that has a number under keys which are not there."""
    assert held.default is not None
    number = Nest(list, ()) if held.default.number is None else literal(held.default.number)
    if isinstance(held, NewTable):
        if held.default.stays:
            raise wanting_table(frame, held, entry_form(frame, held, key, number))
        return number
    if held.default.stays:
        frame.inference.puts_new = True  # what has been made here has no name
        return item_or_put(frame, held, key, number, name)
    place = place_of_key(frame, held, key)
    there = frame.b.atom(frame.b.apply("gt", place, 0))
    found = partial(value_under, frame, held, place, name)
    return conditional(frame, there, found, lambda: number, frame.span, name)


def item_or_put(frame: Frame, table: Table, key: Value, value: Value, name: str) -> Value:
    """`table.setdefault(key, value)`"""
    if table.store is not None:
        return list_or_put(frame, table, key, value, name)
    place = place_of_key(frame, table, key)
    there = frame.b.atom(frame.b.apply("gt", place, 0))

    def put_there() -> Value:
        enter(frame, table, key, value)
        return value

    return conditional(
        frame, there, partial(value_under, frame, table, place, name), put_there, frame.span, name
    )


def list_or_put(frame: Frame, table: Table, key: Value, value: Value, name: str) -> Value:
    """The same, of a dict whose values are lists."""
    form = entry_form(frame, table, key, value)
    require_entries(frame, table, form)
    require_own(frame, table)
    place = place_of_key(frame, table, key)

    def found() -> Value:
        held = value_under(frame, table, place, name)
        assert isinstance(held, HeldList)
        return held.handle

    def put_there() -> Value:
        handle = handle_of(frame, table, value)
        enter(frame, table, key, HeldList.made(handle, table.store))
        return handle

    there = frame.b.atom(frame.b.apply("gt", place, 0))
    handle = conditional(frame, there, found, put_there, frame.span, f"{name}_list")
    return HeldList.made(handle, table.store)


def set_item_of_table(frame: Frame, held: Held, index: Any, value: Value) -> None:
    """`held[index] = value`, under every name that it has."""
    if kind_word(held) == "set":
        raise frame.refusal("a set has no items: write `.add(...)`")
    key = key_given(frame, index)
    if isinstance(held, Table) and held.is_list:
        place = place_of_item(frame, held, key, "list assignment index out of range")
        write_value(frame, held, place, number_put(frame, held, value))
        return
    enter(frame, held, key, value)


def put_behind(frame: Frame, table: Table, value: Value) -> None:
    """`table.append(value)` of a list of lists."""
    append_row(frame, table.entries, number_put(frame, table, value))


def number_put(frame: Frame, table: Table, value: Value) -> Value:
    """The number of a list that is put into a list of lists."""
    if not (is_list(value) or isinstance(value, HeldList)):
        raise frame.refusal(
            f"lists that get longer are in this list, and {frame.describe(value)} is put into it"
        )
    require_own(frame, table)
    require_entries(frame, table, entry_form(frame, table, literal(0), value))
    return handle_of(frame, table, value)


def with_known_key(frame: Frame, held: NewTable, index: Any, value: Value) -> Nest:
    """`held[index] = value` of a dict that one name has: what it is then, if the key is one of those that are known."""
    if not isinstance(index, int) or index not in (held.keys or ()):
        raise wanting_table(frame, held, entry_form(frame, held, key_given(frame, index), value))
    place = (held.keys or ()).index(index)
    return held.with_items((*held.items[:place], value, *held.items[place + 1 :]))


def augment_table(
    frame: Frame, table: Table, index: Any, change: Callable[[Value], Value], name: str
) -> None:
    """`table[index] op= value`: what `change` makes of the value that is there."""
    require_own(frame, table)
    key = key_given(frame, index)
    if table.default is not None:
        enter(frame, table, key, change(item_or_default(frame, table, key, name)))
        return
    place = place_of_key(frame, table, key)
    missing(frame, key, frame.b.apply("gt", place, 0))
    before = contents(frame, table)
    made = change(value_under(frame, table, place, name))
    form = entry_form(frame, table, key, made)
    require_entries(frame, table, form)
    if contents(frame, table) == before:
        write_value(frame, table, frame.b.apply("sub", place, 1), made)
    else:
        enter(frame, table, key, made)


def contents(frame: Frame, table: Table) -> list[Any]:
    """What tells where the keys of a table are."""
    return [frame.atom(leaf) for leaf in (table.entries.count, table.slots)]


def remove(frame: Frame, table: Table, key: Value) -> None:
    """Remove a key that is there."""
    require_own(frame, table)
    function = remove_element if table.is_set else remove_key
    frame.inference.call(frame, Static(function), (table, fitted_key(frame, table, key)), {}, "t")


def clear(frame: Frame, table: Table) -> None:
    """Remove all keys."""
    require_own(frame, table)
    frame.write(table.entries.count, frame.b.atom(0))
    frame.write(table.slots, free_slots(frame, LEAST_SLOTS, "slots").atom)


def check_entries(frame: Frame, held: Held, keys: GrowingList, *value: Value) -> None:
    """SourceError where a dict or set cannot have keys as those in a list, and this value."""
    given = tuple(form_of(each, kinds_in(frame)) for each in value)
    wanted = wide_form(
        frame, held, entry_nest(form_of_keys(frame, form_of_list(keys, kinds_in(frame))), *given)
    )
    require_entries(frame, held, wanted)


def update(frame: Frame, held: Held, more: GrowingList) -> None:
    """Put into a dict the pairs of a list, into a set its items."""
    require_own(frame, held)
    form: Any = form_of_list(more, kinds_in(frame))
    is_dict = held.cls in (dict, TableDict)
    if is_dict and not (isinstance(form, Nest) and form.cls is tuple and len(form.items) == 2):
        raise frame.refusal("a dict is made of pairs, and these are none")
    key, *value = form.items if is_dict else (form,)
    wanted = wide_form(frame, held, entry_nest(form_of_keys(frame, key), *value))
    require_entries(frame, held, wanted)
    frame.inference.call(frame, Static(put_all if is_dict else add_all), (held, more), {}, "t")
