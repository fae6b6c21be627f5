"""Kernels launched over lanes: arrays to the GPU and back, in as many parts as its memory asks for.

This text is copied beside kernels that run by themselves.
"""

import importlib.util
import os
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Lock

import numpy as np
from numba import cuda

THREADS = 64  # of a block: two warps, so that kernels of many registers still share a processor
FIRST_STACK = 256  # numbers of each dtype on a lane's stack, before stacks grow
PART = 0.8  # of the memory that is free, which lanes that run at once take
POOLED = 2**26  # bytes, up to which an array is small
STAGED = 2**25  # bytes, from which an array comes back in parts by way of page-locked memory


TOO_OLD = (
    "the GPU's driver is older than the CUDA toolkit that compiles kernels here: install a newer driver, "
    "or cuda-toolkit of its version, which nvidia-smi shows, beside numba-cuda"
)
ERRORS = {
    "UNSUPPORTED_PTX_VERSION": (RuntimeError, TOO_OLD),
    "INSUFFICIENT_DRIVER": (RuntimeError, TOO_OLD),
    "SYSTEM_DRIVER_MISMATCH": (RuntimeError, TOO_OLD),
    "INVALID_IMAGE": (RuntimeError, TOO_OLD),
    "NO_BINARY_FOR_GPU": (
        RuntimeError,
        "kernels are not compiled for a GPU of this generation: numba-cuda and its CUDA toolkit are older than it",
    ),
    "OUT_OF_MEMORY": (
        MemoryError,
        "the GPU has too little memory for what lanes share, their stacks, and the arrays of its threads: "
        "give smaller ones",
    ),
    "OUT_OF_RESOURCES": (RuntimeError, "a kernel takes more registers than the GPU has for a block of threads"),
    "LAUNCH_TIMEOUT": (
        RuntimeError,
        "the driver has ended a kernel that took long, as it does where the GPU has a screen: give fewer lanes at once",
    ),
    "ILLEGAL_ADDRESS": (
        RuntimeError,
        "a kernel has left its arrays, which is a fault of autobatch's: please report it",
    ),
}  # fmt: skip
"""What CUDA's errors mean here, by a word in their names."""


def check_gpu():
    """RuntimeError, of one line, where no kernel can be launched: no numba-cuda, no driver, no GPU."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise RuntimeError(
            "target='cuda' needs numba-cuda: pip install 'lanewise[cuda]', or numba-cuda[cu13]"
        )
    try:
        found = len(cuda.gpus)
    except ImportError as error:  # CudaSupportError is one
        said = str(error)
        if "NO_DEVICE" not in said:
            told = f", and the one here does not start ({said.strip()})" if "CUDA_ERROR" in said else ""
            known = next((meaning for word, (_, meaning) in ERRORS.items() if word in said), None)
            none = f"target='cuda' needs a driver of NVIDIA's{told or ', and there is none here'}"
            raise RuntimeError(known or none) from None
        found = 0
    if not found:
        raise RuntimeError("target='cuda' needs a GPU of NVIDIA's: the driver sees none here")


@contextmanager
def plain_errors():
    """CUDA's errors are raised as what they mean, and with what CUDA says."""
    try:
        yield
    except Exception as error:
        for line in str(error).splitlines():
            for word, (kind, meaning) in ERRORS.items():
                if word in line:
                    raise kind(f"{meaning} ({line.strip()})") from error
        raise


def launch(kernel, lanes, zero, limit, stacks, tables, shared, streams, arguments, results, block=THREADS):
    """Lanes to their ends: for each 0 or the number of its failure, and nothing where none has failed; what they give,
    and their streams, in place.

    zero     whether the kernel is given 0, from where its local memory begins
    limit    the deepest recursion
    stacks   dtypes of the stacks for recursive calls: lanes that need larger ones start again
    tables   what draws look into
    shared   which arguments are the same for all lanes
    streams  which are the states of random streams
    block    threads of a block

    Arguments and results that are on the GPU are used where they are.
    """
    with plain_errors():
        return launch_parts(
            kernel, lanes, zero, limit, stacks, tables, shared, streams, arguments, results, block
        )


def launch_parts(kernel, lanes, zero, limit, stacks, tables, shared, streams, arguments, results, block):
    """The same: as many lanes at once as there is memory for, and again those that need larger stacks."""
    arguments = [cuda.as_cuda_array(a) if is_there(a) else a for a in arguments]
    arguments = [a if one else rows_by_lane(a) for a, one in zip(arguments, shared)]
    fixed = [on_gpu(a) if one else None for a, one in zip(arguments, shared)]
    own = [a for a, one in zip(arguments, shared) if not one] + list(results)
    given = [cuda.to_device(table) for table in tables]
    failed = np.empty(0, np.int64)
    again, size = None, FIRST_STACK  # all lanes at first
    while count := lanes if again is None else len(again):
        moved = [a for a in own if again is not None or not is_there(a)]
        width = sum(a.nbytes // len(a) for a in moved) + size * sum(np.dtype(d).itemsize for d in stacks) + 8
        width += getattr(kernel, "bytes_of_lane", 0)
        free = cuda.current_context().get_memory_info().free
        most = int(PART * free) // width
        if not most:
            raise MemoryError(f"the GPU has {free:,} bytes left, of which one lane takes {width:,}")
        for first in range(0, count, most):
            part = slice(first, min(first + most, count))
            these = part if again is None else again[part]
            told = zero, limit, stacks, size, given, fixed, arguments, streams, results, block
            codes = launch_part(kernel, these, part.stop - part.start, *told)
            if len(codes) and not len(failed):
                failed = np.zeros(lanes, np.int64)
            if len(failed):
                failed[these] = codes if len(codes) else 0
        again, size = np.flatnonzero(failed == -1) if stacks else (), 4 * size
    return failed


def launch_part(
    kernel, lanes, count, zero, limit, stacks, size, tables, fixed, arguments, streams, results, block
):
    """So many lanes, a slice or their numbers, all at once, with stacks of `size` numbers: their failures."""
    inputs = [rows_of(a, lanes) if one is None else one for a, one in zip(arguments, fixed)]
    outputs = [room_for(r, lanes, count) for r in results]
    codes = device_array(count, np.int64)
    frames = [device_array((size, count), dtype) for dtype in stacks]
    numbers = [count, *[0] * zero, *[limit] * bool(stacks)]
    kernel[-(-count // block), block](*numbers, codes, *frames, *tables, *inputs, *outputs)
    found = np.empty(0, np.int64) if all_ended(codes) else codes.copy_to_host()
    if np.any(found < -1):
        raise RuntimeError(f"{np.sum(found < -1)} lanes did not come to their end")
    ended = found != -1  # the streams of the others stay
    for array, made in zip(results, outputs):
        put_rows(array, lanes, made)
    for array, left, advances in zip(arguments, inputs, streams):
        if advances and ended.all():
            put_rows(array, lanes, left)
        elif advances:
            array[np.arange(len(array))[lanes][ended]] = left.copy_to_host()[ended]
    return found


def library_in_use():
    """CuPy, where it is in use, on the stream that kernels are launched on."""
    library = sys.modules.get("cupy")
    return library if library is not None and library.cuda.get_current_stream().ptr <= 1 else None


def device_array(shape, dtype):
    """Memory of the GPU: where CuPy is in use small arrays come from its pool, at once; large ones would stay in it."""
    library = library_in_use()
    if library is not None and np.prod(shape) * np.dtype(dtype).itemsize <= POOLED:
        return cuda.as_cuda_array(library.empty(shape, dtype))
    return cuda.device_array(shape, dtype)


def all_ended(codes):
    """Whether no lane has failed. Where CuPy is in use codes stay on the GPU: millions take as long as a kernel."""
    library = library_in_use()
    if library is not None:
        return not library.asarray(codes).any().item()
    return not codes.copy_to_host().any()


def is_there(array):
    """Whether it is on the GPU already."""
    return hasattr(array, "__cuda_array_interface__")


def on_gpu(value):
    """What all lanes share; numbers go with the launch."""
    return cuda.to_device(value) if isinstance(value, np.ndarray) and not is_there(value) else value


def first_lanes(array, count):
    """A copy of the first lanes' rows on the GPU."""
    here = cuda.as_cuda_array(array)[:count].copy_to_host() if is_there(array) else array[:count].copy()
    return cuda.to_device(here)


def gpu_in_use():
    """Its name and what it can do."""
    device = cuda.get_current_device()
    return device.name, device.compute_capability


def rows_by_lane(array):
    """An array of lanes, what each has in a row."""
    return array.reshape(len(array), array.size // max(len(array), 1)) if array.ndim > 2 else array


def rows_of(array, lanes):
    """Lanes' rows on the GPU: where they are, if they are there next to each other."""
    if isinstance(lanes, slice):
        return array[lanes] if is_there(array) else cuda.to_device(array[lanes])
    here = array.copy_to_host() if is_there(array) else array  # of lanes that start again, which are few
    return cuda.to_device(here[lanes])


def room_for(array, lanes, count):
    """Where lanes' rows of a result are made on the GPU."""
    if is_there(array) and isinstance(lanes, slice):
        return array[lanes]
    return device_array((count, *array.shape[1:]), array.dtype)


def put_rows(array, lanes, found):
    """Lanes' rows of a result to their places, if they were not made there."""
    if is_there(array):
        if not isinstance(lanes, slice):
            whole = array.copy_to_host()
            whole[lanes] = found.copy_to_host()
            array.copy_to_device(whole)
    elif isinstance(lanes, slice):
        to_host(found, array[lanes])
    else:
        array[lanes] = found.copy_to_host()


def to_host(found, array):
    """Lanes of an array on the GPU, or of each as many of the first elements as `array` has, go there.

    Large ones go by way of two page-locked buffers: the GPU fills one, at the speed of its bus, while threads empty the
    other. Into memory that the system may move, and has not touched yet, copies are several times as slow.
    """
    few = (slice(None), slice(array.shape[1])) if array.ndim > 1 else slice(None)
    if array.nbytes < STAGED:
        if array.shape == found.shape and array.flags.c_contiguous:
            found.copy_to_host(array)
        else:
            array[...] = found.copy_to_host()[few]
        return
    lanes = max(STAGED * len(found) // found.nbytes, 1)
    with BUFFERS_FREE, ThreadPoolExecutor(WORKERS) as threads:
        size = lanes * found.nbytes // len(found)
        if not BUFFERS or BUFFERS[0].nbytes < size:
            BUFFERS[:] = [cuda.pinned_array(max(size, STAGED), np.uint8) for _ in range(2)]
        under_way = [], []
        for k, first in enumerate(range(0, len(found), lanes)):
            part, mine = found[first : first + lanes], under_way[k % 2]
            wait(mine)
            buffer = BUFFERS[k % 2][: part.nbytes].view(found.dtype).reshape(part.shape)
            part.copy_to_host(buffer)
            aim, step = array[first : first + lanes], -(-len(part) // WORKERS)
            pieces = [slice(at, at + step) for at in range(0, len(part), step)]
            source = buffer[few]
            mine[:] = [threads.submit(np.copyto, aim[piece], source[piece]) for piece in pieces]
        for job in (*under_way[0], *under_way[1]):
            job.result()


BUFFERS: list[np.ndarray] = []
BUFFERS_FREE, WORKERS = Lock(), min(os.cpu_count() or 1, 8)
