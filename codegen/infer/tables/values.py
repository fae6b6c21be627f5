"""Dicts and sets whose keys are numbers, as values: nests of what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codegen.infer.values import Nest, Value


@dataclass(frozen=True)
class Default:
    """What a dict has under keys that are not there, a number; `stays`: it is there after it was asked for, as in a
    defaultdict, not so in a Counter."""

    number: bool | int | float
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
        return dict(parts[0])


class TableSet:
    """The class of a Table that is a set, which makes Python's of its entries."""

    def __new__(cls, parts: Sequence[Any]) -> Any:
        return set(parts[0])


def is_given_table(entry: Any) -> bool:
    """Whether an entry of a signature, or what is returned, is a dict or set whose keys are numbers."""
    return isinstance(entry, Nest) and entry.cls in (TableDict, TableSet)


@dataclass(frozen=True, eq=False)
class Table(Nest):
    """A dict or set whose keys are numbers: `entries`, a list as an object that gets longer and shorter, of the keys,
    and of a dict's values beside them, in the order in which the keys came; and `slots`, an array, which tells where a
    key is (definitions/lists/tables.py). `default`: what is under keys that are not there."""

    default: Default | None = None

    @classmethod
    def made(cls, kind: Any, entries: Any, slots: Any, default: Default | None) -> Table:
        return cls(kind, (entries, slots), ("", "slots"), default)

    @property
    def entries(self) -> Any:
        return self.items[0]

    @property
    def slots(self) -> Any:
        return self.items[1]

    @property
    def is_set(self) -> bool:
        return self.cls is TableSet

    def with_items(self, items: tuple[Value, ...]) -> Table:
        return Table(self.cls, items, self.keys, self.default)

    def like(self, other: object) -> bool:
        return super().like(other) and self.default == getattr(other, "default", None)
