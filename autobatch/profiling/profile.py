"""Where the time of a batched call goes: profile : f, arguments -> Profile.

    found = profile(batch(halvings), x)
    print(found)                            one line a block: visits, lanes, utilisation, seconds
    found.plot()                            lanes over time, and the time of each block

The call runs on the machine that would run it anyway, whose text takes notes on the way (profiling/probes.py). What is
profiled computes the same numbers; what is not profiled knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import add
from time import perf_counter
from typing import Any

import numpy as np

from autobatch.batched import Batch
from autobatch.call_plan import Structured
from autobatch.errors import LaneError
from autobatch.execute.executor import Machine
from autobatch.execute.ranges import WATCH, over_range, run_ranges
from autobatch.execute.threads import First
from autobatch.kernel.module import LaneModule
from autobatch.profiling.probes import BETWEEN, ProbeRow
from autobatch.profiling.timeline import MachineRun, Timeline, timeline
from codegen.lazy import lazily
from codegen.source import Span
from codegen.tracebacks import at_border

notes = lazily("autobatch.profiling.notes")


@dataclass(frozen=True)
class BlockProfile:
    """What one block of a program did.

    program   the batched function that it is part of
    name      much as in `explain()`: its function and the statement that it belongs to
    span      the user's line where it begins: str(span) is file:line, span.text the line; None: no line of its own
    visits    how often it ran, for one lane or for several side by side
    lanes     lanes that it ran for, summed over visits: how often a lane was there
    room      lanes that it could have run for, summed over visits
    seconds   time spent in it, summed over threads
    """

    program: str
    name: str
    span: Span | None
    visits: int
    lanes: int
    room: int
    seconds: float

    @property
    def utilisation(self) -> float:
        """lanes / room: 1.0 where lanes run one at a time."""
        return self.lanes / self.room if self.room else 1.0


@dataclass(frozen=True, eq=False)
class Profile:
    """What `profile` found.

    results    what the call returned; where lanes failed, the results of its `error`
    error      the LaneError that the call raised, or None
    blocks     those that ran, the costliest first
    between    seconds spent between blocks, summed over threads: lanes put in and out, the next block chosen
    seconds    wall time of running lanes; compiling and what Python does around it do not count
    threads    how many ran at a time, at most
    timeline   lanes over time

    str(profile) is a table of the blocks.
    """

    results: Any
    error: LaneError | None
    blocks: tuple[BlockProfile, ...]
    between: float
    seconds: float
    threads: int
    timeline: Timeline

    @property
    def utilisation(self) -> float:
        """The mean of the blocks' utilisation, weighted by their time."""
        spent = sum(b.seconds for b in self.blocks)
        return sum(b.utilisation * b.seconds for b in self.blocks) / spent if spent else 1.0

    def __str__(self) -> str:
        return profile_table(self)

    def plot(self) -> Any:
        """A matplotlib figure: lanes over time above, the time of each block below.

        ImportError where there is no matplotlib.
        """
        try:
            import matplotlib
            import matplotlib.figure
        except ImportError:
            raise ImportError("a plot needs the package matplotlib, which is not installed") from None
        figure = matplotlib.figure.Figure(figsize=(9.0, 7.0), layout="constrained")
        above, below = figure.subplots(2)
        plot_timeline(self.timeline, above)
        plot_blocks(self.blocks[:PLOTTED], self.between, below)
        return figure


@at_border
def profile(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Profile:
    """Call f(*args, **kwargs) and see what its lanes do.

    `f` is what `batch` returned, or a function that calls such: `profile(sample, logp, params, chains=1000)` is of
    all programs that the sampler runs. The results are those of a plain call, bit for bit, and streams advance as
    they would. Lanes that fail are in `error`; any other exception is raised as usual.

    Taking notes costs some 20 ns a visit, so that blocks of a few instructions look costlier than they are.

    TypeError: what runs as a program over arrays, with target "numpy" or in form "local_static", has no blocks.
    ValueError: nothing batched was called.

    >>> from autobatch import batch, profile
    >>> def halvings(x):
    ...     n = 0
    ...     while x > 1.0:
    ...         x, n = x / 2.0, n + 1
    ...     return n
    >>> found = profile(batch(halvings), np.array([1.0, 10.0, 1000.0]))
    >>> found.results.tolist()
    [0, 4, 10]
    """
    watch = Recorder()
    before = WATCH.set(watch)
    error = None
    try:
        results = f(*args, **kwargs)
    except LaneError as failed:
        results, error = failed.results, failed
    finally:
        WATCH.reset(before)
    if not watch.runs:
        raise nothing_profiled(f)
    return merge_runs(watch.runs, results, error)


def nothing_profiled(f: Callable[..., Any]) -> Exception:
    if isinstance(f, Batch) and isinstance(f.latest, Structured):
        return TypeError(
            f"{f.__name__} ran as a program over arrays, which has no blocks to profile: "
            "use target='numba' and another form than 'local_static'"
        )
    return ValueError(
        f"{getattr(f, '__name__', f)} called nothing that batch made: there is nothing to profile"
    )


class Recorder:
    """Runs lanes by machines that take notes."""

    def __init__(self) -> None:
        self.runs: list[MachineRun] = []

    def __call__(self, machine: Machine, module: LaneModule, count: int, *arguments: Any) -> None:
        noting, marked = machine.marked(module)
        taken: list[np.ndarray] = []

        def run(first: First, last: int) -> None:
            own = marked.blank()
            notes.begin_notes(own, start)
            over_range(machine, noting, first, last, (*arguments, own))
            notes.finish_notes(own)
            taken.append(own)

        start = notes.cycle_counter()
        run(0, 0)  # compiles it
        taken.clear()
        begun, start = perf_counter(), notes.cycle_counter()
        run_ranges(machine, noting, count, run, early=False)
        stop, seconds = notes.cycle_counter(), perf_counter() - begun
        workers = max(1, min(machine.workers, count))
        rows = tuple(marked.rows.values())
        self.runs.append(MachineRun(machine.name, rows, tuple(taken), count, workers, start, stop, seconds))


def merge_runs(runs: Sequence[MachineRun], results: Any, error: LaneError | None) -> Profile:
    """The profile of all runs together."""
    counts: dict[tuple[str, ProbeRow], tuple[Any, ...]] = {}
    between = 0.0
    for run in runs:
        for row, found in row_totals(run):
            if row is BETWEEN:
                between += found[-1]
            elif found[0]:
                counts[run.program, row] = tuple(
                    map(add, counts.get((run.program, row), (0, 0, 0, 0.0)), found)
                )
    blocks = [BlockProfile(program, row.name, row.span, *found) for (program, row), found in counts.items()]
    return Profile(
        results=results,
        error=error,
        blocks=tuple(sorted(blocks, key=lambda b: -b.seconds)),
        between=between,
        seconds=sum(run.seconds for run in runs),
        threads=max(run.threads for run in runs),
        timeline=timeline(runs),
    )


def row_totals(run: MachineRun) -> Iterator[tuple[ProbeRow, tuple[int, int, int, float]]]:
    """What all ranges of lanes noted of each row: visits, lanes, room, seconds."""
    cycle = run.seconds / max(run.stop - run.start, 1)
    total = np.sum([n[notes.ROWS :] for n in run.notes], axis=0).reshape(-1, 4).tolist()
    for row, (visits, lanes, room, cycles) in zip(run.rows, total, strict=True):
        yield row, (visits, visits if row.alone else lanes, visits if row.alone else room, cycles * cycle)


LISTED = 30  # blocks in a table
PLOTTED = 12  # in a plot


def profile_table(profile: Profile) -> str:
    """A line a block, the costliest first; the cheapest of many together in one."""
    spent = max(sum(b.seconds for b in profile.blocks) + profile.between, 1e-12)
    rows = [
        (b.program, b.name, f"{b.visits:,}", f"{b.lanes:,}", f"{b.utilisation:.0%}", b.seconds, b.span)
        for b in profile.blocks[:LISTED]
    ]
    if rest := profile.blocks[LISTED:]:
        rows.append(("", f"{len(rest)} more", "", "", "", sum(b.seconds for b in rest), None))
    rows.append(("", "between blocks", "", "", "", profile.between, None))
    lines = [
        ("program", "block", "visits", "lanes", "used", "seconds", "share", "where"),
        *((*start, f"{t:.3g}", f"{t / spent:.1%}", at.brief if at else "") for *start, t, at in rows),
    ]
    threads = f"{profile.threads} thread{'s' * (profile.threads > 1)}"
    first = f"{profile.seconds:.3g} s on {threads}, {profile.utilisation:.0%} of the room in use"
    return "\n".join((first, "", *align_columns(lines)))


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if 2 <= k <= 6 else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def plot_timeline(lanes: Timeline, axes: Any) -> None:
    """Occupancy in percent as an area, the lanes that are alive as a line on an axis of its own."""
    axes.stairs(100.0 * lanes.occupancy, lanes.edges, fill=True, alpha=0.5)
    axes.set(xlabel="seconds", ylabel="% of the room in use", ylim=(0.0, 105.0), title="Occupancy over time")
    alive = axes.twinx()
    alive.stairs(lanes.alive, lanes.edges, baseline=None, color="C1")
    alive.set_ylabel("lanes alive", color="C1")
    alive.set_ylim(bottom=0.0)


def plot_blocks(blocks: Sequence[BlockProfile], between: float, axes: Any) -> None:
    """A bar a block, the costliest on top, with its utilisation; the last is what is done between blocks."""
    names = [*(b.name for b in blocks), "between blocks"]
    bars = axes.barh(range(len(names)), [*(b.seconds for b in blocks), between])
    axes.bar_label(bars, [*(f"{b.utilisation:.0%} of lanes" for b in blocks), ""], padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set(xlabel="seconds, all threads", title="Time of each block")
