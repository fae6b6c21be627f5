"""The texts of a program of which one is chosen when it runs; members of an Enum are chosen alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, Flag
from functools import cache
from typing import Any, TypeGuard

import numpy as np

from codegen.infer.kinds import Differ
from codegen.infer.values import GrowingList, Nest, Static
from codegen.ir.exceptions import in_braces
from codegen.ir.literals import literal


@dataclass(eq=False)
class Texts:
    """The class of a nest that stands for one of several texts: its item is the number of the one. They become more
    while a program is inferred. It is no sequence, as other dataclasses are none. `spelled`: there are none in the
    program, but lists of their letters."""

    known: list[str] = field(default_factory=list)
    spelled: bool = False
    __name__ = "text"

    def number(self, text: Any) -> int:
        if not isinstance(text, str):
            return -1
        if text not in self.known:
            self.known.append(text)
        return self.known.index(text)

    def chosen(self, text: Any) -> Nest:
        """A text that is known, as one that is chosen."""
        return Nest(self, (literal(self.number(text.value)),))

    def said(self, number: str) -> str:
        """What says, in the braces of an f-string too, which text it is by this expression for its number."""
        return f"({', '.join(map(in_braces, self.known))},)[{number}]"

    def __call__(self, parts: Sequence[Any]) -> Any:
        """Python's text; an array of those of all lanes."""
        (number,) = parts
        return np.array(self.known)[number] if isinstance(number, np.ndarray) else self.known[number]


@dataclass(eq=False)
class Letters(Texts):
    """The class of a letter, whose number is its code: LETTER of one by itself, OF_TEXT of those that are a text."""

    name: str = ""

    def number(self, text: Any) -> int:
        return ord(text) if isinstance(text, str) and len(text) == 1 else -1

    def said(self, number: str) -> str:
        return f"''.join(map(chr, {number}))" if self is OF_TEXT else f"chr({number})"

    def __call__(self, parts: Sequence[Any]) -> Any:
        (code,) = parts
        return np.asarray(code, np.uint32).view("U1") if isinstance(code, np.ndarray) else chr(code)

    def __reduce__(self) -> str:
        return self.name

    def chosen(self, text: Any) -> Nest:
        return letter(literal(self.number(text.value)), self)


@dataclass(eq=False)
class Members(Texts):
    """The class of one of the members of an Enum: its number is its place among them."""

    known: list[Any] = field(default_factory=list)
    enum: Any = None

    def number(self, text: Any) -> int:
        return self.known.index(text) if type(text) is self.enum else -1

    def said(self, number: str) -> str:
        return f"({', '.join(in_braces(str(each)) for each in self.known)},)[{number}]"

    def __call__(self, parts: Sequence[Any]) -> Any:
        (number,) = parts
        return np.array(self.known, object)[number] if isinstance(number, np.ndarray) else self.known[number]

    def __reduce__(self) -> Any:
        return members_of, (self.enum,)


@cache
def members_of(enum: Any) -> Members:
    return Members([*enum], enum=enum)


LETTER, OF_TEXT = Letters(name="LETTER"), Letters(name="OF_TEXT")


def letter(code: Any, cls: Letters = LETTER) -> Nest:
    """A letter of this code."""
    return Nest(cls, (code,), ("",))


def is_letter(value: Any) -> TypeGuard[Nest]:
    """Whether a value is a letter that is found out when the program runs."""
    return isinstance(value, Nest) and isinstance(value.cls, Letters)


def is_known_letter(value: Any) -> bool:
    return isinstance(value, Static) and isinstance(value.value, str) and len(value.value) == 1


def as_item_of(rows: Any, item: Any) -> Any:
    """An item of a list; of a list of letters a letter, also where it is known."""
    known = is_letter(rows) and is_known_letter(item) or is_member(item) and are_unlike_members(rows, item)
    return rows.cls.chosen(item) if known else item


def by_itself(value: Any) -> Any:
    """A letter of a text by itself, or the letters of a text as a list of such; other values as they are."""
    if is_letters(value):
        return value.with_parts(value.parts.with_items((value.count, letter(value.rows.items[0]))))
    return letter(value.items[0]) if is_letter(value) else value


def is_letters(value: Any) -> TypeGuard[GrowingList]:
    """Whether a value is a text that is made when the program runs: the list of its letters."""
    return isinstance(value, GrowingList) and isinstance(value.rows, Nest) and value.rows.cls is OF_TEXT


def is_chosen(value: Any) -> TypeGuard[Nest]:
    """Whether a value is a text that is chosen when the program runs."""
    return isinstance(value, Nest) and isinstance(value.cls, Texts)


def holds_chosen(value: Any) -> bool:
    """Whether a text that is chosen when the program runs is among the values in nests."""
    return is_chosen(value) or isinstance(value, Nest) and any(map(holds_chosen, value.items))


def holds_numbered(value: Any) -> bool:
    """The same, but for letters, whose codes have their order."""
    if is_letter(value):
        return False
    return is_chosen(value) or isinstance(value, Nest) and any(map(holds_numbered, value.items))


def is_words(value: Any) -> bool:
    """Whether a value is a text or a member of an Enum that is known, or is chosen."""
    known = isinstance(value, Static) and isinstance(value.value, str)
    return known or is_chosen(value) or is_member(value)


def is_member(value: Any) -> bool:
    """Whether a value is a member of an Enum, and no text or number, that is known."""
    held = value.value if isinstance(value, Static) else None
    return isinstance(held, Enum) and not isinstance(held, Flag | str | int | float)


def members(value: Any) -> Members | None:
    """The members of the Enum that one is of, known or chosen; None of others."""
    if is_member(value):
        enum: Any = type(value.value)
        return members_of(enum)
    return value.cls if isinstance(value, Nest) and isinstance(value.cls, Members) else None


def is_of(texts: Texts, value: Any) -> bool:
    """Whether a text, or a member of an Enum, is one of these, or may become it."""
    return value.cls is texts if is_chosen(value) else isinstance(texts, Members) == (members(value) is texts)


def texts_of(value: Any, texts: Texts) -> Texts:
    """The texts that one is of, which are those of the program if it is known."""
    return value.cls if is_chosen(value) else members(value) or (LETTER if texts.spelled else texts)


def are_unlike_members(x: Any, y: Any) -> bool:
    """Whether two values are members of an Enum, not the same one that is known."""
    return members(x) is not None and members(x) is members(y)


def both_chosen(texts: Texts, x: Any, y: Any) -> tuple[Nest, Nest]:
    """Two texts as ones that are chosen, of those that one of them is of."""
    found = next((value.cls for value in (x, y) if is_chosen(value)), members(x) or texts)
    if members(x) is not members(y):
        raise Differ("a member of an Enum on one way to here and another value on another")
    x, y = (value if is_chosen(value) else found.chosen(value) for value in (x, y))
    if x.cls is not y.cls:
        raise Differ(
            "a text that was chosen outside of this function on one way to here and another on another"
        )
    return x, y
