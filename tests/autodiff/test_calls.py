"""Functions that a program calls: what they add to the cotangent of an array goes into the array that is there, so that
a call which reads few elements of a large one costs as much in the return sweep as it did before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from count_work import work
from differentiate import active_in, directions, grad_of, inner, program_of, slope
from user_programs import loaded

from autodiff import value_and_grad
from codegen.ir.interpreter import evaluate

DOT = """
def dot(a, b):
    s = 0.0
    for i in range(len(a)):
        s += np.sin(a[i]) * b[i]
    return s
"""
# Each of `x`, a vector.
CALLS = {
    "pairs in a loop": """
def pair(x, i, j):
    return np.sin(x[i]) * x[j]
def f(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += pair(x, i, i + 1) * pair(x, i + 1, 0)
    return s
""",
    "a call in a call": """
def step(x, i):
    return x[i] * x[i]
def pair(x, i):
    return step(x, i) + step(x, i + 1) * x[0]
def f(x):
    s = np.sum(x)
    for i in range(len(x) - 1):
        s += np.cos(pair(x, i))
    return s
""",
    "a call in a branch": """
def one(x, i):
    return x[i] ** 3 if x[i] > 0.0 else np.sin(x[i])
def f(x):
    s = 0.0
    for i in range(len(x)):
        if i % 3 == 0:
            s += one(x, i)
        else:
            s *= 1.0 + 0.1 * one(x, 0)
    return s
""",
    "recursion": """
def product(x, k):
    if k == 0:
        return x[0]
    return np.sin(x[k]) * product(x, k - 1) + x[k]
def f(x):
    return product(x, len(x) - 1) + x[0]
""",
    "one array twice": DOT
    + """
def f(x):
    y = 2.0 * x
    return dot(y, y) * dot(x, y) + np.sum(y)
""",
    "cotangents that are one array": DOT
    + """
def f(x):
    y, z = 2.0 * x, x * x
    s = dot(y, z) * dot(z, y)
    w = y + z
    return s + np.sum(w * w[0])
""",
    "a right side that makes an array": """
def right(y, x):
    return np.array([x[0] * y[0] - x[1] * y[0] * y[1], x[2] * y[0] * y[1] - x[3] * y[1]])
def f(x):
    y, h = x[:2] * 1.0, 0.01
    s = 0.0
    for _ in range(len(x)):
        k = right(y, x)
        m = right(y + 0.5 * h * k, x)
        y = y + h * m
        s += y[0] * y[1]
    return s
""",
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients_agree_with_differences(name: str) -> None:
    program = program_of(loaded(CALLS[name]), vector(11))
    along = directions(program, vector(11), 3)
    found = evaluate(grad_of(program, active_in(program)), *vector(11))
    expected = slope(program, vector(11), along)
    np.testing.assert_allclose(inner(found, along), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_work_is_a_constant_times_the_function_s(name: str) -> None:
    program = program_of(loaded(CALLS[name]), vector(10))
    gradient = grad_of(program, active_in(program))
    for n in (10, 80):
        assert work(gradient, *vector(n)) < 9 * work(program, *vector(n))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CALLS)
def test_compiled_they_are_the_same(name: str) -> None:
    f = loaded(CALLS[name])
    (x,) = vector(9)
    value, gradient = value_and_grad(f)(x)
    found = value_and_grad(f, target="numpy")(x)
    np.testing.assert_allclose(value, found[0], rtol=1e-13)
    np.testing.assert_allclose(gradient, found[1], rtol=1e-11)


def test_a_right_side_makes_no_arrays() -> None:
    """Of few numbers, though the length of what it is given is not known."""
    text = value_and_grad(loaded(CALLS["a right side that makes an array"])).source(*vector(9))
    assert "np.zeros(2)" not in text and "np.empty(2)" not in text
    assert "right_2_vjp(t2, t3, x, 0.01 * y_bar[0], 0.01 * y_bar[1], x_bar)" in text


def vector(n: int) -> tuple[Any, ...]:
    return (np.random.default_rng(n).uniform(-0.9, 0.9, n),)
