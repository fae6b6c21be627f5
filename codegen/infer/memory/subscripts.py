"""Places of arrays and nests: what `x[i]` reads, and what assignment and augmented assignment write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from codegen.infer.complex_numbers.parts import is_complex, pair
from codegen.infer.complex_numbers.places import part_of_place, real_value, written_parts
from codegen.infer.control.conditions import either
from codegen.infer.control.known_places import are_of_other_sizes, by_fields, want_known
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Raises
from codegen.infer.memory.growing_lists import form_of_list, growing, kinds_in
from codegen.infer.memory.list_items import item_at, item_of_list
from codegen.infer.memory.list_objects import write_in_list
from codegen.infer.memory.steps import part_of_range, without_steps
from codegen.infer.memory.views import axes_back, places_in_base, view_of
from codegen.infer.optional import is_none
from codegen.infer.special_methods import item_by_method, items_in_turn
from codegen.infer.tables.changing import item_or_default, set_item_of_table
from codegen.infer.tables.forms import asked_for_lists
from codegen.infer.tables.lists import item_of_held, item_or_part, list_among, write_item_of_held
from codegen.infer.tables.reading import (
    as_gone_through,
    has_numbers_for_keys,
    item_in_text,
    key_given,
)
from codegen.infer.tables.values import HeldList, NewTable, Table
from codegen.infer.texts.letters import is_found_out, letters_of, taken_apart
from codegen.infer.values import GrowingList, Nest, Optional, Ref, Reversed, Static, Value, View, Zip, cell_of
from codegen.ir import Lit, Type, Var
from codegen.ir.build import Builder, E, call
from codegen.ir.exceptions import few_values
from codegen.ir.kinds import Access, Same
from codegen.ir.literals import code
from codegen.primitives.calls.subscripts import (
    adjoining,
    has_ellipsis,
    parse,
    read,
    read_slice,
    write,
    write_mask,
)
from codegen.primitives.row import FUNCTIONS
from codegen.source import SourceError, Span, list_changed, refuse, refusing


def get_item(
    frame: Frame, container: Value, index: Any, span: Span, name: str, *, at_base: bool = False
) -> Value:
    """`container[index]`; a part of an array by ints and slices is a view of it. `at_base`: it is to be written."""
    container = taken_apart(frame, container)
    if is_complex(container):
        return part_of_place(frame, container, index, span, name, get_item)
    if (by_method := item_by_method(frame, container, index)) is not None:
        return by_method
    if isinstance(container, Table | NewTable) and container.default is not None:
        return item_or_default(frame, container, key_given(frame, index), name)
    if isinstance(container, Table):
        return item_or_part(frame, container, index, name)
    if isinstance(container, HeldList):
        return item_of_held(frame, container, index, span, name)
    if isinstance(container, Nest):
        return item_of(frame, container, index, span)
    if isinstance(container, GrowingList):
        return item_of_list(frame, container, index, span, name)
    if isinstance(container, Static):
        return static_item(frame, container, index, span, name)
    if isinstance(container, Var | Lit) and not container.type.weak and is_of_new_axes(index):
        with refusing(span):  # NumPy's numbers take new axes, Python's none
            return frame.take(read(frame.b, frame.b.apply("copy", container), index), name)
    if not isinstance(container, Ref | View):
        return part_of_range(frame, container, index, span)
    with refusing(span):
        container, index = without_steps(frame, container, index)
        x, index, _ = adjoining(frame.b.wrap(frame.atom(container, span)), index)
        spec, operands = parse(frame.b, x.type, index)
        if not spec:
            return container
        view = read_through(frame, container, spec, operands, name, at_base=at_base)
        if view is None:
            made = read_slice(frame.b, x, spec, operands, name)
            if "a" in spec:
                return frame.new(made.atom, name)
            view = view_of(frame.b, container, made.atom)
    if view.atom.type.rank:
        return view
    return frame.point(view.atom, view) if has_ellipsis(index) else frame.take(view.atom, name)


def read_through(
    frame: Frame, view: Ref | View, spec: Any, operands: Any, name: str, *, at_base: bool
) -> View | None:
    """A part of a view as one of its base, where it is one by other places: those of `m.T` always, those of another
    shape once the base was written."""
    if isinstance(view, Ref) or view.made.primitive.kind is Access.READ and not at_stepped(view, spec):
        return None
    b, base, shape = frame.b, frame.atom(view.base), frame.atom(view)
    if view.made.primitive.kind is Same.RESHAPED and shape is view.atom and not at_base:
        return None
    found = places_in_base(b, base.type, view, shape, spec, tuple(frame.b.atom(o) for o in operands))
    if found is None:
        return None
    spec, places, order = found
    is_last = order == sorted(order)
    made = read_slice(b, b.wrap(base), spec, tuple(places), name if is_last else "t")
    part = replace(view_of(b, view.base, made.atom), fixed=view.fixed, relies=view.relies)
    if is_last:
        return part
    return view_of(b, part, b.apply("transpose", made, perm=axes_back(order), name=name).atom)


def at_stepped(view: View, spec: Any) -> bool:
    """Whether one of the places of a view of every k-th is asked for."""
    axis = len(view.made.params["spec"]) - 1
    return view.stepped is not None and axis < len(spec) and spec[axis] == "i"


def is_of_new_axes(index: Any) -> bool:
    """`...`, None and tuples of them."""
    return all(
        place is None or place is Ellipsis for place in (index if isinstance(index, tuple) else (index,))
    )


def item_of(frame: Frame, nest: Nest, index: Any, span: Span) -> Value:
    """An item of a tuple, list or dict by a known index; of numbers, or of tuples of numbers, by any."""
    if nest.cls is dict:
        found = nest.field(index) if isinstance(index, str | Enum) else None
        if found is None and not isinstance(index, str | Enum) and has_numbers_for_keys(nest):
            return item_in_text(frame, nest, key_given(frame, index), span)
        if found is None:
            keys = ", ".join(map(repr, nest.keys or ()))
            raise refuse(span, f"the key {index!r} is not in the dict: it has {keys}")
        return found
    if isinstance(index, slice):
        if any(isinstance(bound, E) for bound in (index.start, index.stop, index.step)):
            if nest.cls is list and nest.items:
                with unless_known(span):
                    return item_of_list(frame, as_counted_list(frame, nest), index, span, "t")
            raise refuse(span, "a slice of a tuple must have known bounds")
        return Nest(list if nest.cls is list else tuple, nest.items[index])
    if isinstance(index, np.integer):
        index = int(index)
    if nest.cls is list and not nest.items and isinstance(index, E | int):
        raise Raises("IndexError", "list index out of range")
    if isinstance(index, E):
        check_place(nest, index, span)
        want_known(frame, nest, index)
        if (columns := columns_of(nest := by_fields(frame, nest))) is not None:
            assert isinstance(nest.items[0], Nest)
            return nest.items[0].with_items(tuple(item_of(frame, column, index, span) for column in columns))
        if (
            any(is_complex(v) or isinstance(v, GrowingList | Optional) or is_none(v) for v in nest.items)
            or len({v.type for v in nest.items if isinstance(v, Var | Lit)}) > 1
            or are_of_other_sizes(frame, nest.items)
        ):
            with unless_known(span):
                return joined_item(frame, nest.items, index_from_front(frame, nest, index), span)
        if (among := list_among(frame, nest, index)) is not None:
            return among
        with asked_for_lists(frame, nest), unless_known(span), refusing(span):
            array = frame.take(call(frame.b, np.array, frame.give(nest, span)), "t")
        made = get_item(frame, array, index, span, "t")
        if isinstance(made, View):  # it may be each of them
            cells = dict.fromkeys(cell for item in nest.items if (cell := cell_of(item)) is not None)
            return frame.new(frame.atom(made), "t", tuple(cells))
        is_python = all(isinstance(v, Var | Lit) and v.type.weak for v in nest.items)
        if isinstance(made, Var) and is_python:
            return frame.take(frame.named(frame.b.wrap(made), "t", weak=True), "t")
        return made
    if not isinstance(index, int):
        raise refuse(span, f"a {nest.cls.__name__} is indexed by an int")
    if not -len(nest.items) <= index < len(nest.items):
        if frame.rounds > 1 or nest.cls is list and frame.depth:  # such an iteration may never come
            raise Raises("IndexError", f"{nest.cls.__name__} index out of range")
        raise refuse(span, f"index {index} is out of range for a {nest.cls.__name__} of {len(nest.items)}")
    return nest.items[index]


def as_counted_list(frame: Frame, nest: Nest) -> GrowingList:
    """A list as one whose length is not known."""
    try:
        return growing(frame, nest, form_of_list(nest, kinds_in(frame)), "listed")
    except Differ as differ:
        raise frame.refusal(f"{differ}: give all its items one kind and shape") from None


@contextmanager
def unless_known(span: Span) -> Iterator[None]:
    """What is refused of an index that may be any: where it is known there is more that can be done."""
    try:
        yield
    except SourceError as error:
        raise refuse(span, f"{error.msg}: the index is not known") from error


def check_place(nest: Nest, index: E, span: Span) -> None:
    type_ = index.type
    if type_.rank or not (type_.dtype[0] in "iu" or (type_.dtype == "b1" and type_.weak)):
        raise refuse(span, f"a {nest.cls.__name__} is indexed by an int, not by {type_}")


def index_from_front(frame: Frame, nest: Nest, index: E, doing: str = "") -> E:
    """An index that is known when the program runs, from the front; IndexError where there is no such place."""
    b, count = frame.b, len(nest.items)
    place: E = b.apply("cast", index, dtype="i8")
    inside = b.apply("and", b.apply("ge", place, -count), b.apply("lt", place, count))
    b.require(inside, "IndexError", f"{nest.cls.__name__} {doing}index out of range")
    made: E = b.apply("select", b.apply("lt", place, 0), b.apply("add", place, count), place)
    return made


def joined_item(frame: Frame, items: Sequence[Value], place: E, span: Span) -> Value:
    """The item at a place: what they are together, as values of one name on several ways are."""
    found = items[-1]
    for k, item in reversed(list(enumerate(items[:-1]))):
        here = frame.b.atom(frame.b.apply("eq", place, k))
        found = either(frame, here, item, found, span)
    return found


def columns_of(nest: Nest) -> list[Nest] | None:
    """First items, second items, ... of tuples or the like that are all made alike; None for other items."""
    first = nest.items[0] if nest.items else None
    if not isinstance(first, Nest) or not first.items:
        return None
    rows = [row for row in nest.items if isinstance(row, Nest)]
    kinds = {(row.cls, row.keys, len(row.items)) for row in rows}
    if len(rows) < len(nest.items) or len(kinds) > 1:
        return None
    return [Nest(tuple, column) for column in zip(*(row.items for row in rows), strict=True)]


def static_item(frame: Frame, container: Static, index: Any, span: Span, name: str) -> Value:
    """An item of a Python object of the enclosing scopes; what np.r_ and np.c_ make of a subscript."""
    if type(container.value).__hash__ is not None and container.value in FUNCTIONS:
        with refusing(span):
            return frame.take(FUNCTIONS[container.value](frame.b, index), name)
    if isinstance(container.value, str) and is_found_out(index):
        return item_of_list(frame, letters_of(frame, container), index, span, name)
    if isinstance(container.value, dict) and any(
        isinstance(each, E) for each in (index if isinstance(index, tuple) else (index,))
    ):
        raise refuse(span, "the key of a dict must be known before the program runs")
    try:
        return frame.constant(container.value[index], name, span)
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise refuse(span, f"{type(error).__name__}: {error}") from error


def items_of_value(frame: Frame, value: Value, span: Span, names: Sequence[str] = ()) -> list[Value]:
    """What unpacking gives: the items of a nest, or the rows of an array.

    An array of unknown length must have as many rows as there are names, which is checked when the program runs.
    """
    if is_complex(value):
        parts = [items_of_value(frame, part, span, names) for part in value.items]
        return [pair(re, im) for re, im in zip(*parts, strict=True)]
    value = as_gone_through(frame, taken_apart(frame, value), in_order=True)
    if isinstance(value, Nest):
        return items_in_turn(frame, value, span)
    if isinstance(value, Reversed):
        return items_of_value(frame, value.inner, span, names[::-1])[::-1]
    if isinstance(value, Zip):
        columns = [items_of_value(frame, inner, span) for inner in value.inners]
        return [Nest(tuple, row) for row in zip(*columns, strict=False)]
    if isinstance(value, GrowingList) and names:
        unpacked_length(frame.b, frame.atom(value.count), len(names))
        return [item_at(frame, value, k, name) for k, name in enumerate(names)]
    if isinstance(value, Ref | View):
        type_ = frame.atom(value, span).type
        if type_.rank and (isinstance(type_.shape[0], int) or names):
            count = unpacked_length(frame.b, type_.shape[0], len(names))
            named = [*names, *["t"] * (count - len(names))]
            return [get_item(frame, value, k, span, name) for k, name in zip(range(count), named)]
        if type_.rank:
            raise refuse(
                span, "an array of unknown length is unpacked: index it, or give names, none starred"
            )
    raise refuse(span, f"{frame.describe(value)} cannot be unpacked")


def unpacked_length(b: Builder, n: Any, wanted: int) -> int:
    """How many rows there are to unpack."""
    if isinstance(n, int):
        return n
    size = b.size(n)
    b.require(b.apply("ge", size, wanted), few_values(wanted), None, size)
    b.require(b.apply("le", size, wanted), "ValueError", f"too many values to unpack (expected {wanted})")
    return wanted


def set_item(frame: Frame, container: Value, index: Any, value: Value, span: Span) -> None:
    """`container[index] = value`."""
    if is_complex(container):
        for part, given in zip(container.items, written_parts(frame, value, span), strict=True):
            set_item(frame, part, index, given, span)
        return
    if isinstance(container, GrowingList) and container.fixed:
        write_in_list(frame, container, index, value, span)
        return
    if isinstance(container, Table | NewTable):
        set_item_of_table(frame, container, index, value)
        return
    if isinstance(container, HeldList):
        write_item_of_held(frame, container, index, value, span)
        return
    write_item(frame, check_writable(frame, container, span), index, value, span, how="update")


def check_writable(frame: Frame, container: Value, span: Span) -> Ref | View:
    if isinstance(container, GrowingList):
        raise list_changed(span, "a list is not changed in place here: make a new one, or use an array")
    if isinstance(container, Nest):
        words = f"a {container.cls.__name__} is not changed in place: make a new one, or use an array"
        raise list_changed(span, words) if container.cls is list else refuse(span, words)
    if not isinstance(container, Ref | View):
        raise refuse(span, f"{frame.describe(container)} has no places to write to")
    return container


def write_item(frame: Frame, target: Ref | View, index: Any, value: Value, span: Span, *, how: str) -> None:
    """Write, or add, a value at a place."""
    given = frame.give(real_value(value, span), span)
    with refusing(span):
        target, index = without_steps(frame, target, index)
        x = frame.b.wrap(frame.atom(target, span))
        if isinstance(given, tuple | list):
            given = call(frame.b, np.array, given)
        written = write(frame.b, x, index, given, how=how)
    frame.write(target, written.atom, span)


def write_under_mask(frame: Frame, target: Ref | View, mask: E, new: Value, span: Span) -> None:
    """The elements of `new` under a mask."""
    x = frame.b.wrap(frame.atom(target, span))
    check_castable(frame.atom(new, span).type, x.type, span)
    with refusing(span):
        frame.write(target, write_mask(frame.b, x, mask, frame.give(new, span)).atom, span)


def write_in_place(frame: Frame, old: Ref | View, new: Value, span: Span) -> None:
    """`x += v` on an array: the same object, dtype and shape."""
    before, after = frame.b.wrap(frame.atom(old, span)), frame.b.wrap(frame.atom(new, span))
    unfit = f"the result, {after.type}, does not fit the array it is written to, {before.type}"
    if before.type.rank != after.type.rank:
        raise refuse(span, unfit)
    if before.type.dtype != after.type.dtype:
        check_castable(after.type, before.type, span)
        after = after.astype(before.type.dtype)
    for n, m in zip(before.type.shape, after.type.shape, strict=True):
        if isinstance(n, int) and isinstance(m, int) and n != m:
            raise refuse(span, unfit)
        frame.b.same_size(n, m)
    if before.type.shape != after.type.shape:  # the array keeps its sizes, which the other's are shown to be
        after = write(frame.b, before, Ellipsis, after)
    frame.write(old, after.atom, span)


def check_castable(given: Type, place: Type, span: Span) -> None:
    """Whether NumPy writes the one into an array of the other in place."""
    if not np.can_cast(given.dtype, place.dtype, "same_kind"):
        raise refuse(span, f"cannot cast from {given.dtype} to {place.dtype} in place")


def can_accumulate(frame: Frame, container: Value, index: Any, value: Value) -> bool:
    """`x[i] += v` adds at the place itself unless index arrays could name one place twice, a mask selects, or the sum
    is of another dtype than the place."""
    if not isinstance(container, Ref | View) or isinstance(index, E) and index.type.rank:
        return False
    x = frame.b.wrap(frame.atom(container))
    if not x.type.is_float:
        return False
    if isinstance(value, Var | Lit | Ref | View):
        v = frame.atom(value).type
        if not v.weak and code(np.result_type(x.type.dtype, v.dtype)) != x.type.dtype:
            return False
    try:
        spec, _ = parse(frame.b.inner(), x.type, index)
    except (TypeError, ValueError):
        return False
    return "a" not in spec


def is_mask(index: Any) -> bool:
    return isinstance(index, E) and index.type.dtype == "b1" and bool(index.type.rank)
