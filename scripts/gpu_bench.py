"""Lanes on a GPU against the same lanes on the CPU, of one call each, arrays there and back included.

    scripts/gpu_bench [--json FILE] [--lanes N]

NUTS for eight schools (scripts/peers) and the library's sampler, leapfrogs/s; collatz and Kepler's equation, lanes/s;
softmax of rows, elements/s; ascents of logistic regressions, whose lanes wait for products with a shared matrix,
gradients/s; heat on a grid, and a triangular system, by one call of an array program. After a first call, the fastest
of three counts.
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


def ascent(q: np.ndarray, X: np.ndarray, y: np.ndarray, steps: int) -> np.ndarray:
    """Steps up a logistic regression's density."""
    for _ in range(steps):
        q = q + 1e-4 * ((y - 1.0 / (1.0 + np.exp(-(X @ q)))) @ X - q)
    return q


def heated(u: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        u = v
    return u


def forward(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


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


def ascents(lanes: int, steps: int) -> Callable[[str], Callable[[], float]]:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(10_000, 100)), rng.integers(0, 2, 10_000) * 1.0
    q = 0.1 * rng.normal(size=(lanes, 100))

    def on(target: str) -> Callable[[], float]:
        many = batch(ascent, (0, None, None, None), target=target)

        def run() -> float:
            many(q, X, y, steps)
            return float(lanes * steps)

        return run

    return on


def once(f: Callable[..., Any], *arguments: Any, count: float) -> Callable[[str], Callable[[], float]]:
    """A call of an array program, which counts for so much."""

    def on(target: str) -> Callable[[], float]:
        made = jit(f, target=target)

        def run() -> float:
            made(*arguments)
            return count

        return run

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
    side = max(round(told.lanes**0.5), 3)
    figures = {
        "eight schools, NUTS as recursion, leapfrogs/s": nuts(recursive_nuts.chain, told.lanes // 10, 20),
        "eight schools, NUTS as a loop, leapfrogs/s": nuts(iterative_nuts.chain, told.lanes // 10, 20),
        "eight schools, the library's sampler, leapfrogs/s": sampler(told.lanes // 100, 100),
        "softmax of rows of 1,000, elements/s": of_rows(
            np.random.default_rng(1).normal(size=(told.lanes // 100, 1000))
        ),
        "logistic regression 10,000 x 100, gradients/s": ascents(max(told.lanes // 250, 1), 50),
        "heat on a grid, cells x steps/s": once(heated, np.ones((side, side)), 100, count=100.0 * side**2),
        "a triangular system of 2,000, solutions/s": once(
            forward, np.tril(np.ones((2000, 2000))) + 2000.0 * np.eye(2000), np.ones(2000), count=1.0
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
