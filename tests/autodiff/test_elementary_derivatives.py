"""Sums, products, quotients and compositions of elementary functions: reverse against forward against differences."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, hessian, jacfwd, jacrev, jvp, value_and_grad, vjp

NUMPY: dict[str, Any] = {"target": "numpy"}

# At 0.83 and 1.31 all of them are smooth.
ELEMENTARY = (
    "np.exp({})", "np.log({})", "np.sqrt({})", "np.sin({})", "np.cos({})", "np.tanh({})", "np.abs({})", "np.sign({})",
    "np.arctan({})", "np.log1p({})", "np.expm1({})", "np.square({})", "np.reciprocal({})", "({}) ** 3", "({}) ** -1",
    "({}) ** 0.5", "2.0 ** ({})", "-({})", "1.0 / ({})", "expit({})", "erf({})", "gammaln({})", "({})", "0.5 * ({})",
)  # fmt: skip
TOGETHER = ("({}) * ({})", "({}) / ({})", "({}) - ({})")


def bodies() -> list[str]:
    """Half of all pairs, each joined in one way, and some compositions times a third."""
    pairs = list(itertools.product(ELEMENTARY, repeat=2))
    joined = [TOGETHER[k % 3].format(f.format("x"), g.format("x")) for k, (f, g) in enumerate(pairs)][::2]
    nested = [
        f.format(g.format("x")) + f" * {h.format('x')}" for (f, g), h in zip(pairs[::6], ELEMENTARY * 4)
    ]
    return joined + nested


def functions(folder: Path, texts: tuple[str, ...]) -> ModuleType:
    file = folder / "products.py"
    head = "import numpy as np\nfrom scipy.special import erf, expit, gammaln\n"
    file.write_text(head + "".join(f"\n\ndef f{k}(x):\n    return {text}\n" for k, text in enumerate(texts)))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.turns(4)
@np.errstate(invalid="ignore")  # log(gammaln(1.31)) is NaN
def test_forward_reverse_and_differences_agree(tmp_path):
    texts = tuple(bodies())
    module, h = functions(tmp_path, texts), 1e-6
    for k, text in enumerate(texts):
        f: Callable[..., Any] = getattr(module, f"f{k}")
        x = (0.83, 1.31)[k % 2]
        _, forward = jvp(f, (x,), (1.0,), **NUMPY)
        np.testing.assert_allclose(grad(f, **NUMPY)(x), forward, rtol=1e-12, atol=1e-12, err_msg=text)
        slope = (f(x + h) - f(x - h)) / (2 * h)
        np.testing.assert_allclose(forward, slope, rtol=1e-5, atol=1e-6, err_msg=text)


def test_gradients_of_products_compile():
    def f(x):
        return x * np.sqrt(x), x * np.exp(-0.5 * x * x), abs(x) * np.sign(x), np.sin(x) * x / np.sqrt(x)

    x, h = 2.3, 1e-6
    wanted = [(a - b) / (2 * h) for a, b in zip(f(x + h), f(x - h))]
    np.testing.assert_allclose(jacrev(f)(x), wanted, rtol=1e-8)
    found = batch(jacrev(f))(np.array([x, x]))
    np.testing.assert_allclose([d[1] for d in found], wanted, rtol=1e-8)


def test_a_value_that_a_rule_hands_on_as_it_is_keeps_its_name():
    # The cotangent of `x` is `np.sqrt(x)` itself, a value of the forward sweep that is read again.
    def f(x):
        return x * np.sqrt(x)

    assert hessian(f, **NUMPY)(4.0) == pytest.approx(0.75 / 2.0)


CONSTANT = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_joins_of_traced_and_constant_parts(axis):
    def joined(x):
        return np.sum(np.concatenate((CONSTANT, x, CONSTANT, 2.0 * x), axis=axis) ** 2)

    def stacked(x):
        return np.sum(np.stack((CONSTANT, x, x), axis=axis) ** 2 * np.stack((x, CONSTANT, x), axis=axis))

    x = np.arange(1.0, 7.0).reshape(2, 3)
    np.testing.assert_allclose(grad(joined, **NUMPY)(x), 10.0 * x)
    wanted = CONSTANT**2 + 2.0 * x * CONSTANT + 3.0 * x**2
    np.testing.assert_allclose(grad(stacked, **NUMPY)(x), wanted)
    np.testing.assert_allclose(jacfwd(stacked, **NUMPY)(x), wanted)


def test_writes_of_whole_arrays():
    def filled(x):
        y, z = np.zeros(3), np.ones((2, 3))
        y[:] = x[0] * x[1]
        y[:] += x
        z[:] = x
        z[...] += x[2]
        return y * x + z[0] * z[1]

    x = np.array([1.0, 2.0, -0.5])
    columns = [jvp(filled, (x,), (e,), **NUMPY)[1] for e in np.eye(3)]
    np.testing.assert_allclose(jacrev(filled, **NUMPY)(x), np.stack(columns, axis=1))
    np.testing.assert_allclose(jacrev(filled)(x), np.stack(columns, axis=1))


def test_derivatives_of_constants_are_zeros():
    def f(x):
        return np.exp(0.5)

    def g(x):
        return 2.0, x * x, np.float32(1.5)

    assert grad(f, **NUMPY)(1.0) == 0.0
    assert value_and_grad(f, **NUMPY)(1.0) == (np.exp(0.5), 0.0)
    assert jvp(g, (3.0,), (1.0,), **NUMPY) == ((2.0, 9.0, 1.5), (0.0, 6.0, 0.0))
    assert jacrev(g, **NUMPY)(3.0) == jacfwd(g, **NUMPY)(3.0) == (0.0, 6.0, 0.0)
    values, back = vjp(g, 3.0, **NUMPY)
    assert values == (2.0, 9.0, 1.5)
    assert back((1.0, 2.0, np.float32(1.0))) == (12.0,)


def test_sum_over_a_batched_recursion():
    def f(x, n):
        return x if n <= 0 else np.sin(f(x, n - 1)) + x

    def total(xs, ns):
        return np.sum(batch(f)(xs, ns))

    xs, ns = np.array([0.3, 0.5]), np.array([1, 3])
    wanted = [grad(f, **NUMPY)(x, int(n)) for x, n in zip(xs, ns)]
    np.testing.assert_allclose(grad(total, **NUMPY)(xs, ns), wanted, rtol=1e-12)
