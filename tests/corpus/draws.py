"""Draws from a generator: the numbers are NumPy's, bit for bit, and the stream advances as NumPy's does."""

import math

import numpy as np

from corpus.case import Seed, case


@case((Seed(1),), (Seed(2),), marks="draws")
def one_of_each(rng):
    return (
        rng.random(),
        rng.standard_normal(),
        rng.standard_exponential(),
        rng.integers(10),
        rng.integers(-3, 4),
    )


@case((Seed(1), 2.0), (Seed(2), 0.5), marks="draws")
def located_and_scaled(rng, s):
    return rng.normal(1.0, s), rng.uniform(-s, s), rng.exponential(s), rng.normal(loc=s), rng.uniform()


@case((Seed(1), 3), (Seed(2), 3), marks="draws arrays")
def sized_draws(rng, n):
    a = rng.random(3)
    b = rng.standard_normal((2, 2))
    c = rng.normal(0.0, np.array([1.0, 2.0]))
    d = rng.uniform(0.0, 2.0, size=4)
    f = rng.integers(0, 5, size=3)
    return a, b, c, d, rng.standard_exponential(2), f, rng.normal(size=n).sum()


@case((Seed(1), 5), (Seed(2), 0), marks="draws")
def drawn_in_a_loop(rng, n):
    total = 0.0
    for _ in range(n):
        total += rng.standard_normal()
    return total, rng.random()


@case((Seed(1), 0.3), (Seed(5), 0.9), marks="draws")
def drawn_in_a_branch(rng, p):
    if rng.random() < p:
        x = rng.normal()
    else:
        x = -rng.exponential()
    return x, rng.random()


@case((Seed(1),), (Seed(3),), marks="draws")
def drawn_in_a_condition(rng):
    n = 0
    while rng.random() < 0.8:
        n += 1
    return n, rng.random()


@case((Seed(1),), (Seed(3),), marks="draws")
def drawn_in_a_condition_that_breaks(rng):
    n = 0
    while rng.random() < 0.95:
        n += 1
        if n >= 4 and rng.random() < 0.5:
            break
    else:
        n = -n
    return n, rng.random()


def step(rng, x):
    proposal = x + 0.5 * rng.normal()
    if math.log(rng.random()) < 0.5 * (x * x - proposal * proposal):
        return proposal, True
    return x, False


@case((Seed(1), 0.0, 10), (Seed(2), 1.0, 10), marks="draws")
def random_walk_metropolis(rng, x, n):
    accepted = 0
    for _ in range(n):
        x, moved = step(rng, x)
        if moved:
            accepted += 1
    return x, accepted, rng.random()


@case((Seed(1), 4), (Seed(2), 4), marks="draws recursive")
def drawn_in_recursion(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return 1
    return drawn_in_recursion(rng, depth - 1) + drawn_in_recursion(rng, depth - 1)


@case((Seed(1), 6), (Seed(2), 6), marks="draws")
def rejection(rng, n):
    accepted = np.zeros(6)
    tries = 0
    for i in range(n):
        while True:
            tries += 1
            u = rng.uniform(-1.0, 1.0)
            if u * u < rng.random():
                break
        accepted[i] = u
    return accepted, tries


@case((Seed(1), np.array([0.2, 0.5, 0.3])), (Seed(2), np.array([0.7, 0.1, 0.2])), marks="draws arrays")
def categorical(rng, p):
    u, total = rng.random(), 0.0
    for k in range(len(p)):
        total += p[k]
        if u < total:
            return k
    return len(p) - 1


@case((Seed(1), Seed(2)), (Seed(3), Seed(4)), marks="draws")
def two_generators(a, b):
    x = a.random()
    y = b.random()
    if x < y:
        a, b = b, a
        return x, y
    z = (lambda: a.normal())()
    return x, y + z * 0.0


@case((Seed(1), 12, 2.0, 0.3), (Seed(2), 0, 15.0, 0.8), marks="draws")
def births_and_deaths(rng, n, births, dies):
    steps = 0
    while steps < 6 and n < 60:
        n += rng.poisson(births) - rng.binomial(n, dies)
        steps += 1
    return n, steps, rng.random()


@case((Seed(1), np.array([0.3, 1.2, -0.4]), 3), (Seed(2), np.array([2.0, 1.5, 1.0]), 3), marks="draws arrays")
def gibbs(rng, y, steps):
    mean, precision = 0.0, 1.0
    n = len(y)
    for _ in range(steps):
        mean = rng.normal(np.sum(y) / n, 1.0 / math.sqrt(n * precision))
        precision = rng.gamma(0.2 + n / 2, 1.0 / (0.5 + 0.5 * np.sum((y - mean) ** 2)))
    return mean, precision, rng.beta(1.0 + precision, 2.0)


@case((Seed(1), np.array([0.2, 0.5, 0.3])), (Seed(2), np.array([0.7, 0.1, 0.2])), marks="draws arrays")
def resampled(rng, p):
    order = rng.permutation(3)
    kept = rng.choice(p, 3, p=p)
    rng.shuffle(kept)
    return rng.choice(3, p=p[order] / np.sum(p)), kept[order], rng.random()
