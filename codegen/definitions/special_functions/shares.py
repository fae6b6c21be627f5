"""Inverses of incomplete gamma and beta functions, and distribution functions of scipy.special, by those of others."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import betainc, betaln, gammainc, gammaincc, gammaln, ndtri, xlog1py, xlogy

from codegen.definitions.special import (
    flat,
    floats_of,
    in_loop,
    is_pole,
    log_beta,
    log_beta_of_numbers,
    numbers,
    rest_of_stirling,
    sign_of_gamma,
)
from codegen.definitions.special_functions.incomplete_beta import (
    parts_of_sum,
    share_of_beta,
    share_of_one_beta,
)
from codegen.definitions.special_functions.incomplete_gamma import share_of_one
from codegen.definitions.table import stands_for
from codegen.primitives.shape import expansion_point, with_partial, with_slope, without_partial, without_slope
from codegen.primitives.special import in_dtype_of

ROUNDS = 200  # of halving, which nothing needs: Newton's steps settle after a few


@stands_for("scipy.special.gammaincinv")
def gammaincinv(x1, x2):
    a, p = numbers(x1), numbers(x2)
    return in_loop(inverse_of_gamma(a, p, 1.0 - p, True), floats_of(x1) + floats_of(x2))


@stands_for("scipy.special.gammainccinv")
def gammainccinv(x1, x2):
    a, q = numbers(x1), numbers(x2)
    return in_loop(inverse_of_gamma(a, 1.0 - q, q, False), floats_of(x1) + floats_of(x2))


def inverse_of_gamma(a, p, q, is_lower):
    """Where the share of gamma is p below and q above."""
    found = roots_of_gamma(without_slope(a), without_slope(p), without_slope(q), is_lower)
    inside = (found > 0.0) & (found < np.inf) & (a > 0.0)
    made = with_slope(
        found, steps_of_gamma(found, inside, a, without_partial(p), without_partial(q), is_lower)
    )
    if is_lower:
        return with_partial(made, p, sparsity_inside_gamma(inside, a, made))
    return with_partial(made, q, -sparsity_inside_gamma(inside, a, made))


def sparsity_inside_gamma(inside, a, x):
    return np.where(inside, sparsity_of_gamma(np.where(inside, a, 1.0), np.where(inside, x, 1.0), 1.0), 0.0)


def steps_of_gamma(found, inside, a, below, above, is_lower):
    """Two of Newton's, which have the first three derivatives of what was found."""
    at = expansion_point("gammaincinv" if is_lower else "gammainccinv", 3, found, a, below, above)
    x, b = np.where(inside, at, 1.0), np.where(inside, a, 1.0)
    share = np.where(inside, below if is_lower else above, 0.5)
    for _ in range(2):
        ratio = excess_of_gamma(b, x, share) if is_lower else np.log(gammaincc(b, x) / share)
        moved = np.where(inside, ratio, 0.0) * sparsity_of_gamma(b, x, share)
        x = x - moved if is_lower else x + moved
    return np.where(inside, x, found)


def excess_of_gamma(a, x, share):
    """log of gammainc(a, x) / share: near 0 by its series, as one over a tiny share may be no float times a slope."""
    near = x < 1e-5
    u, v = np.where(near, x, 1e-5), np.where(near, 1.0, x)
    of_series = a * np.log(u) - u - gammaln(a + 1.0) + np.log1p(u / (a + 1.0) * (1.0 + u / (a + 2.0)))
    return np.where(near, of_series - np.log(share), np.log(gammainc(a, v) / np.where(near, 1.0, share)))


def sparsity_of_gamma(a, x, share):
    """A share by the density, each of which may be tiny."""
    return np.exp(np.log(share) + x - xlogy(a - 1.0, x) + gammaln(a))


def roots_of_gamma(a, p, q, is_lower):
    shape = (a + p).shape
    a, p, q = flat(a, shape), flat(p, shape), flat(q, shape)
    made = np.empty(len(a))
    for k in range(len(a)):
        made[k] = root_of_gamma(a[k], p[k], q[k], is_lower)
    return made.reshape(shape)


def root_of_gamma(a, p, q, is_lower):
    """Halley's steps between what is known to be below and above it, from Wilson and Hilferty's cube, or the first term
    of the series; of shares that are little Newton's, of their logarithms."""
    if not (a >= 0.0 and p >= 0.0 and q >= 0.0):
        return np.nan
    if p == 0.0 or q == 0.0:
        return 0.0 if p == 0.0 else np.inf
    if a == 0.0 or a == np.inf:
        return np.nan
    z = ndtri(p) if p < 0.5 else -ndtri(q)
    third = 1.0 / (9.0 * a)
    cube = 1.0 - third + z * np.sqrt(third)
    x = a * cube * cube * cube
    size = gammaln(a + 1.0)
    if not cube > 0.3 or a < 1.0 and p < 0.5:
        x = np.exp((np.log(p) + size) / a)
    if x < 1e-17:  # beside which the next term is nothing
        return x
    is_low = p < 0.5 and is_lower or p < 0.1
    wanted = p if is_low else q
    low, high, rounds, moved = 0.0, np.inf, 0, 1.0
    while abs(moved) > 2e-16 * x and rounds < ROUNDS and x > 0.0:
        share = share_of_one(a, x, not is_low)
        off = share - wanted if is_low else wanted - share
        low, high = (x, high) if off < 0.0 else (low, x)
        sparsity = np.exp(x - (a - 1.0) * np.log(x) + size - np.log(a))
        if wanted < 1e-3 and share > 0.0:
            far = np.log(share / wanted) * share * sparsity
            new = x * np.exp(-far / x) if is_low else x + far
        else:
            moved = off * sparsity
            bend = 0.5 * moved * ((a - 1.0) / x - 1.0)
            new = x - (moved / (1.0 - bend) if abs(bend) < 0.5 else moved)
        if not (new > low and new < high):
            new = 0.5 * (low + high) if high < np.inf else 2.0 * x
        x, moved, rounds = new, new - x, rounds + 1
    return x


@stands_for("scipy.special.betaincinv")
def betaincinv(x1, x2, x3):
    """Where the share of beta is x3."""
    p = numbers(x3)
    made = inverse_of_beta(numbers(x1), numbers(x2), p, 1.0 - p, True)
    return in_dtype_of(special.betaincinv, made, x1, x2, x3)


@stands_for("scipy.special.betaincc")
def betaincc(x1, x2, x3):
    """Of a small x3 not by what it leaves of 1, which has lost it."""
    made = share_of_beta(x2, x1, 1.0 - numbers(x3), x3, False, False)
    return in_dtype_of(special.betaincc, made, x1, x2, x3)


@stands_for("scipy.special.betainccinv")
def betainccinv(x1, x2, x3):
    q = numbers(x3)
    made = inverse_of_beta(numbers(x1), numbers(x2), 1.0 - q, q, False)
    return in_dtype_of(special.betainccinv, made, x1, x2, x3)


def inverse_of_beta(a, b, p, q, is_lower):
    """Where the share of beta is p below and q above, as of gamma; a step that leaves the support has no slope."""
    shape = (a + b + p).shape
    a, b, p, q = [np.broadcast_to(each, shape) for each in (a, b, p, q)]
    found = roots_of_beta(without_slope(a), without_slope(b), without_slope(p), without_slope(q))
    inside = (found > 0.0) & (found < 1.0)
    made = with_slope(
        found, steps_of_beta(found, inside, a, b, without_partial(p), without_partial(q), is_lower)
    )
    if is_lower:
        return with_partial(made, p, sparsity_inside_beta(inside, a, b, made))
    return with_partial(made, q, -sparsity_inside_beta(inside, a, b, made))


def sparsity_inside_beta(inside, a, b, x):
    c, d = np.where(inside, a, 1.0), np.where(inside, b, 1.0)
    return np.where(inside, sparsity_of_beta(c, d, np.where(inside, x, 0.5), 1.0), 0.0)


def steps_of_beta(found, inside, a, b, below, above, is_lower):
    """Two of Newton's, which have the first three derivatives of what was found."""
    at = expansion_point(
        "betaincinv" if is_lower else "betainccinv", 3, found, a, b, below if is_lower else above
    )
    x, c, d = np.where(inside, at, 0.5), np.where(inside, a, 1.0), np.where(inside, b, 1.0)
    share = np.where(inside, below if is_lower else above, 0.5)
    for _ in range(2):
        ratio = excess_of_beta(c, d, x, share) if is_lower else np.log(special.betaincc(c, d, x) / share)
        off = np.where(inside, ratio, 0.0) * sparsity_of_beta(c, d, x, share)
        moved = x - off if is_lower else x + off
        x = np.where((moved > 0.0) & (moved < 1.0), moved, x)
    return np.where(inside, x, found)


def excess_of_beta(a, b, x, share):
    """The same of betainc(a, b, x), as DLMF 8.17.22 has the series."""
    near = x * (1.0 + b) < 1e-5
    u, v = np.where(near, x, 1e-5), np.where(near, 0.5, x)
    more = (a + b) / (a + 1.0) * u * (1.0 + (a + b + 1.0) / (a + 2.0) * u)
    of_series = a * np.log(u) + b * np.log1p(-u) - np.log(a) - betaln(a, b) + np.log1p(more)
    return np.where(near, of_series - np.log(share), np.log(betainc(a, b, v) / np.where(near, 1.0, share)))


def sparsity_of_beta(a, b, x, share):
    """A share by the density, each of which may be tiny."""
    return np.exp(np.log(share) + betaln(a, b) - xlogy(a - 1.0, x) - xlog1py(b - 1.0, -x))


def roots_of_beta(a, b, p, q):
    shape = a.shape
    a, b, p, q = a.reshape(-1), b.reshape(-1), p.reshape(-1), q.reshape(-1)
    made = np.empty(len(a))
    for k in range(len(a)):
        made[k] = root_of_beta(a[k], b[k], p[k], q[k])
    return made.reshape(shape)


def root_of_beta(a, b, p, q):
    """As of gamma, from the first term of the series, or the mean."""
    if not (a > 0.0 and b > 0.0 and p >= 0.0 and q >= 0.0):
        return np.nan
    if p == 0.0 or q == 0.0:
        return 0.0 if p == 0.0 else 1.0
    if np.isinf(a + b):
        return np.nan
    size = log_beta_of_numbers(a, b)
    x = np.exp((np.log(p) + np.log(a) + size) / a)
    if x * (1.0 + b) < 1e-17:
        return x
    mean = a / (a + b)
    if not x < 0.5 * mean:
        x = mean
    is_low = p < 0.5
    wanted = p if is_low else q
    low, high, rounds, moved = 0.0, 1.0, 0, 1.0
    while abs(moved) > 2e-16 * x and rounds < ROUNDS and x > 0.0:
        share = share_of_one_beta(a, b, x, not is_low)
        off = share - wanted if is_low else wanted - share
        low, high = (x, high) if off < 0.0 else (low, x)
        sparsity = np.exp(size - (a - 1.0) * np.log(x) - (b - 1.0) * np.log1p(-x))
        if wanted < 1e-3 and share > 0.0:
            far = np.log(share / wanted) * share * sparsity
            new = x * np.exp(-far / x) if is_low else 1.0 - (1.0 - x) * np.exp(-far / (1.0 - x))
        else:
            moved = off * sparsity
            bend = 0.5 * moved * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))
            new = x - (moved / (1.0 - bend) if abs(bend) < 0.5 else moved)
        if not (new > low and new < high):
            new = 0.5 * (low + high) if low > 0.01 * high else np.sqrt(max(low, 1e-300) * high)
        x, moved, rounds = new, new - x, rounds + 1
    return x


def sparsity_of_t(freedom, x):
    """One over the density."""
    lowest = np.sqrt(freedom) * np.exp(log_beta(0.5, 0.5 * freedom))
    return lowest * (1.0 + x * x / freedom) ** (0.5 * freedom + 0.5)


@stands_for("scipy.special.stdtrit")
def stdtrit(x1, x2):
    """By the inverse for beta, of the side that p is on, with one over the density as slope by p."""
    df, p = np.broadcast_arrays(numbers(x1), numbers(x2))
    normal, q = df == np.inf, without_partial(p)
    freedom = np.where((df > 0.0) & ~normal, df, 1.0)
    tails = 2.0 * np.minimum(q, 1.0 - q)
    y = inverse_of_beta(0.5 * freedom, np.full(df.shape, 0.5), tails, 1.0 - tails, True)
    far, middle = y < 1e-17, p == 0.5
    squared = freedom * (1.0 - y) / np.where(far, 1.0, y)
    size = np.sqrt(np.where(far | middle, 1.0, squared))
    size = np.where(middle, 0.0, np.where(far, size_of_t(freedom, tails), size))
    made = np.where(p < 0.5, -size, size)
    made = with_partial(made, p, sparsity_of_t(freedom, made))
    made = np.where(p == 0.0, np.inf, np.where(normal, ndtri(p), made))  # as SciPy has it
    return in_dtype_of(special.stdtrit, np.where(df > 0.0, made, np.nan), x1, x2)


def size_of_t(df, tails):
    """Where two tails are so little that one term of their series is all of them."""
    some = np.where(tails > 0.0, tails, 1.0)
    return np.sqrt(df) * np.exp(-(np.log(some) + np.log(0.5 * df) + log_beta(0.5, 0.5 * df)) / df)


@stands_for("scipy.special.chdtr")
def chdtr(x1, x2):
    v, x = numbers(x1), numbers(x2)
    made = np.where(x < 0.0, 1.0, gammainc(0.5 * v, 0.5 * np.where(x < 0.0, 0.0, x)))
    return in_dtype_of(special.chdtr, np.where(x < 0.0, np.nan, made), x1, x2)


@stands_for("scipy.special.chdtrc")
def chdtrc(x1, x2):
    v, x = numbers(x1), numbers(x2)
    made = gammaincc(0.5 * v, 0.5 * np.where(x < 0.0, 0.0, x))
    return in_dtype_of(special.chdtrc, np.where(x < 0.0, np.nan, made), x1, x2)


@stands_for("scipy.special.chdtri")
def chdtri(x1, x2):
    v, p = numbers(x1), numbers(x2)
    return in_dtype_of(special.chdtri, 2.0 * inverse_of_gamma(0.5 * v, 1.0 - p, p, False), x1, x2)


@stands_for("scipy.special.pdtr")
def pdtr(x1, x2):
    k, m = numbers(x1), numbers(x2)
    made = gammaincc(np.floor(np.maximum(k, 0.0)) + 1.0, np.where(m < 0.0, 0.0, m))
    return in_dtype_of(special.pdtr, np.where((k < 0.0) | (m < 0.0), np.nan, made), x1, x2)


@stands_for("scipy.special.pdtrc")
def pdtrc(x1, x2):
    k, m = numbers(x1), numbers(x2)
    made = gammainc(np.floor(np.maximum(k, 0.0)) + 1.0, np.where(m < 0.0, 0.0, m))
    return in_dtype_of(special.pdtrc, np.where((k < 0.0) | (m < 0.0), np.nan, made), x1, x2)


def share_of_f(n, d, x, is_upper, is_log=False):
    """Of n and d degrees of freedom, up to x or beyond it, or its logarithm; of infinitely many NaN, as in SciPy."""
    part, rest = parts_of_sum(n * np.where(x < 0.0, 0.0, x), d)
    first, other, at, beyond = (d, n, rest, part) if is_upper else (n, d, part, rest)
    made = share_of_beta(0.5 * first, 0.5 * other, at, beyond, False, False, is_log)
    return np.where((x < 0.0) | (n <= 0.0) | (d <= 0.0) | np.isinf(n + d), np.nan, made)


@stands_for("scipy.special.fdtr")
def fdtr(x1, x2, x3):
    made = share_of_f(numbers(x1), numbers(x2), numbers(x3), False)
    return in_dtype_of(special.fdtr, made, x1, x2, x3)


@stands_for("scipy.special.fdtrc")
def fdtrc(x1, x2, x3):
    made = share_of_f(numbers(x1), numbers(x2), numbers(x3), True)
    return in_dtype_of(special.fdtrc, made, x1, x2, x3)


@stands_for("scipy.special.binom")
def binom(x1, x2):
    """How many choices of k of n there are, of any numbers, by gamma functions; of a whole n below 0 there is none."""
    n, k = numbers(x1), numbers(x2)
    lost = (n < 0.0) & (np.floor(n) == n) | np.isnan(n) | np.isnan(k)
    first = (k == 0.0) & ~lost
    m, j = np.where(lost, 1.0, n), np.where(lost, 1.0, k)
    none = is_pole(j + 1.0) | is_pole(m - j + 1.0)
    u, v = np.where(none, 1.0, m), np.where(none, 1.0, j)
    made = np.where(none, beside_no_choice(m, j, none), choices(u, v))
    whole = (np.floor(j) == j) & (np.floor(m) == m) & (np.abs(made) < 1e12)
    made = np.where(whole, with_slope(np.round(made), made), made)
    far = (np.abs(m) > 1e16 * (1.0 + j * j)) & (j > 0.0)
    power = np.where(far, j, 1.0)
    made = np.where(far, np.where(far, m, 1.0) ** power / special.gamma(power + 1.0), made)
    made = np.where(first, with_slope(np.ones_like(made), made), made)
    return in_dtype_of(special.binom, np.where(lost, np.nan, made), x1, x2)


def choices(n, k):
    """One over n + 1 and a beta function; of large numbers, where that may be tiny, its logarithm taken away."""
    large = np.maximum(np.abs(n - k + 1.0), np.abs(k + 1.0)) >= 80.0
    u, v = np.where(large, 80.0, n), np.where(large, 0.0, k)
    small = 1.0 / ((u + 1.0) * special.beta(u - v + 1.0, v + 1.0))
    u, v = np.where(large, n, 80.0), np.where(large, k, 0.0)
    signs = sign_of_gamma(u - v + 1.0) * sign_of_gamma(v + 1.0) * sign_of_gamma(u + 2.0)
    return np.where(large, signs * np.exp(-betaln(u - v + 1.0, v + 1.0)) / (u + 1.0), small)


def beside_no_choice(n, k, none):
    """0 with its slopes, of k below 0 or above n: by Euler's reflection the sine of what k is beyond, which is 0, and a
    beta function."""
    beyond = np.where(none, np.where(k > n, k - n, -k), 1.0)
    whole = np.round(beyond)
    sine = np.where(np.mod(whole, 2.0) == 1.0, -1.0, 1.0) * np.sin(np.pi * (beyond - without_slope(whole)))
    return sine / np.pi * special.beta(beyond, np.where(none, n, 1.0) + 1.0) + 0.0  # never -0.0


@stands_for("scipy.special.poch")
def poch(x1, x2):
    """gamma(z + m) / gamma(z): between poles its limit; of z that is much larger than m a power."""
    z, m = numbers(x1), numbers(x2)
    poles = is_pole(z) & is_pole(z + m)
    above, below = np.where(poles, 1.0 - z, z + m), np.where(poles, 1.0 - z - m, z)
    sign = np.where(poles & (np.mod(m, 2.0) == 1.0), -1.0, 1.0)
    far = z > 1e14 * (1.0 + np.abs(m)) ** 2
    both = (above > 20.0) & (below > 20.0) & ~far
    direct = ~both & (np.abs(above) < 170.0) & (np.abs(below) < 170.0)
    u, v = np.where(direct, below, 1.0), np.where(direct, above, 1.0)
    of_two = special.gamma(v) * special.rgamma(u) + 0.0  # never -0.0
    rest = ~(both | direct | far)
    large = np.exp(gammaln(np.where(rest, above, 1.0)) - gammaln(np.where(rest, below, 1.0)))
    made = np.where(direct, of_two, special.gammasgn(above) * special.gammasgn(below) * large)
    u, v, n = np.where(both, below, 21.0), np.where(both, above, 21.0), np.where(both, m, 0.0)
    root = v ** (0.5 * n)
    made = np.where(
        both,
        root * np.exp((u - 0.5) * np.log1p(n / u) - n + rest_of_stirling(v) - rest_of_stirling(u)) * root,
        made,
    )
    made = np.where(far, np.where(far, z, 1.0) ** m, sign * made)
    whole = (np.floor(z) == z) & (np.floor(m) == m) & (m > 0.0) & (np.abs(made) < 9e15)
    made = np.where(whole, with_slope(np.round(made), made), made)
    made = np.where(is_pole(z + m) & ~is_pole(z), np.inf, made)
    return in_dtype_of(special.poch, np.where(m == 0.0, with_slope(np.ones_like(made), made), made), x1, x2)
