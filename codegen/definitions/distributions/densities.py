"""Logarithms of densities, by SciPy's own formulas."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gammaln, i0e, log_ndtr, xlog1py, xlogy

from codegen.definitions.special import log_beta, numbers, size_of
from codegen.definitions.table import stands_for


def log_density(z, scale, inside, valid, formula):
    """The logarithm of a density at (x - loc) / scale, where there is one."""
    chosen = np.where(inside, formula - np.log(np.where(scale > 0, scale, 1.0)), -np.inf)
    return np.where(valid & (scale > 0) & ~np.isnan(z), chosen, np.nan)


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
