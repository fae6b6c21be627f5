"""What a machine's text notes of itself while it runs, for a profile: nothing, or visits, lanes and time per block.

    if pc == 3:  # step                       if pc == 3:  # step
        x = 0.5 * x              ->               note_visit(notes, 1556)
                                                  x = 0.5 * x

A machine is written with `Unmarked`, or with `Marked`: the same statements in the same order, and between them calls
that count in the array `notes` (notes.py).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field

import numpy as np

from autobatch.cfg.graph import BasicBlock
from autobatch.profiling import notes
from codegen.emit.coalescing import candidates
from codegen.ir import Block, Equation
from codegen.ir.substitution import blocks as blocks_of
from codegen.source import Span


@dataclass(frozen=True)
class Row:
    """What is counted together: a block, or a product that lanes share; `span` is the user's line it begins at.

    alone: one lane at a time, so that a visit is one lane's.
    """

    name: str
    function: str
    span: Span | None
    alone: bool


class Unmarked:
    """A machine that notes nothing: every method gives the lines of text that stand at a place, here none."""

    words: Collection[str] = ()  # names that the text uses
    given: tuple[str, ...] = ()  # the argument that follows the outputs

    def avoid(self, taken: Collection[str]) -> None:
        """The text has these names already."""

    def text(self) -> str:
        """What the calls need."""
        return ""

    def visit(self, k: int, block: BasicBlock) -> list[str]:
        """One lane comes to block k."""
        return []

    def back(self, k: int, block: BasicBlock) -> list[str]:
        """One lane goes on in block k, which it left for a product."""
        return []

    def side_by_side(self, k: int, block: BasicBlock, lanes: str, room: str) -> list[str]:
        """So many lanes come to block k together."""
        return []

    def product(self, m: int, block: BasicBlock, equation: Equation, lanes: str, room: str) -> list[str]:
        """Product m is taken for so many lanes."""
        return []

    def host(self, function: str, span: Span | None) -> list[str]:
        """One lane's whole program runs by the host's calls."""
        return []

    def between(self) -> list[str]:
        """One lane has left its block."""
        return []

    def alone(self) -> list[str]:
        """Lanes go on one at a time."""
        return []

    def ended(self) -> list[str]:
        """A lane has ended."""
        return []


UNMARKED = Unmarked()


@dataclass
class Marked(Unmarked):
    """A machine that takes notes; `rows` are what it counts, in order, once it is written."""

    rows: dict[Hashable, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rows["between"] = Row("between blocks", "", None, alone=True)
        self.avoid(())

    def avoid(self, taken: Collection[str]) -> None:
        hints = ("notes", *notes.words())
        self.names = {hint: next(c for c in candidates(hint) if c not in taken) for hint in hints}
        self.words = self.names.values()
        self.given = (self.names["notes"],)

    def text(self) -> str:
        return notes.text(self.names)

    def visit(self, k: int, block: BasicBlock) -> list[str]:
        return [self.call("note_visit", self.row(k, block_row(block, alone=True)))]

    def back(self, k: int, block: BasicBlock) -> list[str]:
        return [self.call("note_time", self.row(k, block_row(block, alone=True)))]

    def side_by_side(self, k: int, block: BasicBlock, lanes: str, room: str) -> list[str]:
        return [self.call("note_lanes", self.row(k, block_row(block, alone=False)), lanes, room)]

    def product(self, m: int, block: BasicBlock, equation: Equation, lanes: str, room: str) -> list[str]:
        row = Row(f"{block.name}, its product", block.function, equation.span, alone=False)
        return [self.call("note_lanes", self.row(("product", m), row), lanes, room)]

    def host(self, function: str, span: Span | None) -> list[str]:
        row = Row(f"{function}, by the host's calls", function, span, alone=True)
        return [self.call("note_visit", self.row("host", row))]

    def between(self) -> list[str]:
        return [self.call("note_time", str(notes.BETWEEN))]

    def alone(self) -> list[str]:
        return [self.call("note_lanes", str(notes.BETWEEN), "1", "1")]

    def ended(self) -> list[str]:
        return [self.call("note_end")]

    def call(self, name: str, *given: str) -> str:
        return f"{self.names[name]}({', '.join((*self.given, *given))})"

    def row(self, key: Hashable, row: Row) -> str:
        """The place of a row in the notes."""
        self.rows.setdefault(key, row)
        return str(notes.ROWS + 4 * list(self.rows).index(key))

    def blank(self) -> np.ndarray:
        """Notes in which nothing stands."""
        return notes.blank(len(self.rows))


def block_row(block: BasicBlock, *, alone: bool) -> Row:
    return Row(block.name, block.function, begins_at(Block(block.equations, ())), alone)


def begins_at(block: Block) -> Span | None:
    """The user's line that the first equation with one comes from."""
    for equation in block.equations:
        inside = (begins_at(b) for b in blocks_of(equation.op))
        found = equation.span or next((s for s in inside if s is not None), None)
        if found is not None:
            return found
    return None
