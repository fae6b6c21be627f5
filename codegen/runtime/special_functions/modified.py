"""Modified Bessel functions of any real order, times exponentials: bessel_ive(v, x) is exp(-|x|) I, bessel_kve exp(x)
K.

K between orders -1/2 and 1/2 by Temme's series (Temme 1975) for x up to 3/2, else by Steed's continued fraction
(Thompson and Barnett 1987), and upwards by its recurrence; I by the fraction of its logarithm's slope (DLMF 10.33.1)
and the Wronskian (10.28.2), of large x by its asymptotic series (10.40.1).
"""

import math

from numba import njit

# 1 / gamma(1 + z) = even(z**2) + z odd(z**2): the coefficients of both (Abramowitz and Stegun 6.1.34)
RECIPROCAL_GAMMA_EVEN = (
    1.0, -0.6558780715202539, 0.16653861138229148, -0.009621971527876973, -0.0011651675918590652,
    0.0001280502823881162, -1.2504934821426706e-06, -2.056338416977607e-07, 5.002007644469223e-09,
    1.0434267116911005e-10, -3.696805618642206e-12,
)  # fmt: skip
RECIPROCAL_GAMMA_ODD = (
    0.5772156649015329, -0.04200263503409524, -0.04219773455554433, 0.0072189432466631, -0.00021524167411495098,
    -2.013485478078824e-05, 1.133027231981696e-06, 6.116095104481416e-09, -1.18127457048702e-09,
    7.782263439905071e-12, 5.100370287454476e-13,
)  # fmt: skip
BESSEL_EPS = 1e-17
BESSEL_MOST = 10_000_000  # terms of a fraction: what has not settled by then is NaN


@njit(error_model="numpy")
def gamma_halves(m: float) -> tuple[float, float]:
    """(1 / gamma(1 - m) - 1 / gamma(1 + m)) / (2 m) and half the sum of both, of |m| up to 1/2."""
    even, odd, power = 0.0, 0.0, 1.0
    for k in range(len(RECIPROCAL_GAMMA_EVEN)):
        even += RECIPROCAL_GAMMA_EVEN[k] * power
        odd -= RECIPROCAL_GAMMA_ODD[k] * power
        power *= m * m
    return odd, even


@njit(error_model="numpy")
def half_turns_of(m: float) -> float:
    """pi m / sin(pi m)."""
    return 1.0 if abs(m) < 1e-9 else math.pi * m / math.sin(math.pi * m)


@njit(error_model="numpy")
def growing_sine(s: float) -> float:
    """sinh(s) / s."""
    return 1.0 + s * s / 6.0 if abs(s) < 1e-4 else math.sinh(s) / s


@njit(error_model="numpy")
def falling_near(m: float, x: float) -> tuple[float, float]:
    """exp(x) K of orders m and m + 1, of |m| up to 1/2 and small x."""
    log = math.log(2.0 / x)
    odd, even = gamma_halves(m)
    s = m * log
    f = half_turns_of(m) * (odd * math.cosh(s) + even * growing_sine(s) * log)
    p = 0.5 * math.exp(s) / (even - m * odd)
    q = 0.5 * math.exp(-s) / (even + m * odd)
    c, k, total, beyond, more = 1.0, 0.0, f, p, f
    while abs(more) > BESSEL_EPS * abs(total):
        k += 1.0
        f = (k * f + p + q) / (k * k - m * m)
        p /= k - m
        q /= k + m
        c *= 0.25 * x * x / k
        more = c * f
        total += more
        beyond += c * (p - k * f)
    scale = math.exp(x)
    return scale * total, scale * beyond * 2.0 / x


@njit(error_model="numpy")
def falling_far(m: float, x: float) -> tuple[float, float]:
    """The same of x that is not small: by the fraction's steps and, along them, the sum that they weigh."""
    first = 0.25 - m * m
    if first == 0.0:
        made = math.sqrt(0.5 * math.pi / x)
        return made, made * (0.5 + m + x) / x
    b = 2.0 + 2.0 * x
    a, d = -first, 1.0 / b
    step, slope = d, d
    before, now, weight, whole = 0.0, 1.0, first, first
    total, k = 1.0 + whole * step, 1.0
    more = total
    while abs(more) > BESSEL_EPS * abs(total) and k < BESSEL_MOST:
        k += 1.0
        a -= 2.0 * (k - 1.0)
        weight = -a * weight / k
        before, now = now, (before - b * now) / a
        whole += weight * now
        b += 2.0
        d = 1.0 / (b + a * d)
        step *= b * d - 1.0
        slope += step
        more = whole * step
        total += more
    made = math.sqrt(0.5 * math.pi / x) / total
    return made, made * (m + x + 0.5 - first * slope) / x


@njit(error_model="numpy")
def falling_pair(v: float, x: float) -> tuple[float, float]:
    """exp(x) K of orders v and v + 1, of v and x above 0."""
    steps = math.floor(v + 0.5)
    m = v - steps
    now, above = falling_near(m, x) if x <= 1.5 else falling_far(m, x)
    k = 1.0
    while k <= steps and above < math.inf:
        now, above = above, now + 2.0 * (m + k) / x * above
        k += 1.0
    return (now, above) if k > steps else (math.inf, math.inf)


@njit(error_model="numpy")
def bessel_kve(v: float, x: float) -> float:
    """scipy.special.kve."""
    v = abs(v)
    if not (x > 0.0 and v < math.inf):
        return math.inf if x == 0.0 else math.nan
    if x == math.inf:
        return 0.0
    return falling_pair(v, x)[0]


@njit(error_model="numpy")
def bessel_kv(v: float, x: float) -> float:
    """scipy.special.kv."""
    made = bessel_kve(v, x)
    return made * math.exp(-x) if x < 700.0 else made * math.exp(-0.5 * x) * math.exp(-0.5 * x)


@njit(error_model="numpy")
def growing_far(v: float, x: float) -> float:
    """exp(-x) I by its asymptotic series."""
    total, term, k = 1.0, 1.0, 0.0
    while abs(term) > BESSEL_EPS * abs(total) and k < 60.0:
        k += 1.0
        term *= ((2.0 * k - 1.0) ** 2 - 4.0 * v * v) / (8.0 * k * x)
        total += term
    return total / math.sqrt(2.0 * math.pi * x)


@njit(error_model="numpy")
def growing_slope(v: float, x: float) -> float:
    """I' / I: v / x and a fraction whose terms are positive, by numerators and denominators."""
    b = 2.0 * (v + 1.0) / x
    c, d, made, k, change = math.inf, 1.0 / b, 1.0 / b, 1.0, 2.0
    while abs(change - 1.0) > 1e-16 and k < BESSEL_MOST:
        b += 2.0 / x
        d = 1.0 / (b + d)
        c = b + 1.0 / c
        change = c * d
        made *= change
        k += 1.0
    return v / x + made


@njit(error_model="numpy")
def growing_scaled(v: float, x: float) -> float:
    """exp(-x) I, of v and x that are not negative."""
    if x == 0.0:
        return 1.0 if v == 0.0 else 0.0
    if x > 30.0 and x > 0.5 * v * v:
        return growing_far(v, x) if x < math.inf else 0.0
    now, above = falling_pair(v, x)
    if now == math.inf or above == math.inf:
        return (0.5 * x) ** v / math.gamma(v + 1.0) * math.exp(-x)
    return 1.0 / (x * (growing_slope(v, x) * now + above) - v * now)


@njit(error_model="numpy")
def sine_of_half_turns(v: float) -> float:
    """sin(pi v), 0 of whole numbers."""
    r = v - 2.0 * math.floor(0.5 * v + 0.5)  # from -1 to 1
    return math.sin(math.pi * (math.copysign(1.0, r) - r if abs(r) > 0.5 else r))


@njit(error_model="numpy")
def bessel_ive(v: float, x: float) -> float:
    """scipy.special.ive."""
    whole = v == math.floor(v)
    if not (v == v and x == x) or x < 0.0 and not whole or abs(v) == math.inf:
        return math.nan
    if v < 0.0 and not whole:
        if x == 0.0:
            return math.inf
        rest = 2.0 / math.pi * sine_of_half_turns(-v) * bessel_kve(-v, x) * math.exp(-2.0 * x)
        return growing_scaled(-v, x) + rest
    made = growing_scaled(abs(v), abs(x))
    return -made if x < 0.0 and v % 2.0 == 1.0 else made


@njit(error_model="numpy")
def bessel_iv(v: float, x: float) -> float:
    """scipy.special.iv."""
    made, size = bessel_ive(v, x), abs(x)
    return made * math.exp(size) if size < 700.0 else made * math.exp(0.5 * size) * math.exp(0.5 * size)
