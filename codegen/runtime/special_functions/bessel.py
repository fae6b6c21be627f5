"""Bessel functions of any real order, bessel_jv(v, x) and bessel_yv(v, x).

For x up to 3/2 Y between orders -1/2 and 1/2 by Temme's series (Temme 1976, section 2), and upwards by its recurrence,
J by its power series. Up to 21 both of an order near x by Steed's second fraction (Thompson and Barnett 1987), from
there on by Hankel's expansions (DLMF 10.17.3) and the recurrence; of larger orders J by the fraction of its logarithm's
slope.
"""

import math

from numba import njit

from .modified import (
    BESSEL_EPS,
    BESSEL_MOST,
    gamma_halves,
    growing_sine,
    half_turns_of,
    sine_of_half_turns,
)


@njit(error_model="numpy")
def waves_near(m: float, x: float) -> tuple[float, float]:
    """Y of orders m and m + 1, of |m| up to 1/2 and small x."""
    log = math.log(2.0 / x)
    odd, even = gamma_halves(m)
    s = m * log
    f = 2.0 / math.pi * half_turns_of(m) * (odd * math.cosh(s) + even * growing_sine(s) * log)
    p = math.exp(s) / ((even - m * odd) * math.pi)
    q = math.exp(-s) / ((even + m * odd) * math.pi)
    half = 0.5 * math.pi * m
    weight = math.pi * half * (1.0 if abs(half) < 1e-9 else math.sin(half) / half) ** 2
    c, k, total, beyond, more = 1.0, 0.0, f + weight * q, p, 1.0
    while abs(more) > BESSEL_EPS * abs(total):
        k += 1.0
        f = (k * f + p + q) / (k * k - m * m)
        p /= k - m
        q /= k + m
        c *= -0.25 * x * x / k
        more = c * (f + weight * q)
        total += more
        beyond += c * (p - k * (f + weight * q))
        more = abs(more) + 1e-3 * abs(c * p)
    return -total, -beyond * 2.0 / x


@njit(error_model="numpy")
def waves_slope(v: float, x: float) -> tuple[float, float]:
    """J' / J, and the sign of J, by numerators and denominators (Lentz 1976)."""
    b, sign, k = 2.0 * v / x, 1.0, 0
    made = max(v / x, 1e-300)
    c, d, change = made, 0.0, 2.0
    while abs(change - 1.0) > 1e-16 and k < BESSEL_MOST:
        b += 2.0 / x
        d = b - d
        d = 1.0 / (d if abs(d) > 1e-300 else 1e-300)
        c = b - 1.0 / c
        c = c if abs(c) > 1e-300 else 1e-300
        change = c * d
        made *= change
        sign = -sign if d < 0.0 else sign
        k += 1
    return (made, sign) if k < BESSEL_MOST else (math.nan, 1.0)


@njit(error_model="numpy")
def waves_phase(m: float, x: float) -> tuple[float, float]:
    """The slope of log(J + i Y): i - 1 / (2 x) and a fraction, i / x of it."""
    a = 0.25 - m * m
    if a == 0.0:
        return -0.5 / x, 1.0
    b = complex(2.0 * x, 2.0)
    c, d, made, k, change = complex(1e300, 0.0), 1.0 / b, a / b, 1.0, complex(2.0, 0.0)
    while abs(change.real - 1.0) + abs(change.imag) > 1e-16 and k < BESSEL_MOST:
        a += 2.0 * k
        b += complex(0.0, 2.0)
        d = 1.0 / (b + a * d)
        c = b + a / c
        change = c * d
        made *= change
        k += 1.0
    return -0.5 / x - made.imag / x, 1.0 + made.real / x


@njit(error_model="numpy")
def waves_far(v: float, x: float) -> tuple[float, float]:
    """J and Y by Hankel's expansions."""
    p, q, term, k = 1.0, 0.0, 1.0, 0.0
    while abs(term) > BESSEL_EPS and k < 60.0:
        k += 1.0
        term *= (4.0 * v * v - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        turn = k % 4.0
        if turn == 1.0 or turn == 3.0:
            q += term if turn == 1.0 else -term
        else:
            p += term if turn == 0.0 else -term
    shift = 0.5 * v + 0.25  # of half turns
    c, s = sine_of_half_turns(shift + 0.5), sine_of_half_turns(shift)
    up, along = math.sin(x) * c - math.cos(x) * s, math.cos(x) * c + math.sin(x) * s
    size = math.sqrt(2.0 / (math.pi * x))
    return size * (p * along - q * up), size * (p * up + q * along)


@njit(error_model="numpy")
def wave_near(v: float, x: float) -> float:
    """J of small x by its power series (DLMF 10.2.2); of orders from 170 on it is 0."""
    if v > 170.0:
        return 0.0
    term, total, k = 1.0, 1.0, 0.0
    while abs(term) > BESSEL_EPS:
        k += 1.0
        term *= -0.25 * x * x / (k * (v + k))
        total += term
    return (0.5 * x) ** v / math.gamma(v + 1.0) * total


@njit(error_model="numpy")
def waves(v: float, x: float) -> tuple[float, float]:
    """J and Y, of v that is not negative and x above 0."""
    if x < 1.5:
        below = math.floor(v + 0.5)
        y, above = waves_near(v - below, x)
        return wave_near(v, x), wave_above(y, above, v - below, x, below)
    steps = max(0.0, math.floor(v - x + 1.5))
    m = v - steps
    if x >= 21.0 and steps == 0.0:
        j, y, above = waves_rising(v, x)
        return j, y
    more = max(0.0, math.ceil(x - v))  # from an order of x on the fraction does not oscillate
    slope, sign = waves_slope(v + more, x)
    first = sign * 1e-200
    j, j_slope, k = first, slope * first, steps + more
    while k > 0.0:
        if k == steps:
            first = j
        order = m + k
        lower = order / x * j + j_slope
        j, j_slope = lower, (order - 1.0) / x * lower - j
        if abs(j) > 1e200:
            j, j_slope, first = j * 1e-250, j_slope * 1e-250, first * 1e-250
        k -= 1.0
    first = first if steps > 0.0 else j
    found, y, above = waves_rising(m, x) if x >= 21.0 else waves_of_slope(m, x, j_slope / j, j)
    return first * (found / j), wave_above(y, above, m, x, steps)


@njit(error_model="numpy")
def waves_of_slope(m: float, x: float, slope: float, sign: float) -> tuple[float, float, float]:
    """J and Y, and Y of the next order, by the slope of log J."""
    p, q = waves_phase(m, x)
    ratio = (p - slope) / q
    found = math.copysign(math.sqrt(2.0 / (math.pi * x) / ((p - slope) * ratio + q)), sign)
    return found, found * ratio, found * (m / x * ratio - p * ratio - q)


@njit(error_model="numpy")
def waves_rising(v: float, x: float) -> tuple[float, float, float]:
    """The same of large x and orders up to it: by recurrence from where Hankel's expansions do."""
    steps = 0.0 if x > 0.25 * (v + 1.0) ** 2 else math.floor(v)
    j, y = waves_far(v - steps, x)
    j_above, above = waves_far(v - steps + 1.0, x)
    k = v - steps
    while steps > 0.0:
        k += 1.0
        j, j_above = j_above, 2.0 * k / x * j_above - j
        y, above = above, 2.0 * k / x * above - y
        steps -= 1.0
    return j, y, above


@njit(error_model="numpy")
def wave_above(y: float, above: float, m: float, x: float, steps: float) -> float:
    """Y of order m + steps, of those of m and m + 1."""
    k = 1.0
    while k <= steps and abs(above) < math.inf:
        y, above = above, 2.0 * (m + k) / x * above - y
        k += 1.0
    return y if k > steps else -math.inf


@njit(error_model="numpy")
def bessel_jv(v: float, x: float) -> float:
    """scipy.special.jv."""
    whole = v == math.floor(v)
    if not (v == v and abs(x) < math.inf) or x < 0.0 and not whole or abs(v) == math.inf:
        return math.nan
    odd = whole and v % 2.0 == 1.0
    sign = -1.0 if odd and ((x < 0.0) != (v < 0.0)) else 1.0
    size, order = abs(x), abs(v)
    if size == 0.0:
        return 1.0 if v == 0.0 else 0.0 if v > 0.0 or whole else math.copysign(math.inf, math.gamma(v + 1.0))
    j, y = waves(order, size)
    if v < 0.0 and not whole:
        return sine_of_half_turns(order + 0.5) * j - sine_of_half_turns(order) * y
    return sign * j


@njit(error_model="numpy")
def bessel_yv(v: float, x: float) -> float:
    """scipy.special.yv."""
    if not 0.0 <= x < math.inf or not abs(v) < math.inf:
        return math.nan
    order = abs(v)
    c, s = sine_of_half_turns(order + 0.5), sine_of_half_turns(order)
    if x == 0.0:
        return -math.inf if v >= 0.0 or c > 0.0 or c == 0.0 and s > 0.0 else math.inf
    j, y = waves(order, x)
    if v < 0.0:
        return s * j + c * y if c != 0.0 else s * j
    return y
