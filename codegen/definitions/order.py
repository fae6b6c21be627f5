"""Order: sorting, places in what is sorted, and what is read off them. NaN comes last, as in NumPy."""

# mypy: disable-error-code="no-untyped-def, call-overload"

import math

import numpy as np

from codegen.definitions.table import refused, stands_for
from codegen.runtime.ordering.order import (
    in_parts,
    ordered,
    ordered_rows,
    places_among,
    places_in_order,
    places_in_parts,
    places_in_rows,
)


@stands_for("numpy.argsort")
def argsort(a, axis=-1):
    """Equal elements stay in their order."""
    a = np.asarray(a)
    if axis is None:
        return places_in_order(comparable(a.reshape(-1)))
    rows = along_last(a, axis)
    if a.ndim == 1:
        return places_in_order(comparable(rows))
    return np.moveaxis(places_in_rows(comparable(vectors(rows))).reshape(rows.shape), -1, axis)


@stands_for("numpy.sort")
def sort(a, axis=-1):
    a = np.asarray(a)
    if axis is None:
        return restored(ordered(comparable(a.reshape(-1))), a)
    rows = along_last(a, axis)
    if a.ndim == 1:
        return restored(ordered(comparable(rows)), a)
    made = restored(ordered_rows(comparable(vectors(rows))), a)
    return np.moveaxis(made.reshape(rows.shape), -1, axis)


def array_alone(a):
    """What NumPy takes as an array alone."""
    if isinstance(a, (tuple, list)):
        refused("an array is needed, not a list: np.array(...)")
    return np.asarray(a)


def along_last(a, axis):
    if a.ndim < 1:
        refused("what is sorted has one axis or more")
    return np.moveaxis(a, axis, -1)


def vectors(a):
    """What lies along the last axis, as the rows of a matrix."""
    return a.reshape(math.prod(a.shape[: a.ndim - 1]), a.shape[a.ndim - 1])


def comparable(x):
    """The same order in floats, or ints with a sign, of 4 or 8 bytes."""
    if x.dtype == np.uint64:
        return (x ^ np.uint64(2**63)).astype(np.int64)
    if x.dtype.kind == "f" or x.dtype == np.int64 or x.dtype == np.int32:
        return x
    return x.astype(np.int64)


def restored(x, a):
    """What is comparable, in an array's dtype again."""
    return x.astype(np.uint64) ^ np.uint64(2**63) if a.dtype == np.uint64 else x.astype(a.dtype)


def before(x, y):
    """Whether x stands before y."""
    return (x < y) | ((x == x) & (y != y))


@stands_for("numpy.searchsorted")
def searchsorted(a, v, side="left", sorter=None):
    """The places by halving; right of equal ones for side="right"."""
    a, v = np.asarray(a), np.asarray(v)
    if sorter is not None:
        if np.ndim(sorter) != 1 or len(sorter) != len(a):
            raise ValueError("sorter.size must equal key.size")
        order = np.asarray(sorter)
        if np.any((order < 0) | (order >= len(a))):
            raise ValueError("Sorter index out of range.")
        a = a[order]
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
    if a.dtype.kind == "f" or v.dtype.kind == "f":
        a, flat = a.astype(np.float64), flat.astype(np.float64)
    return places_among(comparable(a), comparable(flat), 1 if side == "right" else 0).reshape(v.shape)


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
    ups = goes_up(bins)
    if np.any(np.where(ups, bins[:-1] > bins[1:], bins[:-1] < bins[1:])):
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    return np.searchsorted(bins, x, side) if ups else len(bins) - np.searchsorted(bins[::-1], x, side)


def goes_up(bins):
    """Whether the first edge that is not the one at the start is more; NaN is neither more nor less."""
    for k in range(1, len(bins)):
        if bins[k] != bins[0]:
            return bins[0] < bins[k]
    return True


@stands_for("numpy.histogram")
def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts of equal bins, each without its right end but the last; or of bins between given edges."""
    a = np.asarray(a).reshape(-1)
    if isinstance(bins, str):
        if weights is not None:
            refused("Automated estimation of the number of bins is not supported for weighted data")
        bins = number_of_bins(a, bins, range)
    edges = edges_for(a, bins, range)
    ones = 1 if weights is None else np.asarray(weights).reshape(-1)
    places = bins_of(a, edges) if np.ndim(bins) else equal_bins_of(a, edges)
    counts = weighed(places, len(edges) - 1, ones)
    counts = counts if weights is None else counts.astype(np.asarray(weights).dtype)
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def edges_for(a, bins, range):
    """Between equal bins in the dtype that elements and the ends of the range have together."""
    edges = bin_edges(a, bins, range)
    if np.ndim(bins):
        return edges
    if range is not None:
        edges = edges.astype((a[:1] * range[0] * range[1] + 0.0).dtype)
    if np.any(edges[:-1] >= edges[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def bin_edges(a, bins, range):
    edges = np.asarray(bins)
    if edges.ndim == 0:
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        if range is not None:
            low, high = range[0], range[1]
        elif len(a):
            low, high = np.min(a), np.max(a)
        else:
            low, high = np.zeros(1, a.dtype)[0], np.ones(1, a.dtype)[0]
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError("the range of the bins is not finite")
        half = 0.5 if low == high else 0.0
        return np.linspace(low - half, high + half, bins + 1)
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def bins_of(a, edges):
    """In which bin each element lies; below 0 or too large where in none."""
    n = len(edges) - 1
    return np.where(a == edges[n], n - 1, np.searchsorted(edges, a, "right") - 1)


def equal_bins_of(a, edges):
    """The same of bins as wide as one another: where they are by a division, and by their edges, as that rounds."""
    n = len(edges) - 1
    low, high = edges[0], edges[n]
    places = np.full(len(a), -1)
    for k in range(len(a)):
        x = a[k]
        if x >= low and x <= high:
            share = (x - low) / (high - low) * n
            place = int(share) if share < n else n - 1
            if x < edges[place]:
                place -= 1
            elif place < n - 1 and x >= edges[place + 1]:
                place += 1
            places[k] = place
    return places


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
    """What comes before the element, what equals it, what comes after it; of several, or of rows, all in order."""
    a = np.asarray(a)
    if np.ndim(kth) or (a.ndim != 1 and axis is not None):
        require_ranks(a, kth, axis)
        return np.sort(a, axis)
    flat = a.reshape(-1)
    if len(flat) == 0:
        return flat
    return restored(in_parts(comparable(flat), rank_in(len(flat), kth)), flat)


@stands_for("numpy.argpartition")
def argpartition(a, kth, axis=-1):
    """The places of the same order."""
    a = np.asarray(a)
    if np.ndim(kth) or (a.ndim != 1 and axis is not None):
        require_ranks(a, kth, axis)
        return np.argsort(a, axis)
    flat = a.reshape(-1)
    if len(flat) == 0:
        return np.zeros(0, np.int64)
    return places_in_parts(comparable(flat), rank_in(len(flat), kth))


def rank_in(n, kth):
    rank = int(kth) + n if kth < 0 else int(kth)
    if rank < 0 or rank >= n:
        raise ValueError(f"kth(={rank}) out of bounds ({n})")
    return rank


def require_ranks(a, kth, axis):
    """Of what has no elements any rank will do."""
    n = a.size if axis is None else a.shape[axis]
    if a.size > 0:
        for each in np.asarray(kth).reshape(-1):
            rank_in(n, each)


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
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    a = np.asarray(a).reshape(-1)
    return edges_for(a, number_of_bins(a, bins, range) if isinstance(bins, str) else bins, range)


def number_of_bins(a, estimator, range):
    """As wide as a rule says: "sqrt", Sturges 1926, Scott 1979, Freedman and Diaconis 1981, Doane 1976, Rice."""
    edges = edges_for(a, 1, range)
    if range is not None:
        a = a[np.flatnonzero((a >= range[0]) & (a <= range[1]))]
    if len(a) == 0:
        return 1
    width = width_of_bins(a + 0.0, estimator)
    if width == 0:
        return 1
    return int(np.ceil((edges[1] - edges[0]) / (max(width, 1.0) if a.dtype.kind in "biu" else width)))


def width_of_bins(a, estimator):
    n, reach = len(a), np.max(a) - np.min(a)
    if estimator == "sqrt":
        return reach / np.sqrt(n)
    if estimator == "sturges":
        return reach / (np.log2(n) + 1.0)
    if estimator == "rice":
        return reach / (2.0 * n ** (1.0 / 3))
    if estimator == "scott":
        return (24.0 * np.pi**0.5 / n) ** (1.0 / 3.0) * np.std(a)
    if estimator == "fd":
        return 2.0 * (np.percentile(a, 75) - np.percentile(a, 25)) * n ** (-1.0 / 3.0)
    if estimator == "auto":
        by_quartiles = max(width_of_bins(a, "fd"), width_of_bins(a, "sqrt") / 2)
        return min(by_quartiles, width_of_bins(a, "sturges"))
    if estimator != "doane":
        refused(f"'{estimator}' is no estimator for `bins` that is supported")
    spread = np.std(a)
    if n <= 2 or spread <= 0:
        return 0.0 * reach
    skewness = np.mean(((a - np.mean(a)) / spread) ** 3)
    usual = np.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return reach / (1.0 + np.log2(n) + np.log2(1.0 + np.abs(skewness) / usual))


def place_of_largest(keys):
    """Of the first of the largest, as Python's max finds it: nothing is larger than NaN."""
    place = 0
    for k in range(1, len(keys)):
        if keys[k] > keys[place]:
            place = k
    return place


def place_of_smallest(keys):
    place = 0
    for k in range(1, len(keys)):
        if keys[k] < keys[place]:
            place = k
    return place
