"""Continuous numbers by a formula of one basic draw or two."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.generators.elements import common, drawn, of_generator, pythons


def one_laplace(self, loc, scale):
    u = self.random()
    while u == 0.0:
        u = self.random()
    return loc - scale * np.log(2.0 - u - u) if u >= 0.5 else loc + scale * np.log(u + u)


def one_gumbel(self, loc, scale):
    u = 1.0 - self.random()
    while u == 1.0:
        u = 1.0 - self.random()
    return loc - scale * np.log(-np.log(u))


def one_logistic(self, loc, scale):
    u = self.random()
    while u == 0.0:
        u = self.random()
    return loc + scale * np.log(u / (1.0 - u))


def one_standard_cauchy(self, _, __):
    z = self.standard_normal()
    return z / self.standard_normal()


def one_wald(self, mean, scale):
    y = self.standard_normal()
    y = mean * y * y
    x = mean * (1.0 - 2.0 / (1.0 + np.sqrt(1.0 + 4.0 * scale / y)))
    return x if self.random() <= mean / (mean + x) else mean * mean / x


@of_generator
def laplace(self, loc=0.0, scale=1.0, size=None):
    if np.any(scale < 0):
        raise ValueError("scale < 0")
    return drawn(one_laplace, self, np.float64, size, loc, scale)


@of_generator
def gumbel(self, loc=0.0, scale=1.0, size=None):
    if np.any(scale < 0):
        raise ValueError("scale < 0")
    return drawn(one_gumbel, self, np.float64, size, loc, scale)


@of_generator
def logistic(self, loc=0.0, scale=1.0, size=None):
    if np.any(scale < 0):
        raise ValueError("scale < 0")
    return drawn(one_logistic, self, np.float64, size, loc, scale)


@of_generator
def standard_cauchy(self, size=None):
    return drawn(one_standard_cauchy, self, np.float64, size, 0.0, 0.0)


@of_generator
def wald(self, mean, scale, size=None):
    if np.any(mean <= 0):
        raise ValueError("mean <= 0")
    if np.any(scale <= 0):
        raise ValueError("scale <= 0")
    return drawn(one_wald, self, np.float64, size, mean, scale)


@of_generator
def lognormal(self, mean=0.0, sigma=1.0, size=None):
    if np.any(sigma < 0):
        raise ValueError("sigma < 0")
    return pythons(np.exp(mean + sigma * self.standard_normal(common(size, mean, sigma))))


@of_generator
def rayleigh(self, scale=1.0, size=None):
    if np.any(scale < 0):
        raise ValueError("scale < 0")
    return pythons(scale * np.sqrt(2.0 * self.standard_exponential(common(size, scale, 0.0))))


@of_generator
def pareto(self, a, size=None):
    if np.any(a <= 0):
        raise ValueError("a <= 0")
    return pythons(np.expm1(self.standard_exponential(common(size, a, 0.0)) / a))


@of_generator
def weibull(self, a, size=None):
    if np.any(a < 0):
        raise ValueError("a < 0")
    return drawn(one_weibull, self, np.float64, size, a, 0.0)


def one_weibull(self, a, _):
    return 0.0 if a == 0.0 else self.standard_exponential() ** (1.0 / a)


@of_generator
def power(self, a, size=None):
    if np.any(a <= 0):
        raise ValueError("a <= 0")
    return pythons((-np.expm1(-self.standard_exponential(common(size, a, 0.0)))) ** (1.0 / a))


@of_generator
def triangular(self, left, mode, right, size=None):
    if np.any(left > mode):
        raise ValueError("left > mode")
    if np.any(mode > right):
        raise ValueError("mode > right")
    if np.any(left == right):
        raise ValueError("left == right")
    u = self.random(common(size, left + mode, right))
    base, rising = right - left, mode - left
    below = u <= rising / base
    root = np.sqrt(np.where(below, u * (rising * base), (1.0 - u) * ((right - mode) * base)))
    return pythons(np.where(below, left + root, right - root))
