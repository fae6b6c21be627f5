"""Exponentials, logarithms and roots of complex numbers."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.complex_numbers.arithmetic import reciprocal
from codegen.definitions.complex_numbers.parts import apart, complex_of, with_derivative
from codegen.definitions.table import of_complex
from codegen.primitives.shape import without_slope


@of_complex("numpy.exp", "cmath.exp")
def exp(x):
    """exp(-inf) is 0 and exp(inf) infinite, whatever the other part is."""
    re, im = apart(x)
    size = np.exp(re)
    wild = np.isinf(re) & ~np.isfinite(im)
    along = np.where(wild, size, size * np.cos(im))
    across = np.where(wild & (re < 0), 0.0, size * np.sin(im))
    made = complex_of(along, np.where((im == 0) & ~np.isfinite(size), im, across))
    return with_derivative(made, x, made)


@of_complex("numpy.exp2")
def exp2(x):
    return np.exp(math.log(2.0) * x)


@of_complex("numpy.expm1")
def expm1(x):
    """e**x cos y - 1 = expm1(x) cos y - 2 sin(y / 2)**2."""
    x, y = x.real, x.imag
    half = np.sin(0.5 * y)
    return complex_of(np.expm1(x) * np.cos(y) - 2.0 * half * half, np.exp(x) * np.sin(y))


@of_complex("numpy.log")
def log(x):
    re, im = apart(x)
    return with_derivative(complex_of(log_of_size(re, im), np.arctan2(im, re)), x, reciprocal(x))


def log_of_size(x, y):
    """log |x + iy|; near 1 by what |z|**2 is more than 1."""
    size = np.hypot(x, y)
    near = (size > 0.5) & (size < 2.0)
    large, small = np.maximum(np.abs(x), np.abs(y)), np.minimum(np.abs(x), np.abs(y))
    more = np.where(near, (large - 1.0) * (large + 1.0) + small * small, 0.0)
    return np.where(near, 0.5 * np.log1p(more), np.log(size))


@of_complex("cmath.log")
def log_to_base(z, base=None):
    above = log(z)
    return above if base is None else above / log(base)


@of_complex("numpy.log2")
def log2(x):
    return np.log(x) * (1.0 / math.log(2.0))


@of_complex("numpy.log10")
def log10(x):
    return np.log(x) * (1.0 / math.log(10.0))


@of_complex("cmath.log10")
def log10_of(z):
    return log(z) * (1.0 / np.log(10.0))


@of_complex("numpy.log1p")
def log1p(x):
    """By what |1 + z|**2 is more than 1, where z is small."""
    x, y = x.real, x.imag
    size = np.hypot(x + 1.0, y)
    small = (np.abs(x) < 0.5) & (np.abs(y) < 0.5)
    more = np.where(small, x * (2.0 + x) + y * y, 0.0)
    return complex_of(np.where(small, 0.5 * np.log1p(more), np.log(size)), np.arctan2(y, x + 1.0))


@of_complex("numpy.sqrt", "cmath.sqrt")
def sqrt(x):
    """In the right half plane, on the upper side of the cut unless the imaginary part is -0.0."""
    re, im = apart(x)
    right = (re >= 0) | np.isnan(re)
    root = np.sqrt(0.5 * (np.where(right, re, -re) + np.hypot(re, im)))
    other = 0.5 * np.abs(im) / np.where(root == 0, 1.0, root)
    endless = np.isinf(im)
    along = np.where(endless, np.inf, np.where(right, root, other))
    across = np.where(endless, im, np.copysign(1.0, im) * np.where(right, other, root))
    made = complex_of(along, across)
    slope = reciprocal(made)
    return with_derivative(made, x, complex_of(0.5 * slope.real, 0.5 * slope.imag))


@of_complex("scipy.special.logsumexp")
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """Scaled by the largest size of a term; the sum's direction apart where it is asked for."""
    a = np.atleast_1d(a)
    if b is not None:
        a, weights = np.broadcast_arrays(a, np.asarray(b))
        given, a = np.where(np.isfinite(a), a, 0.0), np.where(weights == 0, -np.inf, a)
    top = without_slope(np.max(a.real, axis=axis, keepdims=True, initial=-np.inf))
    top = np.where(np.isfinite(top), top, 0.0).astype(a.real.dtype)
    terms = np.exp(a - top)
    if b is not None:
        left_out = np.exp(complex_of(np.minimum(given.real - top, 80.0), given.imag))
        terms = weights * np.where(weights == 0, left_out, terms)
    total = np.sum(terms, axis=axis, keepdims=True)
    if not keepdims:
        total, top = np.squeeze(total, axis), np.squeeze(top, axis)
    if return_sign:
        return np.log(np.abs(total)) + top, np.sign(total)
    return (np.log(total) + top)[()]
