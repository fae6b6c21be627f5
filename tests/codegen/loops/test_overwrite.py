"""Arrays that a loop makes out of the same places of the ones before are written over them; others are not."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_numba import module

from codegen import jit


def text(f: Callable[..., Any], *args: Any) -> str:
    """The emitted text; run as plain Python it gives what the function gives, and leaves the arguments as they are."""
    made: str = jit(f).source(*args)
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    found, wanted = module(made)[f.__name__](*given), f(*args)
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)
    assert all(np.array_equal(a, b) for a, b in zip(given, args, strict=True))
    return made


def one_place(x, y, n):
    s = np.zeros((4, 3))
    for k in range(n):
        s = s + x[:, None] * y * k
    return s


def of_an_argument(x, y, n):
    for _ in range(n):
        x = np.abs(x) * y[0]
    return x


def two_together(x, y, n):
    a, b = x * 1.0, x * 2.0
    for _ in range(n):
        b = b + a * a
        a = 0.5 * a + b
    return a, b


def summed_before(x, y, n):
    a = x * 1.0
    for _ in range(n):
        a = a / a.sum()
    return a


def one_for_all(x, y, n):
    a = x * 1.0
    for _ in range(n):
        a = a - a[0]
    return a


def in_a_while(x, y, n):
    a, k = x * 1.0, 0
    while np.abs(a).max() > 0.5 and k < 40:
        a = np.where(a > 0.5, 0.9 * a, a)
        k += 1
    return a, k


IN_PLACE = (one_place, of_an_argument, two_together, summed_before, one_for_all, in_a_while)


def other_places(x, y, n):
    a = x * 1.0
    for _ in range(n):
        a = a + a[::-1]
    return a


def transposed(x, y, n):
    a = np.outer(x, x)
    for _ in range(n):
        a = 0.5 * a + a.T
    return a


def kept_too(x, y, n):
    a, before = x * 1.0, x * 0.0
    for _ in range(n):
        a, before = a * 2.0 + before, a
    return a, before


def read_afterwards(x, y, n):
    a, moved = x * 1.0, 0.0
    for _ in range(n):
        b = a * 0.5 + 1.0
        moved += np.dot(a, b[::-1])
        a = b
    return a, moved


def carried_twice(x, y, n):
    a, b = x * 1.0, x * 1.0
    for _ in range(n):
        a = a + 1.0
        b = a
    return a, b


NOT_IN_PLACE = (other_places, transposed, kept_too, read_afterwards)


@pytest.mark.parametrize("f", [*IN_PLACE, *NOT_IN_PLACE, carried_twice], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_values(f: Callable[..., Any], n: int) -> None:
    text(f, np.array([0.5, 1.5, -0.25, 2.0]), np.array([1.0, 0.75, -2.0]), n)


@pytest.mark.parametrize("f", IN_PLACE, ids=lambda f: f.__name__)
def test_no_other_array_is_made_where_each_element_is_of_its_own_place(f: Callable[..., Any]) -> None:
    made = text(f, np.array([0.5, 1.5, -0.25, 2.0]), np.array([1.0, 0.75, -2.0]), 4)
    assert not re.search(r"(\w+), (\w+) = \2, \1", made), made


@pytest.mark.parametrize("f", NOT_IN_PLACE, ids=lambda f: f.__name__)
def test_another_is_made_where_old_elements_are_still_read(f: Callable[..., Any]) -> None:
    made = text(f, np.array([0.5, 1.5, -0.25, 2.0]), np.array([1.0, 0.75, -2.0]), 4)
    (loop,) = [k for k, line in enumerate(made.splitlines()) if line.startswith("    for _ in range")]
    assert "np.empty" in made or ".copy()" in made.splitlines()[loop:], inspect.getsource(f) + made
