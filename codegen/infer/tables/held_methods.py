"""Methods of lists that are values of dicts whose keys are numbers, or in lists of lists, and of these.

d[k].append(v)     ->      append_to(d_values[place], d_lists_starts, d_lists_lengths, d_lists_rooms, d_items, v)
d[k].sort()        ->      listed = ordered(the items); as many of them anew
"""

from __future__ import annotations

from codegen.definitions.lists.held_lists import append_to
from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.frame import Frame
from codegen.infer.memory.growing_lists import copied
from codegen.infer.memory.growing_objects import changed_list, items_added, plain_list
from codegen.infer.memory.list_items import item_at
from codegen.infer.memory.list_methods import count_or_index, list_method
from codegen.infer.optional import NONE
from codegen.infer.tables.changing import number_put, put_behind
from codegen.infer.tables.forms import require_own
from codegen.infer.tables.lists import by_number, note_named, of_numbers, put_items, require_form
from codegen.infer.tables.places import list_number
from codegen.infer.tables.reading import window_of
from codegen.infer.tables.values import HeldList, Table
from codegen.infer.tables.writing import write_number_of
from codegen.infer.values import GrowingList, Method, Nest, Static, Value, cell_of
from codegen.ir.literals import literal


def held_method(
    frame: Frame, held: HeldList, method: str, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """`held.method(...)`"""
    if method in ("copy", "count", "index") and isinstance(held.all_items, GrowingList):
        window = window_of(frame, held)
        return window if method == "copy" else list_method(frame, window, method, arguments, name)  # type: ignore[arg-type]
    note_named(frame, held.store, changed=True)
    added = items_added(frame, method, arguments)
    require_form(frame, held.store, added)
    if not isinstance(held.all_items, GrowingList):
        return of_no_items(frame, method, arguments)
    match method, arguments:
        case "append", (item,):
            frame.inference.call(frame, Static(append_to), (held, item), {}, "t")
        case "extend", _:
            put_items(frame, held, added)
        case "clear", ():
            write_number_of(frame, held, 1, literal(0))
        case "pop", ():
            b, length = frame.b, frame.give(list_number(frame, held, 1, "length"))
            b.require(b.apply("gt", length, 0), "IndexError", "pop from empty list")
            last = b.apply("sub", length, 1)
            place = b.apply("add", frame.give(list_number(frame, held, 0, "start")), last)
            item = item_at(frame, held.all_items, place, name)
            write_number_of(frame, held, 1, last.atom)
            return item
        case _:
            plain = plain_list(frame, window_of(frame, held))  # type: ignore[arg-type]
            with frame.reserving(frozenset()):
                made, item = changed_list(frame, plain, method, arguments, keywords, name)
            write_number_of(frame, held, 1, literal(0))
            put_items(frame, held, made)
            return item
    return NONE


def of_no_items(frame: Frame, method: str, arguments: Arguments) -> Value:
    """The same of a list to which nothing was put yet."""
    errors = {
        "pop": ("IndexError", "pop from empty list"),
        "__delitem__": ("IndexError", "list assignment index out of range"),
        "remove": ("ValueError", "list.remove(x): x not in list"),
    }
    if method == "index":
        return count_or_index(frame, Nest(list, ()), method, arguments, "t")
    if method in errors:
        frame.b.require(frame.b.atom(False), *errors[method])
    if method == "copy":
        return Nest(list, ())
    return literal(0) if method == "count" else NONE


def augment_list(frame: Frame, held: Value, sign: str, more: Value) -> None:
    """`held += more`"""
    if sign != "+" or not isinstance(held, HeldList):
        raise frame.refusal(f"`{sign}=` of a list in a dict is not supported: write a loop")
    held_method(frame, held, "extend", (more,), {}, "t")


# ---- lists of lists: what lists do, done with the numbers of those in them ----

OF_LISTS = ("__delitem__", "append", "clear", "copy", "extend", "insert", "pop", "reverse", "sort")


def lists_method(
    frame: Frame, table: Table, method: str, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """`table.method(...)`"""
    require_own(frame, table)
    match method, arguments:
        case "append", (value,):
            put_behind(frame, table, value)
            return NONE
        case "copy", ():
            return of_numbers(frame, table, table.entries, name)
        case "insert", (at, value):
            arguments = at, number_put(frame, table, value)
        case "extend", (more,):
            arguments = (numbers_put(frame, table, more),)
        case "sort", () if (key := keywords.get("key")) is not None:
            keywords = {**keywords, "key": by_number(table, key)}
        case "sort", _:
            raise frame.refusal("lists in a list are put in order by a key: `key=...`")
    made = frame.inference.call(frame, Method(table.entries, method), arguments, keywords, name)
    return HeldList.made(made, table.store) if method == "pop" else made


def numbers_put(frame: Frame, table: Table, more: Value) -> Value:
    """The numbers of lists that are put behind the others."""
    if isinstance(more, Table) and more.is_list:
        if cell_of(more.store.places.count) is not cell_of(table.store.places.count):
            raise frame.refusal("lists in one list are put into another one: put a copy of each, `list(...)`")
        return copied(frame, more.entries)
    if is_counted(frame, more):
        raise frame.refusal("lists are put behind others one by one: write a loop")
    return Nest(list, tuple(number_put(frame, table, each) for each in all_items(frame, more)))
