import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def softmax_loop_kernel(e, result, X):
    n, n2 = e.shape
    shared = cuda.shared.array(THREADS, np.float64)
    for i in range(cuda.grid(2)[1], n, cuda.gridsize(2)[1]):
        t = -np.inf
        for i2 in range(cuda.threadIdx.x, n2, cuda.blockDim.x):
            t = np.maximum(t, X[i, i2])
        t = row_highest(t, shared)
        t2 = 0.0
        for j in range(cuda.threadIdx.x, n2, cuda.blockDim.x):
            t3 = fast_exp(X[i, j] - t)
            e[i, j] = t3
            t2 += t3
        t2 = row_sum(t2, shared)
        for j in range(cuda.threadIdx.x, n2, cuda.blockDim.x):
            result[i, j] = e[i, j] / t2


def softmax_loop(e, result, X):
    softmax_loop_kernel[(1, BLOCKS), row_threads(e.shape[0], e.shape[1])](e, result, X)
    return result


def softmax(X):
    n, n2 = X.shape
    if n2 <= 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return softmax_loop(cp.empty((n, n2)), cp.empty((n, n2)), X)


# What the functions above call.


FAST_EXPONENTS = 1.5 * 2.0**52 + 2046.0
FAST_SHIFT = np.uint64(52)
FAST_HALVED = np.uint64(1)

# log 2 in two parts, the first of so few bits that its products with exponents are exact.
FAST_LOG2_HIGH = 0.6931471805601177
FAST_LOG2_LOW = -1.7239444525614835e-13
FAST_LOG2_INVERSE = 1.4426950408889634


@cuda.jit(device=True)
def fast_exp_parts(t: float, r: float) -> float:
    """2**k e**r for t = k + FAST_EXPONENTS, by a polynomial of degree 11 on |r| <= log(2) / 2; whole |k| < 2000.

    2**k is applied as two factors, so that results beyond 2**1023 and subnormal ones are rounded once.
    """
    both = np.float64(t).view(np.uint64)
    one = both >> FAST_HALVED
    first = np.uint64(one << FAST_SHIFT).view(np.float64)
    second = np.uint64(both - one << FAST_SHIFT).view(np.float64)
    r2 = r * r
    r4 = r2 * r2
    a = (0.5000000000000011 + 0.1666666666666641 * r) + (0.04166666666652919 + 0.008333333333495627 * r) * r2
    b = 0.0013888888943922907 + 0.0001984126950476181 * r
    c = (2.480149276252254e-05 + 2.755758734442593e-06 * r) * r2
    tail = a + r4 * ((b + c) + r4 * (2.763037871559883e-07 + 2.4999964839950197e-08 * r))
    return (1.0 + (r + r2 * tail)) * first * second


@cuda.jit(device=True)
def fast_exp(x: float) -> float:
    """e**x, from x = k log 2 + r."""
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    t = x * FAST_LOG2_INVERSE + FAST_EXPONENTS
    k = t - FAST_EXPONENTS
    return fast_exp_parts(t, (x - k * FAST_LOG2_HIGH) - k * FAST_LOG2_LOW)


BLOCKS = 1024
THREADS = 256  # of each

WARP = 32
SHORT_ROW = 64  # elements, up to which a thread takes rows by itself where there are enough of them
MANY_ROWS = 2**16  # which are enough for that
FEW_ROWS, LONG_ROW = 2048, 512  # at most, and at least, where a block takes a row


def row_threads(rows: int, length: int) -> tuple[int, int]:
    """The shape of a block for so many rows of such a length: the threads of a row, and how many rows it has."""
    if rows <= FEW_ROWS and length >= LONG_ROW:
        return THREADS, 1
    width = 1
    while width < min(length, WARP) and not (rows >= MANY_ROWS and length <= SHORT_ROW):
        width *= 2
    return width, THREADS // width


@cuda.jit(device=True)
def row_sync() -> None:
    """The threads of a row wait for each other, and see what the others have written."""
    if cuda.blockDim.x > WARP:
        cuda.syncthreads()
    else:
        cuda.syncwarp(row_mask())


@cuda.jit(device=True)
def row_mask() -> int:
    """The lanes of the warp that share the thread's row."""
    width = cuda.blockDim.x
    return ((1 << width) - 1) << (cuda.threadIdx.y * width % WARP)


@cuda.jit(device=True)
def block_highest(x: float, shared: np.ndarray) -> float:
    """The largest; NaN if one is NaN."""
    k, width = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x, cuda.blockDim.x * cuda.blockDim.y
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] = np.maximum(shared[k], shared[k + width])
    cuda.syncthreads()
    x = shared[0]
    cuda.syncthreads()
    return x


@cuda.jit(device=True)
def row_highest(x: float, shared: np.ndarray) -> float:
    """The largest; NaN if one is NaN."""
    width = cuda.blockDim.x
    if width > WARP:
        return block_highest(x, shared)
    row_sync()
    mask = row_mask()
    while width > 1:
        width //= 2
        x = np.maximum(x, cuda.shfl_xor_sync(mask, x, width))
    return x


@cuda.jit(device=True)
def block_sum(x: float, shared: np.ndarray) -> float:
    """The sum of what a block's threads have."""
    k, width = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x, cuda.blockDim.x * cuda.blockDim.y
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] += shared[k + width]
    cuda.syncthreads()
    x = shared[0]
    cuda.syncthreads()
    return x


@cuda.jit(device=True)
def row_sum(x: float, shared: np.ndarray) -> float:
    """The sum of what a row's threads have."""
    width = cuda.blockDim.x
    if width > WARP:
        return block_sum(x, shared)
    row_sync()
    mask = row_mask()
    while width > 1:
        width //= 2
        x += cuda.shfl_xor_sync(mask, x, width)
    return x
