"""Sizes, spreads and inner products of complex arrays."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.decompositions import is_by_singular_values, norm_by_singular_values
from codegen.definitions.sequences import products_of_shifts
from codegen.definitions.table import of_complex


@of_complex("numpy.var")
def var(a, axis=None, ddof=0, keepdims=False):
    a = np.asarray(a)
    apart = a - np.mean(a, axis=axis, keepdims=True)
    squares = apart.real * apart.real + apart.imag * apart.imag
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    count = np.size(a) if axis is None else a.shape[axis]
    return total / max(count - ddof, 0)


@of_complex("numpy.std")
def std(a, axis=None, ddof=0, keepdims=False):
    return np.sqrt(var(a, axis, ddof, keepdims))


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
    if ord is None or ord == "fro":
        squares = x.real * x.real + x.imag * x.imag
        return np.sqrt(np.sum(squares, axis=axis, keepdims=keepdims))
    return np.linalg.norm(np.abs(x), ord=ord, axis=axis, keepdims=keepdims)
