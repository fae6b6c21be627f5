"""What a machine's text notes of itself while it runs, for a profile: nothing, or visits, lanes and time per block.

    if pc == 3:  # step                       if pc == 3:  # step
        x = 0.5 * x              ->               note_visit(notes, 1556)
                                                  x = 0.5 * x

A machine is written with `Unmarked`, or with `Marked`: the same statements in the same order, and between them calls
that count in the array `notes` (notes.py).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np

from autobatch.cfg.graph import BasicBlock
from codegen.emit.coalescing import unused_spelling
from codegen.ir import Block, Equation
from codegen.ir.traversal import equations
from codegen.lazy import lazily
from codegen.source import Span

notes = lazily("autobatch.profiling.notes")  # Numba comes with it


@dataclass(frozen=True)
class ProbeRow:
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
    said = ""  # in the text's docstring

    def avoid(self, taken: Collection[str]) -> None:
        """The text has these names already."""

    def text(self) -> str:
        """What the calls need."""
        return ""

    def note(self, name: str, *given: str, key: Hashable = None, row: ProbeRow | None = None) -> list[str]:
        """A call of a function of notes.py, of a row or none."""
        return []

    def visit(self, k: int, block: BasicBlock) -> list[str]:
        """One lane comes to block k."""
        return self.note("note_visit", key=k, row=block_row(block, alone=True))

    def back(self, k: int, block: BasicBlock) -> list[str]:
        """One lane goes on in block k, which it left for a product."""
        return self.note("note_time", key=k, row=block_row(block, alone=True))

    def side_by_side(self, k: int, block: BasicBlock, lanes: str, room: str) -> list[str]:
        """So many lanes come to block k together."""
        return self.note("note_lanes", lanes, room, key=k, row=block_row(block, alone=False))

    def product(self, m: int, block: BasicBlock, equation: Equation, lanes: str, room: str) -> list[str]:
        """Product m is taken for so many lanes."""
        row = ProbeRow(f"{block.name}, its product", block.function, equation.span, alone=False)
        return self.note("note_lanes", lanes, room, key=("product", m), row=row)

    def host(self, function: str, span: Span | None) -> list[str]:
        """One lane's whole program runs by the host's calls."""
        row = ProbeRow(f"{function}, by the host's calls", function, span, alone=True)
        return self.note("note_visit", key="host", row=row)

    def between(self) -> list[str]:
        """One lane has left its block."""
        return self.note("note_time", key="between", row=BETWEEN)

    def alone(self) -> list[str]:
        """Lanes go on one at a time."""
        return self.note("note_lanes", "1", "1", key="between", row=BETWEEN)

    def ended(self) -> list[str]:
        """A lane has ended."""
        return self.note("note_end")


UNMARKED = Unmarked()
BETWEEN = ProbeRow("between blocks", "", None, alone=True)


class Marked(Unmarked):
    """A machine that takes notes; `rows` are what it counts, in order, once it is written."""

    said = " With notes for a profile."

    def __init__(self) -> None:
        self.rows: dict[Hashable, ProbeRow] = {"between": BETWEEN}
        self.avoid(())

    def avoid(self, taken: Collection[str]) -> None:
        self.names = {hint: unused_spelling(hint, taken) for hint in ("notes", *notes.copied_names())}
        self.words = self.names.values()
        self.given = (self.names["notes"],)

    def text(self) -> str:
        return notes.copied_text(self.names)

    def note(self, name: str, *given: str, key: Hashable = None, row: ProbeRow | None = None) -> list[str]:
        if row is not None:
            self.rows.setdefault(key, row)
            given = (str(notes.ROWS + 4 * list(self.rows).index(key)), *given)
        return [f"{self.names[name]}({', '.join((*self.given, *given))})"]

    def blank(self) -> np.ndarray:
        """Notes in which nothing stands."""
        return notes.empty_notes(len(self.rows))


def block_row(block: BasicBlock, *, alone: bool) -> ProbeRow:
    return ProbeRow(block.name, block.function, begins_at(Block(block.equations, ())), alone)


def begins_at(block: Block) -> Span | None:
    """The user's line that the first equation with one comes from."""
    return next((equation.span for equation in equations(block) if equation.span is not None), None)
