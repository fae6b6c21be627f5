"""Fourier sums by NumPy: of x[0] + i x[1], along the middle of the axes that follow, in two parts again.

fourier_forth(x)     sum over j of (x[0] + i x[1])[:, j, :] exp(-2 pi i j k / n)
fourier_back(x)      the same with exp(2 pi i j k / n)
"""

import numpy as np


def fourier_forth(x: np.ndarray) -> np.ndarray:
    made = np.fft.fft(x[0] + 1j * x[1], axis=1)
    return np.stack((made.real, made.imag)).astype(x.dtype)


def fourier_back(x: np.ndarray) -> np.ndarray:
    made = np.fft.ifft(x[0] + 1j * x[1], axis=1, norm="forward")
    return np.stack((made.real, made.imag)).astype(x.dtype)
