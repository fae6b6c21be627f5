"""Dicts and sets whose keys are numbers, as arguments: arrays while the function runs, the caller's own afterwards.

    f({3: 0.5, 1: 2.0})     keys np.array([3, 1]), values np.array([0.5, 2.0]); and back, if the function changes it:
                            d.clear(); d.update(zip(keys, values))

A dict of few ints is first taken value by value, as one whose keys are texts: so are parameters under numbers. What
looks up keys that are not known, goes through the dict or changes it is given arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.infer.kinds import Kind
from codegen.infer.tables.values import GivenDict, ListForm, ListsBack, NewTable, TableDict, TableSet
from codegen.infer.values import GrowingList, Nest, Static, leaves
from codegen.ir import Type, Var
from codegen.ir.broadcasting import EMPTY
from codegen.ir.build import I8

FEW_KEYS = 32  # dicts with no more are taken value by value, as long as the function asks for known keys
NUMBERS: dict[type, str] = {float: "f8", int: "i8", bool: "b1"}
LARGEST = 2**53  # ints up to here are floats
WORDS: dict[type, str] = {list: "items", set: "elements", dict: "entries"}
INT = Kind("i8", (), True)
NO_TABLE = (
    "a dict or set that is an argument has ints, bools or tuples of ints for keys, all of one kind, and numbers or "
    "tuples of numbers for values, or lists, sets or dicts of such"
)


@dataclass(frozen=True, eq=False)
class TableColumns:
    """Items as arrays: what each is made of, with a size in place of how many there are; the arrays."""

    rows: Any
    arrays: list[np.ndarray]


def columns(items: Sequence[Any], size: Any, form: Any = None) -> TableColumns | None:
    """Numbers of one of Python's kinds, or equally long tuples of such, as arrays; None of others. `form`: of what may
    come to them."""
    kinds = {*map(type, items)} or kinds_of(form)
    if kinds == {tuple}:
        if len({*map(len, items)}) > 1:
            return None
        forms = form.items if isinstance(form, Nest) else None
        split = [*zip(*items, strict=True)] if items else [()] * len(forms or ())
        if forms is not None and len(forms) != len(split):
            return None
        parts = [
            columns(part, size, each) for part, each in zip(split, forms or [None] * len(split), strict=True)
        ]
        listed = [part for part in parts if part is not None]
        if not parts or len(listed) < len(parts):
            return None
        return TableColumns(
            Nest(tuple, tuple(part.rows for part in listed)), [x for part in listed for x in part.arrays]
        )
    kinds |= kinds_of(form)
    if kinds == {int, float} and all(abs(each) <= LARGEST for each in items if type(each) is int):
        kinds = {float}
    cls = kinds.pop() if len(kinds) == 1 else None
    if cls not in NUMBERS or cls is int and not all(-(2**63) <= each < 2**63 for each in items):
        return None
    return TableColumns(Type(NUMBERS[cls], (size,)), [np.array(items, np.dtype(NUMBERS[cls]))])


def kinds_of(form: Any) -> set[type]:
    """The classes of what has a form, as far as that is known."""
    if isinstance(form, Kind):
        return {cls for cls, dtype in NUMBERS.items() if form.weak and dtype == form.dtype} or {object}
    return set() if form is None else {form.cls}


def is_number_key(key: Any) -> bool:
    return type(key) in (int, bool) or type(key) is tuple and bool(key) and all(map(is_number_key, key))


def are_keys(value: Any) -> bool:
    """Whether the keys of a dict or set are numbers."""
    return type(value) in (dict, set) and all(map(is_number_key, value))


@dataclass(frozen=True, eq=False)
class TableArrays:
    """A dict or set as its entry in a signature, and arrays."""

    entry: Nest
    arrays: list[np.ndarray]


def table_arrays(value: Any, form: Any = None) -> TableArrays | None:
    """A dict or set whose keys are numbers, as arrays; None of others. `form`: of entries that may come to it."""
    if not are_keys(value):
        return None
    size = Var(EMPTY, I8)  # whatever it is: one program serves all
    key, *more = form.items if form is not None else (None, None)
    keys = columns([*value], size, key if value or key is not None else INT)
    if keys is None or any(array.dtype.kind == "f" for array in keys.arrays):
        return None
    found = [keys]
    if isinstance(value, dict):
        if (word := word_for_parts(value, *more)) is not None:
            return lists_as_arrays(value, keys, more[0], word)
        values = columns([*value.values()], size, more[0])
        if values is None:
            return None
        found.append(values)
    arrays = [array for part in found for array in part.arrays]
    rows = Nest(dict, tuple(part.rows for part in found), ("keys", "values")[: len(found)])
    listed = GrowingList.of(Static(None), rows, (True,) * len(arrays), fixed=True)
    return TableArrays(Nest(TableDict if isinstance(value, dict) else TableSet, (listed,), ("",)), arrays)


def word_for_parts(value: dict[Any, Any], form: Any) -> str | None:
    """What the parts of a dict's values are, if these are lists, sets or dicts."""
    kinds = {*map(type, value.values())} or ({list} if isinstance(form, ListForm) else set())
    return WORDS.get(kinds.pop()) if len(kinds) == 1 else None


def lists_as_arrays(value: dict[Any, Any], keys: TableColumns, form: Any, word: str) -> TableArrays | None:
    """A dict whose values are lists, sets or dicts, as arrays: of how long they are, and of their items one after the
    other."""
    (item,) = (None,) if form is None else form.items
    listed = [each for one in value.values() for each in (one.items() if word == "entries" else one)]
    if word != "items" and not all(map(are_keys, value.values())) or word == "entries" and not listed:
        return None
    items = columns(listed, Var(EMPTY, I8), INT if item is None and not listed else item)
    if items is None:
        return None
    first: Any = next(leaves(keys.rows))
    lengths = columns([len(one) for one in value.values()], first.shape[0], INT)
    assert lengths is not None
    rows = Nest(dict, (keys.rows, lengths.rows), ("keys", "lengths"))
    python = (True,) * (1 + len(keys.arrays))
    entries = GrowingList.of(Static(None), rows, python, fixed=True)
    all_items = GrowingList.of(Static(None), items.rows, (True,) * len(items.arrays), fixed=True)
    entry = Nest(TableDict, (entries, all_items), ("", word))
    return TableArrays(entry, [*keys.arrays, *lengths.arrays, *items.arrays])


@dataclass(eq=False)
class LentTables:
    """The dicts and sets of one call whose keys are numbers. `label`: the argument that is looked at; `wanted`: whether
    its dicts are taken as arrays, None: never; `entries`: the form of entries that come to them."""

    label: Any = None
    wanted: bool | None = None
    entries: Any = None
    given: list[Any] = field(default_factory=list)  # those taken as arrays, in the order of the arguments
    others: list[Any] = field(default_factory=list)  # dicts that are not
    known: dict[int, tuple[Any, TableArrays | None]] = field(default_factory=dict)

    def form(self, value: Any) -> TableArrays | None:
        if id(value) not in self.known:
            self.known[id(value)] = value, table_arrays(value, self.entries)
        return self.known[id(value)][1]

    def entry(self, value: Any) -> Nest | None:
        """The entry of a dict or set that is taken as arrays; None of others. TypeError where it cannot be."""
        if self.wanted is None or not are_keys(value):
            return None
        if type(value) is dict and not self.wanted and takes_few(value):
            return None
        if (
            type(value) is set and not value and self.entries is None
        ):  # as a dict without entries: what comes to it says
            return NewTable(set, (), None, GivenDict(self.label))
        if (form := self.form(value)) is None:
            if not value:
                return None
            raise TypeError(NO_TABLE)
        return form.entry

    def described(self, made: Nest, value: Any) -> Nest:
        """A dict that is taken value by value, and may be taken as arrays."""
        if self.wanted is None or not are_keys(value) or value and self.form(value) is None:
            return made
        return NewTable(dict, made.items, made.keys, GivenDict(self.label))

    def arrays(self, value: Any) -> list[np.ndarray]:
        form = self.form(value)
        assert form is not None
        self.given.append(value)
        return form.arrays

    def check_apart(self, places: Sequence[int], label: str) -> None:
        """ValueError where a dict or set that is changed is in two places of what the function is given."""
        for k in places:
            lists = {id(one) for one in self.given[k].values()} if type(self.given[k]) is dict else ()
            if has_lists(self.given[k]) and len(lists) < len(self.given[k]):
                raise ValueError(
                    f"{label} changes lists in a dict that it is given, and one of them is in two places of it: "
                    "give it copies"
                )
            if sum(each is self.given[k] for each in (*self.given, *self.others)) > 1:
                raise ValueError(
                    f"{label} changes dicts or sets that it is given, and one of them is in two places of its "
                    "arguments: give it copies"
                )

    def put_back(self, places: Sequence[int], made: Sequence[Any]) -> None:
        """Give the caller's own what they are now."""
        for k, now in zip(places, made, strict=True):
            own = self.given[k]
            if isinstance(now, ListsBack):
                now = now.into([*own.values()])
            own.clear()
            own.update(now)


def has_lists(value: Any) -> bool:
    return type(value) is dict and any(type(each) is list for each in value.values())


def takes_few(value: dict[Any, Any]) -> bool:
    """Whether a dict of ints is taken value by value as long as nothing speaks against it."""
    return len(value) <= FEW_KEYS and all(type(key) is int for key in value)
