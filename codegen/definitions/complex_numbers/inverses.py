"""Inverse functions of complex numbers: W. Kahan, Branch Cuts for Complex Elementary Functions (1987)."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.exponential import sqrt
from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.table import of_complex


@of_complex("numpy.arcsin", "cmath.asin")
def arcsin(x):
    below, above = roots(x)
    im = np.arcsinh(below.real * above.imag - below.imag * above.real)
    return complex_of(np.arctan2(x.real, below.real * above.real - below.imag * above.imag), im)


@of_complex("numpy.arccos", "cmath.acos")
def arccos(x):
    below, above = roots(x)
    im = np.arcsinh(above.real * below.imag - above.imag * below.real)
    return complex_of(2.0 * np.arctan2(below.real, above.real), im)


def roots(x):
    """sqrt(1 - z) and sqrt(1 + z); the sign of a zero decides on which side of a cut it is."""
    return sqrt(complex_of(1.0 - x.real, -x.imag)), sqrt(complex_of(1.0 + x.real, +x.imag))


@of_complex("numpy.arccosh", "cmath.acosh")
def arccosh(x):
    below = sqrt(complex_of(x.real - 1.0, +x.imag))
    above = sqrt(complex_of(x.real + 1.0, +x.imag))
    re = np.arcsinh(below.real * above.real + below.imag * above.imag)
    return complex_of(re, 2.0 * np.arctan2(below.imag, above.real))


@of_complex("numpy.arctanh", "cmath.atanh")
def arctanh(x):
    x, y = x.real, x.imag
    side = np.copysign(1.0, x)
    away = 1.0 - side * x
    re = side * 0.25 * np.log1p(4.0 * side * x / (away * away + y * y))
    return complex_of(re, 0.5 * np.arctan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y))


@of_complex("numpy.arcsinh", "cmath.asinh")
def arcsinh(x):
    turned = arcsin(complex_of(-x.imag, +x.real))
    return complex_of(+turned.imag, -turned.real)


@of_complex("numpy.arctan", "cmath.atan")
def arctan(x):
    turned = arctanh(complex_of(-x.imag, +x.real))
    return complex_of(+turned.imag, -turned.real)
