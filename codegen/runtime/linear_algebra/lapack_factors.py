"""What factors.py says by LAPACK, in compiled code; lapack.py says how it is called."""

# mypy: disable-error-code="call-overload, call-arg"

import numpy as np
from numba import njit, types

from codegen.runtime.intrinsics.loop_hints import compiled_apart

from .lapack import FACTOR_MATRIX, in_columns, is_finite, lapack_kind, put_columns

REFLECT = types.ExternalFunction(
    "numba_ez_geqrf",
    types.intc(types.char, types.intp, types.intp, types.voidptr, types.intp, types.voidptr),
)
MAKE_ORTHOGONAL = types.ExternalFunction(
    "numba_ez_xxgqr",
    types.intc(types.char, types.intp, types.intp, types.intp, types.voidptr, types.intp, types.voidptr),
)
FIT = types.ExternalFunction(
    "numba_ez_gelsd",
    types.intc(
        *[types.char, types.intp, types.intp, types.intp],
        *[types.voidptr, types.intp, types.voidptr, types.intp],
        *[types.voidptr, types.float64, types.voidptr],
    ),
)


@njit(error_model="numpy")
def orthogonal_factors_by_lapack(a: np.ndarray) -> np.ndarray:
    """np.linalg.qr."""
    compiled_apart()
    m, n = a.shape
    made = np.zeros((2, m, n), a.dtype)
    columns, scales = in_columns(a), np.empty(n, a.dtype)
    if n > 0:
        kind = lapack_kind(a)
        REFLECT(kind, m, n, columns.ctypes, m, scales.ctypes)
        for j in range(n):
            for i in range(j + 1):
                made[1, i, j] = columns[j, i]
        MAKE_ORTHOGONAL(kind, m, n, n, columns.ctypes, m, scales.ctypes)
        put_columns(made[0], columns)
    return made


@njit(error_model="numpy")
def pivoted_factors_by_lapack(a: np.ndarray) -> np.ndarray:
    """What scipy.linalg.lu is made of."""
    compiled_apart()
    m, n = a.shape
    made = np.zeros((2, m, n), a.dtype)
    columns, pivots, rows = in_columns(a), np.empty(n, np.intc), np.arange(m)
    if n > 0:
        FACTOR_MATRIX(lapack_kind(a), m, n, columns.ctypes, m, pivots.ctypes)
        put_columns(made[0], columns)
        for k in range(n):
            other = pivots[k] - 1
            rows[k], rows[other] = rows[other], rows[k]
        for i in range(m):
            made[1, i, 0] = rows[i]
    return made


@njit(error_model="numpy")
def order_of_rows_in_factors(factors: np.ndarray, a: np.ndarray) -> np.ndarray:
    compiled_apart()
    rows = np.arange(len(a))
    if a.shape[1] > 0:
        for i in range(len(a)):
            rows[i] = int(factors[1, i, 0])
    return rows


@njit(error_model="numpy")
def least_squares_by_lapack(a: np.ndarray, b: np.ndarray, cutoff: float) -> np.ndarray:
    """np.linalg.lstsq."""
    compiled_apart()
    m, n = a.shape
    count = b.shape[1]
    size = max(m, n)
    made = np.zeros((n, count), a.dtype)
    if a.size == 0 or count == 0:
        return made
    columns, right = in_columns(a), np.zeros((count, size), a.dtype)
    put_columns(right, b)
    values, rank = np.empty(min(m, n), a.dtype), np.zeros(1, np.intc)
    if (
        not is_finite(a)
        or FIT(
            lapack_kind(a),
            m,
            n,
            count,
            columns.ctypes,
            m,
            right.ctypes,
            size,
            values.ctypes,
            cutoff,
            rank.ctypes,
        )
        != 0
        or len(columns) + len(values) + len(rank) != n + min(m, n) + 1
    ):
        made.fill(np.nan)
    else:
        put_columns(made, right[:, :n])
    return made
