"""What is measured: the same data and the same starting points for every contender. NumPy only."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

STEP_SIZE = {"eight_schools": 0.3, "logistic": 0.0095, "logistic_even": 0.008}
MAX_DEPTH = 10

# Rubin (1981), as in examples/data/eight_schools.json
SCHOOLS_Y = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
SCHOOLS_SIGMA = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


class SchoolsStart(NamedTuple):
    """Unconstrained starting points, one row a chain."""

    mu: np.ndarray
    log_tau: np.ndarray
    theta_trans: np.ndarray


def schools_start(chains: int) -> SchoolsStart:
    """Near the posterior, so that the first draws already cost what later ones do."""
    rng = np.random.default_rng(1)
    normal = rng.standard_normal((chains, 10))
    return SchoolsStart(4.0 + 3.0 * normal[:, 0], 1.0 + 0.5 * normal[:, 1], normal[:, 2:])


class Logistic(NamedTuple):
    """A design matrix (n, d), labels (n,) of zeros and ones, and the coefficients (d,) that made them."""

    X: np.ndarray
    y: np.ndarray
    beta: np.ndarray


def logistic(n: int = 10_000, d: int = 100) -> Logistic:
    """Synthetic logistic regression: standard normal features, coefficients N(0, 0.1^2)."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((n, d))
    beta = 0.1 * rng.standard_normal(d)
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-X @ beta))).astype(np.float64)
    return Logistic(X, y, beta)


def logistic_start(chains: int, beta: np.ndarray) -> np.ndarray:
    """Starting coefficients (chains, d), one posterior deviation or so from those that made the data."""
    return beta + 0.02 * np.random.default_rng(3).standard_normal((chains, len(beta)))


def measured(count: int, call: Callable[[], Any], calls: int = 1) -> dict[str, Any]:
    """One measurement: the seconds of some calls of `count` each, and the fingerprint of their last result."""
    begun = time.perf_counter()
    for _ in range(calls):
        result = call()
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, "count": calls * count, "fingerprint": fingerprint(result)}


def fingerprint(result: Any) -> list[float]:
    """The sum of a result and about a hundred of its numbers: what contenders must agree on."""
    flat = np.asarray(result).ravel()
    return [float(flat.sum()), *map(float, flat[:: max(1, len(flat) // 100)])]
