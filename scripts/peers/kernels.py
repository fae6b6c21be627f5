"""Numerical kernels, each written for one example in NumPy, and the data they run on. NumPy and SciPy only."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erf


def logsumexp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def cross_entropy(logits, label):
    """Of the softmax of logits, against the one right label."""
    top = np.max(logits)
    return top + np.log(np.sum(np.exp(logits - top))) - logits[label]


def black_scholes(spot, strike, years, rate, volatility):
    """The prices of a European call and put."""
    deviation = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * np.exp(-rate * years)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    return call, call - spot + discounted


def normal_cdf(x):
    return 0.5 * (1.0 + erf(x / np.sqrt(2.0)))


def mriq(x, y, z, kx, ky, kz, weight):
    """One voxel of the matrix Q of magnetic resonance imaging: sums over the samples in k-space."""
    angle = 2.0 * np.pi * (kx * x + ky * y + kz * z)
    return np.sum(weight * np.cos(angle)), np.sum(weight * np.sin(angle))


def kmeans_cost(point, centres):
    """The squared distance to the nearest centre."""
    return np.min(np.sum((centres - point) ** 2, axis=1))


STEP, AMBIENT = 0.4, 80.0
ALONG_X, ALONG_Y, UPWARDS = 0.1, 0.1, 0.0125  # conductances


def hotspot(heat, power, steps):
    """A chip's temperature after some steps; no heat leaves at its edges. After Rodinia's benchmark of this name."""
    for _ in range(steps):
        up = np.concatenate((heat[:1], heat[:-1]))
        down = np.concatenate((heat[1:], heat[-1:]))
        left = np.concatenate((heat[:, :1], heat[:, :-1]), axis=1)
        right = np.concatenate((heat[:, 1:], heat[:, -1:]), axis=1)
        flow = ALONG_Y * (up + down - 2.0 * heat) + ALONG_X * (left + right - 2.0 * heat)
        heat = heat + STEP * (power + flow + UPWARDS * (AMBIENT - heat))
    return heat


class Work(NamedTuple):
    """A function of one example; the arguments of all; which have an axis of examples (None: no lanes at all)."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    axes: tuple[int | None, ...] | None
    count: int


def work(name: str, size: int) -> Work:
    """The named kernel and data for `size` examples; the same for everyone."""
    rng = np.random.default_rng(6)
    match name:
        case "logsumexp":
            return Work(logsumexp, (3.0 * rng.standard_normal((size, 256)),), (0,), size)
        case "cross_entropy":
            logits = 3.0 * rng.standard_normal((size, 10))
            return Work(cross_entropy, (logits, rng.integers(0, 10, size)), (0, 0), size)
        case "black_scholes":
            ends = ((50.0, 150.0), (50.0, 150.0), (0.1, 3.0), (0.0, 0.1), (0.1, 0.6))
            return Work(black_scholes, tuple(rng.uniform(*e, size) for e in ends), (0,) * 5, size)
        case "mriq":
            voxels, samples = rng.uniform(-0.5, 0.5, (3, size)), rng.uniform(-8.0, 8.0, (3, 1024))
            return Work(mriq, (*voxels, *samples, rng.random(1024)), (0,) * 3 + (None,) * 4, size)
        case "kmeans_cost":
            points, centres = rng.standard_normal((size, 8)), rng.standard_normal((32, 8))
            return Work(kmeans_cost, (points, centres), (0, None), size)
        case "hotspot" | "hotspot_large":  # one chip; examples are its cells
            power = np.where(rng.random((size, size)) < 0.1, 5.0, 0.1)
            return Work(hotspot, (np.full((size, size), AMBIENT), power, 50), None, 50 * size * size)
        case "hotspot_chips":  # many small ones
            power = np.where(rng.random((size, 64, 64)) < 0.1, 5.0, 0.1)
            arguments = (np.full((size, 64, 64), AMBIENT), power, 50)
            return Work(hotspot, arguments, (0, 0, None), 50 * size * 64 * 64)
    raise ValueError(f"no work {name}")
