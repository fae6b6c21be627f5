"""Warm-up with one step size and one metric for all chains, learned from all of them at each iteration.

    pooled_warmup : (ChainPrograms, lanes, states, step size, plan, ...) -> (states, step_size, metric)

Per iteration there is ONE update of the dual averaging, from the mean acceptance over the chains (an update
for each chain would multiply its gain), and all positions are counted in for the metric at once. It is
the warm-up of a single chain (`adaptation.py`), whose transitions run over all chains.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch.mcmc.kernels.adaptation import Tuning, restarted, warmup
from autobatch.mcmc.kernels.metric import Welford
from autobatch.mcmc.kernels.state import Info, State
from autobatch.mcmc.samplers import ChainPrograms, Sampler, empty_welford, geometry

Report = Callable[[int, Any, Any, Any], None]


def pooled_warmup(
    programs: ChainPrograms,
    sampler: Sampler,
    lanes: Any,
    states: State,
    step_size: float,
    metric: Any,
    plan: np.ndarray,
    data: tuple[Any, ...],
    report: Report,
) -> tuple[State, float, Any]:
    """The warm-up along `plan` (n,), `programs` those over chains.

    `states` has a leading axis of chains, step size and metric have none.

    `report(iterations, n_steps, diverging, step_size)` is called after each iteration.
    """
    known: Any = None  # the programs have streams and density

    def step(_: Any, states: State, step_size: float, metric: Any, __: Any) -> tuple[State, Info]:
        states, info = programs.step(lanes, states, float(step_size), metric, data)
        report(1, info.n_steps, info.diverging, step_size)
        rate = float(np.mean(info.acceptance_rate))
        return states, Info(0.0, rate, step_size, 0, 0, False, 0.0, 0.0)

    def search(_: Any, states: State, step_size: float, metric: Any, __: Any) -> float:
        return float(np.median(programs.search(lanes, states, float(step_size), metric, data)))

    tuning = Tuning(
        step_size, metric, restarted(step_size), empty_welford(sampler, np.shape(states.position)[1])
    )
    states, tuning, _, _ = warmup(
        known, states, tuning, plan, len(plan), sampler.target_accept, sampler.step_size is None, step, search,
        observed, geometry(sampler).estimate, known,
    )  # fmt: skip
    return states, float(tuning.step_size), tuning.metric


def observed(welford: Welford, positions: np.ndarray) -> Welford:
    """Count in all positions (chains, d) at once: Chan, Golub & LeVeque 1979, equation 2.1."""
    positions = np.asarray(positions)
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
