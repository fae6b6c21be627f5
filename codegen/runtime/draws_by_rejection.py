"""Draws whose distribution has parameters, from one Philox stream: draw : (state row, parameters) -> number.

They take from the stream what `numpy.random.Generator` takes for them, in its order, and decide by the same
expressions, so that the stream stands where NumPy's stands; what they give is NumPy's to the rounding of the functions
in it. Parameters are such as NumPy takes: who calls has looked at them. Sources: Marsaglia and Tsang 2000 (gamma);
Devroye 1986 (gamma below 1; multiplication for Poisson; inversion for the binomial); Hormann 1993 (Poisson, PTRS);
Kachitvichyanukul and Schmeiser 1988 (binomial, BTPE); NumPy 2 for the order in which words are used.
"""

import math

import numpy as np
from numba import njit

from .draws import draw_random, draw_standard_exponential, draw_standard_normal

# Stirling's series of log(gamma): B(2k) / (2k (2k - 1)), k = 1 ... 10.
DRAW_STIRLING = (
    8.333333333333333e-02,
    -2.777777777777778e-03,
    7.936507936507937e-04,
    -5.952380952380952e-04,
    8.417508417508418e-04,
    -1.917526917526918e-03,
    6.410256410256410e-03,
    -2.955065359477124e-02,
    1.796443723688307e-01,
    -1.39243221690590,
)
DRAW_LOG_TWO_PI = 1.8378770664093453


@njit(error_model="numpy")
def draw_standard_gamma(s: np.ndarray, shape: float) -> float:
    """Gamma of scale 1, shape >= 0."""
    if shape == 1.0:
        return draw_standard_exponential(s)
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            u, e = draw_random(s), draw_standard_exponential(s)
            if u <= 1.0 - shape:
                x = u ** (1.0 / shape)
                if x <= e:
                    return x
            else:
                y = -math.log((1.0 - u) / shape)
                x = (1.0 - shape + shape * y) ** (1.0 / shape)
                if x <= e + y:
                    return x
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * b)
    while True:
        x = draw_standard_normal(s)
        v = 1.0 + c * x
        if not v <= 0.0:  # NaN neither
            v = v * v * v
            u = draw_random(s)
            if u < 1.0 - 0.0331 * (x * x) * (x * x):
                return b * v
            if math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
                return b * v


@njit(error_model="numpy")
def draw_log_factorial(k: float) -> float:
    """log(k!), by Stirling's series from 7 on and down from there."""
    x = k + 1.0
    if x == 1.0 or x == 2.0:
        return 0.0
    far = x
    while far < 7.0:
        far += 1.0
    inverse = 1.0 / far * (1.0 / far)
    total = DRAW_STIRLING[9]
    for i in range(8, -1, -1):
        total = total * inverse + DRAW_STIRLING[i]
    made = total / far + 0.5 * DRAW_LOG_TWO_PI + (far - 0.5) * math.log(far) - far
    while far > x:
        made -= math.log(far - 1.0)
        far -= 1.0
    return made


@njit(error_model="numpy")
def draw_poisson(s: np.ndarray, lam: float) -> np.int64:
    """Poisson of mean lam >= 0: uniform numbers multiplied, or PTRS from 10 on."""
    if lam == 0.0:
        return np.int64(0)
    if lam < 10.0:
        end, product = math.exp(-lam), draw_random(s)
        count = np.int64(0)
        while product > end:
            count += 1
            product *= draw_random(s)
        return count
    root = math.sqrt(lam)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    log_lam = math.log(lam)
    while True:
        u, v = draw_random(s) - 0.5, draw_random(s)
        apart = 0.5 - abs(u)
        k = math.floor((2.0 * a / apart + b) * u + lam + 0.43)
        if apart >= 0.07 and v <= squeeze:
            return np.int64(k)
        if k >= 0.0 and (apart >= 0.013 or v <= apart):
            height = math.log(v) + math.log(inverse_alpha) - math.log(a / (apart * apart) + b)
            if height <= -lam + k * log_lam - draw_log_factorial(k):
                return np.int64(k)


@njit(error_model="numpy")
def draw_binomial(s: np.ndarray, n: int, p: float) -> np.int64:
    """Binomial of n >= 0 trials: by inversion where 30 successes or fewer are expected, else BTPE."""
    if n == 0 or p == 0.0:
        return np.int64(0)
    less = p if p <= 0.5 else 1.0 - p
    count = draw_binomial_inversion(s, n, less) if less * n <= 30.0 else draw_binomial_btpe(s, n, less)
    return count if p <= 0.5 else n - count


@njit(error_model="numpy")
def draw_binomial_inversion(s: np.ndarray, n: int, p: float) -> np.int64:
    """One uniform number, less the probabilities in turn; another one far in the tail."""
    q = 1.0 - p
    first = math.exp(n * math.log1p(-p))
    bound = np.int64(min(float(n), n * p + 10.0 * math.sqrt(n * p * q + 1.0)))
    count, probability, u = np.int64(0), first, draw_random(s)
    while u > probability:
        count += 1
        if count > bound:
            count, probability, u = np.int64(0), first, draw_random(s)
        else:
            u -= probability
            probability = (n - count + 1) * p * probability / (count * q)
    return count


@njit(error_model="numpy")
def draw_binomial_btpe(s: np.ndarray, n: int, p: float) -> np.int64:
    """A triangle, two parallelograms beside it and exponential tails, over the scaled density; n * p > 30."""
    q = 1.0 - p
    middle = n * p + p
    m = math.floor(middle)
    variance = n * p * q
    half = math.floor(2.195 * math.sqrt(variance) - 4.6 * q) + 0.5
    centre = m + 0.5
    left, right = centre - half, centre + half
    c = 0.134 + 20.5 / (15.3 + m)
    slope = (middle - left) / (middle - left * p)
    rate_left = slope * (1.0 + slope / 2.0)
    slope = (right - middle) / (right * q)
    rate_right = slope * (1.0 + slope / 2.0)
    beside = half * (1.0 + 2.0 * c)
    below = beside + c / rate_left
    area = below + c / rate_right
    while True:
        u, v = draw_random(s) * area, draw_random(s)
        if u <= half:
            return np.int64(math.floor(centre - half * v + u))
        if u <= beside:
            x = left + (u - half) / c
            v = v * c + 1.0 - abs(m - x + 0.5) / half
            inside = v <= 1.0
        elif v == 0.0:
            x, inside = 0.0, False
        elif u <= below:
            x = left + math.log(v) / rate_left
            v *= (u - beside) * rate_left
            inside = x >= 0.0
        else:
            x = right - math.log(v) / rate_right
            v *= (u - below) * rate_right
            inside = x < n + 1.0
        if inside:
            k = math.floor(x)
            if draw_binomial_accepts(n, p, m, variance, k, v):
                return np.int64(k)


@njit(error_model="numpy")
def draw_binomial_accepts(n: int, p: float, m: int, variance: float, k: int, v: float) -> bool:
    """Whether v lies below the density at k, over that at the mode m: by recursion near it or far away, else by
    bounds of its logarithm, and Stirling's series between them."""
    q = 1.0 - p
    apart = abs(k - m)
    if apart <= 20 or apart >= variance / 2.0 - 1.0:
        odds = p / q
        over = odds * (n + 1)
        ratio = 1.0
        for i in range(m + 1, k + 1):
            ratio *= over / i - odds
        for i in range(k + 1, m + 1):
            ratio /= over / i - odds
        return v <= ratio
    third = (apart * (apart / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5
    doubt = apart / variance * third
    normal = -apart * apart / (2.0 * variance)
    log_v = math.log(v)
    if log_v < normal - doubt:
        return True
    if log_v > normal + doubt:
        return False
    f, z, x, w = m + 1.0, n + 1.0 - m, k + 1.0, n - k + 1.0
    exact = (
        (m + 0.5) * math.log(f / x) + (n - m + 0.5) * math.log(z / w) + (k - m) * math.log(w * p / (x * q))
    )
    rest = draw_binomial_rest(f) + draw_binomial_rest(z) + draw_binomial_rest(x) + draw_binomial_rest(w)
    return log_v <= exact + rest


@njit(error_model="numpy")
def draw_binomial_rest(x: float) -> float:
    """What Stirling's series adds."""
    y = x * x
    return (13680.0 - (462.0 - (132.0 - (99.0 - 140.0 / y) / y) / y) / y) / x / 166320.0
