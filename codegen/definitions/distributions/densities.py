"""Logarithms of densities, by SciPy's own formulas. One that is infinite, at an end of the support, has no slope: the
density's would be 0 times infinity."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gammaln, i0e, log_ndtr

from codegen.definitions.distributions.masses import of_parts
from codegen.definitions.special import HALF_LOG_TWO_PI, log_beta, numbers, size_of
from codegen.definitions.table import stands_for
from codegen.primitives.shape import with_partial, without_partial


def standardised(x, loc, scale):
    """(x - loc) / scale, which has no slope by the scale where it is infinite."""
    away, scale = numbers(x) - loc, numbers(scale)
    wide = np.broadcast_to(scale, (away + scale).shape)
    return with_partial(away / without_partial(wide), wide, slope_by_scale(away / scale, scale))


def slope_by_scale(z, scale):
    return -np.where(np.isinf(z), 0.0, z) / scale


def log_density(z, scale, inside, valid, formula, elsewhere=-np.inf):
    """The logarithm of a density at (x - loc) / scale, where there is one."""
    chosen = np.where(inside, formula - np.log(np.where(scale > 0, scale, 1.0)), elsewhere)
    return np.where(valid & (scale > 0) & ~np.isnan(z), chosen, np.nan)


def at_ends(z, power):
    """The logarithm of a density from 0 on that is about a power below 0, or above, where it has no slope; SciPy has no
    number at infinity where its formula is the difference of two."""
    at_zero, far = np.where(power < 0.0, np.inf, -np.inf), np.where(power > 0.0, np.nan, -np.inf)
    return np.where(z == 0.0, at_zero, np.where(z == np.inf, far, -np.inf))


def from_zero_on(z, power):
    """Of a density from 0 on that is about a power there: where it is a number, such places, and the logarithm of the
    power."""
    within = between(z, 0.0, np.inf)
    inside = within | (z == 0) & (power == 0)
    return inside, np.where(inside, z, 1.0), power * np.log(np.where(within, z, 1.0))


def between(z, low, high):
    """Whether it is, not being at an end."""
    return (z > low) & (z < high)


@stands_for("scipy.stats.norm.logpdf")
def norm(x, loc=0, scale=1):
    x, loc, scale = np.asarray(x), np.asarray(loc), np.asarray(scale)
    z = ((x - loc) / scale).astype(np.float64)
    positive = scale > 0
    log_density = -(z**2) / 2.0 - 0.9189385332046727 - np.log(np.where(positive, scale, 1))
    return np.where(positive, log_density, np.nan)


@stands_for("scipy.stats.norm.pdf")
def norm_density(x, loc=0, scale=1):
    z = standardised(x, loc, scale)
    inside = np.isfinite(z)
    y = np.where(inside, z, 0.0)
    return np.exp(log_density(z, numbers(scale), inside, True, -(y**2) / 2.0 - HALF_LOG_TWO_PI))


def at_place(within, standard):
    """A density with a place and a scale, of where the standard one is more than 0, and its logarithm there."""

    def placed(x, loc=0, scale=1):
        z = standardised(x, loc, scale)
        inside = within(z) & np.isfinite(z)
        return log_density(z, numbers(scale), inside, True, standard(np.where(inside, z, 0.5)))

    return placed


def everywhere(z):
    return True


def from_zero(z):
    return z >= 0


def logistic(z):
    size = -size_of(z)
    return size - 2.0 * np.log1p(np.exp(size))


def log_of_hypot(z):
    """log(1 + z^2), also where the square is infinite."""
    large = np.abs(z) > 1e150
    return np.where(
        large, 2.0 * np.log(np.where(large, size_of(z), 1.0)), np.log1p(np.where(large, 1.0, z) ** 2)
    )


for _name, _within, _standard in (
    ("expon", from_zero, lambda z: -z),
    ("uniform", lambda z: (z >= 0) & (z <= 1), lambda z: 0.0 * z),
    ("laplace", everywhere, lambda z: np.log(0.5) - np.abs(z)),
    ("logistic", everywhere, logistic),
    ("cauchy", everywhere, lambda z: -np.log(np.pi) - log_of_hypot(z)),
    ("halfnorm", from_zero, lambda z: 0.5 * np.log(2.0 / np.pi) - z * z / 2.0),
    ("halfcauchy", lambda z: (z >= 0) & (z * z < np.inf), lambda z: np.log(2.0 / np.pi) - np.log1p(z * z)),
):
    stands_for(f"scipy.stats.{_name}.logpdf")(at_place(_within, _standard))


@stands_for("scipy.stats.t.logpdf")
def student_t(x, df, loc=0, scale=1):
    """Of infinitely many degrees of freedom the normal density."""
    z, df = standardised(x, loc, scale), numbers(df)
    inside = z * z < np.inf
    finite = (df > 0) & (df < np.inf)
    y, r = np.where(inside, z, 0.0), np.where(finite, df, 1.0)
    of_t = of_freedom(r) - (r + 1) / 2 * np.log1p(y * y / r)
    formula = np.where(finite, of_t, -(y**2) / 2.0 - 0.9189385332046727)
    return log_density(z, numbers(scale), inside, df > 0, formula)


def of_freedom(r):
    """log of Gamma((r + 1) / 2) / (Gamma(r / 2) sqrt(pi r)), of large r by its series, as both logarithms are large."""
    small, large = np.minimum(r, 200.0), np.maximum(r, 200.0)
    near = gammaln((small + 1) / 2) - gammaln(small / 2) - 0.5 * np.log(small * np.pi)
    u = 1.0 / large
    far = -0.9189385332046727 - u * (0.25 - u * u * (1.0 / 24.0 - u * u * 0.05))
    return np.where(r < 200.0, near, far)


@stands_for("scipy.stats.gamma.logpdf")
def gamma(x, a, loc=0, scale=1):
    z, a = standardised(x, loc, scale), numbers(a)
    valid, power = a > 0, a - 1.0
    inside, y, of_log = from_zero_on(z, power)
    shape = np.where(valid, a, 1.0)
    formula = of_log - y - gammaln(shape)
    return log_density(z, numbers(scale), inside, valid, formula, at_ends(z, power))


@stands_for("scipy.stats.chi2.logpdf")
def chi2(x, df, loc=0, scale=1):
    z, df = standardised(x, loc, scale), numbers(df)
    valid, power = df > 0, df / 2.0 - 1.0
    inside, y, of_log = from_zero_on(z, power)
    half = np.where(valid, df, 2.0) / 2.0
    formula = of_log - y / 2.0 - gammaln(half) - np.log(2.0) * half
    return log_density(z, numbers(scale), inside, valid, formula, at_ends(z, power))


@stands_for("scipy.stats.invgamma.logpdf")
def invgamma(x, a, loc=0, scale=1):
    z, a = standardised(x, loc, scale), numbers(a)
    inside, valid = between(z, 0.0, np.inf), a > 0
    y, shape = np.where(inside, z, 1.0), np.where(valid, a, 1.0)
    formula = -(shape + 1.0) * np.log(y) - gammaln(shape) - 1.0 / y
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.beta.logpdf")
def beta(x, a, b, loc=0, scale=1):
    z, a, b = standardised(x, loc, scale), numbers(a), numbers(b)
    valid, power = (a > 0) & (b > 0), np.where(z == 0, a, b) - 1.0
    is_end = (z == 0) | (z == 1)
    inside = between(z, 0.0, 1.0) | is_end & (power == 0)
    up, down = np.where((z > 0) & (z <= 1), z, 1.0), np.where((z >= 0) & (z < 1), z, 0.0)
    p, q = np.where(valid, a, 1.0), np.where(valid, b, 1.0)
    norming = gammaln(p) + gammaln(q) - gammaln(p + q)
    formula = (q - 1.0) * np.log1p(-down) + (p - 1.0) * np.log(up) - norming
    return log_density(
        z, numbers(scale), inside, valid, formula, np.where(is_end & (power < 0), np.inf, -np.inf)
    )


@stands_for("scipy.stats.lognorm.logpdf")
def lognorm(x, s, loc=0, scale=1):
    z, s = standardised(x, loc, scale), numbers(s)
    inside, valid = between(z, 0.0, np.inf), s > 0
    y, spread = np.log(np.where(inside, z, 1.0)), np.where(valid, s, 1.0)
    formula = -(y**2) / (2.0 * spread**2) - np.log(spread) - y - 0.9189385332046727
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.pareto.logpdf")
def pareto(x, b, loc=0, scale=1):
    z, b = standardised(x, loc, scale), numbers(b)
    inside, valid = (z >= 1) & (z < np.inf), b > 0
    slope = np.where(valid, b, 1.0)
    formula = np.log(slope) - (slope + 1.0) * np.log(np.where(inside, z, 1.0))
    return log_density(z, numbers(scale), inside, valid, formula)


@stands_for("scipy.stats.pareto.pdf")
def pareto_density(x, b, loc=0, scale=1):
    z, b, scale = standardised(x, loc, scale), numbers(b), numbers(scale)
    inside, valid = (z >= 1) & (z < np.inf), (b > 0) & (scale > 0)
    slope = np.where(valid, b, 1.0)
    made = slope * np.where(inside, z, 1.0) ** (-slope - 1.0) / np.where(scale > 0, scale, 1.0)
    return np.where(valid & ~np.isnan(z), np.where(inside, made, 0.0), np.nan)


@stands_for("scipy.stats.weibull_min.logpdf")
def weibull_min(x, c, loc=0, scale=1):
    z, c = standardised(x, loc, scale), numbers(c)
    valid, power = c > 0, c - 1.0
    inside, y, of_log = from_zero_on(z, power)
    shape = np.where(valid, c, 1.0)
    inside = inside & (y**shape < 1e300)
    formula = np.log(shape) + of_log - np.where(inside, y, 1.0) ** shape
    return log_density(z, numbers(scale), inside, valid, formula, at_ends(z, power))


@stands_for("scipy.stats.f.logpdf")
def fisher(x, dfn, dfd, loc=0, scale=1):
    z, n, m = standardised(x, loc, scale), numbers(dfn), numbers(dfd)
    valid, power = (n > 0) & (m > 0), n / 2 - 1.0
    inside, y, of_log = from_zero_on(z, power)
    p, q = np.where(valid, n, 1.0), np.where(valid, m, 1.0)
    formula = q / 2 * np.log(q) + p / 2 * np.log(p) + of_log
    formula = formula - ((p + q) / 2 * np.log(q + p * y) + log_beta(p / 2, q / 2))
    large = inside & (y > 0.0) & ((p > 200.0) | (q > 200.0))
    formula = np.where(large, fisher_of_many(y, p, q, large), formula)
    return log_density(z, numbers(scale), inside, valid, formula, at_ends(z, power))


def fisher_of_many(x, n, m, large):
    """As the mass of as many hits and misses, in which nothing cancels."""
    x, p, q = np.where(large, x, 1.0), np.where(large, 0.5 * n, 100.0), np.where(large, 0.5 * m, 100.0)
    both = q + p * x
    return of_parts(p, q, p * x / both, q / both) + np.log(p / (p + q) * q) - np.log(x)


@stands_for("scipy.stats.skewnorm.logpdf")
def skewnorm(x, a, loc=0, scale=1):
    z, a = standardised(x, loc, scale), numbers(a)
    inside = np.isfinite(z)
    y = np.where(inside, z, 0.0)
    formula = np.log(2.0) - y * y / 2.0 - 0.9189385332046727 + log_ndtr(a * y)
    return log_density(z, numbers(scale), inside, np.isfinite(a), formula)


@stands_for("scipy.stats.vonmises.logpdf")
def vonmises(x, kappa, loc=0, scale=1):
    z, kappa = standardised(x, loc, scale), numbers(kappa)
    inside, valid = np.isfinite(z), kappa >= 0
    size = np.where(valid, kappa, 0.0)
    formula = size * (np.cos(np.where(inside, z, 0.0)) - 1.0) - np.log(2.0 * np.pi) - np.log(i0e(size))
    return log_density(z, numbers(scale), inside, valid, formula, np.nan)
