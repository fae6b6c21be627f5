"""Kernels without a GPU: warps of 32 lanes in plain Python, and the text of a lane compiled by Numba for the CPU.

A kernel is written in another dialect of the same printer: a lane's number is an argument, and a vote is a `yield`
that gives a lane's test and takes what all of its warp gave. So a kernel is a generator a lane, and a warp is 32 that
are run in step. `cuda` and `libdevice` are modules of the same names; every index is checked.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread, local
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numba
import numpy as np
from plain_numba import MATH

from autobatch.cfg.graph import BasicBlock
from autobatch.execute import arrivals, gpu_streams, launching, waiting
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.kernel.cuda.dialect import Dialect
from autobatch.kernel.cuda.module import KernelModule
from autobatch.profiling.probes import Unmarked
from codegen.primitives import ROWS

WARP = 32
ALONE = 1  # a mask of one lane: of those that draw together none knows of another
NOT_RUN = 99  # what a failure is before
LIBM = ctypes.CDLL("libm.so.6")
LIBM.fma.restype, LIBM.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3


class InStep(Dialect):
    """Lanes that are generators; what is sent to one is a list of the tests of all."""

    given = ("lane",)
    has_warps = False

    def lane(self) -> str:
        return "lane"

    def thread(self) -> str:
        return "0"

    def count(self, test: str) -> str:
        return f"sum((yield {test}))"

    def any(self, test: str) -> str:
        return f"any((yield {test}))"

    def together(self) -> Iterable[str]:
        return ["yield"]


class Alone(Dialect):
    """A lane that votes by itself, which any compiler can run."""

    given = ("lane",)
    has_warps = False

    def lane(self) -> str:
        return "lane"

    def thread(self) -> str:
        return "0"

    def count(self, test: str) -> str:
        return f"int({test})"

    def any(self, test: str) -> str:
        return f"({test})"

    def together(self) -> Iterable[str]:
        return []


class Noted(Unmarked):
    """Each visit of a block is noted: `visited(lane, 3)`."""

    def visit(self, k: int, block: BasicBlock) -> list[str]:
        return [f"visited(lane, {k})"]


def float_of(ufunc: Callable[..., Any], kind: type[np.floating[Any]] = np.float64) -> Callable[..., Any]:
    return lambda *x: kind(ufunc(*map(kind, x)))


def fma(x: Any, y: Any, z: Any) -> Any:
    """x * y + z, rounded once (of float32 nearly always)."""
    single = {type(x), type(y), type(z)} == {np.float32}
    return np.float32(x * np.float64(y) + z) if single else np.float64(LIBM.fma(x, y, z))


CUDA = SimpleNamespace(
    jit=lambda *functions, **options: functions[0] if functions else lambda function: function,
    fma=fma,
    local=SimpleNamespace(array=lambda size, dtype: np.zeros(size, dtype)),
    shared=SimpleNamespace(array=lambda shape, dtype: np.zeros(shape, dtype)),
    syncthreads=lambda: None,
    activemask=lambda: ALONE,
    any_sync=lambda mask, test: test,
)
OF_LIBRARY = {row.libdevice: row for row in ROWS.values() if row.libdevice}
"""What kernels call of NVIDIA's library: each of these, and under its name with an f the same of float32."""
LIBDEVICE = SimpleNamespace(
    umul64hi=lambda a, b: np.uint64((int(a) % 2**64) * (int(b) % 2**64) >> 64),
    dmul_rn=lambda x, y: x * y,
    fast_powf=float_of(np.power, np.float32),
    fast_logf=float_of(np.log, np.float32),
    **{name: float_of(row.numpy) for name, row in OF_LIBRARY.items()},
    **{f"{name}f": float_of(row.numpy, np.float32) for name, row in OF_LIBRARY.items()},
)


def modules(cuda: Any) -> dict[str, Any]:
    """What a kernel's text imports."""
    numba, device = ModuleType("numba"), ModuleType("numba.cuda")
    numba.cuda = cuda  # type: ignore[attr-defined]
    device.libdevice = LIBDEVICE  # type: ignore[attr-defined]
    return {"numba": numba, "numba.cuda": device, "math": MATH}


def python_module(text: str, cuda: Any = CUDA) -> dict[str, Any]:
    """What a kernel's text defines."""
    found: dict[str, Any] = {"__name__": "kernel"}
    with mock.patch.dict("sys.modules", modules(cuda)), np.errstate(all="ignore"):
        exec(compile(text, "kernel", "exec"), found)
    return found


@dataclass
class Trace:
    """What the lanes of each warp did between votes: for each warp rounds, of each lane its blocks."""

    warps: list[list[list[list[int]]]] = field(default_factory=list)

    def begin(self, size: int) -> None:
        self.warps.append([])
        self.size = size
        self.round()

    def round(self) -> None:
        self.warps[-1].append([[] for _ in range(self.size)])

    def visited(self, lane: int, block: int) -> None:
        self.warps[-1][-1][lane % WARP].append(block)


class OnDevice(np.ndarray):
    """An array that is said to be on a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        strides = None if self.flags.c_contiguous else self.strides
        told = {"shape": self.shape, "typestr": self.dtype.str, "strides": strides, "version": 3}
        return {**told, "data": (self.ctypes.data, False)}

    def copy_to_host(self, array: np.ndarray | None = None, stream: Any = 0) -> np.ndarray:
        if array is None:
            return np.array(self)
        assert array.flags.c_contiguous and array.shape == self.shape and array.dtype == self.dtype
        if stream:
            stream.later.append(lambda: np.copyto(array, self))
            array.view(np.uint8)[...] = 0xFF  # until it is there
        else:
            array[...] = self
        return array

    def copy_to_device(self, array: np.ndarray) -> None:
        assert type(array).__module__ != "cupy", "numba-cuda takes it for an array of the host"
        self[...] = array


class Stream:
    """On which all is done as late as it may be."""

    def __init__(self) -> None:
        self.later: list[Callable[[], None]] = []

    def synchronize(self) -> None:
        for do in self.later:
            do()
        self.later.clear()


class Event:
    """What is on the default stream is done at once: nobody waits for it."""

    def record(self, stream: int = 0) -> None:
        assert not stream

    def wait(self, stream: Stream) -> None:
        assert isinstance(stream, Stream)


def launched(run: Callable[..., None], shape: Sequence[Any]) -> Callable[..., None]:
    """What launches so many threads, on a stream, if there is one: `run(threads, *given)`."""
    blocks, threads, *stream = shape

    def launch(*given: Any) -> None:
        if stream:
            stream[0].later.append(partial(run, blocks * threads, *given))
        else:
            run(blocks * threads, *given)

    return launch


def on_stream(number: int) -> SimpleNamespace:
    """cupy.cuda, whose current stream has this number: 0 is the default one."""
    return SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=number))


class OfLibrary:
    """An array of another library's, which is on a GPU and nowhere else."""

    def __init__(self, array: Any):
        self.memory = array if isinstance(array, OnDevice) else on_device(array)
        self.__cuda_array_interface__ = self.memory.__cuda_array_interface__
        self.dtype, self.shape, self.strides = self.memory.dtype, self.memory.shape, self.memory.strides
        self.flags, self.ndim = self.memory.flags, self.memory.ndim


def closed() -> Any:
    """What one thread acquires when another has released it: a tenth of the time that a Semaphore takes."""
    lock = Lock()
    lock.acquire()
    return lock


class Lockstep:
    """The threads of a warp, one after the other in an order of its own: each goes on until it meets the others, where
    it gives a value and is given all of theirs. `epoch` counts the meetings after which they see what others wrote.
    """

    def __init__(self, run: Callable[[int], None]):
        self.run, self.order = run, np.random.default_rng(7)
        self.go, self.back = [closed() for _ in range(WARP)], closed()
        self.given: list[Any] = [None] * WARP
        self.all_given, self.left, self.epoch = self.given, [False] * WARP, 0
        self.errors: list[BaseException] = []

    def finish(self) -> None:
        threads = [Thread(target=self.thread, args=(k,)) for k in range(WARP)]
        for thread in threads:
            thread.start()
        while not all(self.left):
            for k in self.order.permutation(WARP):
                if not self.left[k]:
                    self.go[k].release()
                    self.back.acquire()
            if not self.errors and any(self.left):
                assert all(self.left), "a thread has left a meeting"
            self.all_given = list(self.given)
            self.epoch += all(given is MET for given in self.given)
        for thread in threads:
            thread.join()
        if self.errors:
            raise self.errors[0]

    def thread(self, k: int) -> None:
        self.go[k].acquire()
        try:
            self.run(k)
        except BaseException as error:
            self.errors.append(error)
        self.left[k] = True
        self.back.release()

    def meet(self, k: int, value: Any) -> list[Any]:
        self.given[k] = value
        self.back.release()
        self.go[k].acquire()
        if self.errors:
            raise self.errors[0]
        assert all((v is MET) == (value is MET) for v in self.all_given), "threads are at different meetings"
        return self.all_given


MET = object()  # what a thread gives that only meets the others


class Watched:
    """An array of which is seen what the threads of a warp do: none may touch what another writes, unless they have
    met, but write the same."""

    def __init__(self, array: np.ndarray):
        self.array = array
        self.touched: dict[
            Any, tuple[int, set[int], dict[int, Any]]
        ] = {}  # by place: epoch, who read, who wrote

    def at(self, place: Any) -> tuple[int, set[int], dict[int, Any]]:
        here, epoch = Launched.here.number % WARP, Launched.here.warp.epoch
        found = self.touched.get(place)
        if found is None or found[0] != epoch:
            found = self.touched[place] = epoch, set(), {}
        return here, *found[1:]

    def __getitem__(self, place: Any) -> Any:
        here, readers, writers = self.at(place)
        readers.add(here)
        assert not writers.keys() - {here}, f"a thread reads {place}, which another writes: they have not met"
        return self.array[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        here, readers, writers = self.at(place)
        before = self.array[place]
        self.array[place] = value
        same = np.array_equal(before, self.array[place], equal_nan=self.array.dtype.kind == "f")
        others = writers.keys() - {here}
        assert not readers - {here}, f"a thread writes {place}, which another reads: they have not met"
        assert same or not others, f"threads write {place}: they have not met"
        writers[here] = value

    def __len__(self) -> int:
        return len(self.array)

    @property
    def flat(self) -> Any:
        return self.array.flat


class Launched:
    """What `cuda.jit` makes of a kernel, its text as it is. `met`: whether threads that have met see what others wrote
    before."""

    here, met = local(), True

    def __init__(self, function: Callable[..., None]):
        self.function = function

    def __getitem__(self, shape: Sequence[Any]) -> Callable[..., None]:
        return launched(self.run, shape)

    def run(self, count: int, *given: Any) -> None:
        if not {"syncwarp", "any_sync"} & set(self.function.__code__.co_names):
            for number in range(count):
                self.lane(number, None, given)
            return
        of_warps = (self.function.__doc__ or "").startswith("A warp a lane")
        for first in range(0, count, WARP):
            seen = [Watched(a) if of_warps and isinstance(a, np.ndarray) and a.ndim else a for a in given]
            warp = Lockstep(lambda k: self.lane(first + k, warp, seen))  # noqa: B023
            warp.finish()

    def lane(self, number: int, warp: Lockstep | None, given: Sequence[Any]) -> None:
        self.here.number, self.here.warp = number, warp
        with np.errstate(all="ignore"):
            self.function(*given)


def given_by_all(value: Any) -> list[Any]:
    """What the threads of the warp give, each, where they meet."""
    return Launched.here.warp.meet(Launched.here.number % WARP, value)


def exchanged(mask: int, value: Any, distance: int) -> Any:
    return given_by_all(value)[Launched.here.number % WARP ^ distance]


def added(array: Any, place: Any, value: Any) -> None:
    """To an element, with no other thread in between: threads run one after the other."""
    array = array.array if isinstance(array, Watched) else array
    array[place] += value


def on_device(array: np.ndarray) -> OnDevice:
    return np.array(array).view(OnDevice)


def device_of(bytes_free: int) -> dict[str, Any]:
    """What numba.cuda has of a GPU of so much memory: where arrays go."""
    memory = SimpleNamespace(get_memory_info=lambda: SimpleNamespace(free=bytes_free))
    return {
        "gpus": [0],
        "to_device": on_device,
        "as_cuda_array": lambda array, sync=True: (
            array.view(OnDevice) if isinstance(array, OnDevice) else array.memory
        ),
        "device_array": lambda shape, dtype: np.zeros(shape, dtype).view(OnDevice),
        "current_context": lambda: memory,
        "get_current_device": lambda: SimpleNamespace(name="a GPU", compute_capability=(9, 0), id=0),
        "select_device": lambda number: None,
        "pinned_array": np.empty,
        "default_stream": lambda: SimpleNamespace(synchronize=lambda: None),
        "external_stream": lambda number: Stream(),
        "event": lambda timing: Event(),
        "cudadrv": SimpleNamespace(
            driver=SimpleNamespace(driver=SimpleNamespace(cuStreamCreate=lambda flags: flags))
        ),
    }


def gpu(*, bytes_free: int = 10**9) -> SimpleNamespace:
    """numba.cuda with a GPU of so much memory, whose threads are Python's."""
    return SimpleNamespace(
        jit=lambda *functions, **options: Launched(functions[0]) if functions else lambda function: function,
        fma=CUDA.fma,
        local=CUDA.local,
        shared=CUDA.shared,
        syncthreads=CUDA.syncthreads,
        threadIdx=SimpleNamespace(x=0),
        grid=lambda axes: Launched.here.number,
        syncwarp=lambda: given_by_all(MET if Launched.met else None),
        ballot_sync=lambda mask, test: sum(map(bool, given_by_all(test))),
        popc=lambda count: count,
        activemask=CUDA.activemask,
        any_sync=lambda mask, test: test if mask == ALONE else any(given_by_all(test)),
        shfl_xor_sync=exchanged,
        shfl_sync=lambda mask, value, thread: given_by_all(value)[thread],
        atomic=SimpleNamespace(add=added),
        libdevice=LIBDEVICE,
        **device_of(bytes_free),
    )


@contextmanager
def with_gpu(cuda: Any) -> Iterator[None]:
    """numba-cuda's functions are these, and it is there."""
    before = sys.modules.get("numba.cuda")
    sys.modules["numba.cuda"] = cuda  # alone: what is imported meanwhile stays
    with (
        mock.patch.object(numba, "cuda", cuda, create=True),
        mock.patch.multiple(gpu_streams, cuda=cuda, STREAMS=[]),
        mock.patch.object(launching, "cuda", cuda),
        mock.patch.object(arrivals, "cuda", cuda),
        mock.patch.object(waiting, "cuda", cuda),
        mock.patch.object(launching.importlib.util, "find_spec", lambda name: name),
    ):
        try:
            yield
        finally:
            if before is None:
                del sys.modules["numba.cuda"]
            else:
                sys.modules["numba.cuda"] = before


def run_warp(lanes: Sequence[Any], trace: Trace) -> None:
    """Generators in step: each is sent what all of them gave; None from all is where they only wait for each other."""
    with np.errstate(all="ignore"):
        given = [next(lane, StopIteration) for lane in lanes]
        while StopIteration not in given:
            if None in given:
                assert given.count(None) == len(given), "lanes of a warp are at different votes"
                trace.round()
            given = [step(lane, given) for lane in lanes]
    assert all(each is StopIteration for each in given), "a lane has left a vote"


def step(lane: Generator[Any, Any, None], given: list[Any]) -> Any:
    try:
        return lane.send(given)
    except StopIteration:
        return StopIteration


def launch(module: KernelModule, arguments: Callable[[dict[str, Any]], list[Any]], lanes: int) -> Trace:
    """All lanes, warp after warp; `arguments` are those after the lane's number, given what the module defines."""
    defined, trace = python_module(module.text), Trace()
    defined["visited"] = trace.visited
    kernel, given = defined[module.run], arguments(defined)
    for first in range(0, lanes, WARP):
        trace.begin(WARP)
        made = []
        with np.errstate(all="ignore"):
            made = [kernel(lane, *given) for lane in range(first, first + WARP)]
        if made[0] is not None:
            run_warp(made, trace)
    return trace


def run_kernel(
    machine: GpuMachine, count: int, inputs: Sequence[Any], outputs: Sequence[Any], *, stack: int = 256
) -> tuple[KernelModule, np.ndarray, Trace]:
    """The lanes of a call as warps in plain Python: the module, what each lane's failure is, and what lanes did."""
    module = machine.by_threads(InStep(), Noted())
    failed = np.full(count, NOT_RUN if module.fails else 0, np.int64)
    trace = launch(module, lambda defined: arguments(module, defined, failed, inputs, outputs, stack), count)
    return module, failed, trace


def arguments(
    module: KernelModule,
    defined: dict[str, Any],
    failed: np.ndarray,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    stack: int = 256,
) -> list[Any]:
    """What a kernel is given after the number of its lane."""
    count = len(failed)
    stacks = [np.empty((stack, count), dtype) for _, dtype in module.stacks]
    numbers = [count, *[0] * module.zero, *[1_000_000] * bool(stacks)]
    tables = [defined[name] for name in module.tables]
    return [*numbers, *[failed] * module.fails, *stacks, *tables, *inputs, *outputs]


def efficiency(trace: Trace, costs: Sequence[float]) -> float:
    """Useful lanes per issued operation: a block is issued once for all lanes of a warp that are at it at one time.

    Between votes the lanes go round one loop side by side: in round k each distinct block that lanes are at is issued.
    """
    useful = issued = 0.0
    for warp in trace.warps:
        for lanes in warp:
            for k in range(max(map(len, lanes))):
                at = [lane[k] for lane in lanes if len(lane) > k]
                useful += sum(costs[block] for block in at)
                issued += WARP * sum(costs[block] for block in set(at))
    return useful / issued
