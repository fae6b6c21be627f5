"""Gamma numbers and what is made of them. As a function of its shape such a number keeps the share of the distribution
that lies below it (implicit reparameterisation: Figurnov, Mohamed and Mnih 2018)."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gammainc, gammaln

from codegen.definitions.generators.elements import drawn, of_generator
from codegen.primitives.shape import expansion_point, with_slope, without_slope

LEAST_BETA = 3e-103  # parameters of beta, below which it is 0 or 1


def one_gamma(self, shape, scale):
    return scale * standard_one(self, shape)


def standard_one(self, shape):
    x = self._standard_gamma(without_slope(shape))
    return with_slope(x, with_shape(x, shape))


def with_shape(x, shape):
    """What is drawn as a function of the shape: the share below it is what it is."""
    at = expansion_point("a draw of gamma", 1, x, shape)
    held = without_slope(shape)
    if not at > 0.0:
        return x
    density = np.exp((held - 1.0) * np.log(at) - at - gammaln(held))
    return x - gammainc(shape, at) / density


def one_beta(self, a, b):
    if a <= 1.0 and b <= 1.0:
        if a < LEAST_BETA and b < LEAST_BETA:
            return 1.0 if (a + b) * self.random() < a else 0.0
        while True:
            u, v = self.random(), self.random()
            x, y = u ** (1.0 / a), v ** (1.0 / b)
            if x + y <= 1.0 and u + v > 0.0:
                break
        if x > 0.0 and y > 0.0:
            return x / (x + y)
        x, y = np.log(u) / a, np.log(v) / b
        largest = max(x, y)
        x, y = x - largest, y - largest
        return np.exp(x - np.log(np.exp(x) + np.exp(y)))
    x = standard_one(self, a)
    return x / (x + standard_one(self, b))


def one_chisquare(self, df, _):
    return 2.0 * standard_one(self, df / 2.0)


def one_f(self, dfnum, dfden):
    above = one_chisquare(self, dfnum, 0.0) * dfden
    return above / (one_chisquare(self, dfden, 0.0) * dfnum)


def one_standard_t(self, df, _):
    z = self.standard_normal()
    return np.sqrt(df / 2.0) * z / np.sqrt(standard_one(self, df / 2.0))


@of_generator
def standard_gamma(self, shape, size=None):
    if np.any(shape < 0):
        raise ValueError("shape < 0")
    return drawn(one_gamma, self, np.float64, size, shape, 1.0)


@of_generator
def gamma(self, shape, scale=1.0, size=None):
    if np.any(shape < 0):
        raise ValueError("shape < 0")
    if np.any(scale < 0):
        raise ValueError("scale < 0")
    return drawn(one_gamma, self, np.float64, size, shape, scale)


@of_generator
def beta(self, a, b, size=None):
    if np.any(a <= 0):
        raise ValueError("a <= 0")
    if np.any(b <= 0):
        raise ValueError("b <= 0")
    return drawn(one_beta, self, np.float64, size, a, b)


@of_generator
def chisquare(self, df, size=None):
    if np.any(df <= 0):
        raise ValueError("df <= 0")
    return drawn(one_chisquare, self, np.float64, size, df, 0.0)


@of_generator
def f(self, dfnum, dfden, size=None):
    if np.any(dfnum <= 0):
        raise ValueError("dfnum <= 0")
    if np.any(dfden <= 0):
        raise ValueError("dfden <= 0")
    return drawn(one_f, self, np.float64, size, dfnum, dfden)


@of_generator
def standard_t(self, df, size=None):
    if np.any(df <= 0):
        raise ValueError("df <= 0")
    return drawn(one_standard_t, self, np.float64, size, df, 0.0)
