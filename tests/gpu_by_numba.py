"""A stand-in for a GPU that runs samplers in seconds: launches of kernels whose text Numba compiles for the CPU.

Lanes vote alone and run one after the other: what each computes is the CPU target's to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import ModuleType
from typing import Any
from unittest import mock

from threads_by_numba import CUDA, LIBDEVICE, jit, module_of
from warp import Alone, device_of, launched, with_gpu

from autobatch.execute import autotune
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.kernel.module import LaneModule
from codegen.backend.machine_code import njit


class LanesAlone(GpuMachine):
    """Kernels in the dialect of lanes that vote alone; not kept on disk, where they would pass for others."""

    @cached_property
    def lanewise(self) -> LaneModule:
        return self.by_threads(Alone())


class Compiled:
    """What `cuda.jit` makes of a kernel."""

    def __init__(self, function: Callable[..., None]):
        self.function = njit(error_model="numpy")(function)
        self.function.is_quick = True  # it runs for less time than LLVM would take to make it fast

    def __getitem__(self, shape: Sequence[Any]) -> Callable[..., None]:
        return launched(self.run, shape)

    def run(self, lanes: int, *given: Any) -> None:
        for lane in range(lanes):
            self.function(lane, *given)


@njit()
def add(array, place, value):
    array[place] += value


def kernel_or_part(*functions: Callable[..., Any], **options: Any) -> Any:
    return Compiled(functions[0]) if functions else jit(**options)


def gpu(*, bytes_free: int = 10**9) -> ModuleType:
    """numba.cuda with a GPU of so much memory, whose threads are loops that Numba compiles."""
    functions = {
        name: getattr(CUDA, name)
        for name in ("fma", "local", "shared", "syncthreads", "activemask", "any_sync")
    }
    functions |= {"atomic": module_of("atomic", add=add), "jit": kernel_or_part, "libdevice": LIBDEVICE}
    return module_of("cuda", **functions, **device_of(bytes_free))


@contextmanager
def with_compiled_gpu(cuda: ModuleType | None = None) -> Iterator[None]:
    """Calls with target="cuda" run on it."""
    with with_gpu(cuda or gpu()), mock.patch.object(autotune, "GpuMachine", LanesAlone):
        yield
