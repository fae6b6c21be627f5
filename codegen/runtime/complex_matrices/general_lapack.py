"""What general.py says by LAPACK, compiled, in double precision (linear_algebra/lapack.py says how it is called)."""

# mypy: disable-error-code="call-overload, call-arg"

import numpy as np
from numba import njit, types

from codegen.runtime.intrinsics.loop_hints import compiled_apart
from codegen.runtime.linear_algebra.lapack import VALUES_ALONE, WITH_VECTORS, is_finite

from .general_steps import general_eigenvalues_of_system
from .unitary_lapack import DOUBLE_COMPLEX, complex_columns, put_parts

DOUBLE = 100  # ord("d")
FIND_REAL_EIGENVECTORS = types.ExternalFunction(
    "numba_ez_rgeev",
    types.intc(
        *[types.char, types.char, types.char, types.intp, types.voidptr, types.intp],
        *[types.voidptr, types.voidptr, types.voidptr, types.intp, types.voidptr, types.intp],
    ),
)
FIND_COMPLEX_EIGENVECTORS = types.ExternalFunction(
    "numba_ez_cgeev",
    types.intc(
        *[types.char, types.char, types.char, types.intp, types.voidptr, types.intp],
        *[types.voidptr, types.voidptr, types.intp, types.voidptr, types.intp],
    ),
)


@njit(error_model="numpy")
def general_eigensystem_by_lapack(parts: np.ndarray) -> np.ndarray:
    """np.linalg.eig."""
    return general_eigensystem_of(parts, WITH_VECTORS)


@njit(error_model="numpy")
def general_eigenvalues_by_lapack(parts: np.ndarray) -> np.ndarray:
    """np.linalg.eigvals."""
    system = general_eigensystem_of(parts, VALUES_ALONE)
    return general_eigenvalues_of_system(system, parts)


@njit(error_model="numpy")
def general_eigensystem_of(parts: np.ndarray, asked: int) -> np.ndarray:
    compiled_apart()
    n = parts.shape[1]
    made, code = np.zeros((4, n, n), parts.dtype), 0
    for k in range(len(parts)):
        if not is_finite(parts[k]):
            code = 1
    if n > 0 and code == 0 and len(parts) == 1:
        code = put_real_system(made, parts, asked)
    elif n > 0 and code == 0:
        code = put_complex_system(made, parts, asked)
    if code != 0:
        made.fill(np.nan)
    return made


@njit(error_model="numpy")
def put_real_system(made: np.ndarray, parts: np.ndarray, asked: int) -> int:
    """Of a pair of values, each the other's conjugate, the first one's vector is there as two columns."""
    n = parts.shape[1]
    columns = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            columns[j, i] = parts[0, i, j]
    re, im, vectors, none = np.empty(n), np.empty(n), np.empty((n, n)), np.empty(1)
    code = FIND_REAL_EIGENVECTORS(
        *(DOUBLE, VALUES_ALONE, asked, n, columns.ctypes, n, re.ctypes, im.ctypes, none.ctypes, 1),
        *(vectors.ctypes, n),
    )
    for k in range(n):
        made[2, 0, k] = re[k]
        made[3, 0, k] = im[k]
        first = k - 1 if im[k] < 0.0 else k
        for i in range(n):
            made[0, i, k] = vectors[first, i]
            if im[k] != 0.0:
                made[1, i, k] = np.copysign(1.0, im[k]) * vectors[first + 1, i]
    return code + len(columns) + len(none) - n - 1


@njit(error_model="numpy")
def put_complex_system(made: np.ndarray, parts: np.ndarray, asked: int) -> int:
    n = parts.shape[1]
    columns, values = complex_columns(parts), np.empty(n, np.complex128)
    vectors, none = np.empty((n, n), np.complex128), np.empty(1, np.complex128)
    code = FIND_COMPLEX_EIGENVECTORS(
        *(DOUBLE_COMPLEX, VALUES_ALONE, asked, n, columns.ctypes, n, values.ctypes, none.ctypes, 1),
        *(vectors.ctypes, n),
    )
    put_parts(made, 0, vectors)
    for k in range(n):
        made[2, 0, k] = values[k].real
        made[3, 0, k] = values[k].imag
    return code + len(columns) + len(none) - n - 1
