"""A profile as a picture: lanes over time, and the time of each block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autobatch.profiling.profile import Profile

SHOWN = 12  # blocks


def picture(profile: Profile) -> Any:
    """A matplotlib figure, of no window: `figure.savefig(path)`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 7.0), layout="constrained")
    above, below = figure.subplots(2)
    over_time(profile, above)
    by_block(profile, below)
    return figure


def over_time(profile: Profile, axes: Any) -> None:
    """Occupancy in percent as an area, the lanes that are alive as a line on an axis of its own."""
    lanes = profile.timeline
    axes.stairs(100.0 * lanes.occupancy, lanes.edges, fill=True, alpha=0.5)
    axes.set(xlabel="seconds", ylabel="% of the room in use", ylim=(0.0, 105.0), title="Occupancy over time")
    alive = axes.twinx()
    alive.stairs(lanes.alive, lanes.edges, baseline=None, color="C1")
    alive.set_ylabel("lanes alive", color="C1")
    alive.set_ylim(bottom=0.0)


def by_block(profile: Profile, axes: Any) -> None:
    """A bar a block, the dearest on top, with its utilisation; the last is what is done between blocks."""
    blocks = profile.blocks[:SHOWN]
    names = [*(b.name for b in blocks), "between blocks"]
    bars = axes.barh(range(len(names)), [*(b.seconds for b in blocks), profile.between])
    axes.bar_label(bars, [*(f"{b.utilisation:.0%} of lanes" for b in blocks), ""], padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set(xlabel="seconds, all threads", title="Time of each block")
