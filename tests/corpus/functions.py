"""Mathematical functions: math, NumPy, scipy.special."""

import math
from math import exp as e

import numpy as np
from scipy import special
from scipy.special import gammaln, logsumexp

from corpus.case import case


@case(0.3, 0.8, marks="differentiable")
def functions_of_math(x):
    a = math.sin(x) + math.cos(x) + math.tan(x) + math.asin(x) + math.acos(x) + math.atan(x)
    b = math.sinh(x) + math.cosh(x) + math.tanh(x) + math.asinh(x) + math.atanh(x) + math.acosh(1.0 + x)
    c = (
        math.exp(x)
        + math.expm1(x)
        + math.log(x)
        + math.log2(x)
        + math.log10(x)
        + math.log1p(x)
        + math.log(x, 3.0)
    )
    d = math.sqrt(x) + math.pow(x, 2.5) + math.hypot(x, 2.0) + math.atan2(x, 2.0) + math.copysign(x, -1.0)
    return a, b, c, d, math.fabs(-x), math.erf(x), math.erfc(x), math.lgamma(x), math.pi, math.e


@case(0.3, 0.8, marks="differentiable")
def functions_of_numpy(x):
    a = np.sin(x) + np.arcsin(x) + np.arctan(x) + np.cbrt(x) + np.exp2(x) + np.square(x) + np.reciprocal(x)
    b = np.logaddexp(x, 2.0) + np.log2(x) + np.hypot(x, 1.0) + np.power(x, 3) + np.maximum(x, 0.5) + np.abs(x)
    return a, b, np.pi * x, np.e


@case(np.array([0.3, 1.8]), np.array([2.5, 0.7]), marks="arrays differentiable")
def functions_of_scipy(x):
    return (
        gammaln(x), special.digamma(x), special.erf(x), special.erfc(x), special.expit(x),
        special.log_expit(x), logsumexp(x), special.softmax(x), special.xlogy(x, x + 1.0), special.ndtr(x),
    )  # fmt: skip


@case((0.5, 2.5), (1.5, -0.3), (3.0, 0.0), marks="differentiable")
def powers(x, y):
    return x**y + x**2.5 + x**-0.5, x**-2 + (x + 1.0) ** (y * y)


@case(np.float32(0.3), np.float32(1.8), marks="f4 differentiable")
def functions_of_float32(x):
    a = np.exp(-x) + np.log(x) * np.log1p(x) - np.expm1(x) + np.tanh(x)
    b = np.sin(x) * np.cos(x) + x**2.5 + np.logaddexp(x, -x)
    return a, b, special.erf(x) + special.erfc(x), special.expit(x) * special.log_expit(x), gammaln(x)


@case((1.5, np.array([1.0, 2.0, 3.0])), (0.2, np.array([0.0, -1.0, 5.0])), marks="arrays differentiable")
def log_density(mu, y):
    tau = e(mu)
    return -0.5 * np.sum(((y - mu) / tau) ** 2) - len(y) * (math.log(tau) + 0.5 * math.log(2.0 * math.pi))


@case(
    (0.5, np.array([[1.0, 0.5], [0.2, -1.0]]), np.array([1.0, 0.0])),
    (-1.5, np.eye(2), np.array([0.0, 1.0])),
    marks="arrays differentiable",
)
def logistic_regression(b, x, y):
    beta = np.array([b, -b * 0.5])
    eta = x @ beta
    return np.sum(y * eta - np.logaddexp(0.0, eta)) - 0.5 * np.sum(beta**2)
