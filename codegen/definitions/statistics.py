"""Densities of scipy.stats, by SciPy's own formulas: of numbers outside the support -inf, of parameters without a
distribution NaN. Where a number does not count, the formula has another in its place, so that slopes are finite."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from codegen.definitions.table import stands_for


def numbers(x):
    return np.asarray(x).astype(np.float64)


def log_density(z, scale, inside, valid, formula):
    """The logarithm of a density at (x - loc) / scale, where there is one."""
    chosen = np.where(inside, formula - np.log(np.where(scale > 0, scale, 1.0)), -np.inf)
    return np.where(valid & (scale > 0) & ~np.isnan(z), chosen, np.nan)


def log_mass(k, inside, valid, formula):
    return np.where(valid & ~np.isnan(k), np.where(inside & (np.floor(k) == k), formula, -np.inf), np.nan)


@stands_for("scipy.stats.norm.logpdf")
def logpdf(x, loc=0, scale=1):
    x, loc, scale = np.asarray(x), np.asarray(loc), np.asarray(scale)
    z = ((x - loc) / scale).astype(np.float64)
    positive = scale > 0
    log_density = -(z**2) / 2.0 - 0.9189385332046727 - np.log(np.where(positive, scale, 1))
    return np.where(positive, log_density, np.nan)


@stands_for("scipy.stats.expon.logpdf")
def expon(x, loc=0, scale=1):
    z = (numbers(x) - loc) / scale
    return log_density(z, numbers(scale), z >= 0, True, -z)


@stands_for("scipy.stats.uniform.logpdf")
def uniform(x, loc=0, scale=1):
    z = (numbers(x) - loc) / scale
    return log_density(z, numbers(scale), (z >= 0) & (z <= 1), True, 0.0 * z)


@stands_for("scipy.stats.laplace.logpdf")
def laplace(x, loc=0, scale=1):
    z = (numbers(x) - loc) / scale
    return log_density(z, numbers(scale), True, True, np.log(0.5) - np.abs(z))


@stands_for("scipy.stats.logistic.logpdf")
def logistic(x, loc=0, scale=1):
    z = (numbers(x) - loc) / scale
    size = -np.abs(z)
    return log_density(z, numbers(scale), True, True, size - 2.0 * np.log1p(np.exp(size)))


@stands_for("scipy.stats.cauchy.logpdf")
def cauchy(x, loc=0, scale=1):
    z = (numbers(x) - loc) / scale
    return log_density(z, numbers(scale), True, True, -np.log(np.pi) - np.log1p(z * z))


@stands_for("scipy.stats.halfnorm.logpdf")
def halfnorm(x, loc=0, scale=1):
    z = (numbers(x) - loc) / scale
    return log_density(z, numbers(scale), z >= 0, True, 0.5 * np.log(2.0 / np.pi) - z * z / 2.0)


@stands_for("scipy.stats.halfcauchy.logpdf")
def halfcauchy(x, loc=0, scale=1):
    z = (numbers(x) - loc) / scale
    return log_density(z, numbers(scale), z >= 0, True, np.log(2.0 / np.pi) - np.log1p(z * z))


@stands_for("scipy.stats.t.logpdf")
def student_t(x, df, loc=0, scale=1):
    """Of infinitely many degrees of freedom the normal density."""
    z, df = (numbers(x) - loc) / scale, numbers(df)
    finite = (df > 0) & (df < np.inf)
    r = np.where(finite, df, 1.0)
    of_t = (
        gammaln((r + 1) / 2) - gammaln(r / 2) - (0.5 * np.log(r * np.pi) + (r + 1) / 2 * np.log1p(z * z / r))
    )
    formula = np.where(finite, of_t, -(z**2) / 2.0 - 0.9189385332046727)
    return log_density(z, numbers(scale), True, df > 0, formula)


@stands_for("scipy.stats.gamma.logpdf")
def gamma(x, a, loc=0, scale=1):
    z, a = (numbers(x) - loc) / scale, numbers(a)
    inside, valid = z >= 0, a > 0
    y, shape = np.where(inside, z, 1.0), np.where(valid, a, 1.0)
    return log_density(z, numbers(scale), inside, valid, xlogy(shape - 1.0, y) - y - gammaln(shape))


@stands_for("scipy.stats.chi2.logpdf")
def chi2(x, df, loc=0, scale=1):
    z, df = (numbers(x) - loc) / scale, numbers(df)
    inside, valid = z >= 0, df > 0
    y, half = np.where(inside, z, 1.0), np.where(valid, df, 2.0) / 2.0
    formula = xlogy(half - 1.0, y) - y / 2.0 - gammaln(half) - np.log(2.0) * half
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.invgamma.logpdf")
def invgamma(x, a, loc=0, scale=1):
    z, a = (numbers(x) - loc) / scale, numbers(a)
    inside, valid = z > 0, a > 0
    y, shape = np.where(inside, z, 1.0), np.where(valid, a, 1.0)
    formula = -(shape + 1.0) * np.log(y) - gammaln(shape) - 1.0 / y
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.beta.logpdf")
def beta(x, a, b, loc=0, scale=1):
    z, a, b = (numbers(x) - loc) / scale, numbers(a), numbers(b)
    inside, valid = (z >= 0) & (z <= 1), (a > 0) & (b > 0)
    y = np.where(inside, z, 0.5)
    p, q = np.where(valid, a, 1.0), np.where(valid, b, 1.0)
    formula = xlog1py(q - 1.0, -y) + xlogy(p - 1.0, y) - (gammaln(p) + gammaln(q) - gammaln(p + q))
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.lognorm.logpdf")
def lognorm(x, s, loc=0, scale=1):
    z, s = (numbers(x) - loc) / scale, numbers(s)
    inside, valid = z > 0, s > 0
    y, spread = np.log(np.where(inside, z, 1.0)), np.where(valid, s, 1.0)
    formula = -(y**2) / (2.0 * spread**2) - np.log(spread) - y - 0.9189385332046727
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.pareto.logpdf")
def pareto(x, b, loc=0, scale=1):
    z, b = (numbers(x) - loc) / scale, numbers(b)
    inside, valid = z >= 1, b > 0
    slope = np.where(valid, b, 1.0)
    formula = np.log(slope) - (slope + 1.0) * np.log(np.where(inside, z, 1.0))
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.weibull_min.logpdf")
def weibull_min(x, c, loc=0, scale=1):
    z, c = (numbers(x) - loc) / scale, numbers(c)
    inside, valid = z >= 0, c > 0
    y, shape = np.where(inside, z, 1.0), np.where(valid, c, 1.0)
    return log_density(z, numbers(scale), inside, valid, np.log(shape) + xlogy(shape - 1.0, y) - y**shape)


@stands_for("scipy.stats.poisson.logpmf")
def poisson(k, mu, loc=0):
    k, mu = numbers(k) - loc, numbers(mu)
    inside, valid = k >= 0, mu >= 0
    n, mean = np.where(inside, k, 0.0), np.where(valid, mu, 1.0)
    return log_mass(k, inside, valid, xlogy(n, mean) - gammaln(n + 1.0) - mean)


@stands_for("scipy.stats.bernoulli.logpmf")
def bernoulli(k, p, loc=0):
    return binom(k, 1, p, loc)


@stands_for("scipy.stats.binom.logpmf")
def binom(k, n, p, loc=0):
    k, n, p = numbers(k) - loc, numbers(n), numbers(p)
    inside, valid = (k >= 0) & (k <= n), (n >= 0) & (np.floor(n) == n) & (p >= 0) & (p <= 1)
    hits, tries, chance = np.where(inside, k, 0.0), np.where(valid & inside, n, 0.0), np.where(valid, p, 0.5)
    ways = gammaln(tries + 1.0) - (gammaln(hits + 1.0) + gammaln(tries - hits + 1.0))
    return log_mass(k, inside, valid, ways + xlogy(hits, chance) + xlog1py(tries - hits, -chance))


@stands_for("scipy.stats.geom.logpmf")
def geom(k, p, loc=0):
    k, p = numbers(k) - loc, numbers(p)
    inside, valid = k >= 1, (p > 0) & (p <= 1)
    chance = np.where(valid, p, 0.5)
    return log_mass(k, inside, valid, xlog1py(np.where(inside, k, 1.0) - 1.0, -chance) + np.log(chance))


@stands_for("scipy.stats.nbinom.logpmf")
def nbinom(k, n, p, loc=0):
    k, n, p = numbers(k) - loc, numbers(n), numbers(p)
    inside, valid = k >= 0, (n > 0) & (p > 0) & (p <= 1)
    fails, wanted, chance = np.where(inside, k, 0.0), np.where(valid, n, 1.0), np.where(valid, p, 0.5)
    ways = gammaln(wanted + fails) - gammaln(fails + 1.0) - gammaln(wanted)
    return log_mass(k, inside, valid, ways + wanted * np.log(chance) + xlog1py(fails, -chance))
