"""Programs that make generators of seeds, and the lanes that they are given."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch import batch

LANES = 6
SEEDS = np.array([0, 1, 7, 2**32, 2**40 + 3, 2**63 - 1])
SHARED = np.random.default_rng(0).normal(size=(200, 30))


def ising(beta, sweeps, seed):
    rng = np.random.default_rng(seed)
    s = np.ones((4, 4))
    accepted = 0
    for _ in range(sweeps * 16):
        i, j = rng.integers(4), rng.integers(4)
        change = 2 * s[i, j] * (s[(i + 1) % 4, j] + s[i - 1, j] + s[i, (j + 1) % 4] + s[i, j - 1])
        if change <= 0 or rng.random() < math.exp(-beta * change):
            s[i, j] *= -1
            accepted += 1
    return s.mean(), accepted


def several(seed):
    """Of equal seeds each has its own stream, another name of one has the same."""
    a, b = np.random.default_rng(seed), np.random.default_rng(seed)
    c, d = a, np.random.default_rng([seed, 7])
    return (
        a.normal() + b.random(),
        c.random(),
        d.integers(5),
        b.exponential(),
        np.random.default_rng(a).random(),
    )


def anew(seed, n):
    total = 0.0
    for k in range(n):
        rng = np.random.default_rng((seed, k, 3))
        total += rng.random() + np.random.default_rng(5).random()
    return total


def listed(seed):
    rngs = [np.random.default_rng([seed, k]) for k in range(3)]
    return sum(rng.normal() for rng in rngs), rngs[1].random()


def tree(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return 1.0
    return tree(rng, depth - 1) + tree(rng, depth - 1) * rng.random()


def passed_along(seed, depth):
    """Of two streams now one and now the other goes through the same frames."""
    first, second = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    return tree(first, depth) + tree(second, depth) * tree(first, 2), second.random()


def made_in_recursion(seed, depth):
    if depth == 0:
        return 0.0
    rng = np.random.default_rng([seed, depth])
    first = rng.random()
    return first + made_in_recursion(seed, depth - 1) + rng.random()


def arrays(seed):
    rng = np.random.default_rng(seed)
    x, order = rng.normal(size=4), rng.permutation(4)
    return np.sum(x[order] * np.arange(4)), rng.choice(5), rng.gamma(2.0)


def waiting(seed, matrix):
    """Lanes wait for each other's products with a matrix that all share, and keep their streams meanwhile."""
    rng = np.random.default_rng(seed)
    x, t = rng.normal(size=30), 0.0
    while t < 3.0:
        x = x + 0.1 * rng.normal(size=30)
        t += np.sum((matrix @ x) ** 2) * 1e-3 + rng.random()
    return t


def of_all_lanes():
    return np.random.default_rng(3).normal()


def beside(rng, seed):
    own = np.random.default_rng(seed)
    return rng.random() + own.random(), rng.random()


def last_passage(x, seed):
    """Its number of steps hangs on the draws, which a derivative needs again."""
    rng = np.random.default_rng(seed)
    t = 0.0
    while t < 3.0:
        t = t + abs(x * rng.standard_normal()) + 0.1
    return t * x + rng.normal()


def drawn_until(x, rng):
    t = 0.0
    while t < 3.0:
        t = t + abs(x * rng.standard_normal()) + 0.1
    return t * x * rng.random()


def noise(x, seed):
    return x * np.random.default_rng(seed).normal()


def noisy(x):
    total = 0.0
    for k in range(4):
        total += noise(x, k) * x
    return total


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (ising, (0.4, 3, SEEDS)),
    (several, (SEEDS,)),
    (anew, (SEEDS, np.arange(LANES))),
    (listed, (SEEDS,)),
    (passed_along, (SEEDS, 5)),
    (made_in_recursion, (SEEDS, np.arange(LANES))),
    (arrays, (SEEDS,)),
    (waiting, (SEEDS, SHARED)),
    (last_passage, (np.linspace(0.3, 2.0, LANES), SEEDS)),
    (noisy, (np.linspace(0.3, 2.0, LANES),)),
]
SLOPES = [(last_passage, (np.linspace(0.3, 2.0, LANES), SEEDS)), (noisy, (np.linspace(0.3, 2.0, LANES),))]

ON_A_GPU = [(f, arguments) for f, arguments in PROGRAMS if f is not made_in_recursion]


def is_of_lanes(argument: Any) -> bool:
    return isinstance(argument, np.ndarray) and argument.ndim == 1


def lane(arguments: tuple[Any, ...], k: int) -> list[Any]:
    return [a[k].item() if is_of_lanes(a) else copy.deepcopy(a) for a in arguments]


def alike(found: Any, wanted: list[Any]) -> None:
    for one, other in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def by_lanes(f: Callable[..., Any], arguments: tuple[Any, ...]) -> list[np.ndarray]:
    made = [f(*lane(arguments, k)) for k in range(LANES)]
    return [np.array(column) for column in zip(*(m if isinstance(m, tuple) else (m,) for m in made))]


def on_a_gpu(f: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Lanes as threads of a GPU, or of a stand-in for one, against a loop."""
    axes = tuple(0 if is_of_lanes(a) else None for a in arguments)
    alike(batch(f, axes, target="cuda")(*arguments), by_lanes(f, arguments))
