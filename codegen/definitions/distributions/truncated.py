"""The normal distribution between two places."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import log_ndtr

from codegen.definitions.distributions.densities import log_density, standardised
from codegen.definitions.distributions.shares import share
from codegen.definitions.special import HALF_LOG_TWO_PI, numbers, polynomial
from codegen.definitions.table import stands_for

# How much more the normal density has between two places than its middle times their distance, by squares of that.
IN_EIGHTH, IN_SIXTH = (1.0, -15.0, 45.0, -15.0), (1.0, -6.0, 3.0)


@stands_for("scipy.stats.truncnorm.logpdf")
def truncnorm(x, a, b, loc=0, scale=1):
    z, a, b = standardised(x, loc, scale), numbers(a), numbers(b)
    inside, valid = (z >= a) & (z <= b) & np.isfinite(z), a < b
    y = np.where(inside, z, 0.0)
    return log_density(z, numbers(scale), inside, valid, -y * y / 2.0 - HALF_LOG_TWO_PI - log_whole(a, b))


def log_whole(a, b):
    valid = a < b
    return log_between(np.where(valid, a, 0.0), np.where(valid, b, 1.0))


def log_between(a, b):
    """The logarithm of what the normal distribution has from a to b, in the tail where it is exact; of places close to
    one another by the density in their middle."""
    right = a > 0.0
    low, high = np.where(right, -b, a), np.where(right, -a, b)
    middle, width = 0.5 * (low + high), high - low
    near = (width > 0.0) & (width * (1.0 + np.abs(middle)) < 0.1)
    m, h = np.where(near, middle, 0.0), np.where(near, width, 0.1)
    u, v = m * m, h * h
    more = polynomial(IN_EIGHTH, u) * v / 322560.0 + polynomial(IN_SIXTH, u) / 1920.0
    beside = h * (1.0 + v * ((u - 1.0) / 24.0 + v * more))
    below, above = log_ndtr_of_end(low), log_ndtr_of_end(high)
    apart = -np.expm1(np.minimum(below - above, -1e-300))
    made = np.log(np.where(near, beside, apart)) + np.where(near, -0.5 * u - HALF_LOG_TWO_PI, above)
    return np.where(width > 0.0, made, -np.inf)


def log_ndtr_of_end(x):
    """Without a slope at infinity: beyond squares of floats there is nothing more."""
    return log_ndtr(np.clip(x, -1e150, 1e150))


@stands_for("scipy.stats.truncnorm.cdf")
def truncnorm_cdf(x, a, b, loc=0, scale=1):
    """At its ends 0 and 1, with the density as slope."""
    z, scale, a, b = standardised(x, loc, scale), numbers(scale), numbers(a), numbers(b)
    inside = (z >= a) & (z <= b) & (a < b) & np.isfinite(z)
    y, whole = np.where(inside, z, 0.0), log_whole(a, b)
    first, last = y == a, y == b
    density = np.exp(-0.5 * y * y - HALF_LOG_TWO_PI - whole)
    off = y - np.where(first, a, np.where(last, b, y))
    made = np.exp(log_between(np.where(inside, a, -1.0), y) - whole)
    made = np.where(first, off * density, np.where(last, 1.0 + off * density, made))
    return np.where(a < b, share(z, scale, inside, made, first=a), np.nan)


@stands_for("scipy.stats.truncnorm.logcdf")
def truncnorm_logcdf(x, a, b, loc=0, scale=1):
    """Of shares that are nearly all by what is beyond."""
    z, scale, a, b = standardised(x, loc, scale), numbers(scale), numbers(a), numbers(b)
    inside = (z > a) & (z <= b) & np.isfinite(z)
    y, whole = np.where(inside, z, 0.0), log_whole(a, b)
    below = log_between(np.where(inside, a, -1.0), y) - whole
    beyond = log_between(y, np.where(inside, b, 1.0)) - whole
    most = below > -0.1
    made = np.where(most, np.log1p(-np.exp(np.where(most, beyond, -1.0))), below)
    return np.where(a < b, share(z, scale, inside, made, -np.inf, 0.0, first=a), np.nan)
