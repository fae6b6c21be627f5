"""Discrete distributions of scipy.stats far out and of many tries, where SciPy's own are exact, and slopes there."""

import numpy as np
import pytest
from scipy import stats

from autodiff import grad
from codegen import jit

BINOMIALS = [
    (1, 1e15, 1e-15),
    (9, 1e16, 1e-15),
    (0, 1e17, 1e-18),
    (10**15, 2e15, 0.5),
    (400, 1000, 0.5),
    (900, 1000, 0.3),
]
FAILURES = [(2000, 0.5, 0.01), (100, 0.5, 0.5), (5, 3.0, 0.99), (0, 50.0, 0.01), (300, 50.0, 0.2)]
DRAWN = [(19, 100, 20, 30), (300, 1000, 500, 500), (4, 50, 5, 10), (200, 1000, 500, 500), (10, 50, 5, 10)]


def binomial(k, n, p):
    """The mass is the exponential of `logpmf`, in which SciPy's own cancels."""
    return stats.binom.pmf(k, n, p), stats.binom.logcdf(k, n, p)


def failures(k, n, p):
    return stats.nbinom.logpmf(k, n, p), stats.nbinom.logcdf(k, n, p)


def drawn(k, M, n, N):
    return stats.hypergeom.logpmf(k, M, n, N), stats.hypergeom.logcdf(k, M, n, N)


def counted(k, mu):
    return stats.poisson.logcdf(k, mu), stats.poisson.cdf(k, mu)


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (binomial, BINOMIALS),
        (failures, FAILURES),
        (drawn, DRAWN),
        (counted, [(0, 1e-3), (3, 1.0), (400, 500.0)]),
    ],
)
def test_far_out(f, arguments):
    columns = tuple(np.array(column, np.float64) for column in zip(*arguments, strict=True))
    for got, want in zip(jit(f, target="numpy")(*columns), f(*columns), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-12)


def test_slopes_of_many_tries():
    """k / p - (n - k) / (1 - p), and of the share up to k the density of its end."""
    for k, n, p in BINOMIALS[:2] + BINOMIALS[4:]:
        slope = grad(lambda p, k=k, n=n: stats.binom.logpmf(k, n, p))(p)
        assert slope == pytest.approx(k / p - (n - k) / (1.0 - p), rel=1e-9)
    slope = grad(lambda p: stats.nbinom.logcdf(5, 3.0, p))(0.9)
    assert slope == pytest.approx(stats.beta.pdf(0.9, 3.0, 6.0) / stats.nbinom.cdf(5, 3.0, 0.9), rel=1e-9)
