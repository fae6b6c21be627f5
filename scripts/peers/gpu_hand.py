"""Kernels written by hand for numba-cuda, and what the machine can do at most.

python gpu_hand.py mandelbrot|gcd|fib LANES   a lane a thread; arguments and results lie on the GPU
python gpu_hand.py dgemm CHAINS               the products of a logistic regression's gradients by cuBLAS, gradients
python gpu_hand.py limits                     bytes/s of a copy; beside it operations/s of dgemm, and of a kernel of fmas
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

import gpu_programs
from serving import serve

THREADS = 256


@cuda.jit
def mandelbrot(out, re, im):
    i = cuda.grid(1)
    if i < out.size:
        cr, ci = re[i], im[i]
        x, y, steps = 0.0, 0.0, 0
        while steps < 500 and x * x + y * y < 4.0:
            x, y = x * x - y * y + cr, 2.0 * x * y + ci
            steps += 1
        out[i] = steps


@cuda.jit
def gcd(out, first, second):
    i = cuda.grid(1)
    if i < out.size:
        a, b = first[i], second[i]
        while a != b:
            if a > b:
                a -= b
            else:
                b -= a
        out[i] = a


@cuda.jit
def fib(out, numbers):
    """The calls of the recursion, those that wait on a stack."""
    i = cuda.grid(1)
    if i < out.size:
        waiting = cuda.local.array(64, np.int64)
        waiting[0], top, total = numbers[i], 1, 0
        while top > 0:
            top -= 1
            n = waiting[top]
            while n >= 2:
                waiting[top] = n - 2
                top += 1
                n -= 1
            total += n
        out[i] = total


@cuda.jit
def fmas(out, a, b, rounds):
    """Eight chains of multiplications and additions, which need not wait for each other."""
    x0, x1, x2, x3 = a, b, a + 1.0, b + 1.0
    x4, x5, x6, x7 = a + 2.0, b + 2.0, a + 3.0, b + 3.0
    for _ in range(rounds):
        x0, x1, x2, x3 = x0 * a + b, x1 * a + b, x2 * a + b, x3 * a + b
        x4, x5, x6, x7 = x4 * a + b, x5 * a + b, x6 * a + b, x7 * a + b
    out[cuda.grid(1)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7


def blocks(lanes: int) -> int:
    return -(-lanes // THREADS)


def seconds_of(call: Callable[[], Any]) -> float:
    import cupy

    wait = cupy.cuda.Device().synchronize
    wait()
    begun = time.perf_counter()
    call()
    wait()
    return time.perf_counter() - begun


def kernel(name: str, lanes: int) -> Callable[[], dict[str, Any]]:
    import cupy

    work = gpu_programs.work(name, lanes)
    by_hand, given = globals()[name], [cupy.asarray(x) for x in work.arguments]
    out = cupy.empty(work.count, np.int64)

    def run() -> dict[str, Any]:
        seconds = seconds_of(lambda: by_hand[blocks(work.count), THREADS](out, *given))
        return {"count": work.count, "seconds": seconds, "fingerprint": gpu_programs.marks(out.get())}

    run()
    return run


def dgemm(chains: int) -> Callable[[], dict[str, Any]]:
    import cupy

    X = cupy.random.standard_normal((10_000, 100))
    q = cupy.random.standard_normal((100, chains))
    logits, gradients = cupy.empty((10_000, chains)), cupy.empty((100, chains))
    turned = cupy.ascontiguousarray(X.T)

    def products() -> None:
        for _ in range(10):
            cupy.matmul(X, q, out=logits)
            cupy.matmul(turned, logits, out=gradients)

    def run() -> dict[str, Any]:
        return {"count": 10 * chains, "seconds": seconds_of(products)}

    run()
    return run


def limits() -> Callable[[], dict[str, Any]]:
    import cupy

    source, aim = cupy.ones(1 << 27), cupy.empty(1 << 27)
    A, C = cupy.random.standard_normal((8192, 8192)), cupy.empty((8192, 8192))
    threads, rounds = 132 * 16 * THREADS, 4096
    out = cupy.empty(threads)

    def run() -> dict[str, Any]:
        copy = seconds_of(lambda: [cupy.copyto(aim, source) for _ in range(10)])
        product = seconds_of(lambda: cupy.matmul(A, A, out=C))
        chains = seconds_of(lambda: fmas[threads // THREADS, THREADS](out, 0.999, 1e-3, rounds))
        also = {
            "dgemm, operations": {"count": 2.0 * 8192**3, "seconds": product},
            "fma, operations": {"count": 16.0 * threads * rounds, "seconds": chains},
        }
        return {"count": 10.0 * 2.0 * source.nbytes, "seconds": copy, "also": also}

    run()
    return run


def main(what: str, *sizes: int) -> None:
    if what == "limits":
        serve(limits())
    else:
        serve(dgemm(*sizes) if what == "dgemm" else kernel(what, *sizes))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
