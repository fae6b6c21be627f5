"""Shares beyond a place, and their logarithms."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import (
    betaincc,
    erf,
    erfc,
    expit,
    fdtrc,
    gammainc,
    gammaincc,
    log_expit,
    log_ndtr,
    ndtr,
)

from codegen.definitions.distributions.densities import between, everywhere, from_zero, standardised
from codegen.definitions.distributions.shares import (
    LOG_TWO,
    ROOT_HALF,
    at_place,
    cauchy_tail,
    exponent_of_weibull,
    halves_of_cauchy,
    laplace_tail,
    log_of_parts,
    log_share,
    share,
    skewnorm_cdf,
    skewnorm_logcdf,
    t_cdf,
    t_logcdf,
    up_from_zero,
    vonmises_cdf,
)
from codegen.definitions.distributions.truncated import log_between, log_whole
from codegen.definitions.special import numbers
from codegen.definitions.special_functions.incomplete_beta import share_of_beta
from codegen.definitions.special_functions.incomplete_gamma import share_of_gamma
from codegen.definitions.special_functions.shares import share_of_f
from codegen.definitions.table import stands_for


def log_of_upper_half(z):
    """Of the normal distribution's upper half what is beyond z, where that is nearly all by what is not."""
    near = z < 0.5
    of_near = np.log1p(-erf(ROOT_HALF * np.where(near, z, 0.0)))
    return np.where(near, of_near, LOG_TWO + log_ndtr(-np.where(near, 1.0, z)))


for _name, _within, _standard in (
    ("norm.sf", everywhere, lambda z: ndtr(-z)),
    ("expon.sf", from_zero, lambda z: np.exp(-z)),
    ("uniform.sf", lambda z: (z >= 0) & (z <= 1), lambda z: 1.0 - z),
    ("laplace.sf", everywhere, lambda z: np.where(z >= 0, laplace_tail(z), 1.0 - laplace_tail(z))),
    ("logistic.sf", everywhere, lambda z: expit(-z)),
    ("cauchy.sf", everywhere, lambda z: np.arctan2(1.0, z) / np.pi),
    ("halfnorm.sf", from_zero, lambda z: erfc(ROOT_HALF * z)),
    ("halfcauchy.sf", from_zero, lambda z: 2.0 / np.pi * np.arctan2(1.0, z)),
):
    stands_for(f"scipy.stats.{_name}")(at_place(_within, _standard, 1.0, 0.0))

for _name, _within, _standard in (
    ("norm.logsf", everywhere, lambda z: log_ndtr(-z)),
    ("expon.logsf", from_zero, lambda z: -z),
    ("uniform.logsf", lambda z: (z >= 0) & (z < 1), lambda z: np.log1p(-z)),
    ("laplace.logsf", everywhere, lambda z: np.where(z >= 0, -z - LOG_TWO, np.log1p(-laplace_tail(z)))),
    ("logistic.logsf", everywhere, lambda z: log_expit(-z)),
    ("cauchy.logsf", everywhere, lambda z: log_share(-z, cauchy_tail(-z))),
    ("halfnorm.logsf", from_zero, log_of_upper_half),
    ("halfcauchy.logsf", from_zero, lambda z: log_of_parts(*reversed(halves_of_cauchy(z)))),
):
    stands_for(f"scipy.stats.{_name}")(at_place(_within, _standard, 0.0, -np.inf))


def beyond(z, scale, inside, made, valid, first=0.0):
    """A share beyond a place, as made inside of the support, which begins at `first`."""
    return np.where(valid, share(z, scale, inside, made, 1.0, 0.0, first), np.nan)


def log_beyond(z, scale, inside, made, valid, first=0.0):
    """The logarithm of one."""
    return np.where(valid, share(z, scale, inside, made, 0.0, -np.inf, first), np.nan)


@stands_for("scipy.stats.lognorm.sf")
def lognorm_sf(x, s, loc=0, scale=1):
    z, s = standardised(x, loc, scale), numbers(s)
    inside = between(z, 0.0, np.inf)
    return beyond(z, numbers(scale), inside, ndtr(-np.log(np.where(inside, z, 1.0)) / s), s > 0)


@stands_for("scipy.stats.lognorm.logsf")
def lognorm_logsf(x, s, loc=0, scale=1):
    z, s = standardised(x, loc, scale), numbers(s)
    inside = between(z, 0.0, np.inf)
    return log_beyond(z, numbers(scale), inside, log_ndtr(-np.log(np.where(inside, z, 1.0)) / s), s > 0)


@stands_for("scipy.stats.pareto.sf")
def pareto_sf(x, b, loc=0, scale=1):
    z, b = standardised(x, loc, scale), numbers(b)
    inside = (z >= 1) & (z < np.inf)
    return beyond(z, numbers(scale), inside, np.where(inside, z, 1.0) ** -b, b > 0, 1.0)


@stands_for("scipy.stats.pareto.logsf")
def pareto_logsf(x, b, loc=0, scale=1):
    z, b = standardised(x, loc, scale), numbers(b)
    inside = (z >= 1) & (z < np.inf)
    return log_beyond(z, numbers(scale), inside, -b * np.log(np.where(inside, z, 1.0)), b > 0, 1.0)


@stands_for("scipy.stats.weibull_min.sf")
def weibull_min_sf(x, c, loc=0, scale=1):
    z, c = standardised(x, loc, scale), numbers(c)
    inside, exponent = exponent_of_weibull(z, c)
    return beyond(z, numbers(scale), inside, np.exp(-exponent), c > 0)


@stands_for("scipy.stats.weibull_min.logsf")
def weibull_min_logsf(x, c, loc=0, scale=1):
    z, c = standardised(x, loc, scale), numbers(c)
    inside, exponent = exponent_of_weibull(z, c)
    return log_beyond(z, numbers(scale), inside, -exponent, c > 0)


@stands_for("scipy.stats.gamma.sf")
def gamma_sf(x, a, loc=0, scale=1):
    z, a = standardised(x, loc, scale), numbers(a)
    inside = up_from_zero(z, a)
    return beyond(z, numbers(scale), inside, gammaincc(a, np.where(inside, z, 1.0)), a > 0)


@stands_for("scipy.stats.gamma.logsf")
def gamma_logsf(x, a, loc=0, scale=1):
    z, a = standardised(x, loc, scale), numbers(a)
    inside = up_from_zero(z, a)
    made = share_of_gamma(a, np.where(inside, z, 1.0), True, False, True)
    return log_beyond(z, numbers(scale), inside, made, a > 0)


@stands_for("scipy.stats.chi2.sf")
def chi2_sf(x, df, loc=0, scale=1):
    return gamma_sf(x, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.chi2.logsf")
def chi2_logsf(x, df, loc=0, scale=1):
    return gamma_logsf(x, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.invgamma.sf")
def invgamma_sf(x, a, loc=0, scale=1):
    z, a = standardised(x, loc, scale), numbers(a)
    inside = between(z, 0.0, np.inf)
    return beyond(z, numbers(scale), inside, gammainc(a, 1.0 / np.where(inside, z, 1.0)), a > 0)


@stands_for("scipy.stats.invgamma.logsf")
def invgamma_logsf(x, a, loc=0, scale=1):
    z, a = standardised(x, loc, scale), numbers(a)
    inside = between(z, 0.0, np.inf)
    made = share_of_gamma(a, 1.0 / np.where(inside, z, 1.0), False, False, True)
    return log_beyond(z, numbers(scale), inside, made, a > 0)


@stands_for("scipy.stats.beta.sf")
def beta_sf(x, a, b, loc=0, scale=1):
    z, a, b = standardised(x, loc, scale), numbers(a), numbers(b)
    inside = between(z, 0.0, 1.0) | (z == 0) & (a >= 1) | (z == 1) & (b >= 1)
    return beyond(z, numbers(scale), inside, betaincc(a, b, np.where(inside, z, 0.5)), (a > 0) & (b > 0))


@stands_for("scipy.stats.beta.logsf")
def beta_logsf(x, a, b, loc=0, scale=1):
    z, a, b = standardised(x, loc, scale), numbers(a), numbers(b)
    inside = between(z, 0.0, 1.0) | (z == 0) & (a >= 1)
    y = np.where(inside, z, 0.5)
    made = share_of_beta(b, a, 1.0 - y, y, False, False, True)
    return log_beyond(z, numbers(scale), inside, made, (a > 0) & (b > 0))


@stands_for("scipy.stats.f.sf")
def f_sf(x, dfn, dfd, loc=0, scale=1):
    z, n, d = standardised(x, loc, scale), numbers(dfn), numbers(dfd)
    inside = up_from_zero(z, 0.5 * n)
    y = np.where(inside, z, 1.0)
    return beyond(z, numbers(scale), inside, fdtrc(n, d, y), (n > 0) & (d > 0))


@stands_for("scipy.stats.f.logsf")
def f_logsf(x, dfn, dfd, loc=0, scale=1):
    z, n, d = standardised(x, loc, scale), numbers(dfn), numbers(dfd)
    inside = up_from_zero(z, 0.5 * n)
    made = share_of_f(n, d, np.where(inside, z, 1.0), True, True)
    return log_beyond(z, numbers(scale), inside, made, (n > 0) & (d > 0))


@stands_for("scipy.stats.t.sf")
def t_sf(x, df, loc=0, scale=1):
    """Distributions that are as far to the left as to the right have beyond x what they have up to the other side."""
    return t_cdf(-numbers(x), df, -numbers(loc), scale)


@stands_for("scipy.stats.t.logsf")
def t_logsf(x, df, loc=0, scale=1):
    return t_logcdf(-numbers(x), df, -numbers(loc), scale)


@stands_for("scipy.stats.skewnorm.sf")
def skewnorm_sf(x, a, loc=0, scale=1):
    return skewnorm_cdf(-numbers(x), -numbers(a), -numbers(loc), scale)


@stands_for("scipy.stats.skewnorm.logsf")
def skewnorm_logsf(x, a, loc=0, scale=1):
    return skewnorm_logcdf(-numbers(x), -numbers(a), -numbers(loc), scale)


@stands_for("scipy.stats.vonmises.sf")
def vonmises_sf(x, kappa, loc=0, scale=1):
    return 1.0 - vonmises_cdf(x, kappa, loc, scale)


@stands_for("scipy.stats.truncnorm.sf")
def truncnorm_sf(x, a, b, loc=0, scale=1):
    return np.exp(truncnorm_logsf(x, a, b, loc, scale))


@stands_for("scipy.stats.truncnorm.logsf")
def truncnorm_logsf(x, a, b, loc=0, scale=1):
    z, a, b = standardised(x, loc, scale), numbers(a), numbers(b)
    inside = (z >= a) & (z < b) & np.isfinite(z)
    y = np.where(inside, z, 0.0)
    whole = log_whole(a, b)
    below, past = (
        log_between(np.where(inside, a, -1.0), y) - whole,
        log_between(y, np.where(inside, b, 1.0)) - whole,
    )
    most = past > -0.1
    made = np.where(most, np.log1p(-np.exp(np.where(most, below, -1.0))), past)
    return log_beyond(z, numbers(scale), inside, made, a < b, a)
