"""Incomplete gamma functions, each number by its own loop.

Series and continued fraction: DLMF 8.7.1 and 8.9.2, by its numerators and denominators. What stands before them is
taken about the largest term, where nothing cancels (Didonato and Morris 1986).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import erfc, gamma, gammaln

from codegen.definitions.special import (
    OF_ZETA,
    flat,
    floats_of,
    in_loop,
    log_gamma_by_series,
    numbers,
    rest_of_stirling,
)
from codegen.definitions.table import stands_for
from codegen.primitives.shape import with_partial, with_slope, without_partial

EPS = 1.1102230246251565e-16
TINY = 1e-300
LEAST = 1e-300  # parameters below it count as it: their gamma functions overflow
MUCH = 2.0**200  # by which numerators and denominators are divided before they overflow
SURE = 1e-250  # largest terms below it may have lost digits
EXP_TEN = 22026.465794806718
NEAR_END = 0.01
# f(eta) = eta / (lambda - 1) in eta, from the first power on, where eta**2 / 2 = lambda - 1 - log(lambda)
ABOUT_LARGEST = (
    -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
    0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06,
    -1.85406221071516e-06, 8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09,
    1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10, -2.5514193994946248e-11,
    -5.830772132550426e-11, 2.4361948020667415e-11, -5.0276692801141755e-12, 1.1004392031956135e-13,
    3.371763262400985e-13, -1.392388722418162e-13, 2.8534893807047445e-14, -5.139111834242572e-16,
    -1.9752288294349442e-15, 8.099521156704561e-16, -1.6522531216398162e-16,
)  # fmt: skip
ORDERS = 8  # so many derivatives are right also where the first term of a series is all of the value


def share_of_gamma(x1, x2, is_upper, is_count, is_log=False):
    """Below or above x2, in the dtype of SciPy's loop, or its logarithm; `is_count`: x1 is ints, of which nobody asks a
    slope."""
    a, x = numbers(x1), numbers(x2)
    shape = (a + x).shape
    a, x = flat(a, shape), flat(x, shape)
    made, apart = np.empty(len(a)), without_partial(x)
    largest = largest_of_small_gamma(a, apart)
    by_x = with_slope(largest, largest_of_small_gamma(a, x))
    for k in range(len(a)):
        part, is_above = part_of_one(a[k], apart[k], largest[k], is_upper, is_count, is_log)
        part = with_partial(part, x[k], (-1.0 if is_above else 1.0) * density_of_gamma(a[k], x[k], by_x[k]))
        is_asked = is_above == is_upper
        made[k] = log_of_part(part, is_asked) if is_log else part if is_asked else 1.0 - part
    return in_loop(made.reshape(shape), floats_of(x1) + floats_of(x2))


def log_of_part(part, is_asked):
    """The logarithm of a share, of which the part is given, or what it leaves of 1."""
    if not is_asked:
        return np.log1p(-part)
    return -np.inf if part <= 0.0 else np.log(part)


def largest_of_small_gamma(a, x):
    """x**a exp(-x) / gamma(a) of numbers that are not large, as vectors: by Stirling's formula for a + 10. 0 of
    others."""
    fit = (a > 0.0) & (a < 100.0)  # apart from x: all of known parameters alone is known
    small = fit & (x > 0.0) & (x < 700.0)
    a, x = np.where(fit, a, 1.0), np.where(small, x, 1.0)
    p = a + 10.0
    root = EXP_TEN * np.sqrt(p / (2.0 * np.pi))
    power = (x / p) ** a * np.exp((a - x) - rest_of_stirling(p))
    return np.where(small, rising_ten(a) / tenth_power(p) * root * power, 0.0)


def rising_ten(z):
    """z (z + 1) ... (z + 9), the first by the last and so on."""
    w = z * (z + 9.0)
    return w * (w + 8.0) * (w + 14.0) * (w + 18.0) * (w + 20.0)


def tenth_power(z):
    """By products: of an exponential the last digits of 10 log z would be lost."""
    w = z * z
    v = w * w
    return v * v * w


@stands_for("scipy.special.gammainc")
def lower(x1, x2):
    return share_of_gamma(x1, x2, False, False)


@stands_for("scipy.special.gammaincc")
def upper(x1, x2):
    return share_of_gamma(x1, x2, True, False)


def density_of_gamma(a, x, largest):
    """x**(a - 1) exp(-x) / gamma(a)."""
    if not (a > 0.0 and x >= 0.0) or np.isinf(a) or np.isinf(x):
        return 0.0
    if x < NEAR_END and a < 20.0:  # where the slope of a quotient by x would cancel
        return x ** (a - 1.0) * np.exp(-x) / gamma(a)
    if x == 0.0:
        return 0.0
    return (largest if largest > SURE else largest_term(a, x)) / x


def share_of_one(a, x, is_upper):
    """Below or above x, of one number."""
    part, is_above = part_of_one(a, x, largest_of_small_gamma(a, x), False, False, True)
    return part if is_above == is_upper else 1.0 - part


def part_of_one(a, x, largest, is_upper, is_count, is_either):
    """The part that converges fast and does not cancel, and whether it is what is above x; each is written out once.
    Near 0, where much is below, what is above is for who asks for it, or for either. `is_count`: a is an int, of which
    nobody asks a slope."""
    if not (a >= 0.0 and x >= 0.0) or a == 0.0 and x == 0.0 or np.isinf(a) and np.isinf(x):
        return np.nan, is_upper
    if a == 0.0 or np.isinf(x):
        return 0.0, True
    if np.isinf(a):
        return 0.0, False
    a = max(a, LEAST)
    if a >= 20.0 and x > 0.32 * a and x < 2.3 * a:
        return part_about_largest(a, x)
    if a > 1e8 and x > 0.0:
        return 0.0, x > a
    if (is_upper or is_either) and x <= 1.1 and x > 0.0:
        near = 0.75 * x if x > 0.5 else -0.4 / np.log(x)
        if near >= a:
            return upper_by_series(a, x), True
    made = largest if largest > SURE else largest_term(a, x) if x > 0.0 else largest_at_zero(a, x)
    if x > 1.0 and x > a:
        return made * upper_by_fraction(a, x, is_count) if made > 0.0 else 0.0, True
    return made * lower_by_series(a, x), False


def lower_by_series(a, x):
    """Two terms by one division."""
    term, total, n = 1.0, 1.0, a
    while term > EPS * total or n < a + ORDERS:
        n = n + 2.0
        before = term * x / ((n - 1.0) * n)
        term = before * x
        total = total + (before * n + term)
    return total / a


def upper_by_series(a, x):
    """Of small numbers."""
    term, total, n = 1.0, 0.0, 0.0
    more = 1.0
    while abs(more) > EPS * abs(total) or n < ORDERS:
        n = n + 1.0
        term = -term * x / n
        more = term / (a + n)
        total = total + more
    log_size = a * np.log(x) - log_gamma_after_one(a)
    return -np.expm1(log_size) - np.exp(log_size) * a * total


def log_gamma_after_one(a):
    """log gamma(1 + a), to the last digit near 0."""
    return gammaln(1.0 + a) if a > 0.5 else log_gamma_by_series(a, len(OF_ZETA))


def upper_by_fraction(a, x, is_count):
    """Of an int the fraction ends early, its slope does not, and takes as many terms as beside it."""
    made, n = fraction_of_gamma(a, x)
    if is_count:
        return made
    terms = max(n, 15.0 + 90.0 / x) if np.floor(a) == a else n
    return with_slope(made, fraction_of_gamma(a, x, terms)[0])


def fraction_of_gamma(a, x, terms=None):
    """With the number of its terms: so many as are wanted, or as settle it."""
    b, n = x + 1.0 - a, 0.0
    over, under, over_before, under_before = 1.0, b, 0.0, 1.0
    made, settled = 1.0 / b, False
    while not settled if terms is None else n < terms:
        if abs(under) > MUCH:
            over, over_before, under, under_before = (
                over / MUCH,
                over_before / MUCH,
                under / MUCH,
                under_before / MUCH,
            )
        n, b = n + 1.0, b + 2.0
        numerator = n * (a - n)
        over, over_before = b * over + numerator * over_before, over
        under, under_before = b * under + numerator * under_before, under
        before, made = made, over / apart_from_zero(under)
        settled = not abs(made - before) > 2.0 * EPS * abs(made)
    return made, n


def part_about_largest(a, x):
    """Of an a that is not small, by what it leaves of a normal distribution (DLMF 8.12.3 and 8.12.4), as a series whose
    terms follow from the last on (Gil, Segura and Temme 2012, section 2.3)."""
    off, inverse = (x - a) / a, 1.0 / a
    by_square = -log1p_less_by_square(off)
    exponent = a * off * off * by_square
    eta = off * np.sqrt(2.0 * by_square)
    total, term, before, n = 0.0, 0.0, 0.0, len(ABOUT_LARGEST) + 1.0
    for each in reversed(ABOUT_LARGEST):
        term, before = n * inverse * before + each, term
        total, n = total * eta + term, n - 1.0
    rest = np.exp(-exponent) * total / ((1.0 + before * inverse) * np.sqrt(2.0 * np.pi * a))
    is_above = x > a
    side = 1.0 if is_above else -1.0
    return 0.5 * erfc(side * eta * np.sqrt(0.5 * a)) + side * rest, is_above


def apart_from_zero(x):
    return x if abs(x) > TINY else TINY


def largest_term(a, x):
    """x**a exp(-x) / gamma(a)."""
    if a < 20.0:
        return np.exp(a * np.log(x) - x - gammaln(a))
    exponent = a * np.log(x / a) - x + a if x < 0.5 * a else a * log1p_less((x - a) / a)
    return np.sqrt(a / (2.0 * np.pi)) * np.exp(exponent - rest_of_stirling(a))


def largest_at_zero(a, x):
    """The same of x = 0, with its slopes, which are 0 of large a."""
    return with_slope(0.0, x**a * np.exp(-x) / gamma(a)) if a < 20.0 else 0.0


def log1p_less(u):
    """log(1 + u) - u."""
    if abs(u) > 0.4:
        return np.log1p(u) - u
    r = u / (2.0 + u)
    s = r * r
    return r * (2.0 * s * tail_of_atanh(s) - u)


def log1p_less_by_square(u):
    """The same by u**2, which is smooth at 0."""
    if abs(u) > 0.4:
        return (np.log1p(u) - u) / (u * u)
    r = u / (2.0 + u)
    return (2.0 * r * tail_of_atanh(r * r) / (2.0 + u) - 1.0) / (2.0 + u)


def tail_of_atanh(s):
    """atanh(r) / r less 1, by s = r**2, which is at most 1 / 16."""
    tail, k = 0.0, 31.0
    for _ in range(15):
        tail = 1.0 / k + s * tail
        k = k - 2.0
    return tail
