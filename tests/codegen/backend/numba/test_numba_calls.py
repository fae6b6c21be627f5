"""What is written where it is called is what NumPy makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from codegen.backend.load import load
from codegen.backend.numba.calls import WRITTEN, written_here

TEXT = """
import numpy as np
from numba import njit


@njit(error_model="numpy")
def sizes(n, m, a):
    empty = np.empty(n), np.empty((n, m)), np.empty((n, 2, m), a.dtype), np.empty(n, np.bool_)
    zeros = np.zeros(n), np.zeros((m, n)), np.zeros((n, m), a.dtype), np.zeros((n, m), np.int32)
    return empty, zeros


@njit(error_model="numpy")
def numbers(n, m, a):
    ones = np.ones(n), np.ones((n, m))
    full = np.full(n, 2.5), np.full((n, m), m), np.full(n, n > m), np.full((n, m), n, a.dtype)
    return ones, full, (np.full(m, 1, np.complex128), np.full(n, np.nan, a.dtype)), (np.arange(n), np.arange(0))


@njit(error_model="numpy")
def in_shape(a, n, m):
    return np.reshape(a, (n, m)), np.reshape(a, n * m), np.reshape(a, (m, 1, n))


@njit(error_model="numpy")
def ints(i, j, x):
    return max(i, j), min(i, j), int(x), max(x, 1.5), min(i, 2)


@njit(error_model="numpy")
def in_order(a):
    return np.ascontiguousarray(a), np.ascontiguousarray(a[:, :2]), np.ascontiguousarray(a[:1, ::2])
"""


@pytest.fixture(scope="module")
def compiled() -> Any:
    return load(TEXT, "numba_calls")


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(TEXT.replace("from numba import njit", "njit = lambda **options: lambda function: function"), names)
    return names


def same(found: Any, expected: Any, *, values: bool = True) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other, values=values)
    elif isinstance(expected, np.ndarray):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.flags.c_contiguous == expected.flags.c_contiguous
        assert not values or np.array_equal(found, expected, equal_nan=found.dtype.kind in "fc")
    else:
        assert found == expected


@pytest.mark.parametrize("kind", ["f8", "f4", "i8"])
@pytest.mark.parametrize(("n", "m"), [(3, 2), (0, 4), (1, 1), (5, 0)])
def test_arrays_are_numpys(compiled: Any, plain: dict[str, Any], kind: str, n: int, m: int) -> None:
    a = np.zeros(2, kind)
    for found, expected, exact in zip(
        compiled.sizes(n, m, a), plain["sizes"](n, m, a), (False, True), strict=True
    ):
        same(found, expected, values=exact)
    if kind != "i8":  # NaN
        same(compiled.numbers(n, m, a), plain["numbers"](n, m, a))


@pytest.mark.parametrize("shape", [(6,), (2, 3), (3, 2), (1, 6, 1)])
def test_elements_keep_their_order(compiled: Any, plain: dict[str, Any], shape: tuple[int, ...]) -> None:
    a = np.arange(6.0).reshape(shape)
    same(compiled.in_shape(a, 3, 2), plain["in_shape"](a, 3, 2))
    made = compiled.in_shape(a, 6, 1)[0]
    made[4] = -1.0
    assert a.ravel()[4] == -1.0


@pytest.mark.parametrize(
    ("i", "j", "x"), [(1, 2, 2.9), (2, 1, -2.9), (-(2**63), 2**63 - 1, 0.0), (4, 4, -0.5)]
)
def test_ints(compiled: Any, plain: dict[str, Any], i: int, j: int, x: float) -> None:
    assert compiled.ints(i, j, x) == plain["ints"](i, j, x)


@pytest.mark.parametrize("lies", ["rows", "columns", "part", "backwards", "row", "column", "none", "spread"])
def test_what_is_in_order_is_known(compiled: Any, plain: dict[str, Any], lies: str) -> None:
    whole = np.arange(48.0).reshape(6, 8)
    a = {
        "rows": whole,
        "columns": np.asfortranarray(whole),
        "part": whole[1:4, 2:5],
        "backwards": whole[::-1],
        "row": whole[:1, :4],
        "column": whole[:, :1],
        "none": whole[:0],
        "spread": np.broadcast_to(whole[0], (3, 8)),
    }[lies]
    same(compiled.in_order(a), plain["in_order"](a))


def test_sizes_that_arrays_cannot_have(compiled: Any) -> None:
    a = np.zeros(6)
    with pytest.raises(ValueError, match="negative dimensions not allowed"):
        compiled.sizes(-1, 2, a)
    with pytest.raises(ValueError, match="array is too big"):
        compiled.sizes(2**62, 2**61, a)
    with pytest.raises(ValueError, match="total size of new array must be unchanged"):
        compiled.in_shape(a, 4, 2)


def test_other_arguments_are_numbas() -> None:
    for function in WRITTEN:
        assert written_here(function, ()) is None
    assert written_here(np.dot, ()) is None
