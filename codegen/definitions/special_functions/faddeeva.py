"""Faddeeva's function and what is its real or imaginary part: profiles of lines, error functions of other arguments."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import dawsn

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.special import in_loop, numbers
from codegen.definitions.table import stands_for
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
    """Of a normal distribution of deviation x2 and Cauchy's of half width x3, one after the other."""
    x, sigma, gamma = numbers(x1), numbers(x2), numbers(x3)
    far = (np.isinf(x) | np.isinf(gamma)) & ~np.isnan(x + sigma + gamma)
    x, gamma = np.where(far, 0.0, x), np.where(far, 1.0, gamma)
    none = sigma == 0.0
    scale = np.where(none, 1.0, sigma) * 1.4142135623730951
    made = real_part(x / scale, gamma / scale) / (scale * 1.7724538509055159)
    point = none & (gamma == 0.0)
    width = np.where(point, 1.0, gamma)
    at_point = np.where(x == 0.0, np.inf, np.where(np.isnan(x), np.nan, 0.0))
    of_cauchy = np.where(point, at_point, width / (np.pi * (x * x + width * width)))
    made = np.where(far, 0.0, np.where(none, of_cauchy, made))
    return in_dtype_of(special.voigt_profile, made, x1, x2, x3)


@stands_for("scipy.special.erfi")
def erfi(x):
    z = numbers(x)
    made = 1.1283791670955126 * np.exp(z * z) * dawsn(z)
    return in_loop(np.where(np.isinf(z), z, made), x)
