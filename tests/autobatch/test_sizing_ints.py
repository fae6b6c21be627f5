"""Ints that lanes share and that sizes of their arrays hang on: constants of the lanes' program, each with its own."""

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad
from codegen import SourceError

X = np.arange(14.0).reshape(2, 7) ** 1.5


def windows(x, n):
    total = np.cumsum(np.insert(x, 0, 0.0))
    return (total[n:] - total[:-n]) / n


def knapsack(weights, values, capacity):
    best = [0] * (capacity + 1)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


def blocks(x, rows, columns, k):
    made = np.zeros((rows, columns))
    for i in range(rows):
        made[i] = x[i : i + columns] * k
    return made


def roughness(x, n):
    return np.sum(windows(x, n)[1:] ** 2)


def first_and_rest(x, n):
    return x[:n], x[n:]


def parts_of_a_helper(x, n):
    a, b = first_and_rest(x, n)
    return np.concatenate((b, a[::-2])) + a[:1], a * x[1 : n + 1]


def frames(x, n, hop):
    w = 0.5 - 0.5 * np.cos(np.arange(n))
    made = np.empty((n // 2 + 1, 1 + (len(x) - n) // hop))
    for m in range(made.shape[1]):
        seen = x[m * hop : m * hop + n] * w
        for k in range(n // 2 + 1):
            made[k, m] = np.sum(seen * np.cos(k * np.arange(n)))
    return made


def spectrum(x, n, hop):
    return np.hypot(frames(x, n, hop)[1:], 1.0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n", [1, 3, 4])
def test_sizes_that_other_functions_tell(n):
    for found, k in zip(batch(parts_of_a_helper, in_axes=(0, None))(X, n), (0, 1), strict=True):
        assert np.allclose(found, [parts_of_a_helper(x, n)[k] for x in X])
    assert np.allclose(batch(spectrum, in_axes=(0, None, None))(X, n, 2), [spectrum(x, n, 2) for x in X])


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_sizes_by_one_of_them(target):
    made = batch(windows, in_axes=(0, None), target=target)
    for n in (3, 2, np.int32(3), 3):
        assert np.allclose(made(X, n), [windows(x, n) for x in X])


@pytest.mark.turns(4)
def test_lists_and_several():
    weights, values = np.array([[2, 3, 4], [1, 1, 5]]), np.array([[3, 4, 5], [1, 2, 9]])
    made = batch(knapsack, in_axes=(0, 0, None))
    for capacity in (5, 7, 5):
        want = [knapsack(w, v, capacity) for w, v in zip(weights, values, strict=True)]
        assert made(weights, values, capacity).tolist() == want
    made = batch(blocks, in_axes=(0, None, None, None))
    assert np.array_equal(made(X, 2, 3, 4), [blocks(x, 2, 3, 4) for x in X])


def test_others_stay_arguments():
    made = batch(blocks, in_axes=(0, None, None, None))
    made(X, 2, 3, 4)
    machine = made.latest
    assert made(X, 2, 3, 5).tolist() == [blocks(x, 2, 3, 5).tolist() for x in X]
    assert made.latest is machine


def test_derivatives():
    made = batch(grad(roughness), in_axes=(0, None))
    assert np.allclose(made(X, 3), [grad(roughness, target="numpy")(x, 3) for x in X])


def test_the_text_is_of_one_of_them(tmp_path):
    path = tmp_path / "emitted.py"
    path.write_text(batch(windows, in_axes=(0, None)).source(X, 3))
    names = {"__name__": "emitted", "__file__": str(path)}
    exec(compile(path.read_text().replace("cache=True, ", ""), str(path), "exec"), names)
    assert np.allclose(names["windows_batch"](X), [windows(x, 3) for x in X])


def test_ints_of_lanes_are_refused():
    with pytest.raises(SourceError, match="is not known before the program runs"):
        batch(windows)(X, np.array([2, 3]))
