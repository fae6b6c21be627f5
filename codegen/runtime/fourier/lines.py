"""Compiled Fourier sums (sums.py) of the lines of an array, a few lines at a time, so that they stay in the cache."""

# mypy: disable-error-code="call-arg"

import numpy as np
from numba import njit

from codegen.runtime.fourier.chirp import fourier_by_chirp
from codegen.runtime.fourier.stages import fourier_in_stages
from codegen.runtime.fourier.turns import FOURIER_LARGEST, fourier_radices, fourier_turns
from codegen.runtime.fourier.two_steps import (
    FOURIER_SHORT,
    fourier_copied,
    fourier_count,
    fourier_height,
    fourier_in_two_steps,
)
from codegen.runtime.intrinsics.loop_hints import compiled_apart


@njit(error_model="numpy")
def fourier_forth_in_stages(x: np.ndarray) -> np.ndarray:
    return fourier_of_lines(np.ascontiguousarray(x), -1.0)


@njit(error_model="numpy")
def fourier_back_in_stages(x: np.ndarray) -> np.ndarray:
    return fourier_of_lines(np.ascontiguousarray(x), 1.0)


@njit(error_model="numpy")
def fourier_of_lines(x: np.ndarray, sign: float) -> np.ndarray:
    """Lines along the third axis, beside one another in the last axis or, where that has one place, in the second."""
    compiled_apart()
    n = x.shape[2]
    made = np.empty(x.shape, x.dtype)
    if x.size == 0:
        return made
    radices = fourier_radices(n)
    is_by_chirp = n > 1 and radices[len(radices) - 1] > FOURIER_LARGEST
    rows, lines = (1, x.shape[1]) if x.shape[3] == 1 else (x.shape[1], x.shape[3])
    width = fourier_count(n, lines)
    height = fourier_height(n, radices) if width < FOURIER_SHORT and not is_by_chirp else 0
    if height:
        fourier_in_two_steps(x, made, height, radices, sign)
        return made
    turns = fourier_turns(n, sign)
    work = np.empty((2, 2, n * width), x.dtype)
    for row in range(rows):
        for first in range(0, lines, width):
            count, here = min(width, lines - first), 0
            for part in range(2):
                block = np.reshape(work[0, part, : n * count], (n, count))
                fourier_copied(block, fourier_lines(x[part], row, first, count))
            if is_by_chirp:
                fourier_by_chirp(work, n, count, sign)
            else:
                here = fourier_in_stages(work, n, count, turns, radices)
            for part in range(2):
                block = np.reshape(work[here, part, : n * count], (n, count))
                fourier_copied(fourier_lines(made[part], row, first, count), block)
    return made


@njit(error_model="numpy")
def fourier_lines(x: np.ndarray, row: int, first: int, count: int) -> np.ndarray:
    """Some lines of an array, side by side."""
    return x[first : first + count, :, 0].T if x.shape[2] == 1 else x[row, :, first : first + count]
