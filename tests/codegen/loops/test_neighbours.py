"""Loops that add to neighbours, and loops that go down: the same bits as in the user's order, and vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from user_programs import loaded

from autodiff import grad
from codegen import jit


def scatter(x, k):
    n = len(x)
    y = np.zeros(n)
    for i in range(1, n - 1):
        t = k * x[i]
        y[i + 1] += t
        y[i - 1] += t
        y[i] -= 2.0 * t
    return y


def assembly(k, x):
    """Stiffness of bars between neighbours, as finite elements are put together."""
    r = np.zeros(len(x))
    for e in range(len(k)):
        force = k[e] * (x[e + 1] - x[e])
        r[e] -= force
        r[e + 1] += force
    return r


def downwards(x):
    n = len(x)
    y = np.zeros(n)
    z = np.ones(n)
    for i in range(n - 1, -1, -1):
        z[i] = z[i] * x[i]
        y[i] = 2.0 * z[i] - x[i]
    return y, z


def takes_what_it_gave(x):
    """An iteration reads what another one added: the loop stays one."""
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i + 1] += y[i] + x[i]
        y[i - 1] += x[i]
    return y


def from_the_end(x):
    """y[-1] is the last element in the first iteration."""
    y = np.zeros(len(x))
    for i in range(len(x) - 1):
        y[i - 1] += x[i]
        y[i + 1] += 2.0 * x[i]
    return y


def other_rows(x, rows):
    """Rows that may be one."""
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        p = rows[i]
        for j in range(1, x.shape[1] - 1):
            y[p, j + 1] += x[i, j]
            y[i, j - 1] += 3.0 * x[i, j]
            y[p, j] += x[i, j] * x[i, j]
    return y


X = np.random.default_rng(0).normal(size=37)
ROWS = np.array([1, 1, 0, 3, 2])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (scatter, (X, 0.3)),
    (assembly, (X[1:], X)),
    (downwards, (X,)),
    (takes_what_it_gave, (X,)),
    (from_the_end, (X,)),
    (other_rows, (X[:35].reshape(5, 7), ROWS)),
]


@pytest.mark.parametrize("f, args", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_bits_are_those_of_the_users_order(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    sizes = [len(args[0])] if f in (assembly, other_rows) else [len(args[0]), 3, 2, 1, 0]
    for n in sizes:
        given = (args[0][:n], *args[1:])
        np.testing.assert_array_equal(jit(f)(*given), f(*given))


def test_a_loop_for_each_neighbour() -> None:
    text = jit(scatter).source(X, 0.3)
    assert text.count("for i in range(1, n - 1):") == 3, text
    assert text.index("y[i - 1] +=") > text.index("y[i] -=") > text.index("y[i + 1] +="), text
    assert "for i in range(n):" in jit(downwards).source(X)


@pytest.mark.parametrize("f, args", [(takes_what_it_gave, (X,)), (from_the_end, (X,))])
def test_loops_that_stay_one(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert jit(f).source(*args).count("for i in") == 1


def heat(u, k, steps):
    for _ in range(steps):
        w = u.copy()
        for i in range(1, len(u) - 1):
            w[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = w
    return np.sum(u * u)


def burgers(u, k, steps):
    u = u.copy()
    for _ in range(steps):
        v = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = v[i] - k * v[i] * (v[i] - v[i - 1]) + k * (v[i + 1] - 2.0 * v[i] + v[i - 1])
    return np.sum(u * u)


def plate(u, k, steps):
    u = u.reshape(-1, 6)
    for _ in range(steps):
        w = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                w[i, j] = u[i, j] + k * (
                    u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
                )
        u = w
    return np.sum(u * u)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [heat, burgers, plate])
def test_adjoints_of_stencils(f: Callable[..., Any]) -> None:
    """Numba's target has a loop for each neighbour, NumPy's the one loop."""
    for n in (36, 18, 6):
        u = 0.1 * X[:n]
        np.testing.assert_array_equal(grad(f)(u, 0.1, 4), grad(f, target="numpy")(u, 0.1, 4))
    text = grad(f).source(0.1 * X[:36], 0.1, 4)
    back = text[text.rindex("range(steps") :]
    assert "[i] +=" in back or "[i, j] +=" in back
    assert ", -1, -1):\n            for" not in back and ", 0, -1):\n            for i" not in back, back


@st.composite
def scatters(draw: st.DrawFn) -> str:
    """A loop, up or down, that adds to neighbours of one or two arrays, and writes or reads a third."""
    lowest = draw(st.integers(0, 3))
    terms = []
    for _ in range(draw(st.integers(1, 5))):
        place = draw(st.integers(-min(lowest, 2), 2))
        array = draw(st.sampled_from("yz"))
        value = draw(st.sampled_from(["t", "x[i]", "w[i]", "t * x[i]", "x[i - 1] - t", "2.0 * w[i]"]))
        terms.append(
            f"        {array}[i + {place}] += {value}" if place else f"        {array}[i] += {value}"
        )
    own = draw(st.sampled_from(["        w[i] = 0.0", "        w[i] += t"]))
    terms.insert(draw(st.integers(0, len(terms))), own)
    ranges = f"{lowest}, n - 2", f"n - 3, {lowest - 1}, -1"
    loop = draw(st.sampled_from(ranges))
    return "\n".join(
        ["def f(x, w):", "    n = len(x)", "    y = np.zeros(n)", "    z = np.ones(n)", "    w = w.copy()",
         f"    for i in range({loop}):", "        t = 0.5 * x[i] + w[i]", *terms, "    return y, z, w", ""]
    )  # fmt: skip


@pytest.mark.turns(4)
@settings(max_examples=25)
@given(scatters())
def test_random_scatters(text: str) -> None:
    f = loaded(text)
    for n in (20, 5, 3, 1):
        for ours, theirs in zip(jit(f)(X[:n], X[3 : 3 + n]), f(X[:n], X[3 : 3 + n]), strict=True):
            np.testing.assert_array_equal(ours, theirs)
