import cupy as cp
import numpy as np
from numba import cuda
from numba.cuda import libdevice


@cuda.jit
def softmax_loop_kernel(e, result, X):
    n, n2 = e.shape
    shared = cuda.shared.array(THREADS, np.float64)
    thread, threads = cuda.threadIdx.x & 1023, cuda.blockDim.x & 2047
    i = cuda.grid(2)[1]
    while i < n:
        t = -np.inf
        i2 = thread
        while i2 < n2:
            t = highest(t, X[i, i2])
            i2 += threads
        t = row_highest(t, shared)
        t2 = 0.0
        j = thread
        while j < n2:
            t3 = libdevice.exp(X[i, j] - t)
            e[i, j] = t3
            t2 += t3
            j += threads
        t2 = row_sum(t2, shared)
        j = thread
        while j < n2:
            result[i, j] = e[i, j] / t2
            j += threads
        i += cuda.gridsize(2)[1]


def softmax_loop(e, result, X):
    softmax_loop_kernel[(1, BLOCKS), row_threads(e.shape[0], e.shape[1])](e, result, X)
    return result


def softmax(X):
    n, n2 = X.shape
    if n2 <= 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return softmax_loop(cp.empty((n, n2)), cp.empty((n, n2)), X)


# What the functions above call.


BLOCKS = 1024
THREADS = 256  # of each


@cuda.jit(device=True)
def highest(top: float, x: float) -> float:
    """The larger; NaN if one is NaN. (numba-cuda's np.maximum looks three times.)"""
    return top if (top >= x) | (top != top) else x


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


@cuda.jit(device=True)
def row_highest(x: float, shared: np.ndarray) -> float:
    """The largest; NaN if one is NaN."""
    width = cuda.blockDim.x
    if cuda.activemask() == WHOLE_WARP:
        for k in range(5):
            if width > 16 >> k:
                x = np.maximum(x, cuda.shfl_xor_sync(WHOLE_WARP, x, 16 >> k))
    else:
        mask, step = row_mask(), min(width, WARP) // 2
        cuda.syncwarp(mask)
        while step > 0:
            x = np.maximum(x, cuda.shfl_xor_sync(mask, x, step))
            step //= 2
    if width > WARP:
        if cuda.threadIdx.x % WARP == 0:
            shared[cuda.threadIdx.x // WARP] = x
        cuda.syncthreads()
        x = shared[0]
        k = 1
        while k < width // WARP:
            x = np.maximum(x, shared[k])
            k += 1
        cuda.syncthreads()
    return x


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
