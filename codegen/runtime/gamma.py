"""Gamma, its logarithm and the slope of that, which compilers inline and vectorise: fast_gamma : f8 -> f8, and so on.

    fast_gammaln(0.5), fast_gammaln(2.0), fast_gammaln(-2.5)       # 0.5723649429247001, 0.0, -0.056243716497674

gamma(x) within 4 units in the last place. log |gamma(x)| of positive x within 4 too, the zeros at 1 and 2 and what is
near them included; of negative ones to 4 units of the largest of the result, 1 and |x log x|: there are zeros between
all of them; so of digamma. For rules, flags and the fits see `elementary.py`, whose functions these use.
"""

import numpy as np
from numba import njit

from .elementary import (
    FAST_EXPONENTS,
    FAST_LOG2_HIGH,
    FAST_LOG2_INVERSE,
    FAST_LOG2_LOW,
    FAST_NORMAL,
    FAST_RAISE,
    fast_cubic,
    fast_exp_parts,
    fast_log,
    fast_log_parts,
    fast_log_rest,
)
from .exact import fused, rounded
from .power import fast_log_pair
from .special import DIGAMMA_ZERO, DIGAMMA_ZERO_REST


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_gammaln_near(y: float) -> float:
    """log gamma(y) = (y - 1) (y - 2) P(y - 25 / 16) for 0.8 <= y <= 2.3, P of degree 26."""
    t = y - 1.5625
    t2 = t * t
    t4 = t2 * t2
    t8 = t4 * t4
    a = fast_cubic(
        t, t2, 0.4742448086605885, -0.13844715293951293, 0.05741291522045942, -0.027452425453368654
    )
    b = fast_cubic(
        t, t2, 0.01414519545690648, -0.007622480364087326, 0.004229715717464071, -0.0023955329673707496
    )
    c = fast_cubic(
        t, t2, 0.0013772203502658018, -0.0008009029092711992, 0.0004699904346737778, -0.0002778278725886996
    )
    d = fast_cubic(
        t, t2, 0.00016522953638302404, -9.885078988118631e-05, 5.945518147263204e-05, -3.5528285405274226e-05
    )
    e = fast_cubic(
        t, t2, 2.115334984666463e-05, -1.3895544535814795e-05, 9.314741668349937e-06, -3.206250951624162e-06
    )
    f = fast_cubic(
        t, t2, 4.876054282786484e-07, -4.237179037779338e-06, 4.2241624859138e-06, 1.4781179555980022e-06
    )
    g = -1.952401202745253e-06 - 1.2670598090566865e-06 * t + 1.078039663052251e-06 * t2
    p = (a + b * t4) + t8 * ((c + d * t4) + t8 * ((e + f * t4) + t8 * g))
    return (y - 1.0) * (y - 2.0) * p


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_stirling_rest(x: float) -> float:
    """log gamma(x) less (x - 1/2) log x - x + log(2 pi) / 2, for x >= 8: a polynomial in x**-2, by x."""
    inverse = 1.0 / x
    z = inverse * inverse
    z2 = z * z
    a = fast_cubic(
        z, z2, 0.08333333333333333, -0.0027777777777740994, 0.0007936507898350415, -0.0005952366069750761
    )
    b = 0.0008414728495168573 + z * (-0.0018905398389384466 + z * 0.005069244253820121)
    return inverse * (a + z2 * z2 * b)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_gammaln_far(x: float, high: float, low: float) -> float:
    """Stirling's series for x >= 8 and log(x) = high + low.

    (x - 1/2) (log x - 1) + log(2 pi) / 2 - 1/2: 1 is taken from the exact part of the logarithm.
    """
    return (x - 0.5) * ((high - 1.0) + low) + (0.4189385332046727 + fast_stirling_rest(x))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_sin_turn(x: float) -> float:
    """|sin(pi x)| / pi for x >= 0."""
    above = x - np.floor(x)
    part = above - 1.0 if above > 0.5 else above
    z = part * part
    z2 = z * z
    a = fast_cubic(z, z2, -1.6449340668482262, 0.8117424252833373, -0.1907518241214305, 0.026147847804529174)
    b = fast_cubic(
        z, z2, -0.0023460808868205445, 0.00014842780085989852, -6.972000453300551e-06, 2.4493077134135116e-07
    )
    return abs(part) + abs(part) * z * (a + z2 * z2 * b)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_gammaln(x: float) -> float:
    """From 0.8 to 2.3 the polynomial; below, of x + 1; up to 8, of the step of the recurrence that lies there;
    Stirling's series beyond; for x < 0 by gamma(x) gamma(-x) = -pi / (x sin(pi x))."""
    size = abs(x)
    small, large = size < 0.8, size >= 8.0
    y = size + 1.0 if small else (1.5 if large else size)
    product = 1.0
    for _ in range(6):
        above = y > 2.3
        y = y - 1.0 if above else y
        product = product * y if above else product
    argument = size if small | large else product
    subnormal = argument < FAST_NORMAL
    raised = argument * FAST_RAISE
    k, f, _ = fast_log_parts(raised if subnormal else argument)
    k = k - 54.0 if subnormal else k
    high, low = k * FAST_LOG2_HIGH, fast_log_rest(k, f)
    near = fast_gammaln_near(y)
    log = high + low
    value = fast_gammaln_far(size, high, low) if large else near + (-log if small else log)
    turn = fast_sin_turn(size)
    below = -fast_log(turn if small else size * turn) - (near if small else value)
    value = below if x < 0.0 else value
    value = np.inf if x == 0.0 else value
    return x if size == np.inf else value


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_gamma_near(y: float) -> float:
    """gamma(y) for 1 <= y <= 2, a polynomial of degree 22 in y - 3 / 2."""
    t = y - 1.5
    t2 = t * t
    t4 = t2 * t2
    t8 = t4 * t4
    a = fast_cubic(t, t2, 0.886226925452758, 0.032338397448884865, 0.4148134536883024, -0.10729480456472038)
    b = fast_cubic(
        t, t2, 0.14464535904440493, -0.07752305230525278, 0.05861030383220056, -0.038001935296069086
    )
    c = fast_cubic(
        t, t2, 0.025837605915822147, -0.017222449985781194, 0.01152252686147021, -0.007690100273326776
    )
    d = fast_cubic(
        t, t2, 0.005131488994834386, -0.0034239501668410334, 0.002283958008484923, -0.001514294133879039
    )
    e = fast_cubic(
        t, t2, 0.0010067402104159688, -0.0007099874823314754, 0.0004820199349014187, -0.00021196343073443197
    )
    f = (0.0001266638097303132 - 0.00026023762579222015 * t) + 0.00018416834529533547 * t2
    return (a + b * t4) + t8 * ((c + d * t4) + t8 * (e + f * t4))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_gamma_far(x: float, sign: float) -> float:
    """gamma(x) / r, or r / gamma(x) for a sign of -1, with r = sqrt(2 pi), by Stirling's series for x >= 8.

    The logarithm is a sum of two: what is a unit of the exponent is hundreds of the result.
    """
    high, low = fast_log_pair(x)
    above = x - 0.5
    product = rounded(above, high)
    total = product - x
    rest = ((product - total) - x) + (fused(above, high, -product) + above * low) + fast_stirling_rest(x)
    t = sign * total * FAST_LOG2_INVERSE + FAST_EXPONENTS
    k = t - FAST_EXPONENTS
    return fast_exp_parts(t, ((sign * total - k * FAST_LOG2_HIGH) - k * FAST_LOG2_LOW) + sign * rest)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_gamma(x: float) -> float:
    """From 1 to 2 the polynomial; around it, by the recurrence that leads there; Stirling's series from 8 on; for x < 0
    by gamma(x) gamma(-x) = -pi / (x sin(pi x))."""
    size = abs(x)
    small, large = size < 1.0, size >= 8.0
    y = size + 1.0 if small else (1.5 if large else size)
    product, lost = 1.0, 0.0
    for _ in range(6):
        above = y > 2.0
        y = y - 1.0 if above else y
        factor = y if above else 1.0
        longer = rounded(product, factor)
        lost = fused(product, factor, -longer) + lost * factor
        product = longer
    poly = fast_gamma_near(y)
    near = product * poly + lost * poly
    below = x < 0.0
    far = fast_gamma_far((200.0 if size > 200.0 else size) if large else 8.0, -1.0 if below else 1.0)
    turn = fast_sin_turn(size)
    half = 0.5 * np.floor(size)
    turned = -turn if np.floor(half) == half else turn
    right = 2.5066282746310007 * far if large else near / size if small else near
    left = (
        far / (2.5066282746310007 * size * turned)
        if large
        else 1.0 / ((1.0 if small else size) * turned * near)
    )
    value = (left if turn > 0.0 else np.nan) if below else right
    return 1.0 / x if size < FAST_NORMAL else value


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_digamma_near(x: float) -> float:
    """digamma for 1 <= x <= 2, its zero included: what is left of that by the polynomial of special.py."""
    t = 2.0 * x - 3.0
    t2 = t * t
    t4 = t2 * t2
    t8 = t4 * t4
    a = fast_cubic(t, t2, 0.9510558760318328, -0.2118137106407303, 0.06013562106019684, -0.018550615381735008)
    b = fast_cubic(
        t, t2, 0.005936795278301761, -0.0019350666648613071, 0.0006368880303865817, -0.00021074841138175561
    )
    c = fast_cubic(
        t, t2, 6.995018825112794e-05, -2.3258242519113285e-05, 7.741234508636364e-06, -2.578093954045772e-06
    )
    d = fast_cubic(
        t, t2, 8.589060721930695e-07, -2.863161166883193e-07, 9.543298288278275e-08, -3.162911147408454e-08
    )
    e = fast_cubic(
        t, t2, 1.0527692435026686e-08, -3.7083753242807277e-09, 1.2469984616707403e-09, -2.7580994814377e-10
    )
    f = (8.734528429142953e-11 - 8.50550766013261e-11 * t) + 2.918622732168261e-11 * t2
    p = (a + b * t4) + t8 * ((c + d * t4) + t8 * (e + f * t4))
    return ((x - DIGAMMA_ZERO) - DIGAMMA_ZERO_REST) * p


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_digamma(x: float) -> float:
    """From 1 to 2 the polynomial; up to 6 by the recurrence that leads there, one fraction; beyond by the asymptotic
    series; for x < 0 by digamma(1 - x) - pi / tan(pi x)."""
    below = x < 0.0
    size = 1.0 - x if below else x
    small, large = size < 1.0, size > 6.0
    y = size + 1.0 if small else (1.5 if large else size)
    top, bottom = 0.0, 1.0
    for _ in range(4):
        above = y > 2.0
        y = y - 1.0 if above else y
        top = top * y + bottom if above else top
        bottom = bottom * y if above else bottom
    steps = (-1.0 if small else top) / (size if small else bottom)
    far = size if large else 6.0
    inverse = 1.0 / far
    z = inverse * inverse
    z2 = z * z
    z4 = z2 * z2
    series = fast_cubic(
        z, z2, 0.08333333333332585, -0.008333333326320417, 0.003968251737108955, -0.004166327908206771
    )
    rest = (0.007547894843797155 - 0.01979888916918525 * z) + 0.04999923657815641 * z2
    series = series + z4 * (rest)
    value = fast_log(far) - (0.5 * inverse + z * series) if large else fast_digamma_near(y) + steps
    turn = fast_sin_turn(-x if below else 0.25)
    part = x - np.floor(x)
    across = 3.141592653589793 * fast_sin_turn(abs(part - 0.5)) / turn
    value = value - (across if part < 0.5 else -across) if below else value
    value = np.nan if below & (part == 0.0) else value
    return value if abs(x) > 0.0 else -1.0 / x


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_trigamma(x: float) -> float:
    """Up to 10 ten steps of the recurrence, the asymptotic series from there on; for x < 0 by
    (pi / sin(pi x))**2 - trigamma(1 - x)."""
    below = x < 0.0
    size = 1.0 - x if below else x
    large = size > 10.0
    near = 1.0 if large else size
    steps = 0.0
    for k in range(9, -1, -1):
        y = near + np.float64(k)
        steps = steps + 1.0 / (y * y)
    inverse = 1.0 / (size if large else near + 10.0)
    z = inverse * inverse
    z2 = z * z
    a = fast_cubic(
        z, z2, 0.16666666666666666, -0.03333333333333333, 0.023809523809523808, -0.03333333333333333
    )
    b = fast_cubic(z, z2, 0.07575757575757576, -0.2531135531135531, 1.1666666666666667, -7.092156862745098)
    rest = inverse + z * (0.5 + inverse * (a + z2 * z2 * b))
    value = rest if large else rest + steps
    turned = 1.0 / fast_sin_turn(-x if below else 0.25)
    value = turned * turned - value if below else value
    return np.inf if x == -np.inf else value
