"""A long line as a matrix: D. H. Bailey's Fourier transform in two steps, each of which has many lines side by side.

    x[j1 * n2 + j2] -> columns transformed -> turned by w**(k1 * j2) -> rows transformed -> made[k1 + n1 * k2]

A few columns, and then a few rows, are in the cache at a time.
"""

# mypy: disable-error-code="call-arg"

import numpy as np
from numba import njit

from codegen.runtime.fourier.stages import fourier_in_stages
from codegen.runtime.fourier.turns import fourier_short_turns, fourier_turn_of, fourier_turns
from codegen.runtime.intrinsics.loop_hints import iterations_apart

FOURIER_LINES = 16  # lines that are side by side at most
FOURIER_NEAR = 8192  # numbers of a line times lines side by side
FOURIER_SHORT = 8  # a step with shorter lines, or fewer of them, is not worth it
FOURIER_PART = 64  # numbers of a column that are copied one after the other


@njit(error_model="numpy")
def fourier_count(n: int, lines: int) -> int:
    """How many lines of so many numbers are side by side."""
    return max(1, min(lines, FOURIER_LINES, FOURIER_NEAR // n))


@njit(error_model="numpy")
def fourier_height(n: int, radices: np.ndarray) -> int:
    """The length of the columns of a line's matrix, about the square root of n; 0 where it is not worth it."""
    height = 1
    for radix in radices:
        if height * height < n:
            height *= radix
    return height if min(height, n // height) >= FOURIER_SHORT else 0


@njit(error_model="numpy")
def fourier_in_two_steps(
    x: np.ndarray, made: np.ndarray, height: int, radices: np.ndarray, sign: float
) -> None:
    """Each line of the third axis to `made`; `height`: of its matrix, a product of the first radices."""
    n, inner = x.shape[2], 0
    width, left = n // height, height
    while left > 1:
        left //= radices[inner]
        inner += 1
    columns, rows = fourier_count(height, width), fourier_count(width, height)
    between = np.empty((2, height, width), x.dtype)
    work = np.empty((2, 2, max(height * columns, width * rows)), x.dtype)
    turns, other_turns = fourier_turns(height, sign), fourier_turns(width, sign)
    short = fourier_short_turns(n, sign)
    near = np.empty((2, height, columns))  # w ** (k * j) of the first columns
    for k in range(height):
        for j in range(columns):
            near[0, k, j], near[1, k, j] = fourier_turn_of(short, k * j)
    given = np.reshape(x, (2, x.shape[1], height, width, x.shape[3]))
    to = np.reshape(made, (2, x.shape[1], width, height, x.shape[3]))
    for i in range(x.shape[1]):
        for j in range(x.shape[3]):
            fourier_of_columns(given[:, i, :, :, j], between, work, turns, radices[:inner], near, short)
            fourier_of_rows(between, to[:, i, :, :, j], work, other_turns, radices[inner:], rows)


@njit(error_model="numpy")
def fourier_at_once(
    work: np.ndarray, n: int, lines: int, turns: np.ndarray, radices: np.ndarray, sign: float
) -> int:
    """What `fourier_in_stages` does; a line alone in two steps."""
    height = fourier_height(n, radices) if lines == 1 else 0
    if not height:
        return fourier_in_stages(work, n, lines, turns, radices)
    fourier_in_two_steps(
        np.reshape(work[0], (2, 1, n, 1)), np.reshape(work[1], (2, 1, n, 1)), height, radices, sign
    )
    return 1


@njit(error_model="numpy")
def fourier_of_columns(
    x: np.ndarray,
    between: np.ndarray,
    work: np.ndarray,
    turns: np.ndarray,
    radices: np.ndarray,
    near: np.ndarray,
    short: np.ndarray,
) -> None:
    height, width = between.shape[1], between.shape[2]
    for first in range(0, width, near.shape[2]):
        lines = min(near.shape[2], width - first)
        for part in range(2):
            block = np.reshape(work[0, part, : height * lines], (height, lines))
            fourier_copied(block, x[part, :, first : first + lines])
        here = fourier_in_stages(work, height, lines, turns, radices)
        re = np.reshape(work[here, 0, : height * lines], (height, lines))
        im = np.reshape(work[here, 1, : height * lines], (height, lines))
        fourier_turned(between, re, im, first, near, short)


@njit(error_model="numpy")
def fourier_of_rows(
    between: np.ndarray, made: np.ndarray, work: np.ndarray, turns: np.ndarray, radices: np.ndarray, rows: int
) -> None:
    height, width = between.shape[1], between.shape[2]
    for first in range(0, height, rows):
        lines = min(rows, height - first)
        for part in range(2):
            block = np.reshape(work[0, part, : width * lines], (width, lines))
            fourier_copied(block, between[part, first : first + lines].T)
        here = fourier_in_stages(work, width, lines, turns, radices)
        for part in range(2):
            block = np.reshape(work[here, part, : width * lines], (width, lines))
            fourier_copied(made[part, :, first : first + lines], block)


@njit(error_model="numpy")
def fourier_copied(to: np.ndarray, x: np.ndarray) -> None:
    """Row after row or, where one of both is turned round, columns in parts, which stay in the cache."""
    iterations_apart()
    rows, columns = to.shape
    if to.strides[0] >= to.strides[1] and x.strides[0] >= x.strides[1]:
        for i in range(rows):
            row, other = to[i], x[i]
            for j in range(columns):
                row[j] = other[j]
        return
    for first in range(0, rows, FOURIER_PART):
        for j in range(columns):
            part, others = to[first : first + FOURIER_PART, j], x[first : first + FOURIER_PART, j]
            for i in range(len(part)):
                part[i] = others[i]


@njit(error_model="numpy", fastmath={"contract"})
def fourier_turned(
    between: np.ndarray, x_re: np.ndarray, x_im: np.ndarray, first: int, near: np.ndarray, short: np.ndarray
) -> None:
    """Columns from the `first` on, transformed, to between the steps: number k of column j times w ** (k * j)."""
    iterations_apart()
    height, lines = x_re.shape
    for k in range(height):
        c, s = fourier_turn_of(short, k * first)
        re, im, near_c, near_s = x_re[k], x_im[k], near[0, k], near[1, k]
        to_re, to_im = between[0, k, first : first + lines], between[1, k, first : first + lines]
        for j in range(lines):
            turn_c, turn_s = c * near_c[j] - s * near_s[j], c * near_s[j] + s * near_c[j]
            to_re[j] = turn_c * re[j] - turn_s * im[j]
            to_im[j] = turn_c * im[j] + turn_s * re[j]
