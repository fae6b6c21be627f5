"""Dicts and sets whose keys are numbers, as values: nests of what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codegen.infer.values import Nest, Value


@dataclass(frozen=True)
class Default:
    """What a dict has under keys that are not there, a number, None for a new list; `stays`: it is there after it was
    asked for, as in a defaultdict, not so in a Counter."""

    number: bool | int | float | None
    stays: bool


@dataclass(frozen=True, eq=False)
class NewTable(Nest):
    """A dict or set that may get keys that are numbers, and was `made` there: it has none yet, or such as are known.
    `default`: see Table."""

    made: Any = None
    default: Default | None = None

    def with_items(self, items: tuple[Value, ...]) -> Nest:
        return NewTable(self.cls, items, self.keys, self.made, self.default)


@dataclass(frozen=True)
class GivenDict:
    """Where a dict was made that is an argument, of this name: by the caller."""

    name: Any


@dataclass(frozen=True)
class OwnTable:
    """In what a function gives: the dict or set itself that is the `place`-th of those among its arguments."""

    place: int


class TableDict:
    """The class of a Table that is a dict, which makes Python's of its entries."""

    def __new__(cls, parts: Sequence[Any]) -> Any:
        entries, *store = parts
        if not store:
            return dict(entries)
        lists = lists_in(*store)
        return {key: lists[handle] for key, handle in entries}


def lists_in(places: Sequence[tuple[int, int]], items: Sequence[Any] | None) -> list[list[Any]]:
    """The lists that begin at places among all items, and are so long."""
    return [[*(items or ())[start : start + length]] for start, length in places]


class TableList:
    """The class of a Table that is a list of lists."""

    def __new__(cls, parts: Sequence[Any]) -> Any:
        handles, *store = parts
        lists = lists_in(*store)
        return [lists[handle] for handle in handles]


class ListsBack:
    """The class of a dict whose values are lists, of which those that were there are the caller's own."""

    def __init__(self, parts: Sequence[Any]):
        self.entries, *store = parts
        self.lists = lists_in(*store)

    def into(self, own: list[Any]) -> dict[Any, Any]:
        """The dict, of the caller's `own` lists and those that are new; these have the items of now then."""
        for one, now in zip(own, self.lists, strict=False):
            one[:] = now
        every = own + self.lists[len(own) :]
        return {key: every[handle] for key, handle in self.entries}


class ListAlone:
    """The class of a list that is a value of a dict, where it is given without it."""

    def __new__(cls, parts: Sequence[Any]) -> Any:
        handle, places, items = parts
        return lists_in([places[handle]], items)[0]


class TableSet:
    """The class of a Table that is a set, which makes Python's of its entries."""

    def __new__(cls, parts: Sequence[Any]) -> Any:
        return set(parts[0])


def is_given_table(entry: Any) -> bool:
    """Whether an entry of a signature, or what is returned, is a dict or set whose keys are numbers."""
    return isinstance(entry, Nest) and entry.cls in (TableDict, TableSet, ListsBack)


class OfLists:
    """The class of what is made of lists that are values of a dict."""


OF_ARRAYS = (TableDict, TableSet, TableList, OfLists)  # classes of nests whose items are no items of Python's
OF_KEYS = (dict, *OF_ARRAYS)  # of those that are no tuples


@dataclass(frozen=True, eq=False)
class ListForm(Nest):
    """The form of such a list: that of its items, None if it is not known."""

    @classmethod
    def of(cls, item: Any) -> ListForm:
        return cls(OfLists, (item,))

    def with_items(self, items: tuple[Value, ...]) -> ListForm:
        return ListForm(OfLists, items)


@dataclass(frozen=True, eq=False)
class ListStore(Nest):
    """All lists that are values of a dict, and were: `places`, a list as an object, of where each begins, how long it
    is and how much room it has; and `all_items`, another one, None as long as nothing is known of them."""

    @classmethod
    def made(cls, places: Any, items: Any, word: str = "items") -> ListStore:
        return cls(OfLists, (places, items), ("lists", word))

    def with_items(self, items: tuple[Value, ...]) -> ListStore:
        return ListStore(OfLists, items, self.keys)

    @property
    def places(self) -> Any:
        return self.items[0]

    @property
    def all_items(self) -> Any:
        return self.items[1]

    @property
    def is_of_lists(self) -> bool:
        """Whether they are lists; else sets or dicts, which an argument has, and which are only read."""
        return self.keys == ("lists", "items")


@dataclass(frozen=True, eq=False)
class HeldList(Nest):
    """A list that is a value of a dict, by its number in the dict's store, whatever names it has."""

    @classmethod
    def made(cls, handle: Any, store: ListStore) -> HeldList:
        return cls(OfLists, (handle, store), ("list", ""))

    def with_items(self, items: tuple[Value, ...]) -> HeldList:
        return HeldList(OfLists, items, self.keys)

    @property
    def handle(self) -> Any:
        return self.items[0]

    @property
    def store(self) -> Any:
        return self.items[1]

    @property
    def places(self) -> Any:
        return self.store.places

    @property
    def all_items(self) -> Any:
        return self.store.all_items


@dataclass(frozen=True, eq=False)
class Lists(Nest):
    """What goes through the lists of a dict, with their keys beside them: `d.items()`, or not: `d.values()`."""

    with_keys: bool = False

    @property
    def table(self) -> Any:
        return self.items[0]

    def with_items(self, items: tuple[Value, ...]) -> Lists:
        return Lists(OfLists, items, self.keys, self.with_keys)


READ_ONLY = ("", "places")  # what the parts are called of a table that is a copy of what is not changed


@dataclass(frozen=True, eq=False)
class Table(Nest):
    """A dict or set whose keys are numbers: `entries`, a list as an object that gets longer and shorter, of the keys,
    and of a dict's values beside them, in the order in which the keys came; and `slots`, an array, which tells where a
    key is (definitions/lists/tables.py). `default`: what is under keys that are not there. Where the values are lists,
    `store` has them, and the entries their numbers. A list of lists has these alone: neither keys nor `slots`."""

    default: Default | None = None

    @classmethod
    def made(
        cls, kind: Any, entries: Any, slots: Any, default: Default | None, store: ListStore | None = None
    ) -> Table:
        parts = [("", entries), ("slots", slots), ("", store)]
        keys, items = zip(*((key, part) for key, part in parts if part is not None), strict=True)
        return cls(kind, items, keys, default)

    @classmethod
    def of_lists(cls, entries: Any, store: ListStore) -> Table:
        """The list of the lists of which `entries` has the numbers."""
        return cls.made(TableList, entries, None, None, store)

    @property
    def store(self) -> Any:
        return self.items[-1] if isinstance(self.items[-1], ListStore) else None

    @property
    def is_read_only(self) -> bool:
        """Whether it is a value of a dict that is an argument, or one whose values are such sets and dicts."""
        return self.keys == READ_ONLY or self.store is not None and not self.store.is_of_lists

    @property
    def entries(self) -> Any:
        return self.items[0]

    @property
    def slots(self) -> Any:
        return self.items[1]

    @property
    def is_set(self) -> bool:
        return self.cls is TableSet

    @property
    def is_list(self) -> bool:
        return self.cls is TableList

    def with_items(self, items: tuple[Value, ...]) -> Table:
        return Table(self.cls, items, self.keys, self.default)

    def like(self, other: object) -> bool:
        return super().like(other) and self.default == getattr(other, "default", None)
