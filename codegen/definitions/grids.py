"""Arrays of powers, of ones and of windows, elements at places of their own, places as ints, numbers without end."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.order import vectors
from codegen.definitions.table import refused, stands_for


@stands_for("numpy.tri")
def tri(N, M=None, k=0, dtype=float):
    rows, columns = np.arange(N), np.arange(N if M is None else M)
    return (columns[None, :] - rows[:, None] <= k).astype(dtype)


@stands_for("numpy.vander", generic=True)
def vander(x, N=None, increasing=False):
    """Powers of each element, a column a power."""
    x = np.asarray(x)
    if x.ndim != 1:
        refused("vander takes a vector")
    n = len(x) if N is None else N
    powers = np.ones((len(x), n), (x[:1] + np.arange(1)).dtype)
    for k in range(1, n):
        powers[:, k] = powers[:, k - 1] * x
    return powers if increasing else powers[:, ::-1]


@stands_for("numpy.take_along_axis", generic=True)
def take_along_axis(arr, indices, axis=-1):
    """Elements along one axis, at places of their own for each of the others."""
    arr, indices = np.asarray(arr), np.asarray(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return arr.reshape(-1)[indices]
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    rows, places = np.moveaxis(arr, axis, -1), np.moveaxis(indices, axis, -1)
    lead = (np.zeros(rows.shape[: arr.ndim - 1]) + np.zeros(places.shape[: arr.ndim - 1])).shape
    rows = np.broadcast_to(rows, lead + rows.shape[arr.ndim - 1 :])
    places = np.broadcast_to(places, lead + places.shape[arr.ndim - 1 :])
    flat, wanted = vectors(rows), vectors(places)
    made = np.empty(wanted.shape, arr.dtype)
    for i in range(len(wanted)):
        for j in range(wanted.shape[1]):
            made[i, j] = flat[i, wanted[i, j]]
    return np.moveaxis(made.reshape(places.shape), -1, axis)


@stands_for("numpy.array_equal", generic=True)
def array_equal(a1, a2, equal_nan=False):
    a, b = np.asarray(a1), np.asarray(a2)
    if a.ndim != b.ndim:
        return False
    if a.shape != b.shape:
        return False
    same = a == b
    if equal_nan:
        same = same | ((a != a) & (b != b))
    return bool(np.all(same))


@stands_for("numpy.allclose", generic=True)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Python's bool, where np.all gives NumPy's."""
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


@stands_for("numpy.geomspace")
def geomspace(start, stop, num=50, endpoint=True):
    """By the logarithms of numbers of one sign; the ends are as given."""
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    start, stop = np.float64(start), np.float64(stop)
    side = -1.0 if start < 0 else 1.0
    low, high = np.log10(side * start), np.log10(side * stop)
    made = start * 10.0 ** (np.linspace(low, high, num, endpoint) - low)
    if num > 0:
        made[0] = start
    if num > 1 and endpoint:
        made[num - 1] = stop
    return made


@stands_for("numpy.logspace")
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    if np.ndim(base) > 0:
        refused("logspace takes one base")
    return base ** np.linspace(start, stop, num, endpoint)


@stands_for("numpy.bartlett")
def bartlett(M):
    n = along_window(M)
    return np.where(n <= 0.0, 1.0 + n / window_width(M), 1.0 - n / window_width(M))


@stands_for("numpy.hanning")
def hanning(M):
    return 0.5 + 0.5 * np.cos(np.pi * along_window(M) / window_width(M))


@stands_for("numpy.hamming")
def hamming(M):
    return 0.54 + 0.46 * np.cos(np.pi * along_window(M) / window_width(M))


@stands_for("numpy.blackman")
def blackman(M):
    if M == 1:
        return np.ones(1)
    turns = np.pi * along_window(M) / window_width(M)
    return 0.42 + 0.5 * np.cos(turns) + 0.08 * np.cos(2.0 * turns)


@stands_for("numpy.kaiser")
def kaiser(M, beta):
    if M == 1:
        return np.ones(1)
    half = 0.5 * window_width(M)
    away = (np.arange(0, M) - half) / half
    return np.i0(beta * np.sqrt(1.0 - away * away)) / np.i0(float(beta))


def along_window(M):
    """Twice how far each of M places is from the middle."""
    return np.arange(1.0 - M, M, 2.0)


def window_width(M):
    return max(M - 1.0, 1.0)


@stands_for("numpy.array_equiv", generic=True)
def array_equiv(a1, a2):
    a, b = np.asarray(a1), np.asarray(a2)
    for k in range(1, min(a.ndim, b.ndim) + 1):
        n, m = a.shape[a.ndim - k], b.shape[b.ndim - k]
        if n != m and n != 1 and m != 1:
            return False
    return bool(np.all(a == b))


@stands_for("numpy.piecewise")
def piecewise(x, condlist, funclist):
    """Of each x what stands at the last condition that holds: a number, or a function of all x; one more for
    the rest."""
    x = np.asarray(x)
    made = np.zeros_like(x)
    if np.ndim(condlist[0]) == 0 and x.ndim > 0:
        condlist = [condlist]  # one condition, as it stands
    if len(funclist) == len(condlist) + 1:
        rest = funclist[len(condlist)]
        made = made + (value_of(rest, x))
    elif len(funclist) != len(condlist):
        raise ValueError(
            f"with {len(condlist)} condition(s), either {len(condlist)} or {len(condlist) + 1} functions are expected"
        )
    for condition, value in zip(condlist, funclist):
        made = np.where(condition, value_of(value, x), made)
    return made.astype(x.dtype)


def value_of(value, x):
    return value if isinstance(value, bool | int | float | np.number | np.ndarray) else value(x)


@stands_for("numpy.fromfunction")
def fromfunction(function, shape, *, dtype=float, like=None):
    """The function of the arrays of indices, once."""
    if like is not None:
        refused("fromfunction takes no `like`")
    return function(*np.indices(shape, dtype))


@stands_for("numpy.lib.stride_tricks.sliding_window_view", views=True)
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """The windows along axes, which are what the new last axes are in; a copy that no write may come before."""
    x = np.asarray(x)
    if subok or writeable:
        refused("sliding_window_view gives a copy, which is not written through")
    sizes = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    for size in sizes:
        if size < 0:
            raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(sizes) != x.ndim:
            raise ValueError(
                "Since axis is `None`, must provide window_shape for all dimensions of `x`; got "
                f"{len(sizes)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
        if len(sizes) != len(axes):
            raise ValueError(
                "Must provide matching length window_shape and axis; got "
                f"{len(sizes)} window_shape elements and {len(axes)} axes elements."
            )
    found = x
    for size, along in zip(sizes, axes):
        found = windows_along(found, size, along if along >= 0 else along + x.ndim)
    return found


def windows_along(x, size, axis):
    """The windows along an axis, which is what the new last axis is in."""
    rows = np.moveaxis(x, axis, 0)
    count = len(rows) - size + 1
    if count <= 0:
        raise ValueError("window shape cannot be larger than input array shape")
    windows = rows[np.arange(count)[:, None] + np.arange(size)[None, :]]
    return np.moveaxis(np.moveaxis(windows, 1, -1), 0, axis)


def axes_of(flat, dims):
    """Places in C order as places along each axis."""
    return tuple([flat // math.prod(dims[k + 1 :]) % dims[k] for k in range(len(dims))])


@stands_for("numpy.unravel_index")
def unravel_index(indices, shape, order="C"):
    indices, dims = np.asarray(indices), shape if isinstance(shape, tuple | list) else (shape,)
    if indices.dtype.kind == "f":
        refused("unravel_index takes ints")
    if len(dims) == 0 and indices.ndim > 0:
        refused("multiple indices are not supported for 0d arrays")
    for index in indices.reshape(-1):
        if index < 0 or index >= math.prod(dims):
            raise ValueError(f"index {index} is out of bounds for array with size {math.prod(dims)}")
    if order == "F":
        return tuple(reversed(axes_of(indices.astype(np.int64), tuple(reversed(dims)))))
    return axes_of(indices.astype(np.int64), tuple(dims))


@stands_for("numpy.ravel_multi_index")
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    sizes = tuple(dims) if isinstance(dims, tuple | list) else (dims,)
    if len(multi_index) != len(sizes):
        raise ValueError("ravel_multi_index: as many places are needed as there are sizes")
    places = tuple([multi_index[k] for k in range(len(sizes))])
    modes = tuple(mode) if isinstance(mode, tuple | list) else (mode,) * len(sizes)
    if order == "F":
        places, sizes, modes = tuple(reversed(places)), tuple(reversed(sizes)), tuple(reversed(modes))
    flat = np.zeros(1, np.int64)[0]
    for along, n, beyond in zip(np.broadcast_arrays(*places), sizes, modes):
        flat = flat * n + place_within(along, n, beyond)
    return flat


def place_within(along, n, mode):
    """Places along an axis of n elements, what is beyond refused, moved to the end, or counted on from the start."""
    if along.dtype.kind == "f":
        refused("ravel_multi_index takes ints")
    along = along.astype(np.int64)
    if n == 0 and along.size > 0:
        raise ValueError("cannot unravel if shape has zero entries (is empty).")
    if mode == "wrap":
        return along % n
    if mode == "clip":
        return np.minimum(np.maximum(along, 0), n - 1)
    if np.any((along < 0) | (along >= n)):
        raise ValueError("invalid entry in coordinates array")
    return along


def counting(start, step):
    """itertools.count(start, step)."""
    later = start
    while True:
        k = later
        later = k + step
        yield k
