"""Incomplete gamma and beta functions and the distribution functions that they are, each number by its own loop.

Series and continued fractions: DLMF 8.7.1 and 8.9.2, by its numerators and denominators, and 8.17.22.
What stands before them is taken about the largest term, where nothing cancels (Didonato and Morris 1986, 1992).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import betainc, digamma, erfc, gamma, gammainc, gammaincc, gammaln, ndtr

from codegen.definitions.distributions import share
from codegen.definitions.special import (
    floats_of,
    in_loop,
    log_beta,
    log_beta_of_numbers,
    log_gamma_after_one,
    log_gamma_by_series,
    numbers,
    plus,
    rest_of_stirling,
    size_of,
    with_slope,
)
from codegen.definitions.table import stands_for

EPS = 1.1102230246251565e-16
TINY = 1e-300
LEAST = 1e-300  # parameters below it count as it: their gamma functions overflow
MUCH = 2.0**200  # by which numerators and denominators are divided before they overflow
MOST = 1e7  # terms of a fraction: what has not settled by then is NaN


def flat(x, shape):
    return np.broadcast_to(x, shape).reshape(-1)


def of_each(f, x1, x2):
    """f of each pair of numbers, in the dtype of SciPy's loop."""
    a, x = numbers(x1), numbers(x2)
    shape = (a + x).shape
    a, x = flat(a, shape), flat(x, shape)
    made = np.empty(len(a))
    for k in range(len(a)):
        made[k] = f(a[k], x[k])
    return in_loop(made.reshape(shape), floats_of(x1) + floats_of(x2))


@stands_for("scipy.special.gammainc")
def lower(x1, x2):
    return of_each(lower_of_one, x1, x2)


@stands_for("scipy.special.gammaincc")
def upper(x1, x2):
    return of_each(upper_of_one, x1, x2)


def lower_of_one(a, x):
    return part_of_one(a, x, False, False)


def upper_of_one(a, x):
    return part_of_one(a, x, True, False)


def upper_of_count(a, x):
    return part_of_one(a, x, True, True)


def part_of_one(a, x, is_upper, is_count):
    """By what converges fast and does not cancel; each is written out once. `is_count`: a is an int, of which nobody
    asks a slope."""
    if not (a >= 0.0 and x >= 0.0) or a == 0.0 and x == 0.0 or np.isinf(a) and np.isinf(x):
        return np.nan
    if a == 0.0 or np.isinf(x):
        return 0.0 if is_upper else 1.0
    if np.isinf(a):
        return 1.0 if is_upper else 0.0
    a = max(a, LEAST)
    if x == 0.0:
        return 1.0 - x**a if is_upper else x**a  # which has the slope there
    if a > 1e8:
        return upper_about_largest(a, x, 1.0 if is_upper else -1.0)
    if is_upper and x <= 1.1:
        near = 0.75 * x if x > 0.5 else -0.4 / np.log(x)
        if near >= a:
            return upper_by_series(a, x)
    if x > 1.0 and x > a:
        made = largest_term(a, x)
        made = made * upper_by_fraction(a, x, is_count) if made > 0.0 else 0.0
        return made if is_upper else 1.0 - made
    made = largest_term(a, x) * lower_by_series(a, x)
    return 1.0 - made if is_upper else made


def lower_by_series(a, x):
    """Two terms by one division."""
    term, total, n = 1.0, 1.0, a
    while term > EPS * total:
        n = n + 2.0
        before = term * x / ((n - 1.0) * n)
        term = before * x
        total = total + (before * n + term)
    return total / a


def upper_by_series(a, x):
    """Of small numbers."""
    term, total, n = 1.0, 0.0, 0.0
    more = 1.0
    while abs(more) > EPS * abs(total):
        n = n + 1.0
        term = -term * x / n
        more = term / (a + n)
        total = total + more
    log_size = a * np.log(x) - log_gamma_after_one(a)
    return -np.expm1(log_size) - np.exp(log_size) * a * total


def upper_by_fraction(a, x, is_count):
    """Of an int the fraction ends early, its slope does not: as many terms as beside it, of which the slope counts."""
    least = 15.0 + 90.0 / x if not is_count and np.floor(a) == a else 0.0
    b = x + 1.0 - a
    over, under, over_before, under_before = 1.0, b, 0.0, 1.0
    made, value, settled, n = 1.0 / b, 0.0, False, 0.0
    while not settled or n < least:
        if abs(under) > MUCH:
            over, over_before, under, under_before = (
                over / MUCH,
                over_before / MUCH,
                under / MUCH,
                under_before / MUCH,
            )
        n = n + 1.0
        numerator = n * (a - n)
        b = b + 2.0
        over, over_before = b * over + numerator * over_before, over
        under, under_before = b * under + numerator * under_before, under
        before, made = made, over / apart_from_zero(under)
        if not settled and not abs(made - before) > 2.0 * EPS * abs(made):
            settled, value = True, made
    return with_slope(value, made)


def upper_about_largest(a, x, side):
    """Of large a by a normal distribution (DLMF 8.12.3 and 8.12.4, to the first term): the upper one, or the lower one
    by side = -1."""
    off = np.clip((x - a) / a, -0.5, 0.5)  # farther out, all is 0 or 1
    size = -2.0 * log1p_less(off)
    eta = np.copysign(np.sqrt(size), off)
    rest = -1.0 / 3.0 + eta * (1.0 / 12.0 - eta * (2.0 / 135.0 - eta / 864.0))
    tail = np.exp(-0.5 * a * size) * rest / np.sqrt(2.0 * np.pi * a)
    return 0.5 * erfc(side * eta * np.sqrt(0.5 * a)) + side * tail


def apart_from_zero(x):
    return x if abs(x) > TINY else TINY


def largest_term(a, x):
    """x**a exp(-x) / gamma(a)."""
    if a < 20.0:
        if x < 700.0 and x > 1e-15:
            return x**a * np.exp(-x) / gamma(a)
        return np.exp(a * np.log(x) - x - gammaln(a))
    exponent = a * np.log(x / a) - x + a if x < 0.5 * a else a * log1p_less((x - a) / a)
    return np.sqrt(a / (2.0 * np.pi)) * np.exp(exponent - rest_of_stirling(a))


def log1p_less(u):
    """log(1 + u) - u."""
    if abs(u) > 0.4:
        return np.log1p(u) - u
    r = u / (2.0 + u)
    s = r * r
    tail, k = 0.0, 31.0
    for _ in range(15):
        tail = 1.0 / k + s * tail
        k = k - 2.0
    return r * (2.0 * s * tail - u)


@stands_for("scipy.special.betainc")
def regularised_beta(x1, x2, x3):
    return share_of_beta(x1, x2, x3, False, False)


def share_of_beta(x1, x2, x3, is_first_count, is_second_count):
    """`is_first_count`, `is_second_count`: parameters are ints, of which nobody asks a slope."""
    a, b, x = numbers(x1), numbers(x2), numbers(x3)
    shape = (a + b + x).shape
    a, b, x = flat(a, shape), flat(b, shape), flat(x, shape)
    made = np.empty(len(a))
    for k in range(len(a)):
        made[k] = beta_of_one(a[k], b[k], x[k], is_first_count, is_second_count)
    return in_loop(made.reshape(shape), plus(plus(x1, x2), x3))


def beta_of_one(a, b, x, is_first_count, is_second_count):
    if not (a >= 0.0 and b >= 0.0 and x >= 0.0 and x <= 1.0):
        return np.nan
    if (a == 0.0 or np.isinf(b)) and (b == 0.0 or np.isinf(a)):
        return np.nan
    if a == 0.0 or np.isinf(b):
        return 1.0 if x > 0.0 else 0.0
    if b == 0.0 or np.isinf(a):
        return 0.0 if x < 1.0 else 1.0
    if x == 0.0:
        return x**a * (b if a == 1.0 else 1.0)  # which has the slope there
    if x == 1.0:
        return 1.0 - (1.0 - x) ** b * (a if b == 1.0 else 1.0)
    if min(a, b) > 1e10:
        return beta_about_largest(a, b, x)
    a, b = max(a, LEAST), max(b, LEAST)
    is_first = a < b or a == b and x < 0.5
    least, most, end = (a, b, x) if is_first else (b, a, 1.0 - x)
    if end < 0.1 and most * end < 0.7 and end**least > 0.5:
        rest = upper_beta_by_series(least, most, end)
        return 1.0 - rest if is_first else rest
    above = (a + b) * x - a if a <= b else b - (a + b) * (1.0 - x)
    is_turned = above > 0.0
    first, second = (b, a) if is_turned else (a, b)
    near, far = (1.0 - x, x) if is_turned else (x, 1.0 - x)
    is_count = is_first_count if is_turned else is_second_count
    made = largest_beta_term(first, second, near, far)
    below = above if is_turned else -above
    made = made * beta_by_fraction(first, second, near, far, below, is_count) if made > 0.0 else 0.0
    return 1.0 - made if is_turned else made


def beta_about_largest(a, b, x):
    """Of large a and b by a normal distribution (Temme 1982, to the first term)."""
    total = a + b
    first, other = a / total, b / total
    off = np.clip(x - first, -0.5 * first, 0.5 * other)  # farther out, all is 0 or 1
    size = -2.0 * (first * log1p_less(off / first) + other * log1p_less(-off / other))
    eta = np.copysign(np.sqrt(size), off)
    root = np.sqrt(first * other)
    rest = 1.0 / eta - root / off if abs(eta) > 1e-7 else (other - first) / (3.0 * root)
    tail = np.exp(-0.5 * total * size) * rest / np.sqrt(2.0 * np.pi * total)
    return 0.5 * erfc(-eta * np.sqrt(0.5 * total)) + tail


def upper_beta_by_series(a, b, x):
    """1 - I_x(a, b) of small x, b * x and a (DLMF 8.17.7): twenty terms, as many as x = 0.1 needs, and the slope in b
    of an int, whose own terms end."""
    term, total, n = 1.0, 0.0, 0.0
    for _ in range(20):
        n = n + 1.0
        term = term * x * (n - b) / n
        total = total + term / (a + n)
    log_size = a * np.log(x) - log_beta_after_one(a, b)
    return -np.expm1(log_size) - np.exp(log_size) * a * total


def log_beta_after_one(a, b):
    """log(a beta(a, b)), to the last digit near a = 0, for a < b: of gamma(1 + a + b) / gamma(1 + b) by the mean of
    digamma between them (Gauss-Legendre, three points)."""
    if a > 0.01:
        return np.log(a) + log_beta_of_numbers(a, b)
    middle = 1.0 + b + 0.5 * a
    aside = 0.3872983346207417 * a
    mean = (5.0 * digamma(middle - aside) + 8.0 * digamma(middle) + 5.0 * digamma(middle + aside)) / 18.0
    return log_gamma_by_series(a, 8) + np.log1p(a / b) - a * mean


def beta_by_fraction(a, b, x, y, below, is_count):
    """Of x + y = 1, x `below` / (a + b) less than the mean: two terms of DLMF 8.17.22 at once, in which nothing cancels
    (Didonato and Morris 1992, eq. 9). Of an int b as many terms as beside it (see upper_by_fraction)."""
    root = np.sqrt(y)
    beside = 10.0 + min(19.0 / np.log((1.0 + root) / max(1.0 - root, EPS)), 1000.0)
    least = beside if not is_count and np.floor(b) == b else 0.0
    over, under, over_before, under_before = 1.0, (1.0 + below) * a / (a + 1.0), 0.0, 1.0
    made, value, settled, n = over / under, 0.0, False, 0.0
    next_part = 1.0 / (a + 1.0)
    while (not settled or n < least) and n < MOST:
        n = n + 1.0
        part, next_part = next_part, 1.0 / (a + 2.0 * n + 1.0)
        step = n * (b - n) * x * part
        numerator = step * x * (a + n - 1.0) * (a + b + n - 1.0) * part
        denominator = n + step + (a + n) * next_part * (1.0 + below + n * (1.0 + y))
        over, over_before = numerator * over_before + denominator * over, over
        under, under_before = numerator * under_before + denominator * under, under
        share_of_one = 1.0 / under
        before, made = made, over * share_of_one
        over, over_before, under_before = made, over_before * share_of_one, under_before * share_of_one
        under = 1.0
        if not settled and not abs(made - before) > 2.0 * EPS * made:
            settled, value = True, made
    return with_slope(value, made) if settled else np.nan


def largest_beta_term(a, b, x, y):
    """x**a y**b / beta(a, b)."""
    total = a + b
    if min(a, b) < 10.0:
        of_x = np.log(x) if x < 0.5 else np.log1p(-y)
        of_y = np.log(y) if y < 0.5 else np.log1p(-x)
        if total < 100.0 and a * of_x + b * of_y > -600.0:
            return x**a * y**b * (gamma(total) / gamma(a) / gamma(b))
        return np.exp(a * of_x + b * of_y - log_beta_of_numbers(a, b))
    off = x - a / total if x < 0.5 else b / total - y
    u, v = off * total / a, -off * total / b
    if u < -0.5:
        exponent = a * np.log(x * total / a) + b * np.log1p(v)
    elif v < -0.5:
        exponent = a * np.log1p(u) + b * np.log(y * total / b)
    else:
        exponent = a * log1p_less(u) + b * log1p_less(v)
    rest = rest_of_stirling(total) - rest_of_stirling(a) - rest_of_stirling(b)
    return np.sqrt(a / total * b / (2.0 * np.pi)) * np.exp(exponent + rest)


@stands_for("scipy.stats.gamma.cdf")
def gamma_cdf(x, a, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return np.where(numbers(a) > 0, share(z, scale, gammainc(a, np.maximum(z, 0.0))), np.nan)


@stands_for("scipy.stats.gamma.sf")
def gamma_sf(x, a, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    return np.where(numbers(a) > 0, share(z, scale, gammaincc(a, np.maximum(z, 0.0))), np.nan)


@stands_for("scipy.stats.chi2.cdf")
def chi2_cdf(x, df, loc=0, scale=1):
    return gamma_cdf(x, 0.5 * numbers(df), loc, 2.0 * numbers(scale))


@stands_for("scipy.stats.invgamma.cdf")
def invgamma_cdf(x, a, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    made = np.where(z > 0, gammaincc(a, 1.0 / np.where(z > 0, z, 1.0)), 0.0)
    return np.where(numbers(a) > 0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.poisson.cdf")
def poisson_cdf(k, mu, loc=0):
    z, mu = np.floor(numbers(k) - loc), numbers(mu)
    made = np.where(z >= 0, of_each(upper_of_count, np.maximum(z, 0.0) + 1.0, mu), 0.0)
    return np.where((mu >= 0) & ~np.isnan(z), np.where(z == np.inf, 1.0, made), np.nan)


@stands_for("scipy.stats.beta.cdf")
def beta_cdf(x, a, b, loc=0, scale=1):
    z, scale = (numbers(x) - loc) / scale, numbers(scale)
    made = betainc(a, b, np.clip(z, 0.0, 1.0))
    return np.where((numbers(a) > 0) & (numbers(b) > 0), share(z, scale, made), np.nan)


@stands_for("scipy.stats.t.cdf")
def t_cdf(x, df, loc=0, scale=1):
    z, scale, df = (numbers(x) - loc) / scale, numbers(scale), numbers(df)
    normal = df == np.inf
    df = np.where(normal, 1.0, df)
    middle = z == 0.0
    squared = np.where(middle, df, z * z)
    near = squared < df
    a, b = np.where(near, 0.5, 0.5 * df), np.where(near, 0.5 * df, 0.5)
    made = betainc(a, b, np.where(near, squared, df) / (df + squared))
    tail = np.where(normal, ndtr(-size_of(z)), np.where(near, 0.5 - 0.5 * made, 0.5 * made))
    highest = np.exp(-log_beta(0.5, 0.5 * np.where(df > 0, df, 1.0))) / np.sqrt(
        df
    )  # the density in the middle
    made = np.where(middle & ~normal, 0.5 + highest * z, np.where(z >= 0, 1.0 - tail, tail))
    return np.where(df > 0, share(z, scale, made), np.nan)


@stands_for("scipy.stats.f.cdf")
def f_cdf(x, dfn, dfd, loc=0, scale=1):
    z, scale, n, d = (numbers(x) - loc) / scale, numbers(scale), numbers(dfn), numbers(dfd)
    z = np.maximum(z, 0.0)
    made = betainc(0.5 * n, 0.5 * d, n * z / (n * z + d))
    return np.where((n > 0) & (d > 0), share(z, scale, made), np.nan)


@stands_for("scipy.stats.binom.cdf")
def binom_cdf(k, n, p, loc=0):
    z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
    inside = (z >= 0) & (z < n)
    z = np.where(inside, z, 0.0)
    made = np.where(inside, share_of_beta(np.where(n > z, n - z, 1.0), z + 1.0, 1.0 - p, True, True), 1.0)
    made = np.where(numbers(k) - loc < 0, 0.0, made)
    is_one = (n >= 0) & (np.floor(n) == n) & (p >= 0) & (p <= 1) & ~np.isnan(numbers(k))
    return np.where(is_one, made, np.nan)


@stands_for("scipy.stats.nbinom.cdf")
def nbinom_cdf(k, n, p, loc=0):
    z, n, p = np.floor(numbers(k) - loc), numbers(n), numbers(p)
    made = np.where(z >= 0, share_of_beta(n, np.maximum(z, 0.0) + 1.0, p, False, True), 0.0)
    return np.where((n > 0) & (p > 0) & (p <= 1) & ~np.isnan(z), made, np.nan)
