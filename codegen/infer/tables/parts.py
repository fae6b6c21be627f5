"""What definitions of tables are made of (definitions/lists/tables.py): reads and writes at places that are there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import codegen.infer.tables.list_parts  # noqa: F401  (what it has is among Python's functions then)
from codegen.definitions.lists import tables
from codegen.infer.calls.builtins import PYTHON
from codegen.infer.frame import Frame
from codegen.infer.memory import buffers
from codegen.infer.optional import NONE
from codegen.infer.tables.lists import key_of_number, number_of_held
from codegen.infer.tables.places import int_at
from codegen.infer.tables.reading import as_list_alone, key_list, keys_of_table
from codegen.infer.tables.values import HeldList, Table
from codegen.infer.tables.writing import (
    copy_row,
    free_slots,
    has_room,
    make_room,
    write_entry,
    write_number,
    write_value,
)
from codegen.infer.values import Static, Value, leaves, rebuild
from codegen.ir import Lit, Var

BITS = 2**63 - 1
HALF, LOW, PRIME = (
    2**62 - 1,
    2**42 - 1,
    1_000_003,
)  # ints below 2**42, times this one, and more ints are below 2**63


def build_inside(frame: Frame, name: str, x: Value, place: Value, /) -> Value:
    return int_at(frame, x, frame.give(place), name)


def build_keys_in(frame: Frame, name: str, table: Table, /) -> Value:
    return keys_of_table(table)


def build_slots_in(frame: Frame, name: str, table: Table, /) -> Value:
    slots: Value = table.slots
    return slots


def build_key_at(frame: Frame, name: str, keys: Value, place: Value, /) -> Value:
    made: Value = rebuild(keys, lambda leaf: int_at(frame, leaf, frame.give(place), name))
    return made


def build_is_key(frame: Frame, name: str, keys: Value, place: Value, key: Value, /) -> Value:
    b, met = frame.b, None
    for column, part in zip(leaves(keys), leaves(key), strict=True):
        same = b.apply("eq", buffers.row_at(b, frame.atom(column), frame.give(place), "t"), frame.give(part))
        met = same if met is None else b.apply("and", met, same)
    return b.atom(frame.named(met, name, weak=True))


def build_scrambled(frame: Frame, name: str, key: Value, /) -> Value:
    b, first, *rest = frame.b, *bits(frame, key)
    made = b.apply("bitand", first, BITS) if not rest else first
    for part in rest:
        made = b.apply("mul", b.apply("bitand", made, LOW), PRIME)
        made = b.apply("add", made, b.apply("bitand", part, HALF))
    return frame.take(frame.named(made, name, weak=True), name)


def bits(frame: Frame, key: Value) -> Iterator[Any]:
    """The ints in a key."""
    for part in leaves(key):
        assert isinstance(part, Var | Lit)
        yield (
            frame.b.apply("cast", frame.give(part), dtype="i8")
            if part.type.dtype != "i8"
            else frame.give(part)
        )


def build_fill(frame: Frame, name: str, x: Value, place: Value, value: Value, /) -> Value:
    write_number(frame, x, frame.give(place), frame.atom(value))
    return NONE


def build_free(frame: Frame, name: str, size: Value, /) -> Value:
    return frame.take(free_slots(frame, frame.give(size), name), name)


def build_new_slots(frame: Frame, name: str, table: Table, slots: Value, /) -> Value:
    frame.write(table.slots, frame.atom(slots))
    return NONE


def build_has_room(frame: Frame, name: str, table: Table, /) -> Value:
    return has_room(frame, table)


def build_make_room(frame: Frame, name: str, table: Table, /) -> Value:
    make_room(frame, table.entries)
    return NONE


def build_write_entry(frame: Frame, name: str, table: Table, at: Value, /, *entry: Value) -> Value:
    write_entry(frame, table, at, *entry)
    return NONE


def build_give_value(frame: Frame, name: str, table: Table, place: Value, value: Value, /) -> Value:
    write_value(frame, table, frame.give(place), value)
    return NONE


def build_copy_entry(frame: Frame, name: str, table: Table, to: Value, of: Value, /) -> Value:
    copy_row(frame, table.entries.rows, frame.give(to), frame.give(of))
    return NONE


def build_drop_last(frame: Frame, name: str, table: Table, /) -> Value:
    count = frame.b.apply("sub", frame.give(table.entries.count), 1)
    frame.write(table.entries.count, count.atom)
    return NONE


def build_elements(frame: Frame, name: str, table: Value, /) -> Value:
    return key_list(table) if isinstance(table, Table) else table


def build_number_of_held(frame: Frame, name: str, held: HeldList, /) -> Value:
    made: Value = held.handle
    return made


def build_key(frame: Frame, name: str, key: Value, table: Table, number: Value, /) -> Value:
    held = HeldList.made(number, table.store)
    given = as_list_alone(frame, held) if isinstance(key, Static) else held  # of one of Python's functions
    return frame.inference.call(frame, key, (given,), {}, name)


PARTS: dict[Any, Any] = {
    number_of_held: build_number_of_held,
    key_of_number: build_key,
    tables.inside: build_inside,
    tables.keys_in: build_keys_in,
    tables.slots_in: build_slots_in,
    tables.key_at: build_key_at,
    tables.is_key: build_is_key,
    tables.scrambled: build_scrambled,
    tables.fill: build_fill,
    tables.free_slots: build_free,
    tables.new_slots: build_new_slots,
    tables.has_room: build_has_room,
    tables.make_room_for_entry: build_make_room,
    tables.write_entry: build_write_entry,
    tables.write_value: build_give_value,
    tables.copy_entry: build_copy_entry,
    tables.drop_last: build_drop_last,
    tables.elements: build_elements,
}
PYTHON.update(PARTS)
