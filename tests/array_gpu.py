"""Array programs on a GPU without one: numba-cuda's kernels and CuPy's arrays as plain Python and NumPy.

A launch has a few blocks of a few threads, whatever it is told: kernels go over their iterations in steps of as many
threads as there are. Threads of a block wait for each other where they reduce.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Barrier, Thread, local
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numba
import numpy as np
from warp import CUDA, LIBDEVICE, OfLibrary, OnDevice, on_device

SHAPE = (2, 4)  # blocks, threads of each
HERE = local()  # of a thread: its block and number


class Block:
    """What the threads of a block share."""

    def __init__(self, number: int, threads: int):
        self.number, self.barrier = number, Barrier(threads)
        self.arrays: dict[int, np.ndarray] = {}

    def array(self, size: int, dtype: Any) -> np.ndarray:
        """The same for all of its threads, which ask for them in one order."""
        HERE.asked += 1
        return self.arrays.setdefault(HERE.asked, np.full(size, 77, dtype))


class Launched:
    """What `cuda.jit` makes of a kernel; `given` are the arguments of all launches."""

    given: list[tuple[str, tuple[Any, ...]]] = []

    def __init__(self, function: Callable[..., None]):
        self.function = function

    def __getitem__(self, shape: tuple[int, int]) -> Callable[..., None]:
        return self.run

    def run(self, *given: Any) -> None:
        self.given.append((self.function.__name__, given))
        for number in range(SHAPE[0]):
            block = Block(number, SHAPE[1])
            threads = [Thread(target=self.thread, args=(block, k, given)) for k in range(SHAPE[1])]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def thread(self, block: Block, number: int, given: Sequence[Any]) -> None:
        HERE.block, HERE.number, HERE.asked = block, number, 0
        with np.errstate(all="ignore"):
            self.function(*given)


class Numbers:
    """A thread's own: `threadIdx.x` and its like."""

    def __init__(self, of: Callable[[], int]):
        self.of = of

    @property
    def x(self) -> int:
        return self.of()


def cuda() -> SimpleNamespace:
    return SimpleNamespace(
        jit=lambda *functions, **options: Launched(functions[0]) if functions else lambda function: function,
        grid=lambda axes: HERE.block.number * SHAPE[1] + HERE.number,
        gridsize=lambda axes: SHAPE[0] * SHAPE[1],
        threadIdx=Numbers(lambda: HERE.number),
        blockIdx=Numbers(lambda: HERE.block.number),
        blockDim=Numbers(lambda: SHAPE[1]),
        shared=SimpleNamespace(array=lambda size, dtype: HERE.block.array(size, dtype)),
        syncthreads=lambda: HERE.block.barrier.wait(60),
        fma=CUDA.fma,
        local=CUDA.local,
        libdevice=LIBDEVICE,
    )


class Number:
    """An array of CuPy's without axes, which does not become a number by itself."""

    def __init__(self, value: Any):
        self.value = value

    def item(self) -> Any:
        return self.value.item()


def cupy(*, gpus: int = 1) -> ModuleType:
    made = ModuleType("cupy")
    made.cuda = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=lambda: gpus))
    made.asarray = lambda a: (
        a.memory if isinstance(a, OfLibrary) else a if isinstance(a, OnDevice) else on_device(a)
    )
    made.asnumpy = lambda a: a.copy_to_host()
    for name in ("empty", "zeros", "ones", "full"):
        setattr(made, name, lambda *given, of=getattr(np, name): of(*given).view(OnDevice))
    for name in ("reshape", "transpose"):
        setattr(made, name, getattr(np, name))
    for name in ("sum", "prod", "max", "min", "all", "any"):
        setattr(made, name, lambda a, of=getattr(np, name): Number(of(np.asarray(a))))
    return made


@contextmanager
def with_arrays_there(library: ModuleType | None = None) -> Iterator[None]:
    """Calls of array programs with target="cuda" run on it."""
    there = cuda()
    modules: dict[str, Any] = {"cupy": library or cupy(), "numba.cuda": there}
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules |= modules  # what is imported meanwhile stays
    Launched.given.clear()
    try:
        with mock.patch.object(numba, "cuda", there, create=True):
            yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
