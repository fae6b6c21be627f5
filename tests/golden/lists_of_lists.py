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
    t = max(n, 0)
    adjacent_items = np.empty(0, np.int64)
    t2 = min(len(us), len(vs))
    adjacent = np.empty(t, np.int64)
    for i in range(t):
        adjacent[i] = i
    adjacent_lists_starts = np.zeros(t, np.int64)
    adjacent_lists_lengths = np.zeros(t, np.int64)
    adjacent_lists_rooms = np.zeros(t, np.int64)
    adjacent_items_count = 0
    for i in range(t2):
        u = us[i]
        v = vs[i]
        if not -t <= u < t:
            raise IndexError("list index out of range")
        adjacent_items_count, adjacent_items = append_to(
            adjacent[u + t if u < 0 else u], adjacent_lists_starts, adjacent_lists_lengths,
            adjacent_lists_rooms, adjacent_items_count, adjacent_items, v,
        )
        if not -t <= v < t:
            raise IndexError("list index out of range")
        adjacent_items_count, adjacent_items = append_to(
            adjacent[v + t if v < 0 else v], adjacent_lists_starts, adjacent_lists_lengths,
            adjacent_lists_rooms, adjacent_items_count, adjacent_items, u,
        )
    if t <= 0:
        raise IndexError("list assignment index out of range")
    steps = np.full(t, -1, np.int64)
    steps[0] = 0
    queue = np.empty(8, np.int64)
    queue[0] = 0
    place = 0
    queue_count = 1
    while place < queue_count:
        n = len(queue)
        u = queue[place]
        place += 1
        if not -t <= u < t:
            raise IndexError("list index out of range")
        t2 = u + t if u < 0 else u
        t3 = adjacent[t2]
        length = adjacent_lists_lengths[t3]
        start = adjacent_lists_starts[t3]
        t3 = queue_count + max(length, 0)
        if t3 > n:
            queue2 = np.empty(max(2 * n + 8, t3), np.int64)
            for i in range(n):
                queue2[i] = queue[i]
            queue = queue2
        for i in range(length):
            v = adjacent_items[start + i]
            if not -t <= v < t:
                raise IndexError("list index out of range")
            t3 = v + t if v < 0 else v
            if steps[t3] < 0:
                steps[t3] = steps[t2] + 1
                queue[queue_count] = v
                queue_count += 1
    listed = np.empty(t, np.int64)
    for i in range(t):
        length = adjacent_lists_lengths[i]
        listed[i] = length
    listed = listed[:t]
    place = place_of_largest(listed)
    adjacent_lists_starts = adjacent_lists_starts[:t]
    adjacent_lists_lengths = adjacent_lists_lengths[:t]
    adjacent_items = adjacent_items[:adjacent_items_count]
    t2 = np.int64(-9223372036854775807) - 1
    for i in range(t):
        t2 = max(t2, steps[i])
    return t2, place, adjacent_lists_starts, adjacent_lists_lengths, adjacent_items


def near(n, us, vs):
    t, place, adjacent_lists_starts, adjacent_lists_lengths, adjacent_items = near_parts(n, us, vs)
    items = list(adjacent_items)
    lists = [items[k : k + n] for k, n in zip(adjacent_lists_starts.tolist(), adjacent_lists_lengths.tolist())]
    return t, lists[place]


# What the functions above call.


class IndexErrorWith(IndexError):
    """An IndexError, put together when it is raised."""

    def __new__(cls, place=None, listed_count=None):
        if isinstance(place, BaseException):
            return place
        return IndexError(f"index {place} is out of bounds for axis 0 with size {listed_count}")
