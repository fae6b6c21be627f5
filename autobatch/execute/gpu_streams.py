"""Streams of the GPU beside CUDA's default one, on which what is launched need not wait for anything there.

This text is copied beside kernels that run by themselves.
"""

import sys
from contextlib import contextmanager
from contextvars import ContextVar

from numba import cuda

NON_BLOCKING = 1  # CUDA's CU_STREAM_NON_BLOCKING


def new_stream():
    """One that does not wait for the default one; those that `cuda.stream()` makes do."""
    cuda.current_context()  # which the driver asks for
    return cuda.external_stream(int(cuda.cudadrv.driver.driver.cuStreamCreate(NON_BLOCKING)))


def stream_beside(k):
    """One of the streams beside the default one."""
    while len(STREAMS) <= k:
        STREAMS.append(new_stream())
    return STREAMS[k]


@contextmanager
def launching_on(stream, share):
    """Calls inside launch their lanes on such a stream (None: as ever), all at once where they fit into that share of
    the memory: other threads have the rest of it."""
    token = OWN.set(None if stream is None else (stream, share))
    try:
        yield
    finally:
        OWN.reset(token)


def on_this_gpu():
    """What a new thread does first, so that it uses the GPU that this one does: a function, and what it is given."""
    return use_gpu, (cuda.get_current_device().id,)


def use_gpu(number):
    cuda.select_device(number)
    if (library := library_in_use()) is not None:
        library.cuda.runtime.setDevice(number)


def library_in_use():
    """CuPy, where it is in use, on the stream that kernels are launched on."""
    library = sys.modules.get("cupy")
    return library if library is not None and library.cuda.get_current_stream().ptr <= 1 else None


STREAMS: list = []
# A thread's stream, and its share of the memory.
OWN: ContextVar[tuple | None] = ContextVar("OWN", default=None)
