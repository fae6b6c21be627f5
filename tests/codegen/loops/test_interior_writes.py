"""Slices that are written from what is around them; sizes that slices share; arrays that a loop makes once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_numba import module
from user_programs import loaded

from codegen import jit


def text(f: Callable[..., Any], *args: Any) -> str:
    """The emitted text; run as plain Python it gives what the function gives."""
    made: str = jit(f).source(*args)
    with np.errstate(all="ignore"):
        found, wanted = module(made)[f.__name__](*args), f(*args)
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
    return made


def heat(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 2:] = u[1:-1, 2:] + 0.1 * (u[2:, 2:] + u[:-2, 2:] - u[1:-1, :-2] - u[1:-1, 1:-1])
    return u


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (1, 1), (2, 1), (3, 0), (2, 2), (3, 2), (3, 3), (6, 9)])
def test_what_is_inside_a_frame_goes_into_a_new_array(shape: tuple[int, int]) -> None:
    u = np.random.default_rng(0).normal(size=shape)
    made = text(heat, u, 3)
    if u.size == 1:  # a number
        return
    assert "u, u2 = u2, u" in made
    assert made.count("np.empty(") == 1 and made.count("copy()") == 1


def wide_frame(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[3:-2] = 0.5 * (u[:-5] + u[5:])
    return u


@pytest.mark.parametrize("n", range(9))
def test_frames_of_every_width_around_arrays_of_every_size(n: int) -> None:
    text(wide_frame, np.arange(float(n)), 2)


def the_same_places(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = 2.0 * u[1:-1]
    return u


def not_by_elements(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:] = np.cumsum(u[:-1])
    return u


def the_whole_too(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:] = u[:-1] + np.sum(u)
    return u


def backwards(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[::-1] = u + 1.0
    return u


def kept(u, steps):
    before = u.copy()
    after = u.copy()
    for _ in range(steps):
        before = after.copy()
        after[1:] = 0.5 * after[:-1]
    return before, after


@pytest.mark.parametrize("f", [the_same_places, not_by_elements, the_whole_too, backwards, kept])
def test_other_writes_of_slices_give_what_they_gave(f: Any) -> None:
    for n in (1, 2, 7):
        text(f, np.arange(1.0, n + 1.0), 3)


def test_the_same_places_are_written_where_they_are() -> None:
    assert "u[t] = 2.0 * u[t]" in text(the_same_places, np.arange(5.0), 3)


def doubled(u, steps):
    u = u.copy()
    for _ in range(steps):
        d = u[2:] - u[:-2]
        "DOUBLINGS"
        u[1:-1] = d
    return u


def test_values_that_are_read_twice_are_looked_at_once() -> None:
    lines = "\n        ".join(["d = 0.4 * np.sin(d) * d + d"] * 40)  # 3 ** 40 ways to the first
    f = loaded(inspect.getsource(doubled).replace('"DOUBLINGS"', lines), "doubled")
    assert "u, u2 = u2, u" in jit(f).source(np.arange(5.0), 1)


# ---- sizes ----


def differences(x):
    return x[1:] - x[:-1] + x[1:][:] * x[:-1]


def nested(x):
    return x[1:-1][1:-1] + x[2:][:-2] + x[:-3][1:]


def ends(x):
    return x[:2] + x[-2:]


def joined(x):
    return np.concatenate((x[:1], x[:-1])) + np.concatenate((x[1:], x[-1:])) - x


@pytest.mark.parametrize("f", [differences, ends, joined])
def test_sizes_of_slices_that_are_one_are_not_compared(f: Any) -> None:
    assert "operands could not be broadcast" not in text(f, np.arange(6.0))


def test_sizes_that_differ_are_refused() -> None:
    assert "operands could not be broadcast" not in text(nested, np.arange(9.0)).replace("[:-3]", "")

    def one_short(x):
        return x[1:] + x[:-2]

    with pytest.raises(ValueError, match="operands could not be broadcast"):
        jit(one_short)(np.arange(6.0))
    for n in (0, 1):  # nothing at all on both sides
        assert np.array_equal(jit(one_short)(np.arange(float(n))), np.zeros(0))


# ---- arrays made once ----


def counts(k):
    s = 0.0
    for i in range(k):
        v = np.zeros(k)
        v[i] = 1.0 + i
        s += np.sum(v * v)
    return s


def squares(x, k):
    s = 0.0
    for i in range(k):
        v = np.empty(len(x))
        for j in range(len(x)):
            w = np.full(2, 1.0 * j)
            w[0] += x[j]
            v[j] = np.dot(w, w) * i
        s += v @ x
    return s


def test_arrays_that_last_for_an_iteration_are_made_before_the_loop() -> None:
    for k in (-2, 0, 1, 5):
        made = text(counts, k)
        assert made.index("np.empty(max(k, 0))") < made.index("for ") < made.index("v[:] = 0.0")
    made = text(squares, np.arange(4.0), 3)
    assert made.count("np.empty(") == 1 and made.rindex("np.empty(") < made.index("for ")


def returned(x, k):
    last = x
    for i in range(k):
        v = np.zeros(3)
        v[0] = i
        last = v
    return last


def seen_through(x, k):
    s, last = 0.0, x
    for i in range(k):
        v = np.zeros(4)
        v[1] = i
        last = v[1:]
        s += last[0]
    return s, last


def two_in_turn(x, k):
    a, b = np.zeros(2), np.ones(2)
    for i in range(k):
        c = np.full(2, 1.0 * i)
        a, b = b, c
    return a, b


def called(v, i):
    v[0] = i
    return v


def through_a_call(x, k):
    kept = x
    for i in range(k):
        v = np.zeros(2)
        kept = called(v, i)
    return kept


@pytest.mark.parametrize("f", [returned, seen_through, two_in_turn, through_a_call])
def test_arrays_that_last_longer_are_made_in_each_iteration(f: Any) -> None:
    for k in (0, 1, 2, 5):
        text(f, np.arange(2.0), k)


# ---- arrays that are written from themselves ----

OVERLAPS = [
    "x[:] = x[::-1] + 1.0",
    "x[1:] = x[:-1]",
    "x[1:] = x[:-1] * 2.0",
    "y = x[1:]; x[:-1] = y * 2.0 + x[:-1]",
    "x += x[::-1]",
    "y = x[::-1]; x *= y",
    "x[:] = x * x[0]",
    "x[1:3] += x[:2]",
    "x[:] = np.where(x > 1.0, x[::-1], x)",
    "x[::2] = 3.0 * x[1::2]",
    "x[:] = np.sum(x) + x",
]


@pytest.mark.parametrize("statement", OVERLAPS)
def test_what_is_written_was_read_before(statement: str) -> None:
    f = loaded(f"def f(x):\n    {statement}\n    return x, x[0] - x[-1]\n", "f")
    given, wanted = np.arange(1.0, 7.0), np.arange(1.0, 7.0)
    made = module(jit(f).source(given))["f"](given)
    want = f(wanted)
    np.testing.assert_array_equal(given, wanted)
    np.testing.assert_array_equal(made[0], want[0])
    assert made[1] == want[1]


@pytest.mark.parametrize("value", ["x", "x * 2.0", "x[::-1] + 1.0"])
@pytest.mark.parametrize("statement", ["np.add.at(x, places, {})", "x[places] = {}"])
def test_places_that_are_written_from_the_same_array_are_loops(statement: str, value: str) -> None:
    f = loaded(f"def f(x, places):\n    {statement.format(value)}\n    return x\n", "f")
    places = np.array([1, 1, 2, 0])
    np.testing.assert_array_equal(jit(f)(np.arange(4.0), places), f(np.arange(4.0), places))


def test_what_was_written_when_it_raises_is_seen() -> None:
    def f(x, n):
        for k in range(3):
            x[:] = x + 1.0
            if k == n:
                raise ValueError("stop")
        return x[0]

    given = np.zeros(3)
    with pytest.raises(ValueError, match="stop"):
        module(jit(f).source(given, 1))["f"](given, 1)
    np.testing.assert_array_equal(given, [2.0, 2.0, 2.0])
