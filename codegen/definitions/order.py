"""Order: sorting, places in what is sorted, and what is read off them. NaN comes last, as in NumPy."""

# mypy: disable-error-code="no-untyped-def, call-overload"

import math

import numpy as np

from codegen.definitions.table import refused, stands_for
from codegen.runtime.order import ordered, places_in_order


@stands_for("numpy.argsort")
def argsort(a, axis=-1):
    """Equal elements stay in their order."""
    return vector_of_each(order_of, np.asarray(a), axis, np.int64)


@stands_for("numpy.sort")
def sort(a, axis=-1):
    a = np.asarray(a)
    return vector_of_each(sorted_vector, a, axis, a.dtype)


def vector_of_each(f, a, axis, dtype):
    """f of each vector along an axis, or of all elements: a vector as long."""
    if axis is None:
        return f(a.reshape(-1))
    if a.ndim < 1:
        refused("what is sorted has one axis or more")
    rows = np.moveaxis(a, axis, -1)
    if a.ndim == 1:
        return f(rows)
    flat = vectors(rows)
    made = np.empty(flat.shape, dtype)
    for i in range(len(flat)):
        made[i] = f(flat[i])
    return np.moveaxis(made.reshape(rows.shape), -1, axis)


def vectors(a):
    """What lies along the last axis, as the rows of a matrix."""
    return a.reshape(math.prod(a.shape[: a.ndim - 1]), a.shape[a.ndim - 1])


def sorted_vector(x):
    return ordered(comparable(x)).astype(x.dtype) if x.dtype != np.uint64 else x[order_of(x)]


def order_of(x):
    return places_in_order(comparable(x))


def comparable(x):
    """The same order in float64 or int64."""
    if x.dtype == np.uint64:
        return (x ^ np.uint64(2**63)).astype(np.int64)
    kind = np.float64 if x.dtype.kind == "f" else np.int64
    return x if x.dtype == kind else x.astype(kind)


def before(x, y):
    """Whether x stands before y."""
    return (x < y) | ((x == x) & (y != y))


@stands_for("numpy.searchsorted")
def searchsorted(a, v, side="left"):
    """The places by halving; right of equal ones for side="right"."""
    a, v = np.asarray(a), np.asarray(v)
    if a.ndim != 1:
        refused("searchsorted takes a vector to look in")
    if side not in ("left", "right"):
        refused("side must be 'left' or 'right'")
    if a.dtype != v.dtype and (a.dtype == np.uint64 or v.dtype == np.uint64):
        kind = np.concatenate((a[:0], v.reshape(-1)[:0])).dtype  # float64 beside ints that have a sign
        a, v = a.astype(kind), v.astype(kind)
    if v.ndim == 0:
        return place_in(a, v, side)
    flat = v.reshape(-1)
    places = np.empty(len(flat), np.int64)
    for k in range(len(flat)):
        places[k] = place_in(a, flat[k], side)
    return places.reshape(v.shape)


def place_in(a, x, side):
    """Halves of so many elements whatever they are: no processor has to foresee which one it will be."""
    place, left = 0, len(a)
    while left > 1:
        half = left // 2
        place = place + half if is_left_of(a[place + half - 1], x, side) else place
        left -= half
    return np.int64(place + 1 if left == 1 and is_left_of(a[place], x, side) else place)


def is_left_of(y, x, side):
    """Whether x goes to the right of y."""
    return before(y, x) if side == "left" else not before(x, y)


@stands_for("numpy.digitize")
def digitize(x, bins, right=False):
    bins = np.asarray(bins)
    if bins.ndim != 1:
        refused("digitize takes a vector of bins")
    ups, downs = np.all(bins[:-1] <= bins[1:]), np.all(bins[:-1] >= bins[1:])
    if not (ups or downs):
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    return np.searchsorted(bins, x, side) if ups else len(bins) - np.searchsorted(bins[::-1], x, side)


@stands_for("numpy.histogram")
def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts of equal bins, each without its right end but the last; or of bins between given edges."""
    a = np.asarray(a).reshape(-1)
    edges = bin_edges(a, bins, range)
    ones = 1 if weights is None else np.asarray(weights).reshape(-1)
    counts = weighed(bins_of(a, edges), len(edges) - 1, ones)
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def bin_edges(a, bins, range):
    edges = np.asarray(bins)
    if edges.ndim == 0:
        if range is not None:
            low, high = range[0], range[1]
        elif len(a):
            low, high = np.min(a), np.max(a)
        else:
            low, high = np.zeros(1, a.dtype)[0], np.ones(1, a.dtype)[0]
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        half = 0.5 if low == high else 0.0
        return np.linspace(low - half, high + half, bins + 1)
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def bins_of(a, edges):
    """In which bin each element lies; below 0 or too large where in none."""
    n = len(edges) - 1
    return np.where(a == edges[n], n - 1, np.searchsorted(edges, a, "right") - 1)


@stands_for("numpy.histogram2d")
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Of pairs; bins, and their ranges, may be given for both or for each."""
    x, y = np.asarray(x), np.asarray(y)
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    dtype = np.concatenate((x, y)).dtype
    x, y = x.astype(dtype), y.astype(dtype)
    each = bins if isinstance(bins, tuple | list) and len(bins) == 2 else (bins, bins)
    limits = (None, None) if range is None else range
    rows, columns = bin_edges(x, each[0], limits[0]), bin_edges(y, each[1], limits[1])
    n, m = len(rows) - 1, len(columns) - 1
    i, j = bins_of(x, rows), bins_of(y, columns)
    inside = (i >= 0) & (i < n) & (j >= 0) & (j < m)
    ones = 1.0 if weights is None else np.asarray(weights)
    counts = weighed(np.where(inside, i * m + j, -1), n * m, ones).reshape(n, m).astype(np.float64)
    if density:
        counts = counts / (np.diff(rows)[:, None] * np.diff(columns)) / np.sum(counts)
    return counts, rows, columns


def weighed(places, n, weights):
    """What the elements that lie in each of n bins weigh together."""
    weights = np.broadcast_to(weights, places.shape)
    counts = np.zeros(n, np.sum(weights[:1]).dtype)
    for k in range(len(places)):
        if places[k] >= 0 and places[k] < n:
            counts[places[k]] += weights[k]
    return counts


@stands_for("numpy.flatnonzero")
def flatnonzero(a):
    return np.where(np.asarray(a).reshape(-1))[0]


@stands_for("numpy.partition")
def partition(a, kth, axis=-1):
    """Sorted altogether, which is one of the orders that NumPy may give."""
    return np.sort(a, axis)


@stands_for("numpy.argpartition")
def argpartition(a, kth, axis=-1):
    """The places of the same order."""
    return np.argsort(a, axis)


@stands_for("numpy.lexsort")
def lexsort(keys, axis=-1):
    """The order by the last key, of equal ones by the one before it, and so on."""
    if axis != -1 or np.ndim(keys[0]) != 1:
        refused("lexsort takes vectors as keys")
    order = np.arange(len(keys[0]))
    for key in keys:
        order = order[np.argsort(np.asarray(key)[order])]
    return order


@stands_for("numpy.histogram_bin_edges")
def histogram_bin_edges(a, bins=10, range=None):
    return np.histogram(a, bins, range)[1]
