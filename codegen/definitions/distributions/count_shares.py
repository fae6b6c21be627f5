"""Shares of the ints up to one, and beyond one; their logarithms are made of both (`composed.py`)."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.distributions import masses
from codegen.definitions.distributions.shares import log1mexp
from codegen.definitions.special import numbers
from codegen.definitions.special_functions.incomplete_beta import share_of_beta
from codegen.definitions.special_functions.incomplete_gamma import part_of_gamma
from codegen.definitions.table import stands_for


@stands_for("scipy.stats.bernoulli.cdf")
def bernoulli_cdf(k, p, loc=0):
    z, p = np.floor(numbers(k) - loc), numbers(p)
    made = np.where(z < 0, 0.0, np.where(z < 1, 1.0 - p, 1.0))
    return np.where((p >= 0) & (p <= 1) & ~np.isnan(z), made, np.nan)


@stands_for("scipy.stats.betabinom.cdf")
def betabinom_cdf(k, n, a, b, loc=0):
    return share_up_to(lambda hits: masses.betabinom(hits, n, a, b), np.floor(numbers(k) - loc), numbers(n))


@stands_for("scipy.stats.hypergeom.cdf")
def hypergeom_cdf(k, M, n, N, loc=0):
    last = np.minimum(numbers(n), N)
    return share_up_to(lambda hits: masses.hypergeom(hits, M, n, N), np.floor(numbers(k) - loc), last)


def share_up_to(log_mass, z, last):
    """The masses of the ints from 0 to z together; from the last on all there are."""
    first = log_mass(0.0)
    made = np.where(z >= last, 1.0, np.zeros_like(z + last + first))
    places = np.minimum(z, last - 1.0)
    most, k = np.max(np.where(places >= 0.0, places, -1.0), initial=-1.0), 0.0
    while k <= most:
        made = made + np.where((k <= z) & (z < last), np.exp(log_mass(k)), 0.0)
        k = k + 1.0
    return np.where(np.isnan(first) | np.isnan(z), np.nan, made)


@stands_for("scipy.stats.geom.cdf")
def geom_cdf(k, p, loc=0):
    """Of a chance of 1 only the first share has a slope."""
    z, p = np.floor(numbers(k) - loc), numbers(p)
    made = np.where(p < 1, -np.expm1(log_of_misses(z, p)), np.where(z == 1, p, 1.0))
    return of_first_hit(z, p, made, 0.0, 1.0)


@stands_for("scipy.stats.geom.logcdf")
def geom_logcdf(k, p, loc=0):
    z, p = np.floor(numbers(k) - loc), numbers(p)
    made = np.where(
        p < 1, log1mexp(log_of_misses(z, p)), np.where(z == 1, np.log(np.where(p > 0, p, 1.0)), 0.0)
    )
    return of_first_hit(z, p, made, -np.inf, 0.0)


def log_of_misses(z, p):
    """The logarithm of the chance that all of z tries miss."""
    inside, possible = (z >= 1) & (z < np.inf), (p > 0) & (p < 1) & ~np.isnan(z)
    return np.log1p(-np.where(possible, p, 0.5)) * np.where(inside, z, 1.0)


def of_first_hit(z, p, made, below, beyond):
    """A share as made of z tries, one or more."""
    inside, valid = (z >= 1) & (z < np.inf), (p > 0) & (p <= 1) & ~np.isnan(z)
    return np.where(valid, np.where(inside, made, np.where(z > 0, beyond, below)), np.nan)


@stands_for("scipy.stats.poisson.cdf")
def poisson_cdf(k, mu, loc=0):
    z, mu = np.floor(numbers(k) - loc), numbers(mu)
    made = np.where(z >= 0, part_of_gamma(np.maximum(z, 0.0) + 1.0, mu, True, True), 0.0)
    return np.where((mu >= 0) & ~np.isnan(z), np.where(z == np.inf, 1.0, made), np.nan)


@stands_for("scipy.stats.binom.cdf")
def binom_cdf(k, n, p, loc=0):
    z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
    inside = (z >= 0) & (z < n)
    z = np.where(inside, z, 0.0)
    made = np.where(inside, share_of_beta(np.where(n > z, n - z, 1.0), z + 1.0, 1.0 - p, p, True, True), 1.0)
    made = np.where(numbers(k) - loc < 0, 0.0, made)
    is_one = (n >= 0) & (np.floor(n) == n) & (p >= 0) & (p <= 1) & ~np.isnan(numbers(k))
    return np.where(is_one, made, np.nan)


@stands_for("scipy.stats.nbinom.cdf")
def nbinom_cdf(k, n, p, loc=0):
    z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
    made = np.where(z >= 0, share_of_beta(n, np.maximum(z, 0.0) + 1.0, p, 1.0 - p, False, True), 0.0)
    return np.where((n > 0) & (p > 0) & (p <= 1) & ~np.isnan(z), made, np.nan)


def share_beyond(log_mass, z, last):
    """The masses of the ints beyond z together, the smallest first; where there is no last one, none."""
    made, k = np.zeros_like(z + last), np.max(np.where(last < np.inf, last, -1.0), initial=-1.0)
    least = np.min(np.where(np.isnan(z), np.inf, z), initial=np.inf)
    while k > least:
        made = made + np.where((k > z) & (k <= last), np.exp(log_mass(k)), 0.0)
        k = k - 1.0
    return made


@stands_for("scipy.stats.bernoulli.sf")
def bernoulli_sf(k, p, loc=0):
    z, p = np.floor(numbers(k) - loc), numbers(p)
    made = np.where(z < 0, 1.0, np.where(z < 1, p, 0.0))
    return np.where((p >= 0) & (p <= 1) & ~np.isnan(z), made, np.nan)


@stands_for("scipy.stats.geom.sf")
def geom_sf(k, p, loc=0):
    z, p = np.floor(numbers(k) - loc), numbers(p)
    made = np.where(p < 1, np.exp(log_of_misses(z, p)), np.where(z == 1, 1.0 - p, 0.0))
    return of_first_hit(z, p, made, 1.0, 0.0)


@stands_for("scipy.stats.geom.logsf")
def geom_logsf(k, p, loc=0):
    z, p = np.floor(numbers(k) - loc), numbers(p)
    return of_first_hit(z, p, np.where((p < 1) | (z < 1), log_of_misses(z, p), -np.inf), 0.0, -np.inf)


@stands_for("scipy.stats.poisson.sf")
def poisson_sf(k, mu, loc=0):
    z, mu = np.floor(numbers(k) - loc), numbers(mu)
    made = np.where(z >= 0, part_of_gamma(np.maximum(z, 0.0) + 1.0, mu, False, True), 1.0)
    return np.where((mu >= 0) & ~np.isnan(z), np.where(z == np.inf, 0.0, made), np.nan)


@stands_for("scipy.stats.binom.sf")
def binom_sf(k, n, p, loc=0):
    z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
    inside = (z >= 0) & (z < n)
    hits = np.where(inside, z, 0.0)
    made = share_of_beta(hits + 1.0, np.where(n > hits, n - hits, 1.0), p, 1.0 - p, True, True)
    made = np.where(inside, made, np.where(z < 0, 1.0, 0.0))
    is_one = (n >= 0) & (np.floor(n) == n) & (p >= 0) & (p <= 1) & ~np.isnan(z)
    return np.where(is_one, made, np.nan)


@stands_for("scipy.stats.nbinom.sf")
def nbinom_sf(k, n, p, loc=0):
    z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
    made = np.where(z >= 0, share_of_beta(np.maximum(z, 0.0) + 1.0, n, 1.0 - p, p, True, False), 1.0)
    return np.where((n > 0) & (p > 0) & (p <= 1) & ~np.isnan(z), made, np.nan)


@stands_for("scipy.stats.betabinom.sf")
def betabinom_sf(k, n, a, b, loc=0):
    return share_after(lambda hits: masses.betabinom(hits, n, a, b), np.floor(numbers(k) - loc), numbers(n))


@stands_for("scipy.stats.hypergeom.sf")
def hypergeom_sf(k, M, n, N, loc=0):
    last = np.minimum(numbers(n), N)
    return share_after(lambda hits: masses.hypergeom(hits, M, n, N), np.floor(numbers(k) - loc), last)


def share_after(log_mass, z, last):
    """All masses beyond z; below 0 all there are."""
    first = log_mass(0.0)
    places = np.where(np.isnan(z), last, np.maximum(z, -1.0))
    made = np.where(z < 0.0, 1.0, share_beyond(log_mass, places, last))
    return np.where(np.isnan(first) | np.isnan(z), np.nan, made)
