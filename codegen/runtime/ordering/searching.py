"""Places in what is sorted, in compiled code: many elements at a time, whose halving reads memory side by side."""

import numpy as np
from numba import njit

from .sorting import comes_before, put_sort_keys

AT_A_TIME = 512
PARTS = 16  # into which a vector is divided first: few comparisons cost less than looking into memory


@njit(error_model="numpy")
def put_places(keys: np.ndarray, wanted: np.ndarray, from_right: int, places: np.ndarray) -> None:
    """Of each key that is wanted, where it goes among keys in order, left of its equals or right of them."""
    left = len(keys)
    for k in range(len(wanted)):
        wanted[k] -= np.uint64(1 - from_right)
        places[k] = 0
    if left >= PARTS:
        step = left // PARTS
        for part in range(1, PARTS):
            key = keys[part * step - 1]
            for k in range(len(wanted)):
                places[k] += step if key <= wanted[k] else 0
        left -= (PARTS - 1) * step
    while left > 1:
        half = left // 2
        for k in range(len(wanted)):
            place = places[k] + half
            places[k] = place if keys[place - 1] <= wanted[k] else places[k]
        left -= half
    if left == 1:
        for k in range(len(wanted)):
            places[k] += keys[places[k]] <= wanted[k]
    if from_right == 0:
        for k in range(len(wanted)):
            places[k] = 0 if wanted[k] == ~np.uint64(0) else places[k]  # nothing comes before the least key


@njit(error_model="numpy")
def places_by_halving(a: np.ndarray, x: np.ndarray, from_right: int) -> np.ndarray:
    keys, wanted = np.empty(len(a), np.uint64), np.empty(AT_A_TIME, np.uint64)
    put_sort_keys(a, 0.0, keys)
    places = np.empty(len(x), np.int64)
    for first in range(0, len(x), AT_A_TIME):
        few = x[first : first + AT_A_TIME]
        put_sort_keys(few, 0.0, wanted[: len(few)])
        put_places(keys, wanted[: len(few)], from_right, places[first : first + AT_A_TIME])
    return places


@njit(error_model="numpy")
def places_one_by_one(a: np.ndarray, x: np.ndarray, from_right: int) -> np.ndarray:
    places = np.empty(len(x), np.int64)
    for k in range(len(x)):
        place, left = 0, len(a)
        while left > 1:
            half = left // 2
            y = a[place + half - 1]
            is_left = not comes_before(x[k], y) if from_right == 1 else comes_before(y, x[k])
            place = place + half if is_left else place
            left -= half
        if left == 1:
            y = a[place]
            is_left = not comes_before(x[k], y) if from_right == 1 else comes_before(y, x[k])
            place = place + 1 if is_left else place
        places[k] = place
    return places
