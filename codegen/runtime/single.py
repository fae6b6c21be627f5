"""Elementary functions of float32 that a compiler inlines and vectorises: single_exp : f4 -> f4, and so on.

    single_exp(np.float32(1.0))        # 2.7182817, twice as many side by side as of fast_exp

Within 4 units in the last place of float32 (most within 2), special values as in `elementary.py`, whose rules,
flags and fits these share. Their constants are float32: a float64 among them would make the whole float64.
Where that is what accuracy asks for anyway, the function of float64 is taken, and its result rounded.
"""

import numpy as np
from numba import njit

from .error import fast_erfc, fast_erfcx
from .gamma import fast_digamma, fast_gamma, fast_gammaln, fast_trigamma

SINGLE_0 = np.float32(0.0)
SINGLE_1 = np.float32(1.0)
SINGLE_2 = np.float32(2.0)
SINGLE_HALF = np.float32(0.5)
SINGLE_INF = np.float32(np.inf)
SINGLE_NAN = np.float32(np.nan)
SINGLE_TINY = np.float32(1e-9)
SINGLE_SIGN = np.uint32(0x80000000)

# What rounds to an integer when added, without and with the bias of the exponent; log 2 in two parts.
SINGLE_ROUND = np.float32(1.5 * 2.0**23)
SINGLE_BIAS = np.float32(1.5 * 2.0**23 + 127.0)
SINGLE_SHIFT = np.uint32(23)
SINGLE_LOG2_HIGH = np.float32(0.693145751953125)
SINGLE_LOG2_LOW = np.float32(1.428606765330187e-06)
SINGLE_LOG2_INVERSE = np.float32(1.4426950408889634)
SINGLE_EXP_TOP = np.float32(89.0)
SINGLE_EXP_END = np.float32(-104.0)

# Parts of a number, as in elementary.py.
SINGLE_ROOT = np.uint32(0x3F3504F3)
SINGLE_LIFT = np.uint32(0x3F800000 - 0x3F3504F3)
SINGLE_MANTISSA = np.uint32(0x007FFFFF)
SINGLE_COUNT = np.uint32(0x4B000000)
SINGLE_COUNT_BIAS = np.float32(2.0**23 + 127.0)
SINGLE_FIELD = np.uint32(255)
SINGLE_NORMAL = np.float32(2.0**-126)
SINGLE_RAISE = np.float32(2.0**24)
SINGLE_RAISED = np.float32(24.0)

SINGLE_TANH_END = np.float32(0.625)
SINGLE_ERF_MIDDLE = np.float32(2.5)
SINGLE_ERF_END = np.float32(4.0)


def singles(*numbers: float) -> tuple[np.float32, ...]:
    """The numbers as float32."""
    return tuple(map(np.float32, numbers))


# (e**r - 1 - r) / r**2 for |r| <= log(2) / 2, and for |r| <= 1 / 2.
SINGLE_EXP = singles(
    0.4999999305235475, 0.16666514793585616, 0.0416684564661139, 0.00836941871720241, 0.0013813160453619536
)
SINGLE_EXPM1 = singles(
    0.5000000416507202, 0.16666668024188613, 0.041665315854732876, 0.00833307180036676,
    0.0013997446451532141, 0.00019993212801720943,
)  # fmt: skip

# (log((1 + s) / (1 - s)) - 2 s) / s**3 in s**2; (tanh(x) - x) / x**3 in x**2, up to x = 0.625.
SINGLE_LOG = singles(0.6666668642909267, 0.3998825115262478, 0.29602980224337366)
SINGLE_TANH = singles(
    -0.33333307300100684,
    0.1333196946661259,
    -0.05377613887028559,
    0.020741771057578372,
    -0.0058068650886139335,
)

# erf(x) / x - 1 in x**2, up to x = 1; -log(erfc(x)) in x - 5 / 2, from 1 to 4.
SINGLE_ERF = singles(
    0.12837916591465431, -0.37612627140440547, 0.11283600211815889, -0.026854445581508075,
    0.005189536461939261, -0.0008020845698406905, 7.889119157487838e-05,
)  # fmt: skip
SINGLE_ERF_LOG = singles(
    7.806817802918481, 5.352693971487533, 0.9438853797390433, 0.010717775382174331,
    -0.00245777709285172, 0.00015600427144698797, -0.00018557258597928414,
)  # fmt: skip


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_power_of_two(t: np.float32) -> np.float32:
    """2**k for t = k + SINGLE_BIAS, -127 < k < 128."""
    return np.uint32(np.float32(t).view(np.uint32) << SINGLE_SHIFT).view(np.float32)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_signed(size: np.float32, x: np.float32) -> np.float32:
    """A number that is not negative with the sign of x."""
    return np.uint32(np.float32(size).view(np.uint32) | np.float32(x).view(np.uint32) & SINGLE_SIGN).view(
        np.float32
    )


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_exp_of_parts(k: np.float32, r: np.float32) -> np.float32:
    """2**k e**r for |r| <= log(2) / 2; 2**k as two factors."""
    half = k * SINGLE_HALF + SINGLE_BIAS
    rest = k - (half - SINGLE_BIAS) + SINGLE_BIAS
    a, b, c, d, e = SINGLE_EXP
    r2 = r * r
    tail = (a + b * r) + r2 * ((c + d * r) + r2 * e)
    return (SINGLE_1 + (r + r2 * tail)) * single_power_of_two(half) * single_power_of_two(rest)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_exp(x: np.float32) -> np.float32:
    """e**x, from x = k log 2 + r."""
    x = SINGLE_EXP_TOP if x > SINGLE_EXP_TOP else x
    x = SINGLE_EXP_END if x < SINGLE_EXP_END else x
    k = (x * SINGLE_LOG2_INVERSE + SINGLE_ROUND) - SINGLE_ROUND
    return single_exp_of_parts(k, (x - k * SINGLE_LOG2_HIGH) - k * SINGLE_LOG2_LOW)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_expm1(x: np.float32) -> np.float32:
    """e**x - 1, its small values by a polynomial."""
    a, b, c, d, e, f = SINGLE_EXPM1
    x2 = x * x
    near = x + x2 * ((a + b * x) + x2 * ((c + d * x) + x2 * (e + f * x)))
    y = near if abs(x) < SINGLE_HALF else single_exp(x) - SINGLE_1
    return x if abs(x) < SINGLE_TINY else y


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_tanh(x: np.float32) -> np.float32:
    """A polynomial near 0, else 1 - 2 / (exp(2 |x|) + 1) with the sign of x."""
    size = abs(x)
    z = x * x
    a, b, c, d, e = SINGLE_TANH
    z2 = z * z
    near = size + size * z * ((a + b * z) + z2 * ((c + d * z) + z2 * e))
    far = SINGLE_1 - SINGLE_2 / (single_exp(size + size) + SINGLE_1)
    return single_signed(near if size < SINGLE_TANH_END else far, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log_parts(x: np.float32) -> tuple[np.float32, np.float32, np.uint32]:
    """x = 2**k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for x > 0: (k, f, k + 127 as an integer)."""
    bits = np.uint32(np.float32(x).view(np.uint32) + SINGLE_LIFT)
    exponent = np.uint32(bits >> SINGLE_SHIFT)
    f = np.uint32((bits & SINGLE_MANTISSA) + SINGLE_ROOT).view(np.float32) - SINGLE_1
    return np.uint32(exponent | SINGLE_COUNT).view(np.float32) - SINGLE_COUNT_BIAS, f, exponent


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log_series(f: np.float32, h: np.float32) -> np.float32:
    """What log(1 + f) is beyond f - h, for h = f*f/2."""
    s = f / (SINGLE_2 + f)
    z = s * s
    a, b, c = SINGLE_LOG
    return s * (h + z * (a + z * (b + z * c)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log_sum(k: np.float32, f: np.float32) -> np.float32:
    """k log 2 + log(1 + f), written as in fast_log_rest."""
    h = SINGLE_HALF * f * f
    return k * SINGLE_LOG2_HIGH + (f - (h - (single_log_series(f, h) + k * SINGLE_LOG2_LOW)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_normal_log_parts(x: np.float32) -> tuple[np.float32, np.float32]:
    """x = 2**k (1 + f) as above, of subnormal numbers too: (k, f)."""
    subnormal = x < SINGLE_NORMAL
    raised = x * SINGLE_RAISE
    k, f, _ = single_log_parts(raised if subnormal else x)
    return k - SINGLE_RAISED if subnormal else k, f


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log_limit(x: np.float32, y: np.float32) -> np.float32:
    """The logarithm y of x but where x is 0, negative or no finite number."""
    y = y if x < SINGLE_INF else x
    return y if x > SINGLE_0 else (-SINGLE_INF if x == SINGLE_0 else SINGLE_NAN)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log(x: np.float32) -> np.float32:
    """Natural logarithm; -inf at 0, NaN below."""
    k, f = single_normal_log_parts(x)
    return single_log_limit(x, single_log_sum(k, f))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log1p(x: np.float32) -> np.float32:
    """log(1 + x): what rounding 1 + x loses is added, scaled, to the mantissa of the sum."""
    u = SINGLE_1 + x
    back = u - SINGLE_1
    lost = (SINGLE_1 - (u - back)) + (x - back)
    k, f, exponent = single_log_parts(u)
    scale = np.uint32(np.uint32(SINGLE_FIELD - exponent) << SINGLE_SHIFT).view(np.float32)
    y = single_log_sum(k, f + SINGLE_HALF * lost * scale)
    y = y if x < SINGLE_INF else x
    y = y if u > SINGLE_0 else (-SINGLE_INF if u == SINGLE_0 else SINGLE_NAN)
    return x if u == SINGLE_1 else y


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_expit(x: np.float32) -> np.float32:
    """1 / (1 + exp(-x)), its lower tail without cancellation: exp(x) / (1 + exp(x))."""
    e = single_exp(-abs(x))
    return (e if x < SINGLE_0 else SINGLE_1) / (SINGLE_1 + e)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log_expit(x: np.float32) -> np.float32:
    """log(expit(x)) = min(x, 0) - log1p(exp(-|x|))."""
    return (x if x < SINGLE_0 else -SINGLE_0) - single_log1p(single_exp(-abs(x)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_logaddexp(x: np.float32, y: np.float32) -> np.float32:
    """log(exp(x) + exp(y)) = max + log1p(exp(min - max))."""
    above = x if x > y else y
    below = y if x > y else x
    difference = SINGLE_0 if x == y else below - above
    return above + single_log1p(single_exp(difference))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_erf(x: np.float32) -> np.float32:
    """A polynomial up to 1, 1 - exp(log(erfc |x|)) beyond, with the sign of x."""
    size = abs(x)
    size = SINGLE_ERF_END if size > SINGLE_ERF_END else size
    z = size * size
    z2 = z * z
    a, b, c, d, e, f, g = SINGLE_ERF
    near = size + size * ((a + b * z) + z2 * ((c + d * z) + z2 * ((e + f * z) + z2 * g)))
    t = size - SINGLE_ERF_MIDDLE
    t2 = t * t
    a, b, c, d, e, f, g = SINGLE_ERF_LOG
    far = SINGLE_1 - single_exp(-((a + b * t) + t2 * ((c + d * t) + t2 * ((e + f * t) + t2 * g))))
    return single_signed(near if size < SINGLE_1 else far, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_erfc(x: np.float32) -> np.float32:
    """By float64."""
    return np.float32(fast_erfc(np.float64(x)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_erfcx(x: np.float32) -> np.float32:
    """By float64."""
    return np.float32(fast_erfcx(np.float64(x)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_gammaln(x: np.float32) -> np.float32:
    """By float64."""
    return np.float32(fast_gammaln(np.float64(x)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_digamma(x: np.float32) -> np.float32:
    """By float64."""
    return np.float32(fast_digamma(np.float64(x)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_trigamma(x: np.float32) -> np.float32:
    """By float64."""
    return np.float32(fast_trigamma(np.float64(x)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_gamma(x: np.float32) -> np.float32:
    """By float64."""
    return np.float32(fast_gamma(np.float64(x)))
