"""Loops that threads share: which ones, and that the order of their iterations does not matter."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from corpus import CASES, GROWING, Case
from plain_numba import Turn, module, prange
from random_loops import random_loops
from user_programs import loaded

from autodiff import value_and_grad
from codegen import jit
from codegen.emit.whole_arrays import taking_wholes


def out_of_order(*bounds: int) -> list[Turn]:
    """What `prange` counts by, as threads may: in any order."""
    found = [*prange(*bounds)]
    random.Random(0).shuffle(found)
    return found


def shared(f: Callable[..., Any], *args: Any) -> int:
    """How many loops of a function threads share; run in any order it gives what it should."""
    made = jit(f, parallel=True)
    text = made.source(*args)
    scope = module(text)
    scope["prange"] = out_of_order
    with np.errstate(all="ignore"):
        found = scope[made.__name__](*args)
    wanted = f(*args)
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    return text.count("in prange(")


def elementwise(x, w):
    return np.exp(x) * w + np.sin(x)


def sums(x, w):
    return np.sum(x * w), np.max(x)


def weighed(x, w):
    return np.sum(x * w)


def filled(x, w):
    y, s = np.empty(len(x)), 0.0
    for i in range(len(x)):
        v = 0.0
        for k in range(1, 5):
            v += np.sin(k * x[i]) / k
        y[i] = v if v > 0.0 else w[i]
        s += v
    return y, s


def escaping(x, w):
    n = np.zeros((len(x), len(w)), dtype=np.int64)
    for i in range(len(x)):
        for j in range(len(w)):
            a, b = 0.0, 0.0
            while a * a + b * b < 4.0 and n[i, j] < 20:
                a, b = a * a - b * b + x[i], 2.0 * a * b + w[j]
                n[i, j] += 1
    return n


def in_place(x, w):
    x = x.copy()
    for i in range(len(x)):
        if x[i] > 0.0:
            x[i] = x[i] * 2.0
        x[i] += 1.0
    return x


def running(x, w):
    y, s = np.empty(len(x)), 0.0
    for i in range(len(x)):
        s += x[i]
        y[i] = s
    return y


def along(x, w):
    x = x.copy()
    for i in range(1, len(x)):
        x[i] = x[i] + 0.5 * x[i - 1]
    return x


def reversed_into(x, w):
    y = np.zeros(len(x))
    n = len(x)
    for i in range(n):
        y[n - 1 - i] = x[i]
    return y


def scattered(x, w):
    y = np.zeros(3)
    for i in range(len(x)):
        y[i % 3] += x[i]
    return y


def halving(x, w):
    s = 1.0
    for i in range(len(x)):
        s = s * 0.5 + x[i]
    return s


def failing(x, w):
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = np.sin(w[i]) * np.exp(x[i])
        if y[i] > 1e3:
            raise ValueError("too large")
    return y


def few(x, w):
    y = np.empty(5)
    for i in range(5):
        y[i] = w[0] * i
    return y


X, W = np.random.default_rng(0).normal(size=(2, 90))


@pytest.mark.parametrize("f", [elementwise, escaping, in_place])
def test_iterations_that_are_each_their_own_are_shared(f: Any) -> None:
    assert shared(f, X, W) == 1


@pytest.mark.parametrize("f", [running, along, reversed_into, scattered, halving, failing, few])
def test_iterations_that_look_at_each_other_are_not(f: Any) -> None:
    assert shared(f, X, W) == 0


def meeting(x, w):
    y = np.zeros((len(x), 3))
    for i in range(len(x) - 1):
        for k in range(3):
            y[i, k] = x[i + 1] * w[i] + w[k]
    return y


def test_whether_indices_are_in_range_is_asked_before_the_loop() -> None:
    for f in (filled, meeting):
        assert shared(f, X, W) == 1
        made = jit(f, parallel=True)
        scope = module(made.source(X, W))
        with pytest.raises(IndexError):
            scope[f.__name__](X, W[:50])


def domains(x, w):
    for i in range(len(x)):
        if w[i] > 9.0:
            raise ValueError(f"{w[i]} is too large")
        v = np.sin(x[i])
        for k in range(5):
            if x[i] > 0.5:
                v += math.log(x[i] + w[k] + 9.0) * np.exp(0.1 * k * w[i])
        x[i] = v + math.sqrt(w[i] + 8.0)


def guarded(x, w):
    y, s = np.empty(len(x)), 0.0
    for i in range(len(x)):
        k = int(10.0 * abs(w[i]))
        if k >= len(x):
            raise KeyError("beyond")
        y[i] = np.exp(x[k]) + np.sin(w[i]) + math.exp(x[i])
        s += y[i]
    return y, s


@pytest.mark.parametrize("f, count", [(domains, 2), (guarded, 2)])
def test_whether_iterations_fail_is_asked_by_a_loop_before(f: Any, count: int) -> None:
    text = jit(f, parallel=True).source(X, W)
    assert text.count("in prange(") == count
    scope = module(text)
    scope["prange"] = out_of_order
    for place, at, value in [
        (0, 0, 0.0),
        (1, 40, 11.0),
        (0, 70, 1e3),
        (1, 30, -9.5),
        (0, 3, np.nan),
        (1, 5, np.nan),
    ]:
        both = [(X.copy(), W.copy()) for _ in range(2)]
        for x, w in both:
            (x, w)[place][at] = value
            w[80] = 1e6 if at else w[80]  # fails too, later on
        assert ended(scope[f.__name__], *both[0]) == ended(f, *both[1])
        np.testing.assert_allclose(both[0][0], both[1][0], rtol=1e-12)


def ended(f: Callable[..., Any], *args: Any) -> tuple[type, str] | None:
    """The exception that a call ends with."""
    try:
        with np.errstate(all="ignore"):
            f(*args)
    except Exception as error:
        return type(error), str(error)
    return None


def sums_of_rows(x, w):
    s = 1.0
    for i in range(len(x)):
        t = 0.0
        for j in range(len(w)):
            t += np.exp(w[j]) * x[i]
        s = s * 0.5 + t
    return s


def test_loops_that_are_run_again_and_again_are_shared_where_they_are_long() -> None:
    assert shared(sums_of_rows, X, W) == 1
    text = jit(sums_of_rows, parallel=True).source(X, W)
    assert "if n2 >= " in text and text.count("math.exp(w[j])") == 2
    long = np.random.default_rng(1).normal(size=3000)
    wanted = jit(sums_of_rows)(X, long)
    np.testing.assert_allclose(jit(sums_of_rows, parallel=True)(X, long), wanted, rtol=1e-12)


def test_sums_are_shared_and_extremes_are_not() -> None:
    assert shared(sums, X, W) == 0  # in one loop
    assert shared(weighed, X, W) == 1


def results(function: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, or the exception it raises."""
    with np.errstate(all="ignore"):
        try:
            return function(*args)
        except IndexError as error:
            return str(error)


@pytest.mark.slow
def test_random_loops_in_any_order() -> None:
    found = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 9))
        args = (*rng.normal(size=(3, n)), rng.normal(size=(n, n)))
        f = loaded(random_loops(seed))
        text = jit(f, parallel=True).source(*args)
        threads = module(text)
        threads["prange"] = out_of_order
        got, wanted = results(threads["f"], *args), results(module(jit(f).source(*args))["f"], *args)
        if isinstance(wanted, str):
            assert got == wanted
            continue
        found += "in prange(" in text
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    assert found >= 40


def numbers(value: Any) -> Iterator[Any]:
    """What a nest is made of, of complex numbers the parts."""
    if hasattr(value, "__dataclass_fields__"):
        value = [getattr(value, name) for name in value.__dataclass_fields__]
    value = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, tuple | list):
        for each in value:
            yield from numbers(each)
    elif np.iscomplexobj(value):
        yield from (value.real, value.imag)
    elif value is not None:
        yield value


@pytest.mark.sampled(18)
@pytest.mark.parametrize(
    "case", [c for c in (*CASES, *GROWING) if "draws" not in c.marks], ids=lambda case: case.name
)
def test_the_corpus_in_any_order(case: Case) -> None:
    arguments = case.lanes()[0]
    made = []
    for parallel in (False, True):
        compiled = jit(case.function, parallel=parallel).of(arguments, {})
        scope = module(compiled.text)
        scope["prange"] = out_of_order
        given = copy.deepcopy([*numbers(arguments), *compiled.traced.hidden])
        with np.errstate(all="ignore"):
            try:
                run = taking_wholes(scope[case.function.__name__], compiled.whole)
                made.append(list(numbers(run(*given))))
            except Exception as error:
                made.append([type(error), str(error)])
    if case.raises is None:
        for a, b in zip(*made, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    else:
        assert made[0] == made[1] and issubclass(made[0][0], case.raises)


def loss(theta, x, y):
    z = x @ theta
    return np.sum(np.log1p(np.exp(z)) - y * z)


def test_a_gradient_compiled_for_threads() -> None:
    rng = np.random.default_rng(1)
    x, theta = rng.normal(size=(5000, 6)), rng.normal(size=6)
    y = (rng.random(5000) < 0.5) * 1.0
    slope = value_and_grad(loss)
    made = jit(slope, parallel=True)
    value, gradient = made(theta, x, y)
    wanted = slope(theta, x, y)
    np.testing.assert_allclose(value, wanted[0], rtol=1e-12)
    np.testing.assert_allclose(gradient, wanted[1], rtol=1e-10)
    assert made.source().count("in prange(") == 1 and "x.T @" in made.source()


def test_readable_python_has_no_threads() -> None:
    with pytest.raises(ValueError, match="parallel=True goes with numba"):
        jit(elementwise, target="numpy", parallel=True)


def from_the_end(x):
    n = len(x)
    for i in range(-n, n):
        x[i] = i
    return x


def from_some_place(x, k):
    n = len(x)
    for i in range(k, n):
        x[i] = i
    return x


def test_places_that_two_iterations_write() -> None:
    """Row -1 is row n - 1, and the later iteration's value stays."""
    n = 4000
    made = jit(from_the_end, parallel=True)
    np.testing.assert_array_equal(made(np.zeros(n)), np.arange(n))
    assert "prange" not in made.source(np.zeros(n))
    some = jit(from_some_place, parallel=True)
    for k in (-n, -1, 0, 7):
        np.testing.assert_array_equal(some(np.full(n, -5.0), k), from_some_place(np.full(n, -5.0), k))


def signed(n, m):
    """What is done with an index that has a sign."""
    told = np.empty((n, 8), dtype=np.int64)
    for i in range(n):
        k = i
        while k > 7:
            k = k - 5
        told[i, 0] = -i
        told[i, 1] = ~i
        told[i, 2] = abs(i * i - 2 * m)
        told[i, 3] = -(i + i)
        told[i, 4] = i if m > 2 else m
        told[i, 5] = max(i - m, -i)
        told[i, 6] = i**2 - 9
        told[i, 7] = k
    return told


def one_for_all(x, alike):
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = 2.0 * x[0 if alike else i]
    return y


@pytest.mark.parametrize(
    "f, args", [(signed, (30, 2**60 + 1)), (one_for_all, (X, False)), (one_for_all, (X, True))]
)
def test_an_index_has_a_sign(f: Any, args: tuple[Any, ...]) -> None:
    """Numba's prange counts in ints without one, whose negatives are none, and which are floats beside others."""
    assert shared(f, *args) == 1
    np.testing.assert_array_equal(jit(f, parallel=True)(*args), f(*args))


def deeper(x, k):
    if k < 0:
        raise ValueError("below the ground")
    return x if k == 0 else 0.5 * deeper(np.sin(x), k - 1)


def calling(x, w):
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = deeper(x[i], i % 3) / w[i]
    return y


def test_loops_that_call_functions_which_may_fail_are_not_shared() -> None:
    assert shared(calling, X, W) == 0
