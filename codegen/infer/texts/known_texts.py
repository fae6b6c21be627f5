"""The texts of a program of which one is chosen when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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

    def number(self, text: str) -> int:
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

    def number(self, text: str) -> int:
        return ord(text) if len(text) == 1 else -1

    def said(self, number: str) -> str:
        return f"''.join(map(chr, {number}))" if self is OF_TEXT else f"chr({number})"

    def __call__(self, parts: Sequence[Any]) -> Any:
        (code,) = parts
        return np.asarray(code, np.uint32).view("U1") if isinstance(code, np.ndarray) else chr(code)

    def __reduce__(self) -> str:
        return self.name

    def chosen(self, text: Any) -> Nest:
        return letter(literal(self.number(text.value)), self)


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
    return rows.cls.chosen(item) if is_letter(rows) and is_known_letter(item) else item


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
    """Whether a value is a text that is known, or is chosen."""
    return isinstance(value, Static) and isinstance(value.value, str) or is_chosen(value)


def both_chosen(texts: Texts, x: Any, y: Any) -> tuple[Nest, Nest]:
    """Two texts as ones that are chosen, of those that one of them is of."""
    found = next((value.cls for value in (x, y) if is_chosen(value)), texts)
    x, y = (value if is_chosen(value) else found.chosen(value) for value in (x, y))
    if x.cls is not y.cls:
        raise Differ(
            "a text that was chosen outside of this function on one way to here and another on another"
        )
    return x, y
