"""Fourier transforms of any length as convolutions: L. I. Bluestein's, by jk = (j**2 + k**2 - (k - j)**2) / 2."""

import numpy as np
from numba import njit

from codegen.runtime.fourier.turns import fourier_radices, fourier_turn, fourier_turns
from codegen.runtime.fourier.two_steps import fourier_at_once


@njit(error_model="numpy")
def fourier_chirp(n: int, sign: float) -> np.ndarray:
    """exp(sign i pi k**2 / n) for k < n, in two rows."""
    made = np.empty((2, n))
    for k in range(n):
        c, s = fourier_turn(k * k % (2 * n), 2 * n)
        made[0, k], made[1, k] = c, sign * s
    return made


@njit(error_model="numpy", fastmath={"contract"})
def fourier_by_chirp(work: np.ndarray, n: int, lines: int, sign: float) -> None:
    """work[0] transformed in place: turned by a chirp, convolved with its conjugate, turned again."""
    size = 1
    while size < 2 * n - 1:
        size *= 2
    radices, turns = fourier_radices(size), fourier_turns(size, -1.0)
    chirp = fourier_chirp(n, sign)
    kernel = np.zeros((2, 2, size))
    for k in range(n):
        for place in (k, (size - k) % size):
            kernel[0, 0, place], kernel[0, 1, place] = chirp[0, k], -chirp[1, k]
    spectrum = kernel[fourier_at_once(kernel, size, 1, turns, radices, -1.0)]
    both = np.zeros((2, 2, size * lines), work.dtype)
    for k in range(n):
        c, s = chirp[0, k], chirp[1, k]
        for q in range(k * lines, k * lines + lines):
            both[0, 0, q] = c * work[0, 0, q] - s * work[0, 1, q]
            both[0, 1, q] = c * work[0, 1, q] + s * work[0, 0, q]
    here = fourier_at_once(both, size, lines, turns, radices, -1.0)
    for k in range(size):  # the conjugate of the product: its transform is the conjugate of what goes back
        c, s = spectrum[0, k] / size, spectrum[1, k] / size
        for q in range(k * lines, k * lines + lines):
            re, im = both[here, 0, q], both[here, 1, q]
            both[0, 0, q] = c * re - s * im
            both[0, 1, q] = -(c * im + s * re)
    here = fourier_at_once(both, size, lines, turns, radices, -1.0)
    for k in range(n):
        c, s = chirp[0, k], chirp[1, k]
        for q in range(k * lines, k * lines + lines):
            re, im = both[here, 0, q], -both[here, 1, q]
            work[0, 0, q] = c * re - s * im
            work[0, 1, q] = c * im + s * re
