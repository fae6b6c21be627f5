"""Where a piece of program text stands, and the error that points at it.

Source(file, text, first_line)   the text of one function or module as the user wrote it
Span(source, line, column, ...)  a piece of it
SourceError                      a SyntaxError at a Span: Python itself prints the line and the caret
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from codegen.pickling import exception_parts


@dataclass(frozen=True, eq=False)
class Source:
    """Program text. `first_line` is the line of `text`'s first line in `file` (1-based)."""

    file: str
    text: str
    first_line: int = 1

    def line(self, number: int) -> str:
        """The text of the file's line `number`, or '' outside this text."""
        at = number - self.first_line
        return self.lines[at] if 0 <= at < len(self.lines) else ""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@dataclass(frozen=True, eq=False)
class Span:
    """A piece of a Source: lines and columns count from 1, the end column is exclusive."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def text(self) -> str:
        """The line the span begins on, stripped: what a comment quotes."""
        return self.source.line(self.line).strip()

    @property
    def said(self) -> str:
        """Its own text, as far as it is on one line."""
        line = self.source.line(self.line)
        return line[self.column - 1 : self.end_column - 1 if self.end_line == self.line else None]

    @property
    def brief(self) -> str:
        """The line after its file's name and its number: the same wherever the file lies."""
        return f"{Path(self.source.file).name}:{self.line}: {self.text}"

    def __str__(self) -> str:
        return f"{self.source.file}:{self.line}"


class SourceError(SyntaxError):
    """Something at the user's line that cannot be transformed: what was met, why, what to write instead.

    `problems` lists every (Span | None, message) found; the first one gives the SyntaxError's own
    file, line, column and text, the rest follow in the message. `of_changed_list`: a list is changed in place that
    others may have, as the lists that a caller gives.
    """

    of_changed_list = False
    # the new list into which numbers of other kinds are written, and the dtypes that hold both, Python's or NumPy's
    wants_kinds: tuple[Span, tuple[tuple[str, bool], ...]] | None = None
    wants_growth: tuple[Span, Any] | None = (
        None  # the new list that gets longer or shorter, and the form of its items
    )

    # the new dict or set that gets keys which are numbers, and the form of its entries
    wants_table: tuple[Span, Any] | None = None
    wants_lengths = ""  # what is returned whose length is not known: loops that are written out would tell it
    wants_letters = False  # of texts of which one is chosen when the program runs
    # the class of objects a field of which is assigned to, and which fields are
    wants_fields: tuple[Any, frozenset[str]] | None = None
    # the class whose objects are to be rows, and the forms of their fields that are known
    wants_rows: tuple[Any, dict[str, Any]] | None = None
    stands = False  # it is what is said, also where they cannot be rows
    of_last_resort = False  # what was refused before is said, where that is of no use either
    # the argument that is a dict and has to be taken as arrays, and the form of entries that come to it
    wants_arrays: tuple[Any, Any] | None = None

    def __init__(self, problems: list[tuple[Span | None, str]]):
        self.problems = problems
        span, message = problems[0]
        if len(problems) > 1:
            rest = "\n".join(f"  {span_ or 'unknown place'}: {text}" for span_, text in problems[1:])
            message = f"{message}\nand {len(problems) - 1} more:\n{rest}"
        if span is None:
            super().__init__(message)
            return
        text = span.source.line(span.line)
        one_line = span.end_line == span.line
        end = (span.end_line, span.end_column) if one_line else (span.line, len(text) + 1)
        super().__init__(message, (span.source.file, span.line, span.column, text, *end))

    def __reduce__(self) -> Any:
        return exception_parts(self)

    def told_at(self, span: Span | None, message: str) -> SourceError:
        """The same problem at another place."""
        error = type(self)([(span, message)])
        error.of_changed_list = self.of_changed_list
        error.wants_kinds, error.wants_growth = self.wants_kinds, self.wants_growth
        error.wants_table, error.wants_arrays = self.wants_table, self.wants_arrays
        error.wants_fields, error.wants_letters = self.wants_fields, self.wants_letters
        error.wants_rows = self.wants_rows
        return error

    @property
    def of_unknown(self) -> bool:
        """Whether an int may have to be a constant of the program that is none."""
        return any("known" in message for _, message in self.problems)

    @property
    def may_be_of_ints(self) -> bool:
        """Whether it may stand on a way that is not gone where ints are constants of the program: not where it tells
        how the program is inferred anew."""
        wants: tuple[Any, ...] = self.wants_kinds, self.wants_growth, self.wants_table, self.wants_fields
        wants = *wants, self.wants_arrays, self.wants_rows
        flags = self.of_changed_list or bool(self.wants_lengths) or self.wants_letters
        return not (flags or any(each is not None for each in wants))

    def or_later(self, other: SourceError) -> SourceError:
        """This, or what is found where ints are constants, if that is at another place."""
        same = (self.filename, self.lineno) == (other.filename, other.lineno)
        return self if same and other.may_be_of_ints and not self.of_unknown else other


class InTurnError(SourceError):
    """Of lanes that can be run in turn alone."""

    @classmethod
    def at(cls, span: Span | None, message: str) -> Self:
        return cls([(span, message)])


class UnknownSizeError(InTurnError):
    """Of an array whose size has to be known before the program runs."""


def refuse(span: Span | None, message: str, *, wants: tuple[Any, Any] = (None, None)) -> SourceError:
    """The SourceError for one problem; `wants`: a table's form, and rows."""
    error = SourceError([(span, message)])
    error.wants_table, error.wants_rows = wants
    return error


def list_changed(span: Span | None, message: str) -> SourceError:
    """The SourceError for a list that is changed in place, of which its function does not know that nobody has it."""
    error = refuse(span, message)
    error.of_changed_list = True
    return error


@contextmanager
def refusing(span: Span | None) -> Iterator[None]:
    """TypeError, ValueError and OverflowError of a rule, at the user's line."""
    try:
        yield
    except SourceError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise refuse(span, str(error)) from error
