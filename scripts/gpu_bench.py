"""What the GPU does, each figure beside its peers: hand-written kernels, JAX, NumPyro, diffrax, the machine's limits.

    scripts/gpu_bench [--only NAME...] [--quick] [--json FILE]

Contenders are processes of their own (peers/gpu_*.py), which compile side by side and are then measured in turn, while
all others wait; arguments lie on the GPU, and copies are measured beside that. One that fails is named at the end, with
its last line of errors; results that differ are named in the table. `--target numba --lanes 1000` tries all of it
without a GPU, where PEERS_PYTHON may name a Python that has JAX.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

import machine
from measuring import PEERS, Figure, bounded, comparison, show, table
from tolerant import Contender, in_turn, prepared

MODULES = ("numba_cuda", "cupy", "jax", "numpyro", "diffrax", "arviz", "libcst", "threadpoolctl")
PACKAGES = (
    "numba-cuda",
    "cupy",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "jax",
    "jaxlib",
    "numpyro",
    "diffrax",
    "arviz",
)
CUDA = """
import cupy, json
runtime = cupy.cuda.runtime
print(json.dumps({"runtime": runtime.runtimeGetVersion(), "driver": runtime.driverGetVersion()}))
"""
ENVIRONMENT = {
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0",
    "PYTHONWARNINGS": "ignore",
}


@dataclass(frozen=True)
class Race:
    """One figure: its contenders' commands, those of ours by names that begin with "ours"; what is promised against
    each peer, and by itself; how nearly results agree (None: they are random), in how many of their marks (None: in
    all); what bounds it at most."""

    key: str
    name: str
    unit: str
    commands: dict[str, list[str]]
    floors: dict[str, float] = field(default_factory=dict)
    at_least: float | None = None
    tolerance: float | None = None
    marks: int | None = None
    bound: tuple[str, str] | None = None


class Sizes:
    """The commands and sizes of one run."""

    def __init__(self, target: str, lanes: int) -> None:
        self.target, self.lanes = target, lanes

    def part(self, divisor: float) -> int:
        return max(round(self.lanes / divisor), 2)

    @property
    def side(self) -> int:
        return max(round(self.lanes**0.5), 3)

    def ours(self, *arguments: object) -> list[str]:
        return script(sys.executable, "gpu_ours.py", self.target, *arguments)

    def hand(self, *arguments: object) -> list[str]:
        return script(sys.executable, "gpu_hand.py", *arguments)

    def jax(self, *arguments: object) -> list[str]:
        return script(peers_python(), "gpu_jax.py", *arguments)

    def numpyro(self, work: str, chains: int, draws: int) -> list[str]:
        return script(peers_python(), "numpyro_nuts.py", "kept", work, chains, draws)


def script(python: str, name: str, *arguments: object) -> list[str]:
    return [python, str(PEERS / name), *map(str, arguments)]


def peers_python() -> str:
    return os.environ.get("PEERS_PYTHON") or sys.executable


def races(s: Sizes) -> Iterator[Race]:
    yield Race("limits", "copy on the GPU", "bytes/s", {"ours": s.hand("limits")})
    yield from nuts(s)
    yield from equations(s)
    yield from control_flow(s)
    yield from gradients(s)
    yield from programs(s)


def nuts(s: Sizes) -> Iterator[Race]:
    chains, few, many = s.part(10), s.part(100), s.part(1e6 / 4096)
    yield Race(
        "schools",
        "eight schools, NUTS",
        "leapfrogs/s",
        {
            "ours, a loop": s.ours("nuts", "iterative", chains, 100),
            "ours, recursion": s.ours("nuts", "recursive", chains, 100),
            "ours, sample": s.ours("sample", "eight_schools", chains, 100, 0),
            "ours, sample of 500 draws": s.ours("sample", "eight_schools", chains, 500, 0),
            "ours, sample with warm-up": s.ours("sample", "eight_schools", chains, 100, 100),
            "NumPyro": s.numpyro("eight_schools", chains, 3),
            "the CPU target": script(sys.executable, "ours.py", "iterative", few, 100),
        },
        floors={"NumPyro": 20.0, "the CPU target": 5.0},
        at_least=2e9,
    )
    yield Race(
        "schools_f4",
        "eight schools in float32, NUTS",
        "leapfrogs/s",
        {"ours, a loop": s.ours("nuts", "iterative_f4", chains, 100)},
        at_least=4e9,
    )
    yield Race(
        "logistic",
        "logistic regression 10,000 x 100, NUTS",
        "gradients/s",
        {
            "ours, sample": s.ours("sample", "logistic_even", many, 40, 0),
            "NumPyro": s.numpyro("logistic_even", many, 3),
            "dgemm": s.hand("dgemm", many),
        },
        floors={"NumPyro": 5.0, "dgemm": 0.4},
    )
    yield Race(
        "ascent",
        "logistic regression 10,000 x 100, ascents",
        "gradients/s",
        {
            "ours": s.ours("lanes", "ascent", many),
            "JAX": s.jax("program", "ascent", many),
            "dgemm": s.hand("dgemm", many),
        },
        tolerance=1e-8,
        bound=("operations", "dgemm, operations"),
    )


def equations(s: Sizes) -> Iterator[Race]:
    for key, name in (("lorenz", "Lorenz"), ("lotka_volterra", "Lotka and Volterra")):
        yield Race(
            key,
            f"{name}, Dormand-Prince",
            "lanes/s",
            {
                "ours": s.ours("lanes", key, s.lanes),
                "JAX": s.jax("program", key, s.lanes),
                "diffrax": s.jax("diffrax", key, s.lanes),
            },
            floors={"JAX": 20.0, "diffrax": 20.0},
            tolerance=1e-3,
        )


def control_flow(s: Sizes) -> Iterator[Race]:
    for key in ("mandelbrot", "fib", "gcd"):
        commands = {"ours": s.ours("lanes", key, s.lanes), "by hand": s.hand(key, s.lanes)}
        if key == "mandelbrot":
            commands["JAX"] = s.jax("program", key, s.lanes)
        # Near the edge of the Mandelbrot set the last bit decides when a point leaves: there means are compared.
        told: dict[str, Any] = (
            {"tolerance": 1e-3, "marks": 1} if key == "mandelbrot" else {"tolerance": 1e-12}
        )
        yield Race(key, key, "lanes/s", commands, floors={"by hand": 1.0 / 1.2}, **told)
    for key, name in (("collatz", "collatz"), ("kepler", "Kepler's equation")):
        commands = {"ours": s.ours("lanes", key, s.lanes), "JAX": s.jax("program", key, s.lanes)}
        yield Race(key, name, "lanes/s", commands, tolerance=1e-9)


def gradients(s: Sizes) -> Iterator[Race]:
    for key, name, unit, size, bound in (
        ("mixture", "gradient of a mixture of 25 Gaussians", "points/s", s.part(10), None),
        ("reprojection", "gradient of reprojection errors", "observations/s", s.lanes, None),
        ("mriq", "gradient of MRI-Q", "voxels/s", s.part(10), ("operations", "fma, operations")),
        ("collision", "gradient of lattice Boltzmann collisions", "cells/s", s.lanes, ("bytes", "copy")),
        ("kmeans", "gradient of k-means", "points/s", s.part(5), None),
        ("warmth", "gradient of heat on a grid", "cells x steps/s", s.side, ("bytes", "copy")),
    ):
        commands = {"ours": s.ours("gradient", key, size), "JAX": s.jax("gradient", key, size)}
        yield Race(key, name, unit, commands, floors={"JAX": 1.0}, tolerance=1e-6, bound=bound)


def programs(s: Sizes) -> Iterator[Race]:
    for key, name, unit, size, bound in (
        ("softmax", "softmax of rows of 1,000", "elements/s", s.part(100), ("bytes", "copy")),
        ("heat", "heat on a grid", "cells x steps/s", s.side, ("bytes", "copy")),
        ("forward", "a triangular system of 2,000", "solutions/s", min(2000, s.lanes), None),
    ):
        commands = {"ours": s.ours("lanes", key, size), "JAX": s.jax("program", key, size)}
        yield Race(key, name, unit, commands, tolerance=1e-9, bound=bound)


Answers = dict[str, list[dict[str, Any]]]


def figures(race: Race, answers: Answers, limits: dict[str, float]) -> Iterator[Figure]:
    """What the answers of a race say, as far as there are any."""
    peers = {name: given for name, given in answers.items() if given and not name.startswith("ours")}
    for name, mine in answers.items():
        if not mine or not name.startswith("ours"):
            continue
        title = race.name + name.removeprefix("ours")
        rates = {"ours": speeds(mine)} | {peer: speeds(given) for peer, given in peers.items()}
        alone = bounded(title, race.unit, rates["ours"])
        if race.at_least:
            alone = replace(alone, limit=f">= {race.at_least:g}", met=alone.ours >= race.at_least)
        if race.at_least or not peers:
            yield alone
        for peer, given in peers.items():
            same = race.tolerance is None or agree(mine[-1], given[-1], race.tolerance, race.marks)
            marked = title if same else f"{title} (results DIFFER)"
            yield comparison(marked, race.unit, rates, peer, race.floors.get(peer))
        yield from beside(race, title, mine, limits)


def beside(
    race: Race, title: str, mine: Sequence[dict[str, Any]], limits: dict[str, float]
) -> Iterator[Figure]:
    """What ours measured beside the figure itself, and the share of what the machine could do."""
    for part in mine[-1].get("also", {}):
        others = speeds([answer["also"][part] for answer in mine])
        if part == "primal":
            times = [b / a for a, b in zip(speeds(mine), others, strict=True)]
            yield bounded(f"{title}, over its primal", "x", times, at_most=4.0)
        else:
            name, _, unit = part.partition(", ")
            yield bounded(f"{title}, {name}", f"{unit}/s" if unit else race.unit, others)
    if race.bound:
        what, limit = race.bound
        if mine[-1].get(what) and limit in limits:
            share = [answer[what] * speed / limits[limit] for answer, speed in zip(mine, speeds(mine))]
            yield bounded(f"{title}, share of {limit.partition(',')[0]}", "", share)


def speeds(answers: Sequence[dict[str, Any]]) -> list[float]:
    return [answer["count"] / answer["seconds"] for answer in answers]


def agree(mine: dict[str, Any], theirs: dict[str, Any], tolerance: float, marks: int | None) -> bool:
    """Whether results are the same, the first of their marks; some contenders have none that could be compared."""
    a, b = mine.get("fingerprint"), theirs.get("fingerprint")
    if a is None or b is None:
        return True
    a, b = a[:marks], b[:marks]
    return len(a) == len(b) and all(abs(x - y) <= tolerance * (1.0 + abs(y)) for x, y in zip(a, b))


def run(told: argparse.Namespace, chosen: Sequence[Race]) -> tuple[list[Figure], list[str]]:
    """All figures, each printed as soon as it is known, and who is missing."""
    commands = {(race.key, name): command for race in chosen for name, command in race.commands.items()}
    found: list[Figure] = []
    missing: list[str] = []
    limits: dict[str, float] = {}
    begun = monotonic()
    with prepared(commands, at_once=told.at_once, limit=0.6 * told.limit) as contenders:
        print(
            f"{len(commands)} contenders prepared in {monotonic() - begun:.0f} s", file=sys.stderr, flush=True
        )
        for race in chosen:
            mine = {name: contenders[race.key, name] for name in race.commands}
            answers = measured(mine, told.rounds, told.limit + begun)
            if race.key == "limits":
                limits = machine_limits(answers["ours"])
            found += map(show, figures(race, answers, limits))
            for name, contender in mine.items():
                contender.end()
                if contender.missing:
                    missing.append(f"{race.key}: {name} is missing: it {contender.missing}")
                    print(missing[-1], flush=True)
    return found, missing


def measured(contenders: dict[str, Contender], rounds: int, until: float) -> Answers:
    """Rounds of all contenders of a race, where there is time for it."""
    left = until - monotonic()
    if left <= 1.0:
        for contender in contenders.values():
            contender.missing = contender.missing or "was not measured: no time was left"
    answers = in_turn(list(contenders.values()), rounds, limit=max(min(20.0, left), 0.0))
    return dict(zip(contenders, answers, strict=True))


def machine_limits(answers: Sequence[dict[str, Any]]) -> dict[str, float]:
    if not answers:
        return {}
    parts = {"copy": list(answers)} | {
        name: [answer["also"][name] for answer in answers] for name in answers[-1]["also"]
    }
    return {name: statistics.median(speeds(given)) for name, given in parts.items()}


def gpu() -> dict[str, Any]:
    """Its name and driver, CUDA's versions and the packages that use it, as far as they can be found out."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    return {
        "gpu": said(query),
        "cuda": said([sys.executable, "-c", CUDA]),
        "packages": machine.versions(PACKAGES),
    }


def said(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30.0, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, help="figures, machine and packages to this file")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these figures, such as schools or heat")
    parser.add_argument("--quick", action="store_true", help="a tenth of the lanes, one round")
    parser.add_argument("--lanes", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--target", default="cuda", choices=["cuda", "numba"])
    parser.add_argument("--limit", type=float, default=150.0, help="seconds for all of it (150)")
    parser.add_argument("--at-once", type=int, default=max(min(14, (os.cpu_count() or 2) - 2), 2))
    told = parser.parse_args()
    if told.quick:
        told.lanes, told.rounds = told.lanes // 10, 1
    return told


def main() -> None:
    told = options()
    os.environ.update(ENVIRONMENT)
    everything = list(races(Sizes(told.target, told.lanes)))
    chosen = [race for race in everything if not told.only or race.key in told.only]
    if not chosen:
        raise SystemExit("figures are " + ", ".join(race.key for race in everything))
    if absent := machine.absent(MODULES):
        print("missing here: " + ", ".join(absent), flush=True)
    found, missing = run(told, chosen)
    print("", table(found), "", *missing, sep="\n", flush=True)
    if told.json:
        about = {"machine": machine.describe(), **gpu(), "lanes": told.lanes, "target": told.target}
        kept = {**about, "figures": [asdict(figure) for figure in found], "missing": missing}
        told.json.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
