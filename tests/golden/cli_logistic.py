"""Logistic regression."""
import numpy as np
from numba import njit


def logp( beta,X ,y ):          # as the user wrote it
    eta = X @ beta
    return np.sum(y*eta - np.log1p(np.exp(eta))) - 0.5*np.sum(beta**2)


@njit(cache=True, error_model="numpy")
def _logp_value_and_grad(beta, X, y):
    n = len(beta)
    n2, n3 = X.shape
    if n3 != n:
        raise ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0")
    eta = X @ beta
    if len(y) != n2:
        raise ValueError("operands could not be broadcast together")
    eta_bar = np.empty(n2)
    t = 0.0
    for i in range(n2):
        eta_i = eta[i]
        t2 = fast_exp(eta_i)
        y_i = y[i]
        eta_bar[i] = -1.0 / (1.0 + t2) * t2 + y_i
        t = plus(t, y_i * eta_i - fast_log1p(t2))
    t3 = X.T @ eta_bar
    beta_bar = np.empty(n)
    t2 = 0.0
    for i in range(n):
        beta_i = beta[i]
        beta_bar[i] = t3[i] - beta_i
        t2 = plus(t2, beta_i ** 2)
    return t - 0.5 * t2, beta_bar


# needs scipy: Numba takes products of matrices from there
# autobatch transform logistic.py:logp --transform value_and_grad --types 'beta: f8[:], X: f8[:,:], y: f8[:]'
def logp_value_and_grad(beta, X, y):
    """The value and gradient of `logp`."""
    beta = _given("beta", beta, "f8", None)
    X = _given("X", X, "f8", None, None)
    y = _given("y", y, "f8", None)
    return _logp_value_and_grad(beta, X, y)


# What the functions above call.


def _given(name, value, dtype, *shape):
    """An argument as a number or a C-contiguous array of this dtype; a size that is None may be any."""
    array = np.asarray(value, order="C")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits or not np.can_cast(array.dtype, dtype):
        wanted = ", ".join(":" if n is None else str(n) for n in shape)
        raise TypeError(f"{name} is to be {dtype}[{wanted}], not {array.dtype} of shape {array.shape}")
    return array.astype(dtype, copy=False)[()]


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


@njit(fastmath={"reassoc", "nsz"}, forceinline=True)
def plus(total: float, x: float) -> float:
    """total + x, as one term of a sum over an array (error: the usual n eps)."""
    return total + x


if __name__ == "__main__":
    print(logp(np.zeros(2), np.ones((3, 2)), np.ones(3)))
