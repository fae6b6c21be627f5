"""This project's side of scripts/bench_posteriors.py: python ours_posterior.py NAME CHAINS WARMUP DRAWS

`sample` with its defaults, as a user calls it: the time includes the InferenceData that it returns. What is inside is
touched only to count the warm-up's leapfrogs and to name the machine that ran the draws.
"""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch import mcmc
from autobatch.mcmc import NUTS, sample
from autobatch.mcmc.report import Progress
from posterior_runs import Run, Size, main
from posteriors import Posterior

inside = importlib.import_module("autobatch.mcmc.sample")


class Counted(Progress):
    """The silent progress of a run, adding up its leapfrogs."""

    leapfrogs = 0

    def __call__(self, iterations: int, n_steps: Any, diverging: Any, step_size: Any) -> None:
        Counted.leapfrogs += int(np.sum(n_steps))
        super().__call__(iterations, n_steps, diverging, step_size)


def sampler(posterior: Posterior, size: Size) -> Callable[[int], Run]:
    params = {name: getattr(mcmc, c.kind)(*c.bounds, *c.shape) for name, c in posterior.params.items()}
    inside.Progress = Counted  # type: ignore[attr-defined]

    def sampled(seed: int) -> Run:
        Counted.leapfrogs = 0
        trace = sample(
            posterior.logp, params, data=posterior.data, init=posterior.init, seed=seed, progress=False,
            optimize="full", **size._asdict(),
        )  # fmt: skip
        draws = {name: trace.posterior[name].values for name in params}
        return Run(draws, {"leapfrogs": Counted.leapfrogs, "machine": machine(posterior, params)})

    sampled(0)
    return sampled


def machine(posterior: Posterior, params: dict[str, Any]) -> str:
    """What `explain()` says first of the program that makes the draws."""
    *_, over = inside.prepare_programs(posterior.logp, params, posterior.data, NUTS(), "numba", "full")
    return over.run.explain().splitlines()[0].partition(": ")[2]


if __name__ == "__main__":
    main(sampler)
