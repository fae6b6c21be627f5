"""Programs of the corpus as kernels, and what their lanes are given: by the warp in plain Python, and by Numba."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from lane_programs import Lanes, equal

import iterative_nuts
import recursive_nuts
import works
from autobatch import streams
from autobatch.execute.executor import Machine
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.kernel.module import LaneModule
from autobatch.schedule import Schedule
from codegen.infer.trace import Traced, trace
from codegen.ir import Type
from codegen.pytree import describe, known_size
from codegen.runtime import state_of

# Arrays whose size would be another one in each lane: refused on the CPU too.
UNSIZED = {"reading_elements", "reading_matrices", "arrays_that_grow", "sized_draws", "recurrence_in_place"}
UNSIZED |= {"view_of_a_view_in_a_loop"}


NUTS = {
    "recursive": recursive_nuts.chain,
    "twigs": recursive_nuts.twigs,
    "iterative": iterative_nuts.chain,
}
"""scripts/peers' algorithm for eight schools: plain recursion, the same down to two leaves, a loop over leaves."""


def nuts_arguments(chains: int, draws: int) -> tuple[Any, ...]:
    """Where the chains start, and what they share."""
    start = works.schools_start(chains)
    u = np.column_stack([start.mu, start.log_tau, start.theta_trans])
    return u, draws, works.STEP_SIZE["eight_schools"], works.SCHOOLS_Y, works.SCHOOLS_SIGMA


def nuts_machine(name: str) -> GpuMachine:
    u, *rest = nuts_arguments(1, 1)
    return machine_of(NUTS[name], (streams(1, 1)[0], u[0], *rest), (False, False, True, True, True, True))


def machine_of(function: Any, lane: Any, shared: Sequence[bool]) -> GpuMachine:
    """What runs a function on a GPU, for lanes like this one."""
    traced = trace(function, tuple(describe(a, known_size) for a in lane), known_sizes=True, writes=True)
    hidden = (True,) * (len(traced.program.entry.params) - len(shared))
    return GpuMachine(traced, (*shared, *hidden), Schedule())


def of_ints(n):
    whole = np.reciprocal(n), np.sign(n), np.floor(n), n * n, n**2, abs(n), np.square(n)
    return *whole, max(n, 2), np.maximum(n, 3)


def of_floats(x):
    rounded = np.floor(x), np.rint(x), np.trunc(x), np.ceil(x), np.nextafter(x, 9.0), np.ldexp(x, 3)
    powers = (
        np.cbrt(x),
        np.square(x),
        x**2,
        x**3,
        x**4,
        x**-2,
        np.reciprocal(x),
        np.exp2(x),
        np.log2(abs(x) + 1),
    )
    return *rounded, *powers, np.sign(x), np.signbit(x), max(x, 0.5), min(x, 0.5), np.abs(x)


def of_two(x, y):
    return x % y, x // y, np.fmod(x, y), abs(x) ** y, np.copysign(x, y), np.hypot(x, y), np.arctan2(x, y)


FLOATS, OTHERS = (1.5, -2.25, 0.1, -0.7, np.nan), (2.0, -0.5, 3.0, 0.25, 1.0)
SPELLED = {
    **{f"ints {d}": (of_ints, np.array([[1, 2, 5, 7]], d)) for d in ("i8", "i4", "i1", "u1")},
    **{f"floats {d}": (of_floats, np.array([FLOATS], d)) for d in ("f8", "f4")},
    **{f"two {d}": (of_two, np.array([FLOATS, OTHERS], d)) for d in ("f8", "f4")},
}
"""Functions of numbers whose rows have a word for threads, or that Numba has another way there; and their lanes."""


@dataclass
class Given:
    """Lanes' arguments as kernels take them, and where their results go."""

    lanes: Lanes
    count: int
    inputs: list[Any]
    outputs: list[np.ndarray]
    failed: Any = None

    @property
    def shared(self) -> tuple[bool, ...]:
        return tuple(not over for over in self.lanes.over)

    @property
    def traced(self) -> Traced:
        return Traced(self.lanes.program, (), ())

    @property
    def on_gpu(self) -> GpuMachine:
        return GpuMachine(self.traced, self.shared, Schedule())

    @property
    def on_cpu(self) -> Machine:
        """By program counter, few lanes one after the other; not by the host's calls, whose sums are other ones."""
        return Machine(self.traced, self.shared, Schedule("program_counter"))

    def agree(self, failed: Sequence[int], module: LaneModule) -> None:
        """Each lane has what it is to have: its results, its stream where it is to be, or its exception."""
        params = self.lanes.program.entry.params
        for k, wanted in enumerate(self.lanes.wanted()):
            if isinstance(wanted, Exception):
                assert failed[k] > 0 and module.sites[failed[k] - 1].exception == type(wanted).__name__
                continue
            assert failed[k] == 0
            numbers = iter(self.outputs)
            streams = (x for x, p in zip(self.inputs, params) if p.type.dtype == "rng")
            for one in wanted:
                if isinstance(one, np.random.Generator):
                    np.testing.assert_array_equal(next(streams)[k], state_of(one))
                else:
                    equal(next(numbers)[k].reshape(np.shape(one)), one)


def given(lanes: Lanes) -> Given:
    params, results = lanes.program.entry.params, lanes.program.entry.body.results
    columns = zip(lanes.stacked(), lanes.over, params, strict=True)
    inputs = [as_given(value, over, p.type) for value, over, p in columns]
    count = len(lanes.arguments())
    outputs = [
        np.zeros((count, prod(r.type.shape)) if r.type.rank else count, r.type.dtype)
        for r in results
        if r.type.dtype != "rng"
    ]
    return Given(lanes, count, inputs, outputs)


def as_given(value: Any, over: bool, type_: Type) -> Any:
    """An argument, its own of each lane in a row."""
    if type_.dtype == "rng":
        return np.stack([state_of(generator) for generator in value])
    if not over:
        return np.ascontiguousarray(value) if type_.rank else value
    return np.ascontiguousarray(value.reshape(len(value), -1) if value.ndim > 1 else value)
