"""Lists and dicts that one name owns, changed in place: the name is bound to what they are then."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from codegen.infer.calls.dispatch import call_value
from codegen.infer.control.conditions import either
from codegen.infer.control.iterables import all_items
from codegen.infer.control.known_places import want_known
from codegen.infer.frame import Frame
from codegen.infer.kinds import Raises
from codegen.infer.memory import list_changes
from codegen.infer.memory.growing_lists import is_list
from codegen.infer.memory.list_parts import with_part, without_item
from codegen.infer.memory.subscripts import check_place, index_from_front, item_of
from codegen.infer.tables.changing import with_known_key
from codegen.infer.tables.methods import put_from, table_method
from codegen.infer.tables.reading import has_numbers_for_keys
from codegen.infer.tables.values import NewTable, Table
from codegen.infer.texts.known_texts import is_letters
from codegen.infer.texts.letters import is_text_value
from codegen.infer.texts.text_operators import item_by_text
from codegen.infer.values import GrowingList, Method, Nest, Static, Value
from codegen.ir.build import E
from codegen.read import tree
from codegen.source import Span, refuse

Owned = Nest | GrowingList


def owned_nest(frame: Frame, name: str) -> Owned | None:
    """What a name owns, if it is a list or dict."""
    held = frame.st.env.get(name) if name in frame.owned else None
    if isinstance(held, GrowingList) and held.grows or isinstance(held, Table) or is_letters(held):
        return None
    return held if is_list(held) or isinstance(held, Nest) and held.cls is dict else None  # type: ignore[return-value]


def with_item(frame: Frame, nest: Owned, index: Any, value: Value, span: Span) -> Owned:
    """`nest[index] = value`"""
    if isinstance(index, slice) and is_list(nest):
        return with_part(frame, nest, index, value, span)
    if isinstance(nest, GrowingList):
        return list_changes.with_item_at(frame, nest, index, value, span)
    if nest.cls is dict:
        return with_key(frame, nest, index, value, span)
    if isinstance(index, E):
        return with_item_somewhere(frame, nest, index, value, span)
    if not isinstance(index, int | np.integer):
        raise refuse(span, "a list is indexed by an int")
    if not -len(nest.items) <= index < len(nest.items):
        if frame.depth:  # the list may be longer in another iteration
            raise Raises("IndexError", "list assignment index out of range")
        raise refuse(span, f"index {index} is out of range for a list of {len(nest.items)}")
    items = list(nest.items)
    items[index] = value
    return nest.with_items(tuple(items))


def with_key(frame: Frame, nest: Nest, key: Any, value: Value, span: Span) -> Nest:
    if isinstance(nest, NewTable) and not isinstance(key, str):
        return with_known_key(frame, nest, key, value)
    if is_text_value(key):
        held, place = item_by_text(frame, nest, key, span)
        written = with_item(frame, Nest(list, held.items), place, value, span)  # type: ignore[union-attr]
        return nest.with_items(written.items)  # type: ignore[union-attr]
    if not isinstance(key, str | Enum) or has_numbers_for_keys(nest) and nest.keys:
        raise refuse(span, "a dict has texts that are known for keys, or numbers")
    keys, items = nest.keys or (), nest.items
    if key not in keys:
        return Nest(dict, (*items, value), (*keys, key))
    return nest.with_items(tuple(value if k == key else item for k, item in zip(keys, items, strict=True)))


def with_item_somewhere(frame: Frame, nest: Nest, index: E, value: Value, span: Span) -> Nest:
    """At a place that is known when the program runs: each item is the value or what it was."""
    check_place(nest, index, span)
    want_known(frame, nest, index, value)
    place = index_from_front(frame, nest, index, "assignment ")
    items: list[Value] = []
    for k, item in enumerate(nest.items):
        here = frame.b.atom(frame.b.apply("eq", place, k))
        items.append(either(frame, here, value, item, span))
    return nest.with_items(tuple(items))


def popped(frame: Frame, node: tree.CallExpr) -> tuple[str, Owned] | None:
    """The name in `name.pop(...)`, and the list or dict that it owns."""
    match node.function:
        case tree.Attribute(_, tree.Name(_, name), "pop") if (held := owned_nest(frame, name)) is not None:
            return name, held
    return None


def pop(frame: Frame, name: str, held: Owned, arguments: tuple[Value, ...], span: Span) -> Value:
    """`name.pop(...)`: the item, which is no longer in the list."""
    if isinstance(held, GrowingList):
        frame.st.env[name], item = list_changes.list_pop(frame, held, arguments, span)
        return item
    if held.cls is dict:
        frame.st.env[name], item = without_key(frame, held, arguments, span)
        return item
    if not held.items:
        raise Raises("IndexError", "pop from empty list")
    place = frame.give(arguments[0]) if arguments else -1
    if len(arguments) > 1 or not isinstance(place, int):
        grown = list_changes.as_growing(frame, held, name)
        frame.st.env[name], item = list_changes.list_pop(frame, grown, arguments, span)
        return item
    if not -len(held.items) <= place < len(held.items):
        raise refuse(span, "pop index out of range")
    items = list(held.items)
    item = items.pop(place)
    frame.st.env[name] = held.with_items(tuple(items))
    return item


def without_key(frame: Frame, held: Nest, arguments: tuple[Value, ...], span: Span) -> tuple[Nest, Value]:
    """A dict without a key, and what it had there, or the default that `pop` is given."""
    if isinstance(held, NewTable):
        return held, table_method(frame, held, "pop", arguments, {}, "t")
    key = frame.give(arguments[0]) if arguments else None
    if len(arguments) == 2 and isinstance(key, str | Enum) and held.field(key) is None:
        return held, arguments[1]
    item = item_of(frame, held, key, span)
    pairs = [(k, v) for k, v in zip(held.keys or (), held.items, strict=True) if k != key]
    return Nest(dict, tuple(v for _, v in pairs), tuple(k for k, _ in pairs)), item


def with_keys(frame: Frame, nest: Nest, more: Value, span: Span) -> Nest:
    """`nest.update(more)`"""
    if isinstance(nest, NewTable) and (isinstance(more, Table) or has_numbers_for_keys(more)):  # type: ignore[arg-type]
        put_from(frame, nest, more)
    assert isinstance(more, Nest)
    for key, value in zip(more.keys or (), more.items, strict=True):
        nest = with_key(frame, nest, key, value, span)
    return nest


def without_items(nest: Nest) -> Nest:
    """A list or dict without items."""
    keys = () if nest.cls is dict else None
    return NewTable(dict, (), keys, nest.made) if isinstance(nest, NewTable) else Nest(nest.cls, (), keys)


def by_method(
    frame: Frame,
    name: str,
    nest: Owned,
    method: str,
    values: tuple[Value, ...],
    span: Span,
    keywords: dict[str, Value] | None = None,
) -> Owned:
    """What a list is after a method that changes it, a dict after `clear`."""
    grows = method == "extend" and len(values) == 1 and list_changes.is_of_unknown_length(frame, values[0])
    grows = grows or method == "insert" and len(values) == 2 and isinstance(frame.give(values[0]), E)
    if method == "sort" and not values and is_list(nest):
        return call_value(frame, Static(sorted), (nest,), keywords or {}, name)  # type: ignore[return-value]
    if method == "__delitem__" and isinstance(nest, NewTable):
        table_method(frame, nest, method, values, {}, name)
        return nest
    if method == "__delitem__":
        return without_item(frame, name, nest, frame.give(values[0]), span)
    if method == "remove" and len(values) == 1 and is_list(nest):
        if isinstance(nest, Nest) and not nest.items:
            raise Raises("ValueError", "list.remove(x): x not in list")
        place = call_value(frame, Method(nest, "index"), values, {}, "place")
        pop(frame, name, nest, (place,), span)
        return frame.st.env[name]  # type: ignore[return-value]
    if isinstance(nest, GrowingList) or grows:
        return list_changes.list_by_method(frame, name, nest, method, values, span)
    items = nest.items
    if method == "update" and nest.cls is dict and len(values) <= 1:
        return with_keys(frame, nest, call_value(frame, Static(dict), values, keywords or {}, name), span)
    if method == "clear" and not values:
        return without_items(nest)
    if nest.cls is list:
        match method, values:
            case "append", (value,):
                return nest.with_items((*items, value))
            case "extend", (more,):
                return nest.with_items((*items, *all_items(frame, more)))
            case "reverse", ():
                return nest.with_items(items[::-1])
            case "insert", (at, value) if isinstance(place := frame.give(at), int):
                listed = list(items)
                listed.insert(place, value)
                return nest.with_items(tuple(listed))
    raise refuse(span, f"{nest.cls.__name__}.{method} is not supported here: make a new one, or use an array")
