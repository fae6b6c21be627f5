"""Small arrays as numbers: the values are NumPy's, and where all places are known no array is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_numba import module

from autobatch import batch
from autodiff import grad
from codegen import jit

X = np.array([0.5, -1.25, 2.0])


def text(f: Callable[..., Any], *args: Any) -> str:
    """The emitted text; run as plain Python, and compiled, it gives what the function gives."""
    compiled = jit(f)
    made: str = compiled.source(*args)
    wanted = f(*args)
    for found in (module(made)[f.__name__](*args), compiled(*args)):
        pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True)
        for ours, theirs in pairs:
            np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-300)
            assert np.asarray(ours).dtype == np.asarray(theirs).dtype
            assert np.shape(ours) == np.shape(theirs)
    return made.partition("# What the functions above call.")[0]


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def spun(x, n):
    """The main function's parameter stays an array, what is made of it does not."""
    w, v = np.array([0.1, 0.2, 0.3]), np.array([x[0], x[1], x[2]])
    for _ in range(n):
        v = v + 0.01 * cross(w, v)
    return v[0] + v[1] * v[2]


def rhs(state, k):
    position, speed = state[0], state[1]
    return np.array([speed, -k * position])


def oscillator(x, n):
    state = np.array([1.0, 0.0])
    for _ in range(n):
        k1 = rhs(state, x[0])
        k2 = rhs(state + 0.05 * k1, x[0])
        state = state + 0.1 * k2
    return state


def matrices(x, n):
    a = np.array([[x[0], 1.0], [0.0, x[1]]])
    p = np.eye(2)
    for _ in range(n):
        p = p * 0.5 + a.T * p[0, 1]
        p[1, 0] += a[0, 0]
    return p.sum(), np.trace(p)


def branches(x, n):
    a = np.zeros(2)
    for k in range(n):
        if x[k % 3] > 0.0:
            a = np.array([a[1], a[0] + 1.0])
        else:
            a[0] -= x[2]
    return a[0] * 10.0 + a[1]


def while_loop(x, n):
    a = np.ones(3)
    count = 0
    while np.max(np.abs(a)) < 10.0 and count < 50:
        a = a * 1.5 + np.arange(3.0) * 0.01
        count += 1
    return a[2], count


def ints_and_bools(x, n):
    counts = np.zeros(3, np.int64)
    seen = np.zeros(3, np.bool_)
    for k in range(n):
        counts[0] += k
        counts[2] -= 1
        seen[1] = k > 1
    return counts[0] - counts[2], seen[1], counts.sum()


def narrow(x, n):
    a = np.zeros(2, np.float32)
    for k in range(n):
        a[0] += x[0] * k
        a[1] = a[0] * np.float32(0.1)
    return a[0] + a[1], a


def swapped(x, n):
    a, b = np.array([x[0], x[1]]), np.array([x[2], 1.0])
    for _ in range(n):
        a, b = b, a + b
    return a[0] - b[1]


def negative_places(x, n):
    a = np.array([1.0, 2.0, 3.0])
    for _ in range(n):
        a[-1] = a[-2] + a[-3]
        a[0] = a[-1]
    return a[-1]


def nested(x, n):
    """Loops over both axes, one place from the other."""
    a = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            a[i, j] = x[i] * (j + 1)
    total = 0.0
    for i in range(2):
        total += a[i, i + 1] - a[i + 1, i]
    return total


def kalman(x, n):
    """Products of matrices, transposes, a column, an outer product."""
    state, P, F, H = np.zeros(2), np.eye(2), np.array([[1.0, x[0]], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    total = 0.0
    for k in range(n):
        state = F @ state
        P = F @ P @ F.T + 0.1 * np.eye(2)
        y = x[k % 3] - (H @ state)[0]
        S = (H @ P @ H.T)[0, 0] + 0.5
        K = (P @ H.T)[:, 0] / S
        state = state + K * y
        P = P - np.outer(K, H @ P)
        total += -0.5 * (np.log(S) + y * y / S)
    return total


def points_turned(x, n):
    """A small matrix times rows of a large one."""
    t = np.sqrt(x[0] * x[0] + x[1] * x[1])
    K = np.array([[0.0, -x[1] / t], [x[1] / t, 0.0]])
    R = np.eye(2) + np.sin(t) * K + (1.0 - np.cos(t)) * (K @ K)
    points = np.arange(2.0 * n).reshape(n, 2)
    out = np.empty_like(points)
    for k in range(n):
        out[k] = R @ points[k]
    return out


def moved(x, n):
    a = np.array([[x[0], x[1], 0.5], [x[2], 1.0, 2.0]])
    b = np.concatenate((a.T.reshape(2, 3), a[:, ::-1], np.broadcast_to(a[1], (1, 3))))
    c = np.stack((b[1:3, 2], a[:, None, 1][:, 0] * n))
    return c[0, 1] + c[1, 0] * b[4, 2] - b[-1, -3], b


ALL_NUMBERS = (
    kalman,
    spun,
    branches,
    while_loop,
    ints_and_bools,
    swapped,
    negative_places,
    nested,
)


def place_of_a_value(x, n):
    a = np.zeros(3)
    for k in range(n):
        a[k % 3] += x[k % 3]
    return a[0] - a[1]


def passed_to_a_library(x, n):
    a = np.array([[2.0, x[0]], [0.5, 3.0]])
    for _ in range(n):
        a = np.linalg.inv(a) + np.eye(2)
    return a[0, 1]


def row(x, n):
    a = np.array([[x[0], 1.0], [0.5, 3.0]])
    for k in range(n):
        a[k % 2] = a[k % 2] * 0.5 + a[1 - k % 2]
    return a[0, 1]


def long_loop(x, n):
    a = np.zeros(2)
    for k in range(1000):
        a[0] += x[k % 3]
    return a[0]


def outside(x, n):
    a = np.array([1.0, 2.0])
    total = 0.0
    for i in range(2):
        if i < 1:
            total += a[i + 1]
    return total


def power(v, n):
    if n == 0:
        return np.array([1.0, v[0]])
    last = power(v * 0.5, n - 1)
    return np.array([last[1] + v[0], last[0] - v[1]])


def recursion(x, n):
    return power(np.array([x[0], x[1]]), n)


def pair(x, n):
    """Arrays in a tuple, and one given twice."""
    a = np.array([x[0], x[1]])
    both = (a, a * 2.0)
    for _ in range(n):
        both = (both[1], both[0] + both[1])
    return both[0][0] + both[1][1]


def bounds(x, n):
    low, high = np.array([0.0, -1.0]), np.array([1.0, 1.0])
    a = np.array([x[0], x[2]])
    for _ in range(n):
        a = np.clip(a * 1.7, low, high)
        a = np.where(a > 0.5, a - 1.0, a)
    return a


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "f",
    [
        *ALL_NUMBERS,
        oscillator,
        matrices,
        narrow,
        points_turned,
        moved,
        place_of_a_value,
        row,
        long_loop,
        outside,
        recursion,
        pair,
        bounds,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("n", [0, 5])
def test_values(f: Callable[..., Any], n: int) -> None:
    text(f, X, n)


@pytest.mark.parametrize("f", ALL_NUMBERS, ids=lambda f: f.__name__)
def test_no_array_is_left(f: Callable[..., Any]) -> None:
    made = text(f, X, 5)
    assert not any(word in made for word in ("np.empty", "np.zeros", "np.ones", ".copy()", "np.array(")), made


def test_arrays_that_a_library_takes_stay_arrays() -> None:
    compiled = jit(passed_to_a_library)
    assert compiled(X, 5) == pytest.approx(passed_to_a_library(X, 5), rel=1e-13)
    assert "a[0, 1]" in compiled.source(X, 5)


def test_functions_take_and_give_numbers() -> None:
    made = text(oscillator, X, 5)
    assert "def rhs(state_0, state_1, k):\n    return state_1, -(k * state_0)\n" in made, made
    assert made.count("np.empty") == 1  # of the result


def test_an_array_of_another_dtype_is_rounded_as_it_is_written() -> None:
    made = text(narrow, X, 5)
    assert "np.float32(" in made


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [spun, kalman, matrices, branches, nested, pair], ids=lambda f: f.__name__)
def test_gradients(f: Callable[..., Any]) -> None:
    def first(x, n):
        found = f(x, n)
        return found[0] if isinstance(found, tuple) else found

    ours = grad(lambda x: first(x, 5))(X)
    for k in range(3):
        step = np.eye(3)[k] * 1e-6
        wanted = (first(X + step, 5) - first(X - step, 5)) / 2e-6
        assert ours[k] == pytest.approx(wanted, rel=1e-6, abs=1e-7)


def zero_division(x, n):
    a = np.zeros(2)
    a[0] = n
    return x[0] / a[1], x[0] / (a[0] - n)


def test_numbers_of_arrays_are_numpys() -> None:
    """A Python number that was written is NumPy's when it is read: divided by 0, it is infinite."""
    with np.errstate(all="ignore"):
        assert jit(zero_division)(X, 3) == zero_division(X, 3) == (np.inf, np.inf)


def view_beside(x, n):
    a = np.array([x[0], x[1]])
    return a, a[:1]


def test_results_that_share_memory_do() -> None:
    whole, part = jit(view_beside)(X, 1)
    part[0] = 9.0
    assert whole[0] == 9.0


def eliminated(a):
    b = a.copy()
    for i in range(2):
        b[i + 1 :] -= np.outer(b[i + 1 :, i] / (b[i, i] + 3.0), b[i])
    return np.sum(b**2)


@pytest.mark.turns(4)
def test_sizes_that_each_iteration_has_decide_branches() -> None:
    """Whether rows were stretched is known where their number is; in the branch for that they have no size."""
    a = np.array([[0.1, 0.5, -0.2], [0.7, 0.3, 0.9], [-0.6, 0.8, 0.4]])
    found = batch(grad(eliminated))(np.stack([a, a.T]))
    for k, j in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[k, j] = 1e-6
        wanted = [(eliminated(m + step) - eliminated(m - step)) / 2e-6 for m in (a, a.T)]
        np.testing.assert_allclose(found[:, k, j], wanted, atol=1e-7)
