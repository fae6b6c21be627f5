"""Hamiltonian Monte Carlo for one chain: a fixed number of leapfrogs, then accept or stay.

    step : (rng, State, step_size, metric, ...) -> (State, Info)

Source: Neal 2011, "MCMC using Hamiltonian dynamics".
"""

from typing import Any

import numpy as np

from autobatch.mcmc.kernels.hamiltonian import DIVERGENCE, kinetic, leapfrog
from autobatch.mcmc.kernels.metric import Draw, Velocity
from autobatch.mcmc.kernels.state import Info, LogpGrad, State, init

__all__ = ["init", "step"]


def step(
    rng: np.random.Generator,
    state: State,
    step_size: float,
    metric: Any,
    momentum: Draw,
    velocity: Velocity,
    logp_grad: LogpGrad,
    n_leapfrog: int,
) -> tuple[State, Info]:
    """One transition of `n_leapfrog` leapfrogs, fewer where the density stops being finite on the way."""
    p = momentum(rng, metric, state.position)
    energy0 = kinetic(p, velocity(metric, p)) - state.lp
    position, gradient, lp = state.position, state.gradient, state.lp
    n_steps = 0
    while n_steps < n_leapfrog and np.isfinite(lp):
        position, p, lp, gradient = leapfrog(position, p, gradient, step_size, metric, velocity, logp_grad)
        n_steps += 1
    energy = kinetic(p, velocity(metric, p)) - lp
    error = energy - energy0 if np.isfinite(energy) else np.inf
    accept = np.exp(np.minimum(0.0, -error))
    if rng.random() < accept:
        state, energy0 = State(position, lp, gradient), energy
    return state, Info(state.lp, accept, step_size, 0, n_steps, error > DIVERGENCE, energy0, error)
