"""Shares up to a place, and their logarithms."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import (
    betainc,
    erf,
    erfc,
    expit,
    gammainc,
    gammaincc,
    i0e,
    log_expit,
    log_ndtr,
    ndtr,
    ndtri,
    owens_t,
)

from codegen.definitions.series import owens_beyond
from codegen.definitions.special import numbers, size_of
from codegen.definitions.special_functions.student import share_of_t, t_middle, t_tail
from codegen.definitions.table import stands_for

ROOT_HALF = 0.7071067811865476
LOG_TWO = 0.6931471805599453
ROOT_TWO_OVER_PI = 0.7978845608028654


def share(z, scale, made):
    """A distribution function, NaN where there is no distribution."""
    return np.where((scale > 0) & ~np.isnan(z), made, np.nan)


def inside(z):
    """z, but below 0 a number of which no slope is infinite."""
    return np.where(z < 0, 1.0, z)


def at_place(standard):
    """A distribution function with a place and a scale, of the standard one."""

    def placed(x, loc=0, scale=1):
        z, scale = (numbers(x) - loc) / scale, numbers(scale)
        return share(z, scale, standard(z))

    return placed


def laplace_tail(z):
    return 0.5 * np.exp(-size_of(z))


def cauchy_tail(z):
    return np.arctan2(1.0, size_of(z)) / np.pi


def log_beyond(z):
    """log(1 - exp(-z))."""
    return np.where(z > 0.0, log1mexp(-z), -np.inf)


def log1mexp(x):
    """log(1 - exp(x)) of x below 0; of 0 that of the least number, so that what is not chosen has a slope."""
    size = np.minimum(x, -1e-300)
    near = size > -LOG_TWO
    beside, far = np.where(near, size, -LOG_TWO), np.where(near, -LOG_TWO, size)
    return np.where(near, np.log(-np.expm1(beside)), np.log1p(-np.exp(far)))


def log_of_halves(z):
    """log of erf(z / sqrt(2)), by what is missing to 1 where that is little."""
    far, positive = z > 1.0, z > 0.0
    below = np.log(erf(ROOT_HALF * np.where(positive & ~far, z, 1.0)))
    above = np.log1p(-erfc(ROOT_HALF * np.where(far, z, 1.0)))
    return np.where(far, above, np.where(positive, below, -np.inf))


def log_share(z, tail):
    """The logarithm of a symmetric distribution's share up to z, whose tail beyond the size of z is given."""
    positive = tail > 0
    below = np.where(positive, np.log(np.where(positive, tail, 1.0)), -np.inf)
    return np.where(z >= 0, np.log1p(-tail), below)


for _name, _standard in {
    "norm.cdf": ndtr,
    "norm.logcdf": log_ndtr,
    "norm.sf": lambda z: ndtr(-z),
    "norm.logsf": lambda z: log_ndtr(-z),
    "expon.cdf": lambda z: -np.expm1(-np.maximum(z, 0.0)),
    "expon.logcdf": lambda z: log_beyond(np.maximum(z, 0.0)),
    "uniform.cdf": lambda z: np.clip(z, 0.0, 1.0),
    "laplace.cdf": lambda z: np.where(z >= 0, 1.0 - laplace_tail(z), laplace_tail(z)),
    "laplace.logcdf": lambda z: np.where(z >= 0, np.log1p(-laplace_tail(z)), z - LOG_TWO),
    "logistic.cdf": expit,
    "logistic.logcdf": log_expit,
    "cauchy.cdf": lambda z: np.arctan2(1.0, -z) / np.pi,
    "cauchy.logcdf": lambda z: log_share(z, cauchy_tail(z)),
    "halfnorm.cdf": lambda z: erf(ROOT_HALF * np.maximum(z, 0.0)),
    "halfnorm.logcdf": lambda z: log_of_halves(np.maximum(z, 0.0)),
    "halfcauchy.cdf": lambda z: 2.0 / np.pi * np.arctan(np.maximum(z, 0.0)),
}.items():
    stands_for(f"scipy.stats.{_name}")(at_place(_standard))


@stands_for("scipy.stats.norm.ppf")
def norm_ppf(q, loc=0, scale=1):
    q, scale = numbers(q), numbers(scale)
    return np.where((q >= 0) & (q <= 1), share(q, scale, ndtri(q) * scale + loc), np.nan)


@stands_for("scipy.stats.lognorm.cdf")
def lognorm_cdf(x, s, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    s = numbers(s)
    made = ndtr(np.log(np.where(z > 0, z, 1.0)) / s)
    return np.where(s > 0, share(z, scale, np.where(z > 0, made, 0.0)), np.nan)


@stands_for("scipy.stats.pareto.cdf")
def pareto_cdf(x, b, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    b = numbers(b)
    return np.where(b > 0, share(z, scale, 1.0 - np.maximum(z, 1.0) ** -b), np.nan)


@stands_for("scipy.stats.weibull_min.cdf")
def weibull_min_cdf(x, c, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    c = numbers(c)
    made = np.where(z < 0, 0.0, -np.expm1(-(inside(z) ** np.where(c > 0, c, 1.0))))
    return np.where(c > 0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.weibull_min.logcdf")
def weibull_min_logcdf(x, c, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    c = numbers(c)
    made = np.where(z < 0, -np.inf, log_beyond(inside(z) ** np.where(c > 0, c, 1.0)))
    return np.where(c > 0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.skewnorm.cdf")
def skewnorm_cdf(x, a, loc=0, scale=1):
    """By Owen's T; where both shares all but cancel, by the integral that they leave."""
    z, scale, a = (numbers(x) - loc) / scale, numbers(scale), numbers(a)
    far = (a > 0.0) & (z < 0.0) & (z * z * (1.0 + a * a) > 12.0)
    h, slope = np.where(far, -z, 2.0), np.where(far, a, 2.0)
    made = np.where(far, 2.0 * owens_beyond(h, slope), ndtr(z) - 2.0 * owens_t(z, a))
    return np.where(np.isfinite(a), share(z, scale, np.clip(made, 0.0, 1.0)), np.nan)


@stands_for("scipy.stats.vonmises.cdf")
def vonmises_cdf(x, kappa, loc=0, scale=1):
    """By Fourier's series with Hill's recurrence of its Bessel functions (1977, algorithm 518), every turn one more;
    of kappa from 50 on by the normal distribution, as SciPy has it."""
    z, scale, kappa = (numbers(x) - loc) / scale, numbers(scale), numbers(kappa)
    finite = np.isfinite(z)
    turns = np.rint(np.where(finite, z, 0.0) / (2.0 * np.pi))
    turned = np.where(finite, z, 0.0) - 2.0 * np.pi * turns
    dense = kappa >= 50.0
    ratio, total = np.zeros_like(turned + kappa), np.zeros_like(turned + kappa)
    k = np.broadcast_to(np.where(dense, 1.0, np.maximum(kappa, 0.0)), ratio.shape)
    for n in range(60, 0, -1):
        ratio = k / (2.0 * n + k * ratio)
        total = ratio * (np.sin(n * turned) / n + total)
    wide = np.clip(0.5 + turned / (2.0 * np.pi) + total / np.pi, 0.0, 1.0)
    root = ROOT_TWO_OVER_PI / i0e(np.where(dense, kappa, 50.0))
    made = turns + np.where(dense, ndtr(root * np.sin(0.5 * turned)), wide)
    made = np.where(finite, made, np.where(z > 0.0, 1.0, 0.0))
    return np.where(kappa >= 0.0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.gamma.cdf")
def gamma_cdf(x, a, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    made = np.where(z < 0, 0.0, gammainc(a, inside(z)))
    return np.where(numbers(a) > 0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.gamma.logcdf")
def gamma_logcdf(x, a, loc=0, scale=1):
    """From the tail that is less than the other."""
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    made = np.where(z < 0, -np.inf, log_of_parts(gammainc(a, inside(z)), gammaincc(a, inside(z))))
    return np.where(numbers(a) > 0, share(z, scale, made), np.nan)


def log_of_parts(below, above):
    """The logarithm of a share, which and the rest of 1 are given."""
    positive = below > 0
    made = np.where(positive, np.log(np.where(positive, below, 1.0)), -np.inf)
    return np.where(above < 0.5, np.log1p(-np.where(above < 0.5, above, 0.0)), made)


@stands_for("scipy.stats.gamma.sf")
def gamma_sf(x, a, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return np.where(numbers(a) > 0, share(z, scale, gammaincc(a, np.maximum(z, 0.0))), np.nan)


@stands_for("scipy.stats.chi2.cdf")
def chi2_cdf(x, df, loc=0, scale=1):
    return gamma_cdf(x, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.chi2.logcdf")
def chi2_logcdf(x, df, loc=0, scale=1):
    return gamma_logcdf(x, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.invgamma.cdf")
def invgamma_cdf(x, a, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    made = np.where(z > 0, gammaincc(a, 1.0 / np.where(z > 0, z, 1.0)), 0.0)
    return np.where(numbers(a) > 0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.beta.cdf")
def beta_cdf(x, a, b, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    made = np.where(z < 0, 0.0, np.where(z > 1, 1.0, betainc(a, b, np.where((z < 0) | (z > 1), 0.5, z))))
    return np.where((numbers(a) > 0) & (numbers(b) > 0), share(z, scale, made), np.nan)


@stands_for("scipy.stats.t.cdf")
def t_cdf(x, df, loc=0, scale=1):
    z, scale, df = (numbers(x) - loc) / scale, numbers(scale), numbers(df)
    return share(z, scale, share_of_t(z, df))


@stands_for("scipy.stats.t.logcdf")
def t_logcdf(x, df, loc=0, scale=1):
    z, scale, df = (numbers(x) - loc) / scale, numbers(scale), numbers(df)
    middle, more = t_middle(z, df)
    made = np.where(middle, 2.0 * more - LOG_TWO, log_share(z, t_tail(z, df)))
    return np.where(df > 0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.f.cdf")
def f_cdf(x, dfn, dfd, loc=0, scale=1):
    z, scale, n, d = (numbers(x) - loc) / scale, numbers(scale), numbers(dfn), numbers(dfd)
    finite = z < np.inf
    y = np.where(finite, inside(z), 1.0)
    made = np.where(z < 0, 0.0, betainc(0.5 * n, 0.5 * d, np.where(finite, n * y / (n * y + d), 1.0)))
    return np.where((n > 0) & (d > 0), share(z, scale, made), np.nan)
