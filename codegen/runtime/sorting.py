"""What order.py says, in compiled code: byte by byte; by merging, which lanes do."""

import numpy as np
from numba import njit

FEWEST_BY_BYTES = 64


@njit(error_model="numpy")
def comes_before(x: float, y: float) -> bool:
    """Whether x stands before y."""
    return x < y or (x == x and y != y)


@njit(error_model="numpy")
def order_by_merging(x: np.ndarray) -> np.ndarray:
    """Bottom up: equal elements stay in their order."""
    n = len(x)
    places = np.arange(n)
    spare = np.empty(n, np.int64)
    width = 1
    while width < n:
        start = 0
        while start < n:
            middle = min(start + width, n)
            stop = min(start + 2 * width, n)
            i = start
            j = middle
            for k in range(start, stop):
                if j >= stop or (i < middle and not comes_before(x[places[j]], x[places[i]])):
                    spare[k] = places[i]
                    i += 1
                else:
                    spare[k] = places[j]
                    j += 1
            start = stop
        places, spare = spare, places
        width *= 2
    return places


@njit(error_model="numpy")
def ordered_by_merging(x: np.ndarray) -> np.ndarray:
    return x[order_by_merging(x)]


@njit(error_model="numpy")
def sort_keys(x: np.ndarray, zero: float) -> np.ndarray:
    """Unsigned ints in the order of the elements: of floats the bits, turned round below 0, NaN the last. `zero`: 0.0,
    which makes -0.0 one, or -0.0, which leaves both."""
    keys = np.empty(len(x), np.uint64)
    bits = keys.view(x.dtype)
    for k in range(len(x)):
        bits[k] = x[k] + x.dtype.type(zero)
    is_float = x.dtype.type(0.5) > 0
    top_bit = np.uint64(1) << np.uint64(63)
    for k in range(len(x)):
        below = np.uint64(np.int64(keys[k]) >> 63) if is_float else np.uint64(0)
        keys[k] ^= below | top_bit
        if x[k] != x[k]:
            keys[k] = ~np.uint64(0)
    return keys


@njit(error_model="numpy")
def varying_bits(keys: np.ndarray) -> np.uint64:
    """The bits in which keys differ."""
    either = np.uint64(0)
    both = ~np.uint64(0)
    for k in range(len(keys)):
        either |= keys[k]
        both &= keys[k]
    return either & ~both


@njit(error_model="numpy")
def in_order_of_byte(
    keys: np.ndarray, places: np.ndarray, byte: int, to: np.ndarray, places_to: np.ndarray
) -> None:
    """Keys, and places where there are some, in the order of one byte of eight; equal ones stay in theirs."""
    shift = np.uint64(8 * byte)
    starts = np.zeros(257, np.uint64)
    for k in range(len(keys)):
        starts[((keys[k] >> shift) & np.uint64(255)) + np.uint64(1)] += np.uint64(1)
    for digit in range(256):
        starts[digit + 1] += starts[digit]
    has_places = len(places) > 0
    for k in range(len(keys)):
        key = keys[k]
        digit = (key >> shift) & np.uint64(255)
        at = starts[digit]
        starts[digit] = at + np.uint64(1)
        to[at] = key
        if has_places:
            places_to[at] = places[k]


@njit(error_model="numpy")
def insert_all(keys: np.ndarray, places: np.ndarray, most: int) -> bool:
    """Bring keys that are nearly in order into order; whether no more than so many moves did it."""
    for k in range(1, len(keys)):
        key = keys[k]
        if keys[k - 1] > key:
            place = places[k] if len(places) > 0 else 0
            j = k
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                if len(places) > 0:
                    places[j] = places[j - 1]
                j -= 1
            keys[j] = key
            if len(places) > 0:
                places[j] = place
            most -= k - j
            if most < 0:
                return False
    return True


@njit(error_model="numpy")
def sort_by_bytes(keys: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From the lower bytes to the higher ones, of which the highest four that differ mostly do; what they leave is
    inserted, or else all eight are taken. Few are inserted altogether."""
    if len(keys) < FEWEST_BY_BYTES:
        insert_all(keys, places, len(keys) ** 2)
        return keys, places
    spare, spare_places = np.empty_like(keys), np.empty_like(places)
    differ = varying_bits(keys)
    first = 7
    left = 4
    for byte in range(7, -1, -1):
        if left > 0 and (differ >> np.uint64(8 * byte)) & np.uint64(255) != 0:
            first = byte
            left -= 1
    for _ in range(2):
        for byte in range(first, 8):
            if (differ >> np.uint64(8 * byte)) & np.uint64(255) != 0:
                in_order_of_byte(keys, places, byte, spare, spare_places)
                keys, spare = spare, keys
                places, spare_places = spare_places, places
        if insert_all(keys, places, 4 * len(keys)):
            break
        first = 0
    return keys, places


@njit(error_model="numpy")
def ordered_by_bytes(x: np.ndarray) -> np.ndarray:
    """The elements in order."""
    keys, _ = sort_by_bytes(sort_keys(x, -0.0), np.empty(0, np.int64))
    is_float = x.dtype.type(0.5) > 0
    top_bit = np.uint64(1) << np.uint64(63)
    for k in range(len(keys)):
        below = np.uint64(np.int64(~keys[k]) >> 63) if is_float else np.uint64(0)
        keys[k] ^= below | top_bit
    return keys.view(x.dtype)


@njit(error_model="numpy")
def order_by_bytes(x: np.ndarray) -> np.ndarray:
    """The places of the elements in order, of equal ones the first first."""
    _, places = sort_by_bytes(sort_keys(x, 0.0), np.arange(len(x)))
    return places
