"""Python's functions that call what they are given: sorted, max and min by a key, map.

sorted(points, key=lambda p: p[1])      ->      keys = [p[1] for p in points]
                                                the rows of the points, at the places of np.argsort(keys)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from codegen.definitions.order import place_of_largest, place_of_smallest
from codegen.infer.calls.builtins import PYTHON, Builtin
from codegen.infer.calls.containers import is_known, known_object
from codegen.infer.calls.dispatch import call_value
from codegen.infer.calls.listed import as_list, collected, own_names
from codegen.infer.calls.numbers import is_left_out
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.control.conditions import either
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.control.iterators import iterator_over
from codegen.infer.control.truth import truth
from codegen.infer.frame import Frame
from codegen.infer.memory import buffers
from codegen.infer.memory.growing_lists import copied, count_of, with_buffers
from codegen.infer.memory.list_items import (
    has_known_size,
    holds_numbers,
    in_use,
    item_at,
    list_as_array,
    rows_as_list,
    turned,
)
from codegen.infer.memory.subscripts import as_counted_list, get_item
from codegen.infer.operators import operate
from codegen.infer.tables.lists import by_number, of_numbers
from codegen.infer.tables.values import HeldList, Lists
from codegen.infer.texts.known_texts import LETTER, holds_numbered, is_letter, letter
from codegen.infer.texts.letters import codes_of, text_of_list
from codegen.infer.values import FALSE, GrowingList, Nest, Ref, Reversed, Static, Value, View, Zip, leaves
from codegen.ir import Atom, Lit, Type, Var
from codegen.ir.build import call
from codegen.ir.traversal import claimed_name
from codegen.read import tree

FEW = 4  # tuples that are compared in turn


def python_sorted(
    frame: Frame, name: str, iterable: Value, /, *, key: Value | None = None, reverse: Value = FALSE
) -> Value:
    """In the order of keys that are known; of numbers of one dtype, in theirs."""
    if isinstance(iterable, Lists) and key is not None and not is_left_out(key):
        table = iterable.table
        numbers, key = copied(frame, table.entries), by_number(table, key)
        return of_numbers(frame, table, python_sorted(frame, name, numbers, key=key, reverse=reverse), name)
    if is_counted(frame, iterable):
        if key is not None and not is_left_out(key):
            return in_order_of_keys(frame, iterable, key, backwards=is_flagged(frame, reverse))
        held = as_list(frame, iterable)
        if isinstance(held, GrowingList) and columns_of_tuples(frame, held):
            return in_order_of_keys(frame, held, None, backwards=is_flagged(frame, reverse))
        return numbers_in_order(frame, held, reverse)
    items = all_items(frame, iterable)
    of_itself = key is None or is_left_out(key)
    keys = (
        items if key is None or of_itself else [call_value(frame, key, (item,), {}, name) for item in items]
    )
    backwards = is_flagged(frame, reverse)
    with frame.refusing():
        if (told := known_keys(keys)) is not None:
            places = sorted(range(len(items)), key=told.__getitem__, reverse=backwards)
            return Nest(list, tuple(items[k] for k in places))
        if not of_itself or all(map(is_tuple, items)):
            given = Nest(list, tuple(items))
            held = in_order_of_keys(frame, given, None if of_itself else key, backwards=backwards)
            return Nest(list, tuple(item_at(frame, held, k, name) for k in range(len(items))))
        if not (of_itself and len({v.type for v in items if isinstance(v, Var | Lit)}) == 1):
            raise TypeError("sorted() takes keys that are known, or numbers of one dtype: sort by np.argsort")
        array = frame.take(call(frame.b, np.array, frame.give(Nest(list, tuple(items)))), "t")
        array = call_value(frame, Static(np.sort), (array,), {}, "t")
        listed = [number_at(frame, array, k, items[0], name) for k in range(len(items))]
    return Nest(list, tuple(reversed(listed) if backwards else listed))


def is_flagged(frame: Frame, reverse: Value) -> bool:
    if not isinstance(reverse, Lit):
        raise frame.refusal("sorted(reverse=) takes a flag that is known")
    return bool(reverse.value)


def numbers_in_order(frame: Frame, held: Value, reverse: Value) -> Value:
    """The list of so many numbers as there turn out to be, in their order."""
    if isinstance(held, GrowingList) and is_letter(held.rows):
        return text_of_list(frame, numbers_in_order(frame, codes_of(held), reverse), LETTER)
    if not (isinstance(held, GrowingList) and holds_numbers(frame, held)):
        raise frame.refusal(
            "sorted() of a length that is not known takes numbers, or keys that are: use np.argsort"
        )
    backwards = is_flagged(frame, reverse)
    known = has_known_size(frame, held)
    given = padded(frame, held) if known else list_as_array(frame, held)
    made = call_value(frame, Static(np.sort), (given,), {}, "t")
    assert isinstance(made, Ref | View)
    listed = rows_as_list(frame, made, python=all(held.python))
    listed = GrowingList.of(frame.atom(held.count), listed.rows, listed.python) if known else listed
    return turned(frame, listed) if backwards else listed


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


def items_of(frame: Frame, iterable: Value, word: str) -> GrowingList:
    """What is gone through as a list whose items are alike."""
    if is_counted(frame, iterable):
        held = as_list(frame, iterable)
    else:
        held = Nest(list, tuple(all_items(frame, iterable)))
        if not of_one_kind(frame, held.items):
            raise frame.refusal(f"{word} takes items of one kind: make ints floats before, or use arrays")
    return held if isinstance(held, GrowingList) else as_counted_list(frame, held)  # type: ignore[arg-type]


def of_one_kind(frame: Frame, items: Sequence[Value]) -> bool:
    """Whether items are made of numbers and arrays of the same types."""
    return len({tuple(kinds_of_item(frame, item)) for item in items}) <= 1


def kinds_of_item(frame: Frame, item: Value) -> Iterator[Type]:
    """The types of the numbers and arrays in an item."""
    for leaf in leaves(item):
        if isinstance(leaf, Var | Lit | Ref | View):
            yield frame.atom(leaf).type


def is_tuple(item: Value) -> bool:
    return isinstance(item, Nest) and item.cls is tuple and bool(item.items)


def columns_of_tuples(frame: Frame, held: GrowingList) -> list[Value]:
    """Of items that are tuples of numbers, the first ones of all, then the second ones, ...; of others nothing."""
    if not is_tuple(held.rows) or any(is_complex(row) or holds_numbered(row) for row in held.rows.items):
        return []
    found = [leaf for leaf in leaves(held.rows) if isinstance(leaf, Ref | View)]
    if any(frame.atom(leaf).type.rank > 1 for leaf in found):
        return []
    return [frame.take(buffers.first_rows(frame.b, frame.atom(x), count_of(frame, held)), "t") for x in found]


def keys_of_items(frame: Frame, held: GrowingList, key: Value | None, word: str) -> GrowingList:
    """The list of the keys: of numbers, or of tuples of such."""
    keys: Any = held
    if key is not None:
        span, taken = frame.span, {*frame.locals}
        function, item = (tree.Name(span, claimed_name(wanted, taken)) for wanted in ("key", "item"))
        with own_names(frame, frozenset({function.id})):
            frame.st.env[function.id] = key
            clause = tree.Clause(span, item, item, ())
            keys = collected(frame, tree.CallExpr(span, function, (item,)), [clause], held, span)
        if isinstance(keys, Nest) and keys.items:
            keys = as_counted_list(frame, keys)
    if not (isinstance(keys, GrowingList) and (holds_numbers(frame, keys) or columns_of_tuples(frame, keys))):
        raise frame.refusal(
            f"{word}() takes keys that are numbers of one kind: sort by np.argsort or np.lexsort"
        )
    return keys


def in_order_of_keys(frame: Frame, iterable: Value, key: Value | None, *, backwards: bool) -> GrowingList:
    """Items that are alike in the order of their keys, or of themselves; those that are equal stay in theirs."""
    held = items_of(frame, iterable, "sorted() of tuples" if key is None else "sorted() by a key")
    keys = keys_of_items(frame, held, key, "sorted")
    columns = columns_of_tuples(frame, keys) or [list_as_array(frame, keys)]
    if backwards:
        columns = [frame.take(frame.b.wrap(frame.atom(each))[::-1], "keys") for each in columns]
    order: Any = (columns[0],) if len(columns) == 1 else (Nest(tuple, tuple(reversed(columns))),)
    sort = np.argsort if len(columns) == 1 else np.lexsort
    places: Any = frame.give(call_value(frame, Static(sort), order, {}, "places"))
    size = frame.b.size(places.type.shape[0])
    if backwards:
        places = frame.b.apply("sub", frame.b.apply("sub", size, 1), places)[::-1]

    def chosen(leaf: Ref) -> Atom:
        return call(frame.b, np.take, frame.b.wrap(frame.atom(leaf)), places, axis=0).atom

    return with_buffers(frame, held, chosen, size)


def by_known_keys(frame: Frame, function: Any, iterable: Value, key: Value, name: str) -> Value | None:
    """The same of items whose keys are known, whatever they are; None of others."""
    if (
        is_counted(frame, iterable)
        or isinstance(iterable, Lists)
        or not (items := all_items(frame, iterable))
    ):
        return None
    told = known_keys([call_value(frame, key, (item,), {}, name) for item in items])
    return None if told is None else items[function(range(len(items)), key=told.__getitem__)]


def extreme_by_key(frame: Frame, function: Any, iterable: Value, key: Value | None, name: str) -> Value:
    """The first of the items that is, or whose key is, the largest or the smallest."""
    word = function.__name__
    held = items_of(frame, iterable, f"{word}() of tuples" if key is None else f"{word}() by a key")
    some = frame.b.apply("gt", count_of(frame, held), 0)
    frame.b.require(some, "ValueError", f"{word}() arg is an empty sequence")
    keys = keys_of_items(frame, held, key, word)
    place_of = place_of_largest if function is max else place_of_smallest
    asked = keys if columns_of_tuples(frame, keys) else list_as_array(frame, keys)
    place = frame.inference.call(frame, Static(place_of), (asked,), {}, "place")
    return item_at(frame, held, frame.give(place), name)


def extreme_in_turn(frame: Frame, function: Any, items: Sequence[Value]) -> Value:
    """The first of the largest, or smallest, of some tuples: of numbers of different kinds what they are together."""
    found = items[0]
    for item in items[1:]:
        test = truth(frame, operate(frame, ">" if function is max else "<", item, found, "t"))
        found = either(frame, frame.b.atom(test), item, found, frame.span)
    return found


def is_list_of_tuples(frame: Frame, value: Value) -> bool:
    return isinstance(value, GrowingList) and bool(columns_of_tuples(frame, value))


def by_key(function: Any) -> Builtin:
    """max() and min(), with a key too."""
    of_themselves = PYTHON[function]

    def build(
        frame: Frame, name: str, arg: Value, /, *args: Value, key: Value | None = None, **default: Value
    ) -> Value:
        if key is None or is_left_out(key):
            among = (arg, *args) if args else arg.items if isinstance(arg, Nest) else ()
            tuples = bool(among) and all(map(is_tuple, among))
            if tuples and not default and (len(among) <= FEW or not of_one_kind(frame, among)):
                return extreme_in_turn(frame, function, among)
            if not default and (tuples or is_list_of_tuples(frame, arg)):
                return extreme_by_key(frame, function, Nest(list, among) if among else arg, None, name)
            if not args and not default and isinstance(arg, GrowingList) and is_letter(arg.rows):
                return letter(of_themselves(frame, name, codes_of(arg)))
            return of_themselves(frame, name, arg, *args, **default)
        if default:
            raise frame.refusal(
                f"{function.__name__}() by a key takes no default here: test its length before"
            )
        if isinstance(arg, Lists) and not args:
            table = arg.table
            number = extreme_by_key(
                frame, function, copied(frame, table.entries), by_number(table, key), name
            )
            return HeldList.made(number, table.store)
        through = Nest(list, (arg, *args)) if args else arg
        known = by_known_keys(frame, function, through, key, name)
        return extreme_by_key(frame, function, through, key, name) if known is None else known

    return build


def python_map(frame: Frame, name: str, function: Value, /, *iterables: Value) -> Value:
    """The results, all at once: functions of programs do nothing but what they return."""
    if not iterables:
        raise frame.refusal("map() must have at least two arguments.")
    if any(is_counted(frame, each) for each in iterables):
        return Reversed(Reversed(mapped_list(frame, function, iterables)))
    rows = zip(*(all_items(frame, each) for each in iterables), strict=False)
    made = (call_value(frame, function, row, {}, name) for row in rows)
    return iterator_over(tuple(made))


def mapped_list(frame: Frame, function: Value, iterables: tuple[Value, ...]) -> Value:
    """The results of items whose number is known when the program runs, as a list."""
    span, taken = frame.span, {*frame.locals}
    called, *items = (
        tree.Name(span, claimed_name(each, taken)) for each in ("f", *["item"] * len(iterables))
    )
    target: tree.Expression = items[0] if len(items) == 1 else tree.Tuple(span, tuple(items))
    with own_names(frame, frozenset({called.id})):
        frame.st.env[called.id] = function
        clause = tree.Clause(span, target, items[0], ())
        through = iterables[0] if len(items) == 1 else Zip(iterables)
        return collected(frame, tree.CallExpr(span, called, tuple(items)), [clause], through, span)


PYTHON[sorted] = python_sorted
PYTHON[max], PYTHON[min] = by_key(max), by_key(min)
PYTHON[map] = python_map
