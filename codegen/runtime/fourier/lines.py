"""Compiled Fourier sums (sums.py) of the lines of an array, a few lines at a time, so that they stay in the cache."""

import numpy as np
from numba import njit

from codegen.runtime.fourier.chirp import fourier_by_chirp
from codegen.runtime.fourier.stages import fourier_in_stages
from codegen.runtime.fourier.turns import FOURIER_LARGEST, fourier_radices, fourier_turns

FOURIER_NEAR = 8192  # numbers of a line times lines that are taken together


@njit(error_model="numpy")
def fourier_forth_in_stages(x: np.ndarray) -> np.ndarray:
    return fourier_of_lines(np.ascontiguousarray(x), -1.0)


@njit(error_model="numpy")
def fourier_back_in_stages(x: np.ndarray) -> np.ndarray:
    return fourier_of_lines(np.ascontiguousarray(x), 1.0)


@njit(error_model="numpy")
def fourier_of_lines(x: np.ndarray, sign: float) -> np.ndarray:
    """Lines along the third axis, beside one another in the last axis or, where that has one place, in the second."""
    n = x.shape[2]
    made = np.empty(x.shape, x.dtype)
    if x.size == 0:
        return made
    radices, turns = fourier_radices(n), fourier_turns(n, sign)
    largest = radices[len(radices) - 1] if n > 1 else 1
    rows, lines = (1, x.shape[1]) if x.shape[3] == 1 else (x.shape[1], x.shape[3])
    width = max(1, min(lines, 16, FOURIER_NEAR // n))
    work = np.empty((2, 2, n * width), x.dtype)
    for row in range(rows):
        for first in range(0, lines, width):
            count, here = min(width, lines - first), 0
            fourier_moved(x, work, row, first, count, here, False)
            if largest > FOURIER_LARGEST:
                fourier_by_chirp(work, n, count, sign)
            else:
                here = fourier_in_stages(work, n, count, turns, radices)
            fourier_moved(made, work, row, first, count, here, True)
    return made


@njit(error_model="numpy")
def fourier_moved(
    x: np.ndarray, work: np.ndarray, row: int, first: int, count: int, here: int, is_back: bool
) -> None:
    """Some lines of an array to where they are transformed, or back."""
    n, is_last = x.shape[2], x.shape[3] == 1
    for part in range(2):
        for block in range(0, n, 16):
            for line in range(count if is_last else 0):
                for i in range(block, min(block + 16, n)):
                    if is_back:
                        x[part, first + line, i, 0] = work[here, part, i * count + line]
                    else:
                        work[here, part, i * count + line] = x[part, first + line, i, 0]
        for i in range(0 if is_last else n):
            for line in range(count):
                if is_back:
                    x[part, row, i, first + line] = work[here, part, i * count + line]
                else:
                    work[here, part, i * count + line] = x[part, row, i, first + line]
