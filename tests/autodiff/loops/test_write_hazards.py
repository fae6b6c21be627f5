"""What the forward sweep keeps of arrays that a loop writes in place: time and memory grow with the writes."""

from __future__ import annotations

import numpy as np
import pytest
from differentiate import active_in, program_of

from autodiff import grad, hessian
from autodiff.jvp import jvp
from autodiff.policy import policy
from autodiff.unzip import unzip
from codegen.ir.interpreter import evaluate
from codegen.simplify.driver import simplify


def lu(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return np.sum(a * a)


def cholesky(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] = np.sqrt(a[i, i] - np.dot(a[i, :i], a[i, :i]))
    return np.sum(a)


def back_substitution(a):
    x = np.zeros(a.shape[0])
    for i in range(a.shape[0] - 1, -1, -1):
        x[i] = (1.0 - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return np.sum(x * x)


def border_from_the_last_row(a):
    x = a.copy()
    for i in range(a.shape[0] - 1):
        x[i, :] = np.sin(x[-1, :]) * x[i, :]
    return np.sum(x)


def row_from_the_next_two(a):
    y = np.empty(a.shape)
    y[-1, :] = 0.0
    y[-2, :] = a[-1, :]
    for i in range(a.shape[0] - 3, -1, -1):
        y[i, :] = a[i + 1, :] * y[i + 1, :] + 2.0 * y[i + 2, :]
    return np.sum(y)


def windows(a):
    out = np.empty((a.shape[0] - 2, a.shape[1] - 2))
    for i in range(a.shape[0] - 2):
        for j in range(a.shape[1] - 2):
            out[i, j] = np.sum(np.sin(a[i : i + 3, j : j + 3]))
    return np.sum(out * out)


PROGRAMS = (lu, cholesky, back_substitution, border_from_the_last_row, row_from_the_next_two, windows)


def argument(n: int) -> np.ndarray:
    return np.random.default_rng(n).uniform(0.5, 1.5, (n, n)) + n * np.eye(n)


def numbers_kept(f, n: int) -> int:
    """How many numbers go from the forward sweep to the return sweep."""
    program = program_of(f, (argument(n),))
    pushed = simplify(jvp(program, active_in(program)))
    halves = unzip(pushed, (False, True), policy("none"))
    _, *residuals = evaluate(simplify(halves.known), argument(n))
    return sum(np.size(r) for r in residuals)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_kept_grows_with_the_writes(f) -> None:
    assert numbers_kept(f, 10) <= 6 * 10**2
    assert numbers_kept(f, 20) <= 6 * 20**2


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_agree_with_differences(f) -> None:
    a, direction = argument(9), np.random.default_rng(0).standard_normal((9, 9))
    found = np.sum(grad(f, target="numpy")(a) * direction)
    step = 1e-6
    differences = (f(a + step * direction) - f(a - step * direction)) / (2 * step)
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_no_iteration_copies_a_whole_array(f) -> None:
    """Parts that are read after a write are copied, not what they are parts of."""
    lines = grad(f).source(argument(9)).splitlines()
    copied = [line.strip() for line in lines if ".copy()" in line and line.startswith(" " * 8)]
    assert all("[" in line for line in copied), copied


def overwritten_windows(x):
    z = x.copy()
    for i in range(len(x)):
        z[i : i + 2] = z[i : i + 2] * z[i : i + 2]
        z[i] += z[i - 1 : i + 1] @ z[i - 1 : i + 1]
    return np.sum(z)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_second_derivatives_of_kept_slices(target) -> None:
    x, h = np.array([0.4, -0.3, 0.7, 0.2]), 1e-6
    gradient = grad(overwritten_windows, target=target)
    wanted = [(gradient(x + h * e) - gradient(x - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(hessian(overwritten_windows, target=target)(x), wanted, rtol=1e-5, atol=1e-7)
