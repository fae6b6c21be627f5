"""The error function, its complement and that times exp(x**2), which a compiler inlines and vectorises: fast_erf,
fast_erfc, fast_erfcx : f8 -> f8.

    fast_erf(0.5), fast_erfc(27.0)        # 0.5204998778130465, 5.237048923789256e-319

Within 2, 4 and 4 units in the last place, the far tail of erfc included. For rules and flags see `elementary.py`,
whose functions these use; of erf there is nothing to fit.
"""

import math

import numpy as np
from numba import njit

from .elementary import (
    FAST_EXPONENTS,
    FAST_LOG2_HIGH,
    FAST_LOG2_INVERSE,
    FAST_LOG2_LOW,
    FAST_ROUND,
    FAST_SIGN,
    FAST_UPPER_26,
    fast_cubic,
    fast_exp_parts,
)

# Places of the tables of erf, by the low bits of x * 128 + FAST_ROUND.
FAST_PLACES = np.uint64(1024)
FAST_PLACE = np.uint64(1023)


def fast_erf_tables() -> np.ndarray:
    """erf and its slope at k / 128, k = 0 .. 1023."""
    places = [k / 128.0 for k in range(1024)]
    slopes = [2.0 / math.sqrt(math.pi) * math.exp(-r * r) for r in places]
    return np.array([*map(math.erf, places), *slopes])


FAST_ERF_TABLES = fast_erf_tables()


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_erf(x: float) -> float:
    """erf(r + d) = erf(r) + erf'(r) (d - r d**2 + ...), Taylor's series at the nearest r = k / 128 below 6.

    The terms are Hermite polynomials in r. The constant of d**5 takes a part of d**7, so that small x, where
    the series is all there is, are as good.
    """
    size = abs(x)
    size = 6.0 if size > 6.0 else size
    shifted = size * 128.0 + FAST_ROUND
    place = np.float64(shifted).view(np.uint64) & FAST_PLACE
    r = (shifted - FAST_ROUND) * 0.0078125
    d = size - r
    s = r * r
    d2 = d * d
    third = -0.3333333333333333 + 0.6666666666666666 * s
    fourth = r * (0.5 - 0.3333333333333333 * s)
    fifth = 0.0999997 + s * (-0.4 + 0.13333333333333333 * s)
    sixth = r * (-0.16666666666666666 + s * (0.2222222222222222 - 0.044444444444444446 * s))
    rest = d2 * (d2 * (fifth + d * sixth) + (d * fourth + third)) * d - r * d2
    tables = FAST_ERF_TABLES
    y = tables[place] + tables[place + FAST_PLACES] * (d + rest)
    return np.uint64(np.float64(y).view(np.uint64) | np.float64(x).view(np.uint64) & FAST_SIGN).view(
        np.float64
    )


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_scaled_erfc(size: float) -> float:
    """exp(x**2) erfc(x) = Q(x) / (1 + 2 x), 0 <= x <= 28. Q is smooth (Shepherd and Laframboise 1981): 1 + w q with
    w = 2 x / (x + 4), q a polynomial of degree 23 in w - 1."""
    w = 2.0 * size / (size + 4.0)
    t = w - 1.0
    t2 = t * t
    t4 = t2 * t2
    t8 = t4 * t4
    a = fast_cubic(t, t2, 0.2329951186255525, -0.37261623546611505, 0.3879958875687351, -0.31989883331404195)
    b = fast_cubic(
        t, t2, 0.2188597672777147, -0.12512693227938443, 0.05879656646778443, -0.021629050929865133
    )
    c = fast_cubic(
        t, t2, 0.0054313168635371735, -0.0003993468915216754, -0.0003584263286221002, 0.0001591696855206535
    )
    d = fast_cubic(
        t, t2, -8.548348186829646e-06, -1.5851149456688353e-05, 4.630171077202058e-06, 1.0805564031212344e-06
    )
    e = fast_cubic(
        t, t2, -7.887670553676825e-07, -3.887775038068385e-08, 1.1574913510045967e-07, -2.6444269100335288e-09
    )
    f = fast_cubic(
        t, t2, -1.6374019344537673e-08, -8.959236619549777e-11, 1.7779674355945932e-09, 2.7487581538318455e-10
    )
    q = (a + b * t4) + t8 * ((c + d * t4) + t8 * (e + f * t4))
    return (0.5 + 0.5 * w * q) / (0.5 + size)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_exp_of_square(x: float, sign: float) -> float:
    """exp(sign x**2), of the square in two parts, of which the first is exact."""
    upper = np.uint64(np.float64(x).view(np.uint64) & FAST_UPPER_26).view(np.float64)
    square = upper * upper
    rest = (x - upper) * (x + upper)
    shifted = FAST_EXPONENTS + sign * square * FAST_LOG2_INVERSE
    k = shifted - FAST_EXPONENTS
    r = (sign * square - k * FAST_LOG2_HIGH) - (k * FAST_LOG2_LOW - sign * rest)
    return fast_exp_parts(shifted, r)


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_erfc(x: float) -> float:
    """exp(-x**2) by the scaled one for x >= 0, which is 0 from 28 on; 2 - erfc(-x) below."""
    size = abs(x)
    size = 28.0 if size > 28.0 else size
    y = fast_exp_of_square(size, -1.0) * fast_scaled_erfc(size)
    return 2.0 - y if x < 0.0 else y


@njit(error_model="numpy", fastmath={"contract"}, forceinline=True)
def fast_erfcx(x: float) -> float:
    """exp(x**2) erfc(x), from 28 on by its asymptotic series; 2 exp(x**2) less that of -x below 0, infinite from -27
    on."""
    below = x < 0.0
    near = 28.0 if abs(x) > 28.0 else abs(x)
    far = 28.0 if x <= 28.0 else x
    s = 0.5 / (far * far)
    series = 1.0 - s * (
        1.0 - 3.0 * s * (1.0 - 5.0 * s * (1.0 - 7.0 * s * (1.0 - 9.0 * s * (1.0 - 11.0 * s))))
    )
    y = series * (0.5641895835477563 / far) if x > 28.0 else fast_scaled_erfc(near)
    size = -x if below else 0.0
    size = 27.0 if size > 27.0 else size
    return 2.0 * fast_exp_of_square(size, 1.0) - y if below else y
