"""What the kernels hand on: a position with its log density and gradient, and what one transition reports.

    init : (position, logp_grad) -> State
    step : (rng, State, step_size, metric, ...) -> (State, Info)

Every kernel is such a pair of plain functions of one chain, and everything it needs comes in as an argument:
`logp_grad(position) -> (lp, gradient)` is the log density with its gradient, `lp` a float and `gradient` an
array of the position's shape.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

LogpGrad = Callable[[np.ndarray], tuple[float, np.ndarray]]

# A model's data, in the order of its density's second argument, and its density with gradient.
Data = tuple[Any, ...]
Gradient = Callable[[np.ndarray, Data], tuple[float, np.ndarray]]


class State(NamedTuple):
    """Where a chain stands: position (d,), the log density there, its gradient (d,)."""

    position: np.ndarray
    lp: float
    gradient: np.ndarray


class Info(NamedTuple):
    """What one transition reports, under ArviZ's names; every kernel fills all of them.

    `acceptance_rate` is the mean Metropolis probability over the trajectory, `energy` the Hamiltonian at the
    state returned, `max_energy_error` the error of largest size met on the way, infinite where the energy was
    not a number. `tree_depth` is 0 outside NUTS; for random-walk Metropolis `energy` is minus `lp`.
    """

    lp: float
    acceptance_rate: float
    step_size: float
    tree_depth: int
    n_steps: int
    diverging: bool
    energy: float
    max_energy_error: float


def init(position: np.ndarray, logp_grad: LogpGrad) -> State:
    """The state at a position (d,); the one evaluation of the density that no leapfrog makes."""
    lp, gradient = logp_grad(position)
    return State(position, lp, gradient)
