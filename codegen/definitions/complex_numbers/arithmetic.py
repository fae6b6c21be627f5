"""Quotients, powers and products of complex numbers."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.complex_numbers.parts import apart, complex_of, with_derivative
from codegen.definitions.table import is_known, of_complex

SMALL = 100  # whole powers below this are products


@of_complex("numpy.divide", "operator.truediv")
def divide(x1, x2):
    """By the larger part of the divisor, so that no square is too large: R. L. Smith, Algorithm 116 (CACM, 1962)."""
    x1, x2 = in_precision_of(x1, x2), in_precision_of(x2, x1)
    (a, b), (c, d) = apart(x1), apart(x2)
    by_real, large, ratio, scale = by_larger_part(c, d)
    re = np.where(by_real, a + b * ratio, a * ratio + b) * scale
    im = np.where(by_real, b - a * ratio, b * ratio - a) * scale
    zero = (c == 0) & (d == 0)
    made = complex_of(np.where(zero, a / np.abs(large), re), np.where(zero, b / np.abs(large), im))
    slope = one_over(by_real, ratio, scale)
    return with_derivative(with_derivative(made, x1, slope), x2, -made * slope)


def by_larger_part(c, d):
    """Of c + id whether c is the larger part, that part, the other by it, and 1 over what |c + id|**2 is by it."""
    by_real = np.abs(c) >= np.abs(d)
    large, small = np.where(by_real, c, d), np.where(by_real, d, c)
    ratio = small / large
    scale = 1.0 / (large + small * ratio)
    return by_real, large, ratio, scale


def one_over(by_real, ratio, scale):
    return complex_of(np.where(by_real, 1.0, ratio) * scale, np.where(by_real, -ratio, -1.0) * scale)


def in_precision_of(x, other):
    """A number of Python's in the precision of the other operand, ints and bools in that of both."""
    if isinstance(x, np.generic | np.ndarray):
        return x if x.dtype.kind in "fc" else x.astype(np.result_type(x.dtype, np.asarray(other).dtype))
    kind = np.asarray(other).dtype
    return np.asarray(x).astype(np.result_type(kind, np.complex64) if kind.kind in "fc" else np.complex128)


@of_complex("numpy.reciprocal")
def reciprocal(x):
    by_real, _, ratio, scale = by_larger_part(*apart(x))
    made = one_over(by_real, ratio, scale)
    return with_derivative(made, x, -made * made)


@of_complex("numpy.square")
def square(x):
    a, b = x.real, x.imag
    return complex_of(a * a - b * b, a * b + b * a)


@of_complex("numpy.sign")
def sign(x):
    """Of an infinite part its sign alone; of two NaN."""
    re, im = x.real, x.imag
    size = np.hypot(re, im)
    endless = np.isinf(size)
    re = np.where(endless, np.where(np.isinf(re), np.sign(re), 0.0 * np.sign(re)), re)
    im = np.where(endless, np.where(np.isinf(im), np.sign(im), 0.0 * np.sign(im)), im)
    size = np.where(endless | (size == 0), 1.0, size)
    size = np.where(endless & (re != 0) & (im != 0), np.nan, size)
    return complex_of(re / size, im / size)


@of_complex("numpy.float_power")
def float_power(x1, x2):
    one = np.float64(1.0)
    return power(complex_of(one * x1.real, one * x1.imag), x2)


@of_complex("numpy.power", "operator.pow", "builtins.pow")
def power(x1, x2):
    """Whole powers by products, others by logarithms."""
    if isinstance(x2, int):
        if is_known(x2) and -SMALL < x2 < SMALL:
            return whole_power(x1, x2) if x2 >= 0 else np.reciprocal(whole_power(x1, -x2))
        return power_by_squares(x1, x2)
    made = np.exp(x2 * np.log(as_complex(x1)))
    of_zero, none = x1 == 0, x2 == 0
    wild = of_zero & np.logical_not(x2.real > 0)
    re = np.where(none, 1.0, np.where(wild, np.nan, np.where(of_zero, 0.0, made.real)))
    im = np.where(none, 0.0, np.where(wild, np.nan, np.where(of_zero, 0.0, made.imag)))
    return complex_of(re, im)


def as_complex(x):
    return complex_of(x.real + 0.0, x.imag + 0.0)


def whole_power(x, n):
    """By squaring."""
    if n == 0:
        return complex_of(np.ones_like(x.real), np.zeros_like(x.real))
    if n == 1:
        return +x
    half = whole_power(x, n // 2)
    return half * half * x if n % 2 else half * half


def power_by_squares(x, n):
    """For an int that is known when the program runs."""
    if n == 0:
        return complex_of(np.ones_like(x.real), np.zeros_like(x.real))
    base, left = +x, abs(n)
    while left % 2 == 0:
        base, left = base * base, left // 2
    made, left = base, left // 2
    while left > 0:
        base = base * base
        if left % 2 == 1:
            made = made * base
        left //= 2
    return np.reciprocal(made) if n < 0 else made


@of_complex("numpy.prod")
def prod(a, axis=None, keepdims=False, initial=1.0):
    """Product by product, in order."""
    a = np.asarray(a)
    if axis is None:
        made = initial + 0.0j * initial
        for each in a.reshape(-1):
            made = made * each
        return np.reshape(np.asarray(made), (1,) * a.ndim) if keepdims else made
    axes = axis if isinstance(axis, tuple) else (axis,)
    rows = np.moveaxis(a, axes, tuple(range(len(axes))))
    rows = rows.reshape(math.prod(rows.shape[: len(axes)]), *rows.shape[len(axes) :])
    product = np.ones(rows.shape[1:], a.dtype) * initial
    for k in range(len(rows)):
        product = product * rows[k]
    return np.expand_dims(product, axis) if keepdims else product
