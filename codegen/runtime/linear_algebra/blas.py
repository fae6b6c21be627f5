"""What BLAS does with matrices in place, in compiled code: a product taken off another matrix, triangular systems.

Numba calls BLAS for products alone; the rest is SciPy's, at addresses that LLVM is told. BLAS reads matrices column by
column: what lies in a row here is a column there, so that it is given all of them turned round.
"""

# mypy: disable-error-code="call-overload"

import numpy as np
from llvmlite.binding import add_symbol
from numba import njit, types
from numba.extending import get_cython_function_address

from codegen.runtime.reductions import plus

from .elimination import WHOLE_ROWS
from .lapack import LOWER, UPPER, lapack_kind


def scipy_function(library: str, name: str, arguments: int) -> types.ExternalFunction:
    """A function of SciPy's BLAS or LAPACK, which takes addresses alone."""
    symbol = f"scipy_{library}_{name}"
    add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{library}", name))
    return types.ExternalFunction(symbol, types.void(*[types.voidptr] * arguments))


ADD_PRODUCT = types.ExternalFunction(
    "numba_xxgemm",
    types.intc(
        *[types.char] * 3,
        *[types.intp] * 3,
        *[types.voidptr, types.voidptr, types.intp, types.voidptr, types.intp],
        *[types.voidptr, types.voidptr, types.intp],
    ),
)
SOLVE_TRIANGLE = scipy_function("cython_blas", "dtrsm", 11)
SOLVE_SINGLE_TRIANGLE = scipy_function("cython_blas", "strsm", 11)
FIRST, LAST = 76, 82  # ord("L"), of the side that a matrix is on, and ord("R")
AS_IT_IS, TURNED, OF_ONES = 78, 84, 85  # ord("N"), ord("T") and ord("U")


@njit(error_model="numpy")
def has_whole_rows(a: np.ndarray) -> bool:
    """Whether each row is one piece of memory, behind the one before it."""
    return a.strides[1] == a.itemsize and a.strides[0] >= a.shape[1] * a.itemsize


@njit(error_model="numpy")
def place_of_rows(a: np.ndarray) -> int:
    """Whether BLAS is given the matrix turned round, as it lies, or its transpose, which lies so."""
    return AS_IT_IS if has_whole_rows(a) else TURNED


@njit(error_model="numpy")
def row_length(a: np.ndarray) -> int:
    """Elements from one row, or column, to the next."""
    return (a.strides[0] if has_whole_rows(a) else a.strides[1]) // a.itemsize


@njit(error_model="numpy")
def add_product(made: np.ndarray, x: np.ndarray, y: np.ndarray, factors: np.ndarray) -> int:
    """made = factors[0] * x @ y + factors[1] * made, each a part of a matrix; x and y may be turned round."""
    return ADD_PRODUCT(
        lapack_kind(made),
        place_of_rows(y),
        place_of_rows(x),
        made.shape[1],
        made.shape[0],
        len(y),
        factors.ctypes,
        y.ctypes,
        row_length(y),
        x.ctypes,
        row_length(x),
        factors[1:].ctypes,
        made.ctypes,
        row_length(made),
    )


@njit(error_model="numpy")
def take_product(made: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """made -= x @ y."""
    if made.size > 0 and x.size > 0:
        add_product(made, x, y, np.array([-1.0, 1.0]).astype(made.dtype))


@njit(error_model="numpy")
def solve_triangle(a: np.ndarray, x: np.ndarray) -> None:
    """x = a^-1 x, for what is on and below the diagonal of a."""
    solve_on_side(a, x, LAST, UPPER, AS_IT_IS, AS_IT_IS)


@njit(error_model="numpy")
def solve_turned_triangle(a: np.ndarray, x: np.ndarray) -> None:
    """x = a^-T x."""
    solve_on_side(a, x, LAST, UPPER, TURNED, AS_IT_IS)


@njit(error_model="numpy")
def divide_by_triangle(x: np.ndarray, a: np.ndarray) -> None:
    """x = x a^-1."""
    solve_on_side(a, x, FIRST, UPPER, AS_IT_IS, AS_IT_IS)


@njit(error_model="numpy")
def solve_triangle_of_ones(a: np.ndarray, x: np.ndarray) -> None:
    """x = a^-1 x, for what is above the diagonal of a, and ones on it."""
    solve_on_side(a, x, LAST, LOWER, AS_IT_IS, OF_ONES)


@njit(error_model="numpy")
def solve_on_side(a: np.ndarray, x: np.ndarray, side: int, half: int, order: int, diagonal: int) -> None:
    if place_of_rows(a) == TURNED:  # BLAS is given a itself then
        half, order = UPPER + LOWER - half, AS_IT_IS + TURNED - order
    words = np.array([side, half, order, diagonal], np.intc)  # of which BLAS reads the first byte
    sizes = np.array([x.shape[1], x.shape[0], row_length(a), row_length(x)], np.intc)
    one = np.ones(1, x.dtype)
    asked = words.ctypes, words[1:].ctypes, words[2:].ctypes, words[3:].ctypes, sizes.ctypes, sizes[1:].ctypes
    given = one.ctypes, a.ctypes, sizes[2:].ctypes, x.ctypes, sizes[3:].ctypes
    if x.size > 0 and x.itemsize == 4:
        SOLVE_SINGLE_TRIANGLE(*asked, *given)
    elif x.size > 0:
        SOLVE_TRIANGLE(*asked, *given)


@njit(error_model="numpy")
def invert_triangle(a: np.ndarray, first: int, last: int) -> None:
    """What is on and below the diagonal, of so many rows and columns, in place: halves of it, and what is between."""
    if last - first <= WHOLE_ROWS:
        invert_rows(a, first, last)
        return
    middle = first + (last - first) // 2
    between = a[middle:last, first:middle]
    for i in range(middle, last):
        for j in range(first, middle):
            a[i, j] = -a[i, j]
    solve_triangle(a[middle:last, middle:last], between)
    divide_by_triangle(between, a[first:middle, first:middle])
    invert_triangle(a, first, middle)
    invert_triangle(a, middle, last)


@njit(error_model="numpy")
def invert_rows(a: np.ndarray, first: int, last: int) -> None:
    row = np.empty(last - first, a.dtype)
    for i in range(first, last):
        a[i, i] = 1.0 / a[i, i]
        for j in range(first, i):
            row[j - first] = -a[i, i] * a[i, j]
            a[i, j] = 0.0
        for k in range(first, i):
            for j in range(first, k + 1):
                a[i, j] += row[k - first] * a[k, j]


@njit(error_model="numpy")
def solved_lower_by_blas(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a @ x = b of what is on and below the diagonal of a; a single column by sums over its rows."""
    x = b.copy()
    columns = x.reshape((len(a), x.size // max(len(a), 1)))
    if columns.shape[1] != 1:
        solve_triangle(a, columns)
        return x
    for k in range(len(a)):
        rest = 0.0
        for j in range(k):
            rest = plus(rest, a[k, j] * columns[j, 0])
        columns[k, 0] = (columns[k, 0] - rest) / a[k, k]
    return x


@njit(error_model="numpy")
def solved_turned_by_blas(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a.T @ x = b of the same; a single column is rid of row after row."""
    x = b.copy()
    columns = x.reshape((len(a), x.size // max(len(a), 1)))
    if columns.shape[1] != 1:
        solve_turned_triangle(a, columns)
        return x
    for k in range(len(a) - 1, -1, -1):
        columns[k, 0] /= a[k, k]
        above = columns[k, 0]
        for j in range(k):
            columns[j, 0] -= above * a[k, j]
    return x
