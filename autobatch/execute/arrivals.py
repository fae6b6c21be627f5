"""Results of lanes on their way from the GPU to the host, while kernels run: arrive, arriving_later.

    GPU              lanes 0-25,023  |  25,024-50,047  | ...            parts of a launch (launching.py)
    bus, threads                     |  0-25,023       |  25,024-...    by way of page-locked memory, to their place

Into memory that the system may move, and has not touched yet, copies of the GPU's are several times as slow as its bus.

This text is copied beside kernels that run by themselves.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from ctypes import CDLL, c_size_t, c_void_p
from mmap import PAGESIZE
from threading import local

import numpy as np
from numba import cuda

from autobatch.execute.gpu_streams import new_stream

STAGED = 2**25  # bytes, from which an array comes by way of page-locked memory
STAGE = 2**27  # bytes of that which are filled at a time: to wake threads takes as long as some megabytes
PIECE = 2**22  # bytes of memory that the system is asked for at a time
POPULATE_WRITE = 23  # Linux' MADV_POPULATE_WRITE, since 5.14: pages are there as if they had been written


def arrive(pairs):
    """Has arrays on the GPU, which are made, copied to arrays of the host's by other threads: the jobs. Of each lane as
    many of the first elements come as there is place for.
    """
    return [COPIERS.submit(by_stage, stage) for stage in stages_of(pairs)]


@contextmanager
def arriving_later():
    """Calls inside return when their kernels have ended, with results of the host's under way: the jobs to wait for."""
    jobs = []
    token = LATER.set(jobs)
    try:
        yield jobs
    except BaseException:
        for job in jobs:
            job.exception()
        raise
    finally:
        LATER.reset(token)


def to_host(found, array):
    """Lanes of an array on the GPU, which is made, to those of one of the host's."""
    if array.nbytes < STAGED and array.flags.c_contiguous and array.shape == found.shape:
        cuda.as_cuda_array(found).copy_to_host(array)
        return
    for job in arrive([(found, array)]):
        job.result()


def by_stage(pairs):
    """Arrays by way of page-locked memory: the GPU fills it, at the speed of its bus, and threads empty it, while that
    of the other copier is filled.
    """
    if not hasattr(HERE, "stream"):
        HERE.stream, HERE.buffer = new_stream(), np.empty(0, np.uint8)
    size, first, filled = sum(rounded_up(part.nbytes) for part, _ in pairs), 0, []
    if len(HERE.buffer) < size:
        HERE.buffer = cuda.pinned_array(size, np.uint8)
    for part, aim in pairs:
        room = HERE.buffer[first : first + part.nbytes].view(part.dtype).reshape(part.shape)
        part.copy_to_host(room, stream=HERE.stream)
        filled.append((room[:, : aim.shape[1]] if aim.ndim > 1 else room, aim))
        first += rounded_up(part.nbytes)
    HERE.stream.synchronize()
    copy_by_threads(filled)


def stages_of(pairs):
    """Pairs of arrays, lanes of them, in lists that fit into a buffer."""
    found, size = [], 0
    for part, aim in in_pieces(pairs):
        if found and size + part.nbytes > STAGE:
            yield found
            found, size = [], 0
        found.append((part, aim))
        size += part.nbytes
    if found:
        yield found


def in_pieces(pairs):
    """Pairs of arrays, each of as many lanes as fit into a buffer."""
    for found, array in pairs:
        found = cuda.as_cuda_array(found, sync=False)
        lanes = max(STAGE * len(found) // max(found.nbytes, 1), 1)
        for first in range(0, len(found), lanes):
            yield found[first : first + lanes], array[first : first + lanes]


def copy_by_threads(pairs):
    """Arrays to others, a thread for some of the bytes. Each thread asks Python's lock once or twice: while others have
    it that takes longer than the copy."""
    for job in [POOL.submit(copy_all, share) for share in shares_of(pairs)]:
        job.result()


def copy_all(pairs):
    for source, aim in pairs:
        np.copyto(aim, source)


def shares_of(pairs):
    """Pairs of arrays in lists for each thread, of about as many bytes; an array is divided between its lanes."""
    each = -(-sum(aim.nbytes for _, aim in pairs) // WORKERS)
    share, left = [], each
    for source, aim in pairs:
        first = 0
        while first < len(aim):
            lanes = min(max(left * len(aim) // max(aim.nbytes, 1), 1), len(aim) - first)
            share.append((source[first : first + lanes], aim[first : first + lanes]))
            first, left = first + lanes, left - share[-1][1].nbytes
            if left <= 0:
                yield share
                share, left = [], each
    if share:
        yield share


def have_memory(arrays):
    """Has the system give large arrays, which nobody has written into, their memory, by all threads while others go on.
    Where it cannot be asked to, they get it as they are written."""
    pieces = []
    for array in arrays:
        if array.nbytes >= STAGED and LIBRARY is not None:
            first, last = array.ctypes.data, array.ctypes.data + array.nbytes
            first = -(-first // PAGESIZE) * PAGESIZE
            pieces += [(k, min(PIECE, last - k)) for k in range(first, last, PIECE)]
    for k in range(min(WORKERS, len(pieces))):
        POOL.submit(have_pages, pieces[k::WORKERS])


def have_pages(pieces):
    """In pieces: while the system is at one, it gives nobody else memory, nor a new thread its stack."""
    for first, size in pieces:
        LIBRARY.madvise(c_void_p(first), c_size_t(size), POPULATE_WRITE)


def rounded_up(size):
    """Bytes, so that what follows begins where numbers do."""
    return -(-size // 8) * 8


WORKERS = min(os.cpu_count() or 1, 16)
COPIERS, POOL = ThreadPoolExecutor(2, "autobatch-arrivals"), ThreadPoolExecutor(WORKERS, "autobatch-copies")
LIBRARY = CDLL(None) if sys.platform == "linux" else None  # C's
HERE = local()  # of a copier: its stream, and its page-locked memory
LATER: ContextVar[list | None] = ContextVar("LATER", default=None)
