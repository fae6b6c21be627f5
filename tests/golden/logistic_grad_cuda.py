import cupy as cp
import numpy as np
from numba import cuda
from numba.cuda import libdevice


@cuda.jit
def logistic_value_and_grad_loop_kernel(logits_bar, y, logits, t_parts):
    n = len(logits_bar)
    shared = cuda.shared.array(THREADS, np.float64)
    t = 0.0
    i = cuda.grid(1)
    while i < n:
        y_i = y[i]  # logits = X @ beta
        logits_i = logits[i]
        t2 = fast_logaddexp(0.0, logits_i)
        logits_bar[i] = y_i - libdevice.exp(logits_i - t2)
        t += y_i * logits_i - t2
        i += cuda.gridsize(1)
    t = block_sum(t, shared)
    if cuda.threadIdx.x == 0:
        t_parts[cuda.blockIdx.x] = t


def logistic_value_and_grad_loop(logits_bar, y, logits):
    t_parts = cp.zeros(BLOCKS)
    logistic_value_and_grad_loop_kernel[BLOCKS, THREADS](logits_bar, y, logits, t_parts)
    with np.errstate(all="ignore"):
        return logits_bar, np.float64(np.sum(t_parts.get()))


@cuda.jit
def logistic_value_and_grad_loop2_kernel(beta_bar, t, beta, t2_parts):
    n = len(beta_bar)
    shared = cuda.shared.array(THREADS, np.float64)
    t2 = 0.0
    i = cuda.grid(1)
    while i < n:
        beta_i = beta[i]  # logits = X @ beta
        beta_bar[i] = t[i] - beta_i
        t2 += squared(beta_i)
        i += cuda.gridsize(1)
    t2 = block_sum(t2, shared)
    if cuda.threadIdx.x == 0:
        t2_parts[cuda.blockIdx.x] = t2


def logistic_value_and_grad_loop2(beta_bar, t, beta):
    t2_parts = cp.zeros(BLOCKS)
    logistic_value_and_grad_loop2_kernel[BLOCKS, THREADS](beta_bar, t, beta, t2_parts)
    with np.errstate(all="ignore"):
        return beta_bar, np.float64(np.sum(t2_parts.get()))


def logistic_value_and_grad(beta, X, y):
    n = len(beta)
    n4 = len(y)
    n2, n3 = X.shape
    if n3 != n:  # logits = X @ beta
        raise ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0")
    logits = X @ beta
    if n4 != n2:  # return np.sum(y * logits - np.logaddexp(0.0, logits)) - 0.5 * np.sum(beta**2)
        raise ValueError("operands could not be broadcast together")
    logits_bar, t = logistic_value_and_grad_loop(cp.empty(n2), y, logits)  # logits = X @ beta
    beta_bar, t2 = logistic_value_and_grad_loop2(cp.empty(n), X.T @ logits_bar, beta)
    return t - 0.5 * t2, beta_bar


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


@cuda.jit(device=True)
def fast_cubic(x: float, x2: float, a: float, b: float, c: float, d: float) -> float:
    """a + b x + c x**2 + d x**3, for x2 = x**2: the terms side by side."""
    return (a + b * x) + (c + d * x) * x2


@cuda.jit(device=True)
def fast_log1p_part(x: float) -> float:
    """log(1 + x) for 0 <= x <= 1: the series of `fast_log_rest` without a power of two, and three terms longer."""
    s = x / (2.0 + x)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    a = fast_cubic(z, z2, 0.6666666666666631, 0.40000000000155117, 0.28571428548118044, 0.2222222395363213)
    b = fast_cubic(z, z2, 0.18181744479852105, 0.15386548372110892, 0.1330112168565866, 0.12104942279170564)
    series = a + z4 * (b + z4 * (0.08344983566368035 + 0.17009733522525627 * z))
    h = 0.5 * x * x
    return x - (h - s * (h + z * series))


@cuda.jit(device=True)
def fast_logaddexp(x: float, y: float) -> float:
    """log(exp(x) + exp(y)) = max + log1p(exp(min - max)).

    Where the two terms cancel, the error is 2 ulp of the larger one, as in NumPy.
    """
    above = x if x > y else y
    below = y if x > y else x
    difference = 0.0 if x == y else below - above
    return above + fast_log1p_part(fast_exp(difference))


BLOCKS = 1024
THREADS = 256  # of each


@cuda.jit(device=True)
def squared(x: float) -> float:
    """x ** 2."""
    return x * x


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
