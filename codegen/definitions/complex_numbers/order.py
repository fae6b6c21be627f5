"""Complex arrays in order: by their real parts, of equal ones by their imaginary parts, NaN last, as NumPy has it."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

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


def first_of_extremes(a, extreme, axis, keepdims):
    """Of those with the extreme real part the one with the extreme imaginary part; the first NaN before all others."""
    lost = np.isnan(a)
    real = np.where(lost, np.nan, a.real)
    among = real == extreme(real, axis=axis, keepdims=True)
    far = -np.inf if extreme is np.max else np.inf
    imag = np.where(among, a.imag, far)
    best = among & (imag == extreme(imag, axis=axis, keepdims=True)) | lost
    return np.argmax(best, axis=axis, keepdims=keepdims)
