"""Numbers in order, by NumPy; NaN comes last. Compiled: sorting.py, sorted_rows.py, selection.py, searching.py.

ordered(x)                      the elements of a vector, ascending
places_in_order(x)              their places, of equal ones the first first
ordered_rows(x)                 the first of each row of a matrix
places_in_rows(x)               the second
places_of_ranks(x, ranks)       of those places the ones of these ranks
places_in_parts(x, rank)        places of what comes before the element of a rank, of its equals, of what comes after
in_parts(x, rank)               the elements there
places_among(a, x, from_right)  where x goes in a, which is in order: left of its equals or, for 1, right of them
"""

import numpy as np

MOST_SELECTED = 16  # ranks, beyond which all is sorted


def ordered(x: np.ndarray) -> np.ndarray:
    return np.sort(x)


def places_in_order(x: np.ndarray) -> np.ndarray:
    return np.argsort(x, kind="stable")


def ordered_rows(x: np.ndarray) -> np.ndarray:
    return np.sort(x, axis=1)


def places_in_rows(x: np.ndarray) -> np.ndarray:
    return np.argsort(x, axis=1, kind="stable")


def places_of_ranks(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    return np.argsort(x, kind="stable")[ranks]


def places_in_parts(x: np.ndarray, rank: int) -> np.ndarray:
    places = np.argsort(x, kind="stable")
    first = np.searchsorted(x[places], x[places[rank : rank + 1]], "left")[0]
    last = np.searchsorted(x[places], x[places[rank : rank + 1]], "right")[0]
    return np.concatenate((np.sort(places[:first]), places[first:last], np.sort(places[last:])))


def in_parts(x: np.ndarray, rank: int) -> np.ndarray:
    return x[places_in_parts(x, rank)]


def places_among(a: np.ndarray, x: np.ndarray, from_right: int) -> np.ndarray:
    return np.searchsorted(a, x, side="right" if from_right else "left")
