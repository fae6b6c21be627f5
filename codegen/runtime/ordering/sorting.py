"""What order.py says, in compiled code: byte by byte; by merging, which lanes do.

What is only needed on the way is one piece of memory: the system takes two back that were given up one by one, and has
to clear them again for the next call, which takes longer than sorting.
"""

# mypy: disable-error-code="no-untyped-def, call-arg, arg-type"

import numpy as np
from numba import njit
from numba.extending import intrinsic

from codegen.runtime.intrinsics.loop_hints import compiled_apart

FEWEST_BY_BYTES = 64
FEWEST_BY_THREE = 4096  # twice as many as a digit has values
TOP_DIGIT = 52  # the sign and the exponent of a float: bytes of their own hardly differ


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
def put_sort_keys(x: np.ndarray, zero: float, keys: np.ndarray) -> None:
    """Unsigned ints in the order of the elements: of floats the bits of float64, turned round below 0, NaN the last.
    `zero`: 0.0, which makes -0.0 one, or -0.0, which leaves both."""
    is_float = x.dtype.type(0.5) > 0
    top_bit = np.uint64(1) << np.uint64(63)
    for k in range(len(x)):
        if is_float:
            number = np.float64(np.float64(x[k]) + zero)
            bits = number.view(np.int64)
            key = np.uint64(bits) ^ (np.uint64(bits >> 63) | top_bit)
            keys[k] = key if number == number else ~np.uint64(0)
        else:
            keys[k] = np.uint64(np.int64(x[k])) ^ top_bit


@njit(error_model="numpy")
def spread_out(keys: np.ndarray) -> tuple[np.uint64, np.uint64]:
    """Keys less the least, moved up until the largest has the highest bit: what is taken from them, how far they go."""
    least, most = ~np.uint64(0), np.uint64(0)
    for k in range(len(keys)):
        least = min(least, keys[k])
        most = max(most, keys[k])
    up, span = np.uint64(0), most - least if len(keys) > 0 else np.uint64(0)
    while span > 0 and span >> np.uint64(63) == 0:
        span <<= np.uint64(1)
        up += np.uint64(1)
    for k in range(len(keys)):
        keys[k] = (keys[k] - least) << up
    return least, up


@njit(error_model="numpy")
def digit_mask(shift: int) -> np.uint64:
    """Digits have 8 bits, the first one all the rest."""
    return np.uint64(4095) if shift == TOP_DIGIT else np.uint64(255)


@njit(error_model="numpy")
def in_order_of_digit(
    keys: np.ndarray, places: np.ndarray, shift: int, to: np.ndarray, places_to: np.ndarray
) -> None:
    """Keys, and places where there are some, in the order of one digit; equal ones stay in theirs."""
    mask, down = digit_mask(shift), np.uint64(shift)
    starts = np.zeros(mask + np.uint64(2), np.uint64)
    for k in range(len(keys)):
        starts[((keys[k] >> down) & mask) + np.uint64(1)] += np.uint64(1)
    for digit in range(mask + np.uint64(1)):
        starts[digit + np.uint64(1)] += starts[digit]
    has_places = len(places) > 0
    for k in range(len(keys)):
        key = keys[k]
        digit = (key >> down) & mask
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
def sort_by_digits(keys: np.ndarray, places: np.ndarray) -> int:
    """From the lower digits to the higher ones, of which the highest four that differ mostly do; what they leave is
    inserted, or else all are taken. Few are inserted altogether, and what is in order stays. Of both rows, of which the
    first is sorted, which has what is in order."""
    now, n = 0, keys.shape[1]
    if n < FEWEST_BY_BYTES:
        insert_all(keys[0], places[0], n * n)
        return now
    ahead = 1
    while ahead < n and keys[0, ahead - 1] <= keys[0, ahead]:
        ahead += 1
    if ahead == n:
        return now
    either, both = np.uint64(0), ~np.uint64(0)
    for k in range(n):
        either |= keys[0, k]
        both &= keys[0, k]
    differ = either & ~both
    first = TOP_DIGIT
    left = 4
    for shift in range(TOP_DIGIT, -5, -8):
        if left > 0 and (differ >> np.uint64(max(shift, 0))) & digit_mask(shift) != 0:
            first = shift
            left -= 1
    for _ in range(2):
        for shift in range(first, TOP_DIGIT + 1, 8):
            if (differ >> np.uint64(max(shift, 0))) & digit_mask(shift) != 0:
                in_order_of_digit(keys[now], places[now], max(shift, 0), keys[1 - now], places[1 - now])
                now = 1 - now
        if insert_all(keys[now], places[now], 4 * n):
            break
        first = -4
    return now


@njit(error_model="numpy")
def sort_by_three_digits(keys: np.ndarray) -> int:
    """Keys of 32 bits from the lowest of three digits of 11 bits to the highest, all of which are counted at once. Of
    both rows, of which the first is sorted, which has what is in order."""
    bits, mask, one = np.uint64(11), np.uint64(2047), np.uint64(1)
    starts = np.zeros((3, 2049), np.uint64)
    for k in range(keys.shape[1]):
        key = np.uint64(keys[0, k])
        starts[0, (key & mask) + one] += one
        starts[1, (key >> bits & mask) + one] += one
        starts[2, (key >> bits >> bits) + one] += one
    now, down = 0, np.uint64(0)
    for each in range(3):
        places, found, to = starts[each], keys[now], keys[1 - now]
        if places[(np.uint64(found[0]) >> down & mask) + one] == np.uint64(len(found)):  # all have the same
            down += bits
            continue
        for digit in range(2048):
            places[digit + 1] += places[digit]
        for k in range(len(found)):
            key = found[k]
            digit_of_key = np.uint64(key) >> down & mask
            place = places[digit_of_key]
            places[digit_of_key] = place + one
            to[place] = key
        now, down = 1 - now, down + bits
    return now


@njit(error_model="numpy")
def put_narrow_in_order(x: np.ndarray, made: np.ndarray) -> None:
    """Elements of 4 bytes, by keys of as many."""
    if len(x) < FEWEST_BY_THREE:
        put_wide_in_order(x, made)
        return
    keys = np.empty((2, len(x)), np.uint32)
    is_float = x.dtype.type(0.5) > 0
    top_bit = np.uint32(1 << 31)
    for k in range(len(x)):
        if is_float:
            bits = np.float32(x[k]).view(np.int32)
            key = np.uint32(np.uint32(bits) ^ np.uint32(np.uint32(bits >> 31) | top_bit))
            keys[0, k] = key if x[k] == x[k] else ~np.uint32(0)
        else:
            keys[0, k] = np.uint32(np.int32(x[k])) ^ top_bit
    found = keys[sort_by_three_digits(keys)]
    for k in range(len(x)):
        key = found[k]
        if is_float:
            below = np.uint32(np.int32(~key) >> 31)
            made[k] = np.uint32(key ^ (below | top_bit)).view(np.float32)
        else:
            made[k] = np.int32(key ^ top_bit)


@njit(error_model="numpy")
def put_wide_in_order(x: np.ndarray, made: np.ndarray) -> None:
    """Elements of any size, by keys of 8 bytes."""
    keys = np.empty((2, len(x)), np.uint64)
    put_sort_keys(x, -0.0, keys[0])
    least, up = spread_out(keys[0])
    found = keys[sort_by_digits(keys, np.empty((2, 0), np.int64))]
    is_float = x.dtype.type(0.5) > 0
    top_bit = np.uint64(1) << np.uint64(63)
    for k in range(len(x)):
        key = (found[k] >> up) + least
        if is_float:
            below = np.uint64(np.int64(~key) >> 63)
            made[k] = np.uint64(key ^ (below | top_bit)).view(np.float64)
        else:
            made[k] = np.int64(key ^ top_bit)


@intrinsic
def put_elements_in_order(typing, x, made):
    """By one of the two, which alone is compiled."""
    function = put_narrow_in_order if x.dtype.bitwidth == 32 else put_wide_in_order
    kind = typing.resolve_value_type(function)

    def generate(context, builder, signature, args):
        return context.get_function(kind, signature)(builder, args)

    return typing.resolve_function_type(kind, (x, made), {}), generate


@njit(error_model="numpy")
def ordered_by_bytes(x: np.ndarray) -> np.ndarray:
    """The elements in order."""
    compiled_apart()
    made = np.empty(len(x), x.dtype)
    put_elements_in_order(x, made)
    return made


@njit(error_model="numpy")
def order_by_bytes(x: np.ndarray) -> np.ndarray:
    """The places of the elements in order, of equal ones the first first."""
    compiled_apart()
    made = np.empty(len(x), np.int64)
    put_places_in_order(x, made)
    return made


@njit(error_model="numpy")
def put_places_in_order(x: np.ndarray, made: np.ndarray) -> None:
    keys, places = np.empty((2, len(x)), np.uint64), np.empty((2, len(x)), np.int64)
    put_sort_keys(x, 0.0, keys[0])
    spread_out(keys[0])
    for k in range(len(x)):
        places[0, k] = k
    found = places[sort_by_digits(keys, places)]
    for k in range(len(x)):
        made[k] = found[k]
