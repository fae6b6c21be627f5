"""What arrays are like, and their elements by place: taken, left out, put between others."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("numpy.shape")
def shape(a):
    return np.asarray(a).shape


@stands_for("numpy.ndim")
def ndim(a):
    return np.asarray(a).ndim


@stands_for("numpy.size")
def size(a, axis=None):
    a = np.asarray(a)
    return a.size if axis is None else a.shape[axis]


@stands_for("numpy.nonzero")
def nonzero(a):
    """The places of what is not 0, an array for each axis."""
    a = np.asarray(a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
        )
    return axes_of(np.flatnonzero(a), a.shape)


def axes_of(flat, dims):
    """Places in C order as places along each axis."""
    return tuple([flat // math.prod(dims[k + 1 :]) % dims[k] for k in range(len(dims))])


@stands_for("numpy.argwhere")
def argwhere(a):
    return np.stack(np.nonzero(np.atleast_1d(a)), 1)


@stands_for("numpy.unravel_index")
def unravel_index(indices, shape):
    indices, dims = np.asarray(indices), shape if isinstance(shape, tuple | list) else (shape,)
    if indices.dtype.kind == "f":
        refused("unravel_index takes ints")
    for index in indices.reshape(-1):
        if index < 0 or index >= math.prod(dims):
            raise ValueError(f"index {index} is out of bounds for array with size {math.prod(dims)}")
    return axes_of(indices.astype(np.int64), tuple(dims))


@stands_for("numpy.ravel_multi_index")
def ravel_multi_index(multi_index, dims):
    sizes = dims if isinstance(dims, tuple | list) else (dims,)
    if len(multi_index) != len(sizes):
        raise ValueError("ravel_multi_index: as many places are needed as there are sizes")
    flat = np.zeros(1, np.int64)[0]
    for along, n in zip(multi_index, sizes):
        along = np.asarray(along)
        if along.dtype.kind == "f":
            refused("ravel_multi_index takes ints")
        if np.any((along < 0) | (along >= n)):
            raise ValueError("invalid entry in coordinates array")
        flat = flat * n + along.astype(np.int64)
    return flat


@stands_for("numpy.compress")
def compress(condition, a, axis=None):
    return np.take(np.asarray(a), np.flatnonzero(condition), axis=axis)


@stands_for("numpy.extract")
def extract(condition, arr):
    return np.asarray(arr).reshape(-1)[np.flatnonzero(condition)]


@stands_for("numpy.choose")
def choose(a, choices):
    """Each element of the array that its int says."""
    a = np.asarray(a)
    if a.dtype.kind == "f":
        refused("choose takes ints")
    if np.any((a < 0) | (a >= len(choices))):
        raise ValueError("invalid entry in choice array")
    made = np.broadcast_to(np.asarray(choices[0]), a.shape).copy()
    for k, choice in enumerate(choices):
        made = np.where(a == k, choice, made)
    return made


@stands_for("numpy.insert")
def insert(arr, obj, values, axis=None):
    """Before one place."""
    arr = np.asarray(arr)
    if not isinstance(obj, int | np.integer):
        refused("insert takes one place: an int")
    if axis is None:
        return inserted(arr.reshape(-1), obj, np.asarray(values), 0)
    return inserted(arr, obj, np.asarray(values), axis)


def inserted(arr, place, values, axis):
    rows, n = np.moveaxis(arr, axis, 0), arr.shape[axis]
    if place < -n or place > n:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {n}")
    k = place + n if place < 0 else place
    between = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
    between = np.broadcast_to(between, between.shape[:1] + rows.shape[1:]).astype(arr.dtype)
    return np.moveaxis(np.concatenate((rows[:k], between, rows[k:])), 0, axis)


@stands_for("numpy.delete")
def delete(arr, obj, axis=None):
    """All but what is at one place."""
    arr = np.asarray(arr)
    if not isinstance(obj, int | np.integer):
        refused("delete takes one place: an int")
    if axis is None:
        return deleted(arr.reshape(-1), obj, 0)
    return deleted(arr, obj, axis)


def deleted(arr, place, axis):
    rows, n = np.moveaxis(arr, axis, 0), arr.shape[axis]
    if place < -n or place >= n:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {n}")
    k = place + n if place < 0 else place
    return np.moveaxis(np.concatenate((rows[:k], rows[k + 1 :])), 0, axis)


@stands_for("numpy.polyval")
def polyval(p, x):
    """By Horner's rule, the highest power first."""
    p, x = np.asarray(p), np.asarray(x)
    made = np.zeros(x.shape, (np.zeros(1, p.dtype) * np.zeros(1, x.dtype)).dtype)
    for k in range(len(p)):
        made = made * x + p[k]
    return made


@stands_for("numpy.matrix_transpose")
def matrix_transpose(x):
    return np.swapaxes(x, -1, -2)


@stands_for("numpy.copy")
def copy(a):
    return np.asarray(a).copy()


@stands_for("numpy.ascontiguousarray")
def ascontiguousarray(a):
    return np.atleast_1d(a)


@stands_for("numpy.tril_indices")
def tril_indices(n, k=0, m=None):
    return np.nonzero(np.tri(n, m, k=k))


@stands_for("numpy.triu_indices")
def triu_indices(n, k=0, m=None):
    return np.nonzero(1.0 - np.tri(n, m, k=k - 1))


@stands_for("numpy.diag_indices")
def diag_indices(n, ndim=2):
    return tuple([np.arange(n) for _ in range(ndim)])
