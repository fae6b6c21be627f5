"""Sums and products of ints as 64 bits hold them. Numba's own let LLVM assume that none overflows."""

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
