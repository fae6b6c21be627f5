"""A lane that fails fails alone: it is named with the user's line, and the other lanes have their results."""

import inspect
import math
import traceback
from typing import Any

import numpy as np
import pytest
from over_lanes import directory  # noqa: F401

from autobatch import LaneError, Schedule, batch, streams
from autodiff import grad
from codegen import SourceError, jit

FORMS = [
    ("numba", "program_counter"),
    ("numba", "auto"),
    ("numba", "local_static"),
    ("numpy", "program_counter"),
    ("numpy", "local_static"),
]
over_forms = pytest.mark.parametrize("target, form", FORMS)


def raises(x):
    if x < 0.0:
        raise ValueError("below zero")
    assert x != 3.0, "three"
    return 1.0 / x


def reads(x, k):
    total = 0.0
    for i in range(k):
        total += x[i]
    return total


def writes(x, k):
    x[k] = 5.0
    return x


def descends(n):
    if n < 0:
        raise ArithmeticError("below zero")
    return 0 if n == 0 else 1 + descends(n - 1)


def divides_its_way(n, m):
    while n != 1:
        if n % m != 0:
            raise ZeroDivisionError
        n = n // m
        m = m + 1
    return n, m


def draws_and_raises(rng, k):
    total = 0.0
    for i in range(3):
        total += rng.standard_normal()
        if i == k:
            raise RuntimeError("stopped")
    return total


def failing(f: Any, target: str, form: str, *args: Any) -> LaneError:
    with pytest.raises(LaneError) as error:
        batch(f, schedule=Schedule(form), target=target)(*args)
    return error.value


def line_of(f: Any, text: str) -> int:
    lines, start = inspect.getsourcelines(f)
    return start + next(k for k, line in enumerate(lines) if text in line)


@over_forms
def test_raise_and_assert(target: str, form: str) -> None:
    error = failing(raises, target, form, np.array([1.0, -2.0, 4.0, 3.0, 0.0]))
    assert error.lanes == (1, 3)
    np.testing.assert_array_equal(error.results[[0, 2, 4]], [1.0, 0.25, np.inf])
    one, other = error.failures
    assert (one.exception, one.message) == ("ValueError", "below zero")
    assert (other.exception, other.message) == ("AssertionError", "three")
    assert [f.span.line for f in error.failures] == [line_of(raises, "raise "), line_of(raises, "assert ")]
    assert str(error) == (
        "2 of 5 lanes failed\n"
        f'  lane 1: ValueError: below zero ({__file__}:{line_of(raises, "raise ")}: raise ValueError("below zero"))\n'
        f'  lane 3: AssertionError: three ({__file__}:{line_of(raises, "assert ")}: assert x != 3.0, "three")'
    )


@over_forms
@pytest.mark.parametrize("f, text", [(reads, "total += x[i]"), (writes, "x[k] = 5.0")])
def test_index_out_of_range(f: Any, text: str, target: str, form: str) -> None:
    x, k = np.arange(12.0).reshape(4, 3), np.array([2, 7, -1, 3])
    expected = {reads: [1.0, None, 0.0, 21.0 + 9.0], writes: [[0.0, 1.0, 5.0], None, [6.0, 7.0, 5.0], None]}[
        f
    ]
    error = failing(f, target, form, x, k)
    assert error.lanes == tuple(i for i, e in enumerate(expected) if e is None)
    for i, value in enumerate(expected):
        if value is not None:
            np.testing.assert_array_equal(error.results[i], value)
    assert {f.exception for f in error.failures} == {"IndexError"}
    assert {f.span.line for f in error.failures} == {line_of(f, text)}
    left = np.arange(12.0).reshape(4, 3)  # lanes that fail write nothing
    if f is writes:
        left[[0, 2]] = [value for value in expected if value is not None]
    np.testing.assert_array_equal(x, left)


@pytest.mark.sampled(2)
@over_forms
def test_errors_in_recursion_and_loops(target: str, form: str) -> None:
    error = failing(descends, target, form, np.array([3, -1, 0, 9]))
    assert error.lanes == (1,) and error.failures[0].span.line == line_of(descends, "raise ")
    np.testing.assert_array_equal(error.results[[0, 2, 3]], [3, 0, 9])
    error = failing(divides_its_way, target, form, np.array([6, 7, 24, 1]), np.array([2, 2, 2, 5]))
    assert error.lanes == (1,) and str(error.failures[0]).startswith("lane 1: ZeroDivisionError (")
    for found, wanted in zip(error.results, ([1, 1, 1], [4, 5, 5])):
        np.testing.assert_array_equal(found[[0, 2, 3]], wanted)


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_stack_limit(target: str) -> None:
    many = batch(descends, schedule=Schedule("program_counter", stack_limit=10), target=target)
    with pytest.raises(LaneError) as error:
        many(np.array([3, 10, 11, 500]))
    assert error.value.lanes == (2, 3)
    assert {f.exception for f in error.value.failures} == {"RecursionError"}
    np.testing.assert_array_equal(error.value.results[:2], [3, 10])


def forgets(n):
    return 0 if n == 0 else 1 + forgets(n - 1)


def swells(n, x):
    return np.sum(x) if n == 0 else swells(n - 1, x + 1.0) - np.sum(x)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_a_lane_that_runs_away_fails_alone(target: str) -> None:
    ns = np.array([1, -1, 2])
    cases = [(swells, (ns, np.zeros((3, 2000)))), (forgets, (ns,))]
    for f, given in cases[:1] if target == "numpy" else cases:  # a million frames take a minute there
        error = failing(f, target, "auto", *given)
        assert error.lanes == (1,) and type(error.failures[0].error) is RecursionError
        assert error.failures[0].message == "maximum recursion depth exceeded"
        assert error.failures[0].span.line == line_of(f, f.__name__ + "(n - 1")
        np.testing.assert_array_equal(error.results[[0, 2]], [1, 2] if f is forgets else [2000.0, 2000.0])


def test_the_stack_limit_is_of_frames_and_of_memory() -> None:
    assert Schedule().deepest(16, 1) == 1_000_000
    assert Schedule().deepest(2**14, 1) == 2**14
    assert Schedule().deepest(2**14, 64) == 1_000
    assert Schedule(stack_limit=7).deepest(2**14, 64) == 7


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_stacks_that_grow(target: str) -> None:
    many = batch(descends, schedule=Schedule("program_counter"), target=target)
    deep = np.array([3, 5000, 11])
    np.testing.assert_array_equal(many(deep), deep)


def test_deep_recursion_by_the_hosts_calls() -> None:
    deep = np.array([3, 50_000, 11, 9_999])
    np.testing.assert_array_equal(batch(descends)(deep), deep)
    error = failing(descends, "numba", "auto", np.array([3, 50_000, -4]))
    assert error.lanes == (2,)
    np.testing.assert_array_equal(error.results[:2], [3, 50_000])


@pytest.mark.parametrize("target, form", [f for f in FORMS if f != ("numba", "auto")])
def test_streams_of_the_others(target: str, form: str) -> None:
    rngs, alone = streams(4, 4), streams(4, 4)
    k = np.array([5, 0, 5, 1])
    with pytest.raises(LaneError) as error:
        batch(draws_and_raises, schedule=Schedule(form), target=target)(rngs, k)
    assert error.value.lanes == (1, 3)
    for lane in (0, 2):
        rng = alone[lane]
        assert (
            error.value.results[lane] == rng.standard_normal() + rng.standard_normal() + rng.standard_normal()
        )
        assert rngs[lane].random() == rng.random()


def test_more_failures_than_are_listed() -> None:
    error = failing(raises, "numpy", "local_static", -np.ones(8))
    assert len(str(error).splitlines()) == 7 and str(error).endswith("\n  and 3 more")


def fails_anywhere(x, y):
    """Short rounds, a loop that is written out with branches in it, and one that is long: each fails several ways."""
    s, k = x, 0
    while k < 40 and abs(s - y) > 1e-3:
        s = 0.5 * (s + math.sqrt(s + 2.0)) - 0.1
        k = k + 1
    z = np.zeros(8)
    for j in range(8):
        if s > 0.4 * j:
            z[j] = math.sqrt(y + 1.9 - 0.01 * j)
            if y > 2.0 + 0.1 * j:
                raise KeyError("large")
        elif x < -1.2:
            if y <= -0.4:
                raise IndexError("small")
            s = s + math.log(x + 1.6 + 0.05 * j) + math.exp(300.0 * y)
        s = s + z[j] * math.tanh(x)
    for _ in range(60):
        s = math.exp(-x * s * s) * math.sqrt(y + s) - 0.1 * math.log(x + 2.0 + s)
        if s > 30.0 * y + 10.0:
            raise ArithmeticError("far")
    return s


@pytest.mark.turns(4)
def test_what_fails_first_ends_a_lane_side_by_side_too() -> None:
    x, y = 1.2 * np.random.default_rng(1).normal(size=(2, 800))
    many = batch(fails_anywhere, schedule=Schedule(group=32))
    with pytest.raises(LaneError) as error:
        many(x, y)
    told = {each.lane: each for each in error.value.failures}
    for lane in range(len(x)):
        try:
            with np.errstate(all="ignore"):
                value = fails_anywhere(x[lane], y[lane])
        except Exception as plain:
            where = traceback.extract_tb(plain.__traceback__)[-1].lineno
            each = told.pop(lane)
            assert (each.exception, each.message, each.span.line) == (type(plain).__name__, str(plain), where)
        else:
            np.testing.assert_allclose(error.value.results[lane], value, rtol=1e-9)
    assert not told
    assert len({(each.exception, each.span.line) for each in error.value.failures}) > 6


@pytest.mark.parametrize("form", ["auto", "local_static"])
def test_a_loop_that_nothing_ends_is_refused(form):
    def endless(n):
        k = 0
        while n == n:
            k += 1
        return k

    with pytest.raises(SourceError, match="this loop never ends: its condition always holds"):
        batch(endless, schedule=Schedule(form))(np.arange(3))


def test_loops_that_nothing_ends_are_refused_by_jit_and_grad():
    def forever(x):
        while True:
            x += 1.0

    def nested(x):
        for _ in range(3):
            while True:
                x += 1.0
        return x

    for made in (jit(forever, target="numpy"), jit(nested, target="numpy"), grad(nested, target="numpy")):
        with pytest.raises(SourceError, match="this loop never ends: its condition always holds"):
            made(1.0)

    def stuck(n):
        k = 0
        while n > 0:  # or ends at once
            k += 1
        return n

    assert "while n > 0:" in jit(stuck, target="numpy").source(0)
    assert jit(stuck, target="numpy")(0) == 0


def test_a_loop_whose_condition_always_holds_may_be_left():
    def left(n):
        k = 0
        while n == n:
            k += 1
            if k > n:
                return k
        return k

    assert batch(left)(np.arange(3)).tolist() == [1, 2, 3]
