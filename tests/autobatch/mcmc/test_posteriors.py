"""NUTS against known answers: six posteriors with reference draws, and normal distributions.

`examples/posteriors.py` holds the six and says when draws agree with the reference. They are slow, and run by
`scripts/posteriors`; by default the demonstration's does, eight schools (tests/project/test_demo.py).
"""

from typing import Any

import numpy as np
import pytest

import posteriors
from autobatch import mcmc
from autobatch.mcmc import real, sample


@pytest.mark.slow
@pytest.mark.parametrize("name", posteriors.NAMES)
def test_nuts_finds_the_reference(name: str) -> None:
    posterior = posteriors.load(name)
    params = {k: getattr(mcmc, c.kind)(*c.bounds, *c.shape) for k, c in posterior.params.items()}
    trace = sample(
        posterior.logp, params, data=posterior.data, chains=64, draws=500, warmup=500, seed=1,
        init=posterior.init, progress=False,
    )  # fmt: skip
    draws = posterior.named({k: trace.posterior[k].values for k in params})
    assert posteriors.disagreements(draws, posterior.reference) == []
    # Stan's runs had a handful; here per mille of 32,000 draws.
    assert trace.sample_stats.diverging.values.mean() < 0.005


def normal(x, y, z):
    """A standard normal in 100 dimensions, and two numbers of variance 1 and correlation 0.99."""
    return -0.5 * np.sum(x**2) - 0.5 * (y * y - 1.98 * y * z + z * z) / (1.0 - 0.99**2)


def errors_away(statistic: np.ndarray, expected: float) -> np.ndarray:
    """How many standard errors the mean of (chains, draws, ...) is from what is expected; chains are independent."""
    by_chain = statistic.mean(axis=1)
    error = by_chain.std(axis=0, ddof=1) / np.sqrt(len(by_chain))
    return np.abs(by_chain.mean(axis=0) - expected) / error


@pytest.mark.slow
def test_moments_of_a_normal() -> None:
    trace = sample(
        normal, {"x": real(100), "y": real(), "z": real()}, chains=1024, draws=50, warmup=150, seed=3,
        progress=False,
    )  # fmt: skip
    x, y, z = (trace.posterior[name].values for name in "xyz")
    # The largest of 200 standard normals is beyond 4.5 once in 700 seeds.
    assert np.max(errors_away(x, 0.0)) < 4.5
    assert np.max(errors_away(x**2, 1.0)) < 4.5
    assert errors_away(np.sum(x**2, axis=2), 100.0) < 4.0
    assert errors_away(x[:, :, 0] * x[:, :, 99], 0.0) < 4.0
    for statistic, expected in ((y, 0.0), (z, 0.0), (y * y, 1.0), (z * z, 1.0), (y * z, 0.99)):
        assert errors_away(statistic, expected) < 4.0
    assert errors_away((y - z) ** 2, 0.02) < 4.0


def moving_average(phi, theta, sigma, y):
    """An ARMA(1, 1) series: from most starts in U(-2, 2) its errors explode, to log densities of -1e60."""
    error = y[0] - phi * 0.1
    lp = -0.5 * (phi**2 + theta**2) / 4 - sigma - 0.5 * (error / sigma) ** 2 - np.log(sigma)
    for t in range(1, len(y)):
        error = y[t] - (phi * y[t - 1] + theta * error)
        lp -= 0.5 * (error / sigma) ** 2 + np.log(sigma)
    return lp


@pytest.mark.slow
def test_no_chain_is_left_behind_and_none_looks_at_the_others() -> None:
    """Few chains and many are run by different programs: the draws of a chain are the same, bit for bit."""
    rng = np.random.default_rng(0)
    y = np.zeros(200)
    y[0] = 0.1
    for t in range(1, 200):
        y[t] = 0.8 * y[t - 1] + 0.3 * rng.standard_normal()
    params = {"phi": real(), "theta": real(), "sigma": mcmc.positive()}

    def drawn(chains: int) -> Any:
        return sample(
            moving_average,
            params,
            data={"y": y},
            chains=chains,
            draws=100,
            warmup=300,
            seed=3,
            progress=False,
        )

    few, many = drawn(3), drawn(64)  # one by one, and in groups
    lp = many.sample_stats.lp.values.mean(axis=1)
    assert np.min(lp) > np.median(lp) - 10.0
    for name in params:
        np.testing.assert_array_equal(many.posterior[name].values[:3], few.posterior[name].values)
