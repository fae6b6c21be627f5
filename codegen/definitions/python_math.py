"""Functions of Python's math, of ints of 64 bits and floats, and the bits of ints."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np
from scipy.special import gamma as special_gamma

from codegen.definitions.table import refused, stands_for


def whole(n):
    """An int, which Python makes of no float."""
    if not isinstance(n, int | np.integer | bool | np.bool_):
        refused("'float' object cannot be interpreted as an integer")
    return int(n)


def product(a, b):
    """Of two ints from 0 on, where it has no more than 64 bits."""
    if b != 0 and a > 9223372036854775807 // b:
        raise OverflowError("the int has more than 64 bits")
    return a * b


@stands_for("math.factorial")
def factorial(n):
    n = whole(n)
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError("factorials from 21 on have more than 64 bits: math.gamma(n + 1.0) is a float")
    made = 1
    for k in range(2, n + 1):
        made = made * k
    return made


@stands_for("math.comb")
def comb(n, k):
    n, k = whole(n), whole(k)
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    made = 1
    for j in range(1, min(k, n - k) + 1):
        common = gcd(made, j)  # so that nothing is larger than the next number
        made = product(made // common, (n - j + 1) // (j // common))
    return made if k <= n else 0


@stands_for("math.perm")
def perm(n, k=None):
    n = whole(n)
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    taken = n if k is None else whole(k)
    if taken < 0:
        raise ValueError("k must be a non-negative integer")
    made = 1
    for j in range(taken if taken <= n else 0):
        made = product(made, n - j)
    return made if taken <= n else 0


@stands_for("math.isqrt")
def isqrt(n):
    """By the root of a float, which may be one off."""
    n = whole(n)
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = min(int(math.sqrt(n)), 3037000499)
    if root * root > n:
        root = root - 1
    if root < 3037000499 and (root + 1) * (root + 1) <= n:
        root = root + 1
    return root


@stands_for("math.gcd")
def gcd(a=0, b=0):
    a, b = abs(whole(a)), abs(whole(b))
    while b != 0:
        a, b = b, a % b
    return a


@stands_for("math.lcm")
def lcm(a=1, b=1):
    a, b = abs(whole(a)), abs(whole(b))
    return 0 if a == 0 or b == 0 else product(a // gcd(a, b), b)


@stands_for("math.dist")
def dist(p, q):
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    away = np.asarray(p).astype(np.float64) - np.asarray(q)
    size = np.max(np.abs(away), initial=0.0)
    if size == 0.0 or math.isinf(size):
        return float(size)
    return float(size * np.sqrt(np.sum((away / size) ** 2)))


@stands_for("math.cbrt")
def cbrt(x):
    return float(np.cbrt(float(x)))


@stands_for("math.isclose")
def isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    if rel_tol < 0 or abs_tol < 0:
        raise ValueError("tolerances must be non-negative")
    a, b = float(a), float(b)
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    away = abs(a - b)
    return away <= abs(rel_tol * b) or away <= abs(rel_tol * a) or away <= abs_tol


@stands_for("math.degrees")
def degrees(x):
    return float(x) * (180.0 / math.pi)


@stands_for("math.radians")
def radians(x):
    return float(x) * (math.pi / 180.0)


@stands_for("math.fmod")
def fmod(x, y):
    if (math.isinf(x) or y == 0) and not (math.isnan(x) or math.isnan(y)):
        raise ValueError("math domain error")
    return float(np.fmod(float(x), float(y)))


@stands_for("math.remainder")
def remainder(x, y):
    """By IEEE 754: from the nearest multiple of y, of two the even one."""
    x, y = float(x), float(y)
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if math.isinf(x) or y == 0.0:
        raise ValueError("math domain error")
    if math.isinf(y):
        return x
    size, step = -x if x < 0.0 else x, abs(y)
    above = math.fmod(size, step)
    below = step - above
    if above < below:
        left = above
    elif above > below:
        left = -below
    else:
        left = above - 2.0 * math.fmod(0.5 * (size - above), step)
    return math.copysign(1.0, x) * left


@stands_for("math.exp2")
def exp2(x):
    made = float(np.exp2(float(x)))
    if math.isinf(made) and not math.isinf(x):
        raise OverflowError("math range error")
    return made


@stands_for("math.gamma")
def gamma(x):
    if x == -math.inf or x <= 0 and math.floor(x) == x:
        raise ValueError("math domain error")
    made = float(special_gamma(float(x)))
    if math.isinf(made) and not math.isinf(x):
        raise OverflowError("math range error")
    return made


@stands_for("math.ldexp")
def ldexp(x, i):
    x = float(x)
    made = float(np.ldexp(x, whole(i)))
    if math.isinf(made) and not math.isinf(x):
        raise OverflowError("math range error")
    return made


@stands_for("math.frexp")
def frexp(x):
    """A part between 1/2 and 1, and the power of two that it is multiplied by."""
    part, power = np.frexp(float(x))
    return float(part), int(power)


@stands_for("math.modf")
def modf(x):
    """What is behind the point, and before it."""
    x = float(x)
    if math.isinf(x):
        return math.copysign(0.0, x), x
    whole = float(np.trunc(x))
    return math.copysign(x - whole, x), whole


@stands_for("math.nextafter")
def nextafter(x, y):
    return float(np.nextafter(float(x), float(y)))


@stands_for("math.ulp")
def ulp(x):
    return abs(float(np.spacing(float(x)))) if math.isfinite(x) else abs(float(x))


def power_modulo(base, exp, mod):
    """pow() of three ints, whose products have 64 bits."""
    if isinstance(base, float) or isinstance(exp, float) or isinstance(mod, float):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    if exp < 0:
        raise ValueError("pow() of a negative exponent and a modulus is not supported")
    if mod == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    if abs(mod) > 3037000499:
        raise OverflowError("pow() of a modulus whose square has more than 64 bits")
    made, square = 1 % mod, base % mod
    while exp > 0:
        if exp % 2 == 1:
            made = made * square % mod
        square = square * square % mod
        exp = exp // 2
    return made


def is_integer(x):
    """float.is_integer, and that of NumPy's numbers."""
    return bool(np.isfinite(x) and x == np.floor(x))


def bit_length(n):
    """int.bit_length: how often its magnitude can be halved."""
    n, count = int(n), 0
    while n != 0:
        n = -(-n // 2) if n < 0 else n // 2
        count = count + 1
    return count


def bit_count(n):
    """int.bit_count: the ones of its magnitude."""
    n, count = int(n), 0
    while n != 0:
        count = count + (n % 2 == 1)
        n = -(-n // 2) if n < 0 else n // 2
    return count


@stands_for("numpy.bitwise_count")
def bitwise_count(x):
    """How many bits of the size of an int are 1: sums of pairs, of fours, of bytes."""
    x = np.asarray(x)
    if x.dtype.kind == "f":
        refused("bitwise_count takes ints")
    n = x.astype(np.uint64) if x.dtype == np.uint64 else np.abs(x.astype(np.int64)).astype(np.uint64)
    n = n - ((n >> 1) & 0x5555555555555555)
    n = (n & 0x3333333333333333) + ((n >> 2) & 0x3333333333333333)
    n = (n + (n >> 4)) & 0x0F0F0F0F0F0F0F0F
    n = n + (n >> 8)
    n = n + (n >> 16)
    return ((n + (n >> 32)) & 0x7F).astype(np.uint8)
