"""Loops over arrays on Numba: functions that are inlined, sums in any order, and nothing else changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special
from user_programs import loaded

from autodiff import grad
from codegen import jit

X = np.concatenate([np.linspace(-4.0, 4.0, 37), [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-300, 800.0, -800.0]])
FUNCTIONS: dict[str, Any] = {
    "exp": lambda x: np.exp(x),
    "expm1": lambda x: np.expm1(x),
    "log": lambda x: np.log(x),
    "log1p": lambda x: np.log1p(x),
    "sin": lambda x: np.sin(x),
    "cos": lambda x: np.cos(x),
    "tanh": lambda x: np.tanh(x),
    "pow": lambda x: x**2.7,
    "logaddexp": lambda x: np.logaddexp(x, 1.5),
    "expit": lambda x: scipy.special.expit(x),
    "gammaln": lambda x: scipy.special.gammaln(x),
    "erf": lambda x: scipy.special.erf(x),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementary_functions(name: str, dtype: Any) -> None:
    """Within 4 ulp (of float32 those of its tests), special values as NumPy's."""
    f, x = FUNCTIONS[name], X.astype(dtype)
    x = x[np.abs(x) < 700] if name in ("sin", "cos", "gammaln") else x
    with np.errstate(all="ignore"):
        got, wanted = jit(f)(x), f(x)
    assert got.dtype == wanted.dtype
    prefix = "fast" if dtype is np.float64 else "single"
    assert f"{prefix}_{name}(" in jit(f).source(x)
    np.testing.assert_allclose(got, wanted, rtol=16 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)


REDUCTIONS: dict[str, Any] = {
    "plus": lambda x: np.sum(x),
    "highest": lambda x: np.max(x),
    "lowest": lambda x: np.min(x),
    "highest_number": lambda x: np.nanmax(x),
    "lowest_number": lambda x: np.nanmin(x),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_sums_and_extremes(name: str, dtype: Any) -> None:
    f, compiled = REDUCTIONS[name], jit(REDUCTIONS[name])
    for x in (X, X[:37], X[:38], X[38:40], X[39:], -X[39:], np.array([3.0])):
        x = x.astype(dtype)
        with np.errstate(all="ignore"):
            got, wanted = compiled(x), f(x)
        assert got.dtype == wanted.dtype
        scale = np.finfo(dtype).eps * np.sum(np.abs(x), dtype=np.float64)
        np.testing.assert_allclose(
            got, wanted, rtol=4 * np.finfo(dtype).eps, atol=scale if scale < np.inf else 0.0
        )
    assert f" = {name}(" in compiled.source(X.astype(dtype))


def sum_by_hand(x):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(x[i])
    return total


def sums_that_are_looked_at(x):
    return np.cumsum(np.exp(x))


def with_a_call(x):
    return np.sum(np.exp(x) * np.mod(x, 2.0))


def in_a_call(x):
    return np.mod(np.exp(x), 2.0)


def of_ints(x):
    return np.sum(x.astype(np.int64)) + np.max(x.astype(np.int64))


def of_a_few(x):
    return np.exp(np.array([x[0], x[1], x[2]]))


@pytest.mark.parametrize("f, loops", [(with_a_call, 2), (in_a_call, 2)])
def test_calls_of_the_c_library_are_apart(f: Any, loops: int) -> None:
    """What LLVM makes no vectors of has a loop of its own, before or after."""
    x = X[:37]
    text = jit(f).source(x).partition("# What the functions above call")[0]
    np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-14)
    assert text.count("for i in range") == loops
    assert not any("fast_exp(" in line and " % 2.0" in line for line in text.splitlines())


def kernel_total(length, x):
    apart = (x[:, None] - x) / length
    return np.sum(np.exp(-0.5 * apart * apart))


def all_and_any(x):
    return np.all(x < 2.0), np.any(np.isnan(x))


def test_what_a_sum_is_made_less_by() -> None:
    """In any order too: its derivative takes every term away."""
    made = grad(kernel_total)
    text = made.source(2.0, X[:37])
    assert "length_bar = plus(length_bar, -" in text and "-=" not in text
    wanted = (kernel_total(2.0 + 1e-6, X[:37]) - kernel_total(2.0 - 1e-6, X[:37])) / 2e-6
    assert made(2.0, X[:37]) == pytest.approx(wanted, rel=1e-6)


def test_all_and_any_have_no_branches() -> None:
    text = jit(all_and_any).source(X[:37])
    assert " &= " in text and " |= " in text
    for x in (X, np.append(X, np.nan), np.append(X, 3.0), X[:0]):
        assert jit(all_and_any)(x) == all_and_any(x)


@pytest.mark.parametrize("f", [sum_by_hand, of_ints])
def test_what_stays(f: Any) -> None:
    """The user's own order, ints."""
    text = jit(f).source(X[:37])
    assert not any(word in text for word in ("fast_", "plus(", "highest("))


def test_the_order_of_a_users_sum_is_the_users() -> None:
    x = np.random.default_rng(0).normal(size=1000)
    assert jit(sum_by_hand)(x) == pytest.approx(sum_by_hand(x), rel=1e-15)
    np.testing.assert_allclose(jit(sums_that_are_looked_at)(x), np.cumsum(np.exp(x)), rtol=1e-14)


def test_few_iterations() -> None:
    assert "fast_" not in jit(of_a_few).source(X)


@pytest.mark.turns(4)
def test_long_programs_are_several_loops() -> None:
    """So that what is done for each loop does not grow with the whole program."""
    lines = [f"    x{k + 1} = np.sin(x{k}) * 0.5 + x{k // 2}" for k in range(90)]
    f = loaded("\n".join(["def f(x0):", *lines, "    return x90"]))
    x = np.linspace(-1.0, 1.0, 40)
    assert 1 < jit(f).source(x).count(" in range(") < 30
    np.testing.assert_allclose(jit(f)(x), f(x), rtol=1e-12)


def half_powers(x):
    return x**1.5, x**2.5, x**-0.5, x**-1.5, np.power(x, 1.5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_half_powers_are_products_of_roots(dtype: type) -> None:
    """Within 2 units, as NumPy's powers are within 1; zeros, infinities and what is negative as of those."""
    rng = np.random.default_rng(4)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 4.0, -4.0, 5e-324, 1e-310, 1.7e308]
    with np.errstate(all="ignore"):
        x = np.concatenate((ends, 10.0 ** rng.uniform(-308, 308, 2000), 4.0 * rng.random(2000))).astype(dtype)
        for ours, theirs in zip(jit(half_powers)(x), half_powers(x), strict=True):
            assert ours.dtype == theirs.dtype
            finite = np.isfinite(theirs)
            np.testing.assert_array_equal(ours[~finite], theirs[~finite])
            unit = np.spacing(np.abs(theirs[finite])).astype(np.float64)
            assert np.max(np.abs(ours[finite].astype(np.float64) - theirs[finite]) / unit) <= 3
            np.testing.assert_array_equal(np.signbit(ours[finite]), np.signbit(theirs[finite]))
    assert "_half_pow(" in jit(half_powers).source(x)


def test_half_powers_have_slopes_at_zero() -> None:
    np.testing.assert_allclose(
        grad(lambda x: np.sum(x**1.5 + x**2.5))(np.array([0.0, 1.0, 4.0])), [0.0, 4.0, 23.0]
    )
