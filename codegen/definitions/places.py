"""What arrays are like, and their elements by place: taken, left out, put between others."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.order import array_alone, vectors
from codegen.definitions.table import is_known, refused, stands_for


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


@stands_for("numpy.argwhere", generic=True)
def argwhere(a):
    places = np.stack(np.nonzero(np.atleast_1d(a)), 1)
    return places if np.ndim(a) else places[:, :0]


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
    first = choices[0]
    if isinstance(choices, tuple | list):
        for choice in choices[1:]:
            first = np.where(True, first, choice)  # in the dtype of all, by which a number of Python's goes
    made = np.broadcast_to(np.asarray(first), a.shape).copy()
    for k, choice in enumerate(choices):
        made = np.where(a == k, choice, made)
    return made


@stands_for("numpy.insert", generic=True)
def insert(arr, obj, values, axis=None):
    """Before one place, or before each of several ones."""
    arr, values = np.asarray(arr), np.asarray(values)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    if isinstance(obj, int | np.integer):
        return inserted(arr, obj, values, axis)
    if not isinstance(obj, slice) and is_one_place(np.asarray(obj)):
        more = arr.ndim - values.ndim
        rows = np.moveaxis(values.reshape((1,) * more + values.shape), axis, 0) if more >= 0 else values
        return inserted(arr, np.asarray(obj).reshape(-1)[0], rows, axis)
    return inserted_before(arr, places_along(obj, arr.shape[axis], axis), values, axis)


def is_one_place(places):
    return places.ndim == 1 and places.dtype.kind in "iu" and is_known(len(places)) and len(places) == 1


def places_along(obj, n, axis):
    """Places along an axis of n elements, of a slice, a mask, or ints from either end."""
    if isinstance(obj, slice):
        return np.arange(n)[obj]
    if isinstance(obj, tuple | list) and len(obj) == 0:
        return np.zeros(0, np.int64)
    places = np.asarray(obj)
    if places.ndim > 1:
        refused("places are a slice, or a vector of ints or bools")
    places = places.reshape(-1)
    if places.dtype.kind == "b":
        return np.flatnonzero(places)
    if places.dtype.kind == "f":
        refused("places are ints")
    for k in places:
        if k < -n or k >= n + 1:
            raise IndexError(f"index {k} is out of bounds for axis {axis} with size {n}")
    return np.where(places < 0, places + n, places)


def inserted_before(arr, places, values, axis):
    """As many new rows as places, which are counted before there are new ones."""
    rows, number = np.moveaxis(arr, axis, 0), len(places)
    own = axis if axis >= 0 else axis + arr.ndim
    shape = arr.shape[:own] + (number,) + arr.shape[own + 1 :]
    between = np.moveaxis(np.broadcast_to(values, shape), axis, 0).astype(arr.dtype)
    order = np.argsort(places)
    among = np.zeros(number, np.int64)
    among[order] = places[order] + np.arange(number)
    old = np.ones(len(rows) + number, np.bool_)
    old[among] = False
    made = np.empty((len(rows) + number,) + rows.shape[1:], arr.dtype)
    made[among] = between
    made[np.flatnonzero(old)] = rows
    return np.moveaxis(made, 0, axis)


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
    """All but what is at one place, or at several ones."""
    arr = np.asarray(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    if isinstance(obj, bool | np.bool_):
        refused("boolean array argument obj to delete must be one dimensional and match the axis length")
    if isinstance(obj, int | np.integer):
        return deleted(arr, obj, axis)
    rows = np.moveaxis(arr, axis, 0)
    kept = np.ones(len(rows), np.bool_)
    if not isinstance(obj, slice) and np.asarray(obj).dtype.kind == "b" and len(obj) != len(rows):
        raise ValueError(
            "boolean array argument obj to delete must be one dimensional and match the axis length"
        )
    kept[places_along(obj, len(rows), axis)] = False
    return np.moveaxis(rows[np.flatnonzero(kept)], 0, axis)


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
    """The array itself where its elements lie in order, else a copy, as of ravel."""
    a = np.atleast_1d(a)
    return np.ravel(a) if a.ndim == 1 else np.reshape(np.ravel(a), a.shape)


@stands_for("numpy.asfortranarray", generic=True)
def asfortranarray(a):
    """As of the transposed array."""
    a = np.atleast_1d(a)
    return np.ascontiguousarray(a.T).T


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
    n, m = sizes_of_matrix(arr)
    return np.tril_indices(n, k, m)


@stands_for("numpy.triu_indices_from", generic=True)
def triu_indices_from(arr, k=0):
    n, m = sizes_of_matrix(arr)
    return np.triu_indices(n, k, m)


def sizes_of_matrix(arr):
    if array_alone(arr).ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape


@stands_for("numpy.diag_indices_from", generic=True)
def diag_indices_from(arr):
    arr = array_alone(arr)
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
def put(a, ind, v, mode="raise"):
    """Writes values, again and again, at places of an array as one row, in turn."""
    places, values = np.asarray(ind).reshape(-1), np.asarray(v).reshape(-1)
    if mode == "wrap":
        places = places % a.size
    elif mode == "clip":
        places = np.minimum(np.maximum(places, 0), a.size - 1)
    if len(values) > 0:
        for k, place in enumerate(places):
            if place < -a.size or place >= a.size:
                raise IndexError(f"index {place} is out of bounds for axis 0 with size {a.size}")
            a[np.unravel_index(place % a.size, a.shape)] = values[k % len(values)]


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
    if in_turn and len(values) == 0 and np.any(mask):
        raise ValueError("Cannot insert from an empty array!")
    mask = mask.astype(bool) & (len(values) > 0)
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
    if axis is None and (arr.ndim != 1 or indices.ndim != 1):
        refused("put_along_axis of no axis takes vectors")
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


@stands_for("numpy.apply_along_axis", generic=True)
def apply_along_axis(func1d, axis, arr):
    """The function of each vector along an axis; what it gives has the axis' place."""
    arr = np.asarray(arr)
    if arr.ndim < 1:
        refused("apply_along_axis takes an array with an axis")
    rows = np.moveaxis(arr, axis, -1)
    if arr.ndim == 1:
        return np.array(func1d(rows))
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
    sizes = [int(n) for n in (new_shape if isinstance(new_shape, tuple | list) else (new_shape,))]
    for n in sizes:
        if n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    total = math.prod(sizes)
    if len(flat) == 0:
        return np.zeros(tuple(sizes), flat.dtype)
    return np.tile(flat, (total + len(flat) - 1) // len(flat))[:total].reshape(tuple(sizes))


@stands_for("numpy.mask_indices")
def mask_indices(n, mask_func, k=0):
    return np.nonzero(mask_func(np.ones((n, n), np.int64), k) != 0)


@stands_for("numpy.astype", generic=True)
def astype(x, dtype, copy=True):
    if np.ndim(x) == 0:
        raise TypeError(f"Input should be a NumPy array. It is a {type(x)} instead.")
    return x.astype(dtype, copy=copy)
