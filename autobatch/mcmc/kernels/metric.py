"""Euclidean metrics: how momenta are drawn, what velocity they mean, and how warm-up estimates them.

    momentum     : (rng, metric, position) -> p ~ N(0, M)        velocity : (metric, p) -> M^-1 p
    displacement : (rng, metric, position) -> x ~ N(0, M^-1)     observe, estimate : Welford -> metric

A metric is kept as its inverse, which estimates the posterior's covariance: `Diagonal` a vector of variances,
`Dense` a matrix with its Cholesky factor. The unit metric is a `Diagonal` of ones that is never estimated.
The functions come in pairs, `diagonal_*` and `dense_*`; which pair a chain uses is settled once, outside.
Of the position only its length is used.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Draw = Callable[[np.random.Generator, Any, np.ndarray], np.ndarray]
Velocity = Callable[[Any, np.ndarray], np.ndarray]


class Diagonal(NamedTuple):
    """Inverse metric as its diagonal, shape (d,)."""

    variance: np.ndarray


class Dense(NamedTuple):
    """Inverse metric C (d, d) and its lower Cholesky factor L, C = L L^T."""

    covariance: np.ndarray
    factor: np.ndarray


class Welford(NamedTuple):
    """How many positions (n), their mean (d,), the scatter about it: (d,), or (d, d) for a dense metric.

    Source: Welford 1962, "Note on a method for calculating corrected sums of squares and products".
    """

    n: float
    mean: np.ndarray
    scatter: np.ndarray


class Geometry(NamedTuple):
    """The functions of one kind of metric, to be handed to the programs one by one."""

    momentum: Draw
    velocity: Velocity
    displacement: Draw
    observe: Callable[[Welford, np.ndarray], Welford]
    estimate: Callable[[Welford], Any]


def diagonal_momentum(rng: np.random.Generator, metric: Diagonal, position: np.ndarray) -> np.ndarray:
    """p ~ N(0, M) for M = diag(1 / variance)."""
    return rng.standard_normal(position.shape[0]) / np.sqrt(metric.variance)


def diagonal_velocity(metric: Diagonal, p: np.ndarray) -> np.ndarray:
    """M^-1 p."""
    return metric.variance * p


def diagonal_displacement(rng: np.random.Generator, metric: Diagonal, position: np.ndarray) -> np.ndarray:
    """x ~ N(0, M^-1), the proposal of random-walk Metropolis."""
    return rng.standard_normal(position.shape[0]) * np.sqrt(metric.variance)


def diagonal_observe(welford: Welford, x: np.ndarray) -> Welford:
    """Count the position x (d,) in."""
    n = welford.n + 1.0
    before = x - welford.mean
    mean = welford.mean + before / n
    return Welford(n, mean, welford.scatter + before * (x - mean))


def diagonal_estimate(welford: Welford) -> Diagonal:
    """Variances of at least two positions, drawn towards 1e-3 as Stan does: the fewer positions, the more."""
    n = welford.n
    return Diagonal(n / (n + 5.0) * (welford.scatter / (n - 1.0)) + 1e-3 * (5.0 / (n + 5.0)))


def dense_momentum(rng: np.random.Generator, metric: Dense, position: np.ndarray) -> np.ndarray:
    """p ~ N(0, M): p = L^-T z has covariance (L L^T)^-1."""
    z = rng.standard_normal(position.shape[0])
    return solve_transposed(metric.factor, z)  # type: ignore[arg-type]


def dense_velocity(metric: Dense, p: np.ndarray) -> np.ndarray:
    """M^-1 p."""
    return metric.covariance @ p


def dense_displacement(rng: np.random.Generator, metric: Dense, position: np.ndarray) -> np.ndarray:
    """x = L z ~ N(0, M^-1)."""
    return metric.factor @ rng.standard_normal(position.shape[0])


def dense_observe(welford: Welford, x: np.ndarray) -> Welford:
    """Count the position x (d,) in."""
    n = welford.n + 1.0
    before = x - welford.mean
    mean = welford.mean + before / n
    return Welford(n, mean, welford.scatter + np.outer(before, x - mean))


def dense_estimate(welford: Welford) -> Dense:
    """Covariance of at least two positions, drawn towards 1e-3 times the unit matrix as Stan does."""
    n = welford.n
    covariance = n / (n + 5.0) * (welford.scatter / (n - 1.0))
    for i in range(covariance.shape[0]):
        covariance[i, i] += 1e-3 * (5.0 / (n + 5.0))
    return Dense(covariance, cholesky(covariance))


def cholesky(a: np.ndarray) -> np.ndarray:
    """Lower factor L (d, d) of a symmetric positive definite a (d, d), a = L L^T.

    A pivot that rounding made negligible or negative is raised to 1e-14 of its diagonal entry, so that a
    nearly singular estimate gives a poor metric and not one that is not a number.
    """
    n = a.shape[0]
    factor = np.zeros((n, n))
    for j in range(n):
        pivot = a[j, j]
        for k in range(j):
            pivot -= factor[j, k] * factor[j, k]
        root = np.sqrt(np.maximum(pivot, 1e-14 * a[j, j]))
        factor[j, j] = root
        for i in range(j + 1, n):
            rest = a[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            factor[i, j] = rest / root
    return factor


def solve_transposed(factor: np.ndarray, z: np.ndarray) -> np.ndarray:
    """x with L^T x = z for a lower factor L (d, d), by back substitution."""
    n = z.shape[0]
    x = np.zeros(n)
    for back in range(n):
        i = n - 1 - back
        rest = z[i]
        for k in range(i + 1, n):
            rest -= factor[k, i] * x[k]
        x[i] = rest / factor[i, i]
    return x


DIAGONAL = Geometry(
    diagonal_momentum, diagonal_velocity, diagonal_displacement, diagonal_observe, diagonal_estimate
)
DENSE = Geometry(dense_momentum, dense_velocity, dense_displacement, dense_observe, dense_estimate)
