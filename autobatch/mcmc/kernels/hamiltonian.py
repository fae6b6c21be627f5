"""Hamiltonian dynamics for one chain: the leapfrog, the kinetic energy, and a first guess of the step size.

    leapfrog : (position, momentum, gradient, step, ...) -> (position, momentum, lp, gradient)

The energy of a point is kinetic - lp. The gradient at the end of a leapfrog is the one its successor starts
from, so a trajectory of n leapfrogs evaluates the density n times.
"""

from typing import Any

import numpy as np

from autobatch.mcmc.kernels.metric import Draw, Velocity
from autobatch.mcmc.kernels.state import LogpGrad, State

# A trajectory whose energy has grown by more than this has diverged (Stan's max_deltaH).
DIVERGENCE = 1000.0

# Bounds of the search for a step size; each trial doubles or halves, so they also bound its length.
SMALLEST_STEP = 1e-12
LARGEST_STEP = 1e7


def leapfrog(
    position: np.ndarray,
    p: np.ndarray,
    gradient: np.ndarray,
    step: float,
    metric: Any,
    velocity: Velocity,
    logp_grad: LogpGrad,
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """Half a step of momentum, a step of position, half a step of momentum; `step` < 0 runs back in time."""
    half = p + 0.5 * step * gradient
    new_position = position + step * velocity(metric, half)
    lp, new_gradient = logp_grad(new_position)
    return new_position, half + 0.5 * step * new_gradient, lp, new_gradient


def kinetic(p: np.ndarray, v: np.ndarray) -> float:
    """p . M^-1 p / 2 for a momentum p (d,) and its velocity v = M^-1 p (d,)."""
    return 0.5 * np.dot(p, v)


def reasonable_step_size(
    rng: np.random.Generator,
    state: State,
    step_size: float,
    metric: Any,
    momentum: Draw,
    velocity: Velocity,
    logp_grad: LogpGrad,
) -> float:
    """A step size at which one leapfrog is accepted with probability near 0.8, within a factor of two.

    From `step_size` on it doubles while one leapfrog is accepted with a higher probability, or halves while
    with a lower one, and stops where that changes or at 1e-12 and 1e7; each trial draws its momentum afresh.
    An energy that is not a number counts as a refusal. Source: Hoffman & Gelman 2014, algorithm 4, with
    Stan's 0.8.
    """
    factor = 0.0
    searching = True
    while searching:
        p = momentum(rng, metric, state.position)
        _, p_new, lp, _ = leapfrog(state.position, p, state.gradient, step_size, metric, velocity, logp_grad)
        gain = lp - kinetic(p_new, velocity(metric, p_new)) - state.lp + kinetic(p, velocity(metric, p))
        wanted = 2.0 if gain > np.log(0.8) else 0.5
        if factor == 0.0:
            factor = wanted
        searching = factor == wanted
        if searching:
            step_size = step_size * factor
            searching = step_size > SMALLEST_STEP and step_size < LARGEST_STEP
    return step_size
