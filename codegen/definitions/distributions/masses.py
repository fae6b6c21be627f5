"""Logarithms of the masses of ints."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from codegen.definitions.special import log_beta, numbers, polynomial, rest_of_stirling
from codegen.definitions.table import stands_for
from codegen.primitives.shape import with_slope

OF_ATANH = tuple(1.0 / (2 * j + 1) for j in range(9, 0, -1))


def log_mass(k, inside, valid, formula, elsewhere=-np.inf):
    return np.where(valid & ~np.isnan(k), np.where(inside & (np.floor(k) == k), formula, elsewhere), np.nan)


@stands_for("scipy.stats.poisson.logpmf")
def poisson(k, mu, loc=0):
    k, mu = numbers(k) - loc, numbers(mu)
    inside, valid = (k >= 0) & (k < np.inf) & ((mu > 0) | (k == 0)), mu >= 0
    n, mean = np.where(inside, k, 0.0), np.where(inside & valid, mu, 1.0)
    far = np.where((k == np.inf) & (mu >= 1), np.nan, -np.inf)  # as SciPy has it
    return log_mass(k, inside, valid, xlogy(n, mean) - gammaln(n + 1.0) - mean, far)


@stands_for("scipy.stats.poisson.pmf")
def poisson_mass(k, mu, loc=0):
    made = np.exp(poisson(k, mu, loc))
    return beside_none(made, (numbers(mu) == 0) & (numbers(k) - loc == 1), numbers(mu))


def beside_none(made, is_first, linear):
    """A mass that is 0 of a parameter at its end, and beside that linear, which its logarithm does not show."""
    return np.where((made == 0) & is_first, linear, made)


@stands_for("scipy.stats.bernoulli.logpmf")
def bernoulli(k, p, loc=0):
    return binom(k, 1, p, loc)


@stands_for("scipy.stats.bernoulli.pmf")
def bernoulli_mass(k, p, loc=0):
    return binom_mass(k, 1, p, loc)


@stands_for("scipy.stats.binom.logpmf")
def binom(k, n, p, loc=0):
    k, n, p = numbers(k) - loc, numbers(n), numbers(p)
    valid = (n >= 0) & (n < np.inf) & (np.floor(n) == n) & (p >= 0) & (p <= 1)
    inside = (k >= 0) & (k <= n) & ((p > 0) | (k == 0)) & ((p < 1) | (k == n))
    hits, tries = np.where(inside, k, 0.0), np.where(valid & inside, n, 0.0)
    return log_mass(k, inside, valid, of_tries(hits, tries - hits, np.where(valid & inside, p, 0.5)))


def of_tries(hits, misses, chance):
    """log of choose(hits + misses, hits) chance^hits (1 - chance)^misses, of any numbers that are not below 0."""
    tries = hits + misses
    ways = -np.log(tries + 1.0) - log_beta(misses + 1.0, hits + 1.0)
    ways = np.where((hits == 0) | (misses == 0), with_slope(np.zeros_like(ways), ways), ways)
    made = ways + xlogy(hits, chance) + xlog1py(misses, -chance)
    many = (hits >= 10.0) & (misses >= 10.0) & (chance > 0.0) & (chance < 1.0)
    return np.where(many, of_many_tries(hits, misses, chance, many), made)


@stands_for("scipy.stats.binom.pmf")
def binom_mass(k, n, p, loc=0):
    made, hits, tries, chance = np.exp(binom(k, n, p, loc)), numbers(k) - loc, numbers(n), numbers(p)
    made = beside_none(made, (chance == 0) & (hits == 1), tries * chance)
    return beside_none(made, (chance == 1) & (tries - hits == 1), tries * (1.0 - chance))


def of_many_tries(hits, misses, chance, many):
    """By Stirling's formula and how far it is from the largest, in which nothing cancels (Loader 2000, Fast and
    accurate computation of binomial probabilities)."""
    hits, misses = np.where(many, hits, 10.0), np.where(many, misses, 10.0)
    chance = np.where(many, chance, 0.5)
    tries = hits + misses
    mean, other = tries * chance, tries * (1.0 - chance)
    away = np.where(chance < 0.5, hits - mean, other - misses)
    rest = rest_of_stirling(tries) - rest_of_stirling(hits) - rest_of_stirling(misses)
    far = deviance(hits, mean, away) + deviance(misses, other, -away)
    return rest - far - 0.5 * np.log(2.0 * np.pi * hits * (misses / tries))


def deviance(x, mean, away):
    """x log(x / mean) - away, of x = mean + away."""
    v = away / (x + mean)
    near = np.abs(v) < 0.1
    u = np.where(near, v, 0.0)
    series = away * u + 2.0 * x * u * polynomial(OF_ATANH, u * u) * u * u
    return np.where(near, series, x * np.log(x / np.where(near, x, mean)) - away)


@stands_for("scipy.stats.geom.logpmf")
def geom(k, p, loc=0):
    k, p = numbers(k) - loc, numbers(p)
    inside, valid = (k >= 1) & (k < np.inf) & ((p < 1) | (k == 1)), (p > 0) & (p <= 1)
    chance = np.where(valid & inside, p, 0.5)
    return log_mass(k, inside, valid, xlog1py(np.where(inside, k, 1.0) - 1.0, -chance) + np.log(chance))


@stands_for("scipy.stats.geom.pmf")
def geom_mass(k, p, loc=0):
    made, chance = np.exp(geom(k, p, loc)), numbers(p)
    return beside_none(made, (chance == 1) & (numbers(k) - loc == 2), 1.0 - chance)


@stands_for("scipy.stats.nbinom.logpmf")
def nbinom(k, n, p, loc=0):
    k, n, p = numbers(k) - loc, numbers(n), numbers(p)
    inside, valid = (k >= 0) & ((p < 1) | (k == 0)), (n > 0) & (p > 0) & (p <= 1)
    fails, wanted, chance = (
        np.where(inside, k, 0.0),
        np.where(valid, n, 1.0),
        np.where(valid & inside, p, 0.5),
    )
    formula = np.log(wanted / (wanted + fails)) + of_tries(wanted, fails, chance)
    return log_mass(k, inside, valid, formula, np.where(k == np.inf, np.nan, -np.inf))


@stands_for("scipy.stats.nbinom.pmf")
def nbinom_mass(k, n, p, loc=0):
    made, wanted, chance = np.exp(nbinom(k, n, p, loc)), numbers(n), numbers(p)
    return beside_none(made, (chance == 1) & (numbers(k) - loc == 1), wanted * (1.0 - chance))


@stands_for("scipy.stats.betabinom.logpmf")
def betabinom(k, n, a, b, loc=0):
    k, n, a, b = numbers(k) - loc, numbers(n), numbers(a), numbers(b)
    inside, valid = (k >= 0) & (k <= n), (n >= 0) & (np.floor(n) == n) & (a > 0) & (b > 0)
    hits, tries = np.where(inside, k, 0.0), np.where(valid & inside, n, 0.0)
    p, q = np.where(valid, a, 1.0), np.where(valid, b, 1.0)
    ways = -np.log(tries + 1.0) - log_beta(tries - hits + 1.0, hits + 1.0)
    return log_mass(k, inside, valid, ways + log_beta(hits + p, tries - hits + q) - log_beta(p, q))


@stands_for("scipy.stats.hypergeom.logpmf")
def hypergeom(k, M, n, N, loc=0):
    """k of the n good ones of M in all, where N are drawn."""
    k, all_, good, drawn = numbers(k) - loc, numbers(M), numbers(n), numbers(N)
    valid = (all_ > 0) & (good >= 0) & (drawn >= 0) & (good <= all_) & (drawn <= all_)
    valid = valid & (np.floor(all_) == all_) & (np.floor(good) == good) & (np.floor(drawn) == drawn)
    inside = (k >= np.maximum(drawn - (all_ - good), 0.0)) & (k <= np.minimum(good, drawn))
    whole = inside & valid
    m, g = np.where(whole, all_, 1.0), np.where(whole, good, 1.0)
    d, h = np.where(whole, drawn, 1.0), np.where(whole, k, 1.0)
    formula = np.log((m + 1) / (g + 1) / (m - g + 1)) + log_beta(m - d + 1, d + 1)
    formula = formula - log_beta(h + 1, g - h + 1) - log_beta(d - h + 1, m - g - d + h + 1)
    return log_mass(k, inside, valid, formula)
