"""What definitions of lists in dicts are made of (definitions/lists/held_lists.py): reads and writes at places that are
there."""

from __future__ import annotations

from typing import Any

from codegen.definitions.lists import held_lists
from codegen.infer.calls.builtins import PYTHON
from codegen.infer.frame import Frame
from codegen.infer.optional import NONE
from codegen.infer.tables.lists import number_of_list
from codegen.infer.tables.places import list_number
from codegen.infer.tables.values import HeldList
from codegen.infer.tables.writing import copy_row, write_number, write_number_of
from codegen.infer.values import Value, leaves
from codegen.ir.buffers import with_rows_for


def build_start(frame: Frame, name: str, held: HeldList, /) -> Value:
    return list_number(frame, held, 0, name)


def build_room(frame: Frame, name: str, held: HeldList, /) -> Value:
    return list_number(frame, held, 2, name)


def build_end(frame: Frame, name: str, held: HeldList, /) -> Value:
    return frame.atom(held.all_items.count)


def build_more(frame: Frame, name: str, held: HeldList, more: Value, /) -> Value:
    b, items = frame.b, held.all_items
    columns: list[Any] = [*leaves(items.rows)]
    count, number = frame.give(items.count), frame.give(more)
    made = with_rows_for(b, [frame.atom(column) for column in columns], count, number, known=False)
    for column, atom in zip(columns, made, strict=True):
        frame.write(column, atom)
    frame.write(items.count, b.atom(b.apply("add", count, number)))
    return NONE


def build_set_length(frame: Frame, name: str, held: HeldList, length: Value, /) -> Value:
    write_number_of(frame, held, 1, length)
    return NONE


def build_set_place(frame: Frame, name: str, held: HeldList, start: Value, room: Value, /) -> Value:
    write_number_of(frame, held, 0, start)
    write_number_of(frame, held, 2, room)
    return NONE


def build_write(frame: Frame, name: str, held: HeldList, place: Value, item: Value, /) -> Value:
    for column, part in zip(leaves(held.all_items.rows), leaves(item), strict=True):
        write_number(frame, column, frame.give(place), frame.atom(part))
    return NONE


def build_copy(frame: Frame, name: str, held: HeldList, to: Value, of: Value, /) -> Value:
    copy_row(frame, held.all_items.rows, frame.give(to), frame.give(of))
    return NONE


def build_put(frame: Frame, name: str, store: Any, xs: Value, /) -> Value:
    return number_of_list(frame, store, xs)


LIST_PARTS: dict[Any, Any] = {
    held_lists.list_put: build_put,
    held_lists.start_of: build_start,
    held_lists.room_of: build_room,
    held_lists.end_of_items: build_end,
    held_lists.more_room: build_more,
    held_lists.set_length: build_set_length,
    held_lists.set_place: build_set_place,
    held_lists.write_at: build_write,
    held_lists.copy_within: build_copy,
}
PYTHON.update(LIST_PARTS)
