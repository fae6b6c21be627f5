import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def append_to(
    held_list, held_lists_starts, held_lists_lengths, held_lists_rooms, held_items_count,
    held_items, item,
):
    """`held.append(item)`"""
    n = len(held_items)
    start = held_lists_starts[held_list]
    length = held_lists_lengths[held_list]
    if length + 1 > held_lists_rooms[held_list]:
        t = 2 * (length + 1)
        t2 = held_items_count + (t + 2)
        if t2 > n:
            held_items2 = np.empty(max(2 * n + 8, t2), np.int64)
            for i in range(n):
                held_items2[i] = held_items[i]
            held_items = held_items2
        for k in range(length):
            held_items[held_items_count + k] = held_items[start + k]
        held_lists_starts[held_list] = held_items_count
        held_lists_rooms[held_list] = t + 2
        held_items_count = t2
    held_items[held_lists_starts[held_list] + length] = item
    held_lists_lengths[held_list] = length + 1
    return held_items_count, held_items


@njit(cache=True, error_model="numpy")
def place_of_largest(keys):
    """Of the first of the largest, as Python's max finds it: nothing is larger than NaN."""
    listed_count = len(keys)
    place = 0
    for k in range(1, listed_count):
        if place >= listed_count:
            raise IndexErrorWith(place, listed_count)
        place = k if keys[k] > keys[place] else place
    return place


@njit(cache=True, error_model="numpy")
def near_parts(n, us, vs):
    adjacent_lists_starts = np.empty(0, np.int64)
    adjacent_lists_lengths = np.empty(0, np.int64)
    adjacent_lists_rooms = np.empty(0, np.int64)
    adjacent_items = np.empty(0, np.int64)
    adjacent = np.empty(0, np.int64)
    for i in range(n):
        n2 = len(adjacent_lists_starts)
        n3 = len(adjacent)
        if i >= n2:
            t = 2 * n2
            adjacent_lists_starts2 = np.empty(t + 8, np.int64)
            adjacent_lists_lengths2 = np.empty(t + 8, np.int64)
            adjacent_lists_rooms2 = np.empty(t + 8, np.int64)
            for i2 in range(n2):
                adjacent_lists_starts2[i2] = adjacent_lists_starts[i2]
                adjacent_lists_lengths2[i2] = adjacent_lists_lengths[i2]
                adjacent_lists_rooms2[i2] = adjacent_lists_rooms[i2]
            adjacent_lists_starts = adjacent_lists_starts2
            adjacent_lists_lengths = adjacent_lists_lengths2
            adjacent_lists_rooms = adjacent_lists_rooms2
        adjacent_lists_starts[i] = 0
        adjacent_lists_lengths[i] = 0
        adjacent_lists_rooms[i] = 0
        if i >= n3:
            adjacent2 = np.empty(2 * n3 + 8, np.int64)
            for i2 in range(n3):
                adjacent2[i2] = adjacent[i2]
            adjacent = adjacent2
        adjacent[i] = i
    adjacent_lists_count = max(n, 0)
    adjacent_items_count = 0
    for i in range(min(len(us), len(vs))):
        u = us[i]
        v = vs[i]
        if not -adjacent_lists_count <= u < adjacent_lists_count:
            raise IndexError("list index out of range")
        adjacent_items_count, adjacent_items = append_to(
            adjacent[u + adjacent_lists_count if u < 0 else u], adjacent_lists_starts,
            adjacent_lists_lengths, adjacent_lists_rooms, adjacent_items_count, adjacent_items, v,
        )
        if not -adjacent_lists_count <= v < adjacent_lists_count:
            raise IndexError("list index out of range")
        adjacent_items_count, adjacent_items = append_to(
            adjacent[v + adjacent_lists_count if v < 0 else v], adjacent_lists_starts,
            adjacent_lists_lengths, adjacent_lists_rooms, adjacent_items_count, adjacent_items, u,
        )
    if adjacent_lists_count <= 0:
        raise IndexError("list assignment index out of range")
    steps = np.full(adjacent_lists_count, -1, np.int64)
    steps[0] = 0
    queue = np.empty(8, np.int64)
    queue[0] = 0
    place = 0
    queue_count = 1
    while place < queue_count:
        n = len(queue)
        u = queue[place]
        place += 1
        if not -adjacent_lists_count <= u < adjacent_lists_count:
            raise IndexError("list index out of range")
        t = u + adjacent_lists_count if u < 0 else u
        t2 = adjacent[t]
        length = adjacent_lists_lengths[t2]
        start = adjacent_lists_starts[t2]
        t2 = queue_count + max(length, 0)
        if t2 > n:
            queue2 = np.empty(max(2 * n + 8, t2), np.int64)
            for i in range(n):
                queue2[i] = queue[i]
            queue = queue2
        for i in range(length):
            v = adjacent_items[start + i]
            if not -adjacent_lists_count <= v < adjacent_lists_count:
                raise IndexError("list index out of range")
            t2 = v + adjacent_lists_count if v < 0 else v
            if steps[t2] < 0:
                steps[t2] = steps[t] + 1
                queue[queue_count] = v
                queue_count += 1
    listed = np.empty(adjacent_lists_count, np.int64)
    for i in range(adjacent_lists_count):
        item = adjacent[i]
        length = adjacent_lists_lengths[item]
        listed[i] = length
    listed = listed[:adjacent_lists_count]
    place = place_of_largest(listed)
    adjacent_lists_starts = adjacent_lists_starts[:adjacent_lists_count]
    adjacent_lists_lengths = adjacent_lists_lengths[:adjacent_lists_count]
    adjacent_items = adjacent_items[:adjacent_items_count]
    t = np.int64(-9223372036854775807) - 1
    for i in range(adjacent_lists_count):
        t = max(t, steps[i])
    return t, adjacent[place], adjacent_lists_starts, adjacent_lists_lengths, adjacent_items


def near(n, us, vs):
    t, t2, adjacent_lists_starts, adjacent_lists_lengths, adjacent_items = near_parts(n, us, vs)
    items = list(adjacent_items)
    lists = [items[k : k + n] for k, n in zip(adjacent_lists_starts.tolist(), adjacent_lists_lengths.tolist())]
    return t, lists[t2]


# What the functions above call.


class IndexErrorWith(IndexError):
    """An IndexError, put together when it is raised."""

    def __new__(cls, place=None, listed_count=None):
        if isinstance(place, BaseException):
            return place
        return IndexError(f"index {place} is out of bounds for axis 0 with size {listed_count}")
