"""Lanes on a GPU against the same lanes on the CPU, of one call each, arrays there and back included.

    scripts/gpu_bench [--json FILE] [--lanes N]

NUTS for eight schools (scripts/peers), leapfrogs/s; collatz and Kepler's equation, lanes/s. After a first call, the
fastest of three counts.
"""

import argparse
import json
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import iterative_nuts
import machine
import recursive_nuts
import works
from autobatch import batch, streams

ROUNDS = 3


def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def kepler(mean: float, e: float) -> float:
    """The eccentric anomaly, by Newton's method."""
    x = mean
    while np.abs(x - e * np.sin(x) - mean) > 1e-12:
        x = x - (x - e * np.sin(x) - mean) / (1.0 - e * np.cos(x))
    return x


def nuts(chain: Callable[..., Any], chains: int, draws: int) -> Callable[[str], Callable[[], float]]:
    start = works.schools_start(chains)
    u = np.column_stack([start.mu, start.log_tau, start.theta_trans])
    rest = draws, works.STEP_SIZE["eight_schools"], works.SCHOOLS_Y, works.SCHOOLS_SIGMA

    def on(target: str) -> Callable[[], float]:
        many = batch(chain, in_axes=(0, 0, None, None, None, None), target=target)
        return lambda: float(many(streams(1, chains), u, *rest)[1].sum())

    return on


def over(function: Callable[..., Any], *arguments: Any) -> Callable[[str], Callable[[], float]]:
    def on(target: str) -> Callable[[], float]:
        many = batch(function, target=target)

        def run() -> float:
            many(*arguments)
            return float(len(arguments[0]))

        return run

    return on


def rate(run: Callable[[], float]) -> float:
    """Of what a call counts, so many a second."""
    run()
    best = 0.0
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        count = run()
        best = max(best, count / (time.perf_counter() - begun))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--lanes", type=int, default=1_000_000)
    parser.add_argument("--targets", nargs="+", default=["cuda", "numba"])
    told = parser.parse_args()
    n, e = np.arange(1, told.lanes + 1), np.linspace(0.0, 0.9, told.lanes)
    figures = {
        "eight schools, NUTS as recursion, leapfrogs/s": nuts(recursive_nuts.chain, told.lanes // 10, 20),
        "eight schools, NUTS as a loop, leapfrogs/s": nuts(iterative_nuts.chain, told.lanes // 10, 20),
        "collatz, lanes/s": over(collatz, n),
        "Kepler's equation, lanes/s": over(kepler, 3.0 * e, e),
    }
    found = {}
    for name, on in figures.items():
        found[name] = {target: rate(on(target)) for target in told.targets}
        print(name, *(f"{target} {value:.3g}" for target, value in found[name].items()), sep="; ", flush=True)
    if told.json:
        about = {"date": str(date.today()), "machine": machine.describe(), "figures": found}
        told.json.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
