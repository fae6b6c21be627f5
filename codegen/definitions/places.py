"""What arrays are like, and their elements by place: taken, left out, put between others."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.order import vectors
from codegen.definitions.table import refused, stands_for


@stands_for("numpy.shape", generic=True)
def shape(a):
    return np.asarray(a).shape


@stands_for("numpy.ndim", generic=True)
def ndim(a):
    return np.asarray(a).ndim


@stands_for("numpy.size", generic=True)
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
    return np.where(a)


def axes_of(flat, dims):
    """Places in C order as places along each axis."""
    return tuple([flat // math.prod(dims[k + 1 :]) % dims[k] for k in range(len(dims))])


@stands_for("numpy.argwhere", generic=True)
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


@stands_for("numpy.compress", generic=True)
def compress(condition, a, axis=None):
    return np.take(np.asarray(a), np.flatnonzero(condition), axis=axis)


@stands_for("numpy.extract", generic=True)
def extract(condition, arr):
    return np.asarray(arr).reshape(-1)[np.flatnonzero(condition)]


@stands_for("numpy.choose", generic=True)
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


@stands_for("numpy.insert", generic=True)
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


@stands_for("numpy.delete", generic=True)
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


@stands_for("numpy.linalg.matrix_transpose", generic=True)
@stands_for("numpy.matrix_transpose", generic=True)
def matrix_transpose(x):
    return np.swapaxes(x, -1, -2)


@stands_for("numpy.copy", generic=True)
def copy(a):
    return np.asarray(a).copy()


@stands_for("numpy.ascontiguousarray", generic=True)
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


@stands_for("numpy.tril_indices_from", generic=True)
def tril_indices_from(arr, k=0):
    arr = matrix_of_places(arr)
    return np.tril_indices(arr.shape[0], k, arr.shape[1])


@stands_for("numpy.triu_indices_from", generic=True)
def triu_indices_from(arr, k=0):
    arr = matrix_of_places(arr)
    return np.triu_indices(arr.shape[0], k, arr.shape[1])


def matrix_of_places(arr):
    arr = np.asarray(arr)
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr


@stands_for("numpy.diag_indices_from", generic=True)
def diag_indices_from(arr):
    arr = np.asarray(arr)
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    for n in arr.shape:
        if n != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return np.diag_indices(arr.shape[0], arr.ndim)


@stands_for("numpy.fill_diagonal", generic=True)
def fill_diagonal(a, val):
    """Writes a number, or the elements of a vector again and again, into the diagonal of a matrix."""
    if a.ndim != 2:
        refused("fill_diagonal takes a matrix")
    values = np.asarray(val).reshape(-1)
    for k in range(min(a.shape[0], a.shape[1])):
        a[k, k] = values[k % len(values)]


@stands_for("numpy.copyto")
def copyto(dst, src, casting="same_kind", where=True):
    """Write `src` into `dst`, where `where` holds."""
    if casting != "same_kind":
        refused("copyto casts to the same kind")
    if isinstance(where, bool) and where:
        dst[...] = src
    else:
        dst[...] = np.where(where, src, dst)


@stands_for("numpy.put", generic=True)
def put(a, ind, v):
    """Writes values, again and again, at places of a vector, in turn."""
    if a.ndim != 1:
        refused("put takes a vector to write into")
    places, values = np.asarray(ind).reshape(-1), np.asarray(v).reshape(-1)
    for k in range(len(places)):
        a[places[k]] = values[k % len(values)]


@stands_for("numpy.putmask", generic=True)
def putmask(a, mask, values):
    """Writes of values, again and again, those whose place has a mask that is true."""
    write_where(a, np.asarray(mask), np.asarray(values).reshape(-1), False)


@stands_for("numpy.place", generic=True)
def place(arr, mask, vals):
    """Writes values in turn, again and again, where the mask is true."""
    write_where(arr, np.asarray(mask), np.asarray(vals).reshape(-1), True)


def write_where(a, mask, values, in_turn):
    if a.shape != mask.shape:
        raise ValueError(f"{'place' if in_turn else 'putmask'}: mask and data must be the same size")
    number = 0
    if a.ndim == 1:
        for k in range(len(a)):
            if mask[k]:
                a[k] = values[(number if in_turn else k) % len(values)]
                number += 1
    elif a.ndim == 2:
        for i in range(len(a)):
            for j in range(a.shape[1]):
                if mask[i, j]:
                    a[i, j] = values[(number if in_turn else i * a.shape[1] + j) % len(values)]
                    number += 1
    else:
        refused("values are put into vectors and matrices")


@stands_for("numpy.put_along_axis", generic=True)
def put_along_axis(arr, indices, values, axis):
    """Writes at places along one axis, which are others for each of the rest."""
    indices = np.asarray(indices)
    if arr.ndim > 2 or arr.ndim < 1:
        refused("put_along_axis writes into vectors and matrices")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    values = np.broadcast_to(values, indices.shape)
    if arr.ndim == 1:
        for k in range(len(indices)):
            arr[indices[k]] = values[k]
        return
    m, n = indices.shape
    if axis == 0 or axis == -2:
        for i in range(m):
            for j in range(arr.shape[1]):
                column = j if n > 1 else 0
                arr[indices[i, column], j] = values[i, column]
    else:
        for i in range(len(arr)):
            row = i if m > 1 else 0
            for j in range(n):
                arr[i, indices[row, j]] = values[row, j]


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


@stands_for("numpy.apply_along_axis", generic=True)
def apply_along_axis(func1d, axis, arr):
    """The function of each vector along an axis; what it gives has the axis' place."""
    arr = np.asarray(arr)
    if arr.ndim < 1:
        refused("apply_along_axis takes an array with an axis")
    rows = np.moveaxis(arr, axis, -1)
    if arr.ndim == 1:
        return np.asarray(func1d(rows))
    flat = vectors(rows)
    if len(flat) == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    first = np.asarray(func1d(flat[0]))
    made = np.empty((len(flat),) + first.shape, first.dtype)
    made[0] = first
    for k in range(1, len(flat)):
        made[k] = func1d(flat[k])
    lead = rows.shape[: arr.ndim - 1]
    if first.ndim == 0:
        return made.reshape(lead)
    if first.ndim > 1:
        refused("apply_along_axis: the function gives numbers or vectors")
    return np.moveaxis(made.reshape(lead + first.shape), -1, axis)


@stands_for("numpy.resize", generic=True)
def resize(a, new_shape):
    """The elements in turn, again and again."""
    flat = np.asarray(a).reshape(-1)
    sizes = new_shape if isinstance(new_shape, tuple | list) else (new_shape,)
    for n in sizes:
        if n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    total = math.prod(sizes)
    if len(flat) == 0:
        return np.zeros(tuple(sizes), flat.dtype)
    return np.tile(flat, (total + len(flat) - 1) // len(flat))[:total].reshape(tuple(sizes))
