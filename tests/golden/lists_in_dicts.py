import numpy as np


def bfs_parts(graph_keys, graph_lengths, graph_items, start):
    n = len(graph_keys)
    graph_lists_starts = np.cumsum(graph_lengths) - graph_lengths
    graph_slots = slots_of(graph_keys, n)
    seen_keys = np.empty(0, np.int64)
    seen_slots = np.zeros(9, np.int64)
    seen_keys, seen_slots = make_room(0, seen_keys, seen_slots)
    n = len(seen_slots)
    at = slot_of(seen_keys, seen_slots, start)
    seen_keys[0] = start
    seen_slots[at] = 1
    seen_slots[n - 1] += 1
    queue = np.empty(8, np.int64)
    queue[0] = start
    order = np.empty(8, np.int64)
    seen_count = 1
    queue_count = 1
    order_count = 0
    while queue_count > 0:
        n = len(queue)
        n2 = len(order)
        queue_0 = queue[0]
        for i in range(queue_count - 1):
            queue[i] = queue[i + 1]
        if order_count >= n2:
            order2 = np.empty(2 * n2 + 8, np.int64)
            order2[:n2] = order
            order = order2
        order[order_count] = queue_0
        order_count += 1
        at = slot_of(graph_keys, graph_slots, queue_0)
        place = graph_slots[at]
        if place <= 0:
            raise KeyError(queue_0)
        length = graph_lengths[place - 1]
        start = graph_lists_starts[place - 1]
        t = queue_count - 1 + max(length, 0)
        if t > n:
            queue2 = np.empty(max(2 * n + 8, t), np.int64)
            queue2[:n] = queue
            queue = queue2
        queue_count -= 1
        for i in range(length):
            n = len(seen_keys)
            n2 = len(seen_slots)
            v = graph_items[start + i]
            at = slot_of(seen_keys, seen_slots, v)
            place = seen_slots[at]
            if not place > 0:
                if not (seen_count < n and seen_slots[n2 - 1] < 2 * (n2 - 1) // 3):
                    seen_keys, seen_slots = make_room_2(seen_count, seen_keys, seen_slots)
                    at = slot_of(seen_keys, seen_slots, v)
                n = len(seen_slots)
                seen_keys[seen_count] = v
                seen_slots[at] = seen_count + 1
                seen_slots[n - 1] += 1
                queue[queue_count] = v
                queue_count += 1
                seen_count += 1
    order = order[:order_count]
    return order


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


def slots_for(keys, count, size):
    """So many slots for the first keys, one being behind them."""
    slots = np.zeros(size + 1, np.int64)
    for place in range(count):
        keys_place = keys[place]
        slots[slot_of(keys, slots, keys_place)] = place + 1
    slots[size] = count
    return slots


def slots_of(keys, count):
    """The slots of a table that has these keys."""
    size = 8
    while size < 3 * count:
        size *= 2
    return slots_for(keys, count, size)


def make_room(table_count, table_keys, table_slots):
    """Make room for one entry more, and slots of which two of three at most are not free with it."""
    if table_count >= 0:
        table_keys2 = np.empty(8, np.int64)
        table_keys2[:0] = table_keys
        table_keys = table_keys2
    if 3 * (table_slots[8] + 1) > 16:
        size = 8
        while size < 3 * (table_count + 1):
            size *= 2
        return table_keys, slots_for(table_keys, table_count, size)
    return table_keys, table_slots


def make_room_2(table_count, table_keys, table_slots):
    """Make room for one entry more, and slots of which two of three at most are not free with it."""
    n = len(table_keys)
    n2 = len(table_slots)
    if table_count >= n:
        table_keys2 = np.empty(2 * n + 8, np.int64)
        table_keys2[:n] = table_keys
        table_keys = table_keys2
    size = n2 - 1
    if 3 * (table_slots[size] + 1) > 2 * size:
        size = 8
        while size < 3 * (table_count + 1):
            size *= 2
        return table_keys, slots_for(table_keys, table_count, size)
    return table_keys, table_slots


def bfs(graph, start):
    graph_keys = np.array([*graph], np.int64)
    graph_lengths = np.array([len(value) for value in graph.values()], np.int64)
    graph_items = np.array([item for value in graph.values() for item in value], np.int64)
    order = bfs_parts(graph_keys, graph_lengths, graph_items, start)
    return order.tolist()


import numpy as np


def add_edge_parts(graph_keys, graph_lengths, graph_items, edge_0, edge_1):
    n = len(graph_keys)
    n2 = len(graph_lengths)
    n3 = len(graph_items)
    graph_lists_starts = np.cumsum(graph_lengths) - graph_lengths
    graph_values = np.arange(n2)
    graph_slots = slots_of(graph_keys, n)
    at = slot_of(graph_keys, graph_slots, edge_0)
    place = graph_slots[at]
    if place > 0:
        graph_lists_count = n
        graph_lists_lengths = graph_lengths
        graph_lists_rooms = graph_lengths
        n = place - 1
    else:
        if n >= n2:
            t = 2 * n2
            graph_lists_starts2 = np.empty(t + 8, np.int64)
            graph_lists_starts2[:n2] = graph_lists_starts
            graph_lengths2 = np.empty(t + 8, np.int64)
            graph_lengths2[:n2] = graph_lengths
            graph_lengths3 = np.empty(t + 8, np.int64)
            graph_lengths3[:n2] = graph_lengths
            graph_lists_starts = graph_lists_starts2
            graph_lengths = graph_lengths2
        else:
            graph_lengths3 = graph_lengths
        graph_lists_starts[n] = 0
        graph_lengths = graph_lengths.copy()
        graph_lengths[n] = 0
        graph_lengths2 = graph_lengths3.copy()
        graph_lengths2[n] = 0
        graph_keys, graph_values, graph_slots = make_room(n, graph_keys, graph_values, graph_slots)
        n2 = len(graph_slots)
        at = slot_of(graph_keys, graph_slots, edge_0)
        graph_keys = graph_keys.copy()
        graph_keys[n] = edge_0
        graph_values[n] = n
        graph_slots[at] = n + 1
        graph_slots[n2 - 1] += 1
        graph_lists_count = n + 1
        graph_lists_lengths = graph_lengths
        graph_lists_rooms = graph_lengths2
    n2 = len(graph_lists_starts)
    n4 = len(graph_keys)
    n5 = len(graph_slots)
    graph_lists_starts, graph_lists_lengths, graph_lists_rooms, graph_items_count, graph_items = append_to(
        n, graph_lists_starts, graph_lists_lengths.copy(), graph_lists_rooms.copy(), n3,
        graph_items.copy(), edge_1,
    )
    at = slot_of(graph_keys, graph_slots, edge_1)
    place = graph_slots[at]
    if place > 0:
        t = graph_values[place - 1]
    else:
        if graph_lists_count >= n2:
            t = 2 * n2
            graph_lists_starts2 = np.empty(t + 8, np.int64)
            graph_lists_starts2[:n2] = graph_lists_starts
            graph_lists_lengths2 = np.empty(t + 8, np.int64)
            graph_lists_lengths2[:n2] = graph_lists_lengths
            graph_lists_rooms2 = np.empty(t + 8, np.int64)
            graph_lists_rooms2[:n2] = graph_lists_rooms
            graph_lists_starts = graph_lists_starts2
            graph_lists_lengths = graph_lists_lengths2
            graph_lists_rooms = graph_lists_rooms2
        graph_lists_starts[graph_lists_count] = 0
        graph_lists_lengths[graph_lists_count] = 0
        graph_lists_rooms[graph_lists_count] = 0
        if not (graph_lists_count < n4 and graph_slots[n5 - 1] < 2 * (n5 - 1) // 3):
            graph_keys, graph_values, graph_slots = make_room(
                graph_lists_count, graph_keys, graph_values, graph_slots,
            )
            at = slot_of(graph_keys, graph_slots, edge_1)
        n = len(graph_slots)
        graph_keys = graph_keys.copy()
        graph_keys[graph_lists_count] = edge_1
        graph_values[graph_lists_count] = graph_lists_count
        graph_slots[at] = graph_lists_count + 1
        graph_slots[n - 1] += 1
        t = graph_lists_count
        graph_lists_count += 1
    graph_lists_starts, graph_lists_lengths, graph_lists_rooms, graph_items_count, graph_items = append_to(
        t, graph_lists_starts, graph_lists_lengths, graph_lists_rooms, graph_items_count,
        graph_items, edge_0,
    )
    at = slot_of(graph_keys, graph_slots, edge_0)
    place = graph_slots[at]
    if place > 0:
        t = graph_values[place - 1]
        start = graph_lists_starts[t]
        length = graph_lists_lengths[t]
        graph_items2 = graph_items[start:start + length]
        graph_items2 = graph_items2[:length]
        graph_lists_lengths[t] = 0
        graph_lists_starts, graph_lists_lengths, graph_items_count, graph_items = extend_by(
            t, graph_lists_starts, graph_lists_lengths, graph_lists_rooms, graph_items_count,
            graph_items, length, ordered(graph_items2),
        )
    graph_keys = graph_keys[:graph_lists_count]
    graph_values = graph_values[:graph_lists_count]
    graph_lists_starts = graph_lists_starts[:graph_lists_count]
    graph_lists_lengths = graph_lists_lengths[:graph_lists_count]
    graph_items = graph_items[:graph_items_count]
    graph_keys = graph_keys.copy()
    return (
        graph_lists_count, graph_keys, graph_values, graph_lists_starts, graph_lists_lengths,
        graph_items,
    )


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


def slots_for(keys, count, size):
    """So many slots for the first keys, one being behind them."""
    slots = np.zeros(size + 1, np.int64)
    for place in range(count):
        keys_place = keys[place]
        slots[slot_of(keys, slots, keys_place)] = place + 1
    slots[size] = count
    return slots


def slots_of(keys, count):
    """The slots of a table that has these keys."""
    size = 8
    while size < 3 * count:
        size *= 2
    return slots_for(keys, count, size)


def make_room(table_count, table_keys, table_values, table_slots):
    """Make room for one entry more, and slots of which two of three at most are not free with it."""
    n = len(table_keys)
    t = len(table_values)
    n2 = len(table_slots)
    if table_count >= n:
        t2 = 2 * n
        table_keys2 = np.empty(t2 + 8, np.int64)
        table_keys2[:n] = table_keys
        table_values2 = np.empty(t2 + 8, np.int64)
        table_values2[:t] = table_values
        table_keys = table_keys2
        table_values = table_values2
    size = n2 - 1
    if 3 * (table_slots[size] + 1) > 2 * size:
        size = 8
        while size < 3 * (table_count + 1):
            size *= 2
        return table_keys, table_values, slots_for(table_keys, table_count, size)
    return table_keys, table_values, table_slots


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
            held_items2[:n] = held_items
            held_items = held_items2
        for k in range(length):
            held_items[held_items_count + k] = held_items[start + k]
        held_lists_starts[held_list] = held_items_count
        held_lists_rooms[held_list] = t + 2
        held_items_count = t2
    held_items[held_lists_starts[held_list] + length] = item
    held_lists_lengths[held_list] = length + 1
    return held_lists_starts, held_lists_lengths, held_lists_rooms, held_items_count, held_items


def extend_by(
    held_list, held_lists_starts, held_lists_lengths, held_lists_rooms, held_items_count,
    held_items, items_count, items,
):
    """`held.extend(items)`"""
    n = len(held_items)
    start = held_lists_starts[held_list]
    length = held_lists_lengths[held_list]
    t = length + items_count
    if t > held_lists_rooms[held_list]:
        t2 = held_items_count + (2 * t + 2)
        if t2 > n:
            held_items2 = np.empty(max(2 * n + 8, t2), np.int64)
            held_items2[:n] = held_items
            held_items = held_items2
        for k in range(length):
            held_items[held_items_count + k] = held_items[start + k]
        held_lists_starts[held_list] = held_items_count
        held_items_count = t2
    start = held_lists_starts[held_list] + length
    for k in range(items_count):
        held_items[start + k] = items[k]
    held_lists_lengths[held_list] = t
    return held_lists_starts, held_lists_lengths, held_items_count, held_items


def add_edge(graph, edge):
    graph_keys = np.array([*graph], np.int64)
    graph_lengths = np.array([len(value) for value in graph.values()], np.int64)
    graph_items = np.array([item for value in graph.values() for item in value], np.int64)
    edge_0 = edge[0]
    edge_1 = edge[1]
    graph_lists_count, graph_keys2, graph_values, graph_lists_starts, graph_lists_lengths, graph_items2 = add_edge_parts(graph_keys, graph_lengths, graph_items, edge_0, edge_1)
    items = graph_items2.tolist()
    lists = [items[k : k + n] for k, n in zip(graph_lists_starts.tolist(), graph_lists_lengths.tolist())]
    own = [*graph.values()]
    for one, now in zip(own, lists):
        one[:] = now
    lists[: len(own)] = own
    made = {key: lists[k] for key, k in zip(graph_keys2.tolist(), graph_values.tolist())}
    graph.clear()
    graph.update(made)
    return graph_lists_count


# What the functions above call.


def ordered(x: np.ndarray) -> np.ndarray:
    return np.sort(x)
