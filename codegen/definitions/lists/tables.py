"""Dicts and sets whose keys are numbers: entries in the order in which their keys came, and slots that tell where.

A slot has the place of an entry, from 1 on, 0 where none was, LEFT where one was; behind the last one is how many are
not 0. A key is looked for in the slot that its lowest bits say, then where the others lead, which come in step by step,
as in CPython (Objects/dictobject.c): so that ints that follow one another have slots that do. `inside` and its like are
built where they are called (infer/tables/parts.py): none of them asks whether a place is there.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import own_function

LEAST_SLOTS = 8
LEFT = -1


def inside(x, place):
    """The element of an array at a place that it has."""
    return x[place]


def keys_in(table):
    """The keys of a table's entries, with room for more."""


def slots_in(table):
    """The slots of a table."""


def key_at(keys, place):
    """The key at a place."""


def is_key(keys, place, key):
    """Whether the key at a place is this one."""


def scrambled(key):
    """An int that is not negative for a key: of an int its bits, of a tuple of ints what all of them make."""


def fill(x, place, value):
    """`x[place] = value` at a place that there is."""
    x[place] = value


def free_slots(size):
    """So many slots that are free, one being behind them."""
    return np.zeros(size + 1, np.int64)


def new_slots(table, slots):
    """Give a table other slots."""


def has_room(table):
    """Whether there is room for one entry more, and two slots of three at most are not free with it."""


def make_room_for_entry(table):
    """Make the arrays of the entries longer if there is no room for one more."""


def write_entry(table, at, *entry):
    """Write a key, and its value, behind the last entry, where there is room, and its place into a free slot."""


def write_value(table, place, value):
    """Give the entry at a place another value."""


def copy_entry(table, to, of):
    """Give a place the entry at another one."""


def drop_last(table):
    """Forget the last entry."""


def elements(table):
    """The keys of a dict or set, as a list."""


@own_function
def slot_of(keys, slots, key):
    """The slot of a key, or the free one where it would be."""
    last = len(slots) - 2
    rest = scrambled(key)
    at = rest & last
    place = inside(slots, at)
    while place != 0 and (place < 0 or not is_key(keys, place - 1, key)):
        rest >>= 5
        at = (5 * at + rest + 1) & last
        place = inside(slots, at)
    return at


@own_function
def slots_for(keys, count, size):
    """So many slots for the first keys, one being behind them."""
    slots = free_slots(size)
    for place in range(count):
        fill(slots, slot_of(keys, slots, key_at(keys, place)), place + 1)
    fill(slots, size, count)
    return slots


def size_for(count):
    """How many slots so many keys have."""
    size = LEAST_SLOTS
    while size < 3 * count:
        size *= 2
    return size


@own_function
def slots_of(keys, count):
    """The slots of a table that has these keys."""
    return slots_for(keys, count, size_for(count))


@own_function
def make_room(table):
    """Make room for one entry more, and slots of which two of three at most are not free with it."""
    make_room_for_entry(table)
    size = len(slots_in(table)) - 1
    if 3 * (inside(slots_in(table), size) + 1) > 2 * size:
        new_slots(table, slots_for(keys_in(table), len(table), size_for(len(table) + 1)))


def put_new(table, at, *entry):
    """Put an entry whose key is not there behind the last one; `at`: the slot of the key."""
    if not has_room(table):
        make_room(table)
        at = slot_of(keys_in(table), slots_in(table), entry[0])
    write_entry(table, at, *entry)


def put(table, key, value):
    """`table[key] = value`"""
    at = slot_of(keys_in(table), slots_in(table), key)
    place = inside(slots_in(table), at)
    if place > 0:
        write_value(table, place - 1, value)
    else:
        put_new(table, at, key, value)


def add(table, key):
    """`table.add(key)`"""
    at = slot_of(keys_in(table), slots_in(table), key)
    if inside(slots_in(table), at) == 0:
        put_new(table, at, key)


@own_function
def remove_key(table, key):
    """Remove the entry of a key that is there: those behind it come one place forward."""
    at = slot_of(keys_in(table), slots_in(table), key)
    place, last = inside(slots_in(table), at) - 1, len(table) - 1
    if place == last:
        fill(slots_in(table), at, LEFT)
        drop_last(table)
    else:
        for k in range(place, last):
            copy_entry(table, k, k + 1)
        drop_last(table)
        new_slots(table, slots_for(keys_in(table), last, len(slots_in(table)) - 1))


@own_function
def remove_element(table, key):
    """Remove an element of a set, that is there: the last one comes to its place."""
    at = slot_of(keys_in(table), slots_in(table), key)
    place, last = inside(slots_in(table), at) - 1, len(table) - 1
    moved = slot_of(keys_in(table), slots_in(table), key_at(keys_in(table), last))
    fill(slots_in(table), moved, place + 1)
    fill(slots_in(table), at, LEFT)
    copy_entry(table, place, last)
    drop_last(table)


@own_function
def put_all(table, pairs):
    """`table.update(pairs)`"""
    for key, value in pairs:
        put(table, key, value)


@own_function
def put_each(table, keys, value):
    """`dict.fromkeys(keys, value)`"""
    for key in keys:
        put(table, key, value)


@own_function
def count_all(table, keys):
    """`Counter(keys)`"""
    for key in keys:
        put(table, key, table.get(key, 0) + 1)


@own_function
def most_common(table, n=None):
    """The keys and their counts, the greatest first."""
    pairs = sorted(table.items(), key=lambda pair: pair[1], reverse=True)
    return pairs if n is None else pairs[:n]


@own_function
def add_all(table, keys):
    """`table |= keys`"""
    for key in keys:
        add(table, key)


@own_function
def add_common(table, left, right):
    """`table |= left & right`"""
    for key in elements(left):
        if key in right:
            add(table, key)


@own_function
def add_others(table, left, right):
    """`table |= left - right`"""
    for key in elements(left):
        if key not in right:
            add(table, key)


@own_function
def is_within(left, right):
    """`left <= right`"""
    return all(key in right for key in elements(left))


@own_function
def is_apart(left, right):
    """`left.isdisjoint(right)`"""
    return all(key not in right for key in elements(left))


@own_function
def same_entries(left, right):
    """`left == right` of dicts"""
    return len(left) == len(right) and all(
        key in right and right[key] == value for key, value in left.items()
    )
