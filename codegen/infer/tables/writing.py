"""Parts of dicts and sets whose keys are numbers, written: values at places that are there, slots made anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.infer.frame import Frame
from codegen.infer.kinds import Kind, as_kind
from codegen.infer.memory import buffers
from codegen.infer.tables.forms import entry_nest
from codegen.infer.tables.values import HeldList, Table
from codegen.infer.values import GrowingList, Value, leaves
from codegen.ir.buffers import with_rows_for


def fitted_number(frame: Frame, number: Any, column: Value) -> Any:
    """A number in the dtype of the array that it goes into."""
    return number_in_dtype(frame, number, frame.atom(column).type.dtype)


def number_in_dtype(frame: Frame, number: Any, dtype: str) -> Any:
    """A number in a dtype, Python's if it is one of Python's."""
    weak = number.type.weak
    made = as_kind(frame.b, number, Kind(dtype, (), weak))
    return frame.b.atom(frame.named(frame.b.wrap(made), "t", weak=weak))


def write_number(frame: Frame, column: Value, place: Any, number: Any) -> None:
    """Write a number into an array at a place that it has."""
    row = frame.b.wrap(fitted_number(frame, number, column))
    frame.write(column, buffers.with_row(frame.b, frame.atom(column), place, row).atom)


def values_of_table(table: Table) -> Value:
    """The arrays of a table's values."""
    rows: Any = table.entries.rows
    made: Value = rows if table.is_list else rows.items[1]
    return made


def write_value(frame: Frame, table: Table, place: Any, value: Value) -> None:
    """Give the entry at a place, from 0 on, another value."""
    for column, part in zip(leaves(values_of_table(table)), leaves(value), strict=True):
        write_number(frame, column, place, part)


def copy_row(frame: Frame, rows: Value, to: Any, of: Any) -> None:
    """Write what stands in a row into another one, in each array."""
    for column in leaves(rows):
        buffer = frame.atom(column)
        row = buffers.row_at(frame.b, buffer, of, "t")
        frame.write(column, buffers.with_row(frame.b, buffer, to, row).atom)


def free_slots(frame: Frame, size: Any, name: str) -> Any:
    """So many slots that are free, and that none is not."""
    return frame.b.apply("full", np.int64(0), frame.b.apply("add", size, 1), dtype="i8", name=name)


def append_row(frame: Frame, held: GrowingList, *numbers: Value) -> None:
    """Append an item of so many ints to a list that gets longer."""
    b, count = frame.b, frame.give(held.count)
    make_room(frame, held)
    for column, number in zip(leaves(held.rows), numbers, strict=True):
        write_number(frame, column, count, frame.atom(number))
    frame.write(held.count, b.atom(b.apply("add", count, 1)))


def make_room(frame: Frame, held: GrowingList) -> None:
    """Make the arrays of a list that gets longer larger if there is no room for one item more."""
    columns = [*leaves(held.rows)]
    atoms = [frame.atom(column) for column in columns]
    made = with_rows_for(frame.b, atoms, frame.give(held.count), 1, known=False)
    for column, atom in zip(columns, made, strict=True):
        frame.write(column, atom)


def has_room(frame: Frame, table: Table) -> Any:
    """Whether there is room for one entry more, and two slots of three at most are not free with it."""
    b = frame.b
    size = slot_count(frame, table)
    used = buffers.row_at(b, frame.atom(table.slots), size, "t")
    rows = frame.atom(next(leaves(table.entries.rows))).type.shape[0]
    free = b.apply("lt", used, b.apply("floordiv", b.apply("mul", 2, size), 3))
    return b.atom(b.apply("and", b.apply("lt", frame.give(table.entries.count), b.size(rows)), free))


def write_entry(frame: Frame, table: Table, at: Value, key: Value, *value: Value) -> None:
    """Write a key, and its value, behind the last entry, where there is room, and its place into a free slot."""
    b, count = frame.b, frame.give(table.entries.count)
    for column, leaf in zip(leaves(table.entries.rows), leaves(entry_nest(key, *value)), strict=True):
        write_number(frame, column, count, frame.atom(leaf))
    after = b.atom(b.apply("add", count, 1))
    frame.write(table.entries.count, after)
    write_number(frame, table.slots, frame.give(at), after)
    size = slot_count(frame, table)
    used = buffers.row_at(b, frame.atom(table.slots), size, "t")
    write_number(frame, table.slots, size, b.atom(b.apply("add", used, 1)))


def slot_count(frame: Frame, table: Table) -> Any:
    """How many slots there are; behind them is how many are not free."""
    return frame.b.apply("sub", frame.b.size(frame.atom(table.slots).type.shape[0]), 1)


def write_number_of(frame: Frame, held: HeldList, which: int, number: Value) -> None:
    write_number(frame, held.places.rows.items[which], frame.give(held.handle), frame.atom(number))
