"""Kernels written by hand for numba-cuda, and what the machine can do at most.

python gpu_hand.py mandelbrot|gcd|fib LANES   a lane a thread; arguments and results lie on the GPU
python gpu_hand.py dgemm CHAINS               the products of a logistic regression's gradients by cuBLAS, gradients
python gpu_hand.py limits                     bytes/s of a copy; operations/s of dgemm and of a kernel of fmas
"""

import sys
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


def measured(count: float, call: Callable[[], Any]) -> dict[str, Any]:
    import cupy

    wait = cupy.cuda.Device().synchronize

    def finished() -> None:
        call()
        wait()

    return gpu_programs.measured(count, finished)


def kernel(name: str, lanes: int) -> Callable[[], dict[str, Any]]:
    import cupy

    work = gpu_programs.work(name, lanes)
    by_hand, given = globals()[name], [cupy.asarray(x) for x in work.arguments]
    out = cupy.empty(work.count, np.int64)

    def run() -> dict[str, Any]:
        measurement = measured(work.count, lambda: by_hand[blocks(work.count), THREADS](out, *given))
        return {**measurement, "fingerprint": gpu_programs.marks(out.get())}

    run()
    return run


def dgemm(chains: int) -> Callable[[], dict[str, Any]]:
    import cupy

    X = cupy.random.standard_normal((10_000, 100))
    q = cupy.random.standard_normal((100, chains))
    logits, gradients = cupy.empty((10_000, chains)), cupy.empty((100, chains))
    turned = cupy.ascontiguousarray(X.T)

    def products() -> None:
        cupy.matmul(X, q, out=logits)
        cupy.matmul(turned, logits, out=gradients)

    def run() -> dict[str, Any]:
        return measured(chains, products)

    run()
    return run


def limits() -> Callable[[], dict[str, Any]]:
    import cupy

    source, aim = cupy.ones(1 << 27), cupy.empty(1 << 27)
    A, C = cupy.random.standard_normal((8192, 8192)), cupy.empty((8192, 8192))
    threads, rounds = 132 * 16 * THREADS, 4096
    out = cupy.empty(threads)

    def chains() -> None:
        fmas[threads // THREADS, THREADS](out, 0.999, 1e-3, rounds)

    def run() -> dict[str, Any]:
        also = {
            "dgemm, operations": measured(2.0 * len(A) ** 3, lambda: cupy.matmul(A, A, out=C)),
            "fma, operations": measured(16.0 * threads * rounds, chains),
        }
        return {**measured(2.0 * source.nbytes, lambda: cupy.copyto(aim, source)), "also": also}

    run()
    return run


def main(what: str, *sizes: int) -> None:
    if what == "limits":
        serve(limits())
    else:
        serve(dgemm(*sizes) if what == "dgemm" else kernel(what, *sizes))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
