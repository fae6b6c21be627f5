"""Dicts and sets whose keys are numbers, as arguments of the main function: tables, made of arrays that it is given.

def f(d): d[k] += 1      ->      def f(d_keys, d_values):
                                     d_slots = slots_of(d_keys, len(d_keys))
                                     ...
                                     return ..., d_keys, d_values       the caller's dict has these then
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.definitions.lists.tables import slots_of
from codegen.infer.frame import Frame
from codegen.infer.memory.list_objects import named_rows
from codegen.infer.tables.forms import entry_nest, wanting_table
from codegen.infer.tables.lists import INT, PLACES
from codegen.infer.tables.values import GivenDict, ListStore, NewTable, OwnTable, Table, TableDict, TableSet
from codegen.infer.values import Cell, GrowingList, Nest, Ref, Static, Value, leaves
from codegen.ir import Atom
from codegen.ir.build import call


@dataclass(frozen=True, eq=False)
class Opened:
    """A dict or set that is an argument, as a table, and what it had when the function began."""

    table: Table
    before: tuple[Atom, ...]

    @property
    def cells(self) -> frozenset[Cell]:
        """Its objects, which the caller has, too."""
        return frozenset(leaf.cell for leaf in leaves(self.table) if isinstance(leaf, Ref))

    def is_changed(self, frame: Frame) -> bool:
        return self.before != contents_of(frame, self.table)


def contents_of(frame: Frame, table: Table) -> tuple[Atom, ...]:
    parts = (leaf for part in (table.entries, table.store) for leaf in leaves(part))
    return tuple(frame.atom(leaf) for leaf in parts if isinstance(leaf, Ref))


def opened(frame: Frame, value: Value, name: str, found: list[Opened], of: GivenDict | None = None) -> Value:
    """A value with tables in place of dicts and sets that are given as arrays, which are `found`. `of`: the argument
    that it is in."""
    of = of or GivenDict(name)
    if not isinstance(value, Nest) or isinstance(value, Table):
        return value
    if value.cls not in (TableDict, TableSet):
        items = tuple(opened(frame, item, label, found, of) for label, item in value.named(name))
        return (
            value if all(a is b for a, b in zip(items, value.items, strict=True)) else value.with_items(items)
        )
    listed: Any = value.items
    given, *lists = listed

    def own(leaf: Value, label: str) -> Ref:
        cell = Cell(label, grows=True)
        frame.st.store[cell] = frame.atom(leaf)
        frame.inference.made_at[cell] = of
        return Ref(cell)

    def as_object(rows: Value, count: Value, python: tuple[bool, ...], name: str) -> GrowingList:
        parts = Nest(tuple, (own(count, f"{name}_count"), named_rows(rows, name, own)), ("count", ""))
        return GrowingList(parts, python, fixed=True, grows=True)

    store = None
    rows: Any = given.rows
    if lists:
        (items,), word = lists, (value.keys or ())[1]
        keys, lengths = rows.items
        starts, handles = starts_of(frame, lengths, name)
        columns = Nest(dict, (starts, lengths, lengths), PLACES)
        places = as_object(columns, given.count, (True, True, True), f"{name}_lists")
        store = ListStore.made(
            places, as_object(items.rows, items.count, items.python, f"{name}_{word}"), word
        )
        rows = Nest(dict, (keys, handles), ("keys", "values"))
    entries = as_object(rows, given.count, given.python, name)
    rows, count = entries.rows, entries.count
    slots = frame.inference.call(frame, Static(slots_of), (rows.items[0], count), {}, f"{name}_slots")
    made = Table.made(value.cls, entries, own(slots, f"{name}_slots"), None, store)
    found.append(Opened(made, contents_of(frame, made)))
    return made


def starts_of(frame: Frame, lengths: Value, name: str) -> tuple[Value, Value]:
    """Where lists so long begin, that are one after the other; and their numbers."""
    b, x = frame.b, frame.give(lengths)
    starts = b.apply("sub", call(b, np.cumsum, x), x, name=f"{name}_lists_starts")
    numbers = call(b, np.arange, b.size(x.type.shape[0]))
    return frame.take(starts, "starts"), frame.take(frame.named(numbers, f"{name}_values"), "numbers")


def with_own_tables(frame: Frame, value: Any, tables: list[Opened]) -> tuple[Value, tuple[int, ...]]:
    """What a main function gives: its caller's own dicts and sets in place of tables that are arguments, and behind it
    all of these that it changed; and which these are."""
    own = {each.table.entries.count.cell: OwnTable(k) for k, each in enumerate(tables)}

    def told(part: Any) -> Any:
        if isinstance(part, Table) and (place := own.get(part.entries.count.cell)) is not None:
            return Static(place)
        return part.with_items(tuple(map(told, part.items))) if isinstance(part, Nest) else part

    changed = tuple(k for k, each in enumerate(tables) if each.is_changed(frame))
    value = told(value)
    if not changed:
        return value, ()
    return Nest(tuple, (value, *(tables[k].table for k in changed))), changed


def want_given_sets(frame: Frame | None, value: Any) -> None:
    """SourceError where a set that was given without elements is returned: the caller's own, which tables are."""
    if isinstance(value, NewTable) and value.cls is set and isinstance(value.made, GivenDict) and frame:
        raise wanting_table(frame, value, entry_nest(INT))
    for part in value.items if isinstance(value, Nest) else ():
        want_given_sets(frame, part)
