"""Where chains start: a program that tries positions, and what the user may say about them.

    start : (rng, position, free, downhill, logp_grad) -> (State, found)

Parameters that `init` does not name are drawn from U(-2, 2) on the unconstrained scale, as Stan does, until
the density and its gradient are finite. A chain whose density is far below what a few steps downhill reach (of
minus the log density) has too much energy to be freed by its warm-up: in a time series that explodes, log densities
are -1e60, and the rounding of such energies is larger than any step wins. It goes downhill first.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autobatch.mcmc.density import Model
from autobatch.mcmc.kernels.state import LogpGrad, State, init
from autobatch.mcmc.validation import check_class

TRIES = 100
RADIUS = 2.0

# A descent tries so many points, each at most one unit from the last, or until a step promises to win less than this.
POINTS = 100
PROMISE = 0.01
# After the first few it is decided whether the start is far below; if so, so many starts are descended from.
FEW = 10
DESCENTS = 10


def start(
    rng: np.random.Generator, position: np.ndarray, free: np.ndarray, downhill: bool, logp_grad: LogpGrad
) -> tuple[State, bool]:
    """A state with finite density and gradient, and whether one was found in 100 tries (else the last tried).

    Elements of `position` (d,) where `free` (d,) holds are drawn anew for each try. With `downhill`, a start that is
    more than 100 + 10 d below what ten points downhill reach is not kept. Then ten starts are descended from, and
    the chain begins on the way of the first, or of a later one if that arrives more than 10 + 2 d above it; it begins
    at most so far below where the descent arrives. So modes of about one height are chosen between as by the starts.

    Steps are along the gradient, of the length of Barzilai & Borwein 1988 (the first), and of a quarter where the
    density would fall.
    """
    size = position.shape[0]
    margin, far = 10.0 + 2.0 * size, 100.0 + 10.0 * size
    here = State(position, -np.inf, 0.0 * position)
    first, kept = here, here
    step, reached = 0.0 * position, -np.inf
    tries, points, descents, rate = 0, 0, 0, 1.0
    found, searching = False, True
    while searching:
        trial = here.position + step
        if points == 0:
            trial = np.where(free, rng.uniform(-RADIUS, RADIUS, size), position)
            tries += 1
        there = init(trial, logp_grad)
        # The largest magnitude is infinite or not a number if any element is.
        largest = np.max(np.abs(there.gradient))
        finite = np.isfinite(there.lp) and np.isfinite(largest)
        if points == 0:
            here, first, rate = there, there, np.inf
            searching = finite or tries < TRIES
            points = 1 if finite else 0
        else:
            points += 1
            if finite and there.lp > here.lp:
                curvature = np.dot(step, here.gradient - there.gradient)
                rate = np.dot(step, step) / curvature if curvature > 0.0 else 2.0 * rate
                here = there
            else:
                rate = 0.25 * rate
        if points > 0:
            found = True
            largest = np.max(np.abs(here.gradient))
            slope = largest * np.sqrt(np.sum((here.gradient / largest) ** 2)) if largest > 0.0 else 0.0
            rate = np.minimum(rate, 1.0 / slope) if slope > 0.0 else 0.0
            step = rate * here.gradient
            arrived = points > POINTS or not rate * slope * slope > PROMISE
            deciding = descents == 0 and points <= FEW and (arrived or points == FEW)
            if not downhill or (deciding and here.lp <= first.lp + far):
                kept, searching = first, False
            elif here.lp > first.lp + margin and (deciding or descents > 0 or points > FEW):
                first = here
            if searching and arrived:
                if here.lp > reached + margin:
                    kept, reached = first, here.lp
                descents += 1
                points = 0
                searching = descents < DESCENTS and tries < TRIES and np.any(free)  # type: ignore[assignment]
    return (kept if found else here), found


def start_points(model: Model, given: Mapping[str, Any] | None, chains: int) -> tuple[np.ndarray, np.ndarray]:
    """Unconstrained positions (chains, d) and which elements are free (chains, d), from the user's `init`.

    `given` names constrained values, of the parameter's shape or with a leading axis of chains.
    """
    given = given or {}
    unknown = [name for name in given if name not in model.params]
    if unknown:
        raise ValueError(f"init names {', '.join(unknown)}, the parameters are {', '.join(model.params)}")
    position, free = np.zeros((chains, model.size)), np.ones((chains, model.size), dtype=bool)
    for name, transform, at in model.places():
        if name in given:
            position[:, at] = unconstrained(name, transform, given[name], chains)
            free[:, at] = False
    return position, free


def unconstrained(name: str, transform: Any, value: Any, chains: int) -> np.ndarray:
    """What the user gave for a parameter, one value or one for each chain: (chains, size) or (size,)."""
    check_class(f"init of {name}", value)
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
