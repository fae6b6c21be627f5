"""Sums whose terms may be taken in any order, so that loops over arrays run in vector registers.

Only the addition written as `plus` may be reordered: the flag is on its own instruction, not on the program.
"""

from __future__ import annotations

from numba import njit


@njit(fastmath={"reassoc", "nsz"}, forceinline=True)
def plus(total: float, x: float) -> float:
    """total + x, as one term of a sum over an array (error: the usual n eps)."""
    return total + x
