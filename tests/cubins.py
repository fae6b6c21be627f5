"""Kernels compiled to machine code of a GPU without one, by numba-cuda's compiler: registers and spills."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import parted_programs as parted
from chains_as_threads import chain_machine
from corpus import Case
from first_autobatcher import PROGRAMS as FIRST
from first_autobatcher import label
from first_autobatcher import lanes_of as lanes_in
from lane_programs import PROGRAMS, lanes_of, of_case
from lanes_as_threads import NUTS, SPELLED, UNSIZED, given, machine_of, nuts_machine
from seeded_programs import ON_A_GPU, is_of_lanes, lane
from waiting_programs import STARTS, X, climbed, walked, y
from warp_programs import OWN, drawn

from autobatch import streams
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.kernel.cuda.module import KernelModule
from codegen.ir import Type


@dataclass(frozen=True)
class Cubin:
    """What a kernel takes: registers and bytes of local memory of a thread, bytes spilled; seconds of a processor."""

    registers: int
    local: int
    spilled: int
    seconds: float


@contextmanager
def device(capability: tuple[int, int]) -> Iterator[None]:
    """numba-cuda asks for a device to compile what a kernel calls: it is told of one."""
    found = SimpleNamespace(compute_capability=capability)
    context = SimpleNamespace(device=found)
    with (
        mock.patch("numba.cuda.dispatcher.get_current_device", lambda: found),
        mock.patch("numba.cuda.cudadrv.devices.get_context", lambda *number: context),
    ):
        yield


def cubin(machine: GpuMachine, capability: tuple[int, int]) -> tuple[KernelModule, Cubin]:
    """The kernel of a program, compiled for GPUs of this compute capability."""
    module, (made, *_) = cubins(machine, capability)
    return module, made


def cubins(machine: GpuMachine, capability: tuple[int, int]) -> tuple[KernelModule, list[Cubin]]:
    """Its kernel, and those of the loops at which its lanes wait."""
    module = machine.by_threads()
    defined: dict[str, Any] = {"__name__": "kernel"}
    exec(compile(module.text, "kernel", "exec"), defined)
    lanes, places, *given = signature(machine, module)
    arrays = given[1:]  # without the counters
    types = [
        (lanes, places, *given),
        *((lanes, places, *(arrays[k] for k in loop.given)) for loop in module.loops),
    ]
    listed = zip(module.functions, types, strict=True)
    return module, [compiled(defined[name].py_func, given, capability) for name, given in listed]


def compiled(kernel: Any, given: tuple[Any, ...], capability: tuple[int, int]) -> Cubin:
    from cuda.core import Linker, LinkerOptions, ObjectCode
    from numba import cuda

    begun = process_time()
    with device(capability):
        ptx, _ = cuda.compile(kernel, given, device=False, abi="numba", cc=capability)
    options = LinkerOptions(arch="sm_{}{}".format(*capability), ptxas_options=["-v"])
    linker = Linker(ObjectCode.from_ptx(ptx.encode()), options=options)
    linker.link("cubin")
    said = linker.get_info_log()
    return Cubin(
        number(r"Used (\d+) registers", said),
        number(r"(\d+) bytes stack frame", said),
        max(number(r"(\d+) bytes spill stores", said), number(r"(\d+) bytes spill loads", said)),
        process_time() - begun,
    )


def number(pattern: str, text: str) -> int:
    found = re.findall(pattern, text)
    assert found, text
    return max(map(int, found))


def signature(machine: GpuMachine, module: KernelModule) -> tuple[Any, ...]:
    """The types of a kernel's arguments, as launches give them."""
    from numba import types
    from numba.np.numpy_support import from_dtype

    def array(dtype: str, rank: int) -> Any:
        return types.Array(from_dtype(np.dtype(dtype)), rank, "C")

    def argument(type_: Type, shared: bool) -> Any:
        if type_.dtype == "rng":
            return array("u8", 2)
        rank = type_.rank if shared else 1 + bool(type_.rank)
        return array(type_.dtype, rank) if rank else from_dtype(np.dtype(type_.dtype))

    program = machine.traced.program.entry
    numbers = [types.int64] * (module.zero + bool(module.stacks))
    waits = [array("i8", 1)] * 2 * bool(module.products) + [array(dtype, 2) for dtype, _ in module.kept]
    stacks = (array(dtype, 2) for _, dtype in module.stacks)
    tables = (array("f8", 2) for _ in module.tables)
    inputs = (argument(p.type, one) for p, one in zip(program.params, machine.shared, strict=True))
    outputs = (argument(r.type, False) for r in program.body.results if r.type.dtype != "rng")
    failed = [array("i8", 1)] * module.fails
    return (types.int64, *waits, *numbers, *failed, *stacks, *tables, *inputs, *outputs)


def own_lane(more: tuple[Any, ...]) -> tuple[Any, ...]:
    return STARTS[0], X, *more


CAPABILITIES = {"sm_80": (8, 0), "sm_90": (9, 0)}
CEILINGS = Path(__file__).parent / "golden" / "cuda_registers.json"
WAITING = {
    "climbed": (climbed, lambda: (STARTS[0], X, y, 3), (False, True, True, False)),
    "walked": (walked, lambda: (streams(1, 1)[0], STARTS[0], X, y, 3), (False, False, True, True, False)),
    "logistic": (parted.slopes, lambda: (Q, *parted.DATA), (False, True, True)),
    "reduced": (parted.reduced, lambda: (Q, 1.0, *parted.DATA), (False, False, True, True)),
    "in_turn": (parted.in_turn, lambda: (Q, parted.X), (False, True)),
    "side_by_side": (parted.side_by_side, lambda: (Q, parted.X), (False, True)),
    "by_rows": (parted.by_rows, lambda: (Q, parted.X, parted.CENTRES), (False, True, True)),
    "drawn": (drawn, lambda: (streams(1, 1)[0], STARTS[0], X, 3), (False, False, True, False)),
    **{
        f"own {name}": (f, partial(own_lane, more), (False, *[True] * (1 + len(more))))
        for name, (f, more) in OWN.items()
    },
    "checked": (parted.checked, lambda: (Q, 0.5, *parted.DATA), (False, False, True, True)),
}
Q = parted.STARTS[0]
SMALL = 96  # registers, up to which a kernel that spills nothing has no line of its own


def machines() -> dict[str, Callable[[], GpuMachine]]:
    """All that is compiled: the corpus, the programs of the first autobatcher, NUTS written three times, the
    library's sampler."""
    found = {case.name: partial(of_corpus, case) for case in PROGRAMS if case.name not in UNSIZED}
    for function, listed, shared in FIRST:
        made = partial(of_first, function, listed, shared)
        found[f"first {label((function, listed, shared))}"] = made
    for name, (function, columns) in SPELLED.items():
        found[name] = partial(machine_of, function, tuple(columns[:, 0]), (False,) * len(columns))
    found |= {f"NUTS {name}": partial(nuts_machine, name) for name in NUTS}
    found |= {f"waiting {name}": partial(waiting_machine, name) for name in WAITING}
    for function, lanes in ON_A_GPU:
        shared = [not is_of_lanes(a) for a in lanes]
        found[f"seeded {function.__name__}"] = partial(machine_of, function, tuple(lane(lanes, 0)), shared)
    return found | {f"chains {name}": partial(chain_machine, name) for name in ("run", "advance")}


def waiting_machine(name: str) -> GpuMachine:
    function, lane, shared = WAITING[name]
    return machine_of(function, lane(), shared)


def of_corpus(case: Case) -> GpuMachine:
    return given(of_case(case)).on_gpu


def of_first(function: Any, listed: Any, shared: Any) -> GpuMachine:
    return given(lanes_of(function, lambda: lanes_in(listed), shared)).on_gpu


def measured(name: str) -> dict[str, list[int]]:
    machine = machines()[name]()
    return {arch: list(most(cubins(machine, capability)[1])) for arch, capability in CAPABILITIES.items()}


def most(made: Sequence[Cubin]) -> tuple[int, int]:
    """What the kernels of one program take at most: registers, and bytes that are spilled."""
    return max(each.registers for each in made), max(each.spilled for each in made)


def main() -> None:
    """Writes the ceilings of all kernels that are not small, as they are measured."""
    names = list(machines())
    with ProcessPoolExecutor(2) as pool:
        found = dict(zip(names, pool.map(measured, names)))
    large = {n: f for n, f in found.items() if any(r > SMALL or s for r, s in f.values())}
    CEILINGS.write_text(json.dumps(large, indent=1) + "\n")


if __name__ == "__main__":
    main()
