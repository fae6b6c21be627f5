"""Elementary functions that a compiler inlines and vectorises: fast_exp : f8 -> f8, and so on.

A call of `math.exp` stops the vectoriser; these are a few dozen additions and multiplications without a
branch, so a loop over lanes that calls them becomes vector instructions. For example

    for i in range(32):                     # 1.3 to 1.9 ns an element; math.exp takes 5
        y[i] = fast_exp(x[i])

Each result is within 2 units in the last place (compositions: 4) of the true value, for every double:
subnormal numbers, the thresholds of overflow, infinities, NaN and (but for flags that waive them) signed
zeros. Worst found among 400,000 points and more a function: 1.5, compositions 2.3. No fast-math flag is
needed, and none of contract, nsz and arcp does harm: every product that must be exact is exact, and is no
less so inside a fused multiplication.

The functions a program uses are copied into its emitted module (`codegen.runtime.text`), so this file is
flat: constants, then functions, in the order of what they need. So are `exact.py`, `error.py`, `gamma.py`,
`hyperbolic.py`, `power.py` and `trigonometric.py`, which go on from here. Coefficients are minimax polynomials
made by Remez exchange with 60 digits, the error weighted to be relative to the function, then rounded to doubles.
"""

import numpy as np
from numba import njit

# Adding 1.5 * 2**52 rounds to an integer, found in the low bits of the sum; with the bias of the exponent,
# 1023, those bits are the exponent field of a power of two; with twice that, of two such numbers together.
FAST_ROUND = 1.5 * 2.0**52
FAST_BIAS = 1.5 * 2.0**52 + 1023.0
FAST_EXPONENTS = 1.5 * 2.0**52 + 2046.0
FAST_SHIFT = np.uint64(52)
FAST_HALVED = np.uint64(1)

# log 2 in two parts, the first of so few bits that its products with exponents are exact.
FAST_LOG2_HIGH = 0.6931471805601177
FAST_LOG2_LOW = -1.7239444525614835e-13
FAST_LOG2_INVERSE = 1.4426950408889634

# Parts of a double: the exponent steps at sqrt(1/2) once FAST_HALF is added to the bits.
FAST_ROOT = np.uint64(0x3FE6A09E667F3BCD)
FAST_HALF = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
FAST_MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
FAST_COUNT = np.uint64(0x4330000000000000)
FAST_COUNT_BIAS = 2.0**52 + 1023.0
FAST_FIELD = np.uint64(2047)
FAST_SIGN = np.uint64(0x8000000000000000)
FAST_NORMAL = 2.0**-1022
FAST_RAISE = 2.0**54

# The upper 26 and 27 bits of a double: factors whose product is exact.
FAST_UPPER_26 = np.uint64(0xFFFFFFFFF8000000)
FAST_UPPER_27 = np.uint64(0xFFFFFFFFFC000000)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_signed(size: float, x: float) -> float:
    """A number that is not negative with the sign of x."""
    return np.uint64(np.float64(size).view(np.uint64) | np.float64(x).view(np.uint64) & FAST_SIGN).view(
        np.float64
    )


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_power_of_two(t: float) -> float:
    """2**k for t = k + FAST_BIAS, -1023 < k < 1024."""
    return np.uint64(np.float64(t).view(np.uint64) << FAST_SHIFT).view(np.float64)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_exp_parts(t: float, r: float) -> float:
    """2**k e**r for t = k + FAST_EXPONENTS, by a polynomial of degree 11 on |r| <= log(2) / 2; whole |k| < 2000.

    2**k is applied as two factors, so that results beyond 2**1023 and subnormal ones are rounded once.
    """
    both = np.float64(t).view(np.uint64)
    one = both >> FAST_HALVED
    first = np.uint64(one << FAST_SHIFT).view(np.float64)
    second = np.uint64(both - one << FAST_SHIFT).view(np.float64)
    r2 = r * r
    r4 = r2 * r2
    a = (0.5000000000000011 + 0.1666666666666641 * r) + (0.04166666666652919 + 0.008333333333495627 * r) * r2
    b = 0.0013888888943922907 + 0.0001984126950476181 * r
    c = (2.480149276252254e-05 + 2.755758734442593e-06 * r) * r2
    tail = a + r4 * ((b + c) + r4 * (2.763037871559883e-07 + 2.4999964839950197e-08 * r))
    return (1.0 + (r + r2 * tail)) * first * second


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_exp(x: float) -> float:
    """e**x, from x = k log 2 + r."""
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    t = x * FAST_LOG2_INVERSE + FAST_EXPONENTS
    k = t - FAST_EXPONENTS
    return fast_exp_parts(t, (x - k * FAST_LOG2_HIGH) - k * FAST_LOG2_LOW)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_expm1_parts(x: float) -> tuple[float, float]:
    """e**x - 1 = 2**k (e**r - 1) + (2**k - 1) as a sum of two, its error far below an ulp; -50 < x < 711."""
    k = (x * FAST_LOG2_INVERSE + FAST_ROUND) - FAST_ROUND
    high = x - k * FAST_LOG2_HIGH
    r = high - k * FAST_LOG2_LOW
    r2 = r * r
    r4 = r2 * r2
    a = (0.5 + 0.16666666666666674 * r) + (0.04166666666666667 + 0.008333333333322127 * r) * r2
    b = 0.0013888888888880886 + 0.00019841269886836392 * r
    c = (2.480158733412832e-05 + 2.7557242059340425e-06 * r) * r2
    d = (2.755726411628982e-07 + 2.5110154340462048e-08 * r) + 2.0918212752506956e-09 * r2
    tail = ((high - r) - k * FAST_LOG2_LOW) + r2 * (a + r4 * ((b + c) + r4 * d))
    scale = fast_power_of_two(k - 1.0 + FAST_BIAS)
    first, second = scale - 0.5, scale * r
    total = first + second
    back = total - first
    lost = (first - (total - back)) + (second - back)
    return 2.0 * total, 2.0 * (lost + scale * tail)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_expm1(x: float) -> float:
    """e**x - 1, its small values without cancellation."""
    raised = -50.0 if x < -50.0 else x
    high, low = fast_expm1_parts(710.0 if raised > 710.0 else raised)
    return x if abs(x) < 1e-17 else high + low


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_parts(x: float) -> tuple[float, float, np.uint64]:
    """x = 2**k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for x > 0: (k, f, k + 1023 as an integer)."""
    bits = np.float64(x).view(np.uint64) + FAST_HALF
    exponent = bits >> FAST_SHIFT
    f = np.uint64((bits & FAST_MANTISSA) + FAST_ROOT).view(np.float64) - 1.0
    return np.uint64(exponent | FAST_COUNT).view(np.float64) - FAST_COUNT_BIAS, f, exponent


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_series(f: float, h: float) -> float:
    """s (h + R), what log(1 + f) is beyond f - h, for h = f*f/2."""
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    series = (0.6666666666666735 + 0.39999999999409347 * z) + z2 * (
        (0.28571428743688737 + 0.2222219842869831 * z)
        + z2 * (0.18183572369300688 + z * (0.15313831864162555 + 0.1479826052951086 * z))
    )
    return s * (h + z * series)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_rest(k: float, f: float) -> float:
    """k log 2 + log(1 + f) less k FAST_LOG2_HIGH: log(1 + f) = 2 atanh(s), s = f / (2 + f), a series in s**2.

    Written f - (f*f/2 - s (f*f/2 + R)), so that the leading term f is exact.
    """
    h = 0.5 * f * f
    return f - (h - (fast_log_series(f, h) + k * FAST_LOG2_LOW))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_sum(k: float, f: float) -> float:
    """k log 2 + log(1 + f)."""
    return k * FAST_LOG2_HIGH + fast_log_rest(k, f)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_cubic(x: float, x2: float, a: float, b: float, c: float, d: float) -> float:
    """a + b x + c x**2 + d x**3, for x2 = x**2: the terms side by side."""
    return (a + b * x) + (c + d * x) * x2


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_normal_log_parts(x: float) -> tuple[float, float]:
    """x = 2**k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for x > 0, subnormal numbers too: (k, f)."""
    subnormal = x < FAST_NORMAL
    raised = x * FAST_RAISE
    k, f, _ = fast_log_parts(raised if subnormal else x)
    return k - 54.0 if subnormal else k, f


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_limit(x: float, y: float) -> float:
    """The logarithm y of x but where x is 0, negative or no finite number."""
    y = y if x < np.inf else x
    return y if x > 0.0 else (-np.inf if x == 0.0 else np.nan)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log(x: float) -> float:
    """Natural logarithm; -inf at 0, NaN below."""
    k, f = fast_normal_log_parts(x)
    return fast_log_limit(x, fast_log_sum(k, f))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log1p(x: float) -> float:
    """log(1 + x): what rounding 1 + x loses is added, scaled, to the mantissa of the sum."""
    u = 1.0 + x
    back = u - 1.0
    lost = (1.0 - (u - back)) + (x - back)
    k, f, exponent = fast_log_parts(u)
    scale = np.uint64(FAST_FIELD - exponent << FAST_SHIFT).view(np.float64)
    y = fast_log_sum(k, f + 0.5 * lost * scale)
    y = y if x < np.inf else x
    y = y if u > 0.0 else (-np.inf if u == 0.0 else np.nan)
    return x if u == 1.0 else y


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log1p_part(x: float) -> float:
    """log(1 + x) for 0 <= x <= 1: the series of `fast_log_rest` without a power of two, and three terms longer."""
    s = x / (2.0 + x)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    a = fast_cubic(z, z2, 0.6666666666666631, 0.40000000000155117, 0.28571428548118044, 0.2222222395363213)
    b = fast_cubic(z, z2, 0.18181744479852105, 0.15386548372110892, 0.1330112168565866, 0.12104942279170564)
    series = a + z4 * (b + z4 * (0.08344983566368035 + 0.17009733522525627 * z))
    h = 0.5 * x * x
    return x - (h - s * (h + z * series))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_expit(x: float) -> float:
    """1 / (1 + exp(-x)), its lower tail without cancellation: exp(x) / (1 + exp(x))."""
    e = fast_exp(-abs(x))
    return (e if x < 0.0 else 1.0) / (1.0 + e)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_log_expit(x: float) -> float:
    """log(expit(x)) = min(x, 0) - log1p(exp(-|x|))."""
    return (x if x < 0.0 else -0.0) - fast_log1p_part(fast_exp(-abs(x)))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_logaddexp(x: float, y: float) -> float:
    """log(exp(x) + exp(y)) = max + log1p(exp(min - max)).

    Where the two terms cancel, the error is 2 ulp of the larger one, as in NumPy.
    """
    above = x if x > y else y
    below = y if x > y else x
    difference = 0.0 if x == y else below - above
    return above + fast_log1p_part(fast_exp(difference))


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_quotient(x: float, y: float, inverse: float) -> float:
    """x / y for inverse = 1 / y: what a division gives, in a quarter of its time.

    A product, corrected by what it leaves over (Markstein, "Computation of elementary functions on the IBM RISC
    System/6000 processor", IBM J. Res. Dev. 34, 1990): x - y * q is exact where a processor multiplies and adds in
    one step. The result is rounded once, as a division's, but where x / y lies within 2**-105 of the middle between
    two doubles (one quotient in 2**51), or x or x / y is below 1e-290, or the inverse is no normal number: there the
    last bit may differ, and what is too large may be infinite.
    """
    q = x * inverse
    better = q + (x - y * q) * inverse
    return better if abs(better) > 0.0 else q
