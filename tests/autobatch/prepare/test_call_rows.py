"""Derivatives of recursion over lanes keep a row a call, and give back what they made."""

from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from autobatch import LaneError, batch
from autobatch.execute.executor import Machine
from autobatch.execute.ranges import in_threads
from autobatch.prepare.call_rows import with_call_rows
from autodiff import grad
from codegen import jit
from codegen.backend.load import load
from codegen.infer.trace import trace
from codegen.ir import Program, Type

F8, I8 = Type("f8"), Type("i8")


def sines(x, n):
    return x if n == 0 else 0.5 * np.sin(sines(x, n - 1)) + x


def tree(x, n):
    """Two calls, or one, or none."""
    if n <= 1:
        return x
    if x > 0.7:
        return np.cos(tree(x - 0.3, n - 1)) * x
    return np.sin(tree(x, n - 1)) * tree(0.5 * x + 0.5, n - 2)


def even(x, n):
    return x if n == 0 else odd(1.01 * x, n - 1)


def odd(x, n):
    return x * x if n == 0 else np.sin(even(x, n - 1))


def slopes(x, n):
    return grad(sines)(x, n), grad(tree)(x, n % 9)


@pytest.mark.slow
def test_lanes_give_what_one_gives() -> None:
    many = batch(slopes)
    x, n = np.linspace(0.05, 1.2, 12), np.array([*range(8), 20, 61, 8_500, 60_000])
    one = jit(slopes, target="numpy")
    found = np.stack(many(x, n), 1)
    np.testing.assert_allclose(found[:10], [one(*lane) for lane in zip(x[:10], n[:10].tolist())], rtol=1e-13)
    np.testing.assert_allclose(found[10:, 0], [slope(*lane) for lane in zip(x[10:], n[10:].tolist())])
    text = many.source(x, n)
    assert "def sines_forward(" in text and "def tree_forward(" in text


def slope(x: float, n: int) -> float:
    value, dot = x, 1.0
    for _ in range(n):
        value, dot = 0.5 * np.sin(value) + x, 0.5 * np.cos(value) * dot + 1.0
    return dot


def after(x, n):
    y = sines(x, n)
    if y > 2.0:
        raise ValueError(f"{y:.1f} is too much")
    return np.log(y) * sines(0.1 * x, n)


@pytest.mark.turns(4)
def test_a_lane_that_fails() -> None:
    many = batch(grad(after))
    x, n = np.array([0.5, 3.0, 0.5, 0.6, 0.7, 0.1]), np.array([3, 50, -1, 8, 8, 20_000])
    with pytest.raises(LaneError) as raised:
        many(x, n)
    first, second = raised.value.failures
    assert (first.lane, first.exception, first.message) == (1, "ValueError", "3.0 is too much")
    assert (second.lane, second.exception) == (2, "RecursionError")
    wanted = [grad(after, target="numpy")(x[k], int(n[k])) for k in (0, 3, 4)]
    np.testing.assert_allclose(raised.value.results[[0, 3, 4]], wanted, rtol=1e-13)
    text = many.source(x, n)
    assert "cache=True" in text and "return np.float64(0), False" in text
    with pytest.raises(RuntimeError) as again:
        load(text, "after").after_grad_batch(x, n)
    assert again.value.lanes.tolist() == [1, 2]  # type: ignore[attr-defined]
    np.testing.assert_array_equal(np.delete(again.value.results - raised.value.results, [1, 2]), 0.0)  # type: ignore[attr-defined]
    assert isinstance(many.latest, Machine)
    over = np.zeros(6 + 2, np.int64)
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        in_threads(many.latest, many.latest.host, 6, 0, over, x, n, np.empty(6))
        now = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert over[:-1].tolist() == [0, -1, -1, 0, 0, -1, 0]
    assert over[-1] in (0, 2)  # by the clock, if it has struck meanwhile
    assert now.mi_alloc - before.mi_alloc == now.mi_free - before.mi_free >= 3 * 4


def total(x, n):
    return np.sum(x) if n == 0 else np.sin(total(0.5 * x, n - 1)) + x[0]


def rows(f: Any, *types: Type) -> Program | None:
    known = trace(f, types, known_sizes=True).program
    return with_call_rows(known, lambda: trace(f, types))


def test_programs_that_stay_as_they_are() -> None:
    assert rows(grad(sines), F8, I8) is not None
    for f in (sines, grad(even), slope):
        assert rows(f, F8, I8) is None
    assert rows(grad(total), Type("f8", (2,)), I8) is None
