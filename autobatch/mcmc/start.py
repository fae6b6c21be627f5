"""Where chains start: a program that tries positions, and what the user may say about them.

    start : (rng, position, free, logp_grad) -> (State, found)

Parameters that `init` does not name are drawn from U(-2, 2) on the unconstrained scale, as Stan does, until
the density and its gradient are finite.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autobatch.mcmc.density import Model
from autobatch.mcmc.state import LogpGrad, State, init

TRIES = 100
RADIUS = 2.0


def start(
    rng: np.random.Generator, position: np.ndarray, free: np.ndarray, logp_grad: LogpGrad
) -> tuple[State, bool]:
    """A state with finite density and gradient, and whether one was found in 100 tries (else the last tried).

    Elements of `position` (d,) where `free` (d,) holds are drawn anew for each try.
    """
    state = State(position, -np.inf, 0.0 * position)
    found = False
    tries = 0
    while not found and tries < TRIES:
        drawn = rng.uniform(-RADIUS, RADIUS, position.shape[0])
        state = init(np.where(free, drawn, position), logp_grad)
        # The largest magnitude is infinite or not a number if any element is.
        found = np.isfinite(state.lp) and np.isfinite(np.max(np.abs(state.gradient)))
        tries += 1
    return state, found


def positions(model: Model, given: Mapping[str, Any] | None, chains: int) -> tuple[np.ndarray, np.ndarray]:
    """Unconstrained positions (chains, d) and which elements are free (chains, d), from the user's `init`.

    `given` names constrained values, of the parameter's shape or with a leading axis of chains.
    """
    given = given or {}
    unknown = [name for name in given if name not in model.params]
    if unknown:
        raise ValueError(f"init names {', '.join(unknown)}, the parameters are {', '.join(model.params)}")
    position, free = np.zeros((chains, model.size)), np.ones((chains, model.size), dtype=bool)
    begin = 0
    for name, transform in model.params.items():
        end = begin + transform.size
        if name in given:
            position[:, begin:end] = unconstrained(name, transform, given[name], chains)
            free[:, begin:end] = False
        begin = end
    return position, free


def unconstrained(name: str, transform: Any, value: Any, chains: int) -> np.ndarray:
    """What the user gave for a parameter, one value or one for each chain: (chains, size) or (size,)."""
    try:
        value = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"init of {name}: must be a number or an array of them, not {value!r:.60}") from None
    try:
        if value.shape == (chains, *transform.shape):
            return transform.unconstrain_all(value)
        return transform.unconstrain(value)
    except ValueError as error:
        raise ValueError(f"init of {name}: {error}") from None


def no_start(model: Model, states: Any, found: np.ndarray) -> str:
    """The message for chains that found no start: which, and what the last try of the first few was."""
    failed = np.flatnonzero(~np.asarray(found))
    listed = ", ".join(str(chain) for chain in failed[:10]) + (", ..." if len(failed) > 10 else "")
    lines = [
        f"{len(failed)} of {len(found)} chains found no start with a finite density and gradient in "
        f"{TRIES} tries: {listed}"
    ]
    for chain in failed[:3]:
        lp, gradient = float(states.lp[chain]), np.asarray(states.gradient[chain])
        lines.append(f"last try of chain {chain}: log density {lp}, gradient {brief(gradient)}, at")
        values = model.split(np.asarray(model.constrained(np.asarray(states.position[chain]))))
        lines += [f"    {name} = {brief(value)}" for name, value in values.items()]
    lines.append("give starting values with init={name: value}, or look for a mistake in the density there")
    return "\n".join(lines)


def brief(value: np.ndarray) -> str:
    return np.array2string(np.asarray(value), precision=6, threshold=10, edgeitems=3)
