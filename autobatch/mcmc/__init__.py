"""Markov chain Monte Carlo: samplers written for one chain, run for as many as you like.

    import numpy as np
    from autobatch.mcmc import positive, real, sample

    def logp(mu, tau, y):
        return -0.5 * mu**2 - tau - len(y) * np.log(tau) - 0.5 * np.sum(((y - mu) / tau) ** 2)

    posterior = sample(logp, {"mu": real(), "tau": positive()}, data={"y": y}, chains=1000, seed=1)

`sample` says how a model is written and what comes back; `NUTS`, `HMC` and `RWM` are the samplers; the others
are the parameters' constraints.
"""

from autobatch.mcmc.diagnostics import SamplingWarning
from autobatch.mcmc.sample import sample
from autobatch.mcmc.samplers import HMC, NUTS, RWM
from autobatch.mcmc.transforms import interval, ordered, positive, positive_ordered, real, simplex

__all__ = [
    "HMC",
    "NUTS",
    "RWM",
    "SamplingWarning",
    "interval",
    "ordered",
    "positive",
    "positive_ordered",
    "real",
    "sample",
    "simplex",
]
