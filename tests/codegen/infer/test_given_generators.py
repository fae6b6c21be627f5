"""Generator expressions that users' functions are given, and loops over them."""

from __future__ import annotations

import numpy as np
import pytest
from over_lanes import holds_with_derivatives

from autodiff import grad
from codegen import SourceError, jit

X = np.array([0.3, 0.5, -0.7])
SCALE = 1.5


def total(values):
    t = 0.0
    for v in values:
        t += v * SCALE
    return t


def scaled(values, k, x=2.0):
    return sum(values) * k + x


def largest(values=()):
    best = -1e9
    for k in range(2):
        best += k
    for v in values:
        if v > best:
            best = v
    return best


def first_above(values, x):
    for place in values:
        if place > x:
            return place
    return x


def twice(values):
    vs = list(values)
    return sum(vs) + max(vs)


def onward(values):
    return total(v * 2 for v in values if v < 10.0)


def through_array(values):
    a = np.array(list(values))
    return np.sum(a * a)


def squares(x):
    return total(v * v for v in x)


def some(x):
    return scaled((v * v for v in x if v > 0), 2.0, x=x[0])


def named_alike(x):
    t, v, k = x[0], x[1], x[2]
    return largest(values=(t * v + k * x for x in x)) + scaled(x=v, k=t, values=(t * k for k in x))


def pairs(x):
    return total(x[i] * x[j] for i in range(len(x)) for j in range(i)) + twice(v * v for v in x)


def one_in_another(x):
    return total(total(u * v for u in x) for v in x) + onward(v * v for v in x)


def of_rows(x):
    return through_array(np.sin(v) for v in x) + total(w for w in (np.sum(x) * u for u in x))


def zipped(x):
    return total(a * b for a, b in zip(x, x[::-1], strict=True)) + total(i * v for i, v in enumerate(x))


def left_early(x):
    """What comes after the first is not asked for."""
    y = np.abs(x)
    return first_above((y[i] for i in range(10)), 0.4)


def loops(x):
    s = 0.0
    for v in (u * u for u in x if u > -0.6):
        if v > 0.2:
            break
        s += v
    for u, w in ((a, b) for a in x for b in (a, 2.0) if b > 0):
        if u < 0:
            continue
        s += u * w
    return s


def local(x):
    k = x[0]

    def weighted(values):
        r = 0.0
        for v in values:
            r += k * v
        return r

    return weighted(v * k for v in x)


PROGRAMS = [squares, some, named_alike, pairs, one_in_another, of_rows, zipped, left_early, loops, local]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_derivatives(f):
    holds_with_derivatives(f, X)


@pytest.mark.parametrize("f", [some, loops], ids=lambda f: f.__name__)
def test_compiled(f):
    assert jit(f)(X) == pytest.approx(f(X), rel=1e-14)
    np.testing.assert_allclose(grad(f)(X), grad(f, target="numpy")(X), rtol=1e-13)


def test_text():
    """The function's own loop, around the generator's."""
    text = jit(squares, target="numpy").source(X)
    assert (
        "    for i in range(len(values)):\n        v = values[i]\n        v_2 = v * v\n        t += v_2 * 1.5\n"
        in text
    )


def test_what_is_gone_through_is_evaluated_once_and_first():
    def f(x):
        y = x.copy()
        return scaled((v for v in changed(y)), 1.0, x=y[0])

    def changed(y):
        y[0] += 1.0
        return y

    assert jit(f, target="numpy")(X) == f(X)


def again(values):
    return sum(values) + sum(values)


def in_a_loop(values):
    t = 0.0
    for _ in range(2):
        for v in values:
            t += v
    return t


def held(values):
    return lambda: sum(values)


@pytest.mark.parametrize("function", [again, in_a_loop, held], ids=lambda f: f.__name__)
def test_functions_that_go_through_it_twice_are_refused(function):
    def f(x):
        return function(v for v in x)

    with pytest.raises(SourceError) as caught:
        jit(f, target="numpy")(X)
    assert caught.value.msg == (
        f"{function.__name__}() is given a generator expression as 'values', which it must go through once, with no "
        "function, `del` or `try` in it: give it a list, `[... for ...]`"
    )


def test_a_break_out_of_several_loops_is_refused():
    def f(x):
        s = 0.0
        for v in (a * b for a in x for b in x):
            if v > 0.1:
                break
            s += v
        return s

    with pytest.raises(SourceError) as caught:
        jit(f, target="numpy")(X)
    assert caught.value.msg == "`break` out of a generator of several loops is not supported: write these"
