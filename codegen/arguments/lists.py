"""Lists of numbers as arguments: arrays while the function runs, and the caller's lists again afterwards.

    f([1.0, 2.5])            [1.0, 2.5]  ->  np.array([1.0, 2.5])       and back:  xs[:] = array.tolist()
    f([[1, 2], [3, 4]])      an array of two axes, whose rows are the inner lists

Such lists have items that are numbers of one of Python's kinds, tuples of such, or equally long lists of numbers, and
are long, or given to a function that changes lists. Other lists are taken item by item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.arguments.tables import LentTables
from codegen.infer.values import GrowingList, Nest, Static, complex_pair
from codegen.ir import Type

FEW_NUMBERS = 64  # lists with no more are taken item by item, as long as the function does not change them
LISTS_CHANGED = (
    "a list that is an argument may be changed if its items are numbers of one of Python's kinds, tuples of such, or "
    "equally long lists of numbers"
)
NUMBERS = {float: "f8", int: "i8", bool: "b1", complex: "c16"}

Sizes = Any  # as in pytree


def has_list_arrays(entry: Any) -> bool:
    """Whether a list that is taken as arrays is in an entry."""
    return (
        isinstance(entry, GrowingList) or isinstance(entry, Nest) and any(map(has_list_arrays, entry.items))
    )


@dataclass(frozen=True, eq=False)
class Rows:
    """What the items of a list are made of: an array for each number in one. `cls`: of an item, if it is no number."""

    cls: type | None
    parts: list[np.ndarray]

    def entry(self, sizes: Sizes) -> Any:
        first = self.parts[0]
        outer = sizes(first, 0)
        types: list[Any] = [
            Type(NUMBERS[type(part.flat[0].item())], (outer, *(sizes(part, k) for k in range(1, part.ndim))))
            for part in self.parts
        ]
        if self.cls is complex:
            return complex_pair(*types)
        return types[0] if self.cls is None else Nest(tuple, tuple(types))


def row_forms(value: list[Any]) -> Rows | None:
    """A list's items as arrays, if they are all alike."""
    if value and type(value[0]) is tuple:
        if {*map(type, value)} != {tuple} or len({*map(len, value)}) != 1:
            return None
        columns = [number_array(list(column)) for column in zip(*value, strict=True)]
        listed = [each for each in columns if each is not None and each.ndim == 1 and each.dtype != complex]
        return Rows(tuple, listed) if columns and len(listed) == len(columns) else None
    found = number_array(value)
    if found is None or found.dtype != complex:
        return None if found is None else Rows(None, [found])
    return Rows(complex, [np.ascontiguousarray(found.real), np.ascontiguousarray(found.imag)])


def number_array(value: list[Any]) -> np.ndarray | None:
    """The array of a list of numbers of one kind, or of equally long lists of such; None for others."""
    kinds = {*map(type, value)}
    if len(kinds) != 1:
        return None
    (cls,) = kinds
    if cls in NUMBERS:
        if cls is int and not all(-(2**63) <= each < 2**63 for each in (min(value), max(value))):
            return None
        return np.array(value, dtype=np.dtype(NUMBERS[cls]))
    if cls is not list:
        return None
    rows = [number_array(row) for row in value]
    if (
        any(row is None for row in rows)
        or len({(row.dtype, row.shape) for row in rows if row is not None}) > 1
    ):
        return None
    return np.array(rows)


def count_numbers(value: Any) -> int:
    """How many numbers a list has whose items are as many as in its first one."""
    count = 1
    while isinstance(value, list | tuple) and value:
        count *= len(value)
        value = value[0]
    return 2 * count if isinstance(value, complex) else count


@dataclass(eq=False)
class Lent:
    """The lists of one call: which are given as arrays, each once. `fewest`: how many numbers such a list has; `lists`:
    those that are given so; `forms`: what is known of all, which are kept so that each is gone through once; `tables`:
    dicts and sets."""

    fewest: int = 0
    lists: dict[int, tuple[list[Any], list[np.ndarray]]] = field(default_factory=dict)
    forms: dict[int, tuple[list[Any], Rows | None]] = field(default_factory=dict)
    tables: LentTables = field(default_factory=LentTables)

    def rows(self, value: list[Any]) -> Rows | None:
        if id(value) not in self.forms:
            self.forms[id(value)] = value, row_forms(value)
        return self.forms[id(value)][1]

    def entry(self, value: list[Any], sizes: Sizes) -> GrowingList | None:
        """The entry of a list that is taken as arrays; None for others."""
        if count_numbers(value) < self.fewest or (rows := self.rows(value)) is None:
            return None
        return GrowingList.of(Static(None), rows.entry(sizes), (True,) * len(rows.parts), fixed=True)

    def arrays(self, value: list[Any]) -> list[np.ndarray]:
        """The arrays of a list."""
        if id(value) not in self.lists:
            rows = self.rows(value)
            assert rows is not None
            self.lists[id(value)] = value, rows.parts
        return self.lists[id(value)][1]

    def check_apart(self, label: str) -> None:
        """ValueError where a list is in two places of what a function that changes lists is given."""
        seen: set[int] = set()
        for value, _ in self.lists.values():
            for each in (value, *inner_lists(value)):
                if id(each) in seen:
                    raise ValueError(
                        f"{label} changes lists that it is given, and one of them is in two places of its arguments: "
                        "give it copies"
                    )
                seen.add(id(each))

    def write_back(self, written: Sequence[Any]) -> None:
        """The lists hold what their arrays do, as far as these were written."""
        places = {*map(id, written)}
        for value, arrays in self.lists.values():
            if not places.isdisjoint(map(id, arrays)):
                put_back(value, arrays)

    def own(self, made: Any) -> list[Any] | None:
        """The list whose array a result is, or a row of it."""
        for value, arrays in self.lists.values():
            if made is arrays[0]:
                return value
            found = row_of(value, arrays[0], made)
            if found is not None:
                return found
        return None


def inner_lists(value: list[Any]) -> Iterator[list[Any]]:
    for item in value:
        if isinstance(item, list):
            yield item
            yield from inner_lists(item)


def put_back(value: list[Any], arrays: Sequence[np.ndarray]) -> None:
    """The items of arrays in a list, and in the lists in it."""
    if isinstance(value[0], list):
        for row, *parts in zip(value, *arrays, strict=True):
            put_back(row, parts)
    else:
        columns = [array.tolist() for array in arrays]
        cls = type(value[0])
        value[:] = columns[0] if cls in (int, float, bool) else nests_of(cls, None, columns)


def nests_of(cls: Any, keys: tuple[str, ...] | None, columns: Sequence[Iterable[Any]]) -> list[Any]:
    """The items of a list that are nests, of what each has in the same place."""
    made = zip(*columns, strict=False)
    if cls is dict:
        return [dict(zip(keys or (), each, strict=True)) for each in made]
    if cls is complex:
        return [complex(*each) for each in made]
    return [cls(each) if keys is None else of_fields(cls, keys, each) for each in made]


def of_fields(cls: Any, keys: tuple[str, ...], items: Iterable[Any]) -> Any:
    """A named tuple or dataclass that has these values in its fields, however its class makes others."""
    if issubclass(cls, tuple):
        return tuple.__new__(cls, items)
    made = object.__new__(cls)
    for key, item in zip(keys, items, strict=True):
        object.__setattr__(made, key, item)
    return made


def row_of(value: list[Any], array: np.ndarray, made: np.ndarray) -> list[Any] | None:
    """The list in a list whose row of the array another one is."""
    if (
        not value
        or not isinstance(value[0], list)
        or not array.nbytes
        or not np.may_share_memory(array, made)
    ):
        return None
    place = (made.ctypes.data - array.ctypes.data) // array.strides[0]
    if made.ndim == array.ndim - 1:
        found: list[Any] = value[place]
        return found
    return row_of(value[place], array[place], made)
