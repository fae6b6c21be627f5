"""What is wrong with finished chains, as warnings with numbers: concerns : (Model, Sampler, Chains) -> sentences.

Chains that arrived nowhere stay in the result, and are named; so are parameters along which the density does not fall.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autobatch.device_arrays import on_host
from autobatch.mcmc.chains import Chains
from autobatch.mcmc.density import Model
from autobatch.mcmc.samplers import RWM, Sampler

# A step size is tiny below this share of the median. A position beyond this is on no scale, and far out sooner where
# all chains end without a slope.
TINY = 1e-3
BEYOND, FAR = 1e15, 1e3
NAMED = 10


class SamplingWarning(UserWarning):
    """Draws are there, but some are not from the posterior, or there is none."""


def concerns(model: Model, sampler: Sampler, held: Chains, warmup: int) -> Iterator[str]:
    """One text for each thing to know. Without a warm-up chains are where they were put, and are not compared."""
    known = not isinstance(sampler, RWM)
    yield from runaways(model, held.state.position, held.state.gradient if known else None)
    if warmup > 0:
        yield from left_behind(model, held.record.lp, held.record.step_size[:, -1])


def runaways(model: Model, position: Any, gradient: Any) -> Iterator[str]:
    """The parameters whose unconstrained values (chains, size) have run away, or are far out where nothing slopes, if
    that is known."""
    (position,) = on_host([position])
    largest = np.maximum(np.max(position, axis=0), -np.min(position, axis=0))
    away = ~(largest < BEYOND)
    if gradient is not None and np.any(largest > FAR):
        away |= (largest > FAR) & ~np.any(on_host([gradient])[0], axis=0)
    found = [
        f"{name} (to {np.max(largest[piece]):.2g})"
        for name, _, piece in model.places()
        if np.any(away[piece])
    ]
    if found:
        yield (
            f"chains ran away along {', '.join(found)}, on the unconstrained scale: the density is flat there or does "
            "not fall off, so that it has no distribution; give these parameters priors or bounds, and look at the data"
        )


def left_behind(model: Model, lp: np.ndarray, step_size: np.ndarray) -> Iterator[str]:
    """The chains whose mean of `lp` (chains, draws) or `step_size` (chains,) is far below the others'."""
    mean = lp.mean(axis=1)
    middle, usual = np.median(mean), np.median(step_size)
    # As far as a start may be below where another arrives (`start.py`).
    low = mean < middle - (10.0 + 2.0 * model.size)
    failed = np.flatnonzero(low | (step_size < TINY * usual))
    if len(failed):
        yield "\n".join(
            [
                f"{len(failed)} of {len(mean)} chains were left behind: of all chains, the median of the mean log "
                f"density is {middle:.6g}, of the step size {usual:.3g}",
                *(f"    chain {i}: {mean[i]:.6g}, {step_size[i]:.3g}" for i in failed[:NAMED]),
                *(["    ..."] if len(failed) > NAMED else []),
                "leave them out, or give starting values with init={name: value} or a longer warmup",
            ]
        )
