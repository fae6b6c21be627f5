"""Items of lists whose length is not known: one at a place, those of a slice, all as an array."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from codegen.definitions.lists.equal_items import equal_items
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.frame import Frame
from codegen.infer.kinds import Kind, Raises
from codegen.infer.memory import buffers
from codegen.infer.memory.aliases import whole_list
from codegen.infer.memory.growing_lists import (
    ITEM,
    buffer_of,
    count_of,
    holds_lists,
    size_of,
    with_buffers,
)
from codegen.infer.memory.steps import cut_in_i8, place_and_count
from codegen.infer.memory.views import view_of
from codegen.infer.objects.assigned import has_own
from codegen.infer.objects.placed import Placed
from codegen.infer.texts.among import number_among
from codegen.infer.texts.known_texts import Texts, by_itself, is_letters, is_words
from codegen.infer.values import (
    Cell,
    GrowingList,
    Nest,
    Ref,
    Static,
    Value,
    View,
    Wording,
    complex_pair,
    rebuild,
)
from codegen.ir import Atom, Lit, Var
from codegen.ir.build import Builder, E
from codegen.ir.literals import name_of, size_atom
from codegen.source import Span, refuse


def item_of_list(frame: Frame, held: GrowingList, index: Any, span: Span, name: str) -> Value:
    """`xs[index]`: an item, or the list of those of a slice."""
    if isinstance(index, slice):
        return part_of_list(frame, held, index, span)
    said = f"{'string' if is_letters(held) else 'list'} index out of range"
    return item_at(frame, held, place_in_list(frame, held, index, span, said), name)


def place_in_list(
    frame: Frame, held: GrowingList, index: Any, span: Span, said: str = "list index out of range"
) -> Any:
    """A place from the front; IndexError where there is no such one."""
    if frame.define in frame.inference.within_lists:
        return index
    return place_among(frame.b, count_of(frame, held), index, span, said)


def place_among(b: Builder, count: Any, index: Any, span: Span, said: str = "list index out of range") -> Any:
    """The same among so many items."""
    if isinstance(index, np.integer):
        index = int(index)
    type_ = b.atom(index).type if isinstance(index, E | int | bool) else None
    if type_ is None or type_.rank or not (type_.dtype[0] in "iu" or type_.dtype == "b1" and type_.weak):
        raise refuse(span, "a list is indexed by an int")
    if isinstance(index, int):
        inside = b.apply("gt", count, index) if index >= 0 else b.apply("ge", count, -index)
        b.require(inside, "IndexError", said)
        return index if index >= 0 else b.apply("sub", count, -index)
    place = in_i8(b, index)
    inside = b.apply("and", b.apply("ge", place, b.apply("neg", count)), b.apply("lt", place, count))
    b.require(inside, "IndexError", said)
    return b.apply("select", b.apply("lt", place, 0), b.apply("add", place, count), place)


def item_at(frame: Frame, held: GrowingList, place: Any, name: str) -> Value:
    """The item at a place that there is. An array in it is a copy, which is the item as long as neither is written."""
    python = iter(held.python)

    def row(leaf: Any) -> View:
        made = buffers.row_at(frame.b, frame.atom(leaf), place, name)
        return view_of(frame.b, leaf, made.atom)

    if held.fixed and holds_lists(frame, held):
        return whole_list(rebuild(held.rows, row), held.python, frame.st)

    def part(leaf: Value) -> Value:
        if not isinstance(leaf, Ref | View):
            return leaf
        made = buffers.row_at(frame.b, frame.atom(leaf), place, name)
        is_python = next(python)
        if not made.type.rank:
            return frame.take(frame.named(made, name, weak=is_python), name)
        cell = Cell(name, shared=ITEM, bases=leaf.cell.bases if isinstance(leaf, Ref) else ())
        frame.st.store[cell] = made.atom
        count = size_atom(made.type.shape[0])
        return GrowingList.of(count, Ref(cell), (True,)) if is_python else Ref(cell)

    return by_itself(rebuild(held.rows, part))


def part_of_list(frame: Frame, held: GrowingList, cut: slice, span: Span) -> GrowingList:
    """The list of the items of a slice. One from a known place on, to the end, keeps its buffers' known size."""
    b, count, cut = frame.b, count_of(frame, held), cut_in_i8(frame, cut)
    step = 1 if cut.step is None else cut.step
    if not isinstance(step, int):
        first, number = place_and_count(frame, cut, frame.atom(held.count))
        return chosen_items(frame, held, b.atom(number), first, step)
    if step == 0:
        raise Raises("ValueError", "slice step cannot be zero")
    start, stop = cut.start, cut.stop
    if step == 1 and (start is None or isinstance(start, int) and start >= 0):
        end = count if stop is None else last_place(frame, stop, count)
        skipped = min(start or 0, size) if isinstance(size := size_of(frame, held), int) else start or 0
        left = b.apply("maximum", b.apply("sub", end, skipped), 0) if skipped else end

        def rest(leaf: Ref) -> Atom:
            rows = b.wrap(frame.atom(leaf))
            return rows[skipped:].atom if skipped else rows.atom

        return with_buffers(frame, held, rest, left)
    return list_slice(frame, held, start, stop, step)


def list_slice(frame: Frame, held: GrowingList, start: Any, stop: Any, step: int) -> GrowingList:
    """The list of every step-th item from one place to another, as Python's slices have them."""
    b, count = frame.b, count_of(frame, held)
    if step > 0:
        first = 0 if start is None else last_place(frame, start, count)
        end = count if stop is None else last_place(frame, stop, count)
        distance = b.apply("sub", end, first)
    else:
        first = b.apply("sub", count, 1)
        first = first if start is None else b.apply("minimum", from_front(frame, start, count, -1), first)
        end = -1 if stop is None else from_front(frame, stop, count, -1)
        distance = b.apply("sub", first, end)
    size = abs(step)
    number = distance if size == 1 else b.apply("floordiv", b.apply("add", distance, size - 1), size)
    return chosen_items(frame, held, b.atom(b.apply("maximum", number, 0)), first, step)


def turned(frame: Frame, held: GrowingList) -> GrowingList:
    """The items in the other order."""
    last = frame.b.apply("sub", count_of(frame, held), 1)
    return chosen_items(frame, held, frame.atom(held.count), last, -1)


def chosen_items(frame: Frame, held: GrowingList, count: Atom, first: Any, step: Any) -> GrowingList:
    """The list of so many items from a place on, in steps, in buffers as large."""
    b = frame.b

    def rows(leaf: Ref) -> Atom:
        buffer = frame.atom(leaf)
        type_ = buffer.type
        into = buffers.made(b, b.size(type_.shape[0]), Kind(type_.dtype, type_.shape[1:]), "t").atom
        moved = buffers.moved_rows(
            b,
            into,
            buffer,
            b.wrap(count),
            lambda c, k: k,
            lambda c, k: c.apply("add", first, c.apply("mul", k, step)),
        )
        return moved.atom

    return with_buffers(frame, held, rows, b.wrap(count))


def last_place(frame: Frame, place: Any, count: Any) -> Any:
    """Where a slice begins or ends, from the front."""
    if isinstance(place, int) and place < 0:
        return from_front(frame, place, count, 0)
    return frame.b.apply("minimum", from_front(frame, place, count, 0), count)


def from_front(frame: Frame, place: Any, count: Any, least: int) -> Any:
    """A place that may be counted from the end, from the front; the least where there is no such one."""
    b = frame.b
    if isinstance(place, int):
        return place if place >= 0 else b.apply("maximum", b.apply("sub", count, -place), least)
    place = in_i8(b, place)
    back = b.apply("maximum", b.apply("add", place, count), least)
    return b.apply("select", b.apply("lt", place, 0), back, place)


def in_i8(b: Builder, index: Any) -> Any:
    """A place in 64 bits."""
    return index if index.type.dtype == "i8" else b.apply("cast", index, dtype="i8")


def rows_in_use(frame: Frame, held: GrowingList) -> Any:
    """The items' structure with the array of all that the list has there."""
    count = count_of(frame, held)

    def part(leaf: Value) -> Any:
        return buffers.first_rows(frame.b, frame.atom(leaf), count) if isinstance(leaf, Ref | View) else leaf

    return rebuild(held.rows, part)


def is_complex_list(value: Value) -> TypeGuard[GrowingList]:
    return isinstance(value, GrowingList) and is_complex(value.rows)


def list_as_array(frame: Frame, held: GrowingList) -> Ref | Nest:
    """A list of numbers, or of arrays, as an array of its own."""
    if is_complex_list(held):
        re, im = rows_in_use(frame, held).items
        return complex_pair(frame.new(re.atom, "t_re"), frame.new(im.atom, "t_im"))
    if not isinstance(held.rows, Ref | View):
        raise frame.refusal("a list of numbers is needed here, not of tuples: go through it in a loop")
    return frame.new(rows_in_use(frame, held).atom, name_of(frame.atom(held.rows)))


def rows_as_list(frame: Frame, array: Ref | View, *, python: bool = False) -> GrowingList:
    """The list of an array's rows, which are Python's numbers where `python` says so."""
    atom = frame.atom(array)
    count = frame.b.atom(frame.b.size(atom.type.shape[0]))
    return GrowingList.of(count, buffer_of(frame, atom, [array]), (python,))


def array_to_list(frame: Frame, array: Ref | View) -> GrowingList:
    """`x.tolist()`: numbers of Python's, or lists of such."""
    x = frame.b.wrap(frame.atom(array))
    dtype = {"f": "f8", "i": "i8", "b": "b1"}.get(x.type.dtype[0])
    if dtype is None or x.ndim not in (1, 2):
        raise frame.refusal(
            f"tolist() of {frame.describe(array)} is not supported: write a loop, or return the array"
        )
    made = frame.new(
        frame.b.apply("cast", x, dtype=dtype).atom if dtype != x.type.dtype else x.atom, "listed"
    )
    return rows_as_list(frame, made, python=True)


def numbers_of(frame: Frame, held: GrowingList, word: str) -> Ref | Nest:
    """The array of a list whose items one of Python's functions takes for numbers, or for arrays."""
    if holds_lists(frame, held):
        raise frame.refusal(f"{word}() of a list of lists is not supported: take np.array of it, or a loop")
    return list_as_array(frame, held)


def has_known_size(frame: Frame, held: GrowingList) -> bool:
    """Whether a list's buffers have a known size, as in lanes: what is made of their rows is made row by row."""
    return isinstance(size_of(frame, held), int)


def holds_numbers(frame: Frame, held: GrowingList) -> bool:
    return isinstance(held.rows, Ref | View) and frame.atom(held.rows).type.rank == 1


def is_item(frame: Frame, held: GrowingList, item: Value) -> Any:
    """Which rows are an item that is equal to another value: bools, or False where none can be."""
    b = frame.b
    if asks_a_method(held.rows):
        return frame.give(frame.inference.call(frame, Static(equal_items), (held, item), {}, "same"))
    known = has_known_size(frame, held)
    found: list[Any] = []

    def compare(rows: Any, part: Any) -> None:
        if isinstance(rows, Nest):
            if isinstance(rows.cls, Texts) and (is_words(part) or isinstance(part, Wording)):
                part = rows.with_items((frame.b.atom(number_among(frame, rows.cls, part)),))
            parts = part.items if isinstance(part, Nest) and rows.like(part) else (None,) * len(rows.items)
            for each, inner in zip(rows.items, parts, strict=True):
                compare(each, inner)
        elif not isinstance(rows, E) or not isinstance(part, Var | Lit):
            found.append(False)
        elif rows.ndim > 1:
            raise frame.refusal("items that are arrays are compared one by one, in a loop")
        else:
            found.append(b.apply("eq", rows, frame.give(part)))

    def whole(leaf: Value) -> Any:
        return b.wrap(frame.atom(leaf)) if isinstance(leaf, Ref | View) else leaf

    compare(rebuild(held.rows, whole) if known else rows_in_use(frame, held), item)
    if any(each is False for each in found):
        return False
    met = in_use(frame, held) if known else found.pop()
    for each in found:
        met = b.apply("and", met, each)
    return met


def asks_a_method(rows: Any) -> bool:
    """Whether items are compared by an `__eq__` of their class, or by what their fields hold now."""
    match rows:
        case Placed(cls):
            return cls.__eq__ is not object.__eq__
        case Nest(cls, items):
            return rows.keys is not None and has_own(cls, "__eq__") or any(map(asks_a_method, items))
    return False


def in_use(frame: Frame, held: GrowingList) -> Any:
    """Which rows of a list's buffers are items."""
    b = frame.b
    return b.apply("lt", b.apply("arange", size_of(frame, held), dtype="i8"), count_of(frame, held))
