"""Powers, logarithms to other bases, hyperbolic functions and inverses of float32: single_pow : f4, f4 -> f4.

    single_atan2(np.float32(0.0), np.float32(-1.0))        # 3.1415927

For rules, flags and the fits see `single.py`, whose constants these use. A power needs its logarithm to 33 bits, which
makes it the only one that is computed in float64.
"""

# mypy: disable-error-code="assignment, call-arg, var-annotated"

import numpy as np
from numba import njit

from .elementary import (
    FAST_BIAS,
    FAST_LOG2_INVERSE,
    FAST_ROUND,
    fast_power_of_two,
)
from .exact import fused, rounded
from .power import fast_half_pow
from .single import (
    SINGLE_0,
    SINGLE_1,
    SINGLE_2,
    SINGLE_BIAS,
    SINGLE_EXP_TOP,
    SINGLE_HALF,
    SINGLE_INF,
    SINGLE_LOG2_HIGH,
    SINGLE_LOG2_INVERSE,
    SINGLE_LOG2_LOW,
    SINGLE_NAN,
    SINGLE_RAISE,
    SINGLE_ROUND,
    SINGLE_SIGN,
    single_exp_of_parts,
    single_log1p,
    single_log_limit,
    single_log_series,
    single_normal_log_parts,
    single_power_of_two,
    single_signed,
    singles,
)

SINGLE_QUARTER = np.float32(0.25)
SINGLE_EXP2_TOP = np.float32(129.0)
SINGLE_EXP2_END = np.float32(-151.0)
# (2**r - 1) / r for |r| <= 1 / 2.
SINGLE_EXP2 = singles(
    0.6931472028526242, 0.24022647913681155, 0.055503324735864897,
    0.009618437336603194, 0.0013398873914553604, 0.0001535337012589185,
)  # fmt: skip

# What 1 / log 2 is more than 1; log 2 to base 10 in two parts; 1 / log 10.
SINGLE_LOG2_MORE = np.float32(0.4426950408889634)
SINGLE_LOG10_HIGH = np.float32(0.301025390625)
SINGLE_LOG10_LOW = np.float32(4.605038981195214e-06)
SINGLE_LOG10_INVERSE = np.float32(0.4342944819032518)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_exp2(x: np.float32) -> np.float32:
    """2**x, from x = k + r; 2**k as two factors."""
    x = SINGLE_EXP2_TOP if x > SINGLE_EXP2_TOP else x
    x = SINGLE_EXP2_END if x < SINGLE_EXP2_END else x
    k = (x + SINGLE_ROUND) - SINGLE_ROUND
    r = x - k
    half = k * SINGLE_HALF + SINGLE_BIAS
    rest = k - (half - SINGLE_BIAS) + SINGLE_BIAS
    a, b, c, d, e, f = SINGLE_EXP2
    r2 = r * r
    tail = (a + b * r) + r2 * ((c + d * r) + r2 * (e + f * r))
    return (SINGLE_1 + r * tail) * single_power_of_two(half) * single_power_of_two(rest)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log2(x: np.float32) -> np.float32:
    """The logarithm to base 2, by what it is more than the natural one."""
    k, f = single_normal_log_parts(x)
    h = SINGLE_HALF * f * f
    rest = single_log_series(f, h) - h
    return single_log_limit(x, k + (f + (rest + SINGLE_LOG2_MORE * (f + rest))))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log10(x: np.float32) -> np.float32:
    """The logarithm to base 10."""
    k, f = single_normal_log_parts(x)
    h = SINGLE_HALF * f * f
    rest = single_log_series(f, h) - h
    low = rest * SINGLE_LOG10_INVERSE + k * SINGLE_LOG10_LOW
    return single_log_limit(x, k * SINGLE_LOG10_HIGH + (f * SINGLE_LOG10_INVERSE + low))


# (log((1 + s) / (1 - s)) - 2 s) / s**3 in s**2, and (e**r - 1 - r) / r**2, of float64.
SINGLE_LOG_33_BITS = (0.666666656455262, 0.4000033517333862, 0.2853730970146646, 0.23582129582024444)
SINGLE_EXP_28_BITS = (
    0.5000000095732132,
    0.16666518896237256,
    0.0416662042901448,
    0.008368882606352056,
    0.0013950578188100457,
)
SINGLE_POW_END = 200.0  # beyond which a power is 0 or infinite
SINGLE_WHOLE_LOG2 = 0.6931471805599453


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_log_of_33_bits(x: np.float32) -> float:
    """The logarithm of x > 0, in float64."""
    k, narrow = single_normal_log_parts(x)
    f = np.float64(narrow)
    under = 2.0 + f
    near = np.float64(SINGLE_1 / np.float32(under))  # a division of float64 takes four times as long
    s = f * (near * (2.0 - under * near))
    z = s * s
    a, b, c, d = SINGLE_LOG_33_BITS
    return np.float64(k) * SINGLE_WHOLE_LOG2 + (2.0 * s + s * z * ((a + b * z) + z * z * (c + d * z)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_pow(x: np.float32, y: np.float32) -> np.float32:
    """exp(y log |x|) of float64, in which no float32 is subnormal; special values as of fast_pow."""
    size = abs(x)
    product = np.float64(y) * single_log_of_33_bits(size)
    product = SINGLE_POW_END if product > SINGLE_POW_END else product
    product = -SINGLE_POW_END if product < -SINGLE_POW_END else product
    n = (product * FAST_LOG2_INVERSE + FAST_ROUND) - FAST_ROUND
    r = product - n * SINGLE_WHOLE_LOG2
    r2 = r * r
    a, b, c, d, e = SINGLE_EXP_28_BITS
    tail = (a + b * r) + r2 * ((c + d * r) + r2 * e)
    value = np.float32(fast_power_of_two(n + FAST_BIAS) * (1.0 + (r + r2 * tail)))
    is_whole = np.floor(y) == y
    half = SINGLE_HALF * y
    is_odd = is_whole & (np.floor(half) != half)
    limit = SINGLE_INF if (y > SINGLE_0) == (size > SINGLE_1) else SINGLE_0
    limit = SINGLE_1 if size == SINGLE_1 else limit
    is_ordinary = (size > SINGLE_0) & (size < SINGLE_INF) & (abs(y) < SINGLE_INF)
    value = value if is_ordinary else limit
    value = SINGLE_NAN if (x < SINGLE_0) & (size < SINGLE_INF) & ~is_whole else value
    value = single_signed(value, x) if is_odd else value
    value = value if (x == x) & (y == y) else SINGLE_NAN
    return SINGLE_1 if (x == SINGLE_1) | (y == SINGLE_0) else value


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_half_pow(x: np.float32, y: np.float32) -> np.float32:
    """By float64, in which nothing is lost on the way."""
    return np.float32(fast_half_pow(np.float64(x), np.float64(y)))


SINGLE_SMALL_CUBE = np.float32(2.0**-80)  # of whose parts nothing may be lost
SINGLE_THIRD = np.float32(1.0 / 3.0)
SINGLE_ROOT_OF_INVERSE = np.int32(0x54A2FA8C)
SINGLE_LOWERED = np.float32(2.0**-8)
SINGLE_CBRT = singles(1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_cbrt(x: np.float32) -> np.float32:
    """The cube root as fast_cbrt takes it: by two steps for x**(-1/3), and one for what is left."""
    size = abs(x)
    tiny = size < SINGLE_SMALL_CUBE
    size = size * SINGLE_RAISE if tiny else size
    third = np.int32(np.float32(np.float32(size).view(np.int32)) * SINGLE_THIRD)
    y = np.int32(SINGLE_ROOT_OF_INVERSE - third).view(np.float32)
    a, b, c = SINGLE_CBRT
    e = SINGLE_1 - (size * y) * (y * y)
    y = y + y * (e * (a + e * (b + e * c)))
    e = SINGLE_1 - (size * y) * (y * y)
    y = y + y * (e * a)
    slope = y * y
    t = size * slope
    square = rounded(t, t)
    left = fused(-square, t, size) - fused(t, t, -square) * t
    t = t + left * (slope * a)
    root = t * SINGLE_LOWERED if tiny else t
    return single_signed(root if SINGLE_0 < size < SINGLE_INF else size, x)


# (sinh(x) - x) / x**3 up to 1; (asinh(x) - x) / x**3, (atanh(x) - x) / x**3 and (asin(x) - x) / x**3 up to 1/2; all in
# x**2. (atan(x) - x) / x**3 up to tan(pi / 8); (acosh(1 + a) / sqrt(2 a) - 1) / a up to 1/2.
SINGLE_SINH = singles(
    0.16666666488737497, 0.008333350596759319, 0.00019836066490676313, 2.8174383321630107e-06
)
SINGLE_ASINH = singles(
    -0.16666643868889158, 0.0749866332890036, -0.04438586739437118, 0.02817555124023362, -0.013248071785754847
)
SINGLE_ATANH = singles(
    0.33333298846143666, 0.2000258751650431, 0.14221490329767258,
    0.11833931600955959, 0.050986627338202924, 0.17719489984808062,
)  # fmt: skip
SINGLE_ASIN = singles(
    0.166666598725657, 0.0750051087764545, 0.044515727974677934,
    0.031817549074070396, 0.014402831185696206, 0.03756490285568778,
)  # fmt: skip
SINGLE_ATAN = singles(
    -0.33333315504924615,
    0.19998489451433318,
    -0.14243849222294086,
    0.10596005128005392,
    -0.060834609611788736,
)
SINGLE_ACOSH = singles(
    -0.08333321934439895,
    0.018746658321652836,
    -0.0055482334217066935,
    0.0017609719478106991,
    -0.00041400224021963673,
)
SINGLE_FAR = np.float32(2.0**30)  # beyond which sqrt(x*x + 1) is x, and 1 + x too
SINGLE_LOG2 = np.float32(0.6931471805599453)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_half_exp(x: np.float32) -> np.float32:
    """e**x / 2 for x >= 0, which is finite a little longer than e**x."""
    top = SINGLE_EXP_TOP + SINGLE_1
    x = top if x > top else x
    k = (x * SINGLE_LOG2_INVERSE + SINGLE_ROUND) - SINGLE_ROUND
    return single_exp_of_parts(k - SINGLE_1, (x - k * SINGLE_LOG2_HIGH) - k * SINGLE_LOG2_LOW)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_sinh(x: np.float32) -> np.float32:
    """A polynomial up to 1, and e / 2 - 1 / (2 e) beyond, with the sign of x."""
    size = abs(x)
    half = single_half_exp(size)
    z = x * x
    a, b, c, d = SINGLE_SINH
    near = size + size * z * ((a + b * z) + z * z * (c + d * z))
    return single_signed(near if size < SINGLE_1 else half - SINGLE_QUARTER / half, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_cosh(x: np.float32) -> np.float32:
    """e / 2 + 1 / (2 e)."""
    half = single_half_exp(abs(x))
    return half + SINGLE_QUARTER / half


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_asinh(x: np.float32) -> np.float32:
    """A polynomial up to 1/2, log(|x| + sqrt(x*x + 1)) beyond, with the sign of x; far out log(2 |x|)."""
    size = abs(x)
    z = size * size
    z2 = z * z
    a, b, c, d, e = SINGLE_ASINH
    near = size + size * z * ((a + b * z) + z2 * ((c + d * z) + z2 * e))
    far = size > SINGLE_FAR
    u = size if far else size + z / (SINGLE_1 + np.sqrt(z + SINGLE_1))
    beyond = single_log1p(u) + (SINGLE_LOG2 if far else SINGLE_0)
    return single_signed(near if size < SINGLE_HALF else beyond, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_acosh(x: np.float32) -> np.float32:
    """By what x is more than 1: up to 1/2 a polynomial; beyond log(x + sqrt(x*x - 1)), far out log(2 x)."""
    above = SINGLE_0 if x < SINGLE_1 else x - SINGLE_1
    root = np.sqrt(above + above)
    a2 = above * above
    a, b, c, d, e = SINGLE_ACOSH
    near = root + root * above * ((a + b * above) + a2 * ((c + d * above) + a2 * e))
    far = x > SINGLE_FAR
    u = x if far else above + np.sqrt(above * (above + SINGLE_2))
    beyond = single_log1p(u) + (SINGLE_LOG2 if far else SINGLE_0)
    return SINGLE_NAN if x < SINGLE_1 else (near if above < SINGLE_HALF else beyond)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_atanh(x: np.float32) -> np.float32:
    """A polynomial up to 1/2, log((1 + |x|) / (1 - |x|)) / 2 beyond, with the sign of x."""
    size = abs(x)
    z = size * size
    z2 = z * z
    a, b, c, d, e, f = SINGLE_ATANH
    near = size + size * z * ((a + b * z) + z2 * ((c + d * z) + z2 * (e + f * z)))
    beyond = SINGLE_HALF * single_log1p((size + size) / (SINGLE_1 - size))
    return single_signed(near if size < SINGLE_HALF else beyond, x)


SINGLE_QUARTER_TURN = np.float32(1.5707963267948966)
SINGLE_QUARTER_TURN_REST = np.float32(-4.371139000186241e-08)
SINGLE_FLAT = np.float32(0.41421356237309503)
SINGLE_STEEP = np.float32(2.414213562373095)
SINGLE_LARGE = np.float32(2.0**125)  # of such numbers sums may overflow


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_arcsin_parts(x: np.float32) -> tuple[np.float32, np.float32]:
    """s and p with arcsin(s) = s + p, as of fast_arcsin_parts."""
    size = abs(x)
    large = size > SINGLE_HALF
    z = SINGLE_HALF - SINGLE_HALF * size if large else size * size
    s = np.sqrt(z) if large else size
    z2 = z * z
    a, b, c, d, e, f = SINGLE_ASIN
    return s, s * z * ((a + b * z) + z2 * ((c + d * z) + z2 * (e + f * z)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_asin(x: np.float32) -> np.float32:
    """pi/2 less twice the arc beyond 1/2, with the sign of x."""
    s, p = single_arcsin_parts(x)
    rest = SINGLE_QUARTER_TURN - SINGLE_2 * s
    lost = (SINGLE_QUARTER_TURN - rest) - SINGLE_2 * s
    large = rest + ((lost + SINGLE_QUARTER_TURN_REST) - SINGLE_2 * p)
    return single_signed(large if abs(x) > SINGLE_HALF else s + p, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_acos(x: np.float32) -> np.float32:
    """pi/2 less the arcsine up to 1/2, beyond twice the arc, or pi less that."""
    s, p = single_arcsin_parts(x)
    arc = SINGLE_2 * (s + p)
    signed = -p if x < SINGLE_0 else p
    small = SINGLE_QUARTER_TURN - (x + (signed - SINGLE_QUARTER_TURN_REST))
    behind = SINGLE_2 * SINGLE_QUARTER_TURN - (arc - SINGLE_2 * SINGLE_QUARTER_TURN_REST)
    return (behind if x < SINGLE_0 else arc) if abs(x) > SINGLE_HALF else small


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_arc(a: np.float32, b: np.float32) -> tuple[np.float32, np.float32]:
    """The angle whose tangent is a / b, as of fast_arc."""
    flat, steep = a <= SINGLE_FLAT * b, a > SINGLE_STEEP * b
    over = -b if steep else a if flat else a - b
    under = a if steep else b if flat else a + b
    turns = SINGLE_1 if steep else SINGLE_0 if flat else SINGLE_HALF
    base = SINGLE_QUARTER_TURN * turns
    u = over / under
    z = u * u
    z2 = z * z
    p, q, r, s, t = SINGLE_ATAN
    tail = u * z * ((p + q * z) + z2 * ((r + s * z) + z2 * t)) + SINGLE_QUARTER_TURN_REST * turns
    high = base + u
    return high, (u - (high - base)) + tail


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_atan(x: np.float32) -> np.float32:
    """With the sign of x; what is very large counts as less, so that no sum is infinite."""
    size = abs(x)
    high, low = single_arc(SINGLE_LARGE if size > SINGLE_LARGE else size, SINGLE_1)
    return single_signed(high + low, x)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_atan2(y: np.float32, x: np.float32) -> np.float32:
    """The angle of the point (x, y), as fast_atan2 takes it."""
    a, b = abs(y), abs(x)
    largest = a if a > b else b
    infinite = largest == SINGLE_INF
    scale = SINGLE_QUARTER if largest > SINGLE_LARGE else SINGLE_1
    a = (SINGLE_1 if a == SINGLE_INF else SINGLE_0) if infinite else a * scale
    b = (SINGLE_1 if b == SINGLE_INF else SINGLE_0) if infinite else b * scale
    high, low = single_arc(a, SINGLE_1 if largest == SINGLE_0 else b)
    left = SINGLE_2 * SINGLE_QUARTER_TURN - high
    lost = (SINGLE_2 * SINGLE_QUARTER_TURN - left) - high
    behind = left + (lost + (SINGLE_2 * SINGLE_QUARTER_TURN_REST - low))
    angle = behind if np.float32(x).view(np.uint32) >= SINGLE_SIGN else high + low
    return single_signed(angle if (x == x) & (y == y) else SINGLE_NAN, y)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def single_hypot(x: np.float32, y: np.float32) -> np.float32:
    """By float64, in which no square overflows."""
    a, b = np.float64(x), np.float64(y)
    length = np.float32(np.sqrt(a * a + b * b))
    return SINGLE_INF if (abs(x) == SINGLE_INF) | (abs(y) == SINGLE_INF) else length
