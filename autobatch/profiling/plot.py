"""A profile as a picture: lanes over time, and the time of each block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autobatch.profiling.timeline import Timeline

SHOWN = 12  # blocks
Bar = tuple[str, float, float]  # a block's name, its seconds, and the part of its lanes that were there


def picture(lanes: Timeline, blocks: Sequence[Bar], between: float) -> Any:
    """A matplotlib figure, of no window: `figure.savefig(path)`; `between`: the seconds between blocks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 7.0), layout="constrained")
    above, below = figure.subplots(2)
    over_time(lanes, above)
    by_block(blocks, between, below)
    return figure


def over_time(lanes: Timeline, axes: Any) -> None:
    """Occupancy in percent as an area, the lanes that are alive as a line on an axis of its own."""
    axes.stairs(100.0 * lanes.occupancy, lanes.edges, fill=True, alpha=0.5)
    axes.set(xlabel="seconds", ylabel="% of the room in use", ylim=(0.0, 105.0), title="Occupancy over time")
    alive = axes.twinx()
    alive.stairs(lanes.alive, lanes.edges, baseline=None, color="C1")
    alive.set_ylabel("lanes alive", color="C1")
    alive.set_ylim(bottom=0.0)


def by_block(blocks: Sequence[Bar], between: float, axes: Any) -> None:
    """A bar a block, the costliest on top, with its utilisation; the last is what is done between blocks."""
    shown = blocks[:SHOWN]
    names = [*(name for name, _, _ in shown), "between blocks"]
    bars = axes.barh(range(len(names)), [*(seconds for _, seconds, _ in shown), between])
    axes.bar_label(bars, [*(f"{utilisation:.0%} of lanes" for _, _, utilisation in shown), ""], padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set(xlabel="seconds, all threads", title="Time of each block")
