"""Powers of numbers that are not negative, where they are normal, without tables: log2 x as a sum of two, then 2**z.

near_fast_pow(1.5, 2.5), is_near_power(1.5, 2.5), is_near_power(-2.0, 2.0)        # 2.7556759606310754, True, False

log2 x = k + log2 c + 2 atanh(s) / log 2, s = (m - c) / (m + c), is needed to 11 bits more than a number has, as
y log2 x may be 800: s is a sum of two, and c the nearest of five numbers, so that what atanh has beyond s is small. (Of
float32 the nearest of three, for y log2 x up to 125.)
"""

# mypy: disable-error-code="arg-type, assignment, call-arg, var-annotated"

import numpy as np
from numba import njit

from ..elementary import (
    FAST_BIAS,
    FAST_COUNT,
    FAST_COUNT_BIAS,
    FAST_HALF,
    FAST_MANTISSA,
    FAST_NORMAL,
    FAST_ROOT,
    FAST_SHIFT,
    fast_power_of_two,
)
from ..exact import fused, rounded
from ..single import (
    SINGLE_0,
    SINGLE_1,
    SINGLE_BIAS,
    SINGLE_COUNT,
    SINGLE_COUNT_BIAS,
    SINGLE_INF,
    SINGLE_LIFT,
    SINGLE_MANTISSA,
    SINGLE_NORMAL,
    SINGLE_ROOT,
    SINGLE_SHIFT,
    single_power_of_two,
    singles,
)

NEAR_POWER = 800.0  # the largest |y log2 x|
NEAR_SINGLE_POWER = np.float32(125.0)

# Mantissas from sqrt(1/2) to sqrt(2) in parts, where these end; of each c, and its log2 in two parts.
NEAR_ENDS = (0.8122523963562356, 0.9330329915368074, 1.0717734625362931, 1.2311444133449163)
NEAR_CENTRES = (0.7578125, 0.87109375, 1.0, 1.1484375, 1.3203125)
NEAR_LOGS = (-0.40008715781277715, -0.19910010007970413, 0.0, 0.1996723448364719, 0.4008794362825938)
NEAR_RESTS = (
    -9.517021710768741e-14, 8.867292226211853e-15, 0.0, -1.0749702129807047e-13, -4.094943281743989e-13,
)  # fmt: skip
NEAR_SINGLE_ENDS = singles(0.8908987181403393, 1.122462048309373)
NEAR_SINGLE_CENTRES = singles(0.796875, 1.0, 1.2578125)
NEAR_SINGLE_LOGS = singles(-0.32757568359375, 0.0, 0.3309173583984375)
NEAR_SINGLE_RESTS = singles(1.0255652455897077e-06, 0.0, -4.802838205202639e-07)

# 2 / log 2 in two parts; (atanh(s) / s - 1) / s**2 in s**2; (2**r - 1) / r, |r| <= 1/2.
NEAR_OF_ATANH = (2.8853900817779268, 4.0710547481862066e-17)
NEAR_ATANH = (
    0.3333333333333333,
    0.1999999999999398,
    0.14285714308381,
    0.1111107386792239,
    0.09118678155484336,
)
NEAR_EXP2 = (
    0.6931471805599457, 0.24022650695910097, 0.05550410866479035, 0.00961812910760697, 0.0013333558153447958,
    0.00015403530441628386, 1.525272738028948e-05, 1.321544264099535e-06, 1.0180648626600803e-07,
    7.072577285107658e-09, 4.078078421997707e-10,
)  # fmt: skip
NEAR_SINGLE_OF_ATANH = singles(2.885390043258667, 3.8519259365307334e-08)
NEAR_SINGLE_ATANH = singles(0.33333333427165013, 0.19999840903984142, 0.14362351560138506)
NEAR_SINGLE_EXP2 = singles(
    0.6931472150083816, 0.24022652782594192, 0.055503104710965916, 0.009617692997677748, 0.0013406673153106546,
    0.00015594643131325035,
)  # fmt: skip


@njit(error_model="numpy", forceinline=True)
def near_of_five(m: float, values: tuple[float, float, float, float, float]) -> float:
    """The value of the part that a mantissa is in."""
    first, second, third, fourth = NEAR_ENDS
    value = values[1] if m < second else values[2]
    value = values[0] if m < first else value
    value = values[3] if m > third else value
    return values[4] if m > fourth else value


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_fast_log2(x: float) -> tuple[float, float]:
    """log2 x as a sum of two, to 2**-64 of itself."""
    bits = np.float64(x).view(np.uint64) + FAST_HALF
    k = np.uint64(bits >> FAST_SHIFT | FAST_COUNT).view(np.float64) - FAST_COUNT_BIAS
    m = np.uint64((bits & FAST_MANTISSA) + FAST_ROOT).view(np.float64)
    centre = near_of_five(m, NEAR_CENTRES)
    f, under = m - centre, m + centre
    under_lost = m - (under - centre)
    inverse = 1.0 / under
    s = f * inverse
    s_lost = (fused(-s, under, f) - s * under_lost) * inverse
    z = s * s
    a, b, c, d, e = NEAR_ATANH
    beyond = z * ((a + z * b) + z * z * (c + z * (d + z * e)))
    one, rest = NEAR_OF_ATANH
    p = rounded(s, one)
    lost = s_lost * one + (s * rest + near_of_five(m, NEAR_RESTS))
    whole = k + near_of_five(m, NEAR_LOGS)
    total = whole + p
    return total, (p - (total - whole)) + (p * beyond + (fused(s, one, -p) + lost))


@njit(error_model="numpy", forceinline=True)
def is_near_power(x: float, y: float) -> bool:
    size = abs(rounded(y, near_fast_log2(x)[0]))
    return ((x >= FAST_NORMAL) & (x < np.inf) & (size < NEAR_POWER)) | ((x == 0.0) & (y > 0.0))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_fast_pow(x: float, y: float) -> float:
    high, low = near_fast_log2(x)
    product = rounded(y, high)
    rest = fused(y, high, -product) + y * low
    t = (product + rest) + FAST_BIAS
    r = (product - (t - FAST_BIAS)) + rest
    a, b, c, d, e, f, g, h, i, j, k = NEAR_EXP2
    r2 = r * r
    r4 = r2 * r2
    tail = ((b + c * r) + r2 * (d + e * r)) + r4 * ((f + g * r) + r2 * (h + i * r) + r4 * (j + k * r))
    value = (1.0 + (r * a + r2 * tail)) * fast_power_of_two(t)
    return 0.0 if x == 0.0 else value


@njit(error_model="numpy", forceinline=True)
def near_of_three(m: np.float32, values: tuple[np.float32, np.float32, np.float32]) -> np.float32:
    first, second = NEAR_SINGLE_ENDS
    value = values[0] if m < first else values[1]
    return values[2] if m > second else value


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_single_log2(x: np.float32) -> tuple[np.float32, np.float32]:
    """The same of float32, to 2**-32 of itself."""
    bits = np.uint32(np.float32(x).view(np.uint32) + SINGLE_LIFT)
    k = np.uint32(np.uint32(bits >> SINGLE_SHIFT) | SINGLE_COUNT).view(np.float32) - SINGLE_COUNT_BIAS
    m = np.uint32((bits & SINGLE_MANTISSA) + SINGLE_ROOT).view(np.float32)
    centre = near_of_three(m, NEAR_SINGLE_CENTRES)
    f, under = m - centre, m + centre
    under_lost = m - (under - centre)
    inverse = SINGLE_1 / under
    s = f * inverse
    s_lost = (fused(-s, under, f) - s * under_lost) * inverse
    z = s * s
    a, b, c = NEAR_SINGLE_ATANH
    beyond = z * (a + z * (b + z * c))
    one, rest = NEAR_SINGLE_OF_ATANH
    p = rounded(s, one)
    whole = k + near_of_three(m, NEAR_SINGLE_LOGS)
    total = whole + p
    lost = s_lost * one + (s * rest + near_of_three(m, NEAR_SINGLE_RESTS))
    return total, (p - (total - whole)) + (p * beyond + (fused(s, one, -p) + lost))


@njit(error_model="numpy", forceinline=True)
def is_near_single_power(x: np.float32, y: np.float32) -> bool:
    size = abs(rounded(y, near_single_log2(x)[0]))
    is_zero = (x == SINGLE_0) & (y > SINGLE_0)
    return ((x >= SINGLE_NORMAL) & (x < SINGLE_INF) & (size < NEAR_SINGLE_POWER)) | is_zero


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def near_single_pow(x: np.float32, y: np.float32) -> np.float32:
    high, low = near_single_log2(x)
    product = rounded(y, high)
    rest = fused(y, high, -product) + y * low
    t = (product + rest) + SINGLE_BIAS
    r = (product - (t - SINGLE_BIAS)) + rest
    a, b, c, d, e, f = NEAR_SINGLE_EXP2
    r2 = r * r
    value = SINGLE_1 + (r * a + r2 * ((b + c * r) + r2 * (d + r * (e + r * f))))
    return SINGLE_0 if x == SINGLE_0 else value * single_power_of_two(t)
