"""What a machine's text notes of itself while it runs, for a profile: nothing, or visits, lanes and time per block.

    if pc == 3:  # step                       if pc == 3:  # step
        x = 0.5 * x              ->               note_visit(notes, 1048)
                                                  x = 0.5 * x

A machine is written with `Unmarked`, or with `Marked`: the same statements in the same order, and between them calls
that count in the array `notes`. That array is one call's own, so that threads share nothing. It holds where time goes
at the moment, a timeline (how many lanes were being computed, how many ended), and four numbers a row, a row being a
block, a product that lanes share, or what is done between them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from autobatch.graph import BasicBlock
from codegen.ir import Block, Equation
from codegen.names import candidates
from codegen.rename import blocks as blocks_of
from codegen.source import Span

BINS = 512  # of the timeline; when they are full, pairs become one
NARROW = 12  # the first bins are 2**NARROW cycles wide

THEN, ROW, SINCE, ACTIVE, PLACES, START, WIDTH = range(7)  # places of one number each in the notes
LANES = 8  # from here: cycles times lanes that are computed, bin by bin
ROOM = LANES + BINS  # from here: cycles times lanes that there is room for
ENDED = ROOM + BINS  # from here: lanes that ended
ROWS = ENDED + BINS  # from here: visits, lanes, room, cycles of each row
BETWEEN = ROWS  # the first row: what is not a block's


# --- what is copied into a machine's text --------------------------------------------------------------


@intrinsic
def note_cycles(typing):  # type: ignore[no-untyped-def]
    """The processor's counter of cycles."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        whole = ir.FunctionType(ir.IntType(64), ())
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=whole), ())

    return types.int64(), generate


@njit(error_model="numpy")
def note_time(notes, row):  # type: ignore[no-untyped-def]
    """From now on time is this row's."""
    now = note_cycles()
    notes[notes[ROW] + 3] += now - notes[THEN]
    notes[THEN] = now
    notes[ROW] = row


@njit(error_model="numpy")
def note_visit(notes, row):  # type: ignore[no-untyped-def]
    """One lane comes to a block."""
    note_time(notes, row)
    notes[row] += 1


@njit(error_model="numpy")
def note_lanes(notes, row, lanes, room):  # type: ignore[no-untyped-def]
    """So many lanes are at a block side by side, where there is room for `room`."""
    note_time(notes, row)
    note_timeline(notes)
    notes[ACTIVE] = lanes
    notes[PLACES] = room
    notes[row] += 1
    notes[row + 1] += lanes
    notes[row + 2] += room


@njit(error_model="numpy")
def note_end(notes):  # type: ignore[no-untyped-def]
    """A lane has ended."""
    note_timeline(notes)
    notes[ENDED + ((notes[THEN] - notes[START]) >> notes[WIDTH])] += 1


@njit(error_model="numpy")
def note_timeline(notes):  # type: ignore[no-untyped-def]
    """The time since this was last done, with the lanes that were active, goes to its bins."""
    at, now, start = notes[SINCE], notes[THEN], notes[START]
    while (now - start) >> notes[WIDTH] >= BINS:
        for first in (LANES, ROOM, ENDED):
            for k in range(BINS // 2):
                notes[first + k] = notes[first + 2 * k] + notes[first + 2 * k + 1]
            notes[first + BINS // 2 : first + BINS] = 0
        notes[WIDTH] += 1
    while at < now:
        k = (at - start) >> notes[WIDTH]
        edge = min(now, start + ((k + 1) << notes[WIDTH]))
        notes[LANES + k] += (edge - at) * notes[ACTIVE]
        notes[ROOM + k] += (edge - at) * notes[PLACES]
        at = edge
    notes[SINCE] = at


COPIED = (note_cycles, note_time, note_timeline, note_visit, note_lanes, note_end)
IMPORTED = {"ir": "llvmlite", "types": "numba", "intrinsic": "numba.extending"}
NUMBERS = {
    "THEN": THEN, "ROW": ROW, "SINCE": SINCE, "ACTIVE": ACTIVE, "PLACES": PLACES, "START": START,
    "WIDTH": WIDTH, "LANES": LANES, "ROOM": ROOM, "ENDED": ENDED, "BINS": BINS,
}  # fmt: skip


# --- the notes of one call ------------------------------------------------------------------------------


@njit(error_model="numpy", nogil=True)
def cycles() -> int:
    return note_cycles()


@njit(error_model="numpy", nogil=True)
def begin(notes, start):  # type: ignore[no-untyped-def]
    """Notes are taken from now on, on a timeline that began at `start`."""
    notes[START] = start
    notes[THEN] = notes[SINCE] = max(start, note_cycles())
    notes[ROW] = BETWEEN
    notes[ACTIVE] = notes[PLACES] = 1
    notes[WIDTH] = NARROW


@njit(error_model="numpy", nogil=True)
def finish(notes):  # type: ignore[no-untyped-def]
    """Nothing is noted any more."""
    note_time(notes, BETWEEN)
    note_timeline(notes)


# --- what writes the calls ------------------------------------------------------------------------------


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
        hints = ["notes", *IMPORTED, *(f.__name__ for f in COPIED)]
        self.names = {h: next(c for c in candidates(h) if c not in taken) for h in hints}
        self.words = self.names.values()
        self.notes = self.names["notes"]
        self.given = (self.notes,)

    def text(self) -> str:
        imports = [f"from {module} import {name} as {self.names[name]}" for name, module in IMPORTED.items()]
        parts = [inspect.getsource(getattr(f, "py_func", getattr(f, "_defn", None))) for f in COPIED]
        text = "\n\n".join(parts).replace("  # type: ignore[no-untyped-def]", "").rstrip()
        known = {**self.names, **{name: str(value) for name, value in NUMBERS.items()}}
        text = re.sub(r"\w+", lambda word: known.get(word[0], word[0]), text)
        return "\n".join(imports) + "\n\n\n" + text

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
        return [self.call("note_time", str(BETWEEN))]

    def alone(self) -> list[str]:
        return [self.call("note_lanes", str(BETWEEN), "1", "1")]

    def ended(self) -> list[str]:
        return [self.call("note_end")]

    def call(self, name: str, *given: str) -> str:
        return f"{self.names[name]}({', '.join((self.notes, *given))})"

    def row(self, key: Hashable, row: Row) -> str:
        """The place of a row in the notes."""
        self.rows.setdefault(key, row)
        return str(ROWS + 4 * list(self.rows).index(key))

    def blank(self) -> np.ndarray:
        """Notes in which nothing stands."""
        return np.zeros(ROWS + 4 * len(self.rows), np.int64)


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
