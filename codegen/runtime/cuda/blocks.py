"""Reductions of kernels: each block of threads leaves what it has found in its place of an array.

A thread goes over iterations as far apart as there are threads in all, so that blocks are the same few for any size;
and sums are taken in the same order whenever arrays have the same size.
"""

import numpy as np
from numba import cuda

BLOCKS = 1024
THREADS = 256  # of each


@cuda.jit(device=True)
def block_sum(x: float, parts: np.ndarray) -> None:
    """The sum of what a block's threads have."""
    shared = cuda.shared.array(THREADS, parts.dtype)
    k, width = cuda.threadIdx.x, cuda.blockDim.x
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] += shared[k + width]
    if k == 0:
        parts[cuda.blockIdx.x] = shared[0]


@cuda.jit(device=True)
def block_product(x: float, parts: np.ndarray) -> None:
    """Their product."""
    shared = cuda.shared.array(THREADS, parts.dtype)
    k, width = cuda.threadIdx.x, cuda.blockDim.x
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] *= shared[k + width]
    if k == 0:
        parts[cuda.blockIdx.x] = shared[0]


@cuda.jit(device=True)
def block_highest(x: float, parts: np.ndarray) -> None:
    """The largest; NaN if one is NaN."""
    shared = cuda.shared.array(THREADS, parts.dtype)
    k, width = cuda.threadIdx.x, cuda.blockDim.x
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] = np.maximum(shared[k], shared[k + width])
    if k == 0:
        parts[cuda.blockIdx.x] = shared[0]


@cuda.jit(device=True)
def block_lowest(x: float, parts: np.ndarray) -> None:
    """The smallest; NaN if one is NaN."""
    shared = cuda.shared.array(THREADS, parts.dtype)
    k, width = cuda.threadIdx.x, cuda.blockDim.x
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] = np.minimum(shared[k], shared[k + width])
    if k == 0:
        parts[cuda.blockIdx.x] = shared[0]


@cuda.jit(device=True)
def block_all(x: float, parts: np.ndarray) -> None:
    """Whether all are true."""
    shared = cuda.shared.array(THREADS, parts.dtype)
    k, width = cuda.threadIdx.x, cuda.blockDim.x
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] = shared[k] and shared[k + width]
    if k == 0:
        parts[cuda.blockIdx.x] = shared[0]


@cuda.jit(device=True)
def block_any(x: float, parts: np.ndarray) -> None:
    """Whether one is true."""
    shared = cuda.shared.array(THREADS, parts.dtype)
    k, width = cuda.threadIdx.x, cuda.blockDim.x
    shared[k] = x
    while width > 1:
        cuda.syncthreads()
        width //= 2
        if k < width:
            shared[k] = shared[k] or shared[k + width]
    if k == 0:
        parts[cuda.blockIdx.x] = shared[0]
