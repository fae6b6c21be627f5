"""Elements by their rank, in compiled code, without putting all in order: a sample says between which two elements the
one of a rank lies, what lies there is gathered, and so on until few are left.
"""

# mypy: disable-error-code="call-arg"

import numpy as np
from numba import njit

from codegen.runtime.intrinsics.loop_hints import compiled_apart

from .order import MOST_SELECTED
from .sorting import comes_before, order_by_merging, put_sort_keys, sort_by_digits

FEWEST_TO_SAMPLE = 4096
SAMPLE = 1024
SPREAD = 64  # of ranks in the sample: four standard deviations of the middle one


GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)  # Ciura (2001)


@njit(error_model="numpy")
def some_in_order(keys: np.ndarray, count: int) -> np.ndarray:
    """So many keys, equally far from one another, in order: few, by insertion across gaps."""
    some = np.empty(count, np.uint64)
    step = len(keys) // count
    for k in range(count):
        some[k] = keys[k * step]
    for gap in GAPS:
        for k in range(gap, count):
            key, j = some[k], k
            while j >= gap and some[j - gap] > key:
                some[j] = some[j - gap]
                j -= gap
            some[j] = key
    return some


@njit(error_model="numpy")
def key_of_rank(keys: np.ndarray, rank: int) -> tuple[np.uint64, int]:
    """The key of a rank, and how many equal ones have a lower one."""
    left, room = keys, np.empty(len(keys) + 1, np.uint64)
    while len(left) > FEWEST_TO_SAMPLE:
        n = len(left)
        sample = some_in_order(left, SAMPLE)
        place = rank * SAMPLE // n
        low = sample[place - SPREAD] if place >= SPREAD else np.uint64(0)
        high = sample[place + SPREAD] if place + SPREAD < SAMPLE else ~np.uint64(0)
        before, count = 0, 0
        for k in range(n):
            key = left[k]
            room[count] = key
            before += key < low
            count += key - low <= high - low
        inside = 0 <= rank - before < count
        if inside and low == high:
            return low, rank - before
        if not inside or count == n:
            break
        left, rank = room[:count], rank - before
    last = some_in_order(left, len(left))
    first = rank
    while first > 0 and last[first - 1] == last[rank]:
        first -= 1
    return last[rank], rank - first


@njit(error_model="numpy")
def put_places_of_ranks(keys: np.ndarray, ranks: np.ndarray, places: np.ndarray) -> None:
    for each in range(len(ranks)):
        if each > 0 and ranks[each] == ranks[each - 1]:
            places[each] = places[each - 1]
            continue
        key, passed = key_of_rank(keys, ranks[each])
        place = 0
        while passed > 0 or keys[place] != key:
            passed -= keys[place] == key
            place += 1
        places[each] = place


@njit(error_model="numpy")
def few_places_by_selection(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Where the elements of these few ranks are; of equal ones the first has the lowest rank."""
    compiled_apart()
    places = np.empty(len(ranks), np.int64)
    keys = np.empty(len(x), np.uint64)
    put_sort_keys(x, 0.0, keys)
    put_places_of_ranks(keys, ranks, places)
    return places


@njit(error_model="numpy")
def places_by_selection(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The same of any number of ranks."""
    compiled_apart()
    places = np.empty(len(ranks), np.int64)
    n = len(x)
    both = np.empty((2, n), np.uint64)
    put_sort_keys(x, 0.0, both[0])
    if len(ranks) <= MOST_SELECTED and n >= FEWEST_TO_SAMPLE:
        put_places_of_ranks(both[0], ranks, places)
        return places
    orders = np.empty((2, n), np.int64)
    for k in range(n):
        orders[0, k] = k
    order = orders[sort_by_digits(both, orders)]
    for each in range(len(ranks)):
        places[each] = order[ranks[each]]
    return places


@njit(error_model="numpy")
def places_by_merging(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    return order_by_merging(x)[ranks]


@njit(error_model="numpy")
def parts_by_selection(x: np.ndarray, rank: int) -> np.ndarray:
    """The places of what comes before the element of a rank, of those equal to it, and of what comes after it.

    Each place is written wherever it may go, and counts where it does.
    """
    compiled_apart()
    n = len(x)
    keys = np.empty(n, np.uint64)
    put_sort_keys(x, 0.0, keys)
    middle, _ = key_of_rank(keys, rank)
    before, after = 0, 0
    for k in range(n):
        before += keys[k] < middle
        after += keys[k] > middle
    places = np.empty(n + 1, np.int64)
    low, high = 0, n - after
    for k in range(n):
        places[low] = k
        low += keys[k] < middle
        places[high] = k
        high += keys[k] > middle
    equal = before
    for k in range(n):
        if keys[k] == middle:
            places[equal] = k
            equal += 1
    return places[:n]


@njit(error_model="numpy")
def parts_by_merging(x: np.ndarray, rank: int) -> np.ndarray:
    order = order_by_merging(x)
    middle = x[order[rank]]
    places = np.empty(len(x), np.int64)
    count = 0
    for part in range(3):
        for k in range(len(x)):
            is_before, is_after = comes_before(x[k], middle), comes_before(middle, x[k])
            if (
                (part == 0 and is_before)
                or (part == 1 and not is_before and not is_after)
                or (part == 2 and is_after)
            ):
                places[count] = k
                count += 1
    return places
