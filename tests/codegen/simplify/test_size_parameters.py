"""Functions that are left for their checks alone are given sizes, and what made their arrays goes."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import grad, value_and_grad

RNG = np.random.default_rng(0)
X, W, V = RNG.standard_normal((4, 3)), RNG.standard_normal((3, 5)), RNG.standard_normal((5, 2))


def softmax(x):
    powers = np.exp(x - np.max(x, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)


def layers(x, w, v):
    return softmax(np.tanh(x @ w) @ v)


def loss(x, w, v):
    return np.sum(layers(x, w, v)[:, 0])


def halved(x, n):
    if n == 0:
        return np.sum(x[1:] * x[:-1])
    return halved(np.sin(x[1:]), n - 1)


def recursive_loss(x):
    return halved(x, 2)


def by_differences(f, arguments, direction) -> float:
    h = 1e-6
    high, low = (f(arguments[0] + s * direction, *arguments[1:]) for s in (h, -h))
    return (high - low) / (2 * h)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize(("f", "arguments"), [(loss, (X, W, V)), (recursive_loss, (X[:, 0],))])
def test_gradients_agree_with_differences(f, arguments, target) -> None:
    direction = RNG.standard_normal(arguments[0].shape)
    found = np.sum(grad(f, target=target)(*arguments) * direction)
    np.testing.assert_allclose(found, by_differences(f, arguments, direction), rtol=1e-6)


def test_the_function_is_not_run_for_its_checks() -> None:
    """Two products on the way there, four on the way back."""
    text = grad(loss, (0, 1, 2)).source(X, W, V)
    code = [line.partition("#")[0] for line in text.splitlines()]
    assert sum(line.count(" @ ") for line in code) == 6
    assert "def layers(n" in text


@pytest.mark.turns(4)
def test_checks_are_made() -> None:
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        grad(loss)(X, W, RNG.standard_normal((4, 2)))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        value_and_grad(loss)(X, W, RNG.standard_normal((5, 0)))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        grad(loss)(X, W, RNG.standard_normal((5, 0)))
