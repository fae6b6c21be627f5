"""Python's functions that call what they are given: sorted by a key, map."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.infer.calls.builtins import PYTHON, is_left_out
from codegen.infer.calls.containers import is_known, known_object
from codegen.infer.calls.dispatch import call_value
from codegen.infer.calls.listed import as_list
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.frame import Frame
from codegen.infer.memory.list_items import (
    has_known_size,
    holds_numbers,
    in_use,
    list_as_array,
    rows_as_list,
    turned,
)
from codegen.infer.memory.subscripts import get_item
from codegen.infer.values import FALSE, GrowingList, Nest, Ref, Static, Value, View
from codegen.ir import Lit, Var
from codegen.ir.build import call


def python_sorted(
    frame: Frame, name: str, iterable: Value, /, *, key: Value | None = None, reverse: Value = FALSE
) -> Value:
    """In the order of keys that are known; of numbers of one dtype, in theirs."""
    if is_counted(frame, iterable):
        return numbers_in_order(frame, iterable, key, reverse)
    items = all_items(frame, iterable)
    of_itself = key is None or is_left_out(key)
    keys = (
        items if key is None or of_itself else [call_value(frame, key, (item,), {}, name) for item in items]
    )
    if not isinstance(reverse, Lit):
        raise frame.refusal("sorted(reverse=) takes a flag that is known")
    backwards = bool(reverse.value)
    with frame.refusing():
        if (told := known_keys(keys)) is not None:
            places = sorted(range(len(items)), key=told.__getitem__, reverse=backwards)
            return Nest(list, tuple(items[k] for k in places))
        if not (of_itself and len({v.type for v in items if isinstance(v, Var | Lit)}) == 1):
            raise TypeError("sorted() takes keys that are known, or numbers of one dtype: sort by np.argsort")
        array = frame.take(call(frame.b, np.array, frame.give(Nest(list, tuple(items)))), "t")
        array = call_value(frame, Static(np.sort), (array,), {}, "t")
        listed = [number_at(frame, array, k, items[0], name) for k in range(len(items))]
    return Nest(list, tuple(reversed(listed) if backwards else listed))


def numbers_in_order(frame: Frame, iterable: Value, key: Value | None, reverse: Value) -> Value:
    """The list of so many numbers as there turn out to be, in their order."""
    held = as_list(frame, iterable)
    if not is_left_out(key) or not (isinstance(held, GrowingList) and holds_numbers(frame, held)):
        raise frame.refusal(
            "sorted() of a length that is not known takes numbers, and no key: use np.argsort"
        )
    if not isinstance(reverse, Lit):
        raise frame.refusal("sorted(reverse=) takes a flag that is known")
    known = has_known_size(frame, held)
    given = padded(frame, held) if known else list_as_array(frame, held)
    made = call_value(frame, Static(np.sort), (given,), {}, "t")
    assert isinstance(made, Ref | View)
    listed = rows_as_list(frame, made, python=all(held.python))
    listed = GrowingList.of(held.count, listed.rows, listed.python) if known else listed
    return turned(frame, listed) if reverse.value else listed


def padded(frame: Frame, held: GrowingList) -> Value:
    """The numbers of a list and, behind them, in buffers of a known size, what NumPy's order has last."""
    b = frame.b
    rows = b.wrap(frame.atom(held.rows))
    last = np.nan if rows.type.is_float else True if rows.type.dtype == "b1" else np.iinfo(rows.dtype).max
    return frame.take(call(b, np.where, in_use(frame, held), rows, rows.dtype.type(last)), "t")


def known_keys(keys: list[Value]) -> list[Any] | None:
    """What keys compare as, if that is known: tuples also where no two begin alike, as the items of a dict do not."""
    if all(map(is_known, keys)):
        return [known_object(each) for each in keys]
    first = [each.items[0] for each in keys if isinstance(each, Nest) and each.cls is tuple and each.items]
    if len(first) < len(keys) or not all(map(is_known, first)):
        return None
    told = [known_object(each) for each in first]
    return told if len(set(told)) == len(told) else None


def number_at(frame: Frame, array: Value, k: int, like: Value, name: str) -> Value:
    """A number of an array, Python's or NumPy's as `like` is."""
    made = get_item(frame, array, k, frame.span, name)
    weak = isinstance(like, Var | Lit) and like.type.weak
    return frame.take(frame.named(frame.b.wrap(frame.atom(made)), name, weak=True), name) if weak else made


def python_map(frame: Frame, name: str, function: Value, /, *iterables: Value) -> Value:
    """The results, all at once: functions of programs do nothing but what they return."""
    if not iterables:
        raise frame.refusal("map() must have at least two arguments.")
    rows = zip(*(all_items(frame, each) for each in iterables), strict=False)
    made = (call_value(frame, function, row, {}, name) for row in rows)
    return Nest(tuple, tuple(made))


PYTHON[sorted] = python_sorted
PYTHON[map] = python_map
