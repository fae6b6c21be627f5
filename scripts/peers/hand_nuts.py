"""NUTS for eight schools by hand: scalar Numba code, one chain after another, chains spread over threads.

    python hand_nuts.py CHAINS DRAWS

The yardstick: what a person gets who writes the gradient and the sampler out for this one model. Step size
0.3, unit metric, depth at most 10, multinomial choice inside a doubling and biased progressive choice between
doublings (Betancourt 2017, appendix A.3). The tree is grown leaf by leaf; momenta and momentum sums at the
left ends of the open subtrees are kept in one row a depth, so that every completed subtree is checked for a
U-turn without recursion (the scheme of NumPyro, Phan et al. 2019).

State of a chain: mu, log tau, theta_trans[0..7]. Memory is allocated once a chain, before the draws.
"""

import math
import sys
import time
from typing import Any

import numpy as np
from numba import njit, prange

import works
from serving import serve

D = 10
MAX_DEPTH = works.MAX_DEPTH
STEP = works.STEP_SIZE["eight_schools"]
FAST = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
UNIT = 1.0 / 9007199254740992.0  # 2^-53

# A chain's workspace is one flat array: with every row at a literal offset, LLVM can tell the rows apart and
# vectorises the loops over D (rows of a matrix, passed as arrays, cost twice the time). The rows Q, P,
# GRADIENT hold the end being extended, LEFT and RIGHT three rows each: the two ends of the trajectory.
ROW = 16
Q, P, GRADIENT = 0 * ROW, 1 * ROW, 2 * ROW
START, PROPOSAL, CANDIDATE = 3 * ROW, 4 * ROW, 5 * ROW
LEAF_SUM, TREE_SUM = 6 * ROW, 7 * ROW
LEFT, RIGHT = 8 * ROW, 11 * ROW
CHECKPOINT_P, CHECKPOINT_SUM = 14 * ROW, (14 + MAX_DEPTH) * ROW
Y, PRECISION = (14 + 2 * MAX_DEPTH) * ROW, (15 + 2 * MAX_DEPTH) * ROW
SIZE = (16 + 2 * MAX_DEPTH) * ROW


@njit(**FAST)
def rotated(x, k):
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@njit(**FAST)
def uniform(s):
    """One uniform in [0, 1) from xoshiro256+ (Blackman and Vigna 2021), state s (4,) uint64."""
    result = s[0] + s[3]
    t = s[1] << np.uint64(17)
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotated(s[3], 45)
    return np.float64(result >> np.uint64(11)) * UNIT


@njit(**FAST)
def fill_normals(s, work):
    """Standard normals into P by Marsaglia's polar method, two at a time."""
    for i in range(0, D, 2):
        u, v, r = 0.0, 0.0, 2.0
        while r >= 1.0 or r == 0.0:
            u = 2.0 * uniform(s) - 1.0
            v = 2.0 * uniform(s) - 1.0
            r = u * u + v * v
        scale = math.sqrt(-2.0 * math.log(r) / r)
        work[P + i] = u * scale
        work[P + i + 1] = v * scale


@njit(**FAST)
def potential(work):
    """-log density at Q; writes its gradient."""
    mu, tau = work[Q], math.exp(work[Q + 1])
    tau2 = tau * tau
    total, by_mu, by_tau = 0.0, 0.0, 0.0
    for i in range(8):
        z = work[Q + 2 + i]
        residual = work[Y + i] - mu - tau * z
        pull = residual * work[PRECISION + i]
        total += z * z + residual * pull
        by_mu += pull
        by_tau += pull * z
        work[GRADIENT + 2 + i] = z - tau * pull
    work[GRADIENT] = mu * 0.04 - by_mu
    work[GRADIENT + 1] = 2.0 * tau2 / (25.0 + tau2) - 1.0 - tau * by_tau
    return 0.5 * (total + mu * mu * 0.04) + math.log1p(tau2 * 0.04) - work[Q + 1]


@njit(**FAST)
def leapfrog(work, h):
    """One leapfrog of Q, P, GRADIENT in place; the energy after it."""
    for d in range(D):
        work[P + d] -= 0.5 * h * work[GRADIENT + d]
        work[Q + d] += h * work[P + d]
    energy = potential(work)
    kinetic = 0.0
    for d in range(D):
        p = work[P + d] - 0.5 * h * work[GRADIENT + d]
        work[P + d] = p
        kinetic += p * p
    return energy + 0.5 * kinetic


@njit(**FAST)
def checkpoint_row(leaf):
    """Where the left end of the smallest subtree that holds the leaf is kept: a row for each bit above."""
    row, bits = 0, leaf >> 1
    while bits:
        row += bits & 1
        bits >>= 1
    return row * ROW


@njit(**FAST)
def turned_at(work, leaf):
    """Checks the subtrees that the odd-numbered leaf completes, smallest first."""
    row, bits = checkpoint_row(leaf), leaf
    while bits & 1:
        first, last = 0.0, 0.0
        for d in range(D):
            start = work[CHECKPOINT_P + row + d]
            total = work[LEAF_SUM + d] - work[CHECKPOINT_SUM + row + d] + start
            first += total * start
            last += total * work[P + d]
        if first <= 0.0 or last <= 0.0:
            return True
        row -= ROW
        bits >>= 1
    return False


@njit(**FAST)
def double(work, h, depth, energy0, s):
    """Grows 2^depth leaves from Q, P: (leaves grown, their weight, whether to stop)."""
    weight = 0.0
    for d in range(D):
        work[LEAF_SUM + d] = 0.0
    for leaf in range(1 << depth):
        change = leapfrog(work, h) - energy0
        if not change < 1000.0:
            return leaf + 1, weight, True
        w = math.exp(-change)
        weight += w
        for d in range(D):
            work[LEAF_SUM + d] += work[P + d]
        if uniform(s) * weight < w:
            for d in range(D):
                work[CANDIDATE + d] = work[Q + d]
        if leaf & 1 == 0:
            row = checkpoint_row(leaf)
            for d in range(D):
                work[CHECKPOINT_P + row + d] = work[P + d]
                work[CHECKPOINT_SUM + row + d] = work[LEAF_SUM + d]
        elif turned_at(work, leaf):
            return leaf + 1, weight, True
    return 1 << depth, weight, False


@njit(**FAST)
def begin(work, s):
    """New momentum at START, both ends of the trajectory there. The initial energy."""
    for d in range(D):
        work[Q + d] = work[START + d]
        work[PROPOSAL + d] = work[START + d]
    fill_normals(s, work)
    energy = potential(work)
    for d in range(D):
        energy += 0.5 * work[P + d] * work[P + d]
        work[TREE_SUM + d] = work[P + d]
    for k in range(3 * ROW):
        work[LEFT + k] = work[k]
        work[RIGHT + k] = work[k]
    return energy


@njit(**FAST)
def whole_tree_turned(work):
    left, right = 0.0, 0.0
    for d in range(D):
        left += work[TREE_SUM + d] * work[LEFT + ROW + d]
        right += work[TREE_SUM + d] * work[RIGHT + ROW + d]
    return left <= 0.0 or right <= 0.0


@njit(**FAST)
def transition(work, s):
    """One draw: moves START, returns the leapfrogs taken."""
    energy0 = begin(work, s)
    tree_weight, leapfrogs = 1.0, 0
    for depth in range(MAX_DEPTH):
        end, h = (RIGHT, STEP) if uniform(s) < 0.5 else (LEFT, -STEP)
        for k in range(3 * ROW):
            work[k] = work[end + k]
        leaves, weight, stop = double(work, h, depth, energy0, s)
        leapfrogs += leaves
        if stop:
            break
        for k in range(3 * ROW):
            work[end + k] = work[k]
        if uniform(s) * tree_weight < weight:
            for d in range(D):
                work[PROPOSAL + d] = work[CANDIDATE + d]
        tree_weight += weight
        for d in range(D):
            work[TREE_SUM + d] += work[LEAF_SUM + d]
        if whole_tree_turned(work):
            break
    for d in range(D):
        work[START + d] = work[PROPOSAL + d]
    return leapfrogs


@njit(parallel=True, **FAST)
def sample(position, states, draws, y, precision, out, leapfrogs):
    """Draws (chains, draws, 10) into out, going on from position (chains, 10), which is updated."""
    for chain in prange(position.shape[0]):
        work = np.zeros(SIZE)
        s = states[chain].copy()
        work[START : START + D] = position[chain]
        work[Y : Y + 8] = y
        work[PRECISION : PRECISION + 8] = precision
        steps = 0
        for i in range(draws):
            steps += transition(work, s)
            for d in range(D):
                out[chain, i, d] = work[START + d]
        position[chain] = work[START : START + D]
        states[chain] = s
        leapfrogs[chain] = steps


def sampler(chains: int, draws: int) -> Any:
    """A function that makes `draws` more draws of every chain and reports their leapfrogs."""
    start = works.schools_start(chains)
    position = np.column_stack([start.mu, start.log_tau, start.theta_trans])
    states = np.random.default_rng(4).integers(0, 2**64, (chains, 4), dtype=np.uint64)
    y, precision = works.SCHOOLS_Y, 1.0 / works.SCHOOLS_SIGMA**2
    out, leapfrogs = np.empty((chains, draws, D)), np.empty(chains, dtype=np.int64)

    def run() -> dict[str, Any]:
        begun = time.perf_counter()
        sample(position, states, draws, y, precision, out, leapfrogs)
        seconds = time.perf_counter() - begun
        mu, tau = out[:, :, 0], np.exp(out[:, :, 1])
        moments = {"mu": mu.mean(), "tau": tau.mean(), "sd_mu": mu.std(), "sd_tau": tau.std()}
        means = {name: float(value) for name, value in moments.items()}
        return {"seconds": seconds, "count": int(leapfrogs.sum()), "means": means}

    run()
    return run


if __name__ == "__main__":
    serve(sampler(int(sys.argv[1]), int(sys.argv[2])))
