"""Recursion that does not end, or goes too deep for the stack, raises RecursionError at the user's line."""

import inspect
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import block_programs as programs
import numpy as np
import pytest

from autodiff import grad
from codegen import jit
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.ir.traversal import equations
from codegen.recursion.depth_check import depth
from codegen.recursion.inlining import unroll_recursion


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    if n == 0:
        return False
    return not even(n + 1) if n == -1 else even(n - 1)


def many(n, m):
    return (n if n < 2 else many(n - 1, m) + many(n - 2, m)) + (down(m) if n == 0 else 0)


def halves(x, n):
    if n == 0:
        return np.sum(x)
    return halves(0.5 * x + np.sin(x), n - 1) + x[0]


def raises(f: Callable[..., Any], *args: Any) -> str:
    """The user's line at which a call runs too deep."""
    with pytest.raises(RecursionError, match="^maximum recursion depth exceeded$") as error:
        f(*args)
    last = traceback.extract_tb(error.value.__traceback__)[-1]
    assert last.filename == __file__ and last.line is not None
    return last.line


def test_compiled_recursion() -> None:
    f = jit(many)
    assert f(12, 20_000) == 144 + 89 * 20_000
    assert raises(f, 0, -1) == inspect.getsource(down).splitlines()[1].strip()
    assert raises(f, 1_000_000, 0) == inspect.getsource(many).splitlines()[1].strip()
    assert f(12, 20) == many(12, 20)
    g = jit(even)
    assert g(7000) is True and g(7001) is False
    assert "even(n - 1)" in raises(g, 1_000_001) or "odd(n - 1)" in raises(g, 1_000_001)


def test_a_derivative_of_recursion_over_arrays() -> None:
    f = grad(halves)
    x = np.array([0.1, 0.2])
    assert f(x, 2000).shape == (2,)
    line = inspect.getsource(halves).splitlines()[3].strip()
    assert raises(f, x, -1) == line and raises(f, x, 100_000) == line
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(raises, f, x, -1).result() == line
    primal = jit(halves)
    assert primal(x, 5) == pytest.approx(halves(x, 5)) and raises(primal, x, -1) == line


def test_each_cycle_counts_its_calls_once() -> None:
    for program, given in ((programs.fib(), (7,)), (programs.parity(), (5,)), (programs.gcd(), (12, 18))):
        made = check(depth(check(unroll_recursion(program))))
        assert evaluate(made, *given) == evaluate(program, *given)
        inner = [f for name, f in made.functions.items() if name != made.main]
        assert all(f.params[-1].name == "depth" for f in inner)
        assert len([f for f in inner if "RecursionError" in repr([e.op for e in equations(f.body)])]) == 1
