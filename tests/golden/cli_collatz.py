import os
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from numba import njit

def collatz(n: int):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def _given(name, value, dtype, *shape):
    """An argument as a number or a C-contiguous array of this dtype; a size that is None may be any."""
    array = np.asarray(value, order="C")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits or not np.can_cast(array.dtype, dtype):
        wanted = ", ".join(":" if n is None else str(n) for n in shape)
        raise TypeError(f"{name} is to be {dtype}[{wanted}], not {array.dtype} of shape {array.shape}")
    return array.astype(dtype, copy=False)[()]


def _lanes(*arguments):
    """The number of lanes, which is the same in all arguments."""
    counts = [len(argument) for argument in arguments]
    if min(counts) != max(counts):
        raise ValueError(f"the arguments differ in their number of lanes: {counts}")
    return counts[0]


def _run_lanes(run, lanes, together, stacks, arguments, results):
    """What the lanes give, and for each 0 or the number of its failure; ranges of lanes run in threads.

    together  whether lanes wait for each other at matrix products, which have threads of their own
    stacks    dtypes of the stacks for recursive calls: where a lane needs larger ones, it starts again
    results   dtype and shape of what one lane gives
    """
    failed = np.zeros(lanes, np.int64)
    made = [np.empty((lanes, *shape), dtype) for dtype, *shape in results]
    flat = [array.reshape(lanes, array[:1].size) if array.ndim > 2 else array for array in made]

    def over(first, last):
        size = 1024
        while first != last:
            given = [np.empty(size, dtype) for dtype in stacks]
            first = run(first, last, -1, failed, *given, *arguments, *flat)
            size *= 2

    threads = 1 if together else min(os.cpu_count() or 1, lanes)
    edges = [lanes * k // (4 * threads) for k in range(4 * threads + 1)] if threads > 1 else [0, lanes]
    with ThreadPoolExecutor(threads or 1) as pool:
        for done in [pool.submit(over, first, last) for first, last in zip(edges, edges[1:])]:
            done.result()
    return *made, failed


@njit(cache=True, nogil=True, error_model="numpy")
def _collatz_batch(first, last, limit, failed, n_lanes, out0):
    """Lanes first to last, one after the other; the lane that needs a larger stack, or last."""
    for lane in range(first, last):
        n2 = n_lanes[lane]
        steps = 0
        pc = 0
        while pc != 1:
            if pc == 0:  # collatz
                steps = 0
                while n2 != 1:
                    if n2 % 2 == 0:
                        n2 //= 2
                    else:
                        n2 = 3 * n2 + 1
                    steps += 1
                pc = 1
        out0[lane] = steps
    return last


# autobatch transform collatz.py:collatz --transform batch
def collatz_batch(n):
    """`collatz` over lanes."""
    n = _given("n", n, "i8", None)
    steps, _ = _run_lanes(
        _collatz_batch,
        _lanes(n),
        together=False,
        stacks=(),
        arguments=(n,),
        results=(("i8",),),
    )
    return steps
