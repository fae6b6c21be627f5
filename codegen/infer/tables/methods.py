"""Methods of dicts and sets whose keys are numbers; those of sets alone are in sets.py."""

from __future__ import annotations

from codegen.definitions.lists.tables import most_common
from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.frame import Frame
from codegen.infer.optional import NONE
from codegen.infer.tables.changing import clear, copied_table, enter, item_or_put, update
from codegen.infer.tables.forms import (
    Held,
    kind_word,
    require_known,
    require_no_lists,
    wanting_table,
    wide_form,
)
from codegen.infer.tables.held_methods import OF_LISTS, held_method, lists_method
from codegen.infer.tables.reading import (
    entry_list,
    item_in_text,
    item_of_table,
    key_list,
    value_list,
)
from codegen.infer.tables.sets import IN_SETS, OF_SETS, OTHERS_OF_SETS, set_method
from codegen.infer.tables.taking import counts_keys, got, last_popped, popped_key, popped_or
from codegen.infer.tables.values import HeldList, Lists, NewTable, OfLists, Table, TableList
from codegen.infer.values import GrowingList, Method, Nest, Static, Value

OF_DICTS = (
    "__delitem__",
    "__getitem__",
    "clear",
    "copy",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
)


def table_methods(held: Held) -> tuple[str, ...]:
    """The names of the methods that there are."""
    if held.cls is TableList:
        return OF_LISTS
    if counts_keys(held):
        return (*OF_DICTS, "most_common", "total")
    return OF_DICTS if kind_word(held) == "dict" else (*OF_SETS, *IN_SETS, *OTHERS_OF_SETS)


def looked_up(key: Value) -> Value:
    """A key function: `d.get`, which gives None for what is no key, nothing that is compared, as `d[...]`."""
    match key:
        case Method(Table() as held, "get"):
            return Method(held, "__getitem__")
    return key


def table_method(
    frame: Frame, held: Held | HeldList, method: str, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """`held.method(...)`"""
    if isinstance(held, HeldList):
        return held_method(frame, held, method, arguments, keywords, name)
    if isinstance(held, Table) and held.is_list:
        return lists_method(frame, held, method, arguments, keywords, name)
    if keywords:
        raise frame.refusal(f"{kind_word(held)}.{method} takes its arguments by position here")
    if kind_word(held) == "set":
        return set_method(frame, held, method, arguments, name)
    match method, arguments:
        case "keys" | "values" | "items", ():
            return gone_through_by(frame, held, method)
        case "most_common", _ if counts_keys(held) and len(arguments) < 2:
            if isinstance(held, NewTable):
                return Nest(list, ())
            return frame.inference.call(frame, Static(most_common), (held, *arguments), {}, name)
        case "total", () if counts_keys(held):
            return frame.inference.call(
                frame, Static(sum), (gone_through_by(frame, held, "values"),), {}, name
            )
        case "get", (key,):
            return got(frame, held, key, NONE, name)
        case "get", (key, default):
            return got(frame, held, key, default, name)
        case "__getitem__", (key,):
            return (
                item_of_table(frame, held, key, name)
                if isinstance(held, Table)
                else item_in_text(frame, held, key, frame.span)
            )
        case "setdefault", (key, default):
            if isinstance(held, NewTable):
                enter(frame, held, key, default)
            assert isinstance(held, Table)
            return item_or_put(frame, held, key, default, name)
        case "__delitem__" | "pop", (key,):
            return popped_key(frame, held, key, name)
        case "pop", (key, default):
            return popped_or(frame, held, key, default, name)
        case "popitem", ():
            return last_popped(frame, held, name)
        case "update", (more,):
            return put_from(frame, held, more)
        case "clear", ():
            if isinstance(held, NewTable) and held.items:
                raise wanting_table(frame, held, wide_form(frame, held, None))
            if isinstance(held, Table):
                clear(frame, held)
            return NONE
        case "copy", ():
            return copied_table(frame, held, name) if isinstance(held, Table) else held
    raise frame.refusal(f"dict.{method} is not supported here with {len(arguments)} arguments: write a loop")


def gone_through_by(frame: Frame, held: Held, method: str) -> Value:
    """What `keys`, `values` and `items` give."""
    if isinstance(held, Table) and held.store is not None and method != "keys":
        return Lists(OfLists, (held,), None, method == "items")
    if isinstance(held, Table):
        return {"keys": key_list, "values": value_list, "items": entry_list}[method](held)
    require_known(frame, held)
    keys = held.iterated()
    if method == "keys":
        return Nest(tuple, tuple(keys))
    if method == "values":
        return Nest(tuple, held.items)
    return Nest(tuple, tuple(Nest(tuple, pair) for pair in zip(keys, held.items, strict=True)))


def put_from(frame: Frame, held: Held, more: Value) -> Value:
    """`held.update(more)` of a dict, or of pairs."""
    match more:
        case Table():
            require_no_lists(frame, more)
            update(frame, held, entry_list(more))
        case GrowingList():
            update(frame, held, more)
        case Nest(cls) if cls is dict:
            for key, value in zip(more.iterated(), more.items, strict=True):
                enter(frame, held, key, value)
        case Nest(cls, items) if cls in (list, tuple):
            for pair in items:
                if not (isinstance(pair, Nest) and len(pair.items) == 2):
                    raise frame.refusal("a dict is made of pairs, and these are none")
                enter(frame, held, *pair.items)
        case _:
            raise frame.refusal(f"update() of {frame.describe(more)} is not supported: write a loop")
    return NONE
