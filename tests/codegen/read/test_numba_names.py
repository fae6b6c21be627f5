"""Functions that were written for Numba are taken as they are: its names for Python's, and what `vectorize` makes."""

from typing import Any

import numba
import numba as nb
import numpy as np
import pytest
from numba import float64, njit, prange, vectorize
from numba.typed import List

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

X = np.array([1.5, -2.0, 0.25, 3.0])


@njit(parallel=True)
def total(x):
    s = 0.0
    for i in prange(x.shape[0]):
        s += x[i] * x[i]
    for i in nb.prange(1, x.shape[0], 2):
        s += x[i]
    return s


def positive(x):
    found = List()
    for i in nb.prange(len(x)):
        if x[i] > 0.0:
            found.append(x[i])
    return found


def listed(x):
    first, second = List.empty_list(float64), numba.typed.List()
    for v in x:
        first.append(2.0 * v)
        second.append(int(v))
    return np.array(first), np.array(second)


def cast(x):
    made = np.zeros(len(x), dtype=nb.float32)
    for i in range(len(x)):
        made[i] = nb.int64(x[i])
    return made, nb.uint8(x[3]), np.zeros(1, nb.types.boolean), float64(3)


def spans(x):
    """A name of the function's own for Python's."""
    range = x[0]
    for i in prange(3):
        range += i
    return range


def places(m):
    s = 0.0
    for i, j in nb.pndindex(m.shape):
        s += i * m[i, j]
    return s


def test_numbas_names_are_pythons() -> None:
    assert jit(total)(X) == total.py_func(X)
    np.testing.assert_allclose(grad(total)(X), 2 * X + [0.0, 1.0, 0.0, 1.0])
    np.testing.assert_allclose(batch(total)(np.stack([X, -X])), [total.py_func(X), total.py_func(-X)])
    assert jit(positive)(X) == [1.5, 0.25, 3.0]
    for made, expected in zip(jit(listed)(X), (2.0 * X, X.astype(int)), strict=True):
        assert made.dtype == expected.dtype and np.array_equal(made, expected)
    made, small, flags, three = jit(cast)(X)
    assert made.dtype == np.float32 and np.array_equal(made, np.trunc(X))
    assert (type(small), flags.dtype, type(three)) == (np.uint8, np.dtype(bool), np.float64)
    assert jit(places)(M) == places(M)
    assert jit(lambda: (numba.get_num_threads(), numba.get_thread_id()))() == (1, 0)


@vectorize
def reach(a, b):
    if a > b:
        return a - b
    return 2.0 * b


@vectorize(["f4(f4, f4)", "f8(f8, f8)"])
def product(a, b):
    return a * b + 1


@njit
def both(a, b):
    return reach(a, b) + product(a, b)


half = np.vectorize(lambda x: x / 2, otypes=[np.float32])

M = np.arange(6.0).reshape(2, 3)
GIVEN: list[tuple[Any, Any]] = [
    (M, 1.5), (M, np.arange(3)), (M[0], M), (2.0, 1.0), (np.zeros((0, 2)), 1.0), (np.float32(2.0), 1.0),
    (M.astype(np.float32), 1.5), (np.arange(3), 2), (M.T, M[:, :1].T),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("a", "b"), GIVEN)
def test_functions_of_elements_go_over_arrays(a: Any, b: Any) -> None:
    for f in (both, product, lambda a, b: half(a) * b):
        made, expected = jit(f)(a, b), getattr(f, "py_func", f)(a, b)
        assert np.asarray(made).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(made, expected, rtol=1e-6)


def test_functions_of_elements_have_derivatives_and_lanes() -> None:
    reach(M, np.arange(3))  # for which it is made then, too
    slope = grad(lambda x, y: np.sum(reach(x, y)))
    np.testing.assert_array_equal(slope(M, 1.5), np.where(M > 1.5, 1.0, 0.0))
    np.testing.assert_allclose(batch(reach, in_axes=(0, None))(M, 2.0), reach(M, 2.0))


def test_numpys_vectorize_is_told_its_dtype() -> None:
    untold = np.vectorize(lambda x: x / 2)
    with pytest.raises(SourceError, match=r"numpy.vectorize has no row: give it one dtype, otypes=\[float\]"):
        jit(lambda x: untold(x))(X)
    with pytest.raises(SourceError, match="product takes no such arguments: it was made for ff->f, dd->d"):
        jit(lambda z: product(z, z))(1j)


def test_a_name_of_the_functions_own_is_not_pythons() -> None:
    assert jit(spans)(X) == 4.5
