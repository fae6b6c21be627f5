"""The texts of a program of which one is chosen when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.infer.kinds import Differ
from codegen.infer.values import Nest, Static
from codegen.ir.literals import literal


@dataclass(eq=False)
class Texts:
    """The class of a nest that stands for one of several texts: its item is the number of the one. They become more
    while a program is inferred. It is no sequence, as other dataclasses are none."""

    known: list[str] = field(default_factory=list)
    __name__ = "text"

    def number(self, text: str) -> int:
        if text not in self.known:
            self.known.append(text)
        return self.known.index(text)

    def chosen(self, text: Any) -> Nest:
        """A text that is known, as one that is chosen."""
        return Nest(self, (literal(self.number(text.value)),))

    def __call__(self, parts: Sequence[Any]) -> Any:
        """Python's text; an array of those of all lanes."""
        (number,) = parts
        return np.array(self.known)[number] if isinstance(number, np.ndarray) else self.known[number]


def is_chosen(value: Any) -> bool:
    """Whether a value is a text that is chosen when the program runs."""
    return isinstance(value, Nest) and isinstance(value.cls, Texts)


def holds_chosen(value: Any) -> bool:
    """Whether a text that is chosen when the program runs is among the values in nests."""
    return is_chosen(value) or isinstance(value, Nest) and any(map(holds_chosen, value.items))


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
