"""Functions of large matrices of a lane are calls of a library, of small ones loops: the same numbers, failures."""

import numpy as np
import pytest

from autobatch import LaneError, batch


def again(a, b, k):
    """A system solved so many times."""
    for _ in range(k):
        b = np.linalg.solve(a, b)
        b = b / np.sqrt(np.sum(b * b))
    return b


def down(a, b, k):
    if k == 0:
        return b
    return down(a, np.linalg.solve(a, b), k - 1)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [again, down])
def test_large_matrices_go_to_a_library(f):
    rng = np.random.default_rng(1)
    a, b, k = rng.standard_normal((4, 100, 100)), rng.standard_normal((4, 100)), np.array([2, 0, 1, 3])
    made = batch(f)
    found = made(a, b, k)
    assert "= solved_in_short_rows(" in made.source(a, b, k)
    for lane in range(4):
        wanted = f(a[lane], b[lane], k[lane])
        np.testing.assert_allclose(found[lane], wanted, rtol=1e-7, atol=1e-9 * np.max(np.abs(wanted)))


def product(a):
    return a.T @ a


def test_products_of_large_matrices_are_blas():
    a = np.random.default_rng(2).standard_normal((3, 90, 80))
    made = batch(product)
    np.testing.assert_allclose(made(a), np.swapaxes(a, 1, 2) @ a, atol=1e-12)
    assert "= np.dot(" in made.source(a)


def solution(a, b):
    return np.linalg.solve(a, b)


def test_a_singular_matrix_fails_alone():
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((3, 100, 100)), rng.standard_normal((3, 100))
    a[1] = 1.0
    with pytest.raises(LaneError) as caught:
        batch(solution)(a, b)
    (failure,) = caught.value.failures
    assert (failure.lane, failure.message) == (1, "Singular matrix")
    np.testing.assert_allclose(caught.value.results[2], np.linalg.solve(a[2], b[2]), rtol=1e-9)


def test_small_matrices_are_loops():
    a, b = np.stack([np.eye(3)] * 2), np.ones((2, 3))
    made = batch(solution)
    made(a, b)
    assert "solved_in_short_rows" not in made.source(a, b)


@pytest.mark.parametrize("n, in_one_step", [(3, True), (40, False)])
def test_short_rows_multiply_and_add_in_one_step(n, in_one_step):
    """Of long ones LLVM makes vectors, unless a loop has one operation less and is written out."""
    rng = np.random.default_rng(4)
    a, b = rng.standard_normal((2, n, n)) + n * np.eye(n), rng.standard_normal((2, n))
    made = batch(solution)
    np.testing.assert_allclose(made(a, b), np.linalg.solve(a, b[..., None])[..., 0], rtol=1e-10)
    assert ("= muladd(" in made.source(a, b)) == in_one_step
