"""Faddeeva's function and what is its real or imaginary part: profiles of lines, error functions of other arguments."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import dawsn

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.special import ROOT_PI, in_loop, numbers, polynomial
from codegen.definitions.table import of_complex, stands_for
from codegen.primitives.shape import with_partial, without_partial
from codegen.primitives.special import in_dtype_of
from codegen.primitives.special_functions.integrals import imaginary_part, real_part


@stands_for("scipy.special.wofz", generic=True)
def wofz(x):
    z = np.asarray(x)
    re, im = numbers(z.real), numbers(z.imag)
    made = complex_of(real_part(re, im), imaginary_part(re, im))
    return made.astype(np.complex64) if z.dtype == np.complex64 else made


@stands_for("scipy.special.voigt_profile")
def voigt_profile(x1, x2, x3):
    """Of a normal distribution of deviation x2 and Cauchy's of half width x3, one after the other; of a deviation that
    is nothing beside the place or the other's width Cauchy's. It solves the equation of heat, which has its slope by
    the deviation: in that by the formula all but a part of 1e16 would cancel."""
    x, sigma, gamma = numbers(x1), numbers(x2), numbers(x3)
    far = (np.isinf(x) | np.isinf(gamma)) & ~np.isnan(x + sigma + gamma)
    x, gamma = np.where(far, 0.0, x), np.where(far, 1.0, gamma)
    none = (sigma == 0.0) | (np.abs(x) + np.abs(gamma) > 1e8 * np.abs(sigma))
    deviation = np.where(none, 1.0, sigma)
    scale = without_partial(deviation) * ROOT_TWO
    u, v = np.where(none, 0.0, x) / scale, np.where(none, 0.0, gamma) / scale
    made = real_part(u, v) / (scale * ROOT_PI)
    made = with_partial(made, deviation, curvature_of_real(u, v) / (ROOT_TWO * ROOT_PI * scale * scale))
    of_cauchy = np.where(none, cauchy_profile(x, gamma, np.where(none, sigma, 0.0)), 0.0)
    made = np.where(far, 0.0, np.where(none, of_cauchy, made))
    return in_dtype_of(special.voigt_profile, made, x1, x2, x3)


def cauchy_profile(x, gamma, sigma):
    """Cauchy's density, with the slope of a normal distribution's before it; of no width a point."""
    point = gamma == 0.0
    width, place = np.where(point, 1.0, gamma), np.where(point, 0.0, x)
    size = np.hypot(place, width)
    cosine, sine = width / size, place / size
    made = cosine / (np.pi * size)
    made = with_partial(
        made, sigma, sigma * made * (6.0 * sine * sine - 2.0 * cosine * cosine) / (size * size)
    )
    return np.where(point, np.where(x == 0.0, np.inf, np.where(np.isnan(x), np.nan, 0.0)), made)


def curvature_of_real(x, y):
    """The second derivative by x of the real part of w: of (4 z**2 - 2) w - 4 i z / sqrt(pi), which far out is the
    derivative of the series."""
    far = (np.hypot(x, y) > 24.0) & ((y > 1e-3) | ((y - x) * (y + x) < -745.0))
    z = np.where(far, 0.0, x) + 1j * np.where(far, 0.0, y)
    near = (4.0 * z * z - 2.0) * wofz(z) - 4j * z / ROOT_PI
    inverse = 1.0 / (np.where(far, x, 24.0) + 1j * np.where(far, y, 0.0))
    total = inverse * square_sum(0.5 * inverse * inverse)
    return np.where(far, -4.0 / ROOT_PI * total.imag, near.real)


def square_sum(square):
    """The sum of k (2 k - 1)!! square**k."""
    total = 62370.0 * square
    for each in (4725.0, 420.0, 45.0, 6.0, 1.0):
        total = (each + total) * square
    return total


@stands_for("scipy.special.erfi")
def erfi(x):
    z = numbers(x)
    made = 1.1283791670955126 * np.exp(z * z) * dawsn(z)
    return in_loop(np.where(np.isinf(z), z, made), x)


ROOT_TWO = 1.4142135623730951
# 2 / (sqrt(pi) k! (2 k + 1)), of the highest power first
OF_SQUARES = (
    1.6342614095367152e-15,
    2.7835162072109215e-14,
    4.463224263286477e-13,
    6.7113668551641105e-12,
    9.422759064650411e-11,
    1.2290555301717926e-09,
    1.4807192815879218e-08,
    1.6365844691234924e-07,
    1.6462114365889246e-06,
    1.4925650358406252e-05,
    0.00012055332981789664,
    0.0008548327023450852,
    0.005223977625442187,
    0.02686617064513125,
    0.11283791670955126,
    0.3761263890318375,
    1.1283791670955126,
)


def by_faddeeva(z, sign):
    """erf, or with sign -1 erf of i z by i: near 0 by the series, beyond by w (DLMF 7.5.1, 7.6.1)."""
    near = np.abs(z) < 1.0
    u, v = np.where(near, z, 0.0), np.where(near, 1.0, z)
    total = u * polynomial(OF_SQUARES, -sign * u * u)
    turned = 1j * v if sign > 0.0 else v
    up = (turned.imag > 0.0) | (turned.imag == 0.0) & (turned.real >= 0.0)
    side = np.where(up, 1.0, -1.0)
    rest = 1.0 - np.exp(turned * turned) * wofz(side * turned)
    return np.where(near, total, side * rest * (1.0 if sign > 0.0 else 1j))


@of_complex("scipy.special.erf")
def complex_erf(x):
    return as_given(by_faddeeva(in_double(x), 1.0), x)


@of_complex("scipy.special.erfi")
def complex_erfi(x):
    return as_given(by_faddeeva(in_double(x), -1.0), x)


@of_complex("scipy.special.erfc")
def complex_erfc(x):
    """By w where the real part is not negative, and 2 without it where it is."""
    u = in_double(x)
    side = np.where(u.real < 0.0, -1.0, 1.0)
    made = np.exp(-u * u) * wofz(1j * side * u)
    return as_given(np.where(u.real < 0.0, 2.0 - made, made), x)


@of_complex("scipy.special.erfcx")
def complex_erfcx(x):
    return wofz(1j * np.asarray(x))


@of_complex("scipy.special.dawsn")
def complex_dawsn(x):
    u = in_double(x)
    near = np.abs(u) < 1.0
    at, far = np.where(near, u, 0.0), np.where(near, 1.0, u)
    small = 0.886226925452758 * np.exp(-at * at) * at * polynomial(OF_SQUARES, at * at)
    return as_given(np.where(near, small, 0.886226925452758j * (np.exp(-far * far) - wofz(far))), x)


def in_double(z):
    return np.asarray(z).astype(np.complex128)


def as_given(made, z):
    return made.astype(np.asarray(z).dtype)


# (-1)^n / ((2 n + 1)! (4 n + 3)) and (-1)^n / ((2 n)! (4 n + 1)), of the highest power first
OF_SINE = (
    1.2641078988989164e-27,
    -8.230149299214221e-25,
    4.5518467589282e-22,
    -2.107855191442136e-19,
    8.032735012415773e-17,
    -2.466827010264457e-14,
    5.9477940136376354e-12,
    -1.0892221037148573e-09,
    1.4503852223150468e-07,
    -1.3227513227513228e-05,
    0.0007575757575757576,
    -0.023809523809523808,
    0.3333333333333333,
)
OF_COSINE = (
    3.289260349175752e-26,
    -1.977064753877905e-23,
    1.0025164934907719e-20,
    -4.221407288807088e-18,
    1.4483264643598138e-15,
    -3.9554295164585257e-13,
    8.35070279514724e-11,
    -1.3122532963802806e-08,
    1.4589169000933706e-06,
    -0.00010683760683760684,
    0.004629629629629629,
    -0.1,
    1.0,
)


@stands_for("scipy.special.fresnel")
def fresnel(x):
    """Integrals of the sine and the cosine of half pi times the square: near 0 by their series (DLMF 7.6.4, 7.6.6)."""
    z = numbers(x)
    apart = without_partial(z)
    phase = with_partial(0.5 * np.pi * square_less_fours(apart), z, np.pi * z)
    size = np.abs(apart)
    near, endless = size < 1.25, np.isinf(apart)
    u, v = np.where(near, size, 0.0), np.where(near | endless, 2.0, size)
    square = 0.5 * np.pi * u * u
    sine = u * square * polynomial(OF_SINE, square * square)
    cosine = u * polynomial(OF_COSINE, square * square)
    w = wofz(0.886226925452758 * (1.0 + 1j) * v)
    turned = 0.5 * (1.0 + 1j) * (1.0 - np.exp(0.5j * np.pi * square_less_fours(v)) * w)
    side = np.where(apart < 0.0, -1.0, 1.0)
    far_sine, far_cosine = np.where(endless, 0.5, turned.imag), np.where(endless, 0.5, turned.real)
    made = [
        with_partial(side * np.where(near, here, there), z, slope)
        for here, there, slope in ((sine, far_sine, np.sin(phase)), (cosine, far_cosine, np.cos(phase)))
    ]
    lost = np.isnan(z)
    return tuple([in_loop(np.where(lost, np.nan, each), x) for each in made])


def square_less_fours(x):
    """x * x but for a multiple of 4, with all its digits: the products of a whole number and a rest are exact."""
    whole = np.floor(x)
    rest = x - whole
    twice = 2.0 * whole * rest
    return whole - 2.0 * np.floor(0.5 * whole) + (twice - 4.0 * np.floor(0.25 * twice)) + rest * rest
