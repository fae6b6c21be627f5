"""Lanes on a GPU against the same lanes on the CPU, of one call each, arrays there and back included.

    scripts/gpu_bench [--json FILE] [--lanes N]

NUTS for eight schools (scripts/peers) and the library's sampler, leapfrogs/s; collatz and Kepler's equation, lanes/s;
softmax of rows, elements/s. After a first call, the fastest of three counts.
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
from autobatch.mcmc import positive, real, sample
from codegen import jit

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


def schools(mu: float, tau: float, z: np.ndarray) -> float:
    theta = mu + tau * z
    prior = -0.5 * (mu / 5.0) ** 2 - np.log1p((tau / 5.0) ** 2) - 0.5 * np.sum(z**2)
    return prior - 0.5 * np.sum(((works.SCHOOLS_Y - theta) / works.SCHOOLS_SIGMA) ** 2)


def softmax(X: np.ndarray) -> np.ndarray:
    e = np.exp(X - X.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def sampler(chains: int, draws: int) -> Callable[[str], Callable[[], float]]:
    params = {"mu": real(), "tau": positive(), "z": real(8)}
    settings: dict[str, Any] = {
        "chains": chains,
        "draws": draws,
        "warmup": draws,
        "seed": 1,
        "progress": False,
    }

    def on(target: str) -> Callable[[], float]:
        return lambda: float(sample(schools, params, target=target, **settings).sample_stats.n_steps.sum())

    return on


def of_rows(X: np.ndarray) -> Callable[[str], Callable[[], float]]:
    def on(target: str) -> Callable[[], float]:
        f = jit(softmax, target=target, parallel=target == "numba")
        return lambda: float(f(X).size)

    return on


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
        "eight schools, the library's sampler, leapfrogs/s": sampler(told.lanes // 100, 100),
        "softmax of rows of 1,000, elements/s": of_rows(
            np.random.default_rng(1).normal(size=(told.lanes // 100, 1000))
        ),
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
