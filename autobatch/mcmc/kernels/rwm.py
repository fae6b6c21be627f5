"""Random-walk Metropolis for one chain: a normal proposal around the position, then accept or stay.

    step : (rng, State, step_size, metric, displacement, logp_grad) -> (State, Info)

The proposal's covariance is step_size^2 times the inverse metric. The gradient is not looked at: a
`logp_grad` that returns zeros for it will do, and `State.gradient` then stays zero.
Sources: Metropolis et al. 1953; Roberts, Gelman & Gilks 1997 for the scale 2.38 / sqrt(d).
"""

from typing import Any

import numpy as np

from autobatch.mcmc.kernels.metric import Draw
from autobatch.mcmc.kernels.state import Info, LogpGrad, State, init

__all__ = ["init", "scale", "step"]


def step(
    rng: np.random.Generator,
    state: State,
    step_size: float,
    metric: Any,
    displacement: Draw,
    logp_grad: LogpGrad,
) -> tuple[State, Info]:
    """One transition. A proposal whose log density is infinite or not a number is refused."""
    position = state.position + step_size * displacement(rng, metric, state.position)
    lp, gradient = logp_grad(position)
    error = state.lp - lp if np.isfinite(lp) else np.inf
    accept = np.exp(np.minimum(0.0, -error))
    if rng.random() < accept:
        state = State(position, lp, gradient)
    return state, Info(state.lp, accept, step_size, 0, 1, False, -state.lp, error)


def scale(
    rng: np.random.Generator, state: State, step_size: float, metric: Any, logp_grad: LogpGrad
) -> float:
    """The step size from which to adapt: a tenth of 2.38 / sqrt(d), for dual averaging aims at ten times it.

    2.38 / sqrt(d) is best for a normal target whose covariance is the inverse metric.
    """
    return 0.238 / np.sqrt(state.position.shape[0])
