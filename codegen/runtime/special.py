"""Special functions that Numba does not have: scalar functions, copied into emitted modules that call them.

Like `draws.py` this file is flat: functions and tables, in the order of what they need, and nothing
imported but math, NumPy and Numba. Each is accurate to 4 ulp (at negative arguments, to 4 ulp of the larger
of the two terms of the reflection formula). Poles give what SciPy gives there.

    expit(0.0), digamma(1.0), polygamma(1, 1.0)        # 0.5, -0.5772156649015329, 1.6449340668482264
"""

import math

import numpy as np
from numba import njit


@njit(error_model="numpy")
def expit(x: float) -> float:
    """1 / (1 + exp(-x)), without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


@njit(error_model="numpy")
def log_expit(x: float) -> float:
    """log(expit(x)), without overflow or cancellation."""
    if x >= 0.0:
        return -math.log1p(math.exp(-x))
    return x - math.log1p(math.exp(x))


@njit(error_model="numpy")
def erfcx(x: float) -> float:
    """exp(x**2) erfc(x); from 7 on by its asymptotic series (Abramowitz and Stegun 7.1.23).

    The square is that of a number of few bits, which is exact, and the rest.
    """
    if x < 7.0:
        if x < -27.0:
            return math.inf
        head = np.float64(np.float32(x))
        return math.exp(head * head) * math.exp((x - head) * (x + head)) * math.erfc(x)
    step = 0.5 / (x * x)
    total = 1.0
    for k in range(20, 0, -1):
        total = 1.0 - (2.0 * k - 1.0) * step * total
    return total / (x * math.sqrt(math.pi))


@njit(error_model="numpy")
def gammaln(x: float) -> float:
    """log |gamma(x)|; SciPy's is -inf at -inf, where C's is inf."""
    return x if x == -np.inf else math.lgamma(x)


# The positive zero of digamma, in two parts, and digamma(x) / (x - zero) for 1 <= x <= 2 as a polynomial in
# 2 x - 3 (Chebyshev interpolation at 60 digits, cut where terms fall below 2e-17), highest power first.
DIGAMMA_ZERO = 1.4616321449683622
DIGAMMA_ZERO_REST = 9.549995429965697e-17
DIGAMMA_POLYNOMIAL = (
    2.918622732168261e-11,
    -8.50550766013261e-11,
    8.734528429142953e-11,
    -2.7580994814377e-10,
    1.2469984616707403e-09,
    -3.7083753242807277e-09,
    1.0527692435026686e-08,
    -3.162911147408454e-08,
    9.543298288278275e-08,
    -2.863161166883193e-07,
    8.589060721930695e-07,
    -2.578093954045772e-06,
    7.741234508636364e-06,
    -2.3258242519113285e-05,
    6.995018825112794e-05,
    -0.00021074841138175561,
    0.0006368880303865817,
    -0.0019350666648613071,
    0.005936795278301761,
    -0.018550615381735008,
    0.06013562106019684,
    -0.2118137106407303,
    0.9510558760318328,
)

# B(2 k) / (2 k) for k = 12 .. 1: digamma(x) = log x - 1 / (2 x) - sum of B(2 k) / (2 k) x^(-2 k).
DIGAMMA_SERIES = (
    -3607.5105463980462,
    281.46014492753625,
    -26.456212121212122,
    3.0539543302701198,
    -0.4432598039215686,
    0.08333333333333333,
    -0.021092796092796094,
    0.007575757575757576,
    -0.004166666666666667,
    0.003968253968253968,
    -0.008333333333333333,
    0.08333333333333333,
)


@njit(error_model="numpy")
def digamma_near(x: float) -> float:
    """digamma for 1 <= x <= 2, its zero included."""
    t = 2.0 * x - 3.0
    p = 0.0
    for c in DIGAMMA_POLYNOMIAL:
        p = p * t + c
    return ((x - DIGAMMA_ZERO) - DIGAMMA_ZERO_REST) * p


@njit(error_model="numpy")
def digamma_positive(x: float) -> float:
    """digamma for x > 0: the polynomial, some steps of the recurrence from it, or the asymptotic series."""
    if x < 1.0:
        return digamma_near(x + 1.0) - 1.0 / x
    if x <= 2.0:
        return digamma_near(x)
    if x <= 6.0:
        total = 0.0
        while x > 2.0:
            x -= 1.0
            total += 1.0 / x
        return total + digamma_near(x)
    z = 1.0 / (x * x)
    s = 0.0
    for c in DIGAMMA_SERIES:
        s = s * z + c
    return math.log(x) - (0.5 / x + z * s)


@njit(error_model="numpy")
def digamma(x: float) -> float:
    """The derivative of log gamma; at 0 infinite with the sign of -x, at negative whole numbers NaN."""
    if x > 0.0:
        return digamma_positive(x)
    if x == 0.0:
        return math.copysign(math.inf, -x)
    part = x - np.floor(x + 0.5)
    if part == 0.0 or math.isinf(x):
        return math.nan
    return digamma_positive(1.0 - x) - math.pi / math.tan(math.pi * part)


# B(2 k) for k = 8 .. 1: trigamma(x) = 1 / x + 1 / (2 x^2) + sum of B(2 k) / x^(2 k + 1).
TRIGAMMA_SERIES = (
    -7.092156862745098,
    1.1666666666666667,
    -0.2531135531135531,
    0.07575757575757576,
    -0.03333333333333333,
    0.023809523809523808,
    -0.03333333333333333,
    0.16666666666666666,
)


@njit(error_model="numpy")
def trigamma(x: float) -> float:
    """The derivative of digamma: the recurrence up to 10, beyond the asymptotic series; infinite at 0, -1, ..."""
    if x < 0.0:
        part = x - np.floor(x + 0.5)
        if part == 0.0 or math.isinf(x):
            return math.inf
        turned = math.pi / math.sin(math.pi * part)
        return turned * turned - trigamma(1.0 - x)
    steps = 0.0
    y = x
    while y <= 10.0:
        steps += 1.0 / (y * y)
        y += 1.0
    inverse = 1.0 / y
    z = inverse * inverse
    s = 0.0
    for c in TRIGAMMA_SERIES:
        s = s * z + c
    return steps + (inverse + z * (0.5 + inverse * s))


# B(2 k) / (2 k)! for k = 1 .. 12, of the Euler-Maclaurin formula.
ZETA_SERIES = (
    0.08333333333333333,
    -0.001388888888888889,
    3.306878306878307e-05,
    -8.267195767195768e-07,
    2.08767569878681e-08,
    -5.284190138687493e-10,
    1.3382536530684679e-11,
    -3.3896802963225827e-13,
    8.586062056277845e-15,
    -2.174868698558062e-16,
    5.50900282836023e-18,
    -1.3954464685812522e-19,
)


@njit(error_model="numpy")
def hurwitz_zeta(s: float, x: float) -> float:
    """Sum of (x + k)^(-s) over k >= 0, for s > 1 and x > 0."""
    y = x
    count = 0
    while y < 10.0:
        y += 1.0
        count += 1
    first = y ** (1.0 - s)
    tail = first / y
    rest = first / (s - 1.0) + 0.5 * tail
    factor = tail * s / y
    for k in range(len(ZETA_SERIES)):
        rest += factor * ZETA_SERIES[k]
        factor *= (s + 2.0 * k + 1.0) / y * ((s + 2.0 * k + 2.0) / y)
    for k in range(count - 1, -1, -1):
        rest += (x + k) ** -s
    return rest


@njit(error_model="numpy")
def polygamma(n: int, x: float) -> float:
    """The n-th derivative of digamma: (-1)^(n + 1) n! zeta(n + 1, x); infinite at 0, -1, -2, ...

    For x < 0 zeta's terms are those from 1 - r on, and the ones before, (-1)^s times those from r to -x, for the r in
    (0, 1) by which -x is beyond a whole number.
    """
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    s = n + 1.0
    factor = math.gamma(s) if n % 2 else -math.gamma(s)
    if x == math.inf:
        return math.copysign(0.0, factor)
    if x > 0.0:
        return factor * hurwitz_zeta(s, x)
    r = -x - np.floor(-x)
    if not r > 0.0:  # a pole, or NaN
        return factor * (math.inf if x == x else math.nan)
    before = hurwitz_zeta(s, r) - hurwitz_zeta(s, 1.0 - x)
    return factor * (hurwitz_zeta(s, 1.0 - r) + (before if n % 2 else -before))
