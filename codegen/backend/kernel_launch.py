"""Compiled kernels, launched by the driver's call alone: QuickKernel(kernel)[blocks, threads](*arguments).

numba-cuda takes 44 us to launch a kernel with three of its arrays, and 120 us with three of CuPy's; the driver takes 5
of them. So numba-cuda compiles a kernel and launches it first, for each types of arguments; from then on arguments are
laid out here, as it lays them out:

    a number        itself
    an array        two nulls, its size, the bytes of an element, its address, its shape, its strides

Launches where CuPy computes on a stream that is not CUDA's default one, and with arguments of other kinds, are left to
numba-cuda.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import partial
from struct import Struct
from struct import error as StructError
from threading import Lock
from typing import Any

import numpy as np
from cuda.bindings import driver

from codegen.backend.cubins import keep_cubin

ARRAY = "PPqqP"  # followed by shape and strides
NUMBERS: dict[type, str] = {bool: "?", int: "q", float: "d"} | {
    np.dtype(c).type: c for c in ("?", "b", "h", "i", "q", "B", "H", "I", "Q", "f", "d")
}
BUFFER_POINTER, BUFFER_SIZE = 1, 2  # CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE
DEFAULT = driver.CUstream(0)

Kinds = tuple[Any, ...]
Shape = int | tuple[int, ...]
Space = tuple[int, ...]  # blocks and threads along three axes
SHAPES = 1000  # of launches, that a kernel keeps in mind


class ArgumentBuffer:
    """How the arguments of one function of the GPU's are laid out; `owner` keeps that loaded."""

    def __init__(self, kinds: Kinds, owner: Any):
        formats = (kind if isinstance(kind, str) else f"{ARRAY}{2 * kind[1]}q" for kind in kinds)
        self.struct = Struct("@" + "".join(formats))
        self.owner, self.function = owner, driver.CUfunction(int(owner.library.get_cufunc().handle))
        self.buffer = ctypes.create_string_buffer(max(self.struct.size, 1))
        self.size = ctypes.c_size_t(self.struct.size)
        told = BUFFER_POINTER, ctypes.addressof(self.buffer), BUFFER_SIZE, ctypes.addressof(self.size), 0
        self.told = (ctypes.c_void_p * len(told))(*told)
        self.extra = ctypes.addressof(self.told)
        self.lock = Lock()

    def launch(self, space: Space, values: list[Any], stream: driver.CUstream) -> bool:
        """False where the driver has not taken it."""
        with self.lock:
            try:
                self.struct.pack_into(self.buffer, 0, *values)
            except StructError:
                return False
            (status,) = driver.cuLaunchKernel(self.function, *space, 0, stream, None, self.extra)
        return status == driver.CUresult.CUDA_SUCCESS


class QuickKernel:
    """A kernel of numba-cuda's, its machine code kept on disk."""

    def __init__(self, kernel: Any):
        keep_cubin(kernel)
        self.kernel = kernel
        self.layouts: dict[Kinds, ArgumentBuffer | None] = {}
        self.shapes: dict[Any, Callable[..., None]] = {}

    def __getitem__(self, shape: Any) -> Callable[..., None]:
        """`shape`: blocks, threads, and one of numba-cuda's streams, if it is not the default one."""
        found = self.shapes.get(shape)
        if found is None:
            if len(self.shapes) >= SHAPES:
                self.shapes.clear()
            blocks, threads, *others = shape
            stream = driver.CUstream(int(others[0].handle)) if others else DEFAULT
            found = self.shapes[shape] = partial(
                self.launch, shape, in_space(blocks) + in_space(threads), stream
            )
        return found

    def launch(self, shape: Any, space: Space, stream: driver.CUstream, *arguments: Any) -> None:
        laid_out = laid(arguments) if is_on_default_stream() else None
        if laid_out is None:
            self.kernel[shape](*arguments)
            return
        kinds, values = laid_out
        layout = self.layouts.get(kinds)
        if layout is not None and layout.launch(space, values, stream):
            return
        self.kernel[shape](*arguments)  # which compiles it, or raises what the driver says
        if kinds not in self.layouts:
            self.layouts[kinds] = self.layout(kinds, arguments)

    def layout(self, kinds: Kinds, arguments: tuple[Any, ...]) -> ArgumentBuffer | None:
        """None where what was launched is a kernel of other types, to which arguments were converted."""
        made = self.kernel.overloads.get(tuple(map(self.kernel.typeof_pyval, arguments)))
        return None if made is None or made.cooperative else ArgumentBuffer(kinds, made)


def in_space(shape: Shape) -> Space:
    """A number of blocks or threads, or numbers along axes, along all three."""
    return (*(shape if isinstance(shape, tuple) else (shape,)), 1, 1)[:3]


def laid(arguments: tuple[Any, ...]) -> tuple[Kinds, list[Any]] | None:
    """The kinds of arguments and the numbers that go to the driver; None where numba-cuda is to see to it."""
    kinds: list[Any] = []
    values: list[Any] = []
    for argument in arguments:
        if (number := NUMBERS.get(type(argument))) is not None:
            kinds.append(number)
            values.append(argument)
            continue
        if (read := READERS.get(type(argument)) or reader(type(argument))) is None:
            return None
        kind, where = read(argument)
        kinds.append(kind)
        values += where
    return tuple(kinds), values


READERS: dict[type, Callable[[Any], tuple[Any, tuple[int, ...]]]] = {}


def reader(of: type) -> Callable[[Any], tuple[Any, tuple[int, ...]]] | None:
    """What looks at arrays of a class; None of one that numba-cuda is to look at."""
    found = {"cupy": of_cupy, "numba": of_numba}.get(of.__module__.partition(".")[0])
    if found is of_cupy and not hasattr(of, "_c_contiguous"):  # a version that does not say it so
        return None
    if found is not None:
        READERS[of] = found
    return found


def of_cupy(array: Any) -> tuple[Any, tuple[int, ...]]:
    shape = array.shape
    kind = array.dtype.char, len(shape), array._c_contiguous, array._f_contiguous  # `flags` takes 1 us
    return kind, (0, 0, array.size, array.itemsize, array.data.ptr, *shape, *array.strides)


def of_numba(array: Any) -> tuple[Any, tuple[int, ...]]:
    """An array of numba-cuda's own."""
    shape, dtype, flags = array.shape, array.dtype, array.flags
    kind = dtype.char, len(shape), flags["C_CONTIGUOUS"], flags["F_CONTIGUOUS"]
    address = array.device_ctypes_pointer.value or 0
    return kind, (0, 0, array.size, dtype.itemsize, address, *shape, *array.strides)


def is_on_default_stream() -> bool:
    """Whether CuPy computes on CUDA's default stream, if it is in use: so a launch there follows what it has begun."""
    library = sys.modules.get("cupy")
    return library is None or library.cuda.get_current_stream().ptr <= 1
