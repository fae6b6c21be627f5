"""Medians and quantiles, read off what is sorted."""

# mypy: disable-error-code="no-untyped-def, call-overload"

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("numpy.median")
def median(a, axis=None, keepdims=False):
    """The middle of what is sorted, or the mean of the two; of nothing NaN."""
    a = np.asarray(a)
    ordered = np.sort(rows_along(a, axis))
    n = ordered.shape[ordered.ndim - 1]
    if n == 0:
        return np.mean(a, axis, keepdims=keepdims)
    middle = np.mean(ordered[..., (n - 1) // 2 : n // 2 + 1], -1)
    last = ordered[..., n - 1]
    return with_axes(np.where(last != last, last, middle), a, axis, keepdims)


@stands_for("numpy.nanmedian")
def nanmedian(a, axis=None, keepdims=False):
    """The median of what is no NaN, which comes last in order."""
    a = np.asarray(a)
    ordered = np.sort(rows_along(a, axis))
    if ordered.shape[ordered.ndim - 1] == 0:
        return np.mean(a, axis, keepdims=keepdims)
    number = np.sum(~np.isnan(ordered), -1, keepdims=True)
    low, high = np.maximum(number - 1, 0) // 2, np.minimum(number // 2, ordered.shape[ordered.ndim - 1] - 1)
    both = np.concatenate((np.take_along_axis(ordered, low, -1), np.take_along_axis(ordered, high, -1)), -1)
    return with_axes(np.mean(both, -1), a, axis, keepdims)  # of nothing but NaN, which comes first, NaN


@stands_for("numpy.percentile")
def percentile(a, q, axis=None, keepdims=False):
    a = np.asarray(a)
    return quantiles(a, shares_of_percent(a, q), axis, keepdims)


def shares_of_percent(a, q):
    """Percents as parts of 1, in the array's dtype where they are Python's numbers."""
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 100)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    if a.dtype.kind != "f":
        return np.asarray(q) / 100
    if isinstance(q, int | float):
        return np.asarray(q, a.dtype) / 100
    return np.asarray(q) / a.dtype.type(100)


@stands_for("numpy.quantile")
def quantile(a, q, axis=None, keepdims=False):
    a = np.asarray(a)
    return quantiles(a, shares(a, q), axis, keepdims)


def shares(a, q):
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return np.asarray(q, a.dtype) if isinstance(q, int | float) and a.dtype.kind == "f" else np.asarray(q)


def quantiles(a, q, axis, keepdims):
    """Between the two elements beside the place q (n - 1), linearly, of an int there the element; NaN where one is."""
    if q.ndim > 1:
        refused("quantile takes one q, or a vector of them")
    ordered = np.moveaxis(np.sort(rows_along(a, axis)), -1, 0)
    n = len(ordered)
    place = q * (n - 1)
    last = ordered[n - 1]
    if q.dtype.kind != "f":
        made = ordered[place]
    else:
        low = np.floor(place).astype(np.int64)
        part = place - np.floor(place)
        if q.ndim == 1:
            part = part.reshape((len(part),) + (1,) * (ordered.ndim - 1))
        made = between(ordered[low], ordered[np.minimum(low + 1, n - 1)], part)
    made = np.where(last == last, made, last)
    if q.ndim == 0:
        return with_axes(made, a, axis, keepdims)
    if not keepdims:
        return made
    return made.reshape((len(q),) + (1,) * a.ndim) if axis is None else np.expand_dims(made, past(axis))


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
    """Quantiles of what is no NaN, which comes last in order."""
    if q.ndim != 0:
        refused("nanquantile takes one q")
    ordered = np.sort(rows_along(a, axis))
    if ordered.shape[ordered.ndim - 1] == 0:
        return np.mean(a, axis, keepdims=keepdims)
    last = np.maximum(np.sum(~np.isnan(ordered), -1, keepdims=True), 1) - 1
    place = q * last
    low = np.floor(place).astype(np.int64)
    below = np.take_along_axis(ordered, low, -1)
    above = np.take_along_axis(ordered, np.minimum(low + 1, last), -1)
    made = between(below, above, (place - low).astype((ordered[:0] * q).dtype))
    return with_axes(made[..., 0], a, axis, keepdims)
