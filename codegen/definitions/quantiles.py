"""Medians and quantiles, read off what is sorted."""

# mypy: disable-error-code="no-untyped-def, call-overload"

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
        return np.mean(a, axis, keepdims=keepdims)
    middle = np.mean(of_ranks(rows, np.arange((n - 1) // 2, n // 2 + 1)), -1)
    return with_axes(unless_nan(middle, rows), a, axis, keepdims)


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
        return np.mean(a, axis, keepdims=keepdims)
    number = np.sum(~np.isnan(rows), -1, keepdims=True)
    both = of_own_ranks(rows, np.maximum(number - 1, 0) // 2, np.minimum(number // 2, n - 1))
    return with_axes(np.mean(both, -1), a, axis, keepdims)  # of nothing but NaN, which comes first, NaN


def of_own_ranks(rows, low, high):
    """Two elements of each row, whose ranks are the row's own."""
    ranks = np.concatenate((low, high), -1)
    return of_ranks(rows, ranks) if rows.ndim == 1 else np.take_along_axis(np.sort(rows), ranks, -1)


@stands_for("numpy.percentile")
def percentile(a, q, axis=None, method="linear", keepdims=False):
    a = np.asarray(a)
    return quantiles(a, shares_of_percent(a, q), axis, keepdims, method)


def shares_of_percent(a, q):
    """Percents as parts of 1."""
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 100)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return weakly(a, q, np.asarray(q) / 100)


@stands_for("numpy.quantile")
def quantile(a, q, axis=None, method="linear", keepdims=False):
    a = np.asarray(a)
    return quantiles(a, shares(a, q), axis, keepdims, method)


def shares(a, q):
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return weakly(a, q, np.asarray(q))


def weakly(a, q, share):
    """A float in the dtype of an array of floats where q is a number of Python's."""
    is_weak = share.dtype.kind == "f" and (type(q) is int or type(q) is float)
    return share.astype(a.dtype) if a.dtype.kind == "f" and is_weak else share


def quantiles(a, q, axis, keepdims, method="linear"):
    """Between the two elements beside the place that the method says, of an int there the element; NaN where one is."""
    if q.ndim > 1:
        refused("quantile takes one q, or a vector of them")
    rows = rows_along(a, axis)
    n = rows.shape[rows.ndim - 1]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    place = place_by(method, q.reshape(-1), n)
    if place.dtype.kind != "f":
        made = np.moveaxis(of_ranks(rows, place), -1, 0)
    else:
        low = np.floor(place).astype(np.int64)
        part = part_by(method, place - np.floor(place)).reshape((len(place),) + (1,) * (rows.ndim - 1))
        beside = np.concatenate((low, low + 1))
        beside = np.minimum(np.maximum(beside, 0), n - 1) if method in OF_ENDS else np.minimum(beside, n - 1)
        both = np.moveaxis(of_ranks(rows, beside), -1, 0)
        made = between(both[: len(low)], both[len(low) :], part)
    return for_each(q, unless_nan(made, rows), a, axis, keepdims)


def for_each(q, made, a, axis, keepdims):
    """The rows that were made of each q, or the one row of one."""
    if q.ndim == 0:
        return with_axes(made[0], a, axis, keepdims)
    if not keepdims:
        return made
    return made.reshape((len(q),) + (1,) * a.ndim) if axis is None else np.expand_dims(made, past(axis))


# Methods of R. J. Hyndman, Y. Fan, Sample quantiles in statistical packages (The American Statistician, 1996), by their
# constants alpha and beta, which lead to places beyond both ends.
OF_ENDS = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0), "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
    "averaged_inverted_cdf": (0.0, 1.0),
}  # fmt: skip


def place_by(method, q, n):
    """Where in order a quantile is: ints where it is an element."""
    if method == "linear" or method == "midpoint":
        return q * (n - 1)
    if method == "lower":
        return np.floor(q * (n - 1)).astype(np.int64)
    if method == "higher":
        return np.ceil(q * (n - 1)).astype(np.int64)
    if method == "nearest":
        return np.rint(q * (n - 1)).astype(np.int64)
    if method == "averaged_inverted_cdf":
        return n * q - 1.0
    if method == "inverted_cdf":
        return np.maximum(np.ceil(n * q - 1.0), 0.0).astype(np.int64)
    if method == "closest_observation":
        place = n * q - 1.5
        even = (place == np.floor(place)) & (np.floor(place) % 2 == 1)
        return np.maximum(np.where(even, place, np.floor(place) + 1), 0.0).astype(np.int64)
    if method not in OF_ENDS:
        refused(f"'{method}' is not a valid method")
    alpha, beta = OF_ENDS[method]
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


def part_by(method, part):
    """How far to go from the one element to the other."""
    if method == "midpoint":
        return np.where(part == 0, part, 0.5)
    if method == "averaged_inverted_cdf":
        return np.where(part == 0, 0.5, part * 0 + 1)
    return part


def past(axis):
    """The place of an axis behind another one in front."""
    return axis if axis < 0 else axis + 1


def rows_along(a, axis):
    """The array with the axis that goes away as the last one; all of it as one."""
    return a.reshape(-1) if axis is None else np.moveaxis(a, axis, -1)


def with_axes(made, a, axis, keepdims):
    """What is left of an array, with the axis that is gone as one element."""
    if not keepdims:
        return made
    return made.reshape((1,) * a.ndim) if axis is None else np.expand_dims(made, axis)


def between(low, high, part):
    """NumPy's own way: from the nearer end."""
    return np.where(part >= 0.5, high - (high - low) * (1 - part), low + (high - low) * part)


@stands_for("numpy.nanpercentile")
def nanpercentile(a, q, axis=None, keepdims=False):
    a = np.asarray(a)
    return quantiles_of_numbers(a, shares_of_percent(a, q), axis, keepdims)


@stands_for("numpy.nanquantile")
def nanquantile(a, q, axis=None, keepdims=False):
    a = np.asarray(a)
    return quantiles_of_numbers(a, shares(a, q), axis, keepdims)


def quantiles_of_numbers(a, q, axis, keepdims):
    """Quantiles of what is no NaN, which comes last in order; by ints they are elements."""
    if q.ndim > 1:
        refused("nanquantile takes one q, or a vector of them")
    if a.dtype.kind != "f" and (q.ndim == 1 or q.dtype.kind != "f"):
        return quantiles(a, q, axis, keepdims)
    rows = rows_along(a, axis)
    dtype = (np.zeros(1, a.dtype) * q).dtype if q.dtype.kind == "f" else a.dtype
    if q.ndim == 0 and rows.shape[rows.ndim - 1] == 0:
        return np.mean(a, axis, keepdims=keepdims).astype(dtype)
    last = np.maximum(np.sum(~np.isnan(rows), -1, keepdims=True), 1) - 1
    place, several = last * q.reshape(-1), q.size
    low = np.floor(place).astype(np.int64)
    both = of_own_ranks(rows, low, np.minimum(low + 1, last))
    made = both[..., :several]
    if q.dtype.kind == "f":
        made = between(made, both[..., several:], (place - low).astype(dtype))
    return for_each(q, np.moveaxis(made, -1, 0), a, axis, keepdims)
