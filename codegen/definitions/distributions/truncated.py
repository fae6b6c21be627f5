"""The normal distribution between two places."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import log_ndtr

from codegen.definitions.distributions.densities import log_density
from codegen.definitions.distributions.shares import log1mexp, share
from codegen.definitions.special import numbers
from codegen.definitions.table import stands_for


@stands_for("scipy.stats.truncnorm.logpdf")
def truncnorm(x, a, b, loc=0, scale=1):
    """What lies between a and b by the tail in which it is exact."""
    z, a, b = (numbers(x) - loc) / scale, numbers(a), numbers(b)
    inside, valid = (z >= a) & (z <= b), a < b
    low, high = np.where(valid, a, 0.0), np.where(valid, b, 1.0)
    right = low > 0.0
    less, more = np.where(right, -high, low), np.where(right, -low, high)
    upper, lower = log_ndtr(more), log_ndtr(less)
    mass = upper + np.log1p(-np.exp(lower - upper))
    y = np.where(inside, z, 0.0)
    return log_density(z, numbers(scale), inside, valid, -y * y / 2.0 - 0.9189385332046727 - mass)


@stands_for("scipy.stats.truncnorm.cdf")
def truncnorm_cdf(x, a, b, loc=0, scale=1):
    """From the tail in which shares are exact."""
    z, scale, a, b = (numbers(x) - loc) / scale, numbers(scale), numbers(a), numbers(b)
    right = a > 0
    y = np.clip(z, a, b)
    low, high = np.where(right, -b, a), np.where(right, -a, b)
    below, above = log_ndtr(np.where(right, -y, low)), log_ndtr(np.where(right, high, y))
    whole = log_ndtr(high) + log1mexp(log_ndtr(low) - log_ndtr(high))
    none = below == -np.inf
    made = np.exp(above + log1mexp(np.where(none, -np.inf, np.where(none, 0.0, below) - above)) - whole)
    made = np.where(z <= a, 0.0, np.where(z >= b, 1.0, made))
    return np.where(a < b, share(z, scale, made), np.nan)
