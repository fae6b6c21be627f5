"""How this project scales: over cores, over lanes, down to one lane, and over compilations.

Two cores against one (the process bound to it): eight schools by NUTS, and Runge-Kutta with a tolerance a lane.
The cost of a lane's step from 1,000 to 1,000,000 lanes, costliest over cheapest: in the picture of the Mandelbrot set,
of a Runge-Kutta lane, which has hundreds of times its work, and of a leapfrog of NUTS written as an iteration, in calls
of more or fewer lanes, each with as much to do, as many in all; on all cores, and on one, where nothing is woken.
Eight lanes against one, and one against the same function under plain Numba. Memory that every further compilation
keeps, its result dropped. --quick measures the cores and lanes of Runge-Kutta and the Mandelbrot steps.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import measuring as m

LANES = (1_000, 10_000, 100_000, 1_000_000)
PICTURES, TOLERANCES, CHAINS = 4_000_000, 1_000_000, 1_000_000  # lanes in all calls of a measurement
DRAWS = 8  # of a chain in a call


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[float]]:
    with m.contenders(commands) as processes:
        return m.interleaved(processes, rounds)


def cores(quick: bool, rounds: int) -> list[m.Figure]:
    """Ours, and the plain loop as a gauge of what two cores of this machine give."""
    schools, tolerances = ("eight_schools", 1024, 250), ("runge_kutta", 100_000)
    works = [
        ("Runge-Kutta, 100,000 lanes", "lanes/s", "ours.py", ("control", *tolerances), 1.8),
        ("eight schools, 1,024 chains", "leapfrogs/s", "ours.py", schools, 1.8),
        ("Runge-Kutta by plain Numba, 20,000", "lanes/s", "hand_control.py", ("runge_kutta", 20_000), None),
    ]
    figures = []
    for name, unit, script, arguments, floor in works[:1] if quick else works:
        commands = {"ours": m.here(script, *arguments), "one core": m.here(script, "one_core", *arguments)}
        rates = interleaved(commands, rounds)
        figures.append(m.show(m.comparison(f"all cores: {name}", unit, rates, "one core", floor)))
    return figures


def lanes(quick: bool, rounds: int) -> list[m.Figure]:
    step = {n: ("steps", n, PICTURES // n) for n in LANES}
    if quick:
        return flat("a Mandelbrot step", "steps/s", step, rounds)
    tolerance = {n: ("control", "runge_kutta", n, TOLERANCES // n) for n in LANES}
    leapfrog = {n: ("iterative", n, DRAWS, CHAINS // n) for n in LANES}
    figures = []
    for where in ((), ("one_core",)):  # what waking a second core takes is a part of the first
        on = ", one core" if where else ""
        for name, unit, works in (
            (f"a Mandelbrot step{on}", "steps/s", step),
            (f"a Runge-Kutta lane{on}", "lanes/s", tolerance),
            (f"a leapfrog of eight schools{on}", "leapfrogs/s", leapfrog),
        ):
            figures += flat(name, unit, works, rounds, where)
    return figures


def flat(
    name: str, unit: str, works: Mapping[int, Sequence[object]], rounds: int, where: Sequence[str] = ()
) -> list[m.Figure]:
    """Speed at each number of lanes relative to the most, and the cost of the costliest over the cheapest."""
    rates = interleaved({f"{n:,} lanes": m.ours(*where, *work) for n, work in works.items()}, rounds)
    *others, most = rates
    figures = [
        m.show(m.comparison(f"{name}: {other}", unit, {"ours": rates[other], most: rates[most]}, most))
        for other in others
    ]
    worst = [max(each) / min(each) for each in zip(*rates.values(), strict=True)]
    return [*figures, m.show(m.bounded(f"{name}: costliest over cheapest", "times", worst, 1.2))]


def few(quick: bool, rounds: int) -> list[m.Figure]:
    """One lane of some milliseconds, one that costs next to nothing, and eight of the first."""
    fine, cheap = ("runge_kutta_fine", 1, 10), ("newton", 1, 100)
    one = {"ours": m.ours("control", *fine), "plain Numba": m.here("hand_control.py", *fine)}
    call = {"ours": m.ours("control", *cheap), "plain Numba": m.here("hand_control.py", *cheap)}
    eight = {"ours": m.ours("control", "runge_kutta_fine", 8, 10), "one lane": one["ours"]}
    chains = {"ours": m.ours("eight_schools", 8, 10_000), "one chain": m.ours("eight_schools", 1, 50_000)}
    works = [
        ("one lane, Runge-Kutta to 1e-10", "lanes/s", one, "plain Numba", 1.0),
        ("8 lanes over 1, Runge-Kutta", "lanes/s", eight, "one lane", 1.0),
        ("one lane, one square root", "calls/s", call, "plain Numba", None),
        ("8 chains over 1, eight schools", "leapfrogs/s", chains, "one chain", 1.0),
    ]
    return [
        m.show(m.comparison(name, unit, interleaved(commands, rounds), against, floor))
        for name, unit, commands, against, floor in (works[:2] if quick else works)
    ]


def answer(command: Sequence[str], **variables: str) -> dict[str, Any]:
    """The one line that a command prints."""
    environment = {**os.environ, **variables}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def memory(count: int) -> m.Figure:
    """MB that one more compilation keeps, in each fifth of them, with nothing on disk; beside Numba's own."""
    rates = {}
    for name, compiler in (("ours", "ours"), ("plain Numba", "numba")):
        with tempfile.TemporaryDirectory() as cache:
            sizes = answer(m.here("compilations.py", compiler, count), AUTOBATCH_CACHE_DIR=cache)["MB"]
        ends = [round(k * count / 5) for k in range(6)]
        rates[name] = [(sizes[b] - sizes[a]) / (b - a) for a, b in pairwise(ends)]
    return m.show(m.comparison(f"memory kept by one of {count} compilations", "MB", rates, "plain Numba"))


def main() -> None:
    options = m.options(__doc__)
    figures = [figure for scale in (cores, lanes, few) for figure in scale(options.quick, options.rounds)]
    figures.append(memory(10 if options.quick else 100))
    print(m.table(figures))


if __name__ == "__main__":
    main()
