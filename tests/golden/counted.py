import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def counted_parts(xs):
    counts_keys = np.empty(0, np.int64)
    counts_values = np.empty(0, np.int64)
    counts_slots = np.zeros(9, np.int64)
    counts_count = 0
    for i in range(len(xs)):
        n = len(counts_keys)
        n2 = len(counts_slots)
        x = xs[i]
        at = slot_of(counts_keys, counts_slots, x)
        place = counts_slots[at]
        t = place > 0
        t2 = counts_values[place - 1] if t else 0
        if t:
            counts_values[place - 1] = t2 + 1
        else:
            if not (counts_count < n and counts_slots[n2 - 1] < 2 * (n2 - 1) // 3):
                counts_keys, counts_values, counts_slots = make_room(
                    counts_count, counts_keys, counts_values, counts_slots,
                )
                at = slot_of(counts_keys, counts_slots, x)
            n = len(counts_slots)
            counts_keys[counts_count] = x
            counts_values[counts_count] = t2 + 1
            counts_slots[at] = counts_count + 1
            counts_slots[n - 1] += 1
            counts_count += 1
    counts_keys = counts_keys[:counts_count]
    counts_values = counts_values[:counts_count]
    return counts_keys, counts_values


@njit(cache=True, error_model="numpy")
def slot_of(keys, slots, key):
    """The slot of a key, or the free one where it would be."""
    last = len(slots) - 2
    rest = key & 9223372036854775807
    at = rest & last
    place = slots[at]
    while place != 0 and (place < 0 or keys[place - 1] != key):
        rest = rest >> 5
        at = 5 * at + rest + 1 & last
        place = slots[at]
    return at


@njit(cache=True, error_model="numpy")
def slots_for(keys, count, size):
    """So many slots for the first keys, one being behind them."""
    slots = np.zeros(size + 1, np.int64)
    for place in range(count):
        keys_place = keys[place]
        slots[slot_of(keys, slots, keys_place)] = place + 1
    slots[size] = count
    return slots


@njit(cache=True, error_model="numpy")
def make_room(table_count, table_keys, table_values, table_slots):
    """Make room for one entry more, and slots of which two of three at most are not free with it."""
    n = len(table_keys)
    n2 = len(table_slots)
    if table_count >= n:
        t = 2 * n
        table_keys2 = np.empty(t + 8, np.int64)
        table_values2 = np.empty(t + 8, np.int64)
        for i in range(n):
            table_keys2[i] = table_keys[i]
            table_values2[i] = table_values[i]
        table_keys = table_keys2
        table_values = table_values2
    size = n2 - 1
    if 3 * (table_slots[size] + 1) > 2 * size:
        size = 8
        while size < 3 * (table_count + 1):
            size *= 2
        return table_keys, table_values, slots_for(table_keys, table_count, size)
    return table_keys, table_values, table_slots


def counted(xs):
    counts_keys, counts_values = counted_parts(xs)
    return dict(zip(list(counts_keys), counts_values.tolist()))
