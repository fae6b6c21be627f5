"""Chains on a GPU: where they stand stays there, and draws come to the host while the next are made.

    GPU       chains 0-24,999        draws 0-49   |  50-74  |  75-99  |
              chains 25,000-49,999       draws 0-49   |  50-74  |  75-99  |
    host                                              0-49 of the first, ...

Many chains are in groups. A chunk of draws ends with warps that wait for their longest chain; meanwhile the GPU has the
other groups' chunks, since no group waits for another.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from autobatch.cost_model import (
    CHUNK,
    CHUNK_SECONDS,
    GROUP_CHAINS,
    GROUPS,
    OVERLAPPED_BYTES,
    OVERLAPPED_SHARE,
)
from autobatch.device_arrays import copy_of, joined_rows, rows_of_tree, to_gpu, tree_on_host, tree_to_gpu
from autobatch.errors import LaneError
from autobatch.execute.threads import equal_ranges
from autobatch.mcmc.chains import Chains, Setting, chunk_room, empty_record, extended_record
from autobatch.mcmc.kernels.chain import Record
from autobatch.mcmc.kernels.pooled import Report
from autobatch.mcmc.kernels.state import State
from autobatch.streams import Streams
from codegen.gpu_arrays import is_on_gpu
from codegen.lazy import lazily

arrivals = lazily("autobatch.execute.arrivals")  # numba-cuda comes with these
gpu_streams = lazily("autobatch.execute.gpu_streams")
launching = lazily("autobatch.execute.launching")

UNDER_WAY = 3  # chunks of which draws may be on their way: with two the GPU waited for the host


def placed(setting: Setting) -> Setting:
    """With streams and data on the GPU, where each launch would take them otherwise."""
    data = tuple(to_gpu(np.ascontiguousarray(d)) if np.ndim(d) else d for d in setting.data)
    lanes, free = Streams(to_gpu(setting.lanes.state)), to_gpu(setting.free)
    return setting._replace(lanes=lanes, free=free, data=data)


def rows_of_chunk(left: int, row: int) -> int:
    """How many of the draws that are left come next, where one of all chains is `row` bytes.

    Ever fewer, since nothing is made while the last are copied; but as many as are worth a launch, at whose end lanes
    wait for others of their warp.
    """
    least = max(1, OVERLAPPED_BYTES // row)
    return left if 2 * left <= 3 * least else max(least, int(OVERLAPPED_SHARE * left))


def others_arriving(chunk: Record, aims: Record, step_size: Any) -> list[Future[None]]:
    """The jobs of having copied what has not gone to its place: step sizes, the same for all draws, are not fetched."""
    step_sizes = np.broadcast_to(np.reshape(step_size, (-1, 1)), aims.step_size.shape)
    jobs = [arrivals.COPIERS.submit(arrivals.copy_by_threads, [(step_sizes, aims.step_size)])]
    names = (name for name, made in zip(Record._fields, chunk) if is_on_gpu(made) and name != "step_size")
    if there := [(getattr(chunk, name), getattr(aims, name)) for name in names]:
        launching.wait_for_kernels()
        jobs += arrivals.arrive(there)
    return jobs


class Chunk(NamedTuple):
    """What a group has made: where it stands, its streams, the jobs of its draws' copies, and the seconds it took."""

    state: State
    words: Any
    arriving: list[Future[None]]
    seconds: float


class Group:
    """Some of the chains. Their launches follow one another, from a thread of their own, and on a stream of their own
    if there are other groups (None: on the default one). A chunk after one that failed is not made."""

    def __init__(
        self, setting: Setting, chains: Chains, some: slice, room: Any, step_size: Any, stream: Any
    ) -> None:
        per_chain = setting.sampler.adapt != "pooled"
        self.some, self.room, self.data = some, room, setting.data
        self.run: Any = setting.programs.run  # of `batch`
        self.lanes, self.state = Streams(setting.lanes.state[some]), rows_of_tree(chains.state, some)
        self.tuned, self.metric = (
            rows_of_tree(tuned, some) if per_chain else tuned for tuned in (chains.step_size, chains.metric)
        )
        self.step_size = step_size[some] if np.ndim(step_size) else step_size
        self.stream = stream
        self.thread = ThreadPoolExecutor(1, "autobatch-chains", *gpu_streams.on_this_gpu())
        self.error: BaseException | None = None

    def begin(self, n: int, aims: Record) -> Future[Chunk]:
        """The job of making `n` draws, which go to the rows of `aims` that are the group's."""
        own = Record(*(array[self.some] for array in aims))
        return self.thread.submit(contextvars.copy_context().run, self.make, n, own)

    def make(self, n: int, aims: Record) -> Chunk:
        if self.error is not None:
            raise self.error
        started = perf_counter()
        wanted = (None if name == "step_size" else aim for name, aim in zip(Record._fields, aims))
        places = *[None] * len(State._fields), *wanted
        given = self.lanes, self.state, self.tuned, self.metric, n, self.room, self.data
        try:
            with gpu_streams.launching_on(self.stream, 1 / GROUPS), arrivals.arriving_later() as jobs:
                self.state, chunk = self.run.into(places, given)
        except BaseException as error:
            self.error = error
            raise
        jobs += others_arriving(chunk, aims, self.step_size)
        return Chunk(self.state, copy_of(self.lanes.state), jobs, perf_counter() - started)


def groups_of(setting: Setting, chains: Chains, room: Any, step_size: Any) -> list[Group]:
    ranges = equal_ranges(count := len(chains.words), max(min(GROUPS, count // GROUP_CHAINS), 1))
    streams = [None] if len(ranges) == 1 else list(map(gpu_streams.stream_beside, range(len(ranges))))
    return [
        Group(setting, chains, slice(*some), room, step_size, stream) for some, stream in zip(ranges, streams)
    ]


def all_made(groups: list[Group], jobs: list[Future[Chunk]], count: int) -> list[Chunk]:
    """What the groups have made of a chunk, the draws in their places. LaneError, with the numbers that chains have
    among all, where some failed."""
    errors = [job.exception() for job in jobs]
    for error in errors:
        if error is not None and (len(groups) == 1 or not isinstance(error, LaneError)):
            raise error
    if any(errors):
        failures = [
            replace(failure, lane=group.some.start + failure.lane)
            for group, error in zip(groups, errors)
            if isinstance(error, LaneError)
            for failure in error.failures
        ]
        raise LaneError(failures, count, None)
    made = [job.result() for job in jobs]
    with launching.plain_errors():
        for job in (job for each in made for job in each.arriving):
            job.result()
    return made


def room_ahead(setting: Setting, count: int, draws: int) -> Record:
    """Room for all draws of so many chains. The system gives large arrays their memory page by page, as these are
    written; here it does so while chains start and the first draws are made."""
    record = empty_record(count, draws, setting.model, np.empty)
    arrivals.have_memory(record)
    return record


def draw_on_gpu(
    setting: Setting,
    chains: Chains,
    draws: int,
    report: Report,
    keep: Callable[[Chains], None],
    *,
    record: Record,
) -> Chains:
    """`draw_chains` on a GPU, where chains stay; draws go to `record` (room_ahead)."""
    count = len(chains.words)
    record = extended_record(chains.record, record, chains.done)
    row = sum(array[:, 0].nbytes for array in record)
    room, step_size = chunk_room(setting, count), tree_on_host(chains.step_size)
    capacity, room = len(room), to_gpu(room)
    length = min(CHUNK, capacity)
    chains = chains._replace(
        record=record,
        state=tree_to_gpu(chains.state),
        step_size=tree_to_gpu(chains.step_size),
        metric=tree_to_gpu(chains.metric),
    )
    groups = groups_of(setting, chains, room, step_size)
    under_way: deque[tuple[int, list[Future[Chunk]]]] = deque()
    begun = chains.done

    def arrive() -> None:
        """The first of those under way."""
        nonlocal chains, length
        n, jobs = under_way[0]
        try:
            made = all_made(groups, jobs, count)
        except Exception:
            wait([job for _, others in under_way for job in others])
            under_way.clear()
            raise
        under_way.popleft()
        state, words = joined_rows([m.state for m in made]), joined_rows([m.words for m in made])
        chains = chains._replace(state=state, words=words, done=chains.done + n)
        drawn = slice(chains.done - n, chains.done)
        report(n, record.n_steps[:, drawn], record.diverging[:, drawn], step_size)
        keep(chains)
        as_many = int(n * CHUNK_SECONDS / max(*(m.seconds for m in made), 1e-6))
        length = min(max(length, as_many), capacity)

    try:
        while begun < draws:
            if len(under_way) == (UNDER_WAY if length == capacity else 1):
                arrive()
            n = min(rows_of_chunk(draws - begun, row), length)
            aims = Record(*(array[:, begun : begun + n] for array in record))
            under_way.append((n, [group.begin(n, aims) for group in groups]))
            begun += n
    finally:
        while under_way:
            arrive()
        for group in groups:
            group.thread.shutdown()
    return chains
