"""Reductions of kernels: what the threads of a block have found, for each of them.

A thread goes over iterations as far apart as there are threads, so that a grid's blocks are the same few for any size,
and sums are taken in the same order whenever arrays have the same size. The other reductions are this text with another
operation (codegen/targets/cuda.py).
"""

import numpy as np
from numba import cuda

BLOCKS = 1024
THREADS = 256  # of each
NOWHERE = 2**63 - 1  # where nothing has failed


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
