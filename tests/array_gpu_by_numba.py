"""Array programs on a GPU without one, quickly: kernels of one thread that Numba compiles for the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
from array_gpu import with_arrays_there
from numba.extending import overload
from threads_by_numba import CUDA, LIBDEVICE, jit, local_array, module_of

from codegen.backend.machine_code import njit


@njit()
def none() -> None:
    """All threads of a block are here."""


@njit()
def none_of_warp(mask: int) -> None:
    """All lanes are."""


def first(axes: int) -> Any:
    """The only thread's place."""


@overload(first, prefer_literal=True)
def first_place(axes):
    return (lambda axes: (0, 0)) if getattr(axes, "literal_value", 1) == 2 else (lambda axes: 0)


def single(axes: int) -> Any:
    """The size of a grid of one thread."""


@overload(single, prefer_literal=True)
def single_size(axes):
    return (lambda axes: (1, 1)) if getattr(axes, "literal_value", 1) == 2 else (lambda axes: 1)


@njit()
def one_lane() -> int:
    """The only thread's lane is the one that computes."""
    return 1


@njit()
def own(mask: int, x: Any, distance: int) -> Any:
    return x


@njit()
def add(array: np.ndarray, place: Any, value: Any) -> None:
    array[place] += value


@njit()
def least(array: np.ndarray, place: Any, value: Any) -> None:
    array[place] = min(array[place], value)


class Compiled:
    """What `cuda.jit` makes of a kernel."""

    def __init__(self, function: Callable[..., None]):
        self.function = njit(error_model="numpy")(function)

    def __getitem__(self, shape: tuple[int, int]) -> Callable[..., None]:
        return lambda *given: self.function(*(as_plain(a) for a in given))


def as_plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, np.ndarray) else value


def kernel_or_part(*functions: Callable[..., Any], **options: Any) -> Any:
    return Compiled(functions[0]) if functions else jit(**options)


def cuda() -> ModuleType:
    """numba.cuda with a GPU of one thread."""
    return module_of(
        "cuda",
        jit=kernel_or_part,
        grid=first,
        gridsize=single,
        threadIdx=module_of("threadIdx", x=0, y=0),
        blockIdx=module_of("blockIdx", x=0, y=0),
        blockDim=module_of("blockDim", x=1, y=1),
        syncwarp=none_of_warp,
        shfl_xor_sync=own,
        activemask=one_lane,
        shared=module_of("shared", array=local_array),
        syncthreads=none,
        atomic=module_of("atomic", add=add, min=least),
        fma=CUDA.fma,
        local=CUDA.local,
        libdevice=LIBDEVICE,
    )


@contextmanager
def with_compiled_arrays_there() -> Iterator[None]:
    with with_arrays_there(gpu=cuda()):
        yield
