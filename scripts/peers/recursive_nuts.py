"""NUTS as plain recursion, for one chain, as plain NumPy: the algorithm of `hand_nuts.py`, as its papers state it.

A subtree of 2^depth leaves is two of half the size; it is checked for a U-turn when both are done. One check a subtree
and nothing but the draws is kept, as by hand; the gradient is derived. (The library's own sampler makes Stan's three
checks and keeps the statistics of every draw.) It is written twice: `chain` ends its recursion at single leaves,
`twigs` at two at a time, as `iterative_nuts.py` does.
"""

from typing import NamedTuple

import numpy as np

from iterative_nuts import MAX_DEPTH, density_and_gradient, leapfrog


class Walk(NamedTuple):
    """Where a trajectory's moving end is, the first momentum and the sum of the subtree walked last, a proposal."""

    q: np.ndarray
    p: np.ndarray
    gradient: np.ndarray
    first: np.ndarray
    rho: np.ndarray
    new_u: np.ndarray
    new_lp: float
    new_gradient: np.ndarray
    weight: float
    made: int


def straight(rho, first, last):
    """Whether a stretch with this sum of momenta has not turned round."""
    return np.dot(rho, first) > 0.0 and np.dot(rho, last) > 0.0


def leaf(rng, walk, h, energy0, y, sigma):
    """One leapfrog, and whether it has not diverged."""
    q, p, lp, gradient = leapfrog(walk.q, walk.p, walk.gradient, h, y, sigma)
    error = 0.5 * np.dot(p, p) - lp - energy0
    w = np.exp(-error)
    weight = walk.weight + w
    new_u, new_lp, new_gradient = walk.new_u, walk.new_lp, walk.new_gradient
    if rng.random() * weight < w:
        new_u, new_lp, new_gradient = q, lp, gradient
    return Walk(q, p, gradient, p, p, new_u, new_lp, new_gradient, weight, walk.made + 1), error < 1000.0


def twig(rng, depth, walk, h, energy0, y, sigma):
    """One leapfrog or two, and whether they have neither diverged nor turned round."""
    number = rng.random() * 2.0**26
    upper = np.floor(number)
    q, p, gradient, first, rho, new_u, new_lp, new_gradient, weight, made = walk
    leaf, leaves, valid = 0, 1 << depth, True
    while valid and leaf < leaves:
        q, p, lp, gradient = leapfrog(q, p, gradient, h, y, sigma)
        error = 0.5 * np.dot(p, p) - lp - energy0
        w = np.exp(-error)
        weight += w
        # The upper bits of a random number decide of one leaf, the lower of the other.
        taken = (upper / 2.0**26 if leaf == 0 else number - upper) * weight < w
        new_u = np.where(taken, q, new_u)
        new_gradient = np.where(taken, gradient, new_gradient)
        new_lp = lp if taken else new_lp
        first = np.where(leaf == 0, p, first)
        rho = np.where(leaf == 0, p, rho + p)
        valid = error < 1000.0 and straight(rho, first, p)
        leaf += 1
        made += 1
    return Walk(q, p, gradient, first, rho, new_u, new_lp, new_gradient, weight, made), valid


def halves(half, rng, depth, walk, h, energy0, y, sigma):
    """Two subtrees, each half of one of this depth, and whether all has neither diverged nor turned round."""
    walk, valid = half(rng, depth - 1, walk, h, energy0, y, sigma)
    if not valid:
        return walk, False
    first, rho = walk.first, walk.rho
    walk, valid = half(rng, depth - 1, walk, h, energy0, y, sigma)
    rho = rho + walk.rho
    return walk._replace(first=first, rho=rho), valid and straight(rho, first, walk.p)


def subtree(rng, depth, walk, h, energy0, y, sigma):
    """2^depth leapfrogs, down to leaves."""
    if depth == 0:
        return leaf(rng, walk, h, energy0, y, sigma)
    return halves(subtree, rng, depth, walk, h, energy0, y, sigma)


def bough(rng, depth, walk, h, energy0, y, sigma):
    """2^depth leapfrogs, down to twigs."""
    if depth <= 1:
        return twig(rng, depth, walk, h, energy0, y, sigma)
    return halves(bough, rng, depth, walk, h, energy0, y, sigma)


def walked(grown, rng, u, draws, step, y, sigma):
    """The position after so many draws, the leapfrogs made, the mean of the draws."""
    made, summed = 0, np.zeros(10)
    lp, gradient = density_and_gradient(u, y, sigma)
    for _ in range(draws):
        p = rng.standard_normal(10)
        energy0 = 0.5 * np.dot(p, p) - lp
        left_u, left_p, left_gradient = u, p, gradient
        right_u, right_p, right_gradient = u, p, gradient
        whole, total, depth, going = p, 1.0, 0, True
        while going and depth < MAX_DEPTH:
            forward = rng.random() < 0.5
            q, p, g = (right_u, right_p, right_gradient) if forward else (left_u, left_p, left_gradient)
            walk = Walk(q, p, g, p, p, u, lp, gradient, 0.0, 0)
            walk, going = grown(rng, depth, walk, step if forward else -step, energy0, y, sigma)
            made += walk.made
            if going:
                depth += 1
                if forward:
                    right_u, right_p, right_gradient = walk.q, walk.p, walk.gradient
                else:
                    left_u, left_p, left_gradient = walk.q, walk.p, walk.gradient
                if rng.random() * total < walk.weight:
                    u, lp, gradient = walk.new_u, walk.new_lp, walk.new_gradient
                total += walk.weight
                whole = whole + walk.rho
                going = straight(whole, left_p, right_p)
        summed = summed + u
    return u, made, summed / draws


def chain(rng, u, draws, step, y, sigma):
    """Down to leaves."""
    return walked(subtree, rng, u, draws, step, y, sigma)


def twigs(rng, u, draws, step, y, sigma):
    """Down to twigs."""
    return walked(bough, rng, u, draws, step, y, sigma)
