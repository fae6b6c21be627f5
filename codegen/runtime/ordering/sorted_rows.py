"""The rows of a matrix in order, in compiled code: short ones side by side, by a network that asks of no element where
it goes (Batcher's merge exchange; Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M); long ones each by its
bytes.
"""

# mypy: disable-error-code="no-untyped-def, call-arg, arg-type"

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from .sorting import order_by_merging, ordered_by_merging, put_elements_in_order, put_places_in_order

SIDE_BY_SIDE = 16  # rows, an element of each being one vector
LONGEST_BY_NETWORK = 2048
ALL_BUT_SIGN = np.int64(2**63 - 1)
INFINITE = np.int64(0x7FF0000000000000)  # the bits of np.inf


@intrinsic
def put_two_in_order(typing, keys, first, second):
    """keys[first + r], keys[second + r] = the smaller, the larger of them, for as many r as rows are side by side."""

    def generate(context, builder, signature, args):
        from llvmlite import ir

        start = context.make_array(keys)(context, builder, args[0]).data
        kind = ir.VectorType(start.type.pointee, SIDE_BY_SIDE)
        places = [builder.bitcast(builder.gep(start, [k]), kind.as_pointer()) for k in args[1:]]
        x, y = (builder.load(place, align=8) for place in places)
        is_less = builder.icmp_signed("<", x, y)
        builder.store(builder.select(is_less, x, y), places[0], align=8)
        builder.store(builder.select(is_less, y, x), places[1], align=8)
        return context.get_dummy_value()

    return types.none(keys, types.int64, types.int64), generate


@njit(error_model="numpy")
def sort_side_by_side(keys: np.ndarray, n: int) -> None:
    """Rows of n keys, whose k-th ones follow one another."""
    most = 1
    while 2 * most < n:
        most *= 2
    span = most
    while span > 0:
        reach, skipped, distance = most, 0, span
        while distance > 0:
            for first in range(skipped, n - distance, 2 * span):
                for k in range(first, min(first + span, n - distance)):
                    put_two_in_order(keys, k * SIDE_BY_SIDE, (k + distance) * SIDE_BY_SIDE)
            distance, reach, skipped = reach - span, reach // 2, span
        span //= 2


@njit(error_model="numpy", forceinline=True)
def turned_below_zero(bits: int, mask: int) -> np.int64:
    """The bits of a float as an int in the same order, and the other way round; `mask`: 0 where they are an int's."""
    return np.int64(bits) ^ (np.int64(bits) >> 63) & mask


@njit(error_model="numpy")
def rows_by_network(x: np.ndarray) -> np.ndarray:
    n, m = x.shape
    made = np.empty((n, m), x.dtype)
    bits, made_bits = x.view(np.int64), made.view(np.int64)
    is_float = x.dtype.type(0.5) > 0
    mask, largest = (ALL_BUT_SIGN, INFINITE) if is_float else (np.int64(0), ALL_BUT_SIGN)
    room = np.empty(m * SIDE_BY_SIDE + 8, np.int64)
    start = -(room.ctypes.data // 8) % 8  # vectors that lie in one cache line each
    keys = room[start : start + m * SIDE_BY_SIDE]
    for first in range(0, n, SIDE_BY_SIDE):
        count = min(SIDE_BY_SIDE, n - first)
        for i in range(count):
            for k in range(m):
                each = bits[first + i, k]
                is_number = each & ALL_BUT_SIGN <= largest
                keys[k * SIDE_BY_SIDE + i] = turned_below_zero(each, mask) if is_number else ALL_BUT_SIGN
        sort_side_by_side(keys, m)
        for i in range(count):
            for k in range(m):
                made_bits[first + i, k] = turned_below_zero(keys[k * SIDE_BY_SIDE + i], mask)
    return made


@njit(error_model="numpy")
def ordered_rows_by_bytes(x: np.ndarray) -> np.ndarray:
    if x.shape[1] <= LONGEST_BY_NETWORK:
        return rows_by_network(x)
    made = np.empty(x.shape, x.dtype)
    for k in range(len(x)):
        put_elements_in_order(x[k], made[k])
    return made


@njit(error_model="numpy")
def ordered_rows_by_merging(x: np.ndarray) -> np.ndarray:
    made = np.empty(x.shape, x.dtype)
    for k in range(len(x)):
        made[k] = ordered_by_merging(x[k])
    return made


@njit(error_model="numpy")
def order_of_rows_by_bytes(x: np.ndarray) -> np.ndarray:
    places = np.empty(x.shape, np.int64)
    for k in range(len(x)):
        put_places_in_order(x[k], places[k])
    return places


@njit(error_model="numpy")
def order_of_rows_by_merging(x: np.ndarray) -> np.ndarray:
    places = np.empty(x.shape, np.int64)
    for k in range(len(x)):
        places[k] = order_by_merging(x[k])
    return places
