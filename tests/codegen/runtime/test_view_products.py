"""Products with parts of matrices, which BLAS takes where they are, and with stacks of them."""

import warnings

import numpy as np
import pytest

from autodiff import check_grads
from codegen import jit

PARTS = {
    "columns": lambda a: a[:, 2:7],
    "columns turned round": lambda a: a[:, 2:7].T,
    "every other row": lambda a: a[::2],
    "every other column": lambda a: a[:, ::2],
    "rows backwards": lambda a: a[::-1],
    "one column": lambda a: a[:, 3:4],
    "no column": lambda a: a[:, 4:4],
    "rows of the turned one": lambda a: a.T[1::3],
    "one row many times": lambda a: np.broadcast_to(a[3], a.shape),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_products_with_parts(part, dtype):
    def products(a, x):
        whole = part(a)
        k, n = whole.shape
        return whole @ x[:n], x[:k] @ whole, whole @ whole.T, x[: 2 * k : 2] @ whole

    rng = np.random.default_rng(1)
    a, x = rng.standard_normal((12, 9)).astype(dtype), rng.standard_normal(30).astype(dtype)
    tolerance = 1e-5 if dtype == np.float32 else 1e-13
    for found, expected in zip(jit(products)(a, x), products(a, x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
        assert found.dtype == expected.dtype


def column_times_rest(data):
    total = 0.0
    for i in range(data.shape[1] - 1):
        total = total + np.sum(data[:, i] @ data[:, i + 1 :])
    return total


def test_parts_that_get_smaller_have_derivatives():
    check_grads(column_times_rest, (np.random.default_rng(2).standard_normal((5, 4)),), order=2)


def stack_times_one(n, m, a, c):
    return np.reshape(a, (n, m, 1, a.shape[0] // (n * m))) @ c


def test_a_stack_times_one_matrix_is_one_product():
    """Whatever is known of the size that meets: it is no size to broadcast."""
    rng = np.random.default_rng(3)
    for k in (1, 4):
        a, c = rng.standard_normal(6 * k), rng.standard_normal((k, 5))
        f = jit(stack_times_one)
        np.testing.assert_allclose(f(2, 3, a, c), stack_times_one(2, 3, a, c))
    assert "@" in f.source(2, 3, a, c)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        f(2, 3, a[:6], np.ones((4, 5)))


def test_users_are_given_no_advice_on_what_they_did_not_write() -> None:
    """Numba warns of products of matrices that are parts of others."""

    def scores(q, k):
        return np.einsum("bhqd,bhkd->bhqk", q, k)

    q = np.random.default_rng(0).normal(size=(2, 3, 5, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = jit(scores)(q[:1], q[:1])
    np.testing.assert_allclose(made, scores(q[:1], q[:1]))
