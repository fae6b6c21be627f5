"""Whole numbers."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.generators.elements import drawn, of_generator
from codegen.primitives.shape import without_slope

MOST_POISSON = 9.223372006484771e18  # of which a draw is an int64 still
INT_MAX = 2.0**63


def one_poisson(self, lam, _):
    return self._poisson(without_slope(lam))


def one_binomial(self, n, p):
    return self._binomial(n, without_slope(p))


def one_negative_binomial(self, n, p):
    return self._poisson(without_slope((1.0 - p) / p * self._standard_gamma(without_slope(n))))


def one_geometric(self, p, _):
    if p >= 0.333333333333333333333333:
        total = product = p
        count, u = 1, self.random()
        while u > total:
            product *= 1.0 - p
            total += product
            count += 1
        return count
    z = np.ceil(-self.standard_exponential() / np.log1p(-p))
    return 9223372036854775807 if z >= INT_MAX else int(z)


@of_generator
def poisson(self, lam=1.0, size=None):
    if not np.all(lam >= 0):
        raise ValueError("lam < 0 or lam contains NaNs" if np.ndim(lam) else "lam < 0 or lam is NaN")
    if np.any(lam > MOST_POISSON):
        raise ValueError("lam value too large")
    return drawn(one_poisson, self, np.int64, size, lam, 0.0)


@of_generator
def binomial(self, n, p, size=None):
    if np.any(n < 0):
        raise ValueError("n < 0")
    if not np.all((p >= 0) & (p <= 1)):
        arrays = np.ndim(n) or np.ndim(p)
        raise ValueError("p < 0, p > 1 or p contains NaNs" if arrays else "p < 0, p > 1 or p is NaN")
    return drawn(one_binomial, self, np.int64, size, n, p)


@of_generator
def negative_binomial(self, n, p, size=None):
    if np.any(np.isnan(n)):
        raise ValueError("n must not be NaN")
    if np.any(n <= 0):
        raise ValueError("n <= 0")
    if not np.all((p > 0) & (p <= 1)):
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    return drawn(one_negative_binomial, self, np.int64, size, n, p)


@of_generator
def geometric(self, p, size=None):
    if not np.all((p > 0) & (p <= 1)):
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    return drawn(one_geometric, self, np.int64, size, p, 0.0)
