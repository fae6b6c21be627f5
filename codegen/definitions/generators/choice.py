"""Order and choice: shuffle, permutation and choice."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.generators.elements import of_generator
from codegen.definitions.table import refused


def below(self, last):
    """An int of 0 ... last, of as many bits as it has, drawn until they are no more: of 32 where those are enough."""
    mask = 1
    while mask < last:
        mask = 2 * mask + 1
    if last == 0:
        return 0
    made = self.integers(0, 4294967296) & mask
    while made > last:
        made = self.integers(0, 4294967296) & mask
    return made


@of_generator
def shuffle(self, x, axis=0):
    if np.ndim(x) == 0 or axis != 0:
        refused("shuffle takes an array, whose rows it moves: axis=0")
    for i in range(len(x) - 1, 0, -1):
        j = below(self, i)
        if np.ndim(x) == 1:
            x[i], x[j] = x[j], x[i]
        else:
            row = x[i].copy()
            x[i] = x[j]
            x[j] = row


def in_order(self, n):
    """0 ... n - 1 in another order."""
    order = np.arange(n)
    for i in range(n - 1, 0, -1):
        j = below(self, i)
        order[i], order[j] = order[j], order[i]
    return order


@of_generator
def permutation(self, x, axis=0):
    if np.ndim(x) == 0:
        return in_order(self, x)
    return np.take(x, in_order(self, np.shape(x)[axis]), axis)


@of_generator
def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    n = np.shape(a)[axis] if np.ndim(a) else a
    shape = () if size is None else size if isinstance(size, tuple) else (size,)
    count = math.prod(shape)
    if n <= 0 and count > 0:
        raise ValueError(
            "a cannot be empty unless no samples are taken"
            if np.ndim(a)
            else "a must be a positive integer unless no samples are taken"
        )
    if p is not None:
        p = np.asarray(p, np.float64)
        check_probabilities(n, p)
    if replace:
        places = (
            self.integers(0, n, size)
            if p is None
            else np.searchsorted(shares(p), self.random(size), side="right")
        )
    else:
        if count > n:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        found = distinct(self, n, count, shuffle) if p is None else distinct_by(self, p, count)
        places = found[0] if size is None else found.reshape(shape)
    if np.ndim(a):
        return np.take(a, places, axis)
    return int(places) if size is None else places


def check_probabilities(n, p):
    if p.ndim != 1:
        raise ValueError("'p' must be 1-dimensional")
    if len(p) != n:
        raise ValueError("a and p must have same size")
    if np.any(np.isnan(p)):
        raise ValueError("Probabilities contain NaN")
    if np.any(p < 0):
        raise ValueError("Probabilities are not non-negative")
    if abs(np.sum(p) - 1.0) > 1.4901161193847656e-08:
        raise ValueError(
            "Probabilities do not sum to 1. See Notes section of docstring for more information."
        )


def shares(p):
    total = np.cumsum(p)
    return total / total[-1]


def distinct_by(self, p, count):
    """Distinct places by their probabilities: as many at a time as there are to come, without those found before."""
    if np.count_nonzero(p > 0) < count:
        raise ValueError("Fewer non-zero entries in p than size")
    p = p.copy()
    found = np.zeros(count, np.int64)
    have = 0
    while have < count:
        total = shares(p)
        for _ in range(count - have):
            place = np.searchsorted(total, self.random(), side="right")
            if p[place] > 0.0:
                p[place] = 0.0
                found[have] = place
                have += 1
    return found


def distinct(self, n, count, shuffle):
    """Distinct places: the end of all, shuffled, where they are a good part of many; else Floyd's."""
    if n > 10000 and count > n // (50 if shuffle else 20):
        places = np.arange(n)
        mix(self, places, max(n - count, 1))
        return places[n - count :].copy()
    places = np.empty(count, np.int64)
    held = np.full(2 * count + 1, -1)  # a hash table
    for k in range(count):
        last = n - count + k
        value = self.integers(0, last + 1)
        if not entered(held, value):
            value = last
            entered(held, value)
        places[k] = value
    if shuffle:
        mix(self, places, 1)
    return places


def entered(held, value):
    """Whether it was not there."""
    at = value % len(held)
    while held[at] >= 0 and held[at] != value:
        at = (at + 1) % len(held)
    if held[at] == value:
        return False
    held[at] = value
    return True


def mix(self, places, first):
    for i in range(len(places) - 1, first - 1, -1):
        j = self.integers(0, i + 1)
        places[i], places[j] = places[j], places[i]
