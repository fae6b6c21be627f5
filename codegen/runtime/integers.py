"""Sums, products and powers of ints as 64 bits hold them. Numba's own sums and products let LLVM assume that none
overflows; its powers beyond 65536 are a float's. And divisions of ints that LLVM makes vectors of, for which processors
have no instruction: by a float near the quotient, and what that leaves."""

# mypy: disable-error-code="arg-type"

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


WHOLE_SHORT = 1.0 - 2.0**-50  # so that no product with an inverse is more than the quotient


@njit(error_model="numpy", forceinline=True)
def whole_division(x: int, y: int) -> tuple[np.int64, np.int64]:
    """The largest int not above x / y for y != 0, and what it leaves of x.

    A product in float64 has 49 bits of the quotient, one of what that leaves the rest of it, but for one.
    """
    inverse = WHOLE_SHORT / np.float64(y)
    first = np.int64(np.float64(x) * inverse)
    left = np.int64(x) - first * y
    second = np.int64(np.float64(left) * inverse)
    left -= second * y
    step = np.int64(1) if (left ^ y) >= 0 else np.int64(-1)
    is_more = (left if left < 0 else -left) <= (y if y < 0 else -y)
    second += step if is_more else np.int64(0)
    left -= (y if step > 0 else -y) if is_more else np.int64(0)
    is_beside = (left != 0) & ((left ^ y) < 0)
    second -= np.int64(1) if is_beside else np.int64(0)
    left += y if is_beside else np.int64(0)
    return wrapping_add(first, second), left


@njit(error_model="numpy", forceinline=True)
def whole_floordiv(x: int, y: int) -> np.int64:
    """x // y, 0 for y = 0."""
    quotient, _ = whole_division(x, np.int64(1) if y == 0 else np.int64(y))
    return np.int64(0) if y == 0 else quotient


@njit(error_model="numpy", forceinline=True)
def whole_mod(x: int, y: int) -> np.int64:
    """x % y, 0 for y = 0."""
    _, left = whole_division(x, np.int64(1) if y == 0 else np.int64(y))
    return left


@njit(error_model="numpy", forceinline=True)
def narrow_floordiv(x: np.int32, y: np.int32) -> np.int32:
    """x // y of 32 bits, 0 for y = 0: no quotient of float64 is rounded to another int."""
    quotient = np.int64(np.floor(np.float64(x) / (1.0 if y == 0 else np.float64(y))))
    return np.int32(0 if y == 0 else quotient)


@njit(error_model="numpy", forceinline=True)
def narrow_mod(x: np.int32, y: np.int32) -> np.int32:
    """x % y of 32 bits, 0 for y = 0."""
    return np.int32(0 if y == 0 else np.int64(x) - np.int64(narrow_floordiv(x, y)) * np.int64(y))
