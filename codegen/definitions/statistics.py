"""Densities of scipy.stats, by SciPy's own formulas: of numbers outside the support -inf, of parameters without a
distribution NaN. Where a number does not count, the formula has another in its place, so that slopes are finite."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gammaln, i0e, log_ndtr, xlog1py, xlogy

from codegen.definitions.special import (
    log_beta,
    multigammaln,
    numbers,
    polynomial,
    rest_of_stirling,
    size_of,
)
from codegen.definitions.table import refused, stands_for
from codegen.runtime.linear_algebra.systems import solved_lower


def log_density(z, scale, inside, valid, formula):
    """The logarithm of a density at (x - loc) / scale, where there is one."""
    chosen = np.where(inside, formula - np.log(np.where(scale > 0, scale, 1.0)), -np.inf)
    return np.where(valid & (scale > 0) & ~np.isnan(z), chosen, np.nan)


def log_mass(k, inside, valid, formula):
    return np.where(valid & ~np.isnan(k), np.where(inside & (np.floor(k) == k), formula, -np.inf), np.nan)


@stands_for("scipy.stats.norm.logpdf")
def norm(x, loc=0, scale=1):
    x, loc, scale = np.asarray(x), np.asarray(loc), np.asarray(scale)
    z = ((x - loc) / scale).astype(np.float64)
    positive = scale > 0
    log_density = -(z**2) / 2.0 - 0.9189385332046727 - np.log(np.where(positive, scale, 1))
    return np.where(positive, log_density, np.nan)


def at_place(standard):
    """A density with a place and a scale, of where the standard one is more than 0, and its logarithm there."""

    def placed(x, loc=0, scale=1):
        z = (numbers(x) - loc) / scale
        inside, formula = standard(z)
        return log_density(z, numbers(scale), inside, True, formula)

    return placed


def logistic(z):
    size = -size_of(z)
    return True, size - 2.0 * np.log1p(np.exp(size))


def log_of_hypot(z):
    """log(1 + z^2), also where the square is infinite."""
    large = np.abs(z) > 1e150
    return np.where(
        large, 2.0 * np.log(np.where(large, size_of(z), 1.0)), np.log1p(np.where(large, 1.0, z) ** 2)
    )


for _name, _standard in {
    "expon": lambda z: (z >= 0, -z),
    "uniform": lambda z: ((z >= 0) & (z <= 1), 0.0 * z),
    "laplace": lambda z: (True, np.log(0.5) - np.abs(z)),
    "logistic": logistic,
    "cauchy": lambda z: (True, -np.log(np.pi) - log_of_hypot(z)),
    "halfnorm": lambda z: (z >= 0, 0.5 * np.log(2.0 / np.pi) - z * z / 2.0),
    "halfcauchy": lambda z: (z >= 0, np.log(2.0 / np.pi) - np.log1p(z * z)),
}.items():
    stands_for(f"scipy.stats.{_name}.logpdf")(at_place(_standard))


@stands_for("scipy.stats.t.logpdf")
def student_t(x, df, loc=0, scale=1):
    """Of infinitely many degrees of freedom the normal density."""
    z, df = (numbers(x) - loc) / scale, numbers(df)
    finite = (df > 0) & (df < np.inf)
    r = np.where(finite, df, 1.0)
    of_t = of_freedom(r) - (r + 1) / 2 * np.log1p(z * z / r)
    formula = np.where(finite, of_t, -(z**2) / 2.0 - 0.9189385332046727)
    return log_density(z, numbers(scale), True, df > 0, formula)


def of_freedom(r):
    """log of Gamma((r + 1) / 2) / (Gamma(r / 2) sqrt(pi r)), of large r by its series, as both logarithms are large."""
    small, large = np.minimum(r, 200.0), np.maximum(r, 200.0)
    near = gammaln((small + 1) / 2) - gammaln(small / 2) - 0.5 * np.log(small * np.pi)
    u = 1.0 / large
    far = -0.9189385332046727 - u * (0.25 - u * u * (1.0 / 24.0 - u * u * 0.05))
    return np.where(r < 200.0, near, far)


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
    misses, mean = tries - hits, tries * chance
    ways = -np.log(tries + 1.0) - log_beta(misses + 1.0, hits + 1.0)
    made = ways + xlogy(hits, chance) + xlog1py(misses, -chance)
    many = (hits >= 10.0) & (misses >= 10.0) & (chance > 0.0) & (chance < 1.0)
    return log_mass(k, inside, valid, np.where(many, of_many_tries(hits, misses, mean, many), made))


def of_many_tries(hits, misses, mean, many):
    """log of a binomial mass by Stirling's formula and how far it is from the largest, in which nothing cancels (Loader
    2000, Fast and accurate computation of binomial probabilities)."""
    hits, misses, mean = np.where(many, hits, 10.0), np.where(many, misses, 10.0), np.where(many, mean, 10.0)
    tries, away = hits + misses, hits - mean
    rest = rest_of_stirling(tries) - rest_of_stirling(hits) - rest_of_stirling(misses)
    far = deviance(hits, mean, away) + deviance(misses, tries - mean, -away)
    return rest - far - 0.5 * np.log(2.0 * np.pi * hits * (misses / tries))


def deviance(x, mean, away):
    """x log(x / mean) - away, of x = mean + away."""
    v = away / (x + mean)
    near = np.abs(v) < 0.1
    u = np.where(near, v, 0.0)
    series = away * u + 2.0 * x * u * polynomial(OF_ATANH, u * u) * u * u
    return np.where(near, series, x * np.log(x / np.where(near, x, mean)) - away)


OF_ATANH = tuple(1.0 / (2 * j + 1) for j in range(9, 0, -1))


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


@stands_for("scipy.stats.f.logpdf")
def fisher(x, dfn, dfd, loc=0, scale=1):
    z, n, m = (numbers(x) - loc) / scale, numbers(dfn), numbers(dfd)
    inside, valid = z >= 0, (n > 0) & (m > 0)
    y, p, q = np.where(inside, z, 1.0), np.where(valid, n, 1.0), np.where(valid, m, 1.0)
    formula = q / 2 * np.log(q) + p / 2 * np.log(p) + xlogy(p / 2 - 1, y)
    formula = formula - ((p + q) / 2 * np.log(q + p * y) + log_beta(p / 2, q / 2))
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.skewnorm.logpdf")
def skewnorm(x, a, loc=0, scale=1):
    z, a = (numbers(x) - loc) / scale, numbers(a)
    finite = np.where(np.isinf(z), 0.0, z)
    formula = np.log(2.0) - z * z / 2.0 - 0.9189385332046727 + log_ndtr(a * finite)
    return log_density(z, numbers(scale), True, np.isfinite(a), formula)


@stands_for("scipy.stats.vonmises.logpdf")
def vonmises(x, kappa, loc=0, scale=1):
    z, kappa = (numbers(x) - loc) / scale, numbers(kappa)
    valid = kappa >= 0
    size = np.where(valid, kappa, 0.0)
    formula = size * (np.cos(z) - 1.0) - np.log(2.0 * np.pi) - np.log(i0e(size))
    return log_density(z, numbers(scale), True, valid, formula)


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


@stands_for("scipy.stats.dirichlet.logpdf")
def dirichlet(x, alpha):
    """Of one point, whose last share may be left out."""
    x, alpha = numbers(x), numbers(alpha)
    if alpha.ndim != 1 or x.ndim != 1:
        refused("dirichlet.logpdf takes one point: of more, call it in a loop or a batch")
    if np.any(alpha <= 0):
        raise ValueError("All parameters must be greater than 0")
    if np.any(x < 0):
        raise ValueError("Each entry in 'x' must be greater than or equal to zero.")
    if np.any(x > 1):
        raise ValueError("Each entry in 'x' must be smaller or equal one.")
    shares = x if len(x) == len(alpha) else np.append(x, 1.0 - np.sum(x))
    if len(shares) != len(alpha):
        raise ValueError(
            "Vector 'x' must have either the same number of entries as, or one entry fewer than, 'a'"
        )
    if np.any((shares == 0) & (alpha < 1)):
        raise ValueError("Each entry in 'x' must be greater than zero if its alpha is less than one.")
    if np.abs(np.sum(shares) - 1.0) > 1e-9:
        raise ValueError(
            f"The input vector 'x' must lie within the normal simplex. but np.sum(x, 0) = {np.sum(shares)}."
        )
    return np.sum(xlogy(alpha - 1.0, shares)) - (np.sum(gammaln(alpha)) - gammaln(np.sum(alpha)))


@stands_for("scipy.stats.multinomial.logpmf")
def multinomial(x, n, p):
    """Of one table of counts."""
    x, p = numbers(x), numbers(p)
    if x.ndim != 1 or p.ndim != 1:
        refused("multinomial.logpmf takes one vector of counts: of more, call it in a loop or a batch")
    if np.any((p < 0) | (p > 1)) or n < 0:
        return np.nan
    if np.sum(x) != n or np.any(x < 0) or np.any(np.floor(x) != x):
        return -np.inf
    return gammaln(n + 1.0) + np.sum(xlogy(x, p) - gammaln(x + 1.0))


@stands_for("scipy.stats.multivariate_normal.logpdf")
def multivariate_normal(x, mean=None, cov=1, allow_singular=False):
    """Of points along the last axis; the covariance is positive definite, unless it may be singular."""
    x = numbers(x)
    if np.ndim(cov) == 0 and (mean is None or np.ndim(mean) == 0):
        x = x[..., None]
    cov = covariance(mean, cov)
    away = x if mean is None else x - numbers(mean)
    if allow_singular:
        return singular_normal(away, cov)
    factor = np.linalg.cholesky(cov)
    points = away.T if away.ndim < 3 else away.reshape((away.size // max(len(cov), 1), len(cov))).T
    z = solved_lower(factor, points)
    size = np.sum(z * z, 0)
    size = size if away.ndim < 3 else size.reshape(away.shape[: away.ndim - 1])
    return -0.5 * (len(cov) * np.log(2.0 * np.pi) + size) - np.sum(np.log(np.diag(factor)))


def covariance(mean, cov):
    """A matrix, also of variances, or of one that all have."""
    cov = numbers(cov)
    if cov.ndim == 0:
        return cov * np.eye(1 if mean is None else np.size(mean))
    if cov.ndim > 2:
        refused("multivariate_normal takes a matrix as covariance")
    return np.diag(cov) if cov.ndim == 1 else cov


def singular_normal(away, cov):
    """Along the eigenvectors whose variances are more than nothing; beyond their span there is no density."""
    variances, axes = np.linalg.eigh(cov)
    least = 2.220446049250313e-10 * np.max(np.abs(variances))
    if np.min(variances) < -least:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    kept = variances > least
    scale, z = np.where(kept, variances, 1.0), away @ axes
    made = -0.5 * (np.sum(kept) * np.log(2.0 * np.pi) + np.sum(np.log(scale)))
    made = made - 0.5 * np.sum(np.where(kept, z * z / scale, 0.0), -1)
    beyond = np.sum(np.where(kept, 0.0, z * z), -1)
    return np.where(beyond < (1e3 * least) ** 2, made, -np.inf)


@stands_for("scipy.stats.multivariate_normal.entropy")
def entropy(mean=None, cov=1):
    cov = covariance(mean, cov)
    return 0.5 * len(cov) * (np.log(2.0 * np.pi) + 1.0) + np.sum(np.log(np.diag(np.linalg.cholesky(cov))))


@stands_for("scipy.stats.wishart.logpdf")
def wishart(x, df, scale):
    """Of one matrix; the scale is positive definite."""
    x, scale, df = numbers(x), numbers(scale), numbers(df)
    if x.ndim != 2 or scale.ndim != 2:
        refused("wishart.logpdf takes one matrix, and a matrix as scale")
    p = len(scale)
    if df <= p - 1:
        raise ValueError("Degrees of freedom must be greater than the dimension of scale matrix minus 1.")
    factor = np.linalg.cholesky(scale)
    of_scale = 2.0 * np.sum(np.log(np.diag(factor)))
    root = np.linalg.cholesky(x)
    z = solved_lower(factor, root)
    of_x, size = 2.0 * np.sum(np.log(np.diag(root))), np.sum(z * z)
    norming = 0.5 * df * (p * np.log(2.0) + of_scale) + multigammaln(0.5 * df, p)
    return 0.5 * (df - p - 1.0) * of_x - 0.5 * size - norming
