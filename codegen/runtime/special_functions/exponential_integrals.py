"""Exponential integrals: expn(n, x), exp1(x), expi(x).

E of any order by its series for x up to 1 (DLMF 8.19.8) and by a continued fraction beyond (8.19.17); Ei by its series
(6.6.2), near its zero about that, and from 40 on by the asymptotic series (6.12.2).
"""

import math

import numpy as np
from numba import njit

EULERS_NUMBER = 0.5772156649015329
# The zero of Ei, in two parts.
EXPI_ZERO, EXPI_ZERO_REST = 0.37250741078136663, 1.3140183414386028e-17


@njit(error_model="numpy")
def integral_near(n: float, x: float) -> float:
    """Of x above 0 and up to 1."""
    digamma_n = -EULERS_NUMBER
    factor = 1.0  # (-x)^(n - 1) / (n - 1)!
    for j in range(1, int(min(n, 400.0))):
        digamma_n += 1.0 / j
        factor *= -x / j
    total = factor * (digamma_n - math.log(x))
    term, k = 1.0, 0.0
    while (abs(term) > 1e-17 * abs(total) or k <= n) and k < 400.0:
        if k != n - 1.0:
            total -= term / (k - n + 1.0)
        k += 1.0
        term *= -x / k
    return total


@njit(error_model="numpy")
def integral_far(n: float, x: float) -> float:
    """exp(x) times it, of x from 1 on."""
    terms = int(90.0 / x) + 12
    made = x + n + 2.0 * terms
    for k in range(terms, 0, -1):
        made = x + n + 2.0 * (k - 1.0) - k * (n - 1.0 + k) / made
    return 1.0 / made


@njit(error_model="numpy")
def expn(n: float, x: float) -> float:
    """scipy.special.expn: the integral of exp(-x t) / t^n over t from 1 on, of whole n."""
    n = np.trunc(n)
    if not (n >= 0.0 and x >= 0.0):
        return math.nan
    if x > 750.0:
        return 0.0
    if x == 0.0:
        return math.inf if n < 2.0 else 1.0 / (n - 1.0)
    if n == 0.0:
        return math.exp(-x) / x
    if x > 1.0 or n > 300.0:
        return math.exp(-x) * integral_far(n, x)
    return integral_near(n, x)


@njit(error_model="numpy")
def exp1(x: float) -> float:
    """scipy.special.exp1."""
    return expn(1.0, x)


@njit(error_model="numpy")
def expi(x: float) -> float:
    """scipy.special.expi: the principal value of the integral of exp(t) / t up to x."""
    if x == 0.0:
        return -math.inf
    if x < 0.0:
        return -expn(1.0, -x)
    if not x < 710.0:
        return x if x != x else math.inf if x > 716.0 else math.exp(x - 1.0) * (math.e / x) * (1.0 + 1.0 / x)
    if abs(x - EXPI_ZERO) < 0.1:
        return near_zero_of_expi((x - EXPI_ZERO) - EXPI_ZERO_REST)
    total, term, k = 0.0, 1.0, 0.0
    if x < 40.0:
        while term > 1e-18 * total:
            k += 1.0
            term *= x / k
            total += term / k
        return EULERS_NUMBER + math.log(x) + total
    while term > 1e-17 * total and k < x:
        total += term
        k += 1.0
        term *= k / x
    return math.exp(x) * total / x


@njit(error_model="numpy")
def near_zero_of_expi(h: float) -> float:
    """Of the zero and h: the integral of exp(zero + t) / (zero + t) up to h, as a power series."""
    c, power, factorial, total, k = 1.0, h, 1.0, 0.0, 0.0
    more = 1.0
    while abs(more) > 1e-18 * abs(total) and k < 60.0:
        more = c * power / (k + 1.0)
        total += more
        k += 1.0
        factorial /= k
        c = factorial - c / EXPI_ZERO
        power *= h
    return math.exp(EXPI_ZERO) / EXPI_ZERO * total
