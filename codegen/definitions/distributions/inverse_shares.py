"""Places up to which there is a share, and beyond which."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import (
    betainccinv,
    betaincinv,
    erfcinv,
    erfinv,
    gammainccinv,
    gammaincinv,
    logit,
    ndtri,
    stdtrit,
)

from codegen.definitions.special import numbers
from codegen.definitions.table import stands_for

ROOT_TWO = 1.4142135623730951


def placed(q, made, first, last, loc, scale, valid=True):
    """The place of a share between 0 and 1, as made for the standard distribution; of 0 and 1 the ends of its
    support."""
    scale = numbers(scale)
    ends = np.where(q == 0.0, first, last)
    inside = (q > 0.0) & (q < 1.0)
    z = np.where(inside, made, ends)
    return np.where((q >= 0.0) & (q <= 1.0) & (scale > 0.0) & valid, z * scale + loc, np.nan)


def within(q):
    """A share, or another where it is 0, 1 or none, so that slopes are finite."""
    return np.where((q > 0.0) & (q < 1.0), q, 0.5)


def by_share(standard, first=-np.inf, last=np.inf):
    """Of a distribution with a place and a scale alone."""

    def place(q, loc=0, scale=1):
        q = numbers(q)
        return placed(q, standard(within(q)), first, last, loc, scale)

    return place


def laplace_place(q):
    upper = q > 0.5
    return np.where(
        upper, -np.log(2.0 * np.where(upper, 1.0 - q, 0.5)), np.log(2.0 * np.where(upper, 0.5, q))
    )


def cauchy_place(q):
    """The tangent, of the smaller share where there is one."""
    low, high = q < 0.25, q > 0.75
    size = np.where(low, q, np.where(high, 1.0 - q, 0.25))
    far = 1.0 / np.tan(np.pi * size)
    return np.where(low, -far, np.where(high, far, np.tan(np.pi * (np.where(low | high, 0.5, q) - 0.5))))


def half_of_cauchy(q):
    """The tangent of a share of a quarter turn, of shares that are nearly 1 by what is left."""
    high = q > 0.5
    size = np.tan(0.5 * np.pi * np.where(high, 1.0 - q, q))
    return np.where(high, 1.0 / size, size)


for _name, _below, _above, _first in (
    ("norm", ndtri, lambda q: -ndtri(q), -np.inf),
    ("expon", lambda q: -np.log1p(-q), lambda q: -np.log(q), 0.0),
    ("laplace", laplace_place, lambda q: -laplace_place(q), -np.inf),
    ("logistic", logit, lambda q: -logit(q), -np.inf),
    ("cauchy", cauchy_place, lambda q: -cauchy_place(q), -np.inf),
    ("halfnorm", lambda q: ROOT_TWO * erfinv(q), lambda q: ROOT_TWO * erfcinv(q), 0.0),
    ("halfcauchy", half_of_cauchy, lambda q: 1.0 / half_of_cauchy(q), 0.0),
):
    stands_for(f"scipy.stats.{_name}.ppf")(by_share(_below, _first))
    stands_for(f"scipy.stats.{_name}.isf")(by_share(_above, np.inf, _first))

stands_for("scipy.stats.uniform.ppf")(by_share(lambda q: q, 0.0, 1.0))
stands_for("scipy.stats.uniform.isf")(by_share(lambda q: 1.0 - q, 1.0, 0.0))


@stands_for("scipy.stats.lognorm.ppf")
def lognorm_ppf(q, s, loc=0, scale=1):
    q, s = numbers(q), numbers(s)
    return placed(q, np.exp(s * ndtri(within(q))), 0.0, np.inf, loc, scale, s > 0)


@stands_for("scipy.stats.lognorm.isf")
def lognorm_isf(q, s, loc=0, scale=1):
    q, s = numbers(q), numbers(s)
    return placed(q, np.exp(-s * ndtri(within(q))), np.inf, 0.0, loc, scale, s > 0)


@stands_for("scipy.stats.pareto.ppf")
def pareto_ppf(q, b, loc=0, scale=1):
    q, b = numbers(q), numbers(b)
    return placed(q, np.exp(-np.log1p(-within(q)) / b), 1.0, np.inf, loc, scale, b > 0)


@stands_for("scipy.stats.pareto.isf")
def pareto_isf(q, b, loc=0, scale=1):
    q, b = numbers(q), numbers(b)
    return placed(q, within(q) ** (-1.0 / b), np.inf, 1.0, loc, scale, b > 0)


@stands_for("scipy.stats.weibull_min.ppf")
def weibull_min_ppf(q, c, loc=0, scale=1):
    q, c = numbers(q), numbers(c)
    return placed(q, (-np.log1p(-within(q))) ** (1.0 / c), 0.0, np.inf, loc, scale, c > 0)


@stands_for("scipy.stats.weibull_min.isf")
def weibull_min_isf(q, c, loc=0, scale=1):
    q, c = numbers(q), numbers(c)
    return placed(q, (-np.log(within(q))) ** (1.0 / c), np.inf, 0.0, loc, scale, c > 0)


@stands_for("scipy.stats.gamma.ppf")
def gamma_ppf(q, a, loc=0, scale=1):
    q, a = numbers(q), numbers(a)
    return placed(q, gammaincinv(a, within(q)), 0.0, np.inf, loc, scale, a > 0)


@stands_for("scipy.stats.gamma.isf")
def gamma_isf(q, a, loc=0, scale=1):
    q, a = numbers(q), numbers(a)
    return placed(q, gammainccinv(a, within(q)), np.inf, 0.0, loc, scale, a > 0)


@stands_for("scipy.stats.chi2.ppf")
def chi2_ppf(q, df, loc=0, scale=1):
    return gamma_ppf(q, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.chi2.isf")
def chi2_isf(q, df, loc=0, scale=1):
    return gamma_isf(q, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.invgamma.ppf")
def invgamma_ppf(q, a, loc=0, scale=1):
    q, a = numbers(q), numbers(a)
    return placed(q, 1.0 / gammainccinv(a, within(q)), 0.0, np.inf, loc, scale, a > 0)


@stands_for("scipy.stats.invgamma.isf")
def invgamma_isf(q, a, loc=0, scale=1):
    q, a = numbers(q), numbers(a)
    return placed(q, 1.0 / gammaincinv(a, within(q)), np.inf, 0.0, loc, scale, a > 0)


@stands_for("scipy.stats.beta.ppf")
def beta_ppf(q, a, b, loc=0, scale=1):
    q, a, b = numbers(q), numbers(a), numbers(b)
    return placed(q, betaincinv(a, b, within(q)), 0.0, 1.0, loc, scale, (a > 0) & (b > 0))


@stands_for("scipy.stats.beta.isf")
def beta_isf(q, a, b, loc=0, scale=1):
    q, a, b = numbers(q), numbers(a), numbers(b)
    return placed(q, betainccinv(a, b, within(q)), 1.0, 0.0, loc, scale, (a > 0) & (b > 0))


@stands_for("scipy.stats.t.ppf")
def t_ppf(q, df, loc=0, scale=1):
    q, df = numbers(q), numbers(df)
    return placed(q, stdtrit(df, within(q)), -np.inf, np.inf, loc, scale, df > 0)


@stands_for("scipy.stats.t.isf")
def t_isf(q, df, loc=0, scale=1):
    q, df = numbers(q), numbers(df)
    return placed(q, -stdtrit(df, within(q)), np.inf, -np.inf, loc, scale, df > 0)


@stands_for("scipy.stats.f.ppf")
def f_ppf(q, dfn, dfd, loc=0, scale=1):
    """By both parts of what is a beta variable, each as exact as it is small."""
    q, n, d = numbers(q), numbers(dfn), numbers(dfd)
    p = within(q)
    made = d * betaincinv(0.5 * n, 0.5 * d, p) / (n * betainccinv(0.5 * d, 0.5 * n, p))
    return placed(q, made, 0.0, np.inf, loc, scale, (n > 0) & (d > 0))


@stands_for("scipy.stats.f.isf")
def f_isf(q, dfn, dfd, loc=0, scale=1):
    q, n, d = numbers(q), numbers(dfn), numbers(dfd)
    p = within(q)
    made = d * betainccinv(0.5 * n, 0.5 * d, p) / (n * betaincinv(0.5 * d, 0.5 * n, p))
    return placed(q, made, np.inf, 0.0, loc, scale, (n > 0) & (d > 0))
