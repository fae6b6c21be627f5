"""What is around a function is what it is at each call: globals, closures, attributes, defaults, functions it calls."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, vjp
from codegen import jit

RATE = 2.0
LISTED = [1.0, 2.0]
TABLE = {"a": 3.0}
VECTOR = np.ones(3)
SETTINGS = types.SimpleNamespace(offset=1.0, inner=types.SimpleNamespace(slope=2.0))


def helper(x):
    return x * 2.0


def around(x, power=1.0):
    own = LISTED[1] * x + TABLE["a"] * x + SETTINGS.offset * x + SETTINGS.inner.slope * x
    return helper(x) * RATE + own + VECTOR.sum() * x + power * x


def trebled(x):
    return x * 3.0


CHANGES: list[Callable[[], Any]] = [
    lambda: globals().update(RATE=10.0),
    lambda: LISTED.__setitem__(1, 5.0),
    lambda: TABLE.update(a=0.0),
    lambda: setattr(SETTINGS, "offset", 7.0),
    lambda: setattr(SETTINGS, "inner", types.SimpleNamespace(slope=1.0)),
    lambda: globals().update(VECTOR=np.full(4, 2.0)),
    lambda: VECTOR.__setitem__(0, 5.0),
    lambda: globals().update(helper=trebled),
    lambda: setattr(around, "__defaults__", (2.0,)),
    lambda: globals().update(RATE=2.0),
    lambda: globals().update(RATE=10.0),
]


@pytest.mark.turns(4)
def test_changes_are_seen_at_the_next_call() -> None:
    compiled, slope, lanes = (
        jit(around, target="numpy"),
        grad(around, target="numpy"),
        batch(around, target="numpy"),
    )
    for change in (lambda: None, *CHANGES):
        change()
        assert compiled(3.0) == around(3.0)
        assert slope(3.0) == around(1.0)
        assert lanes(np.array([3.0, 1.0])).tolist() == [around(3.0), around(1.0)]
        assert vjp(lambda x: around(x), 3.0, target="numpy")[1](1.0)[0] == around(1.0)


@pytest.mark.parametrize("make", [jit, grad, batch])
def test_closures_and_compiled_code(make: Any) -> None:
    rate = 2.0

    def scaled(x):
        return x * rate

    f = make(scaled)
    x = np.ones(2) if make is batch else 3.0
    first = f(x)
    rate = 5.0
    assert np.array_equal(f(x), np.multiply(first, 2.5))


def test_programs_of_earlier_states_are_kept() -> None:
    k = 1.0
    f = jit(lambda x: x + k, target="numpy")
    seen = []
    for k in (1.0, 2.0, 1.0, 2.0):  # noqa: B007
        f(0.0)
        seen.append(f.last)
    assert seen[0] is seen[2]
    assert seen[1] is seen[3]


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_arrays_without_axes_are_numbers_that_no_program_changes(target: Any) -> None:
    """The sum of two cotangents was written into the array around the function."""
    weight = np.array(0.5)

    def doubled(x):
        return [x, x]

    def weighted(x):
        first, second = doubled(x)
        return weight * first + 2.0 * second

    slope = grad(weighted, target=target)
    assert [slope(1.0), slope(1.0), weight] == [2.5, 2.5, 0.5]
    assert vjp(weighted, 1.0, target=target)[1](1.0)[0] == 2.5
    given = jit(lambda: weight, target=target)()
    assert type(given) is np.float64
    weight[...] = 3.0
    assert [given, slope(1.0), jit(weighted, target=target)(2.0)] == [0.5, 5.0, 10.0]
    if target == "numba":
        assert batch(weighted)(np.ones(2)).tolist() == [5.0, 5.0]
