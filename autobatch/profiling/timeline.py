"""Lanes over time, from the notes of all ranges of lanes: timeline : runs -> Timeline.

Each range has bins of its own width, of cycles since its run began. Their sums so far are lines that are drawn through
the bins' edges; sums of such lines are cut into equal bins again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autobatch.profiling.probes import ProbeRow
from codegen.lazy import lazily

notes = lazily("autobatch.profiling.notes")

POINTS = 200  # bins of a Timeline


@dataclass(frozen=True, eq=False)
class Timeline:
    """Lanes in equal bins of time, each array (200,) except `edges`, which is (201,); runs stand one after the other.

    edges    seconds since the start
    active   lanes being computed, of all threads
    room     lanes that could be computed at the time: side by side in a group or a product, else one a thread
    alive    lanes that have not ended, those that have not begun among them
    """

    edges: np.ndarray
    active: np.ndarray
    room: np.ndarray
    alive: np.ndarray

    @property
    def occupancy(self) -> np.ndarray:
        """active / room; 0 where nothing runs."""
        return np.divide(self.active, self.room, out=np.zeros(POINTS), where=self.room > 0)


@dataclass(frozen=True, eq=False)
class MachineRun:
    """The notes of one call of a machine: arrays as in profiling/notes.py, one a range of lanes.

    start, stop: cycles. seconds: wall time between them.
    """

    program: str
    rows: tuple[ProbeRow, ...]
    notes: tuple[np.ndarray, ...]
    count: int
    threads: int
    start: int
    stop: int
    seconds: float


def timeline(runs: Sequence[MachineRun]) -> Timeline:
    """What all runs noted, one after the other."""
    ends = np.cumsum([0.0, *(run.seconds for run in runs)])
    edges = np.linspace(0.0, ends[-1], POINTS + 1)
    lanes, room, lived = np.zeros(POINTS), np.zeros(POINTS), np.zeros(POINTS)
    for run, first, last in zip(runs, ends[:-1], ends[1:], strict=True):
        inside = np.clip(edges, first, last)
        at = (inside - first) / max(run.seconds, 1e-12) * (run.stop - run.start)
        cycle = run.seconds / max(run.stop - run.start, 1)
        lanes += np.diff(so_far(run, notes.LANES, at)) * cycle
        room += np.diff(so_far(run, notes.ROOM, at)) * cycle
        middle = run.count - so_far(run, notes.ENDED, (at[1:] + at[:-1]) / 2)
        lived += middle * np.diff(inside)
    width = max(ends[-1] / POINTS, 1e-12)
    return Timeline(edges, lanes / width, room / width, lived / width)


def so_far(run: MachineRun, first: int, at: np.ndarray) -> np.ndarray:
    """The sum of a row of bins, over all notes, up to these cycles after the start."""
    total = np.zeros(len(at))
    for own in run.notes:
        sums = np.concatenate(([0], np.cumsum(own[first : first + notes.BINS])))
        edges = np.arange(notes.BINS + 1) * 2.0 ** own[notes.WIDTH]
        total += np.interp(at, np.minimum(edges, run.stop - run.start), sums)
    return total
