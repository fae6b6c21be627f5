"""Matrices that NumPy has a function for are printed as calls of it, by the target "numpy"."""

from typing import Any

import numpy as np
import pytest

from autodiff import grad
from codegen import jit

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.0], [0.5, 0.2, 2.0]])


def identities(x):
    return x + np.eye(3), np.eye(len(x), x.shape[1], dtype=np.float32), np.eye(3, k=1)


def halves(x):
    return np.tril(x), np.triu(x, 1), np.tril(x, -1), np.triu(x)


def loss(x):
    return np.sum(np.tril(x) * np.triu(x @ x.T, -1) * np.eye(3))


@pytest.mark.parametrize("f, a", [(identities, A), (identities, A[:2]), (halves, A), (halves, A[:2])])
def test_values_are_numpys(f: Any, a: np.ndarray) -> None:
    if f is identities and len(a) != 3:
        with pytest.raises(ValueError, match="broadcast"):
            jit(f, target="numpy")(a)
        return
    for got, want in zip(jit(f, target="numpy")(a), f(a), strict=True):
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype and (np.signbit(got) == np.signbit(want)).all()


def test_the_texts() -> None:
    text = jit(identities, target="numpy").source(A)
    assert "np.eye(3)," in text and "np.eye(3, dtype=np.float32)," in text
    text = jit(halves, target="numpy").source(A)
    assert "np.tril(x), np.triu(x, 1), np.tril(x, -1), np.triu(x)" in text
    derivative = grad(loss, target="numpy")
    assert "np.where" not in derivative.source(A) and "np.eye(" in derivative.source(A)
    np.testing.assert_allclose(derivative(A), grad(loss)(A), rtol=1e-13)


def choice_by_size(x, n):
    """A test of one row, broadcast: no half of x."""
    return np.where(np.arange(x.shape[1])[None] - np.arange(n)[:, None] <= 0, x, 0.0)


def test_a_test_that_is_broadcast_is_no_half() -> None:
    for n in (1, 3):
        got = jit(choice_by_size, target="numpy")(A, n)
        np.testing.assert_array_equal(got, choice_by_size(A, n))


def shifted(x):
    return np.exp(x - np.reshape(np.max(x), (1,)))


def test_an_array_of_one_number_is_that_number() -> None:
    text = jit(shifted, target="numpy").source(A[0])
    assert "return np.exp(x - np.max(x))" in text
    np.testing.assert_array_equal(jit(shifted, target="numpy")(A[0]), shifted(A[0]))
    narrow = A[0].astype(np.float32)
    assert jit(shifted, target="numpy")(narrow).dtype == np.float32
