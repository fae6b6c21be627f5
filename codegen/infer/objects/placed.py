"""An object that is a row of arrays, a column a field, of which it is the number; and what fields of such objects hold.

The form of what a field holds has a Kind in place of each number: of texts, functions and None what they are, of one
that may be None an Optional.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from codegen.infer.kinds import Differ, Kind
from codegen.infer.memory.growing_lists import unify_forms
from codegen.infer.objects.assigned import wanting_rows
from codegen.infer.objects.field import AssignedField
from codegen.infer.optional import given_value, is_none
from codegen.infer.tables.values import OF_ARRAYS, HeldList
from codegen.infer.texts.known_texts import Texts, is_letter, is_letters, is_words, members
from codegen.infer.values import GrowingList, Nest, Optional, Ref, Static, Value, View, same_static
from codegen.ir import Lit, Var


class HeldLists:
    """The class of the form of a field that holds lists, which are numbers of lists of one store."""


@dataclass(frozen=True)
class FieldLists:
    """Where the lists are made that a field of a class has."""

    cls: Any
    key: str


ROW = "%row"  # what no field is called
THERE = Kind("b1")
TEXTS = Texts()  # in a form those of the program
LISTS = HeldLists()
ONE_LIST: Any = Nest(LISTS, (Kind("i8", (), True),))  # type: ignore[arg-type]
ONE_TEXT: Any = Nest(TEXTS, (Kind("i8", (), True),))  # type: ignore[arg-type]
OF_NUMBERS = "hold numbers, texts, tuples of such, lists of numbers, None, and other such objects"


@dataclass(frozen=True, eq=False)
class Placed(Nest):
    """An object of a class whose objects are rows: the number of its own."""

    @classmethod
    def of(cls, record: Any, row: Any) -> Placed:
        return cls(record, (row,), (ROW,))

    @property
    def row(self) -> Any:
        return self.items[0]

    def with_items(self, items: tuple[Value, ...]) -> Placed:
        return Placed(self.cls, items, self.keys)

    def named(self, name: str) -> Iterator[tuple[str, Value]]:
        return iter(((name, self.row),))


def held_form(value: Value) -> Any:
    """The form of what a field is given. Raises Differ."""
    match value:
        case Nest(Texts()) if not is_letter(value):
            return form_of_words(value, value)
        case Optional():
            return Optional.made(THERE, held_form(value.value))
        case Placed():
            return value.with_items((Kind("i8", (), True),))  # type: ignore[arg-type]
        case Nest(cls, items) if any(isinstance(item, AssignedField) for item in items):
            raise wanting_rows("an object whose fields are assigned to", cls)
        case HeldList():
            return ONE_LIST
        case Nest(cls) if cls is list:
            return ONE_LIST
        case Nest(cls) if cls in (dict, *OF_ARRAYS) or not isinstance(cls, type):
            raise Differ("a dict or set, or a list of lists")
        case Nest(_, items):
            return value.with_items(tuple(map(held_form, items)))
        case Var() | Lit() if value.type.dtype != "rng":
            return Kind(value.type.dtype, (), value.type.weak)
        case GrowingList() if is_letters(value) or value.fixed:
            raise Differ("a list that has other names (give it a copy, `list(...)`), or a text")
        case GrowingList():
            return ONE_LIST
        case Ref() | View():
            raise Differ("an array")
        case Static():
            return value
    raise Differ("something else")


def form_of_both(x: Any, y: Any) -> Any:
    """The form of what has either of two. Raises Differ."""
    if x is None or y is None:
        return y if x is None else x
    if is_none(x) and is_none(y):
        return x
    if any(isinstance(form, Optional) or is_none(form) for form in (x, y)):
        inner = [given_value(form) for form in (x, y) if not is_none(form)]
        return Optional.made(THERE, form_of_both(*inner) if len(inner) > 1 else inner[0])
    if is_words(x) and is_words(y) and not same_static(x, y):
        return form_of_words(x, y)
    if isinstance(x, Nest) and x.like(y):
        return x.with_items(tuple(map(form_of_both, x.items, y.items)))
    return unify_forms(x, y)


def form_of_words(x: Any, y: Any) -> Nest:
    """The form of one of several texts, or members of an Enum. Raises Differ."""
    if members(x) is not members(y):
        raise Differ("a member of an Enum in one place and another value in another")
    form: Nest = ONE_TEXT
    return form if members(x) is None else Nest(members(x), form.items)


def same_form(x: Any, y: Any) -> bool:
    match x, y:
        case Nest(), Nest():
            return x.like(y) and all(map(same_form, x.items, y.items))
        case Kind(), Kind():
            return x == y
    return x is y or same_static(x, y)


def objects_in(value: Any) -> Iterator[Placed]:
    """The objects among nested values, and in what lists have in common, that are rows."""
    if isinstance(value, Placed):
        yield value
    within = value.items if isinstance(value, Nest) else ()
    for item in (value.parts,) if isinstance(value, GrowingList) else within:
        yield from objects_in(item)
