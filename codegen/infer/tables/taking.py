"""What methods of dicts and sets whose keys are numbers give of a key, and remove."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.infer.control.conditions import conditional
from codegen.infer.frame import Frame
from codegen.infer.kinds import Raises
from codegen.infer.memory.list_items import item_at
from codegen.infer.optional import NONE
from codegen.infer.tables.changing import remove
from codegen.infer.tables.forms import Held, wanting_table, wide_form
from codegen.infer.tables.places import list_number
from codegen.infer.tables.reading import (
    as_list_alone,
    entry_list,
    is_in_table,
    item_in_text,
    missing,
    part_of_store,
    place_of_key,
    value_under,
    window_of,
)
from codegen.infer.tables.values import HeldList, NewTable, Table
from codegen.infer.values import GrowingList, Nest, Value
from codegen.ir.literals import literal

PARTS_OF = ("start", "length")


def counts_keys(held: Held) -> bool:
    return held.default is not None and not held.default.stays


def got(frame: Frame, held: Held, key: Value, default: Value, name: str) -> Value:
    """`held.get(key, default)`"""
    if isinstance(held, NewTable):
        return if_there(frame, held, key, lambda: item_in_text(frame, held, key, frame.span), default, name)
    place = place_of_key(frame, held, key)
    there = frame.b.atom(frame.b.apply("gt", place, 0))
    if (
        held.store is not None
        and held.store.is_of_lists
        and isinstance(default, Nest)
        and default.cls is list
    ):
        return list_or(frame, held, there, place, default, name)
    return conditional(
        frame, there, lambda: value_under(frame, held, place, name), lambda: default, frame.span, name
    )


def list_or(frame: Frame, table: Table, there: Any, place: Any, default: Nest, name: str) -> Value:
    """A list that is a value of a dict, if it is there, or another one: a list of its own."""

    def found() -> Value:
        held = value_under(frame, table, place, name)
        assert isinstance(held, HeldList)
        if default.items:
            return window_of(frame, held)
        return Nest(tuple, tuple(list_number(frame, held, k, each) for k, each in enumerate(PARTS_OF)))

    if default.items or not isinstance(table.store.all_items, GrowingList):
        return conditional(frame, there, found, lambda: default, frame.span, name)
    none = Nest(tuple, (literal(0), literal(0)))
    made = conditional(frame, there, found, lambda: none, frame.span, name)
    assert isinstance(made, Nest)
    return part_of_store(frame, table.store, *map(frame.give, made.items))


def popped_key(frame: Frame, held: Held, key: Value, name: str) -> Value:
    """`held.pop(key)`, `del held[key]`"""
    if isinstance(held, NewTable):
        there = is_in_table(frame, held, key)
        missing(frame, key, there)
        if there is False:
            raise Raises("KeyError", "")
        raise wanting_table(frame, held, wide_form(frame, held, None))
    place = place_of_key(frame, held, key)
    missing(frame, key, frame.b.apply("gt", place, 0))
    item = NONE if held.is_set else value_under(frame, held, place, name)
    remove(frame, held, key)
    return item


def popped_or(frame: Frame, held: Held, key: Value, default: Value, name: str) -> Value:
    """`held.pop(key, default)`"""
    if (
        isinstance(held, Table)
        and held.store is not None
        and isinstance(default, Nest)
        and default.cls is list
    ):
        return if_there(
            frame, held, key, lambda: as_list_alone(frame, popped_key(frame, held, key, name)), default, name
        )
    return if_there(frame, held, key, lambda: popped_key(frame, held, key, name), default, name)


def if_there(
    frame: Frame, held: Held, key: Value, found: Callable[[], Value], default: Value, name: str
) -> Value:
    """What is found of a key, or the default where it is not there."""
    there: Any = is_in_table(frame, held, key)
    if there is False:
        return default
    return conditional(frame, frame.b.atom(there), found, lambda: default, frame.span, name)


def last_popped(frame: Frame, held: Held, name: str) -> Value:
    """`held.popitem()`"""
    if isinstance(held, NewTable):
        if not held.items:
            raise Raises("KeyError", "popitem(): dictionary is empty")
        raise wanting_table(frame, held, wide_form(frame, held, None))
    count = frame.give(held.entries.count)
    frame.b.require(frame.b.apply("gt", count, 0), "KeyError", "popitem(): dictionary is empty")
    pair = item_at(frame, entry_list(held), frame.b.apply("sub", count, 1), name)
    assert isinstance(pair, Nest)
    remove(frame, held, pair.items[0])
    if held.store is None:
        return pair
    return pair.with_items((pair.items[0], HeldList.made(pair.items[1], held.store)))
