"""Functions with a derivative of their own that are batched, and then differentiated."""

from __future__ import annotations

import numpy as np
import pytest

from autobatch import batch
from autodiff import custom_jvp, custom_vjp, grad
from autodiff.gradcheck import check_grads

X = np.array([[0.3, 0.7, 0.2], [0.9, 0.4, 0.5]])
W = np.array([1.0, 10.0])


@custom_jvp
def squared_sum(x, w):
    return np.cumsum(x * w), np.sum(x * w) ** 2


@squared_sum.defjvp
def squared_sum_jvp(primals, tangents):
    (x, w), (x_dot, w_dot) = primals, tangents
    change = x_dot * w + x * w_dot
    return squared_sum(x, w), (np.cumsum(change), 2.0 * np.sum(x * w) * np.sum(change))


@custom_vjp
def product(x, w):
    return np.sum(x * w) ** 2


product.defvjp(
    lambda x, w: (product(x, w), (x, w)),
    lambda kept, ct: (2.0 * ct * (kept[0] @ kept[1]) * kept[1], 2.0 * ct * (kept[0] @ kept[1]) * kept[0]),
)


def of_shared(x):
    first, second = batch(squared_sum, in_axes=(0, None))(x, x[0])
    return np.sum(np.sin(first)) + np.sum(second * W)


def of_lanes_of_lanes(x):
    return np.sum(batch(lambda r: np.sum(batch(lambda u: squared_sum(u, u)[1])(np.outer(r, r))))(x))


def of_gradients(x):
    return np.sum(batch(grad(lambda r: squared_sum(r, r)[1] * r[0]))(x) * X)


@pytest.mark.parametrize("f", [of_shared, of_lanes_of_lanes, of_gradients])
def test_a_rule_is_of_one_lane(f) -> None:
    check_grads(f, (X,), order=2)


def test_a_backward_function_is_of_one_lane() -> None:
    def f(x):
        return np.sum(batch(product, in_axes=(0, None))(x, x[1]) * W)

    def plain(x):
        return np.sum(np.sum(x * x[1], axis=1) ** 2 * W)

    made = grad(f, target="numpy")(X)
    np.testing.assert_allclose(made, grad(plain, target="numpy")(X), rtol=1e-14)


def test_lanes_of_gradients() -> None:
    def f(x):
        first, second = squared_sum(x, x)
        return np.sum(first) * second

    many = batch(grad(f), target="numpy")(X)
    np.testing.assert_allclose(many, [grad(f, target="numpy")(x) for x in X], rtol=1e-14)
