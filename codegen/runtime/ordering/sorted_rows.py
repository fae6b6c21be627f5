"""The rows of a matrix in order, in compiled code: those that are not too long side by side, by a network that asks of
no element where it goes (Batcher's bitonic sort; Knuth, The Art of Computer Programming 3, 5.3.4, its halves turned
round so that all pairs are put in one order); long ones each by its bytes.
"""

# mypy: disable-error-code="no-untyped-def, call-arg, arg-type"

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from codegen.runtime.intrinsics.loop_hints import compiled_apart

from .sorting import order_by_merging, ordered_by_merging, put_elements_in_order, put_places_in_order

VECTOR = 64  # bytes of an element of each of the rows side by side: 8 rows of float64, 16 of float32
LONGEST_BY_NETWORK = 16384


def exchanges(*pairs):
    """What puts vectors of keys at some places in order, pair after pair, while they are in registers."""

    @intrinsic
    def put_in_order(typing, keys, places):
        def generate(context, builder, signature, args):
            from llvmlite import ir
            from numba.core import cgutils

            start = context.make_array(keys)(context, builder, args[0]).data
            kind = ir.VectorType(start.type.pointee, 8 * VECTOR // keys.dtype.bitwidth)
            spots = [builder.gep(start, [k]) for k in cgutils.unpack_tuple(builder, args[1])]
            spots = [builder.bitcast(each, kind.as_pointer()) for each in spots]
            found = [builder.load(each, align=keys.dtype.bitwidth // 8) for each in spots]
            compare = builder.fcmp_ordered if isinstance(keys.dtype, types.Float) else builder.icmp_signed
            for i, j in pairs:
                x, y = found[i], found[j]
                is_less = compare("<", x, y)
                found[i], found[j] = builder.select(is_less, x, y), builder.select(is_less, y, x)
            for spot, each in zip(spots, found):
                builder.store(each, spot, align=keys.dtype.bitwidth // 8)
            return context.get_dummy_value()

        return types.none(keys, places), generate

    return put_in_order


# Of two in order one after the other, of four, of eight: first each with the one as far from the other end, or as far
# on as there are in one of them; then halves, and halves of these.
HALVES_OF_8 = ((0, 2), (1, 3), (4, 6), (5, 7), (0, 1), (2, 3), (4, 5), (6, 7))
SORT_4 = ((0, 1), (2, 3), (0, 3), (1, 2), (0, 1), (2, 3))
SORT_OTHER_4 = ((4, 5), (6, 7), (4, 7), (5, 6), (4, 5), (6, 7))
put_two_in_order = exchanges((0, 1))
put_halves_of_4_in_order = exchanges((0, 2), (1, 3), (0, 1), (2, 3))
put_halves_of_8_in_order = exchanges((0, 4), (1, 5), (2, 6), (3, 7), *HALVES_OF_8)
merge_two_of_4 = exchanges((0, 7), (1, 6), (2, 5), (3, 4), *HALVES_OF_8)
sort_8 = exchanges(*SORT_4, *SORT_OTHER_4, (0, 7), (1, 6), (2, 5), (3, 4), *HALVES_OF_8)


@njit(error_model="numpy", forceinline=True)
def eight_places(first: int, step: int, rows: int) -> tuple[int, int, int, int, int, int, int, int]:
    """Where the vectors begin that are so far apart."""
    a, d = first * rows, step * rows
    return a, a + d, a + 2 * d, a + 3 * d, a + 4 * d, a + 5 * d, a + 6 * d, a + 7 * d


@njit(error_model="numpy")
def put_halves_in_order(keys: np.ndarray, n: int, distance: int) -> None:
    """Each with the one at a distance, a half of it, a quarter, ... 1, within blocks; three distances at once."""
    rows = VECTOR // keys.itemsize
    while distance >= 4:
        step = distance // 4
        for block in range(0, n, 2 * distance):
            for k in range(block, min(block + step, n)):
                put_halves_of_8_in_order(keys, eight_places(k, step, rows))
        distance //= 8
    for block in range(0, n if distance > 0 else 0, max(2 * distance, 1)):
        a, d = block * rows, rows
        if distance == 2:
            put_halves_of_4_in_order(keys, (a, a + d, a + 2 * d, a + 3 * d))
        else:
            put_two_in_order(keys, (a, a + d))


@njit(error_model="numpy")
def sort_side_by_side(keys: np.ndarray, n: int) -> None:
    """Rows of n keys, whose k-th ones follow one another. Behind them are the largest there are, up to a power of two:
    as those stay where they are, what is among them alone is left out."""
    rows = VECTOR // keys.itemsize
    for k in range(0, n, 8):
        sort_8(keys, eight_places(k, 1, rows))
    half = 8
    while half < n:
        step = half // 4
        for block in range(0, n, 2 * half):
            for k in range(block, min(block + step, n)):
                a, b, c, d, _, _, _, _ = eight_places(k, step, rows)
                _, _, _, _, e, f, g, h = eight_places(2 * block + 2 * half - 1 - k - 7 * step, step, rows)
                merge_two_of_4(keys, (a, b, c, d, e, f, g, h))
        put_halves_in_order(keys, n, half // 8)
        half *= 2


@njit(error_model="numpy")
def rows_by_network(x: np.ndarray) -> np.ndarray:
    """NaN counts as infinite on the way."""
    n, m = x.shape
    made = np.empty((n, m), x.dtype)
    is_float = x.dtype.type(0.5) > 0
    whole = 2**63 - 1 if x.itemsize == 8 else 2**31 - 1
    largest = x.dtype.type(np.inf) if is_float else x.dtype.type(whole)
    size = 8
    while size < m:
        size *= 2
    rows = VECTOR // x.itemsize
    room = np.empty((size + 1) * rows, x.dtype)
    start = -(room.ctypes.data // x.itemsize) % rows  # vectors that lie in one cache line each
    keys = room[start : start + size * rows]
    keys[m * rows :] = largest
    for first in range(0, n, rows):
        count = min(rows, n - first)
        missing = np.zeros(rows, np.int64)
        for i in range(count):
            for k in range(m):
                each = x[first + i, k]
                missing[i] += each != each
                keys[k * rows + i] = each if each == each else largest
        sort_side_by_side(keys, m)
        for i in range(count):
            for k in range(m):
                made[first + i, k] = keys[k * rows + i]
            for k in range(m - missing[i], m):
                made[first + i, k] = x.dtype.type(np.nan)
    return made


@njit(error_model="numpy")
def ordered_rows_by_bytes(x: np.ndarray) -> np.ndarray:
    compiled_apart()
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
    compiled_apart()
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
