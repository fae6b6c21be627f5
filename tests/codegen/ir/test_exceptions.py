"""What plain Python raises is raised, with its class and its arguments, whether or not anything needs the value.

PYTEST_DONT_REWRITE: the messages of assertions are compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, batch
from autodiff import grad, value_and_grad
from codegen import SourceError, jit

LIMIT = 4


class Far(ValueError):
    def __init__(self, a: Any, b: Any):
        super().__init__(f"{a} is {b} away", b)


class Farther(Far):
    pass


def raises_everything(x, k, a):
    if k == 1:
        raise Farther("it", 3)
    if k == 2:
        raise ValueError(f"{x} is over {LIMIT}, {a} {{}} 'a' \n {x:.3f} {k=} {k:>{LIMIT}}{(k, 0.5)}")
    if k == 3:
        raise ValueError("%d of %s" % (k, x))
    if k == 4:
        raise ValueError("{} of {y:.2f}".format(k, y=x))
    if k == 5:
        raise KeyError("k" + str(k) + repr(LIMIT), k, (k, [k]))
    if k == 6:
        raise ValueError
    if k == 7:
        raise IndexError("a") from KeyError(k)
    if k == 8:
        raise np.linalg.LinAlgError("singular")
    assert k != 9, f"bad {k}"
    assert k != 10
    assert k != 11, "eleven"
    assert k != 12, k
    if k == 13:
        raise OSError(2, "no")
    if k == 14:
        raise Far(float("inf"), k)
    if k == 15:
        raise StopIteration from None
    return x + a[k]


def read_in_a_loop(x, k):
    s = 0.0
    for i in range(k):
        s += x[i]
    return x[0]


def table(x, k):
    t = np.array([1.0, 2.0, 3.0])
    return 2.0 * x[0] + t[k]


def written(x, k):
    y = np.zeros(3)
    y[k] = 1.0
    return x[0]


def gathered(x, k):
    x[np.array([0, 1]) + k]
    return x[0]


def both_ways_the_same(x, k):
    if k > 100:
        y = x[k]
    else:
        y = x[k]
    return x[0]


def of_nothing(x, k):
    np.max(x[: k - 7])
    return x[0]


def filled(x, k):
    np.zeros(3)[k]
    return x[0]


def two_errors(x, k):
    a = x[k]
    if k == 7:
        raise ValueError("seven")
    return a


def written_in_a_loop(x, k):
    y = x.copy()
    for i in range(k):
        y[i] = y[i - 1] + 1
    return x[0]


def while_reading(x, k):
    i = 0
    while i < k:
        x[i]
        i += 1
    return x[0]


def called(x, k):
    table(x, k)
    return x[0]


def of_an_empty_place(x, k):
    x.reshape(3, 1)[k][0]
    np.argmax(x[k:k])
    return x[0]


UNUSED = (
    read_in_a_loop,
    table,
    written,
    gathered,
    both_ways_the_same,
    of_nothing,
    filled,
    two_errors,
    written_in_a_loop,
    while_reading,
    called,
    of_an_empty_place,
)


def read_then_root(x, k, v):
    return x[k] + math.sqrt(v)


def root_then_read(x, k, v):
    return math.sqrt(v) + x[k] * int(v)


def write_then_raise(x, k, v):
    y = x.copy()
    y[k] = 1.0
    z = y[0] + x[1]
    if v < 0:
        raise ValueError("v")
    return z + y[2]


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return repr(f(*args))
    except Exception as error:
        return type(error), error.args, repr(error.__cause__)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_what_is_raised(target: str) -> None:
    f, a = jit(raises_everything, target=target), np.array([1.5, 2.0])
    for k in range(1, 20):
        assert outcome(f, 0.1, k, a) == outcome(raises_everything, 0.1, k, a), k
    assert f(0.1, 0, a) == raises_everything(0.1, 0, a)
    found = outcome(f, np.float32(0.1), 3, a)
    assert found == outcome(raises_everything, np.float32(0.1), 3, a)


@pytest.mark.parametrize("f", UNUSED, ids=lambda f: f.__name__)
def test_errors_of_what_nobody_needs(f: Any) -> None:
    for k in (7, 1, -9):
        want = outcome(f, np.ones(3), k)
        assert outcome(lambda *a: float(jit(f, target="numpy")(*a)), np.ones(3), k) == outcome(
            lambda *a: float(f(*a)), np.ones(3), k
        )
        for transformed in (grad(f, target="numpy"), value_and_grad(f, target="numpy")):
            if isinstance(want, tuple):
                assert outcome(transformed, np.ones(3), k) == want
            else:
                transformed(np.ones(3), k)


@pytest.mark.parametrize("f", (read_then_root, root_then_read, write_then_raise), ids=lambda f: f.__name__)
def test_the_first_of_two_errors_is_raised(f: Any) -> None:
    for transformed in (jit(f, target="numpy"), grad(f, target="numpy")):
        for k in (1, 9):
            for v in (-1.0, float("nan"), 4.0):
                want, found = outcome(f, np.ones(3), k, v), outcome(transformed, np.ones(3), k, v)
                if isinstance(want, tuple):
                    assert found == want


def all_of_them(x, k, which):
    if which == 0:
        read_in_a_loop(x, k)
    elif which == 1:
        table(x, k)
    elif which == 2:
        written(x, k)
    elif which == 3:
        gathered(x, k)
    elif which == 4:
        of_nothing(x, k)
    elif which == 5:
        filled(x, k)
    elif which == 6:
        two_errors(x, k)
    elif which == 7:
        of_an_empty_place(x, k)
    return x[0]


@pytest.mark.turns(4)
def test_errors_of_what_nobody_needs_compiled() -> None:
    f, g = jit(all_of_them), grad(all_of_them)
    for which in range(8):
        for k in (7, -9, 1):
            want = outcome(all_of_them, np.ones(3), k, which)
            if isinstance(want, tuple):
                assert outcome(f, np.ones(3), k, which) == want
                assert outcome(g, np.ones(3), k, which) == want
            else:
                assert f(np.ones(3), k, which) == 1.0


@pytest.mark.turns(4)
def test_lanes_say_what_their_function_says() -> None:
    """In failures are the exceptions that the function raises for one element of each argument."""
    a, ks = np.array([1.5, 2.0]), np.arange(1, 18)
    for target in ("numpy", "numba"):
        with pytest.raises(LaneError) as caught:
            batch(raises_everything, (0, 0, None), target=target)(np.full(17, 0.1), ks, a)
        assert caught.value.lanes == tuple(range(17))
        for lane, failure in enumerate(caught.value.failures):
            error, want = failure.error, outcome(raises_everything, np.float64(0.1), ks[lane], a)
            assert error is not None
            assert (type(error), error.args, repr(error.__cause__)) == want
            assert (failure.exception, failure.message) == (type(error).__name__, str(error))


def counts_down(n):
    if n == 0:
        return 1
    if n == 4:
        raise ValueError("four")
    return counts_down(n - 1)


def long_way(x, k):
    for i in range(1_000_000):
        x += i
    if k > 3:
        raise ValueError(f"{k} and {x}")
    return x


@pytest.mark.turns(4)
def test_lanes_that_raise_at_the_end_of_a_recursion_or_all_at_once_or_late() -> None:
    for target in ("numpy", "numba"):
        np.testing.assert_array_equal(batch(counts_down, target=target)(np.array([3, 2])), [1, 1])
        with pytest.raises(LaneError, match="^1 of 2 lanes failed\n  lane 1: ValueError: four"):
            batch(counts_down, target=target)(np.array([3, 5]))
        with pytest.raises(LaneError, match="lane 1: ValueError: attempt to get argmax of an empty sequence"):
            batch(lambda x: np.argmax(x), target=target)(np.zeros((2, 0)))
        with pytest.raises(ValueError, match="attempt to get argmin of an empty sequence"):
            jit(lambda x: 0 * np.argmin(x[1:]), target=target)(np.zeros(1))
    with pytest.raises(LaneError) as caught:
        batch(long_way)(np.zeros(2), np.array([1, 5]))
    assert caught.value.failures[0].message == "{k} and {x}"  # to run it again would take long


def scaled_off(q, y):
    mu, log_sigma = q
    return np.sum(np.exp(-log_sigma) * (y - mu))


@pytest.mark.parametrize("n", [2, 0, 1, 3, 9])
def test_arrays_of_unknown_length_are_unpacked(n: int) -> None:
    """Into as many names as they have rows, else an error as Python's."""
    q, y = np.arange(n) / 3.0, np.arange(4.0)
    ways = (
        jit(scaled_off, target="numpy"),
        lambda *given: value_and_grad(scaled_off, target="numpy")(*given)[0],
    )
    if n == 2:
        assert all(way(q, y) == pytest.approx(scaled_off(q, y), rel=1e-15) for way in ways)
        return
    with pytest.raises(ValueError) as plain:
        scaled_off(q, y)
    for way in ways:
        with pytest.raises(SourceError if n == 1 else ValueError) as ours:  # one place is known beforehand
            way(q, y)
        assert n == 1 or str(ours.value) == str(plain.value)


def test_a_size_that_is_one_in_a_branch_is_asked_for_after_it():
    def sized(n):
        if n >= 0:
            np.zeros(n)
        np.eye(n)
        return n

    assert jit(sized, target="numpy")(2) == 2
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        jit(sized, target="numpy")(-1)


def two_limits(x, y):
    if x > LIMIT:
        raise ValueError(f"{x} is over {LIMIT}")
    if y > LIMIT:
        raise ValueError(f"{y} is over {LIMIT}")
    return x + y


def test_one_class_says_what_is_said_of_values_of_other_names() -> None:
    compiled = jit(two_limits)
    for given in ((5.5, 1.0), (1.0, 7.25)):
        with pytest.raises(ValueError, match=f"{max(given)} is over 4"):
            compiled(*given)
    assert compiled.source(1.0, 1.0).count("class ") == 1
