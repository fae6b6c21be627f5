"""Sets: the different elements of arrays, sorted."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.order import before
from codegen.definitions.table import stands_for


@stands_for("numpy.unique_values")
def unique_values(x):
    return np.unique(x)


@stands_for("numpy.unique")
def unique(ar):
    """The different elements, sorted."""
    x = np.sort(np.asarray(ar).reshape(-1))
    number = 0
    for k in range(len(x)):
        if k == 0 or before(x[k - 1], x[k]):
            number += 1
    made = np.empty(number, x.dtype)
    number = 0
    for k in range(len(x)):
        if k == 0 or before(x[k - 1], x[k]):
            made[number] = x[k]
            number += 1
    return made


@stands_for("numpy.isin")
def isin(element, test_elements, invert=False):
    """By searching in what is sorted."""
    x, among = np.asarray(element), np.sort(np.asarray(test_elements).reshape(-1))
    if len(among) == 0:
        return np.full(x.shape, invert)
    there = among[np.minimum(np.searchsorted(among, x), len(among) - 1)] == x
    return ~there if invert else there


@stands_for("numpy.union1d")
def union1d(ar1, ar2):
    return np.unique(np.concatenate((np.asarray(ar1).reshape(-1), np.asarray(ar2).reshape(-1))))


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
