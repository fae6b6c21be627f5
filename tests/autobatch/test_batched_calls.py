"""Calls of one batched function after one another: what is kept of a call is its shapes alone."""

import ast

import numpy as np
import pytest

from autobatch import batch, streams
from autobatch.batched import CALLS
from autodiff import grad


def scaled(x, k):
    return x * k


def test_values_are_not_kept() -> None:
    many = batch(scaled)
    for start in (0.0, 5.0):
        xs = np.arange(start, start + 4.0)
        np.testing.assert_array_equal(many(xs, xs + 1.0), xs * (xs + 1.0))


def test_numbers_shared_by_lanes() -> None:
    """An int, a float and a NumPy scalar are different programs, each value its own."""
    many, xs = batch(scaled, in_axes=(0, None)), np.arange(3)
    for k in (2, 3, 2.5, 3.5, np.float32(0.5), np.float64(0.1), True):
        np.testing.assert_array_equal(many(xs, k), xs * k)
        assert many(xs, k).dtype == (xs * k).dtype


def test_kinds_after_one_another() -> None:
    """Arrays, views that are not contiguous, subclasses, lists and scalars of the same shape."""
    many = batch(scaled)
    xs = np.arange(6.0)
    for taken in (
        xs,
        xs[::2],
        xs[::-1],
        xs.astype(np.float32),
        xs.view(np.memmap),
        xs.tolist(),
        xs.astype(int),
    ):
        np.testing.assert_array_equal(many(taken, taken), np.square(taken))


def test_axes_elsewhere() -> None:
    many, xs = batch(scaled, in_axes=(1, -1)), np.arange(12.0).reshape(3, 4)
    for _ in range(2):
        np.testing.assert_array_equal(many(xs, xs), (xs * xs).T)


def test_errors_after_success() -> None:
    many = batch(lambda rng, x: rng.random() + x)
    for n in (3, 5):
        assert many(streams(0, n), np.zeros(n)).shape == (n,)
    for _ in range(2):
        with pytest.raises(ValueError, match="3 in argument 0, 5 in argument 1"):
            many(streams(0, 3), np.zeros(5))
    with pytest.raises(OverflowError):
        batch(scaled, in_axes=(0, None))(np.arange(3), 2**63)


def test_many_shapes() -> None:
    """Of ever new numbers of lanes not all are kept in mind; the program is one."""
    many = batch(scaled)
    for n in range(1, CALLS + 10):
        many(np.ones(n), np.ones(n))
    assert len(many.calls) <= CALLS and len(many.machines) == 1


def weighted(p, data):
    logits = data["design matrix"] @ p["1st beta"]
    return np.sum(logits - np.logaddexp(0.0, logits)) - p["lambda"] ** 2


def fallen(p):
    if p["the n"] < 1:
        return p["1 + 1"]
    return fallen({"the n": p["the n"] - 1, "1 + 1": 0.5 * p["1 + 1"]}) + fallen(
        {"the n": p["the n"] - 2, "1 + 1": p["1 + 1"]}
    )


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_keys_that_are_no_names(target: str) -> None:
    """In each machine's text: arguments of lanes and shared ones, products, calls of the host."""
    params = {"1st beta": np.array([[0.5, 0.25], [-1.0, 2.0]]), "lambda": np.array([0.5, 1.0])}
    data = {"design matrix": np.arange(60.0).reshape(30, 2) / 30.0}
    made = batch(grad(weighted, target=target), in_axes=(0, None), target=target)
    bars = made(params, data)
    for k in range(2):
        one = grad(weighted, target="numpy")({key: value[k] for key, value in params.items()}, data)
        np.testing.assert_allclose(bars["1st beta"][k], one["1st beta"], rtol=1e-13)
        assert bars["lambda"][k] == one["lambda"]
    starts = {"the n": np.array([0, 3, 6]), "1 + 1": np.array([1.0, 2.0, 3.0])}
    expected = [fallen({"the n": int(n), "1 + 1": x}) for n, x in zip(*starts.values(), strict=True)]
    np.testing.assert_array_equal(batch(fallen, target=target)(starts), expected)
    for text in (made.source(params, data), batch(fallen, target=target).source(starts)):
        ast.parse(text)
