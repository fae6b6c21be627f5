"""Warm-up with one step size and one metric for all chains, learned from all of them at each iteration.

    pooled_warmup : (advance, states, Tuning, plan, ...) -> (states, Tuning)

Per iteration there is ONE update of the dual averaging, from the mean acceptance over the chains (an update
for each chain would multiply its gain), and all positions are counted in for the metric at once. It is
the warm-up of a single chain (`adaptation.py`), whose transitions run over all chains.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch.device_arrays import on_host
from autobatch.mcmc.kernels.adaptation import FAST, WINDOW_END, Tuning, learned, restarted
from autobatch.mcmc.kernels.chain import SEARCH, WarmupSums
from autobatch.mcmc.kernels.metric import Welford
from autobatch.mcmc.kernels.state import State
from autobatch.mcmc.samplers import Sampler, geometry

Report = Callable[[int, Any, Any, Any], None]
Once = Callable[[State, Tuning, int], tuple[State, Any, WarmupSums]]


def pooled_warmup(
    once: Once, sampler: Sampler, states: State, tuning: Tuning, plan: np.ndarray, report: Report
) -> tuple[State, Tuning]:
    """The warm-up along `plan` (n,); `states` has a leading axis of chains, `tuning` has none.

    `once(states, tuning, phase)` is one iteration of all chains, with their step sizes and what to sum up.
    `report(iterations, n_steps, diverging, step_size)` is called after each iteration.
    """
    learn_step = sampler.step_size is None
    for phase in plan:
        states, _, sums = once(states, tuning, FAST)
        report(1, sums.n_steps, sums.n_diverging, tuning.step_size)
        tuning = learned(
            tuning, phase, states.position, float(np.mean(sums.acceptance_rate)), sampler.target_accept,
            learn_step, observed, geometry(sampler).estimate,
        )  # fmt: skip
        if learn_step and phase == WINDOW_END:
            states, found, _ = once(states, tuning, SEARCH)
            first = float(np.median(found))
            tuning = tuning._replace(step_size=first, dual=restarted(first))
    return states, tuning


def observed(welford: Welford, positions: np.ndarray) -> Welford:
    """Count in all positions (chains, d) at once: Chan, Golub & LeVeque 1979, equation 2.1."""
    (positions,) = on_host([positions])
    n, more = welford.n, float(len(positions))
    mean = positions.mean(axis=0)
    centred, gap = positions - mean, mean - welford.mean
    dense = welford.scatter.ndim == 2
    within = centred.T @ centred if dense else np.sum(centred**2, axis=0)
    between = np.outer(gap, gap) if dense else gap**2
    return Welford(
        n + more,
        welford.mean + gap * (more / (n + more)),
        welford.scatter + within + between * (n * more / (n + more)),
    )
