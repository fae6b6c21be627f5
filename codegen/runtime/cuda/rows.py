"""Rows that several threads share: a block of threads is (those of a row, rows). The threads of a row are of one warp,
or the whole block.

A row's threads go over it side by side, so that they read neighbouring numbers. Sums are taken in an order that hangs
on sizes alone.
"""

import numpy as np
from numba import cuda

from .blocks import THREADS

WARP = 32
WHOLE_WARP = 0xFFFFFFFF  # of threads that no literal names, code looks at each exchange who they are
FEW_ROWS, LONG_ROW = 2048, 512  # at most, and elements at least, where a block takes a row
SHORT_ROW = 4  # up to which a thread takes rows by itself where there are enough of them
MANY_ROWS = 2**16  # which are enough for that; of a longer one a thread has two elements at least


def row_threads(rows: int, length: int) -> tuple[int, int]:
    """The shape of a block for so many rows of such a length: the threads of a row, and how many rows it has."""
    if rows <= FEW_ROWS and length >= LONG_ROW:
        return THREADS, 1
    if rows >= MANY_ROWS:
        length = 1 if length <= SHORT_ROW else (length + 1) // 2
    width = 1
    while width < min(length, WARP):
        width *= 2
    return width, THREADS // width


@cuda.jit(device=True)
def row_sum(x: float, shared: np.ndarray) -> float:
    """The sum of what a row's threads have."""
    width = cuda.blockDim.x
    if cuda.activemask() == WHOLE_WARP:
        for k in range(5):
            if width > 16 >> k:
                x += cuda.shfl_xor_sync(WHOLE_WARP, x, 16 >> k)
    else:
        mask, step = row_mask(), min(width, WARP) // 2
        cuda.syncwarp(mask)
        while step > 0:
            x += cuda.shfl_xor_sync(mask, x, step)
            step //= 2
    if width > WARP:
        if cuda.threadIdx.x % WARP == 0:
            shared[cuda.threadIdx.x // WARP] = x
        cuda.syncthreads()
        x = shared[0]
        k = 1
        while k < width // WARP:
            x += shared[k]
            k += 1
        cuda.syncthreads()
    return x


@cuda.jit(device=True)
def row_sync() -> None:
    """The threads of a row wait for each other, and see what the others have written."""
    if cuda.blockDim.x > WARP:
        cuda.syncthreads()
    elif cuda.activemask() == WHOLE_WARP:
        cuda.syncwarp(WHOLE_WARP)
    else:
        cuda.syncwarp(row_mask())


@cuda.jit(device=True)
def row_mask() -> int:
    """The lanes of the warp that share the thread's row."""
    width = min(cuda.blockDim.x, WARP)
    return ((1 << width) - 1) << (cuda.threadIdx.y * width % WARP)
