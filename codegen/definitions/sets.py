"""Sets: the different elements of arrays, sorted."""

# mypy: disable-error-code="no-untyped-def, assignment"

import numpy as np

from codegen.definitions.order import before
from codegen.definitions.table import refused, stands_for


@stands_for("numpy.unique_values", generic=True)
def unique_values(x):
    """Each NaN is another one than the others."""
    flat = np.sort(np.asarray(x).reshape(-1))
    first = np.ones(len(flat), np.bool_)
    first[1:] = flat[1:] != flat[:-1]
    return with_first_zero(flat[np.flatnonzero(first)], np.asarray(x).reshape(-1))


@stands_for("numpy.unique", generic=True)
def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """The different elements, sorted; where each is first, which each element is, how often each is there."""
    a = np.asarray(ar)
    if axis is not None and a.ndim != 1:
        return unique_rows(a, return_index, return_inverse, return_counts, axis)
    flat = a.reshape(-1) if axis is None else np.moveaxis(a, axis, 0)
    if not (return_index or return_inverse):
        x = np.sort(flat)
        first = np.flatnonzero(begins(x, equal_nan))
        different = with_first_zero(x[first], flat)
        return (different, np.diff(np.append(first, len(x)))) if return_counts else different
    order = np.argsort(flat)
    x = flat[order]
    is_first = begins(x, equal_nan)
    first = np.flatnonzero(is_first)
    made = (x[first],)
    if return_index:
        made = made + (order[first],)
    if return_inverse:
        made = made + (group_of_each(order, is_first).reshape(a.shape),)
    if return_counts:
        made = made + (np.diff(np.append(first, len(x))),)
    return made


UniqueAllResult = type(np.unique_all(np.zeros(1)))
UniqueCountsResult = type(np.unique_counts(np.zeros(1)))
UniqueInverseResult = type(np.unique_inverse(np.zeros(1)))


@stands_for("numpy.unique_all", generic=True)
def unique_all(x):
    found = np.unique(x, True, True, True, equal_nan=False)
    return UniqueAllResult(found[0], found[1], found[2], found[3])


@stands_for("numpy.unique_counts", generic=True)
def unique_counts(x):
    found = np.unique(x, return_counts=True, equal_nan=False)
    return UniqueCountsResult(found[0], found[1])


@stands_for("numpy.unique_inverse", generic=True)
def unique_inverse(x):
    found = np.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(found[0], found[1])


def group_of_each(order, is_first):
    """Which of the different ones each is, of the order in which they were sorted."""
    groups = np.empty(len(order), np.int64)
    groups[order] = np.cumsum(is_first) - 1
    return groups


def unique_rows(a, return_index, return_inverse, return_counts, axis):
    """The different parts along an axis, in the order of their first elements, of those that are equal of their second
    ones, and so on."""
    rows = np.moveaxis(a, axis, 0)
    flat = rows.reshape(len(rows), rows.size // max(len(rows), 1))
    order = np.arange(len(flat))
    for k in range(flat.shape[1] - 1, -1, -1):
        order = order[np.argsort(flat[:, k][order])]
    x = flat[order]
    is_first = np.ones(len(x), np.bool_)
    is_first[1:] = np.any(x[1:] != x[:-1], 1)
    first = np.flatnonzero(is_first)
    different = np.moveaxis(rows[order[first]], 0, axis)
    made = (different,)
    if return_index:
        made = made + (order[first],)
    if return_inverse:
        made = made + (group_of_each(order, is_first),)
    if return_counts:
        made = made + (np.diff(np.append(first, len(x))),)
    return made if len(made) > 1 else different


def begins(x, equal_nan):
    """Whether an element of what is sorted is another one than that before it."""
    first = np.ones(len(x), np.bool_)
    if x.dtype.kind == "c":
        differ = x[:-1] != x[1:]
        first[1:] = differ & ~(np.isnan(x[:-1]) & np.isnan(x[1:])) if equal_nan else differ
        return first
    first[1:] = before(x[:-1], x[1:]) if equal_nan else x[:-1] != x[1:]
    return first


@stands_for("numpy.trim_zeros", generic=True)
def trim_zeros(filt, trim="fb"):
    """A vector without the zeros at its start, its end or both."""
    a = np.asarray(filt)
    if a.ndim != 1:
        refused("trim_zeros takes a vector")
    if trim.lower() not in ("fb", "bf", "f", "b"):
        refused(f"unexpected character(s) in `trim`: {trim}")
    first, last = 0, len(a)
    if trim.lower() != "b":
        while first < last and a[first] == 0:
            first += 1
    if trim.lower() != "f":
        while last > first and a[last - 1] == 0:
            last -= 1
    return a[first:last]


def with_first_zero(different, x):
    """The sign of the zero is that of the first one, not of the first in order."""
    if x.dtype.kind != "f" or len(x) == 0:
        return different
    return np.where(different == 0, x[np.argmax(x == 0)], different)


@stands_for("numpy.isin")
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Ints that lie close together by a table, others by searching in what is sorted, whatever `kind` says."""
    if kind is not None and kind != "sort" and kind != "table":
        refused(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    x, among = np.asarray(element), np.asarray(test_elements).reshape(-1)
    if len(among) == 0:
        return np.full(x.shape, invert)
    if is_for_table(x) and is_for_table(among):
        low, high = np.int64(np.min(among)), np.int64(np.max(among))
        size = PLACES_PER_ELEMENT * (x.size + len(among))
        if np.float64(high) - np.float64(low) < size:
            there = is_in_table(x.astype(np.int64), among.astype(np.int64), low, high, size)
        else:
            there = is_in_order(x, among)
    else:
        there = is_in_order(x, among)
    return ~there if invert else there


PLACES_PER_ELEMENT = 6  # of a table: more of them take as long to clear as sorting takes


def is_for_table(x):
    """Whether these are ints that int64 holds."""
    return x.dtype.kind == "i" or (x.dtype.kind == "u" and x.dtype != np.uint64)


def is_in_table(x, among, low, high, size):
    table = np.zeros(size, np.bool_)
    table[among - low] = True
    inside = (x >= low) & (x <= high)
    return inside & table[np.where(inside, x - low, 0)]


def is_in_order(x, among):
    among = np.sort(among)
    return among[np.minimum(np.searchsorted(among, x), len(among) - 1)] == x


@stands_for("numpy.union1d")
def union1d(ar1, ar2):
    return np.unique(np.concatenate((ar1, ar2), axis=None))


@stands_for("numpy.intersect1d")
def intersect1d(ar1, ar2):
    different = np.unique(ar1)
    common = different[np.flatnonzero(np.isin(different, ar2))]
    return common.astype(np.concatenate((different, np.asarray(ar2).reshape(-1))).dtype)


@stands_for("numpy.setdiff1d")
def setdiff1d(ar1, ar2):
    different = np.unique(ar1)
    return different[np.flatnonzero(np.isin(different, ar2, invert=True))]


@stands_for("numpy.setxor1d")
def setxor1d(ar1, ar2):
    """What only one of both has."""
    both = np.sort(np.concatenate((np.unique(ar1), np.unique(ar2))))
    n = len(both)
    alone = np.ones(n, np.bool_)
    for k in range(1, n):
        if both[k] == both[k - 1]:
            alone[k - 1] = False
            alone[k] = False
    return both[np.flatnonzero(alone)]
