"""Functions of one matrix by LAPACK, of which systems.py and decompositions.py say what they are, in compiled code.

LAPACK is called as Numba calls it for its own functions, which are several times as long to compile: they look for NaN
and raise. It reads matrices column by column: what lies in a row here is a column there.
"""

# mypy: disable-error-code="call-overload, call-arg"

import numpy as np
from numba import njit, types

from codegen.runtime.intrinsics.loop_hints import compiled_apart
from codegen.runtime.reductions import plus

UPPER = 85  # ord("U"): the lower half of a matrix whose rows are LAPACK's columns
LOWER = 76
WITH_VECTORS = 86
VALUES_ALONE = 78
THIN = 83
ALL = 65
FACTOR_MATRIX = types.ExternalFunction(
    "numba_xxgetrf",
    types.intc(types.char, types.intp, types.intp, types.voidptr, types.intp, types.CPointer(types.intc)),
)
SOLVE_SYSTEM = types.ExternalFunction(
    "numba_xgesv",
    types.intc(
        types.char,
        types.intp,
        types.intp,
        types.voidptr,
        types.intp,
        types.CPointer(types.intc),
        types.voidptr,
        types.intp,
    ),
)
FACTOR_SYMMETRIC = types.ExternalFunction(
    "numba_xxpotrf", types.intc(types.char, types.char, types.intp, types.voidptr, types.intp)
)
FIND_EIGENVALUES = types.ExternalFunction(
    "numba_ez_xxxevd",
    types.intc(types.char, types.char, types.char, types.intp, types.voidptr, types.intp, types.voidptr),
)
FIND_SINGULAR_VALUES = types.ExternalFunction(
    "numba_ez_gesdd",
    types.intc(
        types.char,
        types.char,
        types.intp,
        types.intp,
        types.voidptr,
        types.intp,
        types.voidptr,
        types.voidptr,
        types.intp,
        types.voidptr,
        types.intp,
    ),
)


@njit(error_model="numpy")
def lapack_kind(a: np.ndarray) -> int:
    """ord("s") or ord("d")."""
    return 115 if a.itemsize == 4 else 100


@njit(error_model="numpy")
def is_finite(a: np.ndarray) -> bool:
    """Whether no element is NaN or infinite, nor their sum."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total = plus(total, abs(a[i, j]))
    return total < np.inf


@njit(error_model="numpy")
def in_columns(a: np.ndarray) -> np.ndarray:
    """A copy with rows and columns changed, a few of both at a time: so many rows stay in the cache."""
    made = np.empty((a.shape[1], a.shape[0]), a.dtype)
    put_columns(made, a)
    return made


@njit(error_model="numpy")
def put_columns(made: np.ndarray, a: np.ndarray) -> None:
    compiled_apart()
    for first in range(0, len(a), 8):
        for j in range(a.shape[1]):
            for i in range(first, min(first + 8, len(a))):
                made[j, i] = a[i, j]


@njit(error_model="numpy")
def solved_by_lapack(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a @ x = b; NaN where the matrix is singular."""
    compiled_apart()
    n = len(a)
    made = in_columns(np.reshape(b, (n, b.size // max(n, 1))))
    left, pivots = in_columns(a), np.empty(n, np.intc)
    if n > 0:
        code = SOLVE_SYSTEM(lapack_kind(a), n, len(made), left.ctypes, n, pivots.ctypes, made.ctypes, n)
        if code != 0 or len(pivots) + len(left) != 2 * n:
            made = np.full(made.shape, np.nan, a.dtype)
    return np.reshape(in_columns(made), b.shape)


@njit(error_model="numpy")
def is_singular_by_lapack(a: np.ndarray) -> bool:
    """Whether a pivot of the matrix is 0."""
    compiled_apart()
    n = len(a)
    factors, pivots = a.copy(), np.empty(n, np.intc)
    return (
        n > 0
        and FACTOR_MATRIX(lapack_kind(a), n, n, factors.ctypes, n, pivots.ctypes) > 0
        and len(pivots) == n
    )


@njit(error_model="numpy")
def factored_by_lapack(a: np.ndarray) -> np.ndarray:
    """Cholesky's factor; -1 where the matrix is not positive definite."""
    compiled_apart()
    n = len(a)
    made = np.empty((n, n), a.dtype)  # row after row, as a itself need not be
    for i in range(n):
        for j in range(i + 1):
            made[i, j] = a[i, j]
        for j in range(i + 1, n):
            made[i, j] = 0.0
    if n > 0 and FACTOR_SYMMETRIC(lapack_kind(a), UPPER, n, made.ctypes, n) != 0:
        return np.full((n, n), -1.0, a.dtype)
    return made


@njit(error_model="numpy")
def eigensystem_by_lapack(a: np.ndarray) -> np.ndarray:
    """np.linalg.eigh."""
    compiled_apart()
    n = len(a)
    made = np.zeros((2, n, n), a.dtype)
    values, vectors = np.empty(n, a.dtype), a.copy()
    if n > 0 and (
        not is_finite(a)
        or FIND_EIGENVALUES(lapack_kind(a), WITH_VECTORS, LOWER, n, vectors.ctypes, n, values.ctypes) != 0
    ):
        return np.full(made.shape, np.nan, a.dtype)
    put_columns(made[0], vectors)
    for k in range(n):
        made[1, 0, k] = values[k]
    return made


@njit(error_model="numpy")
def eigenvalues_by_lapack(a: np.ndarray) -> np.ndarray:
    """np.linalg.eigvalsh."""
    compiled_apart()
    n = len(a)
    values, rest = np.empty(n, a.dtype), a.copy()
    if n > 0 and (
        not is_finite(a)
        or FIND_EIGENVALUES(lapack_kind(a), VALUES_ALONE, LOWER, n, rest.ctypes, n, values.ctypes) != 0
        or len(rest) != n
    ):
        values.fill(np.nan)
    return values


@njit(error_model="numpy")
def singular_system_by_lapack(a: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd, thin, of the matrix or, where it is wide, of the transposed one."""
    return singular_system_with(a, wide, a.shape[1])


@njit(error_model="numpy")
def full_singular_system_by_lapack(a: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd of more rows than columns."""
    return singular_system_with(a, wide, len(a))


@njit(error_model="numpy")
def singular_system_with(a: np.ndarray, wide: int, width: int) -> np.ndarray:
    """With so many columns of U. What LAPACK gives turned round has room of its own: V where it is wide, else U."""
    compiled_apart()
    m, n = a.shape
    made = np.zeros((3, m, width), a.dtype)
    if n == 0:
        for k in range(width):
            made[0, k, k] = 1.0
        return made
    rest = a.copy() if wide else in_columns(a)
    turned = np.empty((n if wide else width, n if wide else m), a.dtype)
    code, start, size = 1, np.int64(made.ctypes.data), made.itemsize * m * width
    if is_finite(a):
        code = FIND_SINGULAR_VALUES(
            lapack_kind(a),
            THIN if width == n else ALL,
            turned.shape[1],
            len(rest),
            rest.ctypes.data,
            turned.shape[1],
            start + 2 * size,
            turned.ctypes.data,
            turned.shape[1],
            start if wide else start + size,
            width,
        )
        put_columns(made[1 if wide else 0], turned)
    if code != 0 or rest.size != a.size:
        return np.full(made.shape, np.nan, a.dtype)
    return made


@njit(error_model="numpy")
def singular_values_by_lapack(a: np.ndarray, wide: int) -> np.ndarray:
    """The values alone, which are those of the transposed matrix."""
    compiled_apart()
    m, n = a.shape
    values, rest = np.empty(n, a.dtype), a.copy()
    none = np.empty(1, a.dtype)
    if n > 0 and (
        not is_finite(a)
        or FIND_SINGULAR_VALUES(
            lapack_kind(a), VALUES_ALONE, n, m, rest.ctypes, n, values.ctypes, none.ctypes, 1, none.ctypes, 1
        )
        != 0
        or len(rest) != m
    ):
        values.fill(np.nan)
    return values


@njit(error_model="numpy")
def pseudoinverse_by_lapack(a: np.ndarray, cutoff: float) -> np.ndarray:
    """V S^-1 U' without what is small."""
    compiled_apart()
    m, n = a.shape
    if m < n:
        return in_columns(pseudoinverse_of_tall(in_columns(a), 1, cutoff))
    return pseudoinverse_of_tall(a, 0, cutoff)


@njit(error_model="numpy")
def pseudoinverse_of_tall(a: np.ndarray, wide: int, cutoff: float) -> np.ndarray:
    m, n = a.shape
    system = singular_system_by_lapack(a, wide)
    if m == 0 or n == 0:
        return np.zeros((n, m), a.dtype)
    for k in range(n):
        value = system[2, 0, k]
        counts = not value <= cutoff * system[2, 0, 0]  # NaN goes on
        for i in range(n):
            system[1, i, k] = system[1, i, k] / value if counts else 0.0
    return np.dot(system[1, :n], system[0].T)
