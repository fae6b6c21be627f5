"""Products with matrices that are parts of others, of one dtype: BLAS takes rows, or columns, that are apart, so that
only what has neither in one piece is copied.
"""

# mypy: disable-error-code="call-overload"

import numpy as np
from numba import njit, types

from .blas import AS_IT_IS, TURNED, add_product, has_whole_rows, row_length
from .lapack import lapack_kind

MULTIPLY_VECTOR = types.ExternalFunction(
    "numba_xxgemv",
    types.intc(
        types.char,
        types.char,
        types.intp,
        types.intp,
        types.voidptr,
        types.voidptr,
        types.intp,
        types.voidptr,
        types.voidptr,
        types.voidptr,
    ),
)


@njit(error_model="numpy")
def in_whole_rows(a: np.ndarray) -> np.ndarray:
    """The matrix itself where its rows or its columns are in one piece, or else a copy."""
    if has_whole_rows(a) or has_whole_rows(a.T):
        return a
    return a.copy()


@njit(error_model="numpy")
def product_of_views(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x @ y, of two matrices."""
    made = np.zeros((x.shape[0], y.shape[1]), x.dtype)
    if made.size > 0 and x.shape[1] > 0:
        code = add_product(made, in_whole_rows(x), in_whole_rows(y), np.array((1.0, 0.0)).astype(x.dtype))
        if code != 0:
            made.fill(np.nan)
        if x.ctypes.data == y.ctypes.data and x.shape == y.T.shape and x.strides == y.T.strides:
            for i in range(len(made)):  # the product of a matrix and its transpose: symmetric to the bit
                for j in range(i):
                    made[j, i] = made[i, j]
    return made


@njit(error_model="numpy")
def view_times_vector(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """a @ x."""
    made = np.zeros(len(a), a.dtype)
    if a.size > 0:
        matrix, vector = in_whole_rows(a), np.ascontiguousarray(x)
        by_rows = has_whole_rows(matrix)
        factors = np.array((1.0, 0.0)).astype(a.dtype)
        code = MULTIPLY_VECTOR(
            lapack_kind(a),
            TURNED if by_rows else AS_IT_IS,
            a.shape[1] if by_rows else a.shape[0],
            a.shape[0] if by_rows else a.shape[1],
            factors.ctypes,
            matrix.ctypes,
            row_length(matrix),
            vector.ctypes,
            factors[1:].ctypes,
            made.ctypes,
        )
        if code != 0 or matrix.size + len(vector) + len(factors) == 0:
            made.fill(np.nan)
    return made


@njit(error_model="numpy")
def vector_times_view(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    """x @ a."""
    return view_times_vector(a.T, x)
