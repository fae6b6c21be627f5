"""What the contenders of scripts/bench_posteriors.py share: a posterior, a timed run of it, what its draws are worth.

    begin("eight_schools-eight_schools_noncentered", chains, warmup, draws, make)

`make(posterior, size)` gives a function seed -> Run with nothing left to compile, called with another seed for every
measurement. Useful work is the smallest bulk effective sample size of all parameters under
posteriordb's names, so that all contenders are judged by the same quantities. The time is that of the
sampler's call, warm-up included and effective sample sizes excluded.
"""

import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serving import serve

if TYPE_CHECKING:
    from posteriors import Posterior

warnings.filterwarnings("ignore", message=r"\s*ArviZ is undergoing", category=FutureWarning)
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))


class Size(NamedTuple):
    """How much a contender does in one run."""

    chains: int
    warmup: int
    draws: int


class Run(NamedTuple):
    """Draws of the model's parameters, (chains, draws, *shape); `notes` are added to the answer."""

    draws: Mapping[str, np.ndarray]
    notes: Mapping[str, Any]


Make = Callable[["Posterior", Size], Callable[[int], Run]]


def main(make: Make) -> None:
    """Serve what the command line asks for: NAME CHAINS WARMUP DRAWS."""
    name, *size = sys.argv[1:]
    begin(name, Size(*map(int, size)), make)


def begin(name: str, size: Size, make: Make) -> None:
    import arviz

    import posteriors

    posterior = posteriors.load(name)
    begun = time.perf_counter()
    sampled = make(posterior, size)
    ready, seed = time.perf_counter() - begun, 0

    def run() -> dict[str, Any]:
        nonlocal seed
        seed += 1
        begun = time.perf_counter()
        draws, notes = sampled(seed)
        seconds = time.perf_counter() - begun
        named = posterior.named(draws)
        return {
            "seconds": seconds,
            "ready": ready,
            "count": min(float(arviz.ess(named[key], method="bulk")) for key in posterior.reference),
            "wrong": posteriors.disagreements(named, posterior.reference),
            **notes,
        }

    serve(run)
