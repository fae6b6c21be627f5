"""The schedule that is fastest here: machine_for : Program over lanes, Schedule -> Machine, which may measure.
gpu_machine_for does the same for lanes as threads of a GPU.

    batch(f, schedule="measure")(xs)        lane after lane 4.1 ms, groups of 16 lanes 2.2 ms, of 32 lanes 1.9 ms

Every way to run the program is compiled and runs some of the lanes, on copies of their arguments: once to be compiled,
then MEASURED_ROUNDS times in turn; the best time counts. What was found is kept beside the compiled modules, for this
program, processor, number of threads and (to a power of two) number of lanes.

On a GPU lanes vote or do not, blocks are of 32 to 256 threads, and a thread has as many registers as the compiler
likes, 168 or 128. One of the three is varied after the other, from what was best: a kernel takes seconds to compile,
but for other blocks.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from autobatch.cost_model import (
    ASSUMED_LANES,
    BLOCK_MEMORY,
    MEASURED_BLOCKS,
    MEASURED_GROUPS,
    MEASURED_LANES,
    MEASURED_RANGES,
    MEASURED_REGISTERS,
    MEASURED_ROUNDS,
    MEASURED_THREADS,
)
from autobatch.execute.executor import Machine
from autobatch.execute.gpu_machine import GpuMachine, check_gpu
from autobatch.kernel.cuda.module import KernelModule
from autobatch.kernel.module import LaneModule
from autobatch.schedule import Form, Schedule
from codegen.backend import disk_cache
from codegen.infer.trace import Traced
from codegen.lazy import lazily

binding = lazily("llvmlite.binding")
numba = lazily("numba")
launching = lazily("autobatch.execute.launching")  # numba-cuda comes with it


def machine_for(
    traced: Traced, shared: tuple[bool, ...], schedule: Schedule, unsized: Callable[[], Traced] | None = None
) -> Machine:
    """What runs a batched program's lanes: by the schedule, or by the one that is found to be the fastest."""
    schedule.check_on_cpu()
    kind = AutotunedCpu if schedule.form == "measure" else Machine
    return kind(traced, shared, schedule, unsized)


def gpu_machine_for(traced: Traced, shared: tuple[bool, ...], schedule: Schedule) -> GpuMachine:
    """The same, lanes as threads of a GPU."""
    kind = AutotunedGpu if schedule.form == "measure" else GpuMachine
    return kind(traced, shared, schedule)


class Autotuned(Machine):
    """Runs lanes by the machine that was fastest for about as many."""

    most: int  # lanes that are measured

    @cached_property
    def choices(self) -> dict[str, Machine]:
        """The program with every schedule that can run it, in words."""
        raise NotImplementedError

    def next_choices(self, seconds: Mapping[str, float]) -> list[str]:
        """Which of them are to be measured now that these were; none at the end."""
        return [word for word in self.choices if word not in seconds]

    def copies(self, some: int, inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The first lanes' arguments and room for their results: streams and results are not touched."""
        given = [x if one else x[:some].copy() for x, one in zip(inputs, self.shared, strict=True)]
        return given, [np.empty_like(o[:some]) for o in outputs]

    def where(self) -> tuple[Any, ...]:
        """What the times hang on but for the program and the number of lanes."""
        raise NotImplementedError

    @cached_property
    def measured(self) -> dict[int, Measured]:
        """What was found the fastest, for numbers of lanes as powers of two."""
        return {}

    def explained(self, module: LaneModule) -> str:
        for found in self.measured.values():
            if module in map(found.machine.module_for, (found.lanes, ASSUMED_LANES)):
                return f"{found.machine.explained(module)}{found}\n"
        return super().explained(module)

    def run(self, count: int, failed: Any, inputs: list[Any], outputs: list[Any]) -> LaneModule:
        if not count:
            return super().run(count, failed, inputs, outputs)
        size = count.bit_length()
        if size not in self.measured:
            self.measured[size] = Context().run(measured, self, count, inputs, outputs)  # in no profile
        return self.measured[size].machine.run(count, failed, inputs, outputs)


class AutotunedCpu(Autotuned):
    most = MEASURED_LANES

    @cached_property
    def choices(self) -> dict[str, Machine]:
        plain = replace(self.schedule, form="auto", optimize="full")
        if self.scheduled(plain).has_host:
            found = {"by the host's calls": plain, "lane after lane": replace(plain, form="program_counter")}
        elif self.lanewise.tiles and plain.tile is None:
            found = {f"{tile} rows at a time": replace(plain, tile=tile) for tile in MEASURED_RANGES}
        else:
            found = {"lane after lane": replace(plain, form="lanewise")}
            if self.share > 0.0:
                found |= {f"groups of {g} lanes": replace(plain, group=g) for g in MEASURED_GROUPS}
                found["groups of 32 lanes, all in rows"] = replace(plain, group=32, layout="rows")
        return {word: self.scheduled(schedule) for word, schedule in found.items()}

    def scheduled(self, schedule: Schedule) -> Machine:
        """The same program by another schedule."""
        return Machine(self.traced, self.shared, schedule, self.unsized)

    def where(self) -> tuple[Any, ...]:
        return binding.get_host_cpu_name(), numba.__version__, self.workers


class AutotunedGpu(Autotuned, GpuMachine):
    most = MEASURED_THREADS

    @cached_property
    def choices(self) -> dict[str, Machine]:
        """By what is varied in turn: votes, threads of a block, registers."""
        plain = self.first
        module = self.scheduled(plain).lanewise
        assert isinstance(module, KernelModule)
        if module.products:  # they take their time in CuPy
            return {"lanes wait for products": self.scheduled(plain)}
        forms: tuple[Form, ...] = ("program_counter", "lanewise") if module.met else (plain.form,)
        blocks = (plain.block,) if self.schedule.block else MEASURED_BLOCKS
        registers = (plain.registers,) if self.schedule.registers else (None, *MEASURED_REGISTERS)
        found: dict[str, Machine] = {}
        for form in forms:
            way = "" if not module.met else "no votes, " if form == "lanewise" else "votes, "
            own = self.scheduled(replace(plain, form=form)).lanewise
            assert isinstance(own, KernelModule)
            for block in blocks:
                if (block or 0) * own.in_block <= BLOCK_MEMORY:
                    for most in registers:
                        word = f"{way}blocks of {block}" + f", {most} registers" * (most is not None)
                        found[word] = self.scheduled(replace(plain, form=form, block=block, registers=most))
        return found

    @property
    def first(self) -> Schedule:
        """From which others differ."""
        return replace(self.schedule, form="program_counter", block=self.block, optimize="full")

    def scheduled(self, schedule: Schedule) -> GpuMachine:
        return GpuMachine(self.traced, self.shared, schedule)

    def next_choices(self, seconds: Mapping[str, float]) -> list[str]:
        """Those that differ from the best in one thing, the first in which some do that were not measured."""
        best = self.choices[fastest(seconds)].schedule if seconds else self.first
        for varied in ("form", "block", "registers"):
            alike = [
                word
                for word, machine in self.choices.items()
                if replace(machine.schedule, **{varied: getattr(best, varied)}) == best
                and word not in seconds
            ]
            if alike:
                return alike
        return []

    def copies(self, some: int, inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """On the GPU: kernels are measured, not what brings them their arguments."""
        given = [
            launching.on_gpu(x) if one else launching.first_lanes(x, some)
            for x, one in zip(inputs, self.shared, strict=True)
        ]
        return given, [launching.device_array((some, *o.shape[1:]), o.dtype) for o in outputs]

    def where(self) -> tuple[Any, ...]:
        check_gpu()
        return launching.gpu_in_use()


@dataclass(frozen=True, eq=False)
class Measured:
    """The machine that was fastest, and the seconds of each for `lanes` lanes, by its schedule in words."""

    machine: Machine
    lanes: int
    seconds: Mapping[str, float]

    def __str__(self) -> str:
        times = sorted(self.seconds.items(), key=lambda item: item[1])
        listed = ", ".join(f"{word} {1e3 * seconds:.3g} ms" for word, seconds in times)
        return f"measured over {self.lanes} lanes: {listed}"


def measured(machine: Autotuned, count: int, inputs: Sequence[Any], outputs: Sequence[Any]) -> Measured:
    """The fastest way to run `count` lanes: as remembered, else found by running the first `machine.most` of them."""
    some = min(count, machine.most)
    note = timing_note(machine, count)
    if (before := disk_cache.found(note)) is not None:
        seconds = json.loads(before)
        if seconds and seconds.keys() <= machine.choices.keys():
            return Measured(machine.choices[fastest(seconds)], some, seconds)
    seconds = {}
    while words := machine.next_choices(seconds):
        spent = dict.fromkeys(words, np.inf)
        for turn in range(1 + MEASURED_ROUNDS):
            for word in words:
                took = seconds_of(machine.choices[word], some, *machine.copies(some, inputs, outputs))
                spent[word] = min(spent[word], took if turn > 0 else np.inf)
        seconds |= spent
    disk_cache.put(note, json.dumps(seconds).encode())
    return Measured(machine.choices[fastest(seconds)], some, seconds)


def fastest(seconds: Mapping[str, float]) -> str:
    return min(seconds, key=seconds.__getitem__)


def seconds_of(machine: Machine, some: int, given: list[Any], results: list[Any]) -> float:
    begun = time.perf_counter()
    machine.run(some, machine.codes(some), given, results)
    machine.wait()
    return time.perf_counter() - begun


def timing_note(machine: Autotuned, count: int) -> str:
    """The name of what is remembered."""
    where = (*machine.where(), count.bit_length())
    return f"{disk_cache.hashed_name(machine.name, machine.lanewise.text, *where)}.schedule"
