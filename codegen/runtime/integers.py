"""Sums, products and powers of ints as 64 bits hold them. Numba's own sums and products let LLVM assume that none
overflows; its powers beyond 65536 are a float's."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(error_model="numpy", forceinline=True)
def wrapping_add(x: int, y: int) -> np.int64:
    """x + y, without what 64 bits do not hold."""
    return np.int64(np.uint64(np.int64(x)) + np.uint64(np.int64(y)))


@njit(error_model="numpy", forceinline=True)
def wrapping_sub(x: int, y: int) -> np.int64:
    """x - y, without what 64 bits do not hold."""
    return np.int64(np.uint64(np.int64(x)) - np.uint64(np.int64(y)))


@njit(error_model="numpy", forceinline=True)
def wrapping_mul(x: int, y: int) -> np.int64:
    """x * y, without what 64 bits do not hold."""
    return np.int64(np.uint64(np.int64(x)) * np.uint64(np.int64(y)))


@njit(error_model="numpy")
def wrapping_pow(x: int, y: int) -> np.int64:
    """x ** y, without what 64 bits do not hold."""
    power, factor, left = np.uint64(1), np.uint64(np.int64(x)), np.uint64(np.int64(y))
    while left:
        if left & np.uint64(1):
            power *= factor
        factor *= factor
        left >>= np.uint64(1)
    return np.int64(power)
