"""Stan's warm-up for one chain: dual averaging of the step size, windowed estimation of the metric.

    warmup : (rng, state, Tuning, plan, count, ...) -> (state, Tuning, n_steps, n_diverging)
    run    : (rng, state, step_size, metric, ..., Record) -> (state, Record)

Both are whole loops over transitions, so that a chain never waits for another inside them. `plan` says what
each iteration of the warm-up does beyond one transition; `windows(n)` makes it:

    FAST         learn the step size
    SLOW         and count the position in for the metric
    WINDOW_END   and take over the metric, search for a step size again, start counting afresh
    LAST         learn the step size, then settle on its average

Sources: Hoffman & Gelman 2014, section 3.2 (dual averaging); Stan Reference Manual, chapter "MCMC Sampling",
section on automatic parameter tuning, and Stan's windowed_adaptation (the windows).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autobatch.mcmc.kernels.metric import Welford
from autobatch.mcmc.kernels.state import Info, LogpGrad, State

Step = Callable[[np.random.Generator, State, float, Any, LogpGrad], tuple[State, Info]]
Search = Callable[[np.random.Generator, State, float, Any, LogpGrad], float]

FAST, SLOW, WINDOW_END, LAST = 0, 1, 2, 3

# Stan's constants of dual averaging: gamma, t0, kappa.
SHRINKAGE, DELAY, DECAY = 0.05, 10.0, 0.75


class DualAveraging(NamedTuple):
    """The recursion for the log step size: mu, iterations t, mean acceptance gap, averaged log step size."""

    mu: float
    t: float
    gap: float
    log_average: float


class Tuning(NamedTuple):
    """What warm-up learns: the step size and metric in use, and the recursions behind them."""

    step_size: float
    metric: Any
    dual: DualAveraging
    welford: Welford


class Record(NamedTuple):
    """Draws of one chain in constrained parameters, (n, size), and each field of `Info`, (n,)."""

    draws: np.ndarray
    lp: np.ndarray
    acceptance_rate: np.ndarray
    step_size: np.ndarray
    tree_depth: np.ndarray
    n_steps: np.ndarray
    diverging: np.ndarray
    energy: np.ndarray
    max_energy_error: np.ndarray


def restarted(step_size: float) -> DualAveraging:
    """Dual averaging anew, drawn towards ten times `step_size`: mu = log(10 step_size)."""
    return DualAveraging(np.log(10.0 * step_size), 0.0, 0.0, 0.0)


def updated(dual: DualAveraging, acceptance_rate: float, target: float) -> DualAveraging:
    """One update from an acceptance rate (Hoffman & Gelman 2014, equation 6)."""
    t = dual.t + 1.0
    eta = 1.0 / (t + DELAY)
    gap = (1.0 - eta) * dual.gap + eta * (target - acceptance_rate)
    weight = t**-DECAY
    log_step = dual.mu - np.sqrt(t) / SHRINKAGE * gap
    return DualAveraging(dual.mu, t, gap, weight * log_step + (1.0 - weight) * dual.log_average)


def exploring(dual: DualAveraging) -> float:
    """The step size to try next; `np.exp(dual.log_average)` is the one to keep in the end."""
    return np.exp(dual.mu - np.sqrt(dual.t) / SHRINKAGE * dual.gap)


def cleared(welford: Welford) -> Welford:
    """The same recursion with nothing counted."""
    return Welford(0.0, 0.0 * welford.mean, 0.0 * welford.scatter)


def windows(n: int) -> np.ndarray:
    """The plan of n iterations (n,): 75 fast, slow windows of 25, 50, 100, ..., 50 fast, as Stan has them.

    The last slow window is stretched where the next would not fit. Below 150 iterations the three parts take
    15 %, 75 % and 10 %; below 20 there is no slow part.

        >>> np.flatnonzero(windows(1000) == WINDOW_END).tolist()
        [99, 149, 249, 449, 949]
    """
    first, last, width = 75, 50, 25
    if n < first + width + last:
        first, last = int(0.15 * n), int(0.1 * n)
        width = n - first - last
    plan = np.full(n, FAST)
    if n >= 20:
        stop = n - last
        plan[first:stop] = SLOW
        # One position has no variance: a second window of that length (n = 151) joins the first.
        end = first + width if stop - first - width != 1 else stop
        while end < stop:
            plan[end - 1] = WINDOW_END
            width *= 2
            # A window is the last one if the one after it, twice as wide, would reach beyond the slow part.
            end = end + width if end + 3 * width <= stop else stop
        plan[stop - 1] = WINDOW_END
    if n > 0:
        plan[n - 1] = LAST
    return plan


def warmup(
    rng: np.random.Generator,
    state: State,
    tuning: Tuning,
    plan: np.ndarray,
    count: int,
    target: float,
    learn_step: bool,
    step: Step,
    search: Search,
    observe: Callable[[Welford, np.ndarray], Welford],
    estimate: Callable[[Welford], Any],
    logp_grad: LogpGrad,
) -> tuple[State, Tuning, int, int]:
    """The warm-up of one chain along the first `count` iterations of `plan`: what is learned goes in and out.

    `step(rng, state, step_size, metric, logp_grad)` is one transition, `search` of the same arguments a step
    size to start from, `observe` and `estimate` belong to the metric's kind; `target` is the acceptance rate
    aimed at. With `learn_step` false the step size stays as given.
    """
    step_size, metric, dual, welford = tuning
    n_steps, n_diverging = 0, 0
    for i in range(count):
        state, info = step(rng, state, step_size, metric, logp_grad)
        n_steps += info.n_steps
        if info.diverging:
            n_diverging += 1
        if learn_step:
            dual = updated(dual, info.acceptance_rate, target)
            step_size = exploring(dual)
        if plan[i] == SLOW or plan[i] == WINDOW_END:
            welford = observe(welford, state.position)
        if plan[i] == WINDOW_END:
            metric = estimate(welford)
            welford = cleared(welford)
            if learn_step:
                step_size = search(rng, state, step_size, metric, logp_grad)
                dual = restarted(step_size)
        if learn_step and plan[i] == LAST:
            step_size = np.exp(dual.log_average)
    return state, Tuning(step_size, metric, dual, welford), n_steps, n_diverging


def run(
    rng: np.random.Generator,
    state: State,
    step_size: float,
    metric: Any,
    step: Step,
    constrain: Callable[[np.ndarray], np.ndarray],
    logp_grad: LogpGrad,
    count: int,
    room: np.ndarray,
) -> tuple[State, Record]:
    """`count` transitions with nothing adapted, in the first `count` rows of a record.

    `constrain(position)` gives the row of `Record.draws`, which is of the shape of `room`. Other rows hold anything.
    """
    rows = len(room)
    draws, lp = np.empty(room.shape), np.empty(rows)
    acceptance_rate, step_sizes = np.empty(rows), np.empty(rows)
    tree_depth, n_steps = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    diverging, energy, max_energy_error = np.empty(rows, dtype=bool), np.empty(rows), np.empty(rows)
    for i in range(count):
        state, info = step(rng, state, step_size, metric, logp_grad)
        draws[i, :] = constrain(state.position)
        lp[i] = info.lp
        acceptance_rate[i] = info.acceptance_rate
        step_sizes[i] = info.step_size
        tree_depth[i] = info.tree_depth
        n_steps[i] = info.n_steps
        diverging[i] = info.diverging
        energy[i] = info.energy
        max_energy_error[i] = info.max_energy_error
    return state, Record(
        draws, lp, acceptance_rate, step_sizes, tree_depth, n_steps, diverging, energy, max_energy_error
    )
