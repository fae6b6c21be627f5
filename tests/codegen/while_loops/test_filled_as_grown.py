"""A loop that is run for the sizes of lists and the one that fills them run once; slopes are those of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autodiff import grad
from codegen import jit

X = np.random.default_rng(6).uniform(0.3, 1.7, 30)


def together(x):
    t, y, ts, ys = 0.0, x[0], [0.0], [x[0]]
    while t < 3.0:
        y = y - 0.1 * x[1] * y
        t = t + 0.1 + 0.01 * y
        if y * t > 0.05:
            ts.append(t)
            ys.append(y)
    return np.trapezoid(np.array(ys), np.array(ts))


def apart(x):
    ys, zs = [x[0]], [1.0]
    for v in x:
        if v > 0.8:
            ys.append(v * ys[-1])
        else:
            zs.append(v + 0.5 * zs[-1])
    return np.sum(np.array(ys) ** 2) + np.sum(np.array(zs) ** 3)


def read_back(x):
    """Elements that were appended before are read, from the front and from the end."""
    ys, k = [x[0], x[1]], 0
    while len(ys) < 25:
        ys.append(0.3 * ys[k] + 0.6 * np.sin(ys[-1]) + x[k])
        k += 1
    return ys[-1] + ys[7] * ys[12]


def from_an_inner_loop(x):
    ys = []
    for k in range(5):
        v = x[k]
        while v < 4.0:
            v = v * 1.3 + 0.1
            ys.append(v * x[k])
    return np.sum(np.array(ys) * np.arange(len(ys)))


def several_at_once(x):
    ys, k = [x[0]], 0
    while k < 12:
        v = x[k] * ys[-1]
        ys.append(v)
        ys.append(v + x[k + 1])
        if v > 0.4:
            ys.extend([v * 0.5, v * 0.25, 1.0])
        k += 1 + (v > 0.2)
    return np.sum(np.array(ys) ** 2)


def rows(x):
    state = x[:2].copy()
    path = [state]
    while state[0] < 6.0:
        state = state + 0.3 * np.array([state[1], 0.2 * np.sin(state[0]) + 0.5])
        path.append(state)
    return np.sum(np.array(path) ** 2)


def changed_later(x):
    """What was appended is written again."""
    ys, k = [1.0], 0
    while len(ys) < 20:
        ys.append(x[k] * ys[k // 2])
        ys[k // 3] = ys[k // 3] * 0.9 + 0.1 * ys[-1]
        k += 1
    return np.sum(np.array(ys))


def taken_away(x):
    """A stack, which gets shorter, too."""
    total, todo = 0.0, [(x[0], 3.0)]
    while todo:
        lo, hi = todo.pop()
        if hi - lo < 0.3:
            total += lo * hi * x[1]
        else:
            middle = 0.5 * (lo + hi)
            todo.append((lo, middle))
            todo.append((middle, hi))
    return total


def a_sum_of_all(x):
    """All that was appended is read in each iteration."""
    ys = [x[0]]
    while len(ys) < 15:
        ys.append(0.1 * sum(ys) + x[len(ys)])
    return ys[-1]


def lists_of_a_loop(x):
    total = 0.0
    for k in range(6):
        ys = [x[k]]
        while ys[-1] > 0.1:
            ys.append(ys[-1] * 0.6)
        total += np.sum(np.array(ys)) * len(ys)
    return total


ONCE = [together, apart, read_back, several_at_once, rows, changed_later, taken_away]
PROGRAMS = [*ONCE, from_an_inner_loop, a_sum_of_all, lists_of_a_loop]


def differences(f: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    return np.array([(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(len(x))])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f: Callable[..., Any]) -> None:
    found = grad(f)(X)
    np.testing.assert_allclose(found, grad(f, target="numpy")(X), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(found, differences(f, X), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("f", ONCE)
def test_the_loop_runs_once(f: Callable[..., Any]) -> None:
    lines = [line.strip() for line in grad(f).source(X).splitlines()]
    heads = [line for line in lines if line.startswith("while ")]
    assert len(heads) == len(set(heads)), "\n".join(lines)


LINES = [
    "xs.append(u)",
    "ys.append(v * u)",
    "xs.append(u)\nys.append(v)",
    "u = 0.7 * u + 0.2 * xs[-1] + 0.1 * x[k % 9]",
    "v = 0.5 * v + 0.3 * ys[len(ys) // 2] * x[(k + 3) % 9]",
    "xs[k % len(xs)] = 0.5 * u",
    "ys[-1] = ys[-1] * 0.9 + 0.1 * v",
    "u, v = v, u",
    "xs.extend([u, v])",
    "if len(xs) > 3:\n    u = u + 0.2 * xs.pop()",
]


def lines_of(draw: np.random.Generator, count: int, depth: int) -> Iterator[str]:
    for _ in range(count):
        kind = draw.integers(8) if depth < 2 else 0
        if kind < 6:
            yield from LINES[draw.integers(len(LINES))].splitlines()
            continue
        test = draw.choice(["u > v", "k % 2 == 0", "len(xs) > len(ys)", "ys[-1] < 0.8"])
        yield f"if {test}:" if kind == 6 else f"for j{depth} in range(1 + k % {draw.integers(1, 4)}):"
        yield from ("    " + line for line in lines_of(draw, draw.integers(1, 3), depth + 1))


def random_lists(seed: int) -> str:
    draw = np.random.default_rng(seed)
    head = "while k < 9:" if seed % 2 else "for k in range(8):"
    count = ["k += 1"] if seed % 2 else []
    body = ["    " + line for line in (*lines_of(draw, draw.integers(2, 6), 0), *count)]
    end = "return np.sum(np.array(xs) ** 2) + np.sum(np.array(ys)) * len(xs) + u * v"
    lines = ["k, u, v, xs, ys = 0, x[0], x[1], [x[2]], [1.0]", head, *body, end]
    return "def f(x):\n" + "\n".join("    " + line for line in lines)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(40))
def test_random_lists(seed: int) -> None:
    f, x = loaded(random_lists(seed)), X[:9]
    np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-12)
    found = grad(f)(x)
    np.testing.assert_allclose(found, grad(f, target="numpy")(x), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found, differences(f, x), rtol=1e-4, atol=1e-5)
