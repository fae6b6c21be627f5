"""NUTS without recursion, for one chain, as plain NumPy: what a person writes who unrolls the tree by hand.

A doubling is a loop over twigs, of two leaves each, or of one in the first doubling. Momenta at the left ends of the
open subtrees and the sums before them are kept on a stack, so that every subtree that a leaf completes is checked for a
U-turn (the scheme of NumPyro, Phan et al. 2019); of a twig nothing need be kept. It is the algorithm of `hand_nuts.py`,
but for its random numbers, with the gradient derived. (By hand, for one chain after another, twigs are 10 % slower than
leaves, and the stack no faster than rows found by a leaf's bits: both were tried there.)
"""

import numpy as np

import models
from autodiff import value_and_grad

MAX_DEPTH = 10


def density(u, y, sigma):
    """Eight schools on the unconstrained scale: mu, log tau, theta_trans[0..7]."""
    return models.eight_schools(u[0], np.exp(u[1]), u[2:10], y, sigma) + u[1]


density_and_gradient = value_and_grad(density)


def leapfrog(q, p, gradient, h, y, sigma):
    """One step of size h: where it ends, the density and its gradient there."""
    half = p + 0.5 * h * gradient
    q = q + h * half
    lp, gradient = density_and_gradient(q, y, sigma)
    return q, half + 0.5 * h * gradient, lp, gradient


def chain(rng, u, draws, step, y, sigma):
    """The position after so many draws, the leapfrogs made, the mean of the draws; in the dtype of u."""
    made, summed = 0, np.zeros_like(u)
    first, before, start = (
        np.zeros((MAX_DEPTH, 10), u.dtype),
        np.zeros((MAX_DEPTH, 10), u.dtype),
        np.zeros_like(u),
    )
    lp, gradient = density_and_gradient(u, y, sigma)
    for _ in range(draws):
        p = rng.standard_normal(10).astype(u.dtype)
        energy0 = 0.5 * np.dot(p, p) - lp
        left_u, left_p, left_gradient = u, p, gradient
        right_u, right_p, right_gradient = u, p, gradient
        new_u, new_lp, new_gradient = u, lp, gradient
        whole, total, depth, going = p, 1.0, 0, True
        while going and depth < MAX_DEPTH:
            forward = rng.random() < 0.5
            h = step if forward else -step
            q, p, g = (right_u, right_p, right_gradient) if forward else (left_u, left_p, left_gradient)
            weight, rho = 0.0, np.zeros_like(u)
            top, twig, twigs, leaves = -1, 0, max(1 << depth >> 1, 1), min(1 << depth, 2)
            while going and twig < twigs:
                before[top + 1] = rho
                number = rng.random() * 2.0**26
                upper = np.floor(number)
                leaf = 0
                while going and leaf < leaves:
                    q, p, value, g = leapfrog(q, p, g, h, y, sigma)
                    error = 0.5 * np.dot(p, p) - value - energy0
                    w = np.exp(-error)
                    weight += w
                    rho = rho + p
                    # The upper bits of a random number decide of one leaf, the lower of the other.
                    taken = (upper / 2.0**26 if leaf == 0 else number - upper) * weight < w
                    new_u = np.where(taken, q, new_u)
                    new_gradient = np.where(taken, g, new_gradient)
                    new_lp = value if taken else new_lp
                    start = np.where(leaf == 0, p, start)
                    inside = start + p
                    going = error < 1000.0 and np.dot(inside, start) > 0.0 and np.dot(inside, p) > 0.0
                    leaf += 1
                    made += 1
                first[top + 1] = start
                bits = twig
                while going and bits & 1 == 1:
                    inside = rho - before[top]
                    going = np.dot(inside, first[top]) > 0.0 and np.dot(inside, p) > 0.0
                    top -= 1
                    bits = bits >> 1
                top += 1
                twig += 1
            if going:
                depth += 1
                if forward:
                    right_u, right_p, right_gradient = q, p, g
                else:
                    left_u, left_p, left_gradient = q, p, g
                if rng.random() * total < weight:
                    u, lp, gradient = new_u, new_lp, new_gradient
                total += weight
                whole = whole + rho
                going = np.dot(whole, left_p) > 0.0 and np.dot(whole, right_p) > 0.0
        summed = summed + u
    return u, made, summed / draws
