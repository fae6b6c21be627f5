"""Methods of NumPy's functions of two numbers that go from element to element: accumulate, reduce, at."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("numpy.add.accumulate", generic=True)
def add_accumulate(array, axis=0, dtype=None):
    return np.cumsum(with_axis(array), axis=axis, dtype=dtype)


@stands_for("numpy.multiply.accumulate", generic=True)
def multiply_accumulate(array, axis=0, dtype=None):
    return np.cumprod(with_axis(array), axis=axis, dtype=dtype)


@stands_for("numpy.maximum.accumulate")
def maximum_accumulate(array, axis=0, dtype=None):
    return running(np.maximum, in_dtype(with_axis(array), dtype), axis)


@stands_for("numpy.minimum.accumulate")
def minimum_accumulate(array, axis=0, dtype=None):
    return running(np.minimum, in_dtype(with_axis(array), dtype), axis)


@stands_for("numpy.fmax.accumulate")
def fmax_accumulate(array, axis=0, dtype=None):
    return running(np.fmax, in_dtype(with_axis(array), dtype), axis)


@stands_for("numpy.fmin.accumulate")
def fmin_accumulate(array, axis=0, dtype=None):
    return running(np.fmin, in_dtype(with_axis(array), dtype), axis)


def with_axis(array):
    array = np.asarray(array)
    if array.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    return array


def in_dtype(array, dtype):
    return array if dtype is None else array.astype(dtype)


@stands_for("numpy.logaddexp.accumulate")
def logaddexp_accumulate(array, axis=0):
    array = np.asarray(array)
    return running(np.logaddexp, array.astype(np.logaddexp(array, array).dtype), axis)


def running(function, array, axis):
    """Of each element and all before it along an axis."""
    out = np.moveaxis(array, axis, 0).copy()
    for k in range(1, len(out)):
        out[k] = function(out[k - 1], out[k])
    return np.moveaxis(out, 0, axis)


@stands_for("numpy.logaddexp.reduce")
def logaddexp_reduce(array, axis=0):
    """From the first to the last, as NumPy goes: logsumexp rounds otherwise."""
    rows = np.moveaxis(np.asarray(array), axis, 0)
    total = np.full(rows.shape[1:], -np.inf, np.logaddexp(rows[:1], rows[:1]).dtype)
    for k in range(len(rows)):
        total = np.logaddexp(total, rows[k])
    return total


@stands_for("numpy.bitwise_and.reduce")
def bitwise_and_reduce(array, axis=0, keepdims=False):
    return folded(np.bitwise_and, array, axis, keepdims, True)


@stands_for("numpy.bitwise_or.reduce")
def bitwise_or_reduce(array, axis=0, keepdims=False):
    return folded(np.bitwise_or, array, axis, keepdims, False)


@stands_for("numpy.bitwise_xor.reduce")
def bitwise_xor_reduce(array, axis=0, keepdims=False):
    return folded(np.bitwise_xor, array, axis, keepdims, False)


def folded(function, array, axis, keepdims, bits):
    """The function of all along an axis, or of all elements (None); of none every bit is as said."""
    array = np.asarray(array)
    if array.dtype.kind == "f":
        refused("bits are those of ints and bools")
    flat = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    none = np.zeros(flat.shape[1:], array.dtype)
    total = ~none if bits else none
    for k in range(len(flat)):
        total = function(total, flat[k])
    if not keepdims:
        return total[()]
    return total.reshape((1,) * array.ndim) if axis is None else np.expand_dims(total, axis)


@stands_for("numpy.multiply.at", generic=True)
def multiply_at(a, indices, b):
    at_places(np.multiply, a, indices, np.asarray(b))


@stands_for("numpy.maximum.at")
def maximum_at(a, indices, b):
    at_places(np.maximum, a, indices, np.asarray(b))


@stands_for("numpy.minimum.at")
def minimum_at(a, indices, b):
    at_places(np.minimum, a, indices, np.asarray(b))


@stands_for("numpy.subtract.at", generic=True)
def subtract_at(a, indices, b):
    at_places(np.subtract, a, indices, np.asarray(b))


@stands_for("numpy.logaddexp.at")
def logaddexp_at(a, indices, b):
    at_places(np.logaddexp, a, indices, np.asarray(b))


def at_places(function, a, indices, b):
    """Each place with its operand, of which every repeat counts."""
    if isinstance(indices, tuple) or np.asarray(indices).dtype.kind not in "iu":
        refused("places are an int, or an array of ints along the first axis")
    if function(a[:1], b).dtype != a.dtype:
        refused("what is put at places must have the array's dtype: cast it first")
    places = np.asarray(indices)
    operands = np.broadcast_to(b, places.shape + a.shape[1:]).reshape((places.size,) + a.shape[1:])
    places = places.reshape(-1)
    for k in range(len(places)):
        a[places[k]] = function(a[places[k]], operands[k])
