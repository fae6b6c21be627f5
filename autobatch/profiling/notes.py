"""The notes that a machine takes while it runs: where they stand, and the functions that write them.

Notes are one array of integers, of one call on one range of lanes, so that threads share nothing: where time goes at
the moment; a timeline (how many lanes were being computed, how many ended); and four numbers a row, a row being a
block, a product that lanes share, or what is done between them. The functions `note_...` are copied into the text of
machines (probes.py); a time is the processor's count of cycles.
"""

# mypy: ignore-errors

import inspect
from collections.abc import Mapping

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from codegen.emit.renaming import renamed_tokens

BINS = 512  # of the timeline; when they are full, pairs become one
NARROW = 12  # the first bins are 2**NARROW cycles wide

THEN, ROW, SINCE, ACTIVE, PLACES, START, WIDTH = range(7)  # places of one number each in the notes
LANES = 8  # from here: cycles times lanes that are computed, bin by bin
ROOM = LANES + BINS  # from here: cycles times lanes that there is room for
ENDED = ROOM + BINS  # from here: lanes that ended
ROWS = ENDED + BINS  # from here: visits, lanes, room, cycles of each row
BETWEEN = ROWS  # the first row: what is not a block's


@intrinsic
def note_cycles(typing):
    """The processor's counter of cycles."""

    def generate(context, builder, signature, args):
        whole = ir.FunctionType(ir.IntType(64), ())
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=whole), ())

    return types.int64(), generate


@njit(error_model="numpy")
def note_time(notes, row):
    """From now on time is this row's."""
    now = note_cycles()
    notes[notes[ROW] + 3] += now - notes[THEN]
    notes[THEN] = now
    notes[ROW] = row


@njit(error_model="numpy")
def note_visit(notes, row):
    """One lane comes to a block."""
    note_time(notes, row)
    notes[row] += 1


@njit(error_model="numpy")
def note_lanes(notes, row, lanes, room):
    """So many lanes are at a block side by side, where there is room for `room`."""
    note_time(notes, row)
    note_timeline(notes)
    notes[ACTIVE] = lanes
    notes[PLACES] = room
    notes[row] += 1
    notes[row + 1] += lanes
    notes[row + 2] += room


@njit(error_model="numpy")
def note_end(notes):
    """A lane has ended."""
    note_timeline(notes)
    notes[ENDED + ((notes[THEN] - notes[START]) >> notes[WIDTH])] += 1


@njit(error_model="numpy")
def note_timeline(notes):
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


@njit(error_model="numpy", nogil=True)
def cycle_counter() -> int:
    return note_cycles()


@njit(error_model="numpy", nogil=True)
def begin_notes(notes, start):
    """Notes are taken from now on, on a timeline that began at `start`."""
    notes[START] = start
    notes[THEN] = notes[SINCE] = max(start, note_cycles())
    notes[ROW] = BETWEEN
    notes[ACTIVE] = notes[PLACES] = 1
    notes[WIDTH] = NARROW


@njit(error_model="numpy", nogil=True)
def finish_notes(notes):
    """Nothing is noted any more."""
    note_time(notes, BETWEEN)
    note_timeline(notes)


NUMBERS = {
    "THEN": THEN, "ROW": ROW, "SINCE": SINCE, "ACTIVE": ACTIVE, "PLACES": PLACES, "START": START,
    "WIDTH": WIDTH, "LANES": LANES, "ROOM": ROOM, "ENDED": ENDED, "BINS": BINS,
}  # fmt: skip
IMPORTED = {"ir": "llvmlite", "types": "numba", "intrinsic": "numba.extending"}
COPIED = (note_cycles, note_time, note_visit, note_lanes, note_end, note_timeline)


def copied_names() -> list[str]:
    """The names that the copied functions use or are."""
    return [*IMPORTED, *(f.__name__ for f in COPIED)]


def copied_text(names: Mapping[str, str]) -> str:
    """The copied functions, with other names for `copied_names`, and the layout as numbers."""
    imports = "\n".join(f"from {module} import {name} as {names[name]}" for name, module in IMPORTED.items())
    known = {**names, **{name: str(value) for name, value in NUMBERS.items()}}
    parts = (inspect.getsource(f).rstrip() for f in COPIED)
    renamed = (renamed_tokens(part, known) for part in parts)
    return "\n\n\n".join((imports, *renamed))


def empty_notes(rows: int) -> np.ndarray:
    """Notes in which nothing stands."""
    return np.zeros(ROWS + 4 * rows, np.int64)
