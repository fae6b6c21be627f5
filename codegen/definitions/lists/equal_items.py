"""Which items of a list are equal to a value, and lists to lists, where a class of the user's says when."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np


def equal_items(items, x):
    """Of each item whether it is."""
    same = np.empty(len(items), np.bool_)
    for k in range(len(items)):
        same[k] = items[k] == x
    return same


def equal_one_by_one(xs, ys):
    """Whether two lists have as many items, and each is equal to the other's."""
    if len(xs) != len(ys):
        return False
    for k in range(len(xs)):
        same = xs[k] == ys[k]
        if not same:
            return False
    return True
