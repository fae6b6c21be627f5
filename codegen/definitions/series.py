"""Functions of scipy.special by series and sums: Bessel functions, zeta, Owen's T."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gamma, ndtr

from codegen.definitions.special import in_loop, numbers, plus
from codegen.definitions.table import stands_for

# Of 24 points of Gauss and Legendre: how far half of them are from the middle, the other half as far on the other side
PLACES = (
    0.06405689286260563, 0.1911188674736163, 0.3150426796961634, 0.4337935076260451, 0.5454214713888396,
    0.6480936519369755, 0.7401241915785544, 0.820001985973903, 0.8864155270044011, 0.9382745520027328,
    0.9747285559713095, 0.9951872199970213,
)  # fmt: skip
WEIGHTS = (
    0.06396909767337601, 0.06291872817341412, 0.06083523646390165, 0.05775283402686276, 0.05372213505798278,
    0.04880932605205696, 0.0430950807659766, 0.03667324070554008, 0.02964929245771818, 0.022138719408709706,
    0.01426569431446678, 0.006170614899994345,
)  # fmt: skip
# B(2k) / (2k)!, of Bernoulli's numbers
OF_BERNOULLI = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07, 2.08767569878681e-08,
    -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
    -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
)  # fmt: skip


@stands_for("scipy.special.i0e")
def i0e(x):
    """exp(-|x|) I0(x)."""
    far, near, beyond = parts(x)
    return in_loop(np.where(far, bessel_far(beyond, 0), np.exp(-near) * bessel_near(near, 0)), x)


@stands_for("scipy.special.i1e")
def i1e(x):
    """exp(-|x|) I1(x)."""
    far, near, beyond = parts(x)
    made = np.where(far, bessel_far(beyond, 1), np.exp(-near) * 0.5 * near * bessel_near(near, 1))
    return in_loop(np.where(numbers(x) < 0.0, -made, made), x)


@stands_for("numpy.i0")
@stands_for("scipy.special.i0")
def i0(x):
    far, near, beyond = parts(x)
    return in_loop(np.where(far, np.exp(beyond) * bessel_far(beyond, 0), bessel_near(near, 0)), x)


@stands_for("scipy.special.i1")
def i1(x):
    far, near, beyond = parts(x)
    made = np.where(far, np.exp(beyond) * bessel_far(beyond, 1), 0.5 * near * bessel_near(near, 1))
    return in_loop(np.where(numbers(x) < 0.0, -made, made), x)


def parts(x):
    """Where the asymptotic series of a Bessel function is taken, and what each of both is taken of."""
    size = np.abs(numbers(x))
    far = size > 30.0
    return far, np.where(far, 1.0, size), np.where(far, size, 40.0)


def bessel_near(z, order):
    """The power series of I0(z) and of 2 I1(z) / z, whose terms are all positive (Abramowitz and Stegun 9.6.10)."""
    q = 0.25 * z * z
    total = np.ones_like(q)
    for share in SHARES_NEAR[order]:
        total = 1.0 + (q * share) * total
    return total


# What a term has of the one before it, of both orders, from the last term on.
SHARES_NEAR = tuple(tuple(1.0 / (k * (k + n)) for k in range(64, 0, -1)) for n in (0, 1))
SHARES_FAR = tuple(
    tuple((4.0 * n - (2.0 * k - 1.0) ** 2) / (8.0 * k) for k in range(24, 0, -1)) for n in (0, 1)
)


def bessel_far(z, order):
    """The asymptotic series of exp(-z) I(z) (Abramowitz and Stegun 9.7.1)."""
    total, inverse = np.ones_like(z), 1.0 / z
    for share in SHARES_FAR[order]:
        total = 1.0 - (share * inverse) * total
    return total / np.sqrt(2.0 * np.pi * z)


@stands_for("scipy.special.j0")
def j0(x):
    z = np.abs(numbers(x))
    first, _ = oscillating(z)
    return in_loop(first, x)


@stands_for("scipy.special.j1")
def j1(x):
    z = np.abs(numbers(x))
    _, second = oscillating(z)
    return in_loop(np.where(numbers(x) < 0.0, -second, second), x)


def oscillating(z):
    """J0 and J1: by their power series, by their recurrence from a high order down (Miller; DLMF 10.74(iv)), whose sum
    is known, or far out by Hankel's series (DLMF 10.17.3)."""
    small, far = z < 2.0, z >= 25.0
    near, middle = np.where(small, z, 1.0), np.where(small | far, 2.0, z)
    beyond = np.where(far & (z < np.inf), z, 25.0)
    q = 0.25 * near * near
    of_near, slope = np.ones_like(q), np.ones_like(q)
    for k in range(14, 0, -1):
        of_near = 1.0 - q / (k * k) * of_near
        slope = 1.0 - q / (k * (k + 1)) * slope
    above, this, total = np.zeros_like(z), np.full(z.shape, 1e-250), np.zeros_like(z)
    for k in range(33, 0, -1):
        total = total + this  # of order 2 k
        above = 4.0 * k / middle * this - above
        above, this = above, (4.0 * k - 2.0) / middle * above - this
    total = 2.0 * total + this
    in_phase, across = of_hankel(beyond, 0), of_hankel(beyond, 1)
    made = np.where(small, of_near, np.where(far, in_phase, this / total))
    second = np.where(small, 0.5 * near * slope, np.where(far, across, above / total))
    return np.where(z == np.inf, np.nan, made), np.where(z == np.inf, np.nan, second)


def of_hankel(z, order):
    """P cos - Q sin of z less (2 order + 1) quarters of pi, by sines and cosines of z itself."""
    p, q = np.ones_like(z), np.zeros_like(z)
    for k in range(28, 0, -1):
        step = (4.0 * order * order - (2.0 * k - 1.0) ** 2) / (8.0 * k * z)
        p, q = 1.0 - step * q, step * p
    up, along = np.sin(z), np.cos(z)
    made = (along + up) * p - (up - along) * q if order == 0 else (up - along) * p + (up + along) * q
    return made / np.sqrt(np.pi * z)


@stands_for("scipy.special.owens_t")
def owens_t(x1, x2):
    """The integral of exp(-h**2 (1 + u**2) / 2) / (1 + u**2) over u from 0 to a, by 2 pi (Owen 1956): of a beyond 1 by
    that of its inverse (eq. 2.3), by Gauss and Legendre."""
    h, a = np.abs(numbers(x1)), numbers(x2)
    size = np.abs(a)
    far = size > 1.0
    near = np.where(far, 1.0 / np.where(far, size, 1.0), size)
    infinite = np.isinf(h) & far & np.isinf(size)
    height = np.where(far, np.where(infinite | (h == 0.0), h, h * size), h)
    made = np.zeros_like(h + a)
    places, weights = np.array(PLACES), np.array(WEIGHTS)
    for k in range(len(places)):
        before, after = 0.5 * near * (1.0 - places[k]), 0.5 * near * (1.0 + places[k])
        made = made + weights[k] * (under_owens(height, before) + under_owens(height, after))
    made = near * made / (2.0 * np.pi)
    below, beyond = ndtr(-h), ndtr(-height)
    made = np.where(far, 0.5 * (below + beyond) - below * beyond - made, made)
    return in_loop(np.copysign(1.0, a) * np.where(np.isnan(a), np.nan, made), plus(x1, x2))


def under_owens(h, u):
    return np.exp(-0.5 * h * h * (1.0 + u * u)) / (1.0 + u * u)


@stands_for("scipy.special.zeta")
def zeta(x, q=None):
    """The sum of (k + q)**-x over k from 0 on, by Euler and Maclaurin (DLMF 25.11.8); without q Riemann's."""
    if q is None:
        s = numbers(x)
        left = s < 0.0
        t = np.where(left, 1.0 - s, np.where(s == 1.0, 2.0, s))
        made = hurwitz(t, np.ones_like(t))
        turned = 2.0 * (2.0 * np.pi) ** (s - 1.0) * sin_of_half_turns(s) * gamma(np.where(left, t, 1.0))
        made = np.where(left, turned * made, np.where(s == 1.0, np.inf, made))
        return in_loop(np.where(np.isnan(s), np.nan, made), x)
    s, start = numbers(x), numbers(q)
    pole = (s == 1.0) | (start <= 0.0) & (np.floor(start) == start) & ~(s < 1.0)
    lost = ((s < 1.0) | (start <= 0.0) & (np.floor(s) != s) | np.isnan(s) | np.isnan(start)) & ~pole
    made = hurwitz(np.where(pole | lost, 2.0, s), np.where(pole | lost, 1.0, start))
    return in_loop(np.where(lost, np.nan, np.where(pole, np.inf, made)), plus(x, q))


def hurwitz(s, q):
    """Ten terms, and the rest by the integral and what it leaves; below 0 the terms before that as well. Of s beyond
    1,000 the rest is nothing beside them, or all is 0."""
    total = np.zeros_like(s + q)
    while np.any(q <= 0.0):
        total = total + np.where(q <= 0.0, np.where(q <= 0.0, q, 1.0) ** -s, 0.0)
        q = np.where(q <= 0.0, q + 1.0, q)
    for k in range(10):
        total = total + (q + k) ** -s
    far = s > 1e3
    s = np.where(far, 1e3, s)
    a = q + 10.0
    last = np.where(far, 0.0, a**-s)
    total = total + a * last / (s - 1.0) + 0.5 * last
    factors, rising = np.array(OF_BERNOULLI), s / a
    for k in range(len(factors)):
        total = total + factors[k] * rising * last
        rising = rising * ((s + 2 * k + 1.0) / a) * ((s + 2 * k + 2.0) / a)
    return total


def sin_of_half_turns(s):
    """sin(pi s / 2), 0 of every even number."""
    r = s - 4.0 * np.round(0.25 * s)
    return np.sin(0.5 * np.pi * np.where(np.abs(r) > 1.0, np.copysign(2.0, r) - r, r))
