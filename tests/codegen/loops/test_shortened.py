"""Loops that end where a check of their index fails: Python's errors, after all that Python has done before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import grad
from codegen import jit


def product(a, b):
    made = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                made[i, j] += a[i, k] * b[k, j]
    return made


def test_a_product_has_no_check_inside() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 7, 7))
    np.testing.assert_allclose(jit(product)(a, b), a @ b, rtol=1e-12)
    loop = jit(product).source(a, b[:, :5]).split("for k in")[1].splitlines()
    assert loop[1].strip() == "C[i, j] += A[i, k] * B[k, j]".replace("C", "made").replace("A", "a").replace(
        "B", "b"
    )


def one(x, y, first, last):
    for i in range(first, last):
        x[i] = 2.0 * y[i]
    return x


def beside(x, y, first, last):
    for i in range(first, last):
        x[i] = y[i + 2] - x[i]
    return x


def before(x, y, first, last):
    """What is written before the check is written in the iteration that fails, too."""
    for i in range(max(first, 0), last):
        x[i] += 1.0
        x[i] += y[i]
    return x


def summed(x, y, first, last):
    total = 0.0
    for i in range(first, last):
        total += x[i] * y[i]
        x[0] = total
    return x


def chosen(x, y, first, last):
    for i in range(max(first, 0), last):
        if x[i] > 3.0:
            x[i] = y[i]
    return x


def one_down(x, y, first, last):
    for i in range(last - 1, first - 1, -1):
        x[i] = 2.0 * y[i]
    return x


def beside_down(x, y, first, last):
    for i in range(last - 1, max(first, 0) - 1, -1):
        x[i] = y[i + 2] - x[i]
    return x


def before_down(x, y, first, last):
    for i in range(last - 1, max(first, 0) - 1, -1):
        x[0] += 1.0
        x[i] = x[i] + y[i]
    return x


def summed_down(x, y, first, last):
    total = 0.0
    for i in range(last - 1, first - 1, -1):
        total += x[i] * y[i]
        x[0] = total
    return x


def outcome(f: Callable[..., Any], *given: Any) -> Any:
    x, *others = given
    x = x.copy()
    try:
        f(x, *others)
        return x.tolist(), ""
    except IndexError as error:
        return x.tolist(), str(error)


DOWN = (one_down, beside_down, before_down, summed_down)


@pytest.mark.parametrize("f", [one, beside, before, summed, chosen, *DOWN])
def test_errors_and_what_was_done_before(f: Callable[..., Any]) -> None:
    compiled = jit(f)
    for n, m in ((6, 6), (6, 4), (4, 6), (6, 0), (0, 6), (3, 2)):
        x, y = np.arange(float(n)), 10.0 + np.arange(float(m))
        for first, last in ((0, n), (0, m), (2, 5), (0, 9), (5, 9), (4, 1), (-2, 3)):
            assert outcome(compiled, x, y, first, last) == outcome(f, x, y, first, last), (n, m, first, last)


def two_checks(x, y, z):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i] - z[i + 1]
    return total


def two_checks_down(x, y, z):
    total = 0.0
    for i in range(len(x) - 1, -1, -1):
        total += x[i] * y[i] - z[i + 1]
    return total


def test_a_loop_that_goes_down_is_checked_before_it() -> None:
    loop = jit(two_checks_down).source(*np.ones((3, 5))).split("for ")[1]
    assert "raise" not in loop.split("return")[0]


@pytest.mark.parametrize("f", [two_checks, two_checks_down])
@pytest.mark.parametrize(("n", "m"), [(9, 9), (3, 9), (9, 3), (3, 4), (4, 4), (3, 3), (5, 6), (0, 0)])
def test_the_check_that_fails_first(f: Callable[..., float], n: int, m: int) -> None:
    given = np.arange(5.0), np.arange(float(n)), np.arange(float(m))
    try:
        wanted = f(*given)
    except IndexError as error:
        with pytest.raises(IndexError) as found:
            jit(f)(*given)
        assert str(found.value) == str(error)
    else:
        assert jit(f)(*given) == wanted


def test_gradients() -> None:
    x, y = np.random.default_rng(2).normal(size=(2, 6))

    def total(x, y):
        made = 0.0
        for i in range(len(x)):
            made += x[i] ** 2 * y[i]
        return made

    slopes = grad(total, argnums=(0, 1))(x, y)
    np.testing.assert_allclose(slopes, (2.0 * x * y, x**2), rtol=1e-12)
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        grad(total)(x, y[:5])
