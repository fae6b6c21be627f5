"""Faddeeva's function w(z) = exp(-z**2) erfc(-i z), its parts wofz_real(x, y) and wofz_imag(x, y), and Dawson's
integral.

w by the trapezoidal rule with its poles taken into account, of whole steps or half ones (Al Azah and Chandler-Wilde
2021), Dawson's integral by the same idea for real numbers (Rybicki 1989).
"""

import math

from numba import njit

FADDEEVA_STEP = 0.5116633539732443  # sqrt(pi / 12), with terms 0 to 11
DAWSON_STEP = 0.25


@njit(error_model="numpy")
def faddeeva_sum(z: complex, shift: float) -> complex:
    """The rule's sum over the points (k + shift) h, both signs together, without the point 0."""
    square, total = z * z, 0j
    for k in range(13):
        point = (k + shift) * FADDEEVA_STEP
        if point > 0.0:
            total += math.exp(-point * point) / (square - point * point)
    return 2j * FADDEEVA_STEP / math.pi * z * total


@njit(error_model="numpy")
def faddeeva_above(x: float, y: float) -> complex:
    """w(x + i y) of x and y that are not negative."""
    if x * x + y * y > 1e14:
        scale = max(x, y)
        if scale == math.inf:
            return 0j
        u, v = x / scale, y / scale
        return complex(v, u) / (math.sqrt(math.pi) * scale * (u * u + v * v))
    z = complex(x, y)
    place = x / FADDEEVA_STEP
    place -= math.floor(place)
    half = 0.25 <= place <= 0.75
    turn = math.pi / FADDEEVA_STEP
    if y >= turn:  # beyond which the pole's part is nothing
        return faddeeva_sum(z, 0.5)
    # The pole's part: 2 exp(-z**2) / (1 + exp(-2 pi i z / h)), with - for whole steps
    size, angle = math.exp(2.0 * turn * y), -2.0 * turn * x
    below = complex(size * math.cos(angle), size * math.sin(angle))
    below = 1.0 + below if not half else 1.0 - below
    head = math.exp((y - x) * (y + x))
    rest = 2.0 * head * complex(math.cos(2.0 * x * y), -math.sin(2.0 * x * y)) / below
    if half:
        return rest + 1j * FADDEEVA_STEP / (math.pi * z) + faddeeva_sum(z, 0.0)
    return rest + faddeeva_sum(z, 0.5)


@njit(error_model="numpy")
def faddeeva(x: float, y: float) -> complex:
    """w(x + i y): w(-conj z) = conj w(z), w(-z) = 2 exp(-z**2) - w(z)."""
    made = faddeeva_above(abs(x), abs(y))
    if y < 0.0:
        size, turn = 2.0 * math.exp((y - x) * (y + x)), 2.0 * x * y
        up = size * math.sin(abs(turn)) if turn != 0.0 else 0.0
        made = complex(size * math.cos(turn) - made.real, up + made.imag)
    return complex(made.real, -made.imag) if x < 0.0 else made


@njit(error_model="numpy")
def wofz_real(x: float, y: float) -> float:
    return faddeeva(x, y).real


@njit(error_model="numpy")
def wofz_imag(x: float, y: float) -> float:
    return faddeeva(x, y).imag


@njit(error_model="numpy")
def dawsn(x: float) -> float:
    """scipy.special.dawsn: exp(-x**2) times the integral of exp(t**2) from 0 to x."""
    size = abs(x)
    if size < 0.3:
        square = x * x
        total = 1.0
        for k in range(14, 0, -1):
            total = 1.0 - 2.0 * square / (2.0 * k + 1.0) * total
        return x * total
    if size > 1e8:
        return 0.5 / x
    middle = 2.0 * math.floor(0.5 * size / DAWSON_STEP + 0.5)
    apart = size - middle * DAWSON_STEP
    total = 0.0
    for k in range(-25, 26, 2):
        total += math.exp(-((apart - k * DAWSON_STEP) ** 2)) / (middle + k)
    return math.copysign(total / math.sqrt(math.pi), x)
