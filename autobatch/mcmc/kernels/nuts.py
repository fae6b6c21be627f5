"""The no-U-turn sampler of Stan for one chain, as plain recursion.

    step : (rng, State, step_size, metric, ...) -> (State, Info)

A trajectory is doubled, forward or backward in time at random, until it turns round, diverges or reaches
`max_depth` doublings. Each doubling is one `subtree` of 2^depth leapfrogs; `subtree` calls itself for its two
halves, down to a base case of one leapfrog or two. Points are weighted by exp(-energy): within a subtree the proposal
is drawn by those weights (multinomial), between the old trajectory and the new subtree with probability
min(1, new weight / old weight) (biased progressive sampling). Far from the distribution energies fall by hundreds
or by 1e40 within one trajectory, so weights are relative to the largest so far, and at most 1.

What a call must remember while its second half runs is `depth` and three vectors (the first half's first and
last momentum and its sum of momenta); everything else is handed through the leaves in `Walk`. The proposal
goes through the leaves too: a leaf replaces it with probability (its weight) / (weight so far), which draws
from the same distribution as choosing between halves at each merge and keeps no second proposal. The two leaves
of a base case are each other's neighbours, so that its three checks for a U-turn are one, and it remembers nothing.

Sources: Hoffman & Gelman 2014; Betancourt 2017, "A conceptual introduction to Hamiltonian Monte Carlo",
appendix A; Stan's base_nuts (the two extra checks across subtrees).
"""

from typing import Any, NamedTuple

import numpy as np

from autobatch.mcmc.kernels.hamiltonian import DIVERGENCE, kinetic, leapfrog
from autobatch.mcmc.kernels.metric import Draw, Velocity
from autobatch.mcmc.kernels.state import Info, LogpGrad, State, init

__all__ = ["init", "step"]


class Walk(NamedTuple):
    """The moving end of a trajectory: its last point, the stretch that ends there, a proposal, sums.

    `first` and `rho`, the stretch's first momentum and its sum of momenta, are those of the subtree walked last (of a
    base case, while it is walked), `proposal` and `weight` those of the doubling, the others of all leapfrogs so far.
    `fall` is how far below the initial energy the lowest was, 0 at least, `rise` how far above it the highest.
    Weights are relative to the lowest: `before` that of the trajectory before the doubling, `shrink` = exp(-fall) that
    of its initial point.
    """

    position: np.ndarray
    momentum: np.ndarray
    gradient: np.ndarray
    first: np.ndarray
    rho: np.ndarray
    proposal: State
    proposal_energy: float
    before: float
    weight: float
    fall: float
    shrink: float
    rise: float
    sum_accept: float
    n_steps: int


def step(
    rng: np.random.Generator,
    state: State,
    step_size: float,
    metric: Any,
    momentum: Draw,
    velocity: Velocity,
    logp_grad: LogpGrad,
    max_depth: int,
) -> tuple[State, Info]:
    """One transition; `momentum` and `velocity` belong to the metric's kind (`metric.py`).

    `Info.tree_depth` counts the doublings that were completed, `Info.n_steps` all leapfrogs made.
    """
    p = momentum(rng, metric, state.position)
    energy0 = kinetic(p, velocity(metric, p)) - state.lp
    walk = Walk(
        state.position, p, state.gradient, p, p, state, energy0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0,
    )  # fmt: skip
    back_position, back_momentum, back_gradient = state.position, p, state.gradient
    signed_step = step_size
    sample, sample_energy, rho = state, energy0, p
    depth, growing = 0, True
    while growing and depth < max_depth:
        if rng.random() < 0.5:
            signed_step = -signed_step
            end = walk
            walk = walk._replace(position=back_position, momentum=back_momentum, gradient=back_gradient)
            back_position, back_momentum, back_gradient = end.position, end.momentum, end.gradient
        front = walk.momentum
        walk = walk._replace(before=walk.before + walk.weight, weight=0.0)
        walk, growing = subtree(rng, depth, walk, signed_step, energy0, metric, velocity, logp_grad)
        if growing:
            depth += 1
            if rng.random() * walk.before < walk.weight:
                sample, sample_energy = walk.proposal, walk.proposal_energy
            growing = not turning(
                metric, velocity, back_momentum, front, rho, walk.first, walk.momentum, walk.rho
            )
            rho = rho + walk.rho
    info = Info(
        sample.lp, walk.sum_accept / walk.n_steps, step_size, depth, walk.n_steps, walk.rise > DIVERGENCE,
        sample_energy, walk.rise if walk.rise >= walk.fall else -walk.fall,
    )  # fmt: skip
    return sample, info


def subtree(
    rng: np.random.Generator,
    depth: int,
    walk: Walk,
    signed_step: float,
    energy0: float,
    metric: Any,
    velocity: Velocity,
    logp_grad: LogpGrad,
) -> tuple[Walk, bool]:
    """2^depth leapfrogs on from `walk`: the walk, and whether they are valid.

    An invalid subtree turned round or diverged somewhere inside; it is cut short and its proposal not used.
    """
    if depth < 2:
        return base_case(rng, depth + 1, walk, signed_step, energy0, metric, velocity, logp_grad)
    walk, valid = subtree(rng, depth - 1, walk, signed_step, energy0, metric, velocity, logp_grad)
    if not valid:
        return walk, False
    first, middle, rho = walk.first, walk.momentum, walk.rho
    walk, valid = subtree(rng, depth - 1, walk, signed_step, energy0, metric, velocity, logp_grad)
    if valid:
        valid = not turning(metric, velocity, first, middle, rho, walk.first, walk.momentum, walk.rho)
    return walk._replace(first=first, rho=rho + walk.rho), valid


def base_case(
    rng: np.random.Generator,
    leaves: int,
    walk: Walk,
    signed_step: float,
    energy0: float,
    metric: Any,
    velocity: Velocity,
    logp_grad: LogpGrad,
) -> tuple[Walk, bool]:
    """A subtree of one leaf or two; what `subtree` returns."""
    made, valid = 0, True
    while valid and made < leaves:
        walk = leaf(rng, walk, made == 0, signed_step, energy0, metric, velocity, logp_grad)
        whole = velocity(metric, walk.rho)
        turning = not (np.dot(walk.first, whole) > 0.0 and np.dot(walk.momentum, whole) > 0.0)
        valid = not (walk.rise > DIVERGENCE or turning)
        made += 1
    return walk, valid


def leaf(
    rng: np.random.Generator,
    walk: Walk,
    begins: bool,
    signed_step: float,
    energy0: float,
    metric: Any,
    velocity: Velocity,
    logp_grad: LogpGrad,
) -> Walk:
    """One leapfrog, weighed: the only place where the density is evaluated; `begins` a base case or goes on with it."""
    position, p, lp, gradient = leapfrog(
        walk.position, walk.momentum, walk.gradient, signed_step, metric, velocity, logp_grad
    )
    energy = kinetic(p, velocity(metric, p)) - lp
    # An energy that is infinite or not a number gives the point no weight.
    error = energy - energy0 if np.isfinite(energy) else np.inf
    # One exponential does for both: how likely the point is to be accepted, and what it weighs (for errors above 0,
    # but for `shrink`) beside the lowest energy so far, or the lowest before beside it.
    lower = -error > walk.fall
    ratio = np.exp(-error if error > 0.0 else -np.abs(error + walk.fall))
    weight = 1.0 if lower else ratio * walk.shrink if error > 0.0 else ratio
    fade = ratio if lower else 1.0
    total = walk.weight * fade + weight
    proposal, proposal_energy = walk.proposal, walk.proposal_energy
    if rng.random() * total < weight:
        proposal, proposal_energy = State(position, lp, gradient), energy
    return Walk(
        position, p, gradient, np.where(begins, p, walk.first), np.where(begins, p, walk.rho + p),
        proposal, proposal_energy, walk.before * fade, total, -error if lower else walk.fall, walk.shrink * fade,
        error if error > walk.rise else walk.rise,
        walk.sum_accept + (ratio if error > 0.0 else 1.0), walk.n_steps + 1,
    )  # fmt: skip


def turning(
    metric: Any,
    velocity: Velocity,
    first: np.ndarray,
    middle: np.ndarray,
    rho: np.ndarray,
    after: np.ndarray,
    last: np.ndarray,
    rho_after: np.ndarray,
) -> bool:
    """Whether two adjoining stretches of a trajectory turn round, together or at their seam.

    The first stretch has first and last momentum `first`, `middle` and sum `rho`, the second `after`, `last`
    and `rho_after`. Three checks: over both; over the first and one point more; over the last point of the
    first and the second. A stretch with sum r and end momenta a, b has turned unless a . M^-1 r > 0 and
    b . M^-1 r > 0, so only r needs a product with the metric, never the stored momenta.
    """
    whole = velocity(metric, rho + rho_after)
    left = velocity(metric, rho + after)
    right = velocity(metric, rho_after + middle)
    straight = (np.dot(first, whole) > 0.0) & (np.dot(last, whole) > 0.0)
    straight = straight & (np.dot(first, left) > 0.0) & (np.dot(after, left) > 0.0)
    straight = straight & (np.dot(middle, right) > 0.0) & (np.dot(last, right) > 0.0)
    return not straight
