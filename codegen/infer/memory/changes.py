"""Lists and dicts that one name owns, changed in place: the name is bound to what they are then."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.infer.control.conditions import either
from codegen.infer.control.iterables import all_items
from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import check_place, place_in
from codegen.infer.values import Nest, Value
from codegen.ir.build import E
from codegen.source import Span, refuse


def owned_nest(frame: Frame, name: str) -> Nest | None:
    """What a name owns, if it is a list or dict."""
    held = frame.st.env.get(name) if name in frame.owned else None
    return held if isinstance(held, Nest) and held.cls in (list, dict) else None


def with_item(frame: Frame, nest: Nest, index: Any, value: Value, span: Span) -> Nest:
    """`nest[index] = value`"""
    if nest.cls is dict:
        return with_key(nest, index, value, span)
    if isinstance(index, E):
        return with_item_somewhere(frame, nest, index, value, span)
    if isinstance(index, slice) or not isinstance(index, int | np.integer):
        raise refuse(span, "a list is changed at one place, known or an int: make a new one, or use an array")
    if not -len(nest.items) <= index < len(nest.items):
        raise refuse(span, f"index {index} is out of range for a list of {len(nest.items)}")
    items = list(nest.items)
    items[index] = value
    return nest.with_items(tuple(items))


def with_key(nest: Nest, key: Any, value: Value, span: Span) -> Nest:
    if not isinstance(key, str):
        raise refuse(span, "a dict's keys are texts that are known")
    keys, items = nest.keys or (), nest.items
    if key not in keys:
        return Nest(dict, (*items, value), (*keys, key))
    return nest.with_items(tuple(value if k == key else item for k, item in zip(keys, items, strict=True)))


def with_item_somewhere(frame: Frame, nest: Nest, index: E, value: Value, span: Span) -> Nest:
    """At a place that is known when the program runs: each item is the value or what it was."""
    check_place(nest, index, span)
    place = place_in(frame, nest, index, "assignment ")
    items: list[Value] = []
    for k, item in enumerate(nest.items):
        here = frame.b.atom(frame.b.apply("eq", place, k))
        items.append(either(frame, here, value, item, span))
    return nest.with_items(tuple(items))


def by_method(frame: Frame, nest: Nest, method: str, values: tuple[Value, ...], span: Span) -> Nest:
    """What a list is after `append`, `extend`, `insert`, `pop`, `reverse` or `clear`; a dict after `clear`."""
    items = nest.items
    if method == "clear" and not values:
        return Nest(nest.cls, (), () if nest.cls is dict else None)
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
            case "pop", () if items:
                return nest.with_items(items[:-1])
            case "pop", (at,) if isinstance(place := frame.give(at), int) and -len(items) <= place < len(
                items
            ):
                return nest.with_items(tuple(item for k, item in enumerate(items) if k != place % len(items)))
    raise refuse(span, f"{nest.cls.__name__}.{method} is not supported here: make a new one, or use an array")
