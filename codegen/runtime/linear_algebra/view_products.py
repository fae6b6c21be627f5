"""Products with matrices that are parts of others, of one dtype: BLAS takes rows, or columns, that are apart, so that
only what has neither in one piece is copied.
"""

# mypy: disable-error-code="call-overload"

import numpy as np
from numba import njit, types

from codegen.runtime.linear_algebra.lapack import lapack_kind

AS_IT_IS = 110  # ord("n"), of what BLAS reads column by column
TURNED = 116
MULTIPLY_MATRICES = types.ExternalFunction(
    "numba_xxgemm",
    types.intc(
        types.char,
        types.char,
        types.char,
        types.intp,
        types.intp,
        types.intp,
        types.voidptr,
        types.voidptr,
        types.intp,
        types.voidptr,
        types.intp,
        types.voidptr,
        types.voidptr,
        types.intp,
    ),
)
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
def has_whole_rows(a: np.ndarray) -> bool:
    """Whether each row is one piece of memory, behind the one before it."""
    return a.strides[1] == a.itemsize and a.strides[0] >= a.shape[1] * a.itemsize


@njit(error_model="numpy")
def in_whole_rows(a: np.ndarray) -> np.ndarray:
    """The matrix itself where its rows or its columns are in one piece, or else a copy."""
    if has_whole_rows(a) or has_whole_rows(a.T):
        return a
    return a.copy()


@njit(error_model="numpy")
def step_of_rows(a: np.ndarray) -> int:
    """Elements from one row, or column, to the next."""
    return (a.strides[0] if has_whole_rows(a) else a.strides[1]) // a.itemsize


@njit(error_model="numpy")
def product_of_views(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x @ y, of two matrices."""
    m, k = x.shape
    n = y.shape[1]
    made = np.zeros((m, n), x.dtype)
    if made.size > 0 and k > 0:
        left, right = in_whole_rows(x), in_whole_rows(y)
        factors = np.array((1.0, 0.0)).astype(x.dtype)
        code = MULTIPLY_MATRICES(
            lapack_kind(x),
            AS_IT_IS if has_whole_rows(right) else TURNED,
            AS_IT_IS if has_whole_rows(left) else TURNED,
            n,
            m,
            k,
            factors.ctypes,
            right.ctypes,
            step_of_rows(right),
            left.ctypes,
            step_of_rows(left),
            factors[1:].ctypes,
            made.ctypes,
            n,
        )
        if code != 0 or left.size + right.size + len(factors) == 0:
            made.fill(np.nan)
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
            step_of_rows(matrix),
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
