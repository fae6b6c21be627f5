"""Shares up to a place, and their logarithms."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import (
    betainc,
    erf,
    erfc,
    expit,
    fdtr,
    gammainc,
    gammaincc,
    i0e,
    log_expit,
    log_ndtr,
    ndtr,
    owens_t,
)

from codegen.definitions.distributions.densities import between, everywhere, from_zero, standardised
from codegen.definitions.series import owens_beyond
from codegen.definitions.special import numbers, size_of
from codegen.definitions.special_functions.incomplete_beta import share_of_beta
from codegen.definitions.special_functions.incomplete_gamma import share_of_gamma
from codegen.definitions.special_functions.shares import share_of_f
from codegen.definitions.special_functions.student import share_of_t, t_middle, t_tail
from codegen.definitions.table import stands_for
from codegen.primitives.shape import without_slope

ROOT_HALF = 0.7071067811865476
LOG_TWO = 0.6931471805599453
ROOT_TWO_OVER_PI = 0.7978845608028654


def share(z, scale, inside, made, below=0.0, beyond=1.0, first=0.0):
    """A distribution function, as made inside of the support, which begins at `first`; NaN where there is no
    distribution."""
    chosen = np.where(inside, made, np.where(z > first, beyond, below))
    return np.where((scale > 0) & ~np.isnan(z), chosen, np.nan)


def up_from_zero(z, power):
    """Where a share has a slope: the density, which is about that power, less 1, at 0 and infinite there below 1."""
    return (z > 0) & (z < np.inf) | (z == 0) & (power >= 1)


def at_place(within, standard, below=0.0, beyond=1.0):
    """A distribution function with a place and a scale, of the standard one and where it is not constant."""

    def placed(x, loc=0, scale=1):
        z = standardised(x, loc, scale)
        inside = within(z) & np.isfinite(z)
        return share(z, numbers(scale), inside, standard(np.where(inside, z, 0.5)), below, beyond)

    return placed


def laplace_tail(z):
    return 0.5 * np.exp(-size_of(z))


def cauchy_tail(z):
    return np.arctan2(1.0, size_of(z)) / np.pi


def above_zero(z):
    return z > 0


def log_beyond(z):
    """log(1 - exp(-z)) of z above 0."""
    return log1mexp(-z)


def log1mexp(x):
    """log(1 - exp(x)) of x below 0; of 0 that of a small number, so that what is not chosen has a slope."""
    size = np.where(x < 0.0, x, -1e-300)
    near = size > -LOG_TWO
    beside, far = np.where(near, size, -LOG_TWO), np.where(near, -LOG_TWO, size)
    return log_of_either(~near, np.exp(far), -np.expm1(beside))


def log_of_either(of_rest, rest, part):
    """Where it is told of the rest, log(1 - rest), elsewhere log(part), by one logarithm: log1p is that of the rounded
    difference and what rounding took."""
    made = np.where(of_rest, 1.0 - rest, part)
    is_none = made <= 0.0
    whole = np.where(is_none, 1.0, made)
    lost = without_slope(np.where(of_rest & ~is_none, (1.0 - whole) - rest, 0.0) / whole)
    return np.where(is_none, -np.inf, np.log(whole) + lost)


def log_of_halves(z):
    """log of erf(z / sqrt(2)), by what is missing to 1 where that is little."""
    far = z > 1.0
    rest, part = erfc(ROOT_HALF * np.where(far, z, 1.0)), erf(ROOT_HALF * np.where(far, 1.0, z))
    return log_of_either(far, rest, part)


def halves_of_cauchy(z):
    """The shares up to z and beyond it of the upper half, by which both are exact."""
    return 2.0 / np.pi * np.arctan(z), 2.0 / np.pi * np.arctan2(1.0, z)


def log_share(z, tail):
    """The logarithm of a symmetric distribution's share up to z, whose tail beyond the size of z is given."""
    return log_of_either(z >= 0, tail, tail)


for _name, _within, _standard in (
    ("norm.cdf", everywhere, ndtr),
    ("expon.cdf", from_zero, lambda z: -np.expm1(-z)),
    ("uniform.cdf", lambda z: (z >= 0) & (z <= 1), lambda z: z),
    ("laplace.cdf", everywhere, lambda z: np.where(z >= 0, 1.0 - laplace_tail(z), laplace_tail(z))),
    ("logistic.cdf", everywhere, expit),
    ("cauchy.cdf", everywhere, lambda z: np.arctan2(1.0, -z) / np.pi),
    ("halfnorm.cdf", from_zero, lambda z: erf(ROOT_HALF * z)),
    ("halfcauchy.cdf", from_zero, lambda z: 2.0 / np.pi * np.arctan(z)),
):
    stands_for(f"scipy.stats.{_name}")(at_place(_within, _standard))

for _name, _within, _standard in (
    ("norm.logcdf", everywhere, log_ndtr),
    ("expon.logcdf", above_zero, log_beyond),
    ("laplace.logcdf", everywhere, lambda z: np.where(z >= 0, np.log1p(-laplace_tail(z)), z - LOG_TWO)),
    ("logistic.logcdf", everywhere, log_expit),
    ("cauchy.logcdf", everywhere, lambda z: log_share(z, cauchy_tail(z))),
    ("halfnorm.logcdf", above_zero, log_of_halves),
    ("halfcauchy.logcdf", above_zero, lambda z: log_of_parts(*halves_of_cauchy(z))),
):
    stands_for(f"scipy.stats.{_name}")(at_place(_within, _standard, -np.inf, 0.0))


@stands_for("scipy.stats.lognorm.cdf")
def lognorm_cdf(x, s, loc=0, scale=1):
    z, scale, s = standardised(x, loc, scale), numbers(scale), numbers(s)
    inside = between(z, 0.0, np.inf)
    return np.where(s > 0, share(z, scale, inside, ndtr(np.log(np.where(inside, z, 1.0)) / s)), np.nan)


@stands_for("scipy.stats.lognorm.logcdf")
def lognorm_logcdf(x, s, loc=0, scale=1):
    z, scale, s = standardised(x, loc, scale), numbers(scale), numbers(s)
    inside = between(z, 0.0, np.inf)
    made = log_ndtr(np.log(np.where(inside, z, 1.0)) / s)
    return np.where(s > 0, share(z, scale, inside, made, -np.inf, 0.0), np.nan)


@stands_for("scipy.stats.pareto.cdf")
def pareto_cdf(x, b, loc=0, scale=1):
    z, scale, b = standardised(x, loc, scale), numbers(scale), numbers(b)
    inside = (z >= 1) & (z < np.inf)
    made = share(z, scale, inside, 1.0 - np.where(inside, z, 1.0) ** -b, first=1.0)
    return np.where(b > 0, made, np.nan)


@stands_for("scipy.stats.pareto.logcdf")
def pareto_logcdf(x, b, loc=0, scale=1):
    z, scale, b = standardised(x, loc, scale), numbers(scale), numbers(b)
    inside = between(z, 1.0, np.inf)
    made = log_beyond(b * np.log(np.where(inside, z, np.e)))
    return np.where(b > 0, share(z, scale, inside, made, -np.inf, 0.0, first=1.0), np.nan)


def exponent_of_weibull(z, c):
    """Where a share has a slope and is not all there is, and the power of such places."""
    inside, power = up_from_zero(z, c), np.where(c > 0, c, 1.0)
    inside = inside & (np.where(inside, z, 1.0) ** power < 1e300)
    return inside, np.where(inside, z, 1.0) ** power


@stands_for("scipy.stats.weibull_min.cdf")
def weibull_min_cdf(x, c, loc=0, scale=1):
    z, scale, c = standardised(x, loc, scale), numbers(scale), numbers(c)
    inside, exponent = exponent_of_weibull(z, c)
    return np.where(c > 0, share(z, scale, inside, -np.expm1(-exponent)), np.nan)


@stands_for("scipy.stats.weibull_min.logcdf")
def weibull_min_logcdf(x, c, loc=0, scale=1):
    """Of small powers, which may be no floats, the logarithm of the power."""
    z, scale, c = standardised(x, loc, scale), numbers(scale), numbers(c)
    inside, exponent = exponent_of_weibull(z, c)
    inside = inside & (z > 0)
    small = inside & (exponent < 1e-20)
    of_power = np.where(c > 0, c, 1.0) * np.log(np.where(small, z, 1.0))
    made = np.where(small, of_power, log_beyond(np.where(small, 1.0, exponent)))
    return np.where(c > 0, share(z, scale, inside, made, -np.inf, 0.0), np.nan)


@stands_for("scipy.stats.skewnorm.cdf")
def skewnorm_cdf(x, a, loc=0, scale=1):
    z, scale, a = standardised(x, loc, scale), numbers(scale), numbers(a)
    inside = np.isfinite(z)
    made = share(z, scale, inside, share_of_skewed(np.where(inside, z, 0.0), a))
    return np.where(np.isfinite(a), made, np.nan)


@stands_for("scipy.stats.skewnorm.logcdf")
def skewnorm_logcdf(x, a, loc=0, scale=1):
    """Above 0 by what is beyond, the share of what is turned round."""
    z, scale, a = standardised(x, loc, scale), numbers(scale), numbers(a)
    inside, upper = np.isfinite(z), z > 0
    y = np.where(inside, z, 0.0)
    made = share_of_skewed(np.where(upper, -y, y), np.where(upper, -a, a))
    made = share(z, scale, inside, log_of_either(upper, made, made), -np.inf, 0.0)
    return np.where(np.isfinite(a), made, np.nan)


def share_of_skewed(z, a):
    """By Owen's T; where both shares all but cancel, by the integral that they leave."""
    far = (a > 0.0) & (z < 0.0) & (z * z * (1.0 + a * a) > 12.0)
    h, slope = np.where(far, -z, 2.0), np.where(far, a, 2.0)
    made = np.where(far, 2.0 * owens_beyond(h, slope), ndtr(z) - 2.0 * owens_t(z, a))
    return np.clip(made, 0.0, 1.0)


@stands_for("scipy.stats.vonmises.cdf")
def vonmises_cdf(x, kappa, loc=0, scale=1):
    """By Fourier's series with Hill's recurrence of its Bessel functions (1977, algorithm 518), every turn one more;
    of kappa from 50 on by the normal distribution, as SciPy has it."""
    z, scale, kappa = standardised(x, loc, scale), numbers(scale), numbers(kappa)
    finite = np.isfinite(z)
    turns = np.rint(np.where(finite, z, 0.0) / (2.0 * np.pi))
    turned = np.where(finite, z, 0.0) - 2.0 * np.pi * turns
    dense = kappa >= 50.0
    ratio, total = np.zeros_like(turned + kappa), np.zeros_like(turned + kappa)
    k = np.broadcast_to(np.where((kappa >= 0.0) & ~dense, kappa, 1.0), ratio.shape)
    sine, cosine = np.sin(turned), np.cos(turned)
    for last in range(60, 0, -10):  # sines by turns of one, from one of their own on
        s, c = np.sin(last * turned), np.cos(last * turned)
        for n in range(last, last - 10, -1):
            ratio = k / (2.0 * n + k * ratio)
            total = ratio * (s / n + total)
            s, c = s * cosine - c * sine, c * cosine + s * sine
    wide = np.clip(0.5 + turned / (2.0 * np.pi) + total / np.pi, 0.0, 1.0)
    root = ROOT_TWO_OVER_PI / i0e(np.where(dense, kappa, 50.0))
    made = turns + np.where(dense, ndtr(root * np.sin(0.5 * turned)), wide)
    return np.where(kappa >= 0.0, share(z, scale, finite, made), np.nan)


@stands_for("scipy.stats.gamma.cdf")
def gamma_cdf(x, a, loc=0, scale=1):
    z, scale, a = standardised(x, loc, scale), numbers(scale), numbers(a)
    inside = up_from_zero(z, a)
    return np.where(a > 0, share(z, scale, inside, gammainc(a, np.where(inside, z, 1.0))), np.nan)


@stands_for("scipy.stats.gamma.logcdf")
def gamma_logcdf(x, a, loc=0, scale=1):
    z, scale, a = standardised(x, loc, scale), numbers(scale), numbers(a)
    inside = between(z, 0.0, np.inf)
    made = share_of_gamma(a, np.where(inside, z, 1.0), False, False, True)
    return np.where(a > 0, share(z, scale, inside, made, -np.inf, 0.0), np.nan)


def log_of_parts(below, above):
    """The logarithm of a share, which and the rest of 1 are given."""
    return log_of_either(above < 0.5, above, below)


@stands_for("scipy.stats.chi2.cdf")
def chi2_cdf(x, df, loc=0, scale=1):
    return gamma_cdf(x, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.chi2.logcdf")
def chi2_logcdf(x, df, loc=0, scale=1):
    return gamma_logcdf(x, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.invgamma.cdf")
def invgamma_cdf(x, a, loc=0, scale=1):
    z, scale, a = standardised(x, loc, scale), numbers(scale), numbers(a)
    inside = between(z, 0.0, np.inf)
    return np.where(a > 0, share(z, scale, inside, gammaincc(a, 1.0 / np.where(inside, z, 1.0))), np.nan)


@stands_for("scipy.stats.invgamma.logcdf")
def invgamma_logcdf(x, a, loc=0, scale=1):
    z, scale, a = standardised(x, loc, scale), numbers(scale), numbers(a)
    inside = between(z, 0.0, np.inf)
    made = share_of_gamma(a, 1.0 / np.where(inside, z, 1.0), True, False, True)
    return np.where(a > 0, share(z, scale, inside, made, -np.inf, 0.0), np.nan)


@stands_for("scipy.stats.beta.cdf")
def beta_cdf(x, a, b, loc=0, scale=1):
    z, scale, a, b = standardised(x, loc, scale), numbers(scale), numbers(a), numbers(b)
    inside = between(z, 0.0, 1.0) | (z == 0) & (a >= 1) | (z == 1) & (b >= 1)
    made = betainc(a, b, np.where(inside, z, 0.5))
    return np.where((a > 0) & (b > 0), share(z, scale, inside, made), np.nan)


@stands_for("scipy.stats.beta.logcdf")
def beta_logcdf(x, a, b, loc=0, scale=1):
    z, scale, a, b = standardised(x, loc, scale), numbers(scale), numbers(a), numbers(b)
    inside = between(z, 0.0, 1.0) | (z == 1) & (b >= 1)
    y = np.where(inside, z, 0.5)
    made = share_of_beta(a, b, y, 1.0 - y, False, False, True)
    return np.where((a > 0) & (b > 0), share(z, scale, inside, made, -np.inf, 0.0), np.nan)


@stands_for("scipy.stats.t.cdf")
def t_cdf(x, df, loc=0, scale=1):
    z, scale, df = standardised(x, loc, scale), numbers(scale), numbers(df)
    inside = np.isfinite(z)
    return np.where(df > 0, share(z, scale, inside, share_of_t(np.where(inside, z, 1.0), df)), np.nan)


@stands_for("scipy.stats.t.logcdf")
def t_logcdf(x, df, loc=0, scale=1):
    z, scale, df = standardised(x, loc, scale), numbers(scale), numbers(df)
    inside = np.isfinite(z)
    y = np.where(inside, z, 1.0)
    middle, more = t_middle(y, df)
    made = np.where(middle, 2.0 * more - LOG_TWO, log_share(y, t_tail(y, df)))
    return np.where(df > 0, share(z, scale, inside, made, -np.inf, 0.0), np.nan)


@stands_for("scipy.stats.f.cdf")
def f_cdf(x, dfn, dfd, loc=0, scale=1):
    z, scale, n, d = standardised(x, loc, scale), numbers(scale), numbers(dfn), numbers(dfd)
    inside = up_from_zero(z, 0.5 * n)
    y = np.where(inside, z, 1.0)
    made = share(z, scale, inside, fdtr(n, d, y))
    return np.where((n > 0) & (d > 0), made, np.nan)


@stands_for("scipy.stats.f.logcdf")
def f_logcdf(x, dfn, dfd, loc=0, scale=1):
    z, scale, n, d = standardised(x, loc, scale), numbers(scale), numbers(dfn), numbers(dfd)
    inside = between(z, 0.0, np.inf)
    made = share(z, scale, inside, share_of_f(n, d, np.where(inside, z, 1.0), False, True), -np.inf, 0.0)
    return np.where((n > 0) & (d > 0), made, np.nan)
