"""Reverse mode of loops that carry arrays whose size changes: by differences, and by the same loops unrolled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ragged_programs import RAGGED, american_put, binomial_tree, neville, pairs, places, tournament

from autobatch import batch
from autodiff import (
    check_grads,
    custom_jvp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)

NUMPY = {"target": "numpy"}


def assert_same(found: Any, wanted: Any, rtol: float = 1e-10) -> None:
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-12)
        assert np.shape(one) == np.shape(other)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("name", RAGGED)
def test_first_and_second_derivatives_are_differences(name: str) -> None:
    f, arguments = RAGGED[name]
    ints = [a for a in arguments if isinstance(a, int)]
    check_grads(lambda *floats: f(*floats, *ints), [a for a in arguments if not isinstance(a, int)], order=2)
    value, slopes = value_and_grad(f, places(arguments), **NUMPY)(*arguments)
    np.testing.assert_allclose(value, f(*arguments), rtol=1e-14)
    assert_same(slopes, grad(f, places(arguments), **NUMPY)(*arguments))


@pytest.mark.sampled(25)
@pytest.mark.parametrize("name", RAGGED)
def test_compiled(name: str) -> None:
    f, arguments = RAGGED[name]
    every = places(arguments)
    assert_same(grad(f, every)(*arguments), grad(f, every, **NUMPY)(*arguments))


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", RAGGED)
def test_ways_to_differentiate_agree(name: str) -> None:
    f, arguments = RAGGED[name]
    every = places(arguments)
    wanted = grad(f, every, **NUMPY)(*arguments)
    for save in ("all", "sqrt", ("x", "y", "values", "left")):
        assert_same(grad(f, every, save=save, **NUMPY)(*arguments), wanted)
    for derive in (jacrev, jacfwd):
        assert_same(derive(f, every, **NUMPY)(*arguments), wanted)
    k = every[0]

    def of_one(x: Any) -> Any:
        return f(*arguments[:k], x, *arguments[k + 1 :])

    (pulled,) = vjp(of_one, arguments[k], **NUMPY)[1](1.0)
    np.testing.assert_allclose(pulled, wanted[0], rtol=1e-10)
    way = np.ones_like(arguments[k])
    pushed = linearize(of_one, arguments[k], **NUMPY)[1](way if way.shape else 1.0)
    np.testing.assert_allclose(pushed, np.sum(wanted[0]), rtol=1e-10)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", RAGGED)
def test_over_lanes(name: str) -> None:
    """Which run in turn."""
    f, arguments = RAGGED[name]
    every = places(arguments)
    lanes = [tuple(a * by if k in every else a for k, a in enumerate(arguments)) for by in (1.0, 1.05, 0.95)]
    axes = tuple(0 if k in every else None for k in range(len(arguments)))
    rows = tuple(
        np.stack(c) if axis == 0 else c[0] for c, axis in zip(zip(*lanes, strict=True), axes, strict=True)
    )
    made = batch(grad(f, every, **NUMPY), in_axes=axes, **NUMPY)(*rows)
    for k, lane in enumerate(lanes):
        assert_same([each[k] for each in made], grad(f, every, **NUMPY)(*lane))


@pytest.mark.turns(4)
def test_lanes_compiled() -> None:
    spots = np.array([0.9, 1.0, 1.2])
    rest = (1.05, 0.03, 0.2, 1.0, 40)
    made = batch(grad(american_put), in_axes=(0, *(None,) * 5))(spots, *rest)
    assert_same(made, [grad(american_put, **NUMPY)(s, *rest) for s in spots])


# the same loops, unrolled


def unrolled_pairs(x: Any) -> Any:
    x = np.sin(x[1:]) * x[:-1]
    x = np.sin(x[1:]) * x[:-1]
    x = np.sin(x[1:]) * x[:-1]
    return x[0]


def unrolled_tournament(x: Any) -> Any:
    x = x[::2] * x[1::2] + np.sin(x[::2])
    return x[0] * x[1] + np.sin(x[0])


def unrolled_neville(x: Any, y: Any, at: Any) -> Any:
    y = ((at - x[1:]) * y[:-1] - (at - x[:-1]) * y[1:]) / (x[:-1] - x[1:])
    y = ((at - x[2:]) * y[:-1] - (at - x[:-2]) * y[1:]) / (x[:-2] - x[2:])
    return y[0]


def unrolled_tree(spot: Any, strike: Any, p: Any, disc: Any, n: int) -> Any:
    up = np.exp(0.2 / np.sqrt(3))
    v = np.maximum(strike - spot * np.array([up**-3, 1.0 / up, up, up**3]), 0.0)
    v = disc * (p * v[1:] + (1.0 - p) * v[:-1])
    v = disc * (p * v[1:] + (1.0 - p) * v[:-1])
    return (disc * (p * v[1:] + (1.0 - p) * v[:-1]))[0]


X = np.array([0.4, 0.9, 1.3, 0.7])


@pytest.mark.turns(8)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("f, unrolled, arguments", [
    (pairs, unrolled_pairs, (X,)),
    (tournament, unrolled_tournament, (X,)),
    (neville, unrolled_neville, (np.array([0.0, 1.0, 2.5]), X[:3], 1.7)),
    (binomial_tree, unrolled_tree, (1.0, 1.1, 0.51, 0.99, 3)),
])  # fmt: skip
def test_unrolled(f: Callable[..., Any], unrolled: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    every = places(arguments)
    assert_same(grad(f, every)(*arguments), grad(unrolled, every)(*arguments))
    for k in every:
        found, wanted = (hessian(g, k, **NUMPY)(*arguments) for g in (f, unrolled))
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_second_order_of_a_tree(target: str) -> None:
    """By reverse over reverse and by forward over reverse."""

    def vega(sigma: Any) -> Any:
        return grad(american_put, 3, **NUMPY)(0.97, 1.05, 0.03, sigma, 1.0, 50)

    rise = (vega(0.2 + 1e-6) - vega(0.2 - 1e-6)) / 2e-6
    assert grad(vega, target=target)(0.2) == pytest.approx(rise, rel=1e-6)
    assert jvp(vega, (0.2,), (1.0,), target=target)[1] == pytest.approx(rise, rel=1e-6)


def test_hessian_vector_products() -> None:
    way = np.array([0.3, -1.0, 0.2, 0.5])
    found = hvp(pairs, (X,), (way,), **NUMPY)
    np.testing.assert_allclose(found, hessian(unrolled_pairs, **NUMPY)(X) @ way, rtol=1e-10)


# what goes by the way


@pytest.mark.parametrize("n", [0, 1])
def test_no_iteration(n: int) -> None:
    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            x = x[1:] * x[:-1]
        return np.sum(np.sin(x))

    np.testing.assert_allclose(
        grad(f)(X, n), grad(lambda x: np.sum(np.sin(x[1:] * x[:-1] if n else x)))(X), rtol=1e-14
    )
    assert grad(pairs)(X[:1]) == [1.0]


def test_to_nothing() -> None:
    def f(x: Any) -> Any:
        s = 0.0
        while len(x) > 0:
            s += x[0] ** 2
            x = x[1:] * s
        return s + np.sum(x)

    check_grads(f, (X,), order=2)


@pytest.mark.turns(4)
def test_errors_are_those_of_the_function() -> None:
    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            x = x[1:] * x[:-1]
        return x[0]

    with pytest.raises(IndexError, match="index 0 is out of bounds for axis 0 with size 0"):
        grad(f)(X, 4)
    with pytest.raises(ValueError, match="operands could not be broadcast"):
        grad(tournament)(np.ones(7))


def test_single_precision() -> None:
    made = grad(pairs, **NUMPY)(X.astype(np.float32))
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, grad(pairs, **NUMPY)(X), rtol=1e-5)
    assert "np.empty(stop * 2, np.float32)" in grad(pairs, **NUMPY).source(X.astype(np.float32))


def test_complex_numbers() -> None:
    def f(x: Any) -> Any:
        z = x + 0.5j * x[::-1]
        while len(z) > 1:
            z = z[1:] * z[:-1] + 0.1
        return np.abs(z[0])

    check_grads(f, (X,), order=2)


@pytest.mark.turns(4)
def test_draws_are_kept() -> None:
    def f(x: Any, rng: Any) -> Any:
        s = 0.0
        while len(x) > 1:
            u = rng.random(len(x) // 2)
            v = rng.normal(size=len(x))
            x = x[: len(u)] * u + np.cos(x[-len(u) :] * v[0])
            s += np.sum(x**2) + rng.normal() * x[0]
        return s

    x = np.linspace(0.3, 1.4, 9)
    rises = [
        (f(x + e, np.random.default_rng(3)) - f(x - e, np.random.default_rng(3))) / 2e-6
        for e in 1e-6 * np.eye(9)
    ]
    for target in ("numpy", "numba"):
        np.testing.assert_allclose(grad(f, target=target)(x, np.random.default_rng(3)), rises, rtol=1e-6)


def test_ints_of_changing_sizes() -> None:
    def f(x: Any) -> Any:
        k = np.arange(4)
        while len(k) > 1:
            k = k[1:] + k[:-1]
            x = np.sin(x * k[0]) + x[k[-1] % len(x)]
        return np.sum(x)

    check_grads(f, (X,), order=2)


def test_batches_inside() -> None:
    """Lanes that leave a loop one after the other are gone through in turn, whatever their arrays do."""

    def f(rows: Any) -> Any:
        return np.sum(batch(pairs)(rows))

    rows = np.stack((X, 1.1 * X, X[::-1]))
    np.testing.assert_allclose(
        grad(f, **NUMPY)(rows), [grad(pairs, **NUMPY)(row) for row in rows], rtol=1e-12
    )


def test_rules_of_users_whose_tangents_shrink() -> None:
    @custom_jvp
    def last(x: Any, k: int) -> Any:
        return x[k:]

    @last.defjvp
    def last_jvp(primals: Any, tangents: Any) -> Any:
        (x, k), (x_dot, _) = primals, tangents
        left = x_dot
        for _ in range(k):
            left = left[1:]
        return x[k:], left

    made = grad(lambda x, k: np.sum(last(x, k) ** 2), **NUMPY)(X, 2)
    np.testing.assert_allclose(made, [0.0, 0.0, 2.6, 1.4], rtol=1e-14)


def test_memory_is_the_sum_of_the_sizes() -> None:
    """No more than twice as much is asked for at a time, and no array of as many rows as iterations."""
    made: list[int] = []
    text = grad(pairs, **NUMPY).source(X).replace("np.empty(", "noted(")

    def noted(n: int, *rest: Any) -> Any:
        made.append(n)
        return np.empty(n, *rest)

    names: dict[str, Any] = {"noted": noted}
    exec(text, names)
    x = np.linspace(0.5, 1.0, 100)
    np.testing.assert_allclose(names["pairs_grad"](x), grad(pairs, **NUMPY)(x), rtol=1e-14)
    sizes = sum(range(2, 101))
    assert sizes <= max(made) <= 2 * sizes
    assert len(made) < 12


def test_sizes_that_stay_are_kept_in_rows() -> None:
    def f(A: Any, v: Any, x: Any) -> Any:
        for _ in range(len(x)):
            v = np.tanh(A @ v)
            x = x[1:] * v[0]
        return np.sum(v) + np.sum(x)

    A, v = 0.3 * np.eye(3) + 0.1, X[:3]
    check_grads(f, (A, v, X), order=2)
    text = grad(f, **NUMPY).source(A, v, X)
    assert "vs = np.empty((n" in text
    assert text.count("starts = ") == 1


def test_text(golden: Callable[[str, str], None]) -> None:
    """Of a slope in which the values are linear, their sizes alone are kept."""
    given = (1.0, 1.1, 0.51, 0.99, 5)
    made = {
        "binomial_tree_grad.py": grad(binomial_tree, **NUMPY).source(*given),
        "binomial_tree_kept_grad.py": grad(binomial_tree, (0, 2), **NUMPY).source(*given),
        "binomial_tree_kept_grad_numba.py": grad(binomial_tree, (0, 2)).source(*given),
    }
    for name, text in made.items():
        golden(name, text.partition("\n\n\n# What the functions above call.")[0] + "\n")
