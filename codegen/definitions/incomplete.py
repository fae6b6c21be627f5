"""Incomplete gamma and beta functions, each number by its own loop.

Series and continued fractions: DLMF 8.7.1 and 8.9.2, by its numerators and denominators, and 8.17.22.
What stands before them is taken about the largest term, where nothing cancels (Didonato and Morris 1986, 1992).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import beta, digamma, erfc, gamma, gammaln

from codegen.definitions.special import (
    floats_of,
    in_loop,
    log_beta_of_numbers,
    log_gamma_after_one,
    log_gamma_by_series,
    numbers,
    rest_of_stirling,
)
from codegen.definitions.table import stands_for
from codegen.primitives.shape import with_slope
from codegen.primitives.special import in_dtype_of

EPS = 1.1102230246251565e-16
TINY = 1e-300
LEAST = 1e-300  # parameters below it count as it: their gamma functions overflow
MUCH = 2.0**200  # by which numerators and denominators are divided before they overflow
MOST = 1e7  # terms of a fraction: what has not settled by then is NaN
SURE = 1e-250  # largest terms below it may have lost digits
EXP_TEN = 22026.465794806718
FEW_TERMS = 64.0  # of a sum that ends, below which it costs less than a fraction
ORDERS = 8  # so many derivatives are right also where the first term of a series is all of the value


def flat(x, shape):
    return np.broadcast_to(x, shape).reshape(-1)


def of_each(f, x1, x2):
    """f of each pair of numbers, in the dtype of SciPy's loop."""
    a, x = numbers(x1), numbers(x2)
    shape = (a + x).shape
    a, x = flat(a, shape), flat(x, shape)
    made, largest = np.empty(len(a)), largest_of_small_gamma(a, x)
    for k in range(len(a)):
        made[k] = f(a[k], x[k], largest[k])
    return in_loop(made.reshape(shape), floats_of(x1) + floats_of(x2))


def largest_of_small_gamma(a, x):
    """x**a exp(-x) / gamma(a) of numbers that are not large, as vectors: by Stirling's formula for a + 10. 0 of
    others."""
    small = (a > 0.0) & (a < 100.0) & (x > 0.0) & (x < 700.0)
    a, x = np.where(small, a, 1.0), np.where(small, x, 1.0)
    p = a + 10.0
    root = EXP_TEN * np.sqrt(p / (2.0 * np.pi))
    power = (x / p) ** a * np.exp((a - x) - rest_of_stirling(p))
    return np.where(small, rising_ten(a) / tenth_power(p) * root * power, 0.0)


@stands_for("scipy.special.gammainc")
def lower(x1, x2):
    return of_each(lower_of_one, x1, x2)


@stands_for("scipy.special.gammaincc")
def upper(x1, x2):
    return of_each(upper_of_one, x1, x2)


def lower_of_one(a, x, largest):
    return part_of_one(a, x, largest, False, False)


def upper_of_one(a, x, largest):
    return part_of_one(a, x, largest, True, False)


def upper_of_count(a, x, largest):
    return part_of_one(a, x, largest, True, True)


def part_of_one(a, x, largest, is_upper, is_count):
    """By what converges fast and does not cancel; each is written out once. `is_count`: a is an int, of which nobody
    asks a slope."""
    if not (a >= 0.0 and x >= 0.0) or a == 0.0 and x == 0.0 or np.isinf(a) and np.isinf(x):
        return np.nan
    if a == 0.0 or np.isinf(x):
        return 0.0 if is_upper else 1.0
    if np.isinf(a):
        return 1.0 if is_upper else 0.0
    a = max(a, LEAST)
    if a > 1e8 and x > 0.0:
        return upper_about_largest(a, x, 1.0 if is_upper else -1.0)
    if is_upper and x <= 1.1 and x > 0.0:
        near = 0.75 * x if x > 0.5 else -0.4 / np.log(x)
        if near >= a:
            return upper_by_series(a, x)
    made = largest if largest > SURE else largest_term(a, x) if x > 0.0 else largest_at_zero(a, x)
    if x > 1.0 and x > a:
        made = made * upper_by_fraction(a, x, is_count) if made > 0.0 else 0.0
        return made if is_upper else 1.0 - made
    made = made * lower_by_series(a, x)
    return 1.0 - made if is_upper else made


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
    tail, k = 0.0, 31.0
    for _ in range(15):
        tail = 1.0 / k + s * tail
        k = k - 2.0
    return r * (2.0 * s * tail - u)


@stands_for("scipy.special.betainc")
def regularised_beta(x1, x2, x3):
    return in_dtype_of(
        special.betainc, share_of_beta(x1, x2, x3, 1.0 - numbers(x3), False, False), x1, x2, x3
    )


def share_of_beta(x1, x2, x3, x4, is_first_count, is_second_count):
    """Up to x3, x4 being the rest to 1; `is_first_count`, `is_second_count`: parameters are ints, of which nobody asks
    a slope."""
    a, b, x, y = numbers(x1), numbers(x2), numbers(x3), numbers(x4)
    shape = (a + b + x).shape
    a, b, x, y = flat(a, shape), flat(b, shape), flat(x, shape), flat(y, shape)
    made, largest = np.empty(len(a)), largest_of_small(a, b, x, y)
    for k in range(len(a)):
        made[k] = beta_of_one(a[k], b[k], x[k], y[k], largest[k], is_first_count, is_second_count)
    return made.reshape(shape)


def largest_of_small(a, b, x, y):
    """x**a y**b / beta(a, b) of parameters that are not large, as vectors: by Stirling's formula for a + 10 and
    b + 10. 0 of others."""
    small = (a > 0.0) & (b > 0.0) & (a + b < 100.0) & (x > 0.0) & (x < 1.0)
    a, b, x = np.where(small, a, 1.0), np.where(small, b, 1.0), np.where(small, x, 0.5)
    p, q, y = a + 10.0, b + 10.0, np.where(small, y, 0.5)
    total = p + q
    powers = (x * total / p) ** a * (y * total / q) ** b
    rest = rest_of_stirling(total) - rest_of_stirling(p) - rest_of_stirling(q)
    below = rising_ten(a) * rising_ten(b) / rising_twenty(a + b) * tenth_power(total / p * total / q)
    return np.where(small, below * np.sqrt(p * q / (2.0 * np.pi * total)) * powers * np.exp(rest), 0.0)


def rising_ten(z):
    """z (z + 1) ... (z + 9), the first by the last and so on."""
    w = z * (z + 9.0)
    return w * (w + 8.0) * (w + 14.0) * (w + 18.0) * (w + 20.0)


def tenth_power(z):
    """By products: of an exponential the last digits of 10 log z would be lost."""
    w = z * z
    v = w * w
    return v * v * w


def rising_twenty(z):
    w = z * (z + 19.0)
    first = w * (w + 18.0) * (w + 34.0) * (w + 48.0) * (w + 60.0)
    return first * (w + 70.0) * (w + 78.0) * (w + 84.0) * (w + 88.0) * (w + 90.0)


def beta_of_one(a, b, x, y, largest, is_first_count, is_second_count):
    if not (a >= 0.0 and b >= 0.0 and x >= 0.0 and x <= 1.0):
        return np.nan
    if (a == 0.0 or np.isinf(b)) and (b == 0.0 or np.isinf(a)):
        return np.nan
    if a == 0.0 or np.isinf(b):
        return 1.0 if x > 0.0 else 0.0
    if b == 0.0 or np.isinf(a):
        return 0.0 if y > 0.0 else 1.0
    if x == 0.0:
        return with_slope(0.0, beta_at_zero(a, b, x, y))
    if y == 0.0:
        return with_slope(1.0, 1.0 - beta_at_zero(b, a, y, x))
    a, b = max(a, LEAST), max(b, LEAST)
    is_first = a < b or a == b and x < 0.5
    least, most, end = (a, b, x) if is_first else (b, a, y)
    is_series = least < 0.3 and end < 0.1 and most * end < 0.7 and least * np.log(end) > -0.69
    if least >= 10.0 and not largest > SURE:
        off = (b * x - a * y) / (a + b)
        exponent = exponent_of_largest(a, b, x, y, off)
        if least > 1e10:
            return beta_about_largest(a, b, off, exponent)
        rest = rest_of_stirling(a + b) - rest_of_stirling(a) - rest_of_stirling(b)
        made = np.sqrt(a / (a + b) * b / (2.0 * np.pi)) * np.exp(exponent + rest)
    elif is_series or not largest > SURE:
        size = log_beta_of_numbers(a, b)
        if is_series:
            rest = upper_beta_by_series(least, most, end, size)
            return 1.0 - rest if is_first else rest
        made = np.exp(a * log_of_share(x, y) + b * log_of_share(y, x) - size)
    else:
        made = largest
    above = (a + b) * x - a if a <= b else b - (a + b) * y
    is_turned = above > 0.0
    first, second = (b, a) if is_turned else (a, b)
    near, far = (y, x) if is_turned else (x, y)
    is_count = is_first_count if is_turned else is_second_count
    below = above if is_turned else -above
    made = made * beside_largest(first, second, near, far, below, is_count) if made > 0.0 else 0.0
    return 1.0 - made if is_turned else made


def beta_at_zero(a, b, x, y):
    """Of x = 0, with its slopes (DLMF 8.17.8), which are 0 of large a."""
    if a > 20.0:
        return 0.0
    total, n = 1.0, ORDERS + 0.0
    for _ in range(ORDERS):
        total = 1.0 + total * x * (a + b + n - 1.0) / (a + n)
        n = n - 1.0
    return x**a * y**b * total / (a * beta(a, b))


def log_of_share(x, y):
    """log x, of x + y = 1."""
    return np.log(x) if x < 0.5 else np.log1p(-y)


def beta_about_largest(a, b, off, exponent):
    """Of large a and b by a normal distribution (Temme 1982, to the first term), so far off the mean."""
    total = a + b
    first, other = a / total, b / total
    size = -2.0 * exponent / total
    eta = np.copysign(np.sqrt(size), off)
    root = np.sqrt(first * other)
    rest = 1.0 / eta - root / off if abs(eta) > 1e-7 else (other - first) / (3.0 * root)
    tail = np.exp(exponent) * rest / np.sqrt(2.0 * np.pi * total)
    return 0.5 * erfc(-eta * np.sqrt(0.5 * total)) + tail


def upper_beta_by_series(a, b, x, size):
    """1 - I_x(a, b) of small x, b * x and a (DLMF 8.17.7), `size` being log beta(a, b): twenty terms, as many as
    x = 0.1 needs, and the slope in b of an int, whose own terms end."""
    term, total, n = 1.0, 0.0, 0.0
    for _ in range(20):
        n = n + 1.0
        term = term * x * (n - b) / n
        total = total + term / (a + n)
    log_size = a * np.log(x) - (np.log(a) + size if a > 0.01 else log_beta_after_one(a, b))
    return -np.expm1(log_size) - np.exp(log_size) * a * total


def log_beta_after_one(a, b):
    """log(a beta(a, b)), to the last digit near a = 0, for a < b: of gamma(1 + a + b) / gamma(1 + b) by the mean of
    digamma between them (Gauss-Legendre, three points)."""
    middle = 1.0 + b + 0.5 * a
    aside = 0.3872983346207417 * a
    mean = (5.0 * digamma(middle - aside) + 8.0 * digamma(middle) + 5.0 * digamma(middle + aside)) / 18.0
    return log_gamma_by_series(a, 8) + np.log1p(a / b) - a * mean


def beside_largest(a, b, x, y, below, is_count):
    """What the largest term is multiplied by: of an int b that is not large a sum, which has no slope in b."""
    is_int = np.floor(b) == b
    if not is_int or b > FEW_TERMS:
        return beta_by_fraction(
            a, b, x, y, below, terms_beside(y) if is_int and not is_count else 0.5 * ORDERS
        )
    value = beta_by_sum(a, b, y)
    return value if is_count else with_slope(value, beta_by_fraction(a, b, x, y, below, terms_beside(y)))


def terms_beside(y):
    """So many of the fraction settle it beside an int, where it does not end."""
    root = np.sqrt(y)
    return 10.0 + min(19.0 / np.log((1.0 + root) / max(1.0 - root, EPS)), 1000.0)


def beta_by_sum(a, b, y):
    """Of an int b (DLMF 8.17.5, of an a that is none 8.17.7), from the last term, which is the largest, on."""
    term, total, k, inverse = 1.0, 1.0, b - 1.0, 1.0 / y
    while k > 0.0 and term > EPS * total:
        term = term * (k / (a + k - 1.0) * inverse)
        total = total + term
        k = k - 1.0
    return total / (y * (a + b - 1.0))


def beta_by_fraction(a, b, x, y, below, least):
    """Of x + y = 1, x `below` / (a + b) less than the mean: two terms of DLMF 8.17.22 at once, in which nothing cancels
    (Didonato and Morris 1992, eq. 9). Of an int b it ends, its slope does not: `least` terms are as many as beside it.

    Each denominator is 1, so that of what waits for the step before nothing is divided; `apart` is what a step changes,
    times both denominators (DLMF 1.12.5).
    """
    inverse = (a + 1.0) / ((1.0 + below) * a)
    over, over_before, under, under_before = inverse, 0.0, 1.0, 1.0
    n, apart, next_part = 0.0, inverse, 1.0 / (a + 1.0)
    while (abs(apart) > EPS * over * under_before or n < least) and n < MOST:
        n = n + 1.0
        part, next_part = next_part, 1.0 / (a + 2.0 * n + 1.0)
        step = n * (b - n) * x * part
        numerator = step * x * (a + n - 1.0) * (a + b + n - 1.0) * part
        before, inverse = inverse, 1.0 / (n + step + (a + n) * next_part * (1.0 + below + n * (1.0 + y)))
        ratio = numerator * inverse * before
        scale = 1.0 if under < MUCH else 1.0 / MUCH
        over, over_before = (over + ratio * over_before) * scale, over * scale
        under, under_before = (under + ratio * under_before) * scale, under * scale
        apart = apart * ratio * scale * scale
    return over / under if n < MOST else np.nan


def exponent_of_largest(a, b, x, y, off):
    """Of the largest term, about its mean, of which x is so far off: a log(x / mean) + b log(y / (1 - mean))."""
    total = a + b
    u, v = off * total / a, -off * total / b
    if u < -0.5:
        return a * np.log(x * total / a) + b * np.log1p(v)
    if v < -0.5:
        return a * np.log1p(u) + b * np.log(y * total / b)
    return a * log1p_less(u) + b * log1p_less(v)
