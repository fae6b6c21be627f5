"""Densities, masses and distribution functions of scipy.stats, by the logarithms in statistics.py or by themselves."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import erf, expit, log_expit, log_ndtr, ndtr, ndtri

from codegen.definitions import statistics
from codegen.definitions.special import numbers
from codegen.definitions.table import stands_for

ROOT_HALF = 0.7071067811865476


def share(z, scale, made):
    """A distribution function, NaN where there is no distribution."""
    return np.where((scale > 0) & ~np.isnan(z), made, np.nan)


@stands_for("scipy.stats.norm.pdf")
def norm_pdf(x, loc=0, scale=1):
    return np.exp(statistics.norm(x, loc, scale))


@stands_for("scipy.stats.expon.pdf")
def expon_pdf(x, loc=0, scale=1):
    return np.exp(statistics.expon(x, loc, scale))


@stands_for("scipy.stats.uniform.pdf")
def uniform_pdf(x, loc=0, scale=1):
    return np.exp(statistics.uniform(x, loc, scale))


@stands_for("scipy.stats.laplace.pdf")
def laplace_pdf(x, loc=0, scale=1):
    return np.exp(statistics.laplace(x, loc, scale))


@stands_for("scipy.stats.logistic.pdf")
def logistic_pdf(x, loc=0, scale=1):
    return np.exp(statistics.logistic(x, loc, scale))


@stands_for("scipy.stats.cauchy.pdf")
def cauchy_pdf(x, loc=0, scale=1):
    return np.exp(statistics.cauchy(x, loc, scale))


@stands_for("scipy.stats.halfnorm.pdf")
def halfnorm_pdf(x, loc=0, scale=1):
    return np.exp(statistics.halfnorm(x, loc, scale))


@stands_for("scipy.stats.halfcauchy.pdf")
def halfcauchy_pdf(x, loc=0, scale=1):
    return np.exp(statistics.halfcauchy(x, loc, scale))


@stands_for("scipy.stats.t.pdf")
def student_t_pdf(x, df, loc=0, scale=1):
    return np.exp(statistics.student_t(x, df, loc, scale))


@stands_for("scipy.stats.gamma.pdf")
def gamma_pdf(x, a, loc=0, scale=1):
    return np.exp(statistics.gamma(x, a, loc, scale))


@stands_for("scipy.stats.chi2.pdf")
def chi2_pdf(x, df, loc=0, scale=1):
    return np.exp(statistics.chi2(x, df, loc, scale))


@stands_for("scipy.stats.invgamma.pdf")
def invgamma_pdf(x, a, loc=0, scale=1):
    return np.exp(statistics.invgamma(x, a, loc, scale))


@stands_for("scipy.stats.beta.pdf")
def beta_pdf(x, a, b, loc=0, scale=1):
    return np.exp(statistics.beta(x, a, b, loc, scale))


@stands_for("scipy.stats.lognorm.pdf")
def lognorm_pdf(x, s, loc=0, scale=1):
    return np.exp(statistics.lognorm(x, s, loc, scale))


@stands_for("scipy.stats.pareto.pdf")
def pareto_pdf(x, b, loc=0, scale=1):
    return np.exp(statistics.pareto(x, b, loc, scale))


@stands_for("scipy.stats.weibull_min.pdf")
def weibull_min_pdf(x, c, loc=0, scale=1):
    return np.exp(statistics.weibull_min(x, c, loc, scale))


@stands_for("scipy.stats.poisson.pmf")
def poisson_pmf(k, mu, loc=0):
    return np.exp(statistics.poisson(k, mu, loc))


@stands_for("scipy.stats.bernoulli.pmf")
def bernoulli_pmf(k, p, loc=0):
    return np.exp(statistics.bernoulli(k, p, loc))


@stands_for("scipy.stats.binom.pmf")
def binom_pmf(k, n, p, loc=0):
    return np.exp(statistics.binom(k, n, p, loc))


@stands_for("scipy.stats.geom.pmf")
def geom_pmf(k, p, loc=0):
    return np.exp(statistics.geom(k, p, loc))


@stands_for("scipy.stats.nbinom.pmf")
def nbinom_pmf(k, n, p, loc=0):
    return np.exp(statistics.nbinom(k, n, p, loc))


@stands_for("scipy.stats.f.pdf")
def fisher_pdf(x, dfn, dfd, loc=0, scale=1):
    return np.exp(statistics.fisher(x, dfn, dfd, loc, scale))


@stands_for("scipy.stats.skewnorm.pdf")
def skewnorm_pdf(x, a, loc=0, scale=1):
    return np.exp(statistics.skewnorm(x, a, loc, scale))


@stands_for("scipy.stats.vonmises.pdf")
def vonmises_pdf(x, kappa, loc=0, scale=1):
    return np.exp(statistics.vonmises(x, kappa, loc, scale))


@stands_for("scipy.stats.truncnorm.pdf")
def truncnorm_pdf(x, a, b, loc=0, scale=1):
    return np.exp(statistics.truncnorm(x, a, b, loc, scale))


@stands_for("scipy.stats.betabinom.pmf")
def betabinom_pmf(k, n, a, b, loc=0):
    return np.exp(statistics.betabinom(k, n, a, b, loc))


@stands_for("scipy.stats.hypergeom.pmf")
def hypergeom_pmf(k, M, n, N, loc=0):
    return np.exp(statistics.hypergeom(k, M, n, N, loc))


@stands_for("scipy.stats.dirichlet.pdf")
def dirichlet_pdf(x, alpha):
    return np.exp(statistics.dirichlet(x, alpha))


@stands_for("scipy.stats.multinomial.pmf")
def multinomial_pmf(x, n, p):
    return np.exp(statistics.multinomial(x, n, p))


@stands_for("scipy.stats.multivariate_normal.pdf")
def multivariate_normal_pdf(x, mean=None, cov=1):
    return np.exp(statistics.multivariate_normal(x, mean, cov))


@stands_for("scipy.stats.norm.cdf")
def norm_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, ndtr(z))


@stands_for("scipy.stats.norm.logcdf")
def norm_logcdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, log_ndtr(z))


@stands_for("scipy.stats.norm.sf")
def norm_sf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, ndtr(-z))


@stands_for("scipy.stats.norm.logsf")
def norm_logsf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, log_ndtr(-z))


@stands_for("scipy.stats.norm.ppf")
def norm_ppf(q, loc=0, scale=1):
    q, scale = numbers(q), numbers(scale)
    return np.where((q >= 0) & (q <= 1), share(q, scale, ndtri(q) * scale + loc), np.nan)


@stands_for("scipy.stats.expon.cdf")
def expon_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, -np.expm1(-np.maximum(z, 0.0)))


@stands_for("scipy.stats.uniform.cdf")
def uniform_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, np.clip(z, 0.0, 1.0))


@stands_for("scipy.stats.laplace.cdf")
def laplace_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    tail = 0.5 * np.exp(-np.abs(z))
    return share(z, scale, np.where(z > 0, 1.0 - tail, tail))


@stands_for("scipy.stats.logistic.cdf")
def logistic_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, expit(z))


@stands_for("scipy.stats.logistic.logcdf")
def logistic_logcdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, log_expit(z))


@stands_for("scipy.stats.cauchy.cdf")
def cauchy_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, np.arctan2(1.0, -z) / np.pi)


@stands_for("scipy.stats.halfnorm.cdf")
def halfnorm_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, erf(ROOT_HALF * np.maximum(z, 0.0)))


@stands_for("scipy.stats.halfcauchy.cdf")
def halfcauchy_cdf(x, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return share(z, scale, 2.0 / np.pi * np.arctan(np.maximum(z, 0.0)))


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
    made = -np.expm1(-(np.maximum(z, 0.0) ** np.where(c > 0, c, 1.0)))
    return np.where(c > 0, share(z, scale, made), np.nan)
