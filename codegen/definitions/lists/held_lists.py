"""Lists that are values of dicts whose keys are numbers: their items side by side in arrays that all of them share.

A list has room from its start on; where that is full, it moves behind all others, to twice as much. `start_of` and its
like are built where they are called (infer/tables/list_parts.py): none of them asks whether a place is there.
"""

# mypy: disable-error-code="no-untyped-def"

from codegen.definitions.table import own_function


def list_put(store, xs):
    """The number of a list that is put among those of a store."""


def start_of(held):
    """Where the items of a list begin, among those of all."""


def room_of(held):
    """How many items a list has room for."""


def end_of_items(held):
    """Where the room of all lists ends."""


def more_room(held, more):
    """Room for more items behind that of all lists."""


def set_length(held, length):
    """Give a list another length, for which there is room."""


def set_place(held, start, room):
    """Give a list other room."""


def write_at(held, place, item):
    """Write one of the items of all lists."""


def copy_within(held, to, of):
    """Write one of the items of all lists, another one of which it is."""


def make_room(held, most):
    """Room for so many items, or more."""
    if most > room_of(held):
        start, end = start_of(held), end_of_items(held)
        more_room(held, 2 * most + 2)
        for k in range(len(held)):
            copy_within(held, end + k, start + k)
        set_place(held, end, 2 * most + 2)


@own_function
def append_to(held, item):
    """`held.append(item)`"""
    length = len(held)
    make_room(held, length + 1)
    write_at(held, start_of(held) + length, item)
    set_length(held, length + 1)


@own_function
def extend_by(held, items):
    """`held.extend(items)`"""
    length = len(held)
    make_room(held, length + len(items))
    start = start_of(held) + length
    for k in range(len(items)):
        write_at(held, start + k, items[k])
    set_length(held, length + len(items))
