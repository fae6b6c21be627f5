"""Hyperbolic functions of complex numbers, and trigonometric ones: those of the plane turned by a right angle."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.parts import apart, complex_of, with_derivative
from codegen.definitions.table import of_complex


@of_complex("numpy.sinh", "cmath.sinh")
def sinh(x):
    return with_derivative(sinh_of(*apart(x)), x, cosh_of(*apart(x)))


@of_complex("numpy.cosh", "cmath.cosh")
def cosh(x):
    return with_derivative(cosh_of(*apart(x)), x, sinh_of(*apart(x)))


def sinh_of(x, y):
    wild = ~np.isfinite(y) & ((x == 0) | np.isinf(x))
    re = np.where(wild, x, np.sinh(x) * np.cos(y))
    return complex_of(re, np.where((y == 0) & ~np.isfinite(x), y, np.cosh(x) * np.sin(y)))


def cosh_of(x, y):
    wild = ~np.isfinite(y)
    re = np.where(wild & np.isinf(x), np.inf, np.cosh(x) * np.cos(y))
    flat = (y == 0) & ~np.isfinite(x) | wild & (x == 0)
    im = np.where(flat, np.copysign(0.0, y) * np.copysign(1.0, x), np.sinh(x) * np.sin(y))
    return complex_of(re, im)


@of_complex("numpy.tanh", "cmath.tanh")
def tanh(x):
    """By one quotient; far out, where its terms are too large, 1 and what is left of the sine."""
    x, y = x.real, x.imag
    far = np.abs(x) > 20.0
    near, turn = np.where(far, 0.0, x), np.where(far & ~np.isfinite(y), 0.0, y)
    s, c, sin, cos = np.sinh(near), np.cosh(near), np.sin(turn), np.cos(turn)
    below = s * s + cos * cos
    left = 4.0 * sin * cos * np.exp(-2.0 * np.abs(np.where(far, x, 20.0)))
    re = np.where(far, np.copysign(1.0, x), s * c / below)
    return complex_of(re, np.where(far, left, sin * cos / below))


@of_complex("numpy.sin", "cmath.sin")
def sin(x):
    turned = sinh(complex_of(-x.imag, +x.real))
    return complex_of(+turned.imag, -turned.real)


@of_complex("numpy.cos", "cmath.cos")
def cos(x):
    return cosh(complex_of(-x.imag, +x.real))


@of_complex("numpy.tan", "cmath.tan")
def tan(x):
    turned = tanh(complex_of(-x.imag, +x.real))
    return complex_of(+turned.imag, -turned.real)
