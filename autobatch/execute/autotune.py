"""The schedule that is fastest here: machine_for : Program over lanes, Schedule -> Machine, which may measure.

    batch(f, schedule="measure")(xs)        lane after lane 4.1 ms, groups of 16 lanes 2.2 ms, of 32 lanes 1.9 ms

Every way to run the program is compiled and runs some of the lanes, on copies of their arguments: once to be compiled,
then MEASURED_ROUNDS times in turn; the best time counts. What was found is kept beside the compiled modules, for this
program, processor, number of threads and (to a power of two) number of lanes.
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

from autobatch.cost_model import MEASURED_GROUPS, MEASURED_LANES, MEASURED_RANGES, MEASURED_ROUNDS
from autobatch.execute.executor import Machine
from autobatch.kernel.module import LaneModule
from autobatch.schedule import Schedule
from codegen.backend import disk_cache
from codegen.infer.trace import Traced
from codegen.lazy import lazily

binding = lazily("llvmlite.binding")
numba = lazily("numba")


def machine_for(
    traced: Traced, shared: tuple[bool, ...], schedule: Schedule, unsized: Callable[[], Traced] | None = None
) -> Machine:
    """What runs a batched program's lanes: by the schedule, or by the one that is found to be the fastest."""
    schedule.check_on_cpu()
    kind = Autotuned if schedule.form == "measure" else Machine
    return kind(traced, shared, schedule, unsized)


class Autotuned(Machine):
    """Runs lanes by the machine that was fastest for about as many."""

    @cached_property
    def measured(self) -> dict[int, Measured]:
        """What was found the fastest, for numbers of lanes as powers of two."""
        return {}

    def explained(self, module: LaneModule) -> str:
        for found in self.measured.values():
            if module in (found.machine.lanewise, found.machine.groups):
                return f"{found.machine.explained(module)}{found}\n"
        return super().explained(module)

    def run(self, count: int, failed: Any, inputs: list[Any], outputs: list[Any]) -> LaneModule:
        if not count:
            return super().run(count, failed, inputs, outputs)
        size = count.bit_length()
        if size not in self.measured:
            self.measured[size] = Context().run(measured, self, count, inputs, outputs)  # in no profile
        return self.measured[size].machine.run(count, failed, inputs, outputs)


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


def machine_choices(machine: Machine) -> dict[str, Machine]:
    """The program with every schedule that can run it, in words."""
    plain = replace(machine.schedule, form="auto", optimize="full")
    if scheduled(machine, plain).has_host:
        found = {"by the host's calls": plain, "lane after lane": replace(plain, form="program_counter")}
    elif machine.lanewise.tiles and plain.tile is None:
        found = {f"{tile} rows at a time": replace(plain, tile=tile) for tile in MEASURED_RANGES}
    else:
        found = {"lane after lane": replace(plain, form="lanewise")}
        if machine.share > 0.0:
            found |= {f"groups of {g} lanes": replace(plain, group=g) for g in MEASURED_GROUPS}
            found["groups of 32 lanes, all in rows"] = replace(plain, group=32, layout="rows")
    return {word: scheduled(machine, schedule) for word, schedule in found.items()}


def scheduled(machine: Machine, schedule: Schedule) -> Machine:
    """The same program by another schedule."""
    return Machine(machine.traced, machine.shared, schedule, machine.unsized)


def measured(machine: Machine, count: int, inputs: Sequence[Any], outputs: Sequence[Any]) -> Measured:
    """The fastest way to run `count` lanes: as remembered, else found by running min(count, MEASURED_LANES) of them."""
    found, some = machine_choices(machine), min(count, MEASURED_LANES)
    note = timing_note(machine, count)
    if (before := disk_cache.found(note)) is not None:
        seconds = json.loads(before)
        if set(seconds) == set(found):
            return best(found, some, seconds)
    seconds = dict.fromkeys(found, np.inf)
    for turn in range(1 + MEASURED_ROUNDS):
        for word, way in found.items():
            spent = seconds_of(way, some, inputs, outputs)
            if turn > 0:
                seconds[word] = min(seconds[word], spent)
    disk_cache.put(note, json.dumps(seconds).encode())
    return best(found, some, seconds)


def best(found: Mapping[str, Machine], lanes: int, seconds: Mapping[str, float]) -> Measured:
    return Measured(found[min(seconds, key=seconds.__getitem__)], lanes, seconds)


def seconds_of(machine: Machine, some: int, inputs: Sequence[Any], outputs: Sequence[Any]) -> float:
    """How long the first lanes take, on copies: streams and results are not touched."""
    given = [x if one else x[:some].copy() for x, one in zip(inputs, machine.shared, strict=True)]
    results = [np.empty_like(o[:some]) for o in outputs]
    begun = time.perf_counter()
    machine.run(some, np.zeros(some + 2, np.int64), given, results)
    return time.perf_counter() - begun


def timing_note(machine: Machine, count: int) -> str:
    """The name of what is remembered."""
    where = (binding.get_host_cpu_name(), numba.__version__, machine.workers, count.bit_length())
    return f"{disk_cache.hashed_name(machine.name, machine.lanewise.text, *where)}.schedule"
