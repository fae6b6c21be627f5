"""What a loop runs over: items known one by one, or a count and what the loop's target is at each index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import EnumType
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from codegen.infer.complex_numbers.parts import PARTS, is_complex, pair, part_name
from codegen.infer.control.truth import both
from codegen.infer.frame import Frame
from codegen.infer.kinds import LONGEST, Differ
from codegen.infer.memory.growing_lists import count_of, form_of_list, growing, kinds_in
from codegen.infer.memory.list_items import item_at
from codegen.infer.memory.subscripts import get_item
from codegen.infer.special_methods import items_in_turn
from codegen.infer.tables.forms import require_known
from codegen.infer.tables.reading import as_gone_through, item_of_lists, length_of
from codegen.infer.tables.values import HeldList, Lists, Table
from codegen.infer.texts.letters import letters_of
from codegen.infer.values import (
    Enumerate,
    GrowingList,
    Nest,
    Product,
    Range,
    Ref,
    Reversed,
    Static,
    Value,
    View,
    Wording,
    Yields,
    Zip,
)
from codegen.ir import Atom, Lit, Var
from codegen.ir.build import SIZE, Builder, E, call
from codegen.ir.literals import known_range
from codegen.read.scope import all_statements, item_targets, target_name
from codegen.read.tree import Break, Expression, Iterate, Name, Return
from codegen.source import refuse

Item = Callable[[Frame, Atom, Expression | None], Value]  # at an index, called as the names of this target
Counted = tuple[Atom, Atom, int, Item]


def known_items(frame: Frame, iterable: Value) -> list[Value] | None:
    """The items, where the loop is over a tuple or the like and so is unrolled; None for counted loops."""
    match iterable:
        case HeldList() if not isinstance(iterable.all_items, GrowingList):
            return []
        case Nest() if isinstance(iterable, Table | HeldList | Lists) or is_complex(iterable):
            return None
        case Nest():
            require_known(frame, iterable)
            return items_in_turn(frame, iterable)
        case Static(str() | EnumType() as members):
            return [frame.constant(each, "t") for each in members]
        case Enumerate(inner, start):
            if (known := known_items(frame, inner)) is None:
                return None
            places = [frame.b.atom(frame.b.apply("add", frame.b.wrap(start), k)) for k in range(len(known))]
            return [Nest(tuple, (p, v)) for p, v in zip(places, known, strict=True)]
        case Zip(inners):
            return known_rows(frame, inners)
        case Reversed(inner):
            known = known_items(frame, inner)
            return None if known is None else known[::-1]
        case Product(inners, None) if all(known_items(frame, inner) is not None for inner in inners):
            rows = product(*(known_items(frame, inner) or () for inner in inners))
            return [Nest(tuple, row) for row in rows]
    return None


def known_rows(frame: Frame, inners: tuple[Value, ...]) -> list[Value] | None:
    """The items of a zip in which one part at least is written out and no part's length is unknown."""
    listed = [known_items(frame, inner) for inner in inners]
    if all(known is None for known in listed):
        return None
    shortest = min(len(known) for known in listed if known is not None)
    for k, known in enumerate(listed):
        if known is None:
            bounds = counted_iteration(frame, inners[k])
            if (places := known_range(*bounds[:3])) is None:
                return None
            listed[k] = [bounds[3](frame, Lit(place, SIZE), None) for place in places[:shortest]]
    return [Nest(tuple, row) for row in zip(*[known or [] for known in listed], strict=False)]


def is_counted(frame: Frame, iterable: Value) -> bool:
    """Whether a loop counts its iterations: how many items there are is not known, or they are too many."""
    if isinstance(iterable, Yields):
        return True
    if known_items(frame, iterable) is not None:
        return False
    places = known_range(*counted_iteration(frame, iterable)[:3])
    return places is None or len(places) > LONGEST


def all_items(frame: Frame, iterable: Value) -> list[Value]:
    """The items of an iterable whose length must be known: for lists and comprehensions."""
    if (known := known_items(frame, iterable)) is not None:
        return known
    if isinstance(iterable, Zip) and iterable.strict:
        counts = [range_length(frame.b, *counted_iteration(frame, each)[:3]) for each in iterable.inners]
        if any(isinstance(n, E) or n != counts[0] for n in counts):
            raise frame.refusal("zip(strict=True) of lengths that are not known to be equal")
    bounds = counted_iteration(frame, iterable)
    places = known_range(*bounds[:3])
    if places is None or len(places) > LONGEST:
        raise frame.refusal(
            f"a tuple's length must be known and at most {LONGEST}: make an array with np.zeros and fill it in a loop"
        )
    return [bounds[3](frame, Lit(place, SIZE), None) for place in places]


def item_in_turn(frame: Frame, iterable: Value, k: int) -> Value:
    """The k-th item of an iterable whose length is known, as it is now."""
    match iterable:
        case Zip(inners):
            return Nest(tuple, tuple(item_in_turn(frame, inner, k) for inner in inners))
        case Enumerate(inner, start):
            place = frame.b.atom(frame.b.apply("add", frame.b.wrap(start), k))
            return Nest(tuple, (place, item_in_turn(frame, inner, k)))
        case Ref() | View() | GrowingList():
            return counted_iteration(frame, iterable)[3](frame, Lit(k, SIZE), None)
    return all_items(frame, iterable)[k]


def counted_iteration(frame: Frame, iterable: Value) -> Counted:
    """start, stop, step, and what the loop's target is at an index."""
    match iterable:
        case Range(start, stop, Lit(value=int(step))) if step:
            return as_count(frame, start), as_count(frame, stop), step, lambda inner, i, target: i
        case Range(start, stop, step_):
            return runtime_range(frame, *(as_count(frame, a) for a in (start, stop, step_)))
        case Ref() | View():
            x = frame.atom(iterable)
            if not x.type.rank:
                raise frame.refusal(f"{frame.describe(iterable)} cannot be iterated over")
            n = frame.b.atom(frame.b.size(x.type.shape[0]))
            return ZERO, n, 1, partial(element_at, iterable)
        case GrowingList():
            return ZERO, frame.atom(iterable.count), 1, partial(listed_item, iterable)
        case Table():
            return counted_iteration(frame, as_gone_through(frame, iterable, in_order=True))
        case HeldList() | Lists():
            return ZERO, frame.b.atom(length_of(frame, iterable)), 1, item_of_lists(frame, iterable)
        case Enumerate(inner_, first):
            return enumerated_loop(frame, inner_, first)
        case Zip(inners):
            return zipped_loop(frame, inners)
        case Reversed(inner_):
            return reversed_loop(frame, inner_)
        case Product(inners, of):
            return product_loop(frame, inners, of)
        case Nest() if is_complex(iterable):
            return complex_loop(frame, iterable)
        case Nest() | Static(str()):
            return numbers_loop(frame, iterable)
        case Wording():
            return counted_iteration(frame, letters_of(frame, iterable))
    raise frame.refusal(f"{frame.describe(iterable)} cannot be iterated over")


ZERO = Lit(0, SIZE)


def complex_loop(frame: Frame, iterable: Nest) -> Counted:
    """The elements of a complex array, part by part."""
    start, stop, step, real = counted_iteration(frame, iterable.items[0])
    imag: Item = partial(element_at, iterable.items[1])

    def item(inner: Frame, i: Atom, target: Expression | None) -> Value:
        re, im = (Name(frame.span, part_name(target_name(target, "z"), part)) for part in PARTS)
        return pair(real(inner, i, re), imag(inner, i, im))

    return start, stop, step, item


def element_at(array: Value, frame: Frame, i: Atom, target: Expression | None) -> Value:
    return get_item(frame, array, frame.b.wrap(i), frame.span, target_name(target, "x"))


def listed_item(held: GrowingList, frame: Frame, i: Atom, target: Expression | None) -> Value:
    return item_at(frame, held, frame.b.wrap(i), target_name(target, "x"))


def free_letter(frame: Frame) -> str:
    """An index's name that the user's text has not."""
    return next((letter for letter in "ijkl" if letter not in frame.locals.union(frame.indices)), "i")


def index_name(iterable: Value, target: Expression | None) -> str:
    """The name in a counted loop's target that has the index for its value; "" where none has."""
    match iterable:
        case Range():
            return target_name(target, "")
        case Enumerate(inner, first):
            place, each = item_targets(target, 2)
            counts = isinstance(inner, Ref | View | GrowingList) and is_plain_number(first, 0)
            return target_name(place, "") if counts else index_name(inner, each)
        case Zip(inners):
            pairs = zip(inners, item_targets(target, len(inners)), strict=True)
            names = (index_name(inner, part) for inner, part in pairs if counts_from_zero(inner))
            return next(filter(None, names), "")
        case Reversed(inner):
            return index_name(inner, target)
    return ""


def counts_from_zero(iterable: Value) -> bool:
    match iterable:
        case Range(start, _, step):
            return is_plain_number(start, 0) and is_plain_number(step, 1)
        case Enumerate(inner, _):
            return counts_from_zero(inner)
        case Zip() | Ref() | View() | GrowingList():
            return True
    return False


def is_plain_number(atom: Atom, number: int) -> bool:
    return isinstance(atom, Lit) and atom.value == number


def as_count(frame: Frame, atom: Atom) -> Atom:
    """A bound of a range: a Python int."""
    if atom.type.dtype[0] not in "iu" or atom.type.rank:
        raise frame.refusal(f"range takes ints, not {atom.type}")
    if isinstance(atom, Lit):
        return Lit(atom.value, SIZE)
    return atom if atom.type.dtype == "i8" else frame.b.atom(frame.b.apply("cast", atom, dtype="i8"))


def numbers_loop(frame: Frame, nest: Nest | Static) -> Counted:
    """A tuple of numbers next to something of unknown length: an array of them. Of arrays: a list."""
    items = nest.items if isinstance(nest, Nest) else (nest,)
    if any(map(is_complex, items)):
        return counted_iteration(frame, frame.inference.call(frame, Static(np.array), (nest,), {}, "t"))
    with suppress(Differ):
        form = form_of_list(nest, kinds_in(frame)) if isinstance(nest, Nest) else None
        if form and all(isinstance(v, Ref | View) for v in items):
            return counted_iteration(frame, growing(frame, nest, form, "rows"))
    if not items or not all(isinstance(v, Var | Lit) for v in items):
        raise frame.refusal("zip of a tuple and something of unknown length: use range(len(...)) and index")
    return counted_iteration(frame, frame.take(call(frame.b, np.array, frame.give(nest)), "t"))


def enumerated_loop(frame: Frame, inner: Value, first: Atom) -> Counted:
    start, stop, step, item = counted_iteration(frame, inner)

    def pair(inside: Frame, i: Atom, target: Expression | None) -> Value:
        place = inside.b.apply("add", inside.b.wrap(first), count_at(inside.b, i, start, step))
        return Nest(tuple, (inside.b.atom(place), item(inside, i, item_targets(target, 2)[1])))

    return start, stop, step, pair


def count_at(b: Builder, i: Atom, start: Atom, step: int) -> Any:
    """How many iterations came before index i."""
    offset = b.apply("sub", b.wrap(i), b.wrap(start))
    return offset if step == 1 else b.apply("floordiv", offset, step)


def index_at(b: Builder, k: Any, start: Atom, step: Any) -> Any:
    """range(start, ..., step)[k]"""
    return b.apply("add", b.wrap(start), b.apply("mul", k, step))


def range_length(b: Builder, start: Atom, stop: Atom, step: Any) -> Any:
    """len(range(start, stop, step))."""
    first, last = b.wrap(start), b.wrap(stop)
    if isinstance(step, int) and step == -1:
        first, last = last, first
    distance = b.apply("sub", last, first)
    if not isinstance(step, int) or abs(step) != 1:
        distance = b.apply("neg", b.apply("floordiv", b.apply("neg", distance), step))
    return b.apply("maximum", distance, 0)


def item_count(frame: Frame, iterable: Value) -> Any:
    """How many items a loop that counts goes through; of an array, its size."""
    if is_complex(iterable):
        return item_count(frame, iterable.items[0])
    match iterable:
        case Ref() | View():
            return frame.b.size(frame.atom(iterable).type.shape[0])
        case GrowingList():
            return count_of(frame, iterable)
        case Enumerate(inner, _) | Reversed(inner):
            return item_count(frame, inner)
    return range_length(frame.b, *counted_iteration(frame, iterable)[:3])


def runtime_range(frame: Frame, start: Atom, stop: Atom, step: Atom) -> Counted:
    """A step known only at run time: count the iterations, then i = start + k * step."""
    b = frame.b
    s = b.wrap(step)
    b.require(b.apply("ne", s, 0), "ValueError", "range() arg 3 must not be zero")
    n = range_length(b, start, stop, s)

    def place(inner: Frame, k: Atom, target: Expression | None) -> Value:
        return inner.b.atom(index_at(inner.b, k, start, inner.b.wrap(step)))

    return ZERO, b.atom(n), 1, place


def reversed_loop(frame: Frame, inner: Value) -> Counted:
    b = frame.b
    start, stop, step, item = counted_iteration(frame, inner)
    n = range_length(b, start, stop, step)
    last = index_at(b, b.apply("sub", n, 1), start, step)
    return b.atom(last), b.atom(b.apply("sub", b.wrap(start), step)), -step, item


def zipped_loop(frame: Frame, inners: tuple[Value, ...]) -> Counted:
    b = frame.b
    parts = [counted_iteration(frame, inner) for inner in inners]
    length = range_length(b, *parts[0][:3])
    for start, stop, step, _ in parts[1:]:
        length = b.apply("minimum", length, range_length(b, start, stop, step))

    def row(inner: Frame, k: Atom, target: Expression | None) -> Value:
        c = inner.b
        places = [c.atom(index_at(c, k, start, step)) for start, _, step, _ in parts]
        each = zip(parts, places, item_targets(target, len(parts)), strict=True)
        return Nest(tuple, tuple(item(inner, place, part) for (_, _, _, item), place, part in each))

    return ZERO, b.atom(length), 1, row


def product_loop(frame: Frame, inners: tuple[Value, ...], of: Value | None) -> Counted:
    """All combinations, counted: the index of each part is a digit of the count."""
    parts = [counted_iteration(frame, inner) for inner in inners]
    lengths = [range_length(frame.b, *part[:3]) for part in parts]
    total: Any = 1
    for length in lengths:
        total = frame.b.apply("mul", total, length)

    def row(inside: Frame, k: Atom, target: Expression | None) -> Value:
        b, left = inside.b, inside.b.wrap(k)
        target, each = (target, None) if of is None else item_targets(target, 2)
        found: list[Value] = []
        axes = zip(parts, lengths, item_targets(target, len(parts)), strict=True)
        for part, length, name in reversed([*axes]):
            place = index_at(b, b.apply("mod", left, length), part[0], part[2])
            found.insert(0, part[3](inside, b.atom(place), name))
            left = b.apply("floordiv", left, length)
        places = Nest(tuple, tuple(found))
        if of is None:
            return places
        given = inside.give(places)
        return Nest(tuple, (places, get_item(inside, of, given, inside.span, target_name(each, "x"))))

    return ZERO, frame.b.atom(total), 1, row


def strict(iterable: Value) -> bool:
    """Whether a loop is through a zip(strict=True)."""
    if isinstance(iterable, Enumerate):
        return strict(iterable.inner)
    return isinstance(iterable, Zip) and iterable.strict


def as_long(frame: Frame, iterable: Value, loop: Iterate) -> Any:
    """Whether the parts of a strict zip are of one length: Python looks when the shortest is at its end."""
    if loop.orelse or any(isinstance(node, Break | Return) for node in all_statements(loop.body)):
        raise refuse(loop.span, "a loop through zip(strict=True) cannot be left: compare the lengths before")
    if isinstance(iterable, Enumerate):
        return as_long(frame, iterable.inner, loop)
    assert isinstance(iterable, Zip)
    first, *others = (range_length(frame.b, *counted_iteration(frame, each)[:3]) for each in iterable.inners)
    same: Any = True
    for other in others:
        same = both(frame, "and", same, frame.b.apply("eq", first, other))
    return same


def iterated(iterable: Value) -> Iterator[Value]:
    """The arrays that a loop goes through: it holds them, whatever becomes of their names."""
    match iterable:
        case Ref() | View():
            yield iterable
        case Enumerate(inner, _) | Reversed(inner):
            yield from iterated(inner)
        case Zip(inners):
            for inner in inners:
                yield from iterated(inner)
        case Product(inners, of):
            for inner in (*inners, *([] if of is None else [of])):
                yield from iterated(inner)
