"""Logarithms of the masses of ints."""

# mypy: disable-error-code="no-untyped-def"

import math
from fractions import Fraction

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from codegen.definitions.special import log_beta, numbers, polynomial, rest_of_stirling
from codegen.definitions.table import is_known, stands_for
from codegen.primitives.row import lowers
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
    k, p = numbers(k) - loc, numbers(p)
    inside, valid = (k == 1) & (p > 0) | (k == 0) & (p < 1), (p >= 0) & (p <= 1)
    chance = np.where(inside & valid, p, 0.5)
    return log_mass(k, inside, valid, np.where(k == 1, np.log(chance), np.log1p(-chance)))


@stands_for("scipy.stats.bernoulli.pmf")
def bernoulli_mass(k, p, loc=0):
    k, p = numbers(k) - loc, numbers(p)
    return log_mass(k, (k == 0) | (k == 1), (p >= 0) & (p <= 1), np.where(k == 1, p, 1.0 - p), 0.0)


@stands_for("scipy.stats.binom.logpmf")
def binom(k, n, p, loc=0):
    k, n, p = numbers(k) - loc, numbers(n), numbers(p)
    valid = (n >= 0) & (n < np.inf) & (np.floor(n) == n) & (p >= 0) & (p <= 1)
    inside = (k >= 0) & (k <= n) & ((p > 0) | (k == 0)) & ((p < 1) | (k == n))
    hits, tries = np.where(inside, k, 0.0), np.where(valid & inside, n, 0.0)
    return log_mass(k, inside, valid, of_tries(hits, tries - hits, np.where(valid & inside, p, 0.5)))


def of_tries(hits, misses, chance):
    """log of choose(hits + misses, hits) chance^hits (1 - chance)^misses, of any numbers that are not below 0."""
    made = ways_of(hits, misses) + xlogy(hits, chance) + xlog1py(misses, -chance)
    return of_few_or_many(hits, misses, chance, 1.0 - chance, made)


def of_parts(hits, misses, chance, rest):
    """The same where a chance is given with its rest, each of which is exact and more than 0."""
    low = chance < rest
    less = np.where(low, chance, rest)
    of_less, of_more = np.log(less), np.log1p(-less)
    made = hits * np.where(low, of_less, of_more) + misses * np.where(low, of_more, of_less)
    return of_few_or_many(hits, misses, chance, rest, made + ways_of(hits, misses))


def ways_of(hits, misses):
    ways = -np.log(hits + misses + 1.0) - log_beta(misses + 1.0, hits + 1.0)
    return np.where((hits == 0) | (misses == 0), with_slope(np.zeros_like(ways), ways), ways)


def of_few_or_many(hits, misses, chance, rest, of_few):
    many = (hits >= 10.0) & (misses >= 10.0) & (chance > 0.0) & (rest > 0.0)
    return np.where(many, of_many_tries(hits, misses, chance, rest, many), of_few)


@stands_for("scipy.stats.binom.pmf")
def binom_mass(k, n, p, loc=0):
    made, hits, tries, chance = np.exp(binom(k, n, p, loc)), numbers(k) - loc, numbers(n), numbers(p)
    made = beside_none(made, (chance == 0) & (hits == 1), tries * chance)
    return beside_none(made, (chance == 1) & (tries - hits == 1), tries * (1.0 - chance))


def of_many_tries(hits, misses, chance, rest, many):
    """By Stirling's formula and how far it is from the largest, in which nothing cancels (Loader 2000, Fast and
    accurate computation of binomial probabilities)."""
    hits, misses = np.where(many, hits, 10.0), np.where(many, misses, 10.0)
    tries = hits + misses
    mean, other = tries * np.where(many, chance, 0.5), tries * np.where(many, rest, 0.5)
    away = np.where(mean < other, hits - mean, other - misses)
    left = rest_of_stirling(tries) - rest_of_stirling(hits) - rest_of_stirling(misses)
    far = deviance(hits, mean, away) + deviance(misses, other, -away)
    return left - far - 0.5 * np.log(2.0 * np.pi * hits * (misses / tries))


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
    return log_mass(k, inside, valid, of_unsure_chance(hits, tries - hits, p, q))


def of_unsure_chance(hits, misses, p, q):
    """Tries whose chance is a beta variable: of large p and q about those of its mean, of more hits and misses about
    its density at their share, with what gamma functions leave, which would cancel."""
    made = ways_of(hits, misses) + log_beta(hits + p, misses + q) - log_beta(p, q)
    sharp = (p >= 10.0) & (q >= 10.0)
    many = (hits >= 10.0) & (misses >= 10.0) & (~sharp | (hits + misses > p + q))
    sure = sharp & ~many
    u, v = np.where(sure, p, 10.0), np.where(sure, q, 10.0)
    near = of_parts(hits, misses, u / (u + v), v / (u + v)) + step_of_beta(u, v, hits, misses)
    u, v = np.where(many, hits, 10.0) + 1.0, np.where(many, misses, 10.0) + 1.0
    far = log_of_beta(u / (u + v), v / (u + v), p, q, sharp) + step_of_beta(u, v, p - 1.0, q - 1.0)
    return np.where(sure, near, np.where(many, far - np.log(u + v - 1.0), made))


def log_of_beta(x, rest, p, q, large):
    """The logarithm of a beta variable's density at x, and of what x leaves of 1."""
    made = (p - 1.0) * np.log(x) + (q - 1.0) * np.log(rest) - log_beta(p, q)
    u, v = np.where(large, p, 10.0), np.where(large, q, 10.0)
    return np.where(large, of_parts(u - 1.0, v - 1.0, x, rest) + np.log(u + v - 1.0), made)


def step_of_beta(x, y, u, v):
    """log of beta(x + u, y + v) / beta(x, y), less u log(x / (x + y)) and v log(y / (x + y)), of x and y of 10 and
    more."""
    return step_of_gamma(x, u) + step_of_gamma(y, v) - step_of_gamma(x + y, u + v)


def step_of_gamma(x, u):
    """log of gamma(x + u) / gamma(x), less u log(x), by Stirling's formula."""
    return (x + u - 0.5) * np.log1p(u / x) - u + rest_of_stirling(x + u) - rest_of_stirling(x)


@stands_for("scipy.stats.hypergeom.logpmf")
def hypergeom(k, M, n, N, loc=0):
    """k of the n good ones of M in all, where N are drawn: good ones by chance, and others, given how many are drawn
    (Loader 2000)."""
    counted = np.asarray(k)
    k, all_, good, drawn = numbers(k) - loc, numbers(M), numbers(n), numbers(N)
    valid = (all_ > 0) & (good >= 0) & (drawn >= 0) & (good <= all_) & (drawn <= all_)
    valid = valid & (np.floor(all_) == all_) & (np.floor(good) == good) & (np.floor(drawn) == drawn)
    inside = (k >= np.maximum(drawn - (all_ - good), 0.0)) & (k <= np.minimum(good, drawn))
    # Apart from k: all of known parameters alone is known.
    m, g, d = np.where(valid, all_, 1.0), np.where(valid, good, 1.0), np.where(valid, drawn, 1.0)
    h = np.where(inside & valid, k, np.minimum(g, d))
    is_known_urn = is_known(M) and is_known(n) and is_known(N) and 0 <= n <= M <= 64 and 0 < N <= M
    if (
        is_known_urn
        and int(M) == M
        and int(n) == n
        and int(N) == N
        and counted.dtype.kind in "iu"
        and np.ndim(h)
    ):
        made = of_known_draws(M, n, N)[(h - max(N - (M - n), 0)).astype(np.int64)]
    else:
        made = of_draws(h, m, g, d)
    return log_mass(k, inside, valid, made)


def of_draws(h, m, g, d):
    chance, rest = np.where((d > 0.0) & (d < m), d / m, 0.5), np.where((d > 0.0) & (d < m), (m - d) / m, 0.5)
    formula = of_parts(h, g - h, chance, rest) + of_parts(d - h, m - g - d + h, chance, rest)
    return formula - of_parts(d, m - d, chance, rest)


def of_known_draws(M, n, N):
    """The same of all hits that there may be, exact; of numbers that are known while the program is made."""
    M, n, N = int(M), int(n), int(N)
    hits = range(max(N - (M - n), 0), min(n, N) + 1)
    chances = [Fraction(math.comb(n, h) * math.comb(M - n, N - h), math.comb(M, N)) for h in hits]
    return np.array([math.log(c) if c < 0.5 else math.log1p(-float(1 - c)) for c in chances])


@lowers(of_known_draws)
def lower_known_draws(b, M, n, N):
    return b.apply("stack", *of_known_draws(M, n, N).tolist())
