"""Stan's warm-up for one chain: dual averaging of the step size, windowed estimation of the metric.

    learned : (Tuning, phase, position, acceptance_rate, ...) -> Tuning
    windows : n -> plan (n,)

A plan says what each iteration of the warm-up learns from its transition:

    FAST         the step size
    SLOW         and count the position in for the metric
    WINDOW_END   and take over the metric, search for a step size again, start counting afresh
    LAST         the step size, then settle on its average

Sources: Hoffman & Gelman 2014, section 3.2 (dual averaging); Stan Reference Manual, chapter "MCMC Sampling",
section on automatic parameter tuning, and Stan's windowed_adaptation (the windows).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autobatch.mcmc.kernels.metric import Welford

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


def recounted(welford: Welford) -> Welford:
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


def learned(
    tuning: Tuning,
    phase: int,
    position: np.ndarray,
    acceptance_rate: float,
    target: float,
    learn_step: bool,
    observe: Callable[[Welford, np.ndarray], Welford],
    estimate: Callable[[Welford], Any],
) -> Tuning:
    """What one iteration of the warm-up teaches, from where it ended and how likely that was to be accepted.

    `observe` and `estimate` belong to the metric's kind; `target` is the acceptance rate aimed at. With `learn_step`
    false the step size stays as given. At WINDOW_END it is the caller's to search for a step size.
    """
    step_size, metric, dual, welford = tuning
    if learn_step:
        dual = updated(dual, acceptance_rate, target)
        step_size = exploring(dual)
    if phase in (SLOW, WINDOW_END):
        welford = observe(welford, position)
    if phase == WINDOW_END:
        metric = estimate(welford)
        welford = recounted(welford)
    if learn_step and phase == LAST:
        step_size = np.exp(dual.log_average)
    return Tuning(step_size, metric, dual, welford)
