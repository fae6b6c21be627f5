"""The samplers as one chooses them, and as programs of one chain.

    NUTS(metric="dense")  ->  programs(NUTS(...), gradient, constrained) -> ChainPrograms

A choice is a frozen dataclass of settings. `programs` closes the kernel, the metric's functions and the model
into the functions that run: each is one chain's, takes a stream and the data, and can be called as it is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from autobatch.mcmc.kernels import chain, hmc, nuts, rwm
from autobatch.mcmc.kernels.adaptation import Tuning, learned
from autobatch.mcmc.kernels.chain import Learn, Record, Search, Step, WarmupSums
from autobatch.mcmc.kernels.hamiltonian import reasonable_step_size
from autobatch.mcmc.kernels.metric import DENSE, DIAGONAL, Dense, Diagonal, Geometry, Welford
from autobatch.mcmc.kernels.state import Data, Gradient, Info, LogpGrad, State
from autobatch.mcmc.validation import is_integer


@dataclass(frozen=True)
class NUTS:
    """The no-U-turn sampler as Stan has it: multinomial, with adapted step size and metric.

    A given `step_size` is kept, `None` is adapted so that the mean acceptance is `target_accept`. `max_depth`
    bounds a trajectory to 2^max_depth - 1 leapfrogs. `metric` is estimated in warm-up ("diag", "dense") or
    left at one ("unit"). `adapt` is done by each chain for itself ("chain") or once for all of them, from the
    mean acceptance and all positions ("pooled", for many chains with a short warm-up).
    """

    step_size: float | None = None
    max_depth: int = 10
    target_accept: float = 0.8
    metric: str = "diag"
    adapt: str = "chain"

    def __post_init__(self) -> None:
        check_settings(self, "step_size", "max_depth")


@dataclass(frozen=True)
class HMC:
    """Hamiltonian Monte Carlo with `n_leapfrog` leapfrogs a draw; the other settings are those of NUTS."""

    step_size: float | None = None
    n_leapfrog: int = 10
    target_accept: float = 0.8
    metric: str = "diag"
    adapt: str = "chain"

    def __post_init__(self) -> None:
        check_settings(self, "step_size", "n_leapfrog")


@dataclass(frozen=True)
class RWM:
    """Random-walk Metropolis: proposals with covariance scale^2 times the estimated one; takes no gradient.

    A given `scale` is kept, `None` is adapted to `target_accept`, starting from 2.38 / sqrt(d).
    """

    scale: float | None = None
    target_accept: float = 0.234
    metric: str = "diag"
    adapt: str = "chain"

    def __post_init__(self) -> None:
        check_settings(self, "scale")

    @property
    def step_size(self) -> float | None:
        """`scale`, by the name it has in `Info`."""
        return self.scale


Sampler = NUTS | HMC | RWM


def check_settings(sampler: Any, step: str, count: str | None = None) -> None:
    """ValueError for the first setting that makes no sense; numbers of NumPy become Python's."""
    kind, given = type(sampler).__name__, getattr(sampler, step)
    if given is not None:
        if not (is_real_number(given) and 0 < given < math.inf):
            raise ValueError(f"{kind}({step}={given!r}): must be None (adapt it) or a positive number")
        object.__setattr__(sampler, step, float(given))
    if count is not None:
        value = getattr(sampler, count)
        if not is_integer(value) or value < 1:
            raise ValueError(f"{kind}({count}={value!r}): must be an int of at least 1")
        object.__setattr__(sampler, count, int(value))
    target = sampler.target_accept
    if not (is_real_number(target) and 0 < target < 1):
        raise ValueError(f"{kind}(target_accept={target!r}): must be between 0 and 1")
    object.__setattr__(sampler, "target_accept", float(target))
    for name, choices in (("metric", ("diag", "dense", "unit")), ("adapt", ("chain", "pooled"))):
        if getattr(sampler, name) not in choices:
            listed = ", ".join(repr(choice) for choice in choices)
            raise ValueError(f"{kind}({name}={getattr(sampler, name)!r}): must be one of {listed}")


def is_real_number(value: Any) -> bool:
    return is_integer(value) or isinstance(value, float | np.floating)


class ChainPrograms(NamedTuple):
    """What runs, for one chain each or (`chains.over_chains`) for many; `data` is shared by the chains.

    advance : (rng, state, tuning, free, plan, count, target, learn_step, downhill, data)
              -> (state, tuning, found, sums)
    run     : (rng, state, step_size, metric, count, room, data) -> (state, record)

    as in `kernels/chain.py`. Where adaptation is pooled it is done outside, and of `tuning` the step size comes back.
    """

    advance: Callable[..., Any]
    run: Callable[..., Any]


def programs(
    sampler: Sampler,
    gradient: Gradient,
    constrained: Callable[[np.ndarray], np.ndarray],
) -> ChainPrograms:
    """The programs of `sampler` on a density: `gradient(u, data) -> (lp, d lp / d u)`; see `ChainPrograms`.

    For RWM `gradient` may return anything of the right shape for the derivative.
    """
    of_kind = geometry(sampler)
    step, search = kernel(sampler, of_kind)
    learn, told = adaptation(sampler, of_kind)

    def advance(
        rng: np.random.Generator,
        state: State,
        tuning: Tuning,
        free: np.ndarray,
        plan: np.ndarray,
        count: int,
        target: float,
        learn_step: bool,
        downhill: bool,
        data: Data,
    ) -> tuple[State, Any, bool, WarmupSums]:
        def logp_grad(u: np.ndarray) -> tuple[float, np.ndarray]:
            return gradient(u, data)

        state, tuning, found, sums = chain.advance(
            rng, state, tuning, free, plan, count, target, learn_step, downhill, step, search, learn, logp_grad,
        )  # fmt: skip
        return state, told(tuning), found, sums

    def run(
        rng: np.random.Generator,
        state: State,
        step_size: float,
        metric: Any,
        count: int,
        room: np.ndarray,
        data: Data,
    ) -> tuple[State, Record]:
        def logp_grad(u: np.ndarray) -> tuple[float, np.ndarray]:
            return gradient(u, data)

        return chain.run(rng, state, step_size, metric, step, constrained, logp_grad, count, room)

    return ChainPrograms(advance, run)


def adaptation(sampler: Sampler, of_kind: Geometry) -> tuple[Learn, Callable[[Tuning], Any]]:
    """What a chain learns in its warm-up, and what of it comes back: nothing and a step size if all learn together."""
    if sampler.adapt == "pooled":
        return learns_nothing, step_size_of
    observe, estimate = of_kind.observe, of_kind.estimate

    def learn(
        tuning: Tuning,
        phase: int,
        position: np.ndarray,
        acceptance_rate: float,
        target: float,
        learn_step: bool,
    ) -> Tuning:
        return learned(tuning, phase, position, acceptance_rate, target, learn_step, observe, estimate)

    return learn, whole


def learns_nothing(
    tuning: Tuning,
    phase: int,
    position: np.ndarray,
    acceptance_rate: float,
    target: float,
    learn_step: bool,
) -> Tuning:
    """What a chain learns for itself where all chains learn together: nothing."""
    return tuning


def whole(tuning: Tuning) -> Tuning:
    return tuning


def step_size_of(tuning: Tuning) -> float:
    return tuning.step_size


def transition(sampler: Sampler, gradient: Gradient) -> Callable[..., Any]:
    """One transition alone: (rng, state, step_size, metric, data) -> (state, info)."""
    move, _ = kernel(sampler, geometry(sampler))

    def step(
        rng: np.random.Generator, state: State, step_size: float, metric: Any, data: Data
    ) -> tuple[State, Info]:
        def logp_grad(u: np.ndarray) -> tuple[float, np.ndarray]:
            return gradient(u, data)

        return move(rng, state, step_size, metric, logp_grad)

    return step


def kernel(sampler: Sampler, of_kind: Geometry) -> tuple[Step, Search]:
    """The sampler's transition and its search for a step size, with settings and metric kind closed in."""
    momentum, velocity, displacement = of_kind.momentum, of_kind.velocity, of_kind.displacement

    def search(
        rng: np.random.Generator, state: State, step_size: float, metric: Any, logp_grad: LogpGrad
    ) -> float:
        return reasonable_step_size(rng, state, step_size, metric, momentum, velocity, logp_grad)

    if isinstance(sampler, RWM):

        def rwm_step(
            rng: np.random.Generator, state: State, step_size: float, metric: Any, logp_grad: LogpGrad
        ) -> tuple[State, Info]:
            return rwm.step(rng, state, step_size, metric, displacement, logp_grad)

        return rwm_step, rwm.scale
    move, count = (
        (nuts.step, sampler.max_depth) if isinstance(sampler, NUTS) else (hmc.step, sampler.n_leapfrog)
    )

    def hamiltonian_step(
        rng: np.random.Generator, state: State, step_size: float, metric: Any, logp_grad: LogpGrad
    ) -> tuple[State, Info]:
        return move(rng, state, step_size, metric, momentum, velocity, logp_grad, count)

    return hamiltonian_step, search


def geometry(sampler: Sampler) -> Geometry:
    """The functions for the sampler's metric."""
    return DENSE if sampler.metric == "dense" else DIAGONAL


def unit_metric(sampler: Sampler, size: int) -> Diagonal | Dense:
    """The metric a chain of `size` dimensions starts with: ones."""
    return Dense(np.eye(size), np.eye(size)) if sampler.metric == "dense" else Diagonal(np.ones(size))


def empty_welford(sampler: Sampler, size: int) -> Welford:
    """Nothing counted, for the sampler's metric."""
    shape = (size, size) if sampler.metric == "dense" else (size,)
    return Welford(0.0, np.zeros(size), np.zeros(shape))
