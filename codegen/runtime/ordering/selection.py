"""Elements by their rank, in compiled code, without putting all in order: a sample says between which two elements the
one of a rank lies, what lies there is gathered, and so on until few are left.
"""

# mypy: disable-error-code="call-arg"

import math

import numpy as np
from numba import njit

from codegen.runtime.intrinsics.loop_hints import compiled_apart

from .order import MOST_SELECTED
from .sorting import comes_before, order_by_merging, put_sort_keys, sort_by_digits

FEWEST_TO_SAMPLE = 4096
LEAST_SAMPLE, LARGEST_SAMPLE = 1024, 16384
STRIP = 1024  # elements in which an equal one is looked for before it is known where
WORDS, BITS = 128, 16


@njit(error_model="numpy")
def put_in_place(some: np.ndarray, first: int, rank: int) -> None:
    """Exchanges elements from the first on, until the one of a rank is in its place, between what is less and what is
    more (Hoare 1961, "Find"); by what they are compared to is as good as random."""
    compiled_apart()
    last, seed = len(some) - 1, 1
    while first < last:
        seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
        middle = some[first + (seed >> 8) % (last - first + 1)]
        i, j = first, last
        while i <= j:
            while some[i] < middle:
                i += 1
            while some[j] > middle:
                j -= 1
            if i <= j:
                some[i], some[j] = some[j], some[i]
                i, j = i + 1, j - 1
        if j < rank < i:
            return
        first, last = (first, j) if rank <= j else (i, last)


@njit(error_model="numpy")
def without_nan(x: np.ndarray, step: int) -> np.ndarray:
    """Elements so far from one another, but for NaN."""
    some = np.empty(len(x) // step, x.dtype)
    count = 0
    for k in range(len(some)):
        some[count] = x[k * step]
        count += some[count] == some[count]
    return some[:count]


@njit(error_model="numpy")
def gather_between(
    x: np.ndarray, low: float, high: float, has_low: bool, has_high: bool, room: np.ndarray
) -> tuple[int, int]:
    """How many elements are below two that may be there, and how many from one to the other: these go into the room,
    in any order. Which of a strip's go there is in the bits of words, as many elements apart as there are words."""
    compiled_apart()
    before, count = 0, 0
    words = np.zeros(WORDS, np.int64)
    for strip in range(len(x) // (WORDS * BITS) + 1):
        start = strip * WORDS * BITS
        for k in range(WORDS):
            words[k] = 0
        for bit in range(BITS):
            begin = start + bit * WORDS
            for k in range(min(WORDS, len(x) - begin)):
                value = x[begin + k]
                is_below = has_low & (value < low)
                is_there = (not is_below) & ((value <= high) | (not has_high)) & (value == value)
                words[k] += np.int64(is_there) << bit
                before += is_below
        for k in range(WORDS):
            left = words[k]
            while left != 0:
                bit = (np.float64(left & -left).view(np.int64) >> 52) - 1023  # the lowest one's exponent
                room[np.uint64(count)] = x[np.uint64(start + k + bit * WORDS)]
                count += 1
                left &= left - 1
    return before, count


@njit(error_model="numpy")
def element_of_rank(x: np.ndarray, rank: int) -> tuple[float, int, int]:
    """The element, how many equal ones have a lower rank, and how many there are; NaN is equal to NaN."""
    compiled_apart()
    left = x
    while len(left) > FEWEST_TO_SAMPLE:
        n = len(left)
        step = n // max(min(n // 64, LARGEST_SAMPLE), LEAST_SAMPLE)
        sample = without_nan(left, step)
        spread = int(2.0 * math.sqrt(n // step))  # four standard deviations of the middle one's rank
        first, last = rank // step - spread, rank // step + spread
        has_low, has_high = first >= 0, last < len(sample)
        if not (has_low or has_high):
            break
        first, last = max(first, 0), min(last, len(sample) - 1)
        if first > last:
            break
        put_in_place(sample, 0, first)
        put_in_place(sample, first, last)
        low, high = sample[first], sample[last]
        room = np.empty(n, x.dtype)
        before, count = gather_between(left, low, high, has_low, has_high, room)
        inside = 0 <= rank - before < count
        if inside and has_low and has_high and low == high:
            return low, rank - before, count
        if not inside or count == n:
            break
        left, rank = room[:count], rank - before
    some = without_nan(left, 1)
    if rank >= len(some):
        place = 0
        while left[place] == left[place]:
            place += 1
        return left[place], rank - len(some), len(left) - len(some)
    put_in_place(some, 0, rank)
    before, equal = 0, 0
    for k in range(len(some)):
        before += some[k] < some[rank]
        equal += some[k] == some[rank]
    return some[rank], rank - before, equal


@njit(error_model="numpy")
def put_places_of_equals(x: np.ndarray, value: float, passed: int, places: np.ndarray) -> None:
    """Where so many elements are that equal a value, after some that are passed; NaN is equal to NaN."""
    compiled_apart()
    is_nan = value != value
    found = -passed
    for strip in range((len(x) + STRIP - 1) // STRIP):
        start = strip * STRIP
        number = min(STRIP, len(x) - start)
        count = 0
        for k in range(number):
            count += (x[start + k] == value) | (is_nan & (x[start + k] != x[start + k]))
        if count == 0 or found + count <= 0:
            found += count
            continue
        for k in range(start, start + number):
            if x[k] == value or (is_nan and x[k] != x[k]):
                if found >= 0:
                    places[found] = k
                found += 1
                if found == len(places):
                    return


@njit(error_model="numpy")
def put_places_of_ranks(x: np.ndarray, ranks: np.ndarray, places: np.ndarray) -> None:
    for each in range(len(ranks)):
        if each > 0 and ranks[each] == ranks[each - 1]:
            places[each] = places[each - 1]
            continue
        value, passed, _ = element_of_rank(x, ranks[each])
        put_places_of_equals(x, value, passed, places[each : each + 1])


@njit(error_model="numpy")
def few_places_by_selection(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Where the elements of these few ranks are; of equal ones the first has the lowest rank."""
    compiled_apart()
    places = np.empty(len(ranks), np.int64)
    put_places_of_ranks(x, ranks, places)
    return places


@njit(error_model="numpy")
def places_by_selection(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The same of any number of ranks."""
    compiled_apart()
    places = np.empty(len(ranks), np.int64)
    n = len(x)
    if len(ranks) <= MOST_SELECTED and n >= FEWEST_TO_SAMPLE:
        put_places_of_ranks(x, ranks, places)
        return places
    both = np.empty((2, n), np.uint64)
    put_sort_keys(x, 0.0, both[0])
    orders = np.empty((2, n), np.int64)
    for k in range(n):
        orders[0, k] = k
    order = orders[sort_by_digits(both, orders)]
    for each in range(len(ranks)):
        places[each] = order[ranks[each]]
    return places


@njit(error_model="numpy")
def parts_by_selection(x: np.ndarray, rank: int) -> np.ndarray:
    """The places of what comes before the element of a rank, of those equal to it, and of what comes after it.

    Each place is written wherever it may go, and counts where it does.
    """
    compiled_apart()
    middle, passed, equal = element_of_rank(x, rank)
    places, begin = np.empty(len(x) + 1, np.int64), rank - passed
    before, after = places[: begin + 1], places[begin + equal :]
    is_nan = middle != middle
    low, high = 0, 0
    for k in range(len(x)):
        value = x[k]
        before[np.uint64(low)] = k
        after[np.uint64(high)] = k
        low += (value < middle) | (is_nan & (value == value))
        high += (not value <= middle) & (not is_nan)
    put_places_of_equals(x, middle, 0, places[begin : begin + equal])
    return places[: len(x)]


@njit(error_model="numpy")
def in_parts_by_selection(x: np.ndarray, rank: int) -> np.ndarray:
    """The elements there."""
    compiled_apart()
    middle, passed, equal = element_of_rank(x, rank)
    parts, begin = np.empty(len(x) + 1, x.dtype), rank - passed
    before, after = parts[: begin + 1], parts[begin + equal :]
    low, high = 0, 0
    if middle == middle:
        for k in range(len(x)):
            value = x[k]
            before[np.uint64(low)] = value
            after[np.uint64(high)] = value
            low += value < middle
            high += not value <= middle
    else:
        for k in range(len(x)):
            before[np.uint64(low)] = x[k]
            low += x[k] == x[k]
    parts[begin : begin + equal] = middle
    if middle == 0:  # of either sign
        for k in range(len(x)):
            if x[k] == middle:
                parts[begin] = x[k]
                begin += 1
    return parts[: len(x)]


@njit(error_model="numpy")
def places_by_merging(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    return order_by_merging(x)[ranks]


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


@njit(error_model="numpy")
def in_parts_by_merging(x: np.ndarray, rank: int) -> np.ndarray:
    return x[parts_by_merging(x, rank)]
