"""What BLAS does with matrices in place, in compiled code: a product taken off another matrix, triangular systems.

Numba calls BLAS for products alone; the rest is SciPy's, at addresses that LLVM is told. BLAS reads matrices column by
column: what lies in a row here is a column there, so that it is given all of them turned round.
"""

# mypy: disable-error-code="call-overload, arg-type"

import numpy as np
from llvmlite.binding import add_symbol
from numba import njit, types
from numba.extending import get_cython_function_address

from codegen.runtime.reductions import plus

from .elimination import WHOLE_ROWS
from .lapack import LOWER, UPPER, lapack_kind
from .products import MOST_IN_TILES, put_product_at, put_product_in_tiles


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
MULTIPLY_BY_TRIANGLE = scipy_function("cython_blas", "dtrmm", 11)
PANEL = 32  # a power of 2; rows of a triangle that BLAS solves in no more time than parts of them
FIRST = 76  # ord("L"), of the side that a matrix is on
LAST = 82  # ord("R")
AS_IT_IS = 78  # ord("N")
TURNED = 84  # ord("T")
OF_ONES = 85  # ord("U")


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
    if made.itemsize == 8 and float(made.size) * len(y) <= MOST_IN_TILES:
        put_product_in_tiles(made, x, y, -1.0, True)
    elif made.size > 0 and x.size > 0:
        add_product(made, x, y, np.array([-1.0, 1.0]).astype(made.dtype))


@njit(error_model="numpy")
def solve_triangle(a: np.ndarray, x: np.ndarray) -> None:
    """x = a^-1 x, for what is on and below the diagonal of a."""
    solve_on_side(a, x, LAST, UPPER, AS_IT_IS, AS_IT_IS, take_by_blas)


@njit(error_model="numpy")
def solve_turned_triangle(a: np.ndarray, x: np.ndarray) -> None:
    """x = a^-T x."""
    solve_on_side(a, x, LAST, UPPER, TURNED, AS_IT_IS, take_by_blas)


@njit(error_model="numpy")
def divide_by_triangle(x: np.ndarray, a: np.ndarray) -> None:
    """x = x a^-1."""
    solve_on_side(a, x, FIRST, UPPER, AS_IT_IS, AS_IT_IS, take_in_tiles)


@njit(error_model="numpy")
def solve_triangle_of_ones(a: np.ndarray, x: np.ndarray) -> None:
    """x = a^-1 x, for what is above the diagonal of a, and ones on it."""
    solve_on_side(a, x, LAST, LOWER, AS_IT_IS, OF_ONES, take_in_tiles)


@njit(error_model="numpy")
def solve_on_side(
    a: np.ndarray, x: np.ndarray, side: int, half: int, order: int, diagonal: int, take: types.Dispatcher
) -> None:
    words, sizes = told_of_triangle(a, x, side, half, order, diagonal)
    if x.size > 0:
        solve_in_panels(a, x, words, sizes, np.array([-1.0, 1.0], x.dtype), take)


@njit(error_model="numpy")
def solve_in_panels(
    a: np.ndarray,
    x: np.ndarray,
    words: np.ndarray,
    sizes: np.ndarray,
    factors: np.ndarray,
    take: types.Dispatcher,
) -> None:
    """Panels of x one after another, each rid of those before: products take less time than solving.

    The last 2^k panels are taken off the next 2^k at once, for the highest 2^k that their count is a multiple of, as
    halves of halves would be. Side, half and order are BLAS's, of columns, and all that it is given are addresses:
    Numba takes long to compile parts of arrays.
    """
    n, others, itemsize = len(a), x.size // len(a), x.itemsize
    row, row_of_x = np.int64(sizes[2]), np.int64(sizes[3])
    first_side, as_it_is = words[0] == FIRST, words[2] == AS_IT_IS
    forwards = ((words[1] == LOWER) == as_it_is) == first_side
    word, size, one = words.ctypes.data, sizes.ctypes.data, factors.ctypes.data + itemsize
    at_a, at_x = np.int64(a.ctypes.data), np.int64(x.ctypes.data)
    one_on = np.int64(1)
    down, along = (row, one_on) if as_it_is else (one_on, row)  # in what is read of a
    step = itemsize if first_side else itemsize * row_of_x
    for done in range(0, n, PANEL):
        count, left, width = done & -done, n - done, min(PANEL, n - done)
        if count > 0:
            rid = min(count, left)
            start, known = (done, done - count) if forwards else (left - rid, left)
            below, beside = (known, start) if first_side else (start, known)
            of_a = (at_a + itemsize * (below * down + beside * along), down, along)
            to, solved = (at_x + step * start, row_of_x, one_on), (at_x + step * known, row_of_x, one_on)
            if first_side:
                take(factors, to, solved, of_a, (others, rid, count))
            else:
                take(factors, to, of_a, solved, (rid, others, count))
        start = done if forwards else left - width
        sizes[0], sizes[1] = (width, others) if first_side else (others, width)
        corner, panel = at_a + itemsize * start * (row + 1), at_x + step * start
        triangle = (
            word,
            word + 4,
            word + 8,
            word + 12,
            size,
            size + 4,
            one,
            corner,
            size + 8,
            panel,
            size + 12,
        )
        if itemsize == 4:
            SOLVE_SINGLE_TRIANGLE(*triangle)
        else:
            SOLVE_TRIANGLE(*triangle)


@njit(error_model="numpy")
def take_by_blas(
    factors: np.ndarray,
    made: tuple[int, int, int],
    x: tuple[int, int, int],
    y: tuple[int, int, int],
    sizes: tuple[int, int, int],
) -> None:
    """made = factors[0] * x @ y + factors[1] * made."""
    height, width, length = sizes
    ADD_PRODUCT(
        lapack_kind(factors),
        AS_IT_IS if y[2] == 1 else TURNED,
        AS_IT_IS if x[2] == 1 else TURNED,
        width,
        height,
        length,
        factors.ctypes,
        y[0],
        y[1] if y[2] == 1 else y[2],
        x[0],
        x[1] if x[2] == 1 else x[2],
        factors[1:].ctypes,
        made[0],
        made[1],
    )


@njit(error_model="numpy")
def take_in_tiles(
    factors: np.ndarray,
    made: tuple[int, int, int],
    x: tuple[int, int, int],
    y: tuple[int, int, int],
    sizes: tuple[int, int, int],
) -> None:
    """The same of -1 and 1, in tiles where these are as fast: in derivatives, which take long to compile anyway."""
    height, width, length = sizes
    if factors.itemsize == 8 and float(height) * width * length <= MOST_IN_TILES:
        put_product_at(made, x, y, sizes, -1.0, True)
    else:
        take_by_blas(factors, made, x, y, sizes)


@njit(error_model="numpy")
def multiply_by_triangle(a: np.ndarray, x: np.ndarray, side: int, factor: float) -> None:
    """x = factor a x, or factor x a with FIRST, for what is on and below the diagonal of a."""
    words, sizes = told_of_triangle(a, x, side, UPPER, AS_IT_IS, AS_IT_IS)
    multiply_at(a, x, words, sizes, np.full(1, factor))


@njit(error_model="numpy")
def multiply_at(
    a: np.ndarray, x: np.ndarray, words: np.ndarray, sizes: np.ndarray, factor: np.ndarray
) -> None:
    word, size = words.ctypes.data, sizes.ctypes.data
    asked = word, word + 4, word + 8, word + 12, size, size + 4
    MULTIPLY_BY_TRIANGLE(*asked, factor.ctypes.data, a.ctypes.data, size + 8, x.ctypes.data, size + 12)


@njit(error_model="numpy")
def told_of_triangle(
    a: np.ndarray, x: np.ndarray, side: int, half: int, order: int, diagonal: int
) -> tuple[np.ndarray, np.ndarray]:
    """The words, of which BLAS reads the first byte each, and the sizes. Both have to outlive what is done there."""
    if place_of_rows(a) == TURNED:  # BLAS is given a itself then
        half, order = UPPER + LOWER - half, AS_IT_IS + TURNED - order
    words, sizes = np.empty(4, np.intc), np.empty(4, np.intc)
    words[0], words[1], words[2], words[3] = side, half, order, diagonal
    sizes[0], sizes[1], sizes[2], sizes[3] = x.shape[1], x.shape[0], row_length(a), row_length(x)
    return words, sizes


@njit(error_model="numpy")
def invert_triangle(a: np.ndarray) -> None:
    """What is on and below the diagonal, in place: blocks on the diagonal, and what is between two inverted ones."""
    n, size = len(a), WHOLE_ROWS
    for start in range(0, n, size):
        invert_rows(a, start, min(start + size, n))
    while size < n:
        for start in range(0, n - size, 2 * size):
            middle, end = start + size, min(start + 2 * size, n)
            between = a[middle:end, start:middle]
            multiply_by_triangle(a[middle:end, middle:end], between, LAST, -1.0)
            multiply_by_triangle(a[start:middle, start:middle], between, FIRST, 1.0)
        size *= 2


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
    columns = np.reshape(x, (len(a), x.size // max(len(a), 1)))
    if b.ndim == 2 and b.shape[1] != 1:  # not compiled for a vector
        solve_triangle(a, x)
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
    columns = np.reshape(x, (len(a), x.size // max(len(a), 1)))
    if b.ndim == 2 and b.shape[1] != 1:  # not compiled for a vector
        solve_turned_triangle(a, x)
        return x
    for k in range(len(a) - 1, -1, -1):
        columns[k, 0] /= a[k, k]
        above = columns[k, 0]
        for j in range(k):
            columns[j, 0] -= above * a[k, j]
    return x
