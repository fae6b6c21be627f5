"""Figures: contenders measured in alternation, printed as JSON lines and as one Markdown table.

    with contenders({"ours": [python, "ours.py", ...], "NumPyro": [...]}) as processes:
        rates = interleaved(processes, rounds=3)       # {"ours": [r1, r2, r3], "NumPyro": [...]}
    show(comparison("eight schools", "leapfrogs/s", rates, at_least=15.0))

Every contender is a process of its own that speaks the protocol of peers/serving.py. In each round all of
them are measured once, one after the other; a ratio is taken inside a round, so that what slows the machine
for a while slows both sides of it. Figures are medians over rounds, their spread is the smallest and largest.

    python measuring.py [--json FILE] < lines     prints the table of JSON lines made earlier
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import machine

PEERS = Path(__file__).resolve().parent / "peers"


@dataclass(frozen=True)
class Figure:
    """One line of the table. `ratio` and `spread` compare ours with the peer; `limit` is what is promised."""

    name: str
    unit: str
    ours: float
    peer: str | None = None
    theirs: float | None = None
    ratio: float | None = None
    spread: tuple[float, float] | None = None
    limit: str | None = None
    met: bool | None = None


def options(description: str | None) -> argparse.Namespace:
    """The command line that every benchmark shares: --rounds N, --quick."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each contender (5)")
    parser.add_argument("--quick", action="store_true", help="less work and three rounds")
    parsed = parser.parse_args()
    if parsed.rounds < 1:
        parser.error("--rounds must be at least 1")
    if parsed.quick:
        parsed.rounds = min(parsed.rounds, 3)
    return parsed


def ours(*arguments: object) -> list[str]:
    """The command of this project's side."""
    return here("ours.py", *arguments)


def here(script: str, *arguments: object) -> list[str]:
    """The command of a script that runs in the environment of the benchmark itself."""
    return [sys.executable, str(PEERS / script), *map(str, arguments)]


def peer(script: str, *arguments: object) -> list[str]:
    """The command of a peer, in the environment named by PEERS_PYTHON; scripts/bench sets it."""
    python = os.environ.get("PEERS_PYTHON")
    if not python:
        raise SystemExit("PEERS_PYTHON is not set: run the benchmarks with scripts/bench")
    return [python, str(PEERS / script), *map(str, arguments)]


class Contender:
    """A running contender, which measures once it is prepared (compiled, warmed up); `answers`: all it gave."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.answers: list[dict[str, Any]] = []
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def prepared(self) -> None:
        """Waits until it is."""
        self._answer()

    def rate(self) -> float:
        """Measures once: useful work per second."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.answers.append(self._answer())
        return self.answers[-1]["count"] / self.answers[-1]["seconds"]

    def close(self) -> None:
        """Ends the contender's input and with it the contender."""
        self.process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.close()
            raise SystemExit(f"{self.name} ended with status {self.process.returncode}; its error is above")
        return json.loads(line)


@contextmanager
def contenders(commands: Mapping[str, Sequence[str]]) -> Iterator[list[Contender]]:
    """Starts the contenders, which prepare side by side; ends them when the block is left."""
    with ExitStack() as stack:
        processes = []
        for name, command in commands.items():
            processes.append(Contender(name, command))
            stack.callback(processes[-1].close)
        for process in processes:
            process.prepared()
        yield processes


def interleaved(processes: Sequence[Contender], rounds: int) -> dict[str, list[float]]:
    """Rates of all contenders, `rounds` each, measured in turn."""
    rates: dict[str, list[float]] = {process.name: [] for process in processes}
    for _ in range(rounds):
        for process in processes:
            rates[process.name].append(process.rate())
    return rates


def agree(processes: Sequence[Contender], tolerance: float = 1e-9) -> None:
    """Ends the benchmark unless all contenders' last results were the same, up to rounding."""
    first, *others = processes
    for other in others:
        mine, theirs = first.answers[-1]["fingerprint"], other.answers[-1]["fingerprint"]
        close = (math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(mine, theirs))
        if len(mine) != len(theirs) or not all(close):
            raise SystemExit(f"{first.name} and {other.name} differ in their results")


def comparison(
    name: str,
    unit: str,
    rates: Mapping[str, Sequence[float]],
    against: str,
    at_least: float | None = None,
) -> Figure:
    """Ours, measured as "ours", against one peer; the floor is on the median ratio."""
    ratios = [a / b for a, b in zip(rates["ours"], rates[against], strict=True)]
    ratio = statistics.median(ratios)
    return Figure(
        name=name,
        unit=unit,
        ours=statistics.median(rates["ours"]),
        peer=against,
        theirs=statistics.median(rates[against]),
        ratio=ratio,
        spread=(min(ratios), max(ratios)),
        limit=None if at_least is None else f">= {at_least:g}x",
        met=None if at_least is None else ratio >= at_least,
    )


def together(name: str, figures: Sequence[Figure], at_least: float) -> Figure:
    """The geometric mean of the ratios of several figures, and of their spreads' ends."""
    assert all(f.ratio is not None and f.spread is not None for f in figures)
    ratio = statistics.geometric_mean([f.ratio for f in figures if f.ratio])
    low, high = (statistics.geometric_mean([f.spread[k] for f in figures if f.spread]) for k in (0, 1))
    return Figure(
        name,
        "times",
        ratio,
        ratio=ratio,
        spread=(low, high),
        limit=f">= {at_least:g}x",
        met=ratio >= at_least,
    )


def bounded(name: str, unit: str, values: Sequence[float], at_most: float | None = None) -> Figure:
    """A figure without a peer, with a ceiling on its median."""
    middle = statistics.median(values)
    spread = (min(values), max(values))
    if at_most is None:
        return Figure(name, unit, middle, spread=spread)
    return Figure(name, unit, middle, spread=spread, limit=f"<= {at_most:g} {unit}", met=middle <= at_most)


def show(figure: Figure) -> Figure:
    """Prints the figure as a JSON line at once, and hands it back for the table."""
    print(json.dumps(asdict(figure)), flush=True)
    return figure


def table(figures: Sequence[Figure]) -> str:
    """A Markdown table.

    >>> fib = Figure("fib", "lanes/s", 2.5e6, "Python", 1e3, 2500.0, (2400.0, 2600.0), ">= 100x", True)
    >>> print(table([fib]))
    | figure | ours | peer | ratio | spread | promised | met |
    |---|---|---|---|---|---|---|
    | fib | 2.5M lanes/s | Python 1k | 2.5k | 2.4k-2.6k | >= 100x | yes |
    """
    lines = ["| figure | ours | peer | ratio | spread | promised | met |", "|---|---|---|---|---|---|---|"]
    for f in figures:
        cells = [
            f.name,
            f"{short(f.ours)} {f.unit}",
            "" if f.peer is None or f.theirs is None else f"{f.peer} {short(f.theirs)}",
            "" if f.ratio is None else short(f.ratio),
            "" if f.spread is None else f"{short(f.spread[0])}-{short(f.spread[1])}",
            f.limit or "",
            "" if f.met is None else "yes" if f.met else "NO",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def short(x: float) -> str:
    """Three digits and a magnitude: 18.2M, 1.16k, 0.44."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= size:
            return f"{x / size:.3g}{letter}"
    return f"{x:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="The table of figures made earlier, JSON lines on standard input."
    )
    parser.add_argument("--json", type=Path, help="also write them, and what machine this is, to this file")
    file = parser.parse_args().json
    figures = [json.loads(line) for line in sys.stdin if line.startswith("{")]
    print(table([Figure(**figure) for figure in figures]))
    if file:
        file.write_text(json.dumps({"machine": machine.describe(), "figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
