"""What unitary.py says by LAPACK, compiled, in double precision (linear_algebra/lapack.py says how it is called)."""

# mypy: disable-error-code="call-overload, call-arg"

import numpy as np
from numba import njit

from codegen.runtime.intrinsics.loop_hints import compiled_apart
from codegen.runtime.linear_algebra.lapack import (
    ALL,
    FIND_EIGENVALUES,
    FIND_SINGULAR_VALUES,
    LOWER,
    THIN,
    WITH_VECTORS,
    is_finite,
)
from codegen.runtime.linear_algebra.lapack_factors import MAKE_ORTHOGONAL, REFLECT

DOUBLE_COMPLEX = 122  # ord("z")


@njit(error_model="numpy")
def complex_columns(parts: np.ndarray) -> np.ndarray:
    """The matrix of these parts, column after column."""
    made = np.empty((parts.shape[2], parts.shape[1]), np.complex128)
    for i in range(parts.shape[1]):
        for j in range(parts.shape[2]):
            made[j, i] = complex(parts[0, i, j], parts[1, i, j])
    return made


@njit(error_model="numpy")
def put_parts(made: np.ndarray, part: int, columns: np.ndarray) -> None:
    """A matrix that is there column after column, as two parts."""
    for j in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            made[part, i, j] = columns[j, i].real
            made[part + 1, i, j] = columns[j, i].imag


@njit(error_model="numpy")
def hermitian_eigensystem_by_lapack(parts: np.ndarray) -> np.ndarray:
    """np.linalg.eigh."""
    compiled_apart()
    n = parts.shape[1]
    made = np.zeros((3, n, n), parts.dtype)
    values, vectors = np.empty(n), complex_columns(parts)
    if n > 0 and (
        not (is_finite(parts[0]) and is_finite(parts[1]))
        or FIND_EIGENVALUES(DOUBLE_COMPLEX, WITH_VECTORS, LOWER, n, vectors.ctypes, n, values.ctypes) != 0
    ):
        made.fill(np.nan)
    else:
        put_parts(made, 0, vectors)
        for k in range(n):
            made[2, 0, k] = values[k]
    return made


@njit(error_model="numpy")
def complex_singular_system_by_lapack(parts: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd, thin, of the matrix or, where it is wide, of the transposed one."""
    compiled_apart()
    m, n = parts.shape[1], parts.shape[2]
    made = np.zeros((5, m, n), parts.dtype)
    values = np.empty(n)
    inner = np.empty((n, n), np.complex128)  # of the short side
    rest = complex_columns(parts)
    code = 0
    if n > 0 and not (is_finite(parts[0]) and is_finite(parts[1])):
        code = 1
    elif n > 0 and wide:
        rest = rest.T.copy()
        outer = np.empty((m, n), np.complex128)
        code = FIND_SINGULAR_VALUES(
            DOUBLE_COMPLEX, THIN, n, m, rest.ctypes, n, values.ctypes, inner.ctypes, n, outer.ctypes, n
        )
        put_parts(made, 0, outer.T.copy())
        put_parts(made, 2, np.conj(inner))
    elif n > 0:
        left = np.empty((n, m), np.complex128)
        code = FIND_SINGULAR_VALUES(
            DOUBLE_COMPLEX, THIN, m, n, rest.ctypes, m, values.ctypes, left.ctypes, m, inner.ctypes, n
        )
        put_parts(made, 0, left)
        put_parts(made, 2, np.conj(inner.T))
    for k in range(n):
        made[4, 0, k] = values[k]
    if code != 0 or rest.size != m * n:
        made.fill(np.nan)
    return made


@njit(error_model="numpy")
def complex_full_singular_system_by_lapack(parts: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd of more rows than columns."""
    compiled_apart()
    m, n = parts.shape[1], parts.shape[2]
    made, values = np.zeros((5, m, m), parts.dtype), np.empty(n)
    if n == 0:
        for k in range(m):
            made[0, k, k] = 1.0
        return made
    rest, code = complex_columns(parts), 1
    outer, inner = np.empty((m, m), np.complex128), np.empty((n, n), np.complex128)
    if is_finite(parts[0]) and is_finite(parts[1]):
        if wide:
            rest = rest.T.copy()
            code = FIND_SINGULAR_VALUES(
                DOUBLE_COMPLEX, ALL, n, m, rest.ctypes, n, values.ctypes, inner.ctypes, n, outer.ctypes, m
            )
            put_parts(made, 0, outer.T.copy())
            put_parts(made, 2, np.conj(inner))
        else:
            code = FIND_SINGULAR_VALUES(
                DOUBLE_COMPLEX, ALL, m, n, rest.ctypes, m, values.ctypes, outer.ctypes, m, inner.ctypes, n
            )
            put_parts(made, 0, outer)
            put_parts(made, 2, np.conj(inner.T))
    for k in range(n):
        made[4, 0, k] = values[k]
    if code != 0 or rest.size != m * n:
        made.fill(np.nan)
    return made


@njit(error_model="numpy")
def complex_orthogonal_factors_by_lapack(parts: np.ndarray) -> np.ndarray:
    """np.linalg.qr."""
    compiled_apart()
    m, n = parts.shape[1], parts.shape[2]
    made = np.zeros((4, m, n), parts.dtype)
    columns, scales = complex_columns(parts), np.empty(n, np.complex128)
    if n > 0:
        REFLECT(DOUBLE_COMPLEX, m, n, columns.ctypes, m, scales.ctypes)
        for j in range(n):
            for i in range(j + 1):
                made[2, i, j] = columns[j, i].real
                made[3, i, j] = columns[j, i].imag
        MAKE_ORTHOGONAL(DOUBLE_COMPLEX, m, n, n, columns.ctypes, m, scales.ctypes)
        put_parts(made, 0, columns)
    return made
