"""has_aux: a pair is returned, of which the first is derived and the second given as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, value_and_grad
from codegen import jit


def loss(w, x):
    predicted = x @ w
    above = 0
    for each in predicted:
        if each > 1.0:
            above += 1
    return np.sum((predicted - 1.0) ** 2), {"predicted": predicted, "above": above, "kind": "squares"}


W, X = np.array([0.1, 0.2]), np.arange(6.0).reshape(3, 2)
W_BAR = 2.0 * X.T @ (X @ W - 1.0)
AUX = {"predicted": X @ W, "above": 1, "kind": "squares"}


def assert_aux(found: Any) -> None:
    assert found.keys() == AUX.keys()
    np.testing.assert_allclose(found["predicted"], AUX["predicted"])
    assert (found["above"], found["kind"]) == (1, "squares")


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_the_pair_is_given_with_the_gradient(target: Any) -> None:
    w_bar, aux = grad(loss, has_aux=True, target=target)(W, X)
    np.testing.assert_allclose(w_bar, W_BAR)
    assert_aux(aux)
    (value, aux), (w_bar, x_bar) = value_and_grad(loss, (0, 1), has_aux=True, target=target)(W, X)
    np.testing.assert_allclose(value, loss(W, X)[0])
    np.testing.assert_allclose(w_bar, W_BAR)
    np.testing.assert_allclose(x_bar, 2.0 * np.outer(X @ W - 1.0, W))
    assert_aux(aux)


def test_inside_programs_and_over_lanes() -> None:
    derive = value_and_grad(loss, has_aux=True)

    @jit
    def descended(w, x):
        aux = {"predicted": x @ w, "above": 0, "kind": "squares"}
        for _ in range(3):
            (_, aux), w_bar = derive(w, x)
            w = w - 0.01 * w_bar
        return w, aux["above"]

    w = W
    for _ in range(3):
        (_, aux), w_bar = derive(w, X)
        w = w - 0.01 * w_bar
    found = descended(W, X)
    np.testing.assert_allclose(found[0], w)
    assert found[1] == aux["above"]
    (values, many), gradients = batch(derive, (0, None))(np.stack([W, W]), X)
    np.testing.assert_allclose(gradients, [W_BAR, W_BAR])
    np.testing.assert_allclose(values, [loss(W, X)[0]] * 2)
    np.testing.assert_array_equal(many["above"], [1, 1])


def test_what_may_be_none_and_what_is_complex() -> None:
    @grad(has_aux=True)
    def of_none(x):
        large = None
        if x > 1.0:
            large = x
        return x * x, large

    assert (of_none(2.0), of_none(0.5)) == ((4.0, 2.0), (1.0, None))
    assert grad(lambda z: (z * z, abs(z)), has_aux=True, holomorphic=True)(3 + 4j) == (6 + 8j, 5.0)


def test_other_results_are_refused() -> None:
    for f in (lambda x: x, lambda x: (x, x, x), lambda x: [x, x]):
        with pytest.raises(
            TypeError, match="with has_aux the result must be a tuple of a float scalar and more"
        ):
            grad(f, has_aux=True)(1.0)
    with pytest.raises(TypeError, match="the result must be one float scalar"):
        grad(lambda x: (x > 0.0, x), has_aux=True)(1.0)
