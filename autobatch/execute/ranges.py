"""All lanes of a call by one module, ranges of them over threads: in_threads : Machine, LaneModule, ... -> None."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any, Protocol

from threadpoolctl import ThreadpoolController

from autobatch.cost_model import WAITING_LANES, WAKING_SECONDS
from autobatch.execute.signals import heard, in_main_thread
from autobatch.execute.stacks import with_stacks
from autobatch.execute.threads import (
    First,
    equal_ranges,
    from_queue,
    in_thread,
    over_threads,
    shrinking_ranges,
)
from autobatch.kernel.module import LaneModule
from autobatch.schedule import STACKS
from codegen.recursion.depth_check import STACK

WATCH: ContextVar[Callable[..., None] | None] = ContextVar("watch", default=None)
"""What runs lanes in place of `in_threads`, given the same, while a call is profiled (profile.py)."""


class Runner(Protocol):
    """What of `executor.Machine` is asked for here."""

    @property
    def pace(self) -> dict[LaneModule, float]: ...

    @property
    def workers(self) -> int: ...

    def function(self, module: LaneModule) -> Callable[..., Any]: ...


def in_threads(machine: Runner, module: LaneModule, count: int, *arguments: Any) -> None:
    """All lanes, ranges of them in parallel."""
    if (watch := WATCH.get()) is not None:
        watch(machine, module, count, *arguments)
        return

    def run(first: First, last: int) -> None:
        over_range(machine, module, first, last, arguments)

    failed = arguments[1]
    run_ranges(machine, module, count, run, early=True, stop=lambda: failed.__setitem__(-2, 1))


def on_large_stack(machine: Runner, module: LaneModule, count: int, *arguments: Any) -> None:
    """All lanes, one after the other in a thread with room for the deepest; failed are all where there is none."""
    failed, watch = arguments[1], WATCH.get()

    def run() -> None:
        if watch is None:
            over_range(machine, module, 0, count, arguments)
        else:
            alone: Any = machine
            watch(replace(alone, schedule=replace(alone.schedule, threads=1)), module, count, *arguments)

    def stop() -> None:
        failed[-2] = 1

    if not in_thread(run, STACKS + STACK, stop):
        failed[:-2] = -1


def run_ranges(
    machine: Runner,
    module: LaneModule,
    count: int,
    run: Callable[[First, int], None],
    *,
    early: bool,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """run(first, last) for all lanes: those that share products want company, groups want to be whole.

    `early`: run is of no more use to the caller when what is compiled has ended. `stop` has all threads end soon.
    """
    if count == 1 and not module.together:  # what follows costs more than a short lane
        run(0, 1)
        return
    workers = machine.workers
    if module not in machine.pace:
        run(0, 0)  # compiled once, before the threads
    spent: list[float] = []

    def timed(first: First, last: int) -> None:
        begun = perf_counter()
        run(first, last)
        spent.append(perf_counter() - begun)

    light = machine.pace.get(module, 0.0) * count < WAKING_SECONDS
    if module.together:
        with thread_libraries().limit(limits=1, user_api="blas") if workers > 1 else nullcontext():
            over_threads(
                timed, workers, equal_ranges(count, max(workers, -(-count // WAITING_LANES))), stop=stop
            )
    elif module.queued:
        few, group = module.few, module.group
        spent.append(from_queue(run, workers, count, few, group, light=light, early=early, stop=stop))
    else:
        over_threads(timed, workers, shrinking_ranges(count, workers, module.group), light=light, stop=stop)
    machine.pace[module] = sum(spent) / max(count, 1)


@cache
def thread_libraries() -> ThreadpoolController:
    """The libraries with threads of their own: looking for them takes 2 ms, and BLAS is loaded when products run."""
    return ThreadpoolController()


def over_range(
    machine: Runner, module: LaneModule, first: First, last: int, arguments: tuple[Any, ...]
) -> None:
    """Lanes first to last, with stacks that grow when one of them needs it; signals are attended to."""
    function = machine.function(module)
    limit, failed, *rest = arguments
    if in_main_thread():
        heard(lambda: with_stacks(function, module, first, last, arguments), failed[-1:])
    else:
        with_stacks(function, module, first, last, (limit, failed[:-1], *rest))
