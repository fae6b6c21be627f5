"""Array programs on a GPU without one: numba-cuda's kernels and CuPy's arrays as plain Python and NumPy.

A launch has a few blocks of a few threads, whatever it is told: kernels go over their iterations in steps of as many
threads as there are. Threads of a block wait for each other where they reduce.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from threading import Condition, Lock, Thread, local
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numba
import numpy as np
import scipy.linalg
from plain_numba import MATH
from warp import CUDA, LIBDEVICE, OfLibrary, OnDevice, on_stream

BLOCKS, THREADS, ROWS = 2, 4, 2  # of each, and of those that share rows
WHOLE_WARP = 0xFFFFFFFF
HERE = local()  # of a thread: its block, its row in it, and its number there


class Block:
    """What the threads of a block share; `waiting`: of those that have not returned, how many are where all meet."""

    def __init__(self, number: int, threads: int):
        self.number, self.threads, self.waiting, self.meetings = number, threads, 0, 0
        self.changed = Condition()
        self.arrays: dict[int, np.ndarray] = {}
        self.given: dict[int, Any] = {}  # what threads give each other

    def meet(self) -> None:
        """Until all threads that have not returned are here."""
        with self.changed:
            self.waiting += 1
            meeting = self.meetings
            self.let_go()
            assert self.changed.wait_for(lambda: self.meetings > meeting, 60), "a thread waits for ever"

    def leave(self) -> None:
        with self.changed:
            self.threads -= 1
            self.let_go()

    def let_go(self) -> None:
        if self.waiting and self.waiting == self.threads:
            self.waiting, self.meetings = 0, self.meetings + 1
            self.changed.notify_all()

    def array(self, size: int, dtype: Any) -> np.ndarray:
        """The same for all of its threads, which ask for them in one order."""
        HERE.asked += 1
        return self.arrays.setdefault(HERE.asked, np.full(size, 77, dtype))


class Launched:
    """What `cuda.jit` makes of a kernel; `given` are the arguments of all launches."""

    given: list[tuple[str, tuple[Any, ...]]] = []

    def __init__(self, function: Callable[..., None]):
        self.function = function
        if "math" in function.__globals__:
            function.__globals__["math"] = MATH

    def __getitem__(self, shape: tuple[Any, Any]) -> Callable[..., None]:
        blocks, threads = shape
        if isinstance(threads, int):
            return partial(self.run, min(blocks, BLOCKS), min(threads, THREADS), 1)
        rows = min(threads[1], ROWS)
        return partial(self.run, min(blocks[1], BLOCKS), min(threads[0], THREADS // rows), rows)

    def run(self, blocks: int, width: int, rows: int, *given: Any) -> None:
        self.given.append((self.function.__name__, given))
        assert not any(isinstance(each, np.ndarray) and not each.ndim for each in given), "no number"
        self.failed: list[BaseException] = []
        for number in range(blocks):
            block = Block(number, width * rows)
            of_rows = [Block(number, width) for _ in range(rows)]
            threads = [
                Thread(target=self.thread, args=(block, row, k, (blocks, width, rows), y, given))
                for y, row in enumerate(of_rows)
                for k in range(width)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if self.failed:
            raise self.failed[0]

    def thread(
        self, block: Block, row: Block, number: int, shape: tuple[int, int, int], y: int, given: Sequence[Any]
    ) -> None:
        HERE.block, HERE.row, HERE.number, HERE.y, HERE.shape = block, row, number, y, shape
        HERE.asked = HERE.asked_together = 0
        try:
            with np.errstate(all="ignore"):
                self.function(*given)
        except BaseException as error:
            self.failed.append(error)
        row.leave()
        block.leave()


def shuffled(mask: int, x: Any, distance: int) -> Any:
    """What the thread of the row has whose number is another in one bit; `mask` says which threads are of the row."""
    if mask != WHOLE_WARP:
        width = min(HERE.shape[1], mask.bit_length())  # of a warp
        assert mask == ((1 << width) - 1) << (HERE.y * width if HERE.shape[2] > 1 else 0)
    HERE.row.given[HERE.number] = x
    HERE.row.meet()
    found = HERE.row.given[HERE.number ^ distance]
    HERE.row.meet()
    return found


def together() -> int:
    """Which threads of the warp are at one place: all, or the thread's row, by turns."""
    HERE.asked_together += 1
    return WHOLE_WARP if HERE.asked_together % 2 else 1 << HERE.number


def place(axes: int) -> Any:
    """The thread's place in the grid."""
    _, width, rows = HERE.shape
    if axes == 1:
        return HERE.block.number * width + HERE.number
    return HERE.number, HERE.block.number * rows + HERE.y


def places(axes: int) -> Any:
    """The size of the grid."""
    blocks, width, rows = HERE.shape
    return blocks * width if axes == 1 else (width, blocks * rows)


class Numbers:
    """A thread's own: `threadIdx.x` and its like."""

    def __init__(self, x: Callable[[], int], y: Callable[[], int] = lambda: 0):
        self.of_x, self.of_y = x, y

    @property
    def x(self) -> int:
        return self.of_x()

    @property
    def y(self) -> int:
        return self.of_y()


def at_once(change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """An element made another one, with no other thread in between."""

    def of(array: np.ndarray, place: Any, value: Any) -> Any:
        with ONE:
            before = array[place]
            array[place] = change(before, value)
        return before

    return of


ONE = Lock()


def cuda() -> SimpleNamespace:
    return SimpleNamespace(
        jit=lambda *functions, **options: Launched(functions[0]) if functions else lambda function: function,
        grid=place,
        gridsize=places,
        threadIdx=Numbers(lambda: HERE.number, lambda: HERE.y),
        blockIdx=Numbers(lambda: HERE.block.number, lambda: HERE.block.number),
        blockDim=Numbers(lambda: HERE.shape[1], lambda: HERE.shape[2]),
        syncwarp=lambda mask: HERE.row.meet(),
        shfl_xor_sync=shuffled,
        activemask=together,
        shared=SimpleNamespace(array=lambda size, dtype: HERE.block.array(size, dtype)),
        syncthreads=lambda: HERE.block.meet(),
        fma=CUDA.fma,
        local=CUDA.local,
        atomic=SimpleNamespace(add=at_once(operator.add), min=at_once(min)),
        libdevice=LIBDEVICE,
    )


class OfCupy(OnDevice):
    """An array of CuPy's, which has other methods than numba-cuda's."""

    __module__ = "cupy"
    set = OnDevice.copy_to_device

    def get(self, stream: Any = None) -> np.ndarray:
        return OnDevice.copy_to_host(self)

    @property
    def copy_to_host(self) -> Any:  # type: ignore[override]
        raise AttributeError("copy_to_host")

    @property
    def copy_to_device(self) -> Any:  # type: ignore[override]
        raise AttributeError("copy_to_device")


class OfDlpack:
    """An array of a library's that says by DLPack alone where it is."""

    def __init__(self, array: np.ndarray, device: int = 2):
        self.array, self.device = array, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)


class Number:
    """An array of CuPy's without axes, which does not become a number by itself."""

    def __init__(self, value: Any):
        self.value = value

    def item(self) -> Any:
        return self.value.item()

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> Any:
        return Number(self.value == other)

    __hash__ = None


def there(made: Any) -> Any:
    """What NumPy has made, as CuPy has it."""
    if isinstance(made, tuple):
        return tuple(map(there, made))
    array = np.asarray(made)
    return array.view(OfCupy) if array.ndim else Number(array)


def by_numpy(of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **named: there(of(*given, **named))


class Stream:
    """One of CuPy's: what is on it is done at once."""

    null = nullcontext()

    def __init__(self, non_blocking: bool):
        assert non_blocking

    def wait_event(self, event: Any) -> None:
        assert event is RECORDED


RECORDED = object()
Stream.null.record = lambda: RECORDED  # type: ignore[attr-defined]


class Cupy(ModuleType):
    """CuPy's functions are NumPy's, of arrays that are there."""

    linalg: Any
    fft: Any

    def __getattr__(self, name: str) -> Any:
        return by_numpy(getattr(np, name))


def cupy(*, gpus: int = 1) -> ModuleType:
    made = Cupy("cupy")
    made.__version__, made.ndarray = "14.0.0", OfCupy
    made.cuda = on_stream(0)
    made.cuda.Stream = Stream
    made.cuda.runtime = SimpleNamespace(
        getDeviceCount=lambda: gpus, getDevice=int, setDevice=lambda number: None
    )
    made.asarray = lambda a: np.asarray(
        a.memory if isinstance(a, OfLibrary) else a if isinstance(a, OnDevice) else np.array(a)
    ).view(OfCupy)
    made.from_dlpack = lambda a: a.array.view(OfCupy)
    made.get_default_memory_pool = lambda: SimpleNamespace(free_bytes=int)
    made.asnumpy = lambda a: a.get()
    made.shape, made.result_type = np.shape, np.result_type
    made.get_array_module = lambda a: made if isinstance(a, OfCupy) else np
    made.linalg = SimpleNamespace(
        **{
            name: by_numpy(getattr(np.linalg, name))
            for name in ("solve", "inv", "det", "slogdet", "cholesky", "eigh", "svd", "pinv", "qr", "lstsq")
        }
    )
    made.fft = SimpleNamespace(**{name: by_numpy(getattr(np.fft, name)) for name in ("fft", "ifft")})
    return made


def cupyx() -> dict[str, ModuleType]:
    """What raises as NumPy does, and solves triangular systems."""
    made, linalg = ModuleType("cupyx"), ModuleType("cupyx.scipy.linalg")
    made.errstate = lambda linalg: nullcontext()
    linalg.solve_triangular = by_numpy(scipy.linalg.solve_triangular)
    return {"cupyx": made, "cupyx.scipy": ModuleType("cupyx.scipy"), "cupyx.scipy.linalg": linalg}


@contextmanager
def with_arrays_there(library: ModuleType | None = None, gpu: Any = None) -> Iterator[None]:
    """Calls of array programs with target="cuda" run on it."""
    gpu = gpu or cuda()
    modules: dict[str, Any] = {"cupy": library or cupy(), "numba.cuda": gpu, **cupyx()}
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules |= modules  # what is imported meanwhile stays
    Launched.given.clear()
    try:
        with mock.patch.object(numba, "cuda", gpu, create=True):
            yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
