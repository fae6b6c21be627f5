"""This project's side of scripts/bench_posteriors.py: python ours_posterior.py NAME CHAINS WARMUP DRAWS

`sample` with its defaults, as a user calls it: the time includes the InferenceData that it returns.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch import mcmc
from autobatch.mcmc import NUTS, sample
from posterior_runs import Posterior, Run, Size, main


def sampler(posterior: Posterior, size: Size) -> Callable[[int], Run]:
    params = {name: getattr(mcmc, c.kind)(*c.bounds, *c.shape) for name, c in posterior.params.items()}

    def sampled(seed: int) -> Run:
        trace = sample(
            posterior.logp, params, data=posterior.data, init=posterior.init, seed=seed, progress=False,
            **size._asdict(),
        )  # fmt: skip
        return Run({name: trace.posterior[name].values for name in params}, {})

    return sampled


if __name__ == "__main__":
    main(sampler)
