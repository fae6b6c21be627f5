"""Sizes, spreads and inner products of complex arrays."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.decompositions import (
    is_by_singular_values,
    is_of_matrices,
    norm_by_singular_values,
)
from codegen.definitions.sequences import products_of_shifts
from codegen.definitions.table import of_complex


@of_complex("numpy.var")
def var(a, axis=None, ddof=0, keepdims=False, *, mean=None, correction=None):
    a = np.asarray(a)
    apart = a - (np.mean(a, axis=axis, keepdims=True) if mean is None else mean)
    squares = apart.real * apart.real + apart.imag * apart.imag
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    less = subtracted(ddof, correction)
    count = np.sum(np.ones(a.shape, total.dtype), axis=axis, keepdims=keepdims)
    return total / np.maximum(count - total.dtype.type(less), 0)


def subtracted(ddof, correction):
    """What a number of elements is less by, under either of its names."""
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


@of_complex("numpy.std")
def std(a, axis=None, ddof=0, keepdims=False, *, mean=None, correction=None):
    return np.sqrt(var(a, axis, ddof, keepdims, mean=mean, correction=correction))


def there(a):
    """The numbers without those of which a part is NaN, and where they are."""
    a = np.asarray(a)
    return np.where(np.isnan(a), 0, a), ~np.isnan(a)


@of_complex("numpy.nansum")
def nansum(a, axis=None, keepdims=False):
    return np.sum(there(a)[0], axis=axis, keepdims=keepdims)


@of_complex("numpy.nancumsum")
def nancumsum(a, axis=None):
    return np.cumsum(there(a)[0], axis=axis)


@of_complex("numpy.nanprod")
def nanprod(a, axis=None, keepdims=False):
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis, keepdims=keepdims)


@of_complex("numpy.nancumprod")
def nancumprod(a, axis=None):
    return np.cumprod(np.where(np.isnan(a), 1, a), axis=axis)


@of_complex("numpy.nanmean")
def nanmean(a, axis=None, keepdims=False):
    filled, is_there = there(a)
    count = np.sum(is_there, axis=axis, keepdims=keepdims).astype(filled.real.dtype)
    return np.sum(filled, axis=axis, keepdims=keepdims) / count


@of_complex("numpy.nanvar")
def nanvar(a, axis=None, ddof=0, keepdims=False, *, mean=None, correction=None):
    """NaN where no more than `ddof` numbers are there."""
    filled, is_there = there(a)
    middle = nanmean(a, axis, True) if mean is None else mean
    apart = np.where(is_there, filled - middle, 0)
    squares = apart.real * apart.real + apart.imag * apart.imag
    less = subtracted(ddof, correction)
    left = np.sum(is_there, axis=axis, keepdims=keepdims).astype(squares.dtype) - squares.dtype.type(less)
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    return np.where(left > 0, total / left, squares.dtype.type(np.nan))


@of_complex("numpy.nanstd")
def nanstd(a, axis=None, ddof=0, keepdims=False, *, mean=None, correction=None):
    return np.sqrt(nanvar(a, axis, ddof, keepdims, mean=mean, correction=correction))


@of_complex("numpy.interp")
def interp(x, xp, fp, left=None, right=None, period=None):
    """Part by part."""
    fp = np.asarray(fp)
    re = np.interp(x, xp, fp.real, real_or_none(left), real_or_none(right), period)
    return complex_of(re, np.interp(x, xp, fp.imag, imag_or_none(left), imag_or_none(right), period))


def real_or_none(z):
    return None if z is None else np.real(z)


def imag_or_none(z):
    return None if z is None else np.imag(z)


@of_complex("numpy.vdot")
def vdot(a, b):
    return np.dot(np.conjugate(np.ravel(a)), np.ravel(b))


@of_complex("numpy.vecdot", "numpy.linalg.vecdot")
def vecdot(x1, x2, axis=-1):
    return np.sum(np.conjugate(x1) * x2, axis=axis)


@of_complex("numpy.vecmat")
def vecmat(x1, x2):
    return np.matvec(np.swapaxes(x2, -1, -2), np.conjugate(x1))


@of_complex("numpy.correlate")
def correlate(a, v, mode="valid"):
    return products_of_shifts(np.asarray(a), np.conjugate(np.asarray(v)), mode)


@of_complex("numpy.linalg.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    """Of the sizes, but for norms of matrices by singular values."""
    if is_by_singular_values(x, ord, axis):
        return norm_by_singular_values(x, ord, axis, keepdims)
    if ord is None or ord == "fro" and is_of_matrices(x, axis):
        squares = x.real * x.real + x.imag * x.imag
        return np.sqrt(np.sum(squares, axis=axis, keepdims=keepdims))
    return np.linalg.norm(np.abs(x), ord=ord, axis=axis, keepdims=keepdims)
