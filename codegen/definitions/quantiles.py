"""Medians and quantiles, read off what is sorted."""

# mypy: disable-error-code="no-untyped-def, call-overload"

import math

import numpy as np

from codegen.definitions.order import comparable
from codegen.definitions.table import refused, stands_for
from codegen.runtime.ordering.order import places_of_ranks


@stands_for("numpy.median")
def median(a, axis=None, keepdims=False):
    """The middle of what is sorted, or the mean of the two; of nothing NaN."""
    a = np.asarray(a)
    rows = rows_along(a, axis)
    n = rows.shape[rows.ndim - 1]
    if n == 0:
        return with_axes(of_nothing(rows), a, axis, keepdims)
    both = of_ranks(rows, np.array([(n - 1) // 2, n // 2]))
    middle = np.mean(both, -1) if n % 2 == 0 else np.mean(both[..., :1], -1)
    return with_axes(unless_nan(middle, rows), a, axis, keepdims)


def of_nothing(rows):
    """NaN for each row, in the dtype of its mean."""
    return np.full(rows.shape[: rows.ndim - 1], np.nan, (rows + 0.0).dtype)[()]


def of_ranks(rows, ranks):
    """The elements of these ranks in each row."""
    if rows.ndim == 1:
        return rows[places_of_ranks(comparable(rows), ranks)]
    return np.sort(rows)[..., ranks]


def unless_nan(made, rows):
    """What is made of each row, or NaN where there is one in it."""
    return np.where(np.any(rows != rows, -1), np.nan, made) if rows.dtype.kind == "f" else made


@stands_for("numpy.nanmedian")
def nanmedian(a, axis=None, keepdims=False):
    """The median of what is no NaN, which comes last in order."""
    a = np.asarray(a)
    rows = rows_along(a, axis)
    n = rows.shape[rows.ndim - 1]
    if n == 0:
        return with_axes(of_nothing(rows), a, axis, keepdims)
    number = np.sum(~np.isnan(rows), -1, keepdims=True)
    ranks = np.concatenate((np.maximum(number - 1, 0) // 2, np.minimum(number // 2, n - 1)), -1)
    both = of_own_ranks(rows, ranks)
    return with_axes(np.mean(both, -1), a, axis, keepdims)  # of nothing but NaN, which comes first, NaN


def of_own_ranks(rows, ranks):
    """Elements of each row, whose ranks are the row's own."""
    return of_ranks(rows, ranks) if rows.ndim == 1 else np.take_along_axis(np.sort(rows), ranks, -1)


@stands_for("numpy.percentile")
def percentile(a, q, axis=None, method="linear", keepdims=False, *, weights=None):
    return quantiles(np.asarray(a), shares_of_percent(q), is_weak(q), axis, keepdims, method, weights)


@stands_for("numpy.quantile")
def quantile(a, q, axis=None, method="linear", keepdims=False, *, weights=None):
    return quantiles(np.asarray(a), shares(q), is_weak(q), axis, keepdims, method, weights)


@stands_for("numpy.nanpercentile")
def nanpercentile(a, q, axis=None, method="linear", keepdims=False, *, weights=None):
    made = shares_of_percent(q)
    return quantiles_of_numbers(np.asarray(a), made, is_weak(q), axis, keepdims, method, weights)


@stands_for("numpy.nanquantile")
def nanquantile(a, q, axis=None, method="linear", keepdims=False, *, weights=None):
    return quantiles_of_numbers(np.asarray(a), shares(q), is_weak(q), axis, keepdims, method, weights)


def shares_of_percent(q):
    """Percents as parts of 1."""
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 100)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return np.asarray(q) / 100


def shares(q):
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return np.asarray(q)


def is_weak(q):
    """Whether a share is a number of Python's, which takes the dtype of what it meets."""
    return type(q) is int or type(q) is float


def quantiles(a, q, weak, axis, keepdims, method, weights):
    """NaN where one is."""
    rows = rows_along(a, axis)
    n = rows.shape[rows.ndim - 1]
    if n == 0:
        if a.dtype.kind == "f":
            raise IndexError("index -1 is out of bounds for axis 0 with size 0")
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    if weights is not None:
        made = weighed_quantiles(rows, q.reshape(-1), weights_beside(rows, a, weights, axis), method)
    else:
        made = at_places(rows, place_by(method, q.reshape(-1), n), n, weak, method)
    return for_each(q, unless_nan(np.moveaxis(made, -1, 0), rows), a, axis, keepdims)


def quantiles_of_numbers(a, q, weak, axis, keepdims, method, weights):
    """Of what is no NaN, which comes last in order."""
    rows = rows_along(a, axis)
    if a.dtype.kind != "f":
        return quantiles(a, q, weak, axis, keepdims, method, weights)
    if rows.shape[rows.ndim - 1] == 0:
        nothing = np.mean(rows, -1)
        return for_each(q, np.broadcast_to(nothing, (q.size,) + nothing.shape), a, axis, keepdims)
    if weights is not None:
        own = np.where(np.isnan(rows), 0.0, weights_beside(rows, a, weights, axis))
        made = weighed_quantiles(np.where(np.isnan(rows), np.inf, rows), q.reshape(-1), own, method)
        made = np.where(np.all(np.isnan(rows), -1, keepdims=True), np.nan, made)
    else:
        number = np.maximum(np.sum(~np.isnan(rows), -1, keepdims=True), 1)
        number = number.astype(q.dtype) if q.dtype.kind == "f" else number
        made = at_places(rows, place_by(method, q.reshape(-1), number), number, weak, method)
    return for_each(q, np.moveaxis(made, -1, 0), a, axis, keepdims)


def at_places(rows, place, n, weak, method):
    """Between the two elements of each row beside a place; of those methods whose places are ints the element there.
    `n`: of how many elements, which may be a number for each row."""
    if method in OF_ELEMENTS or (method == "linear" and place.dtype.kind != "f"):
        return of_places(rows, place.astype(np.int64), n)
    low = np.floor(place)
    part = part_by(method, place - low)
    if weak:
        part = part.astype(rows.dtype if rows.dtype.kind == "f" else np.float64)
    last = np.asarray(n).astype(np.int64) - 1
    low = np.minimum(np.maximum(low.astype(np.int64), -1), last)
    ends = np.maximum(low, 0), np.minimum(low + 1, last)
    both = of_places(rows, np.concatenate(ends, -1), n)
    several = place.shape[place.ndim - 1]
    return between(both[..., :several], both[..., several:], part)


def of_places(rows, ranks, n):
    """Elements of the same ranks in each row, or of a row's own."""
    return of_ranks(rows, ranks) if np.ndim(n) == 0 else of_own_ranks(rows, ranks)


def for_each(q, made, a, axis, keepdims):
    """The rows that were made of each q, in its shape, or the one row of one."""
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if q.ndim == 0:
        return with_axes(made[0], a, axis, keepdims)
    if keepdims:
        shape = (q.size,) + (1,) * a.ndim
        made = made.reshape(shape) if axis is None else np.expand_dims(made, past(axis))
    return made if q.ndim == 1 else made.reshape(q.shape + made.shape[1:])


# Methods of R. J. Hyndman, Y. Fan, Sample quantiles in statistical packages (The American Statistician, 1996), by their
# constants alpha and beta, which lead to places beyond both ends.
OF_ENDS = {
    "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0), "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}  # fmt: skip
OF_ELEMENTS = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


def place_by(method, q, n):
    """Where in order a quantile is: ints where it is an element."""
    if method == "linear":
        return q * (n - 1)
    if method == "midpoint":
        return 0.5 * (np.floor(q * (n - 1)) + np.ceil(q * (n - 1)))
    if method == "lower":
        return np.floor(q * (n - 1))
    if method == "higher":
        return np.ceil(q * (n - 1))
    if method == "nearest":
        return np.rint(q * (n - 1))
    if method == "averaged_inverted_cdf":
        return n * q - 1
    if method == "inverted_cdf":
        return np.maximum(np.ceil(n * q - 1.0), 0.0)
    if method == "closest_observation":
        place = n * q - 1.5
        even = (place == np.floor(place)) & (np.floor(place) % 2 == 1)
        return np.maximum(np.where(even, place, np.floor(place) + 1), 0.0)
    if method not in OF_ENDS:
        refused(f"'{method}' is not a valid method")
    alpha, beta = OF_ENDS[method]
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


def part_by(method, part):
    """How far to go from the one element to the other, in the dtype of places."""
    if method == "averaged_inverted_cdf":
        return np.where(part == 0, 0.5, part * 0 + 1).astype(part.dtype)
    return part


def weights_beside(rows, a, weights, axis):
    """The weights of each row's elements, given for each element of the array or for those along the axis."""
    weights = np.asarray(weights)
    if weights.ndim == a.ndim:
        if weights.shape != a.shape and axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != a.shape:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        made = rows_along(weights, axis)
    else:
        if axis is None:
            refused("Axis must be specified when shapes of a and weights differ.")
        made = np.broadcast_to(weights.reshape(-1), rows.shape)
    if np.any(made < 0):
        raise ValueError("Weights must be non-negative.")
    return made.astype(np.float64)


def weighed_quantiles(rows, q, weights, method):
    """The first element of each row up to which the elements weigh a share of the whole."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    order = np.argsort(rows)
    x = np.take_along_axis(rows, order, -1)
    upto = np.cumsum(np.take_along_axis(weights, order, -1), -1)
    whole = upto[..., -1:]
    if np.any(~np.isfinite(whole) | (whole == 0) & np.isfinite(x[..., :1])):
        raise ValueError("Weights included NaN, inf or were all zero.")
    upto = upto / np.where(whole == 0, 1.0, whole)
    upto = upto.astype(q.dtype) if q.dtype.kind == "f" else upto
    less = (upto[..., None, :] < q[:, None]) | (upto[..., None, :] == 0)
    places = np.minimum(np.sum(less, -1), rows.shape[rows.ndim - 1] - 1)
    return np.take_along_axis(x, places, -1)


def past(axis):
    """The place of an axis behind another one in front; of several each."""
    if isinstance(axis, tuple | list):
        return tuple([past(each) for each in axis])
    return axis if axis < 0 else axis + 1


def rows_along(a, axis):
    """The array with the axis that goes away, or with several as one, as the last one; all of it as one."""
    if axis is None:
        return a.reshape(-1)
    if not isinstance(axis, tuple | list):
        return np.moveaxis(a, axis, -1)
    moved = np.moveaxis(a, axis, tuple(range(-len(axis), 0)))
    kept = moved.shape[: a.ndim - len(axis)]
    return moved.reshape(kept + (math.prod(moved.shape[a.ndim - len(axis) :]),))


def with_axes(made, a, axis, keepdims):
    """What is left of an array, with the axis that is gone as one element."""
    if not keepdims:
        return made
    return made.reshape((1,) * a.ndim) if axis is None else np.expand_dims(made, axis)


def between(low, high, part):
    """NumPy's own way: from the nearer end."""
    return np.where(part >= 0.5, high - (high - low) * (1 - part), low + (high - low) * part)
