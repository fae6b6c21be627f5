"""Kernels launched over lanes: arrays to the GPU and back, in as many parts as its memory asks for.

This text is copied beside kernels that run by themselves.
"""

import importlib.util
import math
from collections import deque
from contextlib import contextmanager
from functools import partial

import numpy as np
from numba import cuda

from autobatch.execute.arrivals import LATER, arrive, to_host
from autobatch.execute.gpu_streams import OWN, library_in_use, stream_beside

THREADS = 64  # of a block: two warps, so that kernels of many registers still share a processor
FIRST_STACK = 256  # numbers of each dtype on a lane's stack, before stacks grow
FEW = 16  # one of so many lanes at most: the stacks of all are not made larger for them
PART = 0.8  # of the memory that is free, which lanes that run at once take
POOLED = 2**28  # bytes, up to which an array is small
PARTS = 4  # of lanes, so that arguments and results of some go to the GPU and back while others run
OVERLAPPED = 2**26  # bytes of those, from which that is worth it


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
    if cuda in CHECKED:
        return
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
    CHECKED[:] = [cuda]


CHECKED: list[object] = []  # numba.cuda, once it has been found to work


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


def launch(
    kernel, lanes, fails, zero, limit, stacks, tables, shared, streams, arguments, results, block=THREADS
):
    """Lanes to their ends: for each 0 or the number of its failure, and nothing where none has failed; what they give,
    and their streams, in place.

    fails    whether lanes can fail: the kernel is given where they note it
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
            kernel, lanes, fails, zero, limit, stacks, tables, shared, streams, arguments, results, block
        )


def launch_parts(
    kernel, lanes, fails, zero, limit, stacks, tables, shared, streams, arguments, results, block
):
    """The same: as many lanes at once as there is memory for, and again those that need larger stacks."""
    arguments = [known(a) if is_there(a) else a for a in arguments]
    arguments = [a if one else rows_by_lane(a) for a, one in zip(arguments, shared)]
    fixed = [on_gpu(a) if one else None for a, one in zip(arguments, shared)]
    own = [a for a, one in zip(arguments, shared) if not one] + list(results)
    given = [kept_there(table) for table in tables]
    failed = np.empty(0, np.int64)
    waits = hasattr(kernel, "bytes_of_lane")
    launched = kernel.kernel if waits else kernel
    later = LATER.get()
    jobs = [] if later is None else later
    again, size = None, getattr(launched, "first_stack", FIRST_STACK)  # all lanes at first
    while count := lanes if again is None else len(again):
        moved = [a for a in own if again is not None or not is_there(a)]
        width = sum(a.nbytes // len(a) for a in moved) + size * sum(np.dtype(d).itemsize for d in stacks)
        most = lanes_at_once(count, width + 8 * fails + getattr(kernel, "bytes_of_lane", 0))
        alone = waits or again is not None or OWN.get() is not None
        few = most if alone else lanes_of_part(count, most, moved, block)
        parts = [slice(first, min(first + few, count)) for first in range(0, count, few)]
        parts = parts if again is None else [again[part] for part in parts]
        told = fails, zero, limit, stacks, size, given, fixed, arguments, streams, results, block
        at_once = max(most // few, 1)
        for part in in_turn(parts, at_once, partial(LanePart, kernel, told)):
            codes, part_jobs = part.end()
            jobs += part_jobs
            for job in part_jobs if len(parts) > at_once else ():
                job.result()  # its memory is for the next
            if len(codes) and not len(failed):
                failed = np.zeros(lanes, np.int64)
            if len(failed):
                failed[part.lanes] = codes if len(codes) else 0
        again, size = np.flatnonzero(failed == -1) if stacks else (), 4 * size
        left = len(again)
        if left > lanes // FEW:  # so they will next time
            launched.first_stack = size
        if left == lanes:
            again = None
        if left or later is None:
            for job in jobs:
                job.result()
    return failed


def lanes_of_part(count, most, moved, block):
    """How many lanes are launched together: fewer than there is memory for, where much comes from the host or goes
    there."""
    if sum(array.nbytes for array in moved) < OVERLAPPED:
        return most
    few = -(-count // PARTS)
    return min(most, -(-few // block) * block)


def in_turn(parts, at_once, begin):
    """Parts as they end, so many under way at once: `begin(part, stream)`, each on a stream of its own."""
    at_once, under_way, own = min(at_once, len(parts)), deque(), OWN.get()
    stream = own and own[0]
    try:
        for k, part in enumerate(parts):
            if len(under_way) == at_once:
                yield under_way.popleft()
            under_way.append(begin(part, stream_beside(k % at_once) if at_once > 1 else stream))
        while under_way:
            yield under_way.popleft()
    finally:
        for part in under_way:
            part.stream.synchronize()


def lanes_at_once(count, width):
    """How many lanes of so many bytes there is memory for."""
    if not width:
        return count
    library, free = library_in_use(), cuda.current_context().get_memory_info().free
    if library is not None:
        free += library.get_default_memory_pool().free_bytes()
    share = PART if (own := OWN.get()) is None else PART * own[1]
    most = int(share * free) // width
    if not most:
        raise MemoryError(f"the GPU has {free:,} bytes left, of which one lane takes {width:,}")
    return most


class LanePart:
    """Lanes, a slice or their numbers, launched all at once where this is made, with stacks of `size` numbers; on a
    stream beside the default one, or on that (None)."""

    def __init__(self, kernel, told, lanes, stream):
        fails, zero, limit, stacks, size, tables, fixed, arguments, streams, results, block = told
        self.lanes, self.stream, self.results = lanes, stream, results
        count = lanes.stop - lanes.start if isinstance(lanes, slice) else len(lanes)
        inputs = [
            rows_of(a, lanes, advances) if one is None else one
            for a, one, advances in zip(arguments, fixed, streams)
        ]
        self.outputs = [room_for(r, lanes, count) for r in results]
        frames = [device_array((size, count), dtype) for dtype in stacks]
        self.codes = [device_array((count,), np.int64)] * fails
        self.advanced = [(a, left) for a, left, advances in zip(arguments, inputs, streams) if advances]
        self.held = inputs, frames  # until its lanes have ended: what is let go of is given to others
        numbers = [count, *[0] * zero, *[limit] * bool(stacks)]
        shape = -(-count // block), block
        if stream is not None:
            event = cuda.event(timing=False)
            event.record()  # on the default one, on which arguments come
            event.wait(stream)
            shape = *shape, stream
        kernel[shape](*numbers, *self.codes, *frames, *tables, *inputs, *self.outputs)

    def end(self):
        """Waits for its lanes, and puts what they give to its places: their failures, and the jobs that do the rest."""
        to_others = isinstance(self.lanes, slice) and not all(map(is_there, self.results))
        if self.stream is not None:
            self.stream.synchronize()
        elif to_others:
            wait_for_kernels()
        found = np.empty(0, np.int64) if all(map(all_ended, self.codes)) else fetched(self.codes[0])
        if np.any(found < -1):
            raise RuntimeError(f"{np.sum(found < -1)} lanes did not come to their end")
        ended = found != -1  # the streams of the others stay
        for array, left in self.advanced:
            if ended.all():
                put_rows(array, self.lanes, left)
            else:
                put_rows(array, np.arange(len(array))[self.lanes][ended], sent(fetched(left)[ended]))
        made = list(zip(self.results, self.outputs))
        if to_others and (self.stream is not None or LATER.get() is not None):
            return found, arrive([(rows, r[self.lanes]) for r, rows in made if not is_there(r)])
        for array, rows in made:
            if not (is_there(array) and isinstance(self.lanes, slice)):
                put_rows(array, self.lanes, rows)
        return found, []


def device_array(shape, dtype):
    """Memory of the GPU: where CuPy is in use arrays come from its pool, at once, but large ones, which would stay in
    it."""
    library = library_in_use()
    if library is not None and math.prod(shape) * np.dtype(dtype).itemsize <= POOLED:
        return library.empty(shape, dtype)
    return cuda.device_array(shape, dtype)


def all_ended(codes):
    """Whether no lane has failed. Where CuPy is in use codes stay on the GPU: millions take as long as a kernel."""
    return not (codes if is_of_library(codes) else codes.copy_to_host()).any().item()


def is_there(array):
    """Whether it is on the GPU already. CuPy's arrays are known by their class: to ask them takes 2 us."""
    return type(array).__module__.partition(".")[0] == "cupy" or hasattr(array, "__cuda_array_interface__")


def is_of_library(array):
    """Whether it is CuPy's, and CuPy in use on the stream that kernels are launched on."""
    library = library_in_use()
    return library is not None and isinstance(array, library.ndarray)


def known(array):
    """An array on the GPU as one of CuPy's, or numba-cuda's."""
    return array if is_of_library(array) else cuda.as_cuda_array(array)


def sent(array):
    """A copy on the GPU."""
    library = library_in_use()
    return cuda.to_device(array) if library is None or array.nbytes > POOLED else library.asarray(array)


def fetched(array):
    """A copy on the host."""
    return array.get() if is_of_library(array) else array.copy_to_host()


def on_gpu(value):
    """What all lanes share; numbers go with the launch."""
    return sent(value) if isinstance(value, np.ndarray) and not is_there(value) else value


def kept_there(table):
    """A constant on the GPU in use, which is moved there once where CuPy knows which that is."""
    library = library_in_use()
    if library is None:
        return cuda.to_device(table)
    place = library.cuda.runtime.getDevice(), id(table)
    if place not in TABLES:
        TABLES[place] = table, library.asarray(table)
    return TABLES[place][1]


# By GPU and the table's address: it stays alive.
TABLES: dict[tuple[int, int], tuple[np.ndarray, object]] = {}


def first_lanes(array, count):
    """A copy of the first lanes' rows on the GPU."""
    return sent(fetched(known(array)[:count]) if is_there(array) else array[:count].copy())


def wait_for_kernels():
    """Until those that were launched have ended: launches return before."""
    cuda.default_stream().synchronize()


def gpu_in_use():
    """Its name and what it can do."""
    device = cuda.get_current_device()
    return device.name, device.compute_capability


def rows_by_lane(array):
    """An array of lanes, what each has in a row."""
    return array.reshape(len(array), array.size // max(len(array), 1)) if array.ndim > 2 else array


def rows_of(array, lanes, advances=False):
    """Lanes' rows on the GPU: where they are, if they are there next to each other, but a copy of what advances."""
    if not is_there(array):
        return sent(array[lanes])
    if isinstance(lanes, slice):
        rows = rows_next_to_each_other(array, lanes)
        return copy_there(rows) if advances else rows
    library = library_in_use()
    if library is not None:
        return library.asarray(array)[library.asarray(lanes)]
    return sent(fetched(array)[lanes])


def rows_next_to_each_other(array, lanes):
    """The same array, if these are all lanes."""
    return array if (lanes.start, lanes.stop) == (0, len(array)) else array[lanes]


def copy_there(array):
    """A copy of an array on the GPU, there."""
    if (library := library_in_use()) is not None:
        return library.asarray(array).copy()
    made = cuda.device_array(array.shape, array.dtype)
    made.copy_to_device(array)
    return made


def room_for(array, lanes, count):
    """Where lanes' rows of a result are made on the GPU: in their place, if they are there next to each other."""
    if is_there(array) and isinstance(lanes, slice):
        return rows_next_to_each_other(array, lanes)
    return device_array((count, *array.shape[1:]), array.dtype)


def put_rows(array, lanes, found):
    """Lanes' rows, on the GPU, to their places."""
    next_to_each_other = isinstance(lanes, slice)
    if not is_there(array):
        if next_to_each_other:
            to_host(found, array[lanes])
        else:
            array[lanes] = fetched(found)
    elif (library := library_in_use()) is not None:  # numba-cuda's arrays take none of CuPy's
        places = lanes if next_to_each_other else library.asarray(lanes)
        library.asarray(array)[places] = library.asarray(found)
    elif next_to_each_other:
        array[lanes].copy_to_device(found)
    else:
        whole = array.copy_to_host()
        whole[lanes] = found.copy_to_host()
        array.copy_to_device(whole)
