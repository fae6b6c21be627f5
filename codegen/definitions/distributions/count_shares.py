"""Shares of the ints up to one, and beyond one; logarithms that have no way of their own are made of both
(`composed.py`)."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.distributions import masses
from codegen.definitions.distributions.shares import log1mexp
from codegen.definitions.special import numbers
from codegen.definitions.special_functions.incomplete_beta import share_of_beta
from codegen.definitions.special_functions.incomplete_gamma import share_of_gamma
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
    first = log_mass(np.float64(0.0))
    made = np.where(z >= last, 1.0, np.zeros_like(z + last + first))
    places = np.minimum(z, last - 1.0)
    most, k = np.max(np.where(places >= 0.0, places, -1.0), initial=-1.0), np.float64(0.0)
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


def ends(is_above, is_log):
    """The share of a place before all, and of one behind all."""
    none, every = (-np.inf, 0.0) if is_log else (0.0, 1.0)
    return (every, none) if is_above else (none, every)


def of_poisson(is_above, is_log):
    first, last = ends(is_above, is_log)

    def placed(k, mu, loc=0):
        z, mu = np.floor(numbers(k) - loc), numbers(mu)
        made = share_of_gamma(np.maximum(z, 0.0) + 1.0, mu, not is_above, True, is_log)
        made = np.where(z >= 0, np.where(z == np.inf, last, made), first)
        return np.where((mu >= 0) & ~np.isnan(z), made, np.nan)

    return placed


def of_binom(is_above, is_log):
    first, last = ends(is_above, is_log)

    def placed(k, n, p, loc=0):
        z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
        inside = (z >= 0) & (z < n)
        hits = np.where(inside, z, 0.0) + 1.0
        misses = np.where(inside, n - z, 1.0)
        a, b, x, y = (hits, misses, p, 1.0 - p) if is_above else (misses, hits, 1.0 - p, p)
        made = np.where(inside, share_of_beta(a, b, x, y, True, True, is_log), np.where(z < 0, first, last))
        is_one = (n >= 0) & (np.floor(n) == n) & (p >= 0) & (p <= 1) & ~np.isnan(z)
        return np.where(is_one, made, np.nan)

    return placed


def of_nbinom(is_above, is_log):
    first, _ = ends(is_above, is_log)

    def placed(k, n, p, loc=0):
        z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
        misses = np.maximum(z, 0.0) + 1.0
        a, b, x, y = (misses, n, 1.0 - p, p) if is_above else (n, misses, p, 1.0 - p)
        made = np.where(z >= 0, share_of_beta(a, b, x, y, is_above, not is_above, is_log), first)
        return np.where((n > 0) & (p > 0) & (p <= 1) & ~np.isnan(z), made, np.nan)

    return placed


for _name, _share in (("poisson", of_poisson), ("binom", of_binom), ("nbinom", of_nbinom)):
    for _kind, _is_above in (("cdf", False), ("sf", True)):
        for _log, _is_log in (("", False), ("log", True)):
            stands_for(f"scipy.stats.{_name}.{_log}{_kind}")(_share(_is_above, _is_log))


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


@stands_for("scipy.stats.betabinom.sf")
def betabinom_sf(k, n, a, b, loc=0):
    return share_after(lambda hits: masses.betabinom(hits, n, a, b), np.floor(numbers(k) - loc), numbers(n))


@stands_for("scipy.stats.hypergeom.sf")
def hypergeom_sf(k, M, n, N, loc=0):
    last = np.minimum(numbers(n), N)
    return share_after(lambda hits: masses.hypergeom(hits, M, n, N), np.floor(numbers(k) - loc), last)


def share_after(log_mass, z, last):
    """All masses beyond z; below 0 all there are."""
    first = log_mass(np.float64(0.0))
    places = np.where(np.isnan(z), last, np.maximum(z, -1.0))
    made = np.where(z < 0.0, 1.0, share_beyond(log_mass, places, last))
    return np.where(np.isnan(first) | np.isnan(z), np.nan, made)
