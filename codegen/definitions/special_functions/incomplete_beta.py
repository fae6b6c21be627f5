"""The incomplete beta function, each number by its own loop.

Continued fraction: DLMF 8.17.22. What stands before it is taken about the largest term, where nothing cancels (Didonato
and Morris 1992).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import beta, digamma, erfc

from codegen.definitions.special import (
    flat,
    log_beta_of_numbers,
    log_beta_of_one_small,
    log_gamma_by_series,
    numbers,
    rest_of_stirling,
)
from codegen.definitions.special_functions.incomplete_gamma import (
    EPS,
    LEAST,
    MUCH,
    NEAR_END,
    ORDERS,
    SURE,
    log1p_less,
    log_of_part,
    rising_ten,
    tenth_power,
)
from codegen.definitions.table import stands_for
from codegen.primitives.shape import with_partial, with_slope, without_partial
from codegen.primitives.special import in_dtype_of

MOST = 1e7  # terms of a fraction: what has not settled by then is NaN
FEW_TERMS = 64.0  # of a sum that ends, below which it costs less than a fraction


@stands_for("scipy.special.betainc")
def regularised_beta(x1, x2, x3):
    return in_dtype_of(
        special.betainc, share_of_beta(x1, x2, x3, 1.0 - numbers(x3), False, False), x1, x2, x3
    )


def share_of_beta(x1, x2, x3, x4, is_first_count, is_second_count, is_log=False, is_half=False):
    """Up to x3, x4 being the rest to 1, or its logarithm; `is_first_count`, `is_second_count`: parameters are ints, of
    which nobody asks a slope; `is_half`: x2 is 1/2."""
    a, b, x, y = numbers(x1), numbers(x2), numbers(x3), numbers(x4)
    shape = (a + b + x).shape
    a, b, x, y = flat(a, shape), flat(b, shape), flat(x, shape), flat(y, shape)
    made, to, rest = np.empty(len(a)), without_partial(x), without_partial(y)
    largest = largest_of_small(a, b, to, rest, is_half)
    by_x = with_slope(largest, largest_of_small(a, b, x, y, is_half))
    for k in range(len(a)):
        part, is_above = part_of_beta(
            a[k], b[k], to[k], rest[k], largest[k], is_first_count, is_second_count, is_log
        )
        sign = -1.0 if is_above else 1.0
        part = with_partial(part, x[k], sign * density_of_beta(a[k], b[k], x[k], y[k], by_x[k]))
        made[k] = log_of_part(part, not is_above) if is_log else 1.0 - part if is_above else part
    return made.reshape(shape)


def parts_of_sum(x, y):
    """x and y, not below 0, by their sum: the larger part is what the smaller leaves, so that no slope cancels."""
    is_first = x < y
    ratio = np.where(is_first, x, y) / np.where(is_first, y, x)
    less = ratio / (1.0 + ratio)
    return np.where(is_first, less, 1.0 - less), np.where(is_first, 1.0 - less, less)


def largest_of_small(a, b, x, y, is_half):
    """x**a y**b / beta(a, b) of parameters that are not large, as vectors: by Stirling's formula for a + 10 and
    b + 10. 0 of others."""
    fit = (a > 0.0) & (b > 0.0) & (a + b < 100.0)  # apart from x: all of known parameters alone is known
    small = fit & (x > 0.0) & (x < 1.0)
    a, b, x = np.where(fit, a, 1.0), np.where(fit, b, 1.0), np.where(small, x, 0.5)
    p, q, y = a + 10.0, b + 10.0, np.where(small, y, 0.5)
    total = p + q
    last = y * total / q
    powers = (x * total / p) ** a * (np.sqrt(last) if is_half else last**b)
    rest = rest_of_stirling(total) - rest_of_stirling(p) - rest_of_stirling(q)
    below = rising_ten(a) * rising_ten(b) / rising_twenty(a + b) * tenth_power(total / p * total / q)
    return np.where(small, below * np.sqrt(p * q / (2.0 * np.pi * total)) * powers * np.exp(rest), 0.0)


def rising_twenty(z):
    w = z * (z + 19.0)
    first = w * (w + 18.0) * (w + 34.0) * (w + 48.0) * (w + 60.0)
    return first * (w + 70.0) * (w + 78.0) * (w + 84.0) * (w + 88.0) * (w + 90.0)


def share_of_one_beta(a, b, x, is_upper):
    """Below or above x, of one number."""
    y = 1.0 - x
    part, is_above = part_of_beta(a, b, x, y, largest_of_small(a, b, x, y, False), False, False, True)
    return part if is_above == is_upper else 1.0 - part


def part_of_beta(a, b, x, y, largest, is_first_count, is_second_count, is_either):
    """The part that converges fast and does not cancel, and whether it is what is above x; of large a and b what is
    below, or the smaller for who asks for either."""
    if not (a >= 0.0 and b >= 0.0 and x >= 0.0 and x <= 1.0):
        return np.nan, False
    if (a == 0.0 or np.isinf(b)) and (b == 0.0 or np.isinf(a)):
        return np.nan, False
    if a == 0.0 or np.isinf(b):
        return 0.0, x > 0.0
    if b == 0.0 or np.isinf(a):
        return 0.0, y <= 0.0
    if x == 0.0:
        return with_slope(0.0, beta_at_zero(a, b, x, y)), False
    if y == 0.0:
        return with_slope(0.0, beta_at_zero(b, a, y, x)), True
    a, b = max(a, LEAST), max(b, LEAST)
    is_first = a < b or a == b and x < 0.5
    least, most, end = (a, b, x) if is_first else (b, a, y)
    is_small = a < 0.3 and not is_first_count and is_first or b < 0.3 and not is_second_count and not is_first
    is_series = is_small and end < 0.1 and most * end < 0.7 and least * np.log(end) > -0.69
    above = (a + b) * x - a if a <= b else b - (a + b) * y
    is_turned = above > 0.0
    first, second, near, far, below = (b, a, y, x, above) if is_turned else (a, b, x, y, -above)
    if a >= 10.0 and b >= 10.0 and not largest > SURE:
        exponent = exponent_of_largest(a, b, x, y)
        if a > 1e10 and b > 1e10:
            if is_either:
                return beta_about_largest(first, second, near, far, exponent), is_turned
            return beta_about_largest(a, b, x, y, exponent), False
        made = largest_of_large(a, b, exponent)
    elif is_series or not largest > SURE:
        size = log_beta_of_one_small(least, most)
        if is_series:
            return upper_beta_by_series(least, most, end, size), is_first
        made = largest_of_others(a, b, x, y, size)
    else:
        made = largest
    is_count = is_first_count if is_turned else is_second_count
    return made * beside_largest(first, second, near, far, below, is_count) if made > 0.0 else 0.0, is_turned


def density_of_beta(a, b, x, y, largest):
    """x**(a - 1) y**(b - 1) / beta(a, b)."""
    if not (a > 0.0 and b > 0.0 and x >= 0.0 and x <= 1.0) or np.isinf(a) or np.isinf(b):
        return 0.0
    is_second = y < x
    first, other, near, far = (b, a, y, x) if is_second else (a, b, x, y)
    if near < NEAR_END and first < 20.0:  # where the slope of a quotient by it would cancel
        exponent = (other - 1.0) * log_of_share(far, near) - log_beta_of_numbers(a, b)
        return near ** (first - 1.0) * np.exp(min(exponent, 700.0))
    if near == 0.0:
        return 0.0
    return (largest if largest > SURE else largest_of_one(a, b, x, y)) / (x * y)


def largest_of_one(a, b, x, y):
    """x**a y**b / beta(a, b)."""
    if a < 10.0 or b < 10.0:
        return largest_of_others(a, b, x, y, log_beta_of_numbers(a, b))
    return largest_of_large(a, b, exponent_of_largest(a, b, x, y))


def largest_of_large(a, b, exponent):
    """About its mean."""
    rest = rest_of_stirling(a + b) - rest_of_stirling(a) - rest_of_stirling(b)
    return np.sqrt(a / (a + b) * b / (2.0 * np.pi)) * np.exp(exponent + rest)


def largest_of_others(a, b, x, y, size):
    """`size` being log beta(a, b)."""
    return np.exp(a * log_of_share(x, y) + b * log_of_share(y, x) - size)


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


def beta_about_largest(a, b, x, y, exponent):
    """Of large a and b by a normal distribution (Temme 1982, to the first term)."""
    total, off = a + b, off_mean(a, b, x, y)
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
    """What the largest term is multiplied by: of an int b that is not large a sum, which has no slope in b. Of any int
    the fraction ends, its slope does not, and takes as many terms as beside it."""
    is_int, terms = np.floor(b) == b, 0.0
    if is_int and b <= FEW_TERMS:
        value = beta_by_sum(a, b, y)
    else:
        value, terms = beta_by_fraction(a, b, x, y, below)
    if is_count:
        return value
    return with_slope(
        value, beta_by_fraction(a, b, x, y, below, max(terms, terms_beside(y) if is_int else 0.5 * ORDERS))[0]
    )


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


def beta_by_fraction(a, b, x, y, below, terms=None):
    """Of x + y = 1, x `below` / (a + b) less than the mean: two terms of DLMF 8.17.22 at once, in which nothing cancels
    (Didonato and Morris 1992, eq. 9). With the number of its terms: so many as are wanted, or as settle it.

    Each denominator is 1, so that of what waits for the step before nothing is divided; `apart` is what a step changes,
    times both denominators (DLMF 1.12.5).
    """
    inverse = (a + 1.0) / ((1.0 + below) * a)
    over, over_before, under, under_before = inverse, 0.0, 1.0, 1.0
    n, apart, next_part = 0.0, inverse, 1.0 / (a + 1.0)
    while (abs(apart) > EPS * over * under_before and n < MOST) if terms is None else n < terms:
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
    return over / under if n < MOST else np.nan, n


def off_mean(a, b, x, y):
    """How far x is off the mean."""
    return (b * x - a * y) / (a + b)


def exponent_of_largest(a, b, x, y):
    """Of the largest term, about its mean: a log(x / mean) + b log(y / (1 - mean))."""
    total, off = a + b, off_mean(a, b, x, y)
    u, v = off * total / a, -off * total / b
    if u < -0.5:
        return a * np.log(x * total / a) + b * np.log1p(v)
    if v < -0.5:
        return a * np.log1p(u) + b * np.log(y * total / b)
    return a * log1p_less(u) + b * log1p_less(v)
