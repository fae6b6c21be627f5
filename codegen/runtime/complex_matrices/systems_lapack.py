"""What systems.py says by LAPACK, compiled, in double precision (linear_algebra/lapack.py says how it is called)."""

# mypy: disable-error-code="call-overload, call-arg"

import numpy as np
from numba import njit

from codegen.runtime.complex_matrices.unitary_lapack import DOUBLE_COMPLEX, complex_columns, put_parts
from codegen.runtime.intrinsics.loop_hints import compiled_apart
from codegen.runtime.linear_algebra.lapack import FACTOR_MATRIX, SOLVE_SYSTEM


@njit(error_model="numpy")
def complex_solved_by_lapack(parts: np.ndarray, right: np.ndarray) -> np.ndarray:
    """np.linalg.solve; NaN where the matrix is singular."""
    compiled_apart()
    n, made = right.shape[1], np.empty(right.shape, right.dtype)
    left, x, pivots = complex_columns(parts), complex_columns(right), np.empty(n, np.intc)
    code = 0
    if n > 0:
        code = SOLVE_SYSTEM(DOUBLE_COMPLEX, n, len(x), left.ctypes, n, pivots.ctypes, x.ctypes, n)
    if code != 0 or len(pivots) + len(left) != 2 * n:
        made.fill(np.nan)
    else:
        put_parts(made, 0, x)
    return made


@njit(error_model="numpy")
def complex_log_determinant_by_lapack(parts: np.ndarray) -> np.ndarray:
    """np.linalg.slogdet."""
    compiled_apart()
    n, made = parts.shape[1], np.zeros(3, parts.dtype)
    factors, pivots = complex_columns(parts), np.empty(n, np.intc)
    if n > 0:
        FACTOR_MATRIX(DOUBLE_COMPLEX, n, n, factors.ctypes, n, pivots.ctypes)
    x, y, size = 1.0, 0.0, 0.0
    for k in range(n):
        pivot = factors[k, k]
        length = abs(pivot)
        re, im = pivot.real / length, pivot.imag / length
        if pivots[k] != k + 1:
            re, im = -re, -im
        x, y = x * re - y * im, x * im + y * re
        size += np.log(length)
    made[2] = size
    if size != -np.inf:
        made[0], made[1] = x, y
    return made
