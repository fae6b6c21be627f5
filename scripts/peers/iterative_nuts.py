"""NUTS without recursion, for one chain, as plain NumPy: what a person writes who unrolls the tree by hand.

A doubling is a loop over its leaves. Momenta and sums of momenta at the left ends of the open subtrees are kept in one
row a depth, so that every subtree that a leaf completes is checked for a U-turn (the scheme of NumPyro, Phan et al.
2019): the algorithm of `hand_nuts.py`, but for its random numbers, with the gradient derived.
"""

import numpy as np

import models
from autodiff import value_and_grad

MAX_DEPTH = 10


def density(u, y, sigma):
    """Eight schools on the unconstrained scale: mu, log tau, theta_trans[0..7]."""
    return models.eight_schools(u[0], np.exp(u[1]), u[2:10], y, sigma) + u[1]


density_and_gradient = value_and_grad(density)


def row_of(leaf):
    """Where the left end of the smallest subtree that holds the leaf is kept: a row for each bit above."""
    row, bits = 0, leaf >> 1
    while bits > 0:
        row += bits & 1
        bits = bits >> 1
    return row


def chain(rng, u, draws, step, y, sigma):
    """The position after so many draws, the leapfrogs made, the mean of the draws."""
    made, mean = 0, np.zeros(10)
    first, first_rho = np.zeros((MAX_DEPTH, 10)), np.zeros((MAX_DEPTH, 10))
    lp, gradient = density_and_gradient(u, y, sigma)
    for _ in range(draws):
        p = rng.standard_normal(10)
        energy0 = 0.5 * np.dot(p, p) - lp
        left_u, left_p, left_gradient = u, p, gradient
        right_u, right_p, right_gradient = u, p, gradient
        whole, total, depth, going = p, 1.0, 0, True
        while going and depth < MAX_DEPTH:
            forward = rng.random() < 0.5
            h = step if forward else -step
            q, p, g = (right_u, right_p, right_gradient) if forward else (left_u, left_p, left_gradient)
            new_u, new_lp, new_gradient = u, lp, gradient
            weight, rho = 0.0, np.zeros(10)
            leaf = 0
            while going and leaf < 1 << depth:
                p = p + 0.5 * h * g
                q = q + h * p
                value, g = density_and_gradient(q, y, sigma)
                p = p + 0.5 * h * g
                error = 0.5 * np.dot(p, p) - value - energy0
                going = error < 1000.0
                w = np.exp(np.minimum(-error, 80.0))
                weight += w
                rho = rho + p
                if rng.random() * weight < w:
                    new_u, new_lp, new_gradient = q, value, g
                row, bits = row_of(leaf), leaf
                if leaf & 1 == 0:
                    first[row], first_rho[row] = p, rho
                while going and bits & 1 == 1:
                    inside = rho - first_rho[row] + first[row]
                    going = np.dot(inside, first[row]) > 0.0 and np.dot(inside, p) > 0.0
                    row -= 1
                    bits = bits >> 1
                leaf += 1
                made += 1
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
        mean = mean + u / draws
    return u, made, mean
