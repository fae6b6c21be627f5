"""Loops that reverse mode would count and repeat run once; values, slopes and errors are those of two runs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from user_programs import loaded

from autobatch import batch
from autodiff import grad, hessian, value_and_grad

X = np.array([0.7, 0.4, 0.9, 0.55])


def newton(a, tol):
    x = a
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


def decay(x, tol):
    y, k = x, 0
    while y > tol:
        y = y / (1.0 + 0.1 * k * y) * 0.95
        k += 1
    return y * k


def branches(x, tol):
    a, b = x, 1.0
    while abs(a) > tol:
        if a > b:
            a = a * 0.5 + math.sin(b)
            b = b * 1.01
        else:
            a = a * 0.8 * math.cos(b)
    return a + b


def nested(x, tol):
    s, y = 0.0, x
    while y > tol:
        z = y
        while z > 0.5 * y:
            z = z * 0.9 * math.sin(z + 0.3)
        y = z
        s += y * y
    return s


def sweeps(x, tol):
    y = x.copy()
    while y.sum() > tol:
        for i in range(1, len(y)):
            y[i] = 0.5 * y[i - 1] * y[i] + 0.3 * y[i]
        y[0] = 0.9 * math.sin(y[0])
    return y.sum() + y[0] * y[1]


def power_iteration(x, tol):
    a, v = np.outer(x, x) + np.eye(len(x)), x.copy()
    size, before = 0.0, 1.0
    while abs(size - before) > tol:
        before = size
        w = a @ v
        size = math.sqrt(w @ w)
        v = w / size
    return size


def early(x, tol):
    y = x
    while True:
        y = y * 0.7 + 0.01 * y * y
        if y < tol:
            return y * 3.0
        if y > 100.0:
            return y


def one_after_another(x, tol):
    y = x
    while y > tol:
        y = y * math.exp(-0.3 * y)
    z = y + x
    while z > tol:
        z = z * math.exp(-0.5 * z)
    return y * z


def bounded(x, tol):
    y, k = x, 0
    while k < 30 and y > tol:
        y = y * 0.9 + 0.01 * y * y
        k += 1
    return y * y + k


def of_each(x, tol):
    s = 0.0
    for i in range(len(x)):
        z = x[i] + 2.0
        while z * z - 3.0 > tol:
            z = z - 0.3 * (z * z - 3.0) / (2 * z)
        s += z * x[i]
    return s


def one_test_for_two(x, tol):
    """Of two branches by the same test each gives what is carried on."""
    y, h, k = x, 0.4, 0
    while y > tol:
        z = y - h * y * math.sin(y)
        good = z < 0.97 * y
        if good:
            h = min(h * 1.2, 0.6)
        else:
            h = h * 1.5
        if good:
            y, k = z, k + 1
        else:
            y = 0.99 * y
    return y * k * h


def appended(x, tol):
    ys, y = [x], x
    while y > tol:
        y = y * 0.7 - 0.02 * y * y
        ys.append(y)
    return np.sum(np.array(ys) ** 2) + len(ys)


def adaptive(x, tol):
    """Heun's method, whose accepted states are kept in a list, with their number and times."""
    y, t, h = x.copy(), 0.0, 0.1
    states, times = [y], [t]
    while t < 2.0:
        k = np.array([-y[0] * y[1], y[0] - y[1], y[1] - 0.3 * y[2], 0.1 * y[3]])
        z = y + h * k
        slope = np.array([-z[0] * z[1], z[0] - z[1], z[1] - 0.3 * z[2], 0.1 * z[3]])
        z = y + 0.5 * h * (k + slope)
        error = h * np.sqrt(np.sum((slope - k) ** 2))
        if error < tol:
            y, t = z, t + h
            states.append(y)
            times.append(t)
            h = min(1.3 * h, 2.0 - t + 1e-12)
        else:
            h = 0.6 * h
    return np.sum(np.array(states)[-1] * len(states)) + states[1][0] + times[-1]


def integrated(x, tol):
    found = solve_ivp(lambda t, y: np.array([y[1], -np.sin(y[0])]), (0.0, 3.0), x[:2], rtol=tol, atol=tol)
    return found.y[0, -1] * found.y[1, -1] + found.t[-1]


ONE_LOOP = [
    (one_test_for_two, (2.0, 0.05)),
    (adaptive, (X, 0.03)),
    (newton, (2.0, 1e-8)),
    (newton, (1.0, 1e-8)),  # which does not begin
    (newton, (3e60, 1e46)),  # more than a hundred times
    (decay, (2.0, 0.01)),
    (branches, (3.0, 0.01)),
    (sweeps, (X, 0.05)),
    (power_iteration, (X, 1e-9)),
    (early, (2.0, 0.01)),
    (bounded, (2.0, 0.01)),
]
OTHERS = [
    (nested, (2.0, 0.01)),
    (one_after_another, (2.0, 0.1)),
    (of_each, (X, 1e-6)),
    (appended, (3.0, 0.01)),
    (integrated, (X, 1e-4)),
]


def are_alike(f: Callable[..., float], arguments: tuple[Any, ...]) -> None:
    """By the compiled program, and by NumPy's, which counts first."""
    value, slope = value_and_grad(f)(*arguments)
    twice = value_and_grad(f, target="numpy")(*arguments)
    np.testing.assert_allclose(value, f(*arguments), rtol=1e-12)
    np.testing.assert_allclose(value, twice[0], rtol=1e-12)
    np.testing.assert_allclose(slope, twice[1], rtol=1e-11, atol=1e-13)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("f", "arguments"), [*ONE_LOOP, *OTHERS])
def test_slopes(f: Callable[..., float], arguments: tuple[Any, ...]) -> None:
    are_alike(f, arguments)


@pytest.mark.parametrize(("f", "arguments"), ONE_LOOP)
def test_the_loop_runs_once(f: Callable[..., float], arguments: tuple[Any, ...]) -> None:
    text = grad(f).source(*arguments)
    main = text[: text.find("# What the functions above call")]
    assert main.count("while ") == 1 and main.count("for k in range(n") + main.count(
        "for k2 in range("
    ) == main.count(", -1, -1)"), main


def test_text() -> None:
    """Twice the room where there is none, and no loop that only counts."""
    text = grad(newton).source(2.0, 1e-8)
    assert text == TEXT


TEXT = """import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def newton_grad(a, tol):
    xs = np.empty(8)
    x = a
    count = 0
    while abs(x * x - a) > tol:
        n = len(xs)
        if count >= n:
            xs2 = np.empty(2 * n + 8)
            for i in range(n):
                xs2[i] = xs[i]
            xs = xs2
        xs[count] = x
        x = 0.5 * (x + a / x)
        count += 1
    n = count
    x_bar = 1.0
    a_bar = 0.0
    for k in range(n - 1, -1, -1):
        x = xs[k]
        t_bar = 0.5 * x_bar  # x = 0.5 * (x + a / x)
        t = t_bar / x
        x_bar = t_bar - t * (a / x)
        a_bar += t
    a_bar += x_bar
    return a_bar
"""


def light(x, tol):
    y = x.copy()
    while y.sum() > tol:
        y = np.sin(y) * 0.9
    return y.sum()


def test_rows_of_arrays_are_worth_more_than_their_copies() -> None:
    """A loop that does little else than what is kept of it counts first: what it keeps is farther away."""
    assert "range(n2)" in grad(light).source(X, 0.2)
    are_alike(light, (X, 0.2))


def test_second_derivatives_and_lanes() -> None:
    step = 1e-5
    slope = grad(decay)
    difference = (slope(2.0 + step, 0.01) - slope(2.0 - step, 0.01)) / (2 * step)
    np.testing.assert_allclose(hessian(decay)(2.0, 0.01), difference, rtol=1e-6)
    starts = np.linspace(1.0, 4.0, 7)
    lanes = batch(grad(newton), in_axes=(0, None))(starts, 1e-8)
    np.testing.assert_allclose(lanes, [grad(newton)(float(x), 1e-8) for x in starts], rtol=1e-13)


def test_errors_are_those_of_the_program() -> None:
    def fails(x, tol):
        y = x
        while y > tol:
            y = math.sqrt(y - 0.3) * 0.8
        return y

    with pytest.raises(ValueError, match="math domain error"):
        fails(2.0, -1.0)
    with pytest.raises(ValueError, match="math domain error"):
        grad(fails)(2.0, -1.0)


STATEMENTS = [
    "a = 0.6 * a + 0.2 * math.sin(b)",
    "b = 0.5 * b + 0.3 * a * c",
    "c = 0.9 * c - 0.1 * a * b",
    "a, b = 0.7 * b, 0.7 * a",
    "if a > b:\n    a = 0.8 * a * c\nelse:\n    b = 0.8 * b + 0.1 * c",
    "if c < 0.5:\n    c = c + 0.1 * a * a",
    "for i in range(len(y)):\n    y[i] = 0.8 * y[i] + 0.1 * a * y[i - 1]",
    "for i in range(1, len(y)):\n    a += 0.05 * y[i] * y[i - 1]\n    y[i] *= 0.9",
    "y = 0.5 * y + 0.1 * a",
    "b += 0.1 * k * a",
    "good = a > b\nif good:\n    c = 0.9 * c\nif good:\n    a = 0.9 * a\nelse:\n    b = b + 0.01 * a",
    "kept.append(a * c)",
    "if b > 0.3:\n    kept.append(b)",
    "z = b\nwhile z > 0.3 * b + 0.05:\n    z = 0.7 * z * (1.1 - 0.1 * c)\nb = z + 0.1 * c",
]


@pytest.mark.turns(4)
@pytest.mark.parametrize("seed", range(10))
def test_random_loops(seed: int) -> None:
    choose = random.Random(seed)
    body = choose.sample(STATEMENTS, choose.randint(2, 5))
    lines = [f"        {line}" for each in body for line in each.splitlines()]
    end = choose.choice(["a * b + c", "a + y.sum()", "c * y[0] * k + b", "sum(kept) * a", "kept[-1] + c"])
    text = (
        "import math\nimport numpy as np\n\n\ndef f(x, n):\n"
        "    a, b, c, k, y, kept = x[0], x[1], x[2], 0, x.copy(), [x[3]]\n"
        f"    while k < n and abs(a) < 5.0:\n{chr(10).join(lines)}\n        k += 1\n"
        f"    return {end}\n"
    )
    f = loaded(text)
    for n in (0, 1, 8, 9, 30):
        are_alike(f, (X, n))
