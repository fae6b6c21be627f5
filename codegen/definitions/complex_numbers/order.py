"""Complex arrays in order: by their real parts, of equal ones by their imaginary parts, NaN last, as NumPy has it."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.order import require_ranks
from codegen.definitions.table import of_complex


@of_complex("numpy.argsort")
def argsort(a, axis=-1):
    """Equal elements stay in their order."""
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    order = np.argsort(a.imag, axis)
    for key in (a.real, 2 * np.isnan(a.real) + 1 * np.isnan(a.imag)):
        order = np.take_along_axis(order, np.argsort(np.take_along_axis(key, order, axis), axis), axis)
    return order


@of_complex("numpy.sort")
def sort(a, axis=-1):
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    return np.take_along_axis(a, np.argsort(a, axis), axis)


@of_complex("numpy.argmax")
def argmax(a, axis=None, keepdims=False):
    return first_of_extremes(a, np.max, axis, keepdims)


@of_complex("numpy.argmin")
def argmin(a, axis=None, keepdims=False):
    return first_of_extremes(a, np.min, axis, keepdims)


@of_complex("numpy.max", "numpy.amax")
def largest(a, axis=None, keepdims=False):
    return of_extremes(a, np.max, axis, keepdims)


@of_complex("numpy.min", "numpy.amin")
def smallest(a, axis=None, keepdims=False):
    return of_extremes(a, np.min, axis, keepdims)


def of_extremes(a, extreme, axis, keepdims):
    """The element at the place that argmax finds; of several axes, these as one."""
    a = np.asarray(a)
    if a.ndim == 0:
        return a[()]
    gone = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = tuple(sorted([k % a.ndim for k in gone]))
    kept = tuple([k for k in range(a.ndim) if k not in gone])
    rows = np.transpose(a, kept + gone).reshape(tuple([a.shape[k] for k in kept]) + (-1,))
    places = first_of_extremes(rows, extreme, -1, True)
    shape = [a.shape[k] if k in kept else 1 for k in range(a.ndim) if keepdims or k in kept]
    return np.take_along_axis(rows, places, -1).reshape(tuple(shape))[()]


@of_complex("numpy.maximum")
def maximum(x1, x2):
    """The larger one, and the first NaN."""
    x, y = np.asarray(x1), np.asarray(x2)
    return np.where(np.isnan(x) | is_before(y, x) | (y == x), x, y)[()]


@of_complex("numpy.minimum")
def minimum(x1, x2):
    x, y = np.asarray(x1), np.asarray(x2)
    return np.where(np.isnan(x) | is_before(x, y) | (x == y), x, y)[()]


def is_before(x, y):
    whole = ~(np.isnan(x.imag) | np.isnan(y.imag))
    return (x.real < y.real) & whole | (x.real == y.real) & (x.imag < y.imag)


@of_complex("numpy.partition")
def partition(a, kth, axis=-1):
    """All in order."""
    a = np.atleast_1d(a)
    require_ranks(a, kth, axis)
    return np.sort(a, axis)


@of_complex("numpy.argpartition")
def argpartition(a, kth, axis=-1):
    a = np.atleast_1d(a)
    require_ranks(a, kth, axis)
    return np.argsort(a, axis)


def first_of_extremes(a, extreme, axis, keepdims):
    """Of those with the extreme real part the one with the extreme imaginary part; the first NaN before all others."""
    lost = np.isnan(a)
    real = np.where(lost, np.nan, a.real)
    among = real == extreme(real, axis=axis, keepdims=True)
    far = -np.inf if extreme is np.max else np.inf
    imag = np.where(among, a.imag, far)
    best = among & (imag == extreme(imag, axis=axis, keepdims=True)) | lost
    return np.argmax(best, axis=axis, keepdims=keepdims)
