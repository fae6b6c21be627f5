"""What a `check` or a `fail` raises: an exception's class, and its arguments as Python puts them together then.

    raise Far(f"{x} is over {LIMIT}", i)   ->   Thrown(Far, (Said(('f"', {x}, ' is over 4"')), Said((i,))))

The arguments are Python's own expressions over the values that a check or fail has besides its test: they are
evaluated when it is raised, in Python on every target, so that numbers are written as Python writes them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Slot:
    """Where value number `place` stands. `exact`: its type shows (`repr` tells np.float64(1.0) from 1.0).

    `braced`: in an f-string, by itself between braces, which a known number can do without. `listed`: of an array, the
    list of its elements as Python's numbers. `among`: of the number of a text, or of the codes of its letters,
    what says which text that is.
    """

    place: int
    exact: bool = False
    braced: bool = False
    listed: bool = False
    among: Any = None

    def shown(self, text: str) -> str:
        """It with this text for the value."""
        if self.among is not None:
            text = self.among.said(text)
        if self.listed:
            text = f"{text if text.isidentifier() else f'({text})'}.tolist()"
        return f"{{{text}}}" if self.braced else text


def in_braces(text: str) -> str:
    """A text's literal between the braces of an f-string in double quotes.

    >>> in_braces("fast"), in_braces('"')
    ("'fast'", "bytes.fromhex('22').decode()")
    """
    plain = repr(text)
    return f"bytes.fromhex('{text.encode().hex()}').decode()" if set(plain[1:-1]) & set("\"'\\{}") else plain


def told_value(place: int) -> Slot:
    """A value as an f-string tells it."""
    return Slot(place, braced=True)


@dataclass(frozen=True)
class Said:
    """An expression of Python's in pieces; `told` says it where the values are not known."""

    pieces: tuple[str | Slot, ...]
    told: str = field(compare=False)

    def written(self, texts: Sequence[str], shown: Callable[[Slot, str], str] | None = None) -> str:
        """The expression with these texts for its values."""
        parts = []
        for piece in self.pieces:
            if isinstance(piece, Slot):
                text = texts[piece.place]
                parts.append(shown(piece, text) if shown else piece.shown(text))
            else:
                parts.append(piece)
        return "".join(parts)

    def value(self, values: Sequence[Any] = ()) -> Any:
        """What it is for these values."""
        names = [f"v{k}" for k in range(len(values))]
        return eval(self.written(names), {"np": np}, dict(zip(names, values, strict=True)))

    @property
    def constant(self) -> bool:
        return not any(isinstance(piece, Slot) for piece in self.pieces)


@dataclass(frozen=True, repr=False)
class Thrown:
    """`raise cls(*arguments) from cause`."""

    cls: type[BaseException]
    arguments: tuple[Said, ...] = ()
    cause: Thrown | None = None

    @property
    def name(self) -> str:
        return self.cls.__name__

    @property
    def message(self) -> str:
        """What str() gives, as far as it is known before the program runs."""
        told = [argument.told for argument in self.arguments]
        return told[0] if len(told) == 1 else f"({', '.join(told)})" if told else ""

    @property
    def known(self) -> bool:
        """Whether it is raised with the same arguments whatever the values."""
        return all(a.constant for a in self.arguments) and (self.cause is None or self.cause.known)

    @property
    def builtin(self) -> bool:
        return getattr(builtins, self.name, None) is self.cls

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(repr(a.told) for a in self.arguments)})"

    def error(self, values: Sequence[Any] = ()) -> BaseException:
        """The exception, for these values."""
        made = self.cls(*(a.value(values) for a in self.arguments))
        if self.cause is not None:
            made.__cause__ = self.cause.error(values)
        return made


def text(message: str) -> Said:
    """A text that is known."""
    return Said((quoted(message),), message)


def quoted(message: str) -> str:
    """A string literal in double quotes, as formatters write it."""
    plain = repr(message)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def thrown(cls: type[BaseException] | str, message: str | None = None) -> Thrown:
    """An exception (a builtin one by name) with a text that is known."""
    found = getattr(builtins, cls) if isinstance(cls, str) else cls
    return Thrown(found, () if message is None else (text(message),))


def few_values(wanted: int, how: str = "") -> Thrown:
    """Python's ValueError of an unpacking, for the number of values there are. `how`: "at least " of a star."""
    told = "not enough values to unpack"
    return Thrown(ValueError, (Said((f'f"{told} (expected {how}{wanted}, got ', told_value(0), ')"'), told),))


def other_size() -> Thrown:
    """Python's ValueError of items given to every k-th place, for how many there are and how many are wanted."""
    told = "attempt to assign sequence of another size to extended slice"
    sizes = "of size ", told_value(0), " to extended slice of size ", told_value(1)
    return Thrown(ValueError, (Said(('f"attempt to assign sequence ', *sizes, '"'), told),))


def out_of_range(axis: int, *, array: bool) -> Thrown:
    """NumPy's IndexError for the values (index, size); of an array of indices, the first that is out of range."""
    index, size = Slot(0), Slot(1)
    first: tuple[str | Slot, ...] = (told_value(0),)
    if array:
        first = ("{", index, "[(", index, " < -", size, ") | (", index, " >= ", size, ")][0]}")
    pieces = ('f"index ', *first, f" is out of bounds for axis {axis} with size ", told_value(1), '"')
    return Thrown(IndexError, (Said(pieces, f"index out of bounds for axis {axis}"),))
