"""Counts of points in boxes."""

# mypy: disable-error-code="no-untyped-def, call-overload"

import math

import numpy as np

from codegen.definitions.order import bin_edges, bins_of, weighed
from codegen.definitions.table import is_known, refused, stands_for


@stands_for("numpy.histogramdd")
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Of points, which are rows, or given coordinate by coordinate."""
    count = len(bins) if isinstance(bins, tuple | list) else None if range is None else len(range)
    columns = columns_of(sample, count)
    each = bins if isinstance(bins, tuple | list) else (bins,) * len(columns)
    if len(each) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    limits = (None,) * len(columns) if range is None else range
    edges = [bin_edges(x, bins, limit) for x, bins, limit in zip(columns, each, limits)]
    place, inside = np.zeros(len(columns[0]), np.int64), np.ones(len(columns[0]), np.bool_)
    for x, ends in zip(columns, edges):
        k = bins_of(x, ends)
        inside = inside & (k >= 0) & (k < len(ends) - 1)
        place = place * (len(ends) - 1) + k
    shape = tuple([len(ends) - 1 for ends in edges])
    ones = 1.0 if weights is None else np.asarray(weights)
    counts = weighed(np.where(inside, place, -1), math.prod(shape), ones).reshape(shape).astype(np.float64)
    if density:
        total = np.sum(counts)
        for k, ends in enumerate(edges):
            counts = counts / np.diff(ends).reshape((1,) * k + (-1,) + (1,) * (len(edges) - 1 - k))
        counts = counts / total
    return counts, edges


def columns_of(sample, count):
    """The coordinates of all points, each by itself. `count`: how many they must be, if that is known."""
    if isinstance(sample, tuple | list):
        return [np.asarray(each) for each in sample]
    points = np.atleast_2d(np.asarray(sample).T).T
    if count is None:
        if not is_known(points.shape[1]):
            refused(
                "how many coordinates a point has must be known: give bins for each, or (x, y, z) one by one"
            )
        return [points[:, k] for k in range(points.shape[1])]
    if points.shape[1] != count:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    return [points[:, k] for k in range(count)]
