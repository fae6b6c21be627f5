import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def softmax_loop_kernel(t, X):
    n = len(t)
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        t2 = -np.inf
        for i2 in range(X.shape[1]):
            t2 = np.maximum(t2, X[i, i2])
        t[i] = t2


def softmax_loop(t, X):
    softmax_loop_kernel[BLOCKS, THREADS](t, X)
    return t


@cuda.jit
def softmax_loop2_kernel(cells, e, X, t):
    n = e.shape[1]
    for k in range(cuda.grid(1), cells, cuda.gridsize(1)):
        i = k // n
        j = k % n
        e[i, j] = fast_exp(X[i, j] - t[i])


def softmax_loop2(cells, e, X, t):
    softmax_loop2_kernel[BLOCKS, THREADS](cells, e, X, t)
    return e


@cuda.jit
def softmax_loop3_kernel(t, e):
    n = len(t)
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        t2 = 0.0
        for i2 in range(e.shape[1]):
            t2 += e[i, i2]
        t[i] = t2


def softmax_loop3(t, e):
    softmax_loop3_kernel[BLOCKS, THREADS](t, e)
    return t


@cuda.jit
def softmax_loop4_kernel(cells, result, e, t):
    n = result.shape[1]
    for k in range(cuda.grid(1), cells, cuda.gridsize(1)):
        i = k // n
        j = k % n
        result[i, j] = e[i, j] / t[i]


def softmax_loop4(cells, result, e, t):
    softmax_loop4_kernel[BLOCKS, THREADS](cells, result, e, t)
    return result


def softmax(X):
    n, n2 = X.shape
    if n2 <= 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    t = softmax_loop(cp.empty(n), X)
    cells = n * n2
    e = softmax_loop2(cells, cp.empty((n, n2)), X, t)
    t = softmax_loop3(cp.empty(n), e)
    return softmax_loop4(cells, cp.empty((n, n2)), e, t)


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
