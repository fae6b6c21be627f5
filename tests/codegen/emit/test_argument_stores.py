"""What is left in arguments, stored element by element: in whichever array the values are at last."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from irbuild import VECTOR, single

from codegen import jit
from codegen.backend.load import load
from codegen.emit.module import show
from codegen.ir import Apply, Equation, Var
from codegen.primitives.row import ROWS


def written_in_turn(a, b, n):
    for _ in range(n):
        a[1:-1] = 0.5 * (b[:-2] + b[2:])
        b[1:-1] = 0.5 * (a[:-2] + a[2:])


def exchanged(a, b, n):
    for _ in range(n):
        a[:], b[:] = b.copy(), a.copy()


def turned(a, b, n):
    y = a
    while n > 0:
        y = y[::-1]
        n -= 1
    a[:] = y + b[0]


def turned_under_a_branch(a, b, n):
    if n > 1:
        a[...] = a[::-1]
    else:
        b[...] = a


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("f", [written_in_turn, exchanged, turned, turned_under_a_branch])
def test_as_plain_python(f: Callable[..., Any], n: int) -> None:
    found, wanted = ([np.arange(6.0), np.arange(6.0) ** 2] for _ in range(2))
    f(*wanted, n)
    jit(f)(*found, n)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_part_of_the_array_itself_is_copied_first(target: str) -> None:
    def body(b: Any, x: Any) -> tuple[Any, ...]:
        turned = b.atom(x[::-1])
        b.equations.append(Equation((), Apply(ROWS["store"], (turned,), MappingProxyType({"param": 0}))))
        return ()

    p = single("f", (Var("x", VECTOR),), body)
    text = show(p, target=target)
    array = np.arange(5.0)
    load(text, "f").f(array)
    np.testing.assert_array_equal(array, np.arange(5.0)[::-1])
    assert "copy" in text


def test_numba_is_given_loops() -> None:
    f = jit(exchanged)
    assert "[...]" not in f.source(np.arange(3.0), np.arange(3.0), 2)
