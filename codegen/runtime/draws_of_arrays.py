"""Arrays of random draws: fill : (state row, array, parameters) -> the array full of numbers, the row advanced.

    fill_normal(s, out, 0.0, 1.0)      # out[...] = rng.normal(0.0, 1.0, size=out.shape)

One draw of `draws.py` for each element, in the order of the array, as NumPy draws them.
"""

import numpy as np
from numba import njit

from .draws import draw_integers, draw_random, draw_standard_exponential, draw_standard_normal


@njit(error_model="numpy")
def fill_random(s: np.ndarray, out: np.ndarray) -> None:
    """`out[...] = random(size=out.shape)`; as the fills below, for an array of any shape and layout."""
    for i in range(out.size):
        out.flat[i] = draw_random(s)


@njit(error_model="numpy")
def fill_standard_normal(s: np.ndarray, out: np.ndarray) -> None:
    """`out[...] = standard_normal(size=out.shape)`."""
    for i in range(out.size):
        out.flat[i] = draw_standard_normal(s)


@njit(error_model="numpy")
def fill_standard_exponential(s: np.ndarray, out: np.ndarray) -> None:
    """`out[...] = standard_exponential(size=out.shape)`."""
    for i in range(out.size):
        out.flat[i] = draw_standard_exponential(s)


@njit(error_model="numpy")
def fill_integers(s: np.ndarray, out: np.ndarray, low: int, high: int) -> None:
    """`out[...] = integers(low, high, size=out.shape)`, for an int64 array."""
    for i in range(out.size):
        out.flat[i] = draw_integers(s, low, high)
