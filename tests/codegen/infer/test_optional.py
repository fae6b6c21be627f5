"""Values that may be None: plain Python is the reference."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from plain_python import complaint

from autobatch import batch
from autodiff import grad, jacobian
from codegen import SourceError, jit


def smallest(xs):
    best = None
    for x in xs:
        if best is None or x < best:
            best = x
    return best


def place(xs, wanted):
    for i, x in enumerate(xs):
        if x == wanted:
            return i


def twice_the_place(xs, wanted):
    i = place(xs, wanted)
    if i is None:
        return -1
    return 2 * i


def unasked(xs, wanted):
    return place(xs, wanted) * 2


def roots(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return None
    return (-b + np.sqrt(d)) / (2 * a), (-b - np.sqrt(d)) / (2 * a)


def nearest_pair(xs):
    best = None
    for i in range(len(xs)):
        for j in range(i):
            d = abs(xs[i] - xs[j])
            if best is None or d < best[0]:
                best = (d, i, j)
    return best


def variation(xs):
    last = None
    total = 0.0
    for x in xs:
        if last is not None:
            total += abs(x - last)
        last = x
    return total


def summed(x, n):
    s = None
    for _ in range(n):
        s = x if s is None else s + x
    return s


def found(xs, wanted, low, high):
    if low >= high:
        return None
    middle = (low + high) // 2
    if xs[middle] == wanted:
        return middle
    return found(xs, wanted, middle + 1, high) if xs[middle] < wanted else found(xs, wanted, low, middle)


def weighted(x, w):
    if w is None:
        return x.sum()
    return (x * w).sum()


def given_on(x, flag):
    w = None
    if flag > 0:
        w = x * 2
    return weighted(x, w)


def chosen(x, flag):
    w = None
    if flag > 0:
        w = 3.0
    u = w if w is not None else -1.0
    return (w or 1.0) + (5.0 if w is None else w * 2) + u + x, w == None, not w, w is not None and w > 2.0  # noqa: E711


def seen_by_the_caller(x, flag):
    w = None
    if flag > 0:
        w = x
    if w is not None:
        w[0] = 7.0
    assert w is None or w[0] == 7.0
    return x.sum()


class Pair(NamedTuple):
    a: Any
    b: Any


def of_fields(x, flag):
    p = Pair(x, None)
    if flag > 0:
        p = Pair(x, x * 2)
    return p, p.a if p.b is None else p.b


def settled(x, n):
    before = None
    k = 0
    while before is None or abs(x - before) > 1e-6:
        before = x
        x = 0.5 * (x + 2.0 / x)
        k += 1
        if k > n:
            return None
    return x


def largest_two(xs):
    out = [None, None]
    for x in xs:
        if out[0] is None or x > out[0]:
            out[1] = out[0]
            out[0] = x
    return out


def lost(x, n):
    y = 1.0
    for i in range(n):
        y = y + x if i < 2 else None
        if y is None:
            break
    return y


def above(x):
    y = x
    if x > 0.0:
        return y
    x = y


def first_above(x):
    for i in range(3):
        if i > x:
            return i


def counted_down(x):
    while x > 0.0:
        x -= 1.0
        if x == 3.0:
            return x
    else:
        if x > -0.5:
            raise TypeError


XS = np.array([3.0, 1.0, 2.0, 7.0])


def last_in_range(x):
    u = None
    for k in range(len(x)):
        if x[k] > 0.5:
            u = k
    return u in range(1, 3), u not in range(2)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (smallest, (XS,)),
    (smallest, (XS[:0],)),
    *((last_in_range, (x,)) for x in (np.zeros(2), np.array([1.0, 0.0]), np.ones(3), np.ones(4))),
    *((f, (XS, wanted)) for f in (place, twice_the_place, unasked) for wanted in (2.0, 9.0)),
    (roots, (1.0, 0.0, -1.0)),
    (roots, (1.0, 0.0, 1.0)),
    (nearest_pair, (XS,)),
    (nearest_pair, (XS[:1],)),
    (variation, (XS,)),
    (summed, (XS, 3)),
    (summed, (XS, 0)),
    (found, (np.sort(XS), 3.0, 0, 4)),
    (found, (np.sort(XS), 4.0, 0, 4)),
    *((f, (XS, flag)) for f in (given_on, seen_by_the_caller) for flag in (0, 1)),
    *((f, (1.0, flag)) for f in (chosen, of_fields) for flag in (0, 1)),
    (settled, (1.0, 10)),
    (settled, (1.0, 1)),
    (largest_two, (XS,)),
    (largest_two, (XS[:1],)),
    *((f, (x,)) for f in (above, first_above, counted_down) for x in (-1.5, 0.5, 1.0, 2.5, 4.0, 4.25, 6.0)),
    (lost, (1.0, 2)),
    (lost, (1.0, 4)),
]


def outcome(f: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    given = copy.deepcopy(arguments)
    try:
        return repr((f(*given), given))
    except TypeError:
        return "TypeError"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize(("f", "arguments"), CASES, ids=lambda each: getattr(each, "__name__", "of"))
def test_programs(f: Callable[..., Any], arguments: tuple[Any, ...], target: str):
    assert outcome(jit(f, target=target), arguments) == outcome(f, arguments)


def test_what_is_none_where_it_is_used_is_told_at_its_line():
    with pytest.raises(TypeError, match="a value is needed here, and this is None") as caught:
        jit(unasked)(XS, 9.0)
    assert "return place(xs, wanted) * 2" in str(caught.traceback[-1].statement)


def test_text_asks_no_more_than_the_user_does():
    text = jit(variation).source(XS)
    assert "TypeError" not in text and text.count("last_there") == 3


def test_over_lanes_it_may_be_inside():
    assert batch(twice_the_place, in_axes=(None, 0))(XS, np.array([2.0, 9.0])).tolist() == [4, -1]
    with pytest.raises(SourceError, match="the results of lanes are stored in arrays"):
        batch(smallest)(np.stack([XS, XS]))


def test_lists_that_grow_hold_no_none():
    def places(xs):
        found = []
        for x in xs:
            found.append(x if x > 1.5 else None)
        return len(found)

    with pytest.raises(SourceError, match="a list of items that may be None"):
        jit(places)(XS)


def test_derivatives_of_what_is_there():
    assert grad(variation)(XS).tolist() == [1.0, -2.0, 0.0, 1.0]
    assert grad(lambda x: chosen(x, 1)[0])(1.0) == 1.0
    with pytest.raises(TypeError, match="the result must be one float scalar, not None or f8"):
        grad(smallest)(XS)
    with pytest.raises(TypeError, match="the result may be None: return a float on every way"):
        jacobian(smallest)(XS)


LAST = """    u = w = None
    for i in range(len(xs)):
        if xs[i] > t:
            u = i
        if xs[i] > t + 1:
            w = i
    ys = [i for i in range(n)]
"""
COMPARED = (
    "u in (0, 1)", "u not in (0, 1)", "u in (0, None)", "u in [0, w]", "w in (u, None)", "0 in (u, 5)", "u in {0, 1}",
    "u == 0", "u != 2", "0 == u", "u == w", "u != w", "u == 2 == w", "u in ys", "u not in ys", "u in range(n)",
    "u is None or u == 2", "u == None and w in (0, 1)",
)  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("test", COMPARED)
def test_what_is_none_is_compared(test: str) -> None:
    for t in (9.0, 1.5, 0.5, -0.5, -2.0):
        given = {"xs": np.arange(3.0), "t": t, "n": 2}
        assert complaint(f"{LAST}    return {test}", given) is None


FIRST_NONE = """    last, first, total = None, True, 0.0
    for x in xs:
        if not first and abs(x - last) > t:
            total += x * last
        {}
        last = x
    return total"""


@pytest.mark.parametrize("line", ["first = False", "first = x > 9.0", "pass"])
@pytest.mark.parametrize("t", [0.5, -1.0])
def test_none_before_the_first_round(line: str, t: float) -> None:
    assert complaint(FIRST_NONE.format(line), {"xs": np.array([1.0, 2.5, 2.75]), "t": t}) is None
    assert (
        complaint(FIRST_NONE.format(line).replace("not first", "first"), {"xs": np.ones(2), "t": t}) is None
    )
