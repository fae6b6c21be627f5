"""Chains on a GPU: where they stand stays there, and draws come to the host while the next are made.

    GPU       draws 0-39   |  40-63  |  64-78  | ...
    bus, threads           |  0-39   |  40-63  | ...        by way of page-locked memory, to their place in the record

The record is memory that the system has yet to give out, page by page as it is first written, which takes as long as
the copies: it is written once while the GPU is at the first draws (or the warm-up).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from math import prod
from time import perf_counter
from typing import Any

import numpy as np

from autobatch.cost_model import CHUNK, CHUNK_SECONDS, OVERLAPPED_BYTES, OVERLAPPED_SHARE
from autobatch.device_arrays import (
    bytes_free,
    copy_of,
    empty_there,
    to_gpu,
    tree_on_host,
    tree_to_gpu,
)
from autobatch.execute.threads import equal_ranges, over_threads, workers_of
from autobatch.mcmc.chains import Chains, Setting, chunk_room, empty_record, extended_record
from autobatch.mcmc.kernels.chain import Record
from autobatch.mcmc.kernels.pooled import Report
from autobatch.mcmc.kernels.state import State
from autobatch.streams import Streams
from codegen.lazy import lazily

launching = lazily("autobatch.execute.launching")  # numba-cuda comes with it

PAGE = 4096  # bytes
PAGES = 1024  # that a thread writes to at a time: for fewer than 500 NumPy does not let others run
SPARE = 0.4  # of the GPU's memory that is free, which draws on their way take


def placed(setting: Setting) -> Setting:
    """With streams and data on the GPU, where each launch would take them otherwise."""
    data = tuple(to_gpu(np.ascontiguousarray(d)) if np.ndim(d) else d for d in setting.data)
    lanes, free = Streams(to_gpu(setting.lanes.state)), to_gpu(setting.free)
    return setting._replace(lanes=lanes, free=free, data=data)


class Arrivals:
    """Draws of a record's chains on their way to it, by a thread of its own and those of the pool.

    `fresh`: no element of the record has been written, or is before the first draws arrive.
    """

    def __init__(self, record: Record, *, fresh: bool = True):
        self.record = record
        self.thread = ThreadPoolExecutor(1, "autobatch-arrivals")
        if fresh:
            self.thread.submit(touch, record)

    def take(self, chunk: Record, places: slice, step_size: Any) -> Future[None]:
        """Has the draws of a chunk copied from the GPU to their places; step sizes, the same for all, are not."""
        return self.thread.submit(self.copy, chunk, places, step_size)

    def copy(self, chunk: Record, places: slice, step_size: Any) -> None:
        aims = Record(*(array[:, places] for array in self.record))
        by_all_threads(aims.step_size, np.broadcast_to(np.reshape(step_size, (-1, 1)), aims.step_size.shape))
        pairs = zip(Record._fields, chunk, aims, strict=True)
        launching.in_stages([(part, aim) for name, part, aim in pairs if name != "step_size"], by_all_threads)


def touch(record: Record) -> None:
    """Writes a zero to each page of new arrays."""
    starts = (array.reshape(-1).view(np.uint8)[::PAGE] for array in record)
    pieces = [pages[first : first + PAGES] for pages in starts for first in range(0, len(pages), PAGES)]

    def of_some(first: int, last: int) -> None:
        for piece in pieces[first:last]:
            piece[...] = 0

    over_threads(of_some, workers_of(None), equal_ranges(len(pieces), len(pieces)))


def by_all_threads(aim: np.ndarray, source: np.ndarray) -> None:
    def of_some(first: int, last: int) -> None:
        np.copyto(aim[first:last], source[first:last])

    over_threads(of_some, workers_of(None), equal_ranges(len(aim), workers_of(None)))


class ChunkMemory:
    """Memory of the GPU for the draws of a chunk: the same for chunks of any length, as long as they fit."""

    def __init__(self) -> None:
        self.bytes: Any = None

    def record(self, like: Record, rows: int) -> Record:
        """Arrays there, for so many draws of each chain of a record."""
        shapes = [(len(array), rows, *array.shape[2:]) for array in like]
        sizes = [prod(shape) * array.itemsize for shape, array in zip(shapes, like)]
        ends = list(accumulate(-(-size // PAGE) * PAGE for size in sizes))
        if self.bytes is None or len(self.bytes) < ends[-1]:
            self.bytes = None  # before there is more
            self.bytes = empty_there((ends[-1],), np.uint8)
        first = zip([0, *ends], sizes, shapes, like)
        return Record(*(self.bytes[k : k + n].view(a.dtype).reshape(shape) for k, n, shape, a in first))


def rows_of_chunk(left: int, row: int) -> int:
    """How many of the draws that are left come next, where one of all chains is `row` bytes.

    Ever fewer, since nothing is made while the last are copied; but as many as are worth a launch, at whose end lanes
    wait for others of their warp.
    """
    least = max(1, OVERLAPPED_BYTES // row)
    return left if 2 * left <= 3 * least else max(least, int(OVERLAPPED_SHARE * left))


def draw_on_gpu(
    setting: Setting,
    chains: Chains,
    draws: int,
    report: Report,
    keep: Callable[[Chains], None],
    arrivals: Arrivals | None = None,
) -> Chains:
    """`draw_chains` on a GPU, where they stay; `arrivals`: where draws go, if that is there already."""
    if chains.done >= draws:
        return chains
    count = len(chains.words)
    if arrivals is None:
        record = extended_record(chains.record, empty_record(count, draws, setting.model), chains.done)
        arrivals = Arrivals(record, fresh=False)
    record, room, step_size = arrivals.record, chunk_room(setting, count), tree_on_host(chains.step_size)
    row = sum(array[:, 0].nbytes for array in record)
    capacity = max(min(len(room), int(SPARE * bytes_free()) // (2 * row)), 1)
    length, room = min(CHUNK, capacity), to_gpu(room)
    under_way: deque[tuple[Chains, int, Future[None]]] = deque()
    memories = ChunkMemory(), ChunkMemory()
    run: Any = setting.programs.run  # of `batch`
    metric, tuned = tree_to_gpu(chains.metric), tree_to_gpu(chains.step_size)
    chains = chains._replace(record=record, state=tree_to_gpu(chains.state))

    def arrive() -> None:
        """The first of those under way."""
        then, n, job = under_way[0]
        job.result()
        under_way.popleft()
        made = slice(then.done - n, then.done)
        report(n, record.n_steps[:, made], record.diverging[:, made], step_size)
        keep(then)

    try:
        while chains.done < draws:
            n, started = min(rows_of_chunk(draws - chains.done, row), length), perf_counter()
            if len(under_way) == len(memories):
                arrive()
            memories = memories[::-1]
            places = *[None] * len(State._fields), *memories[0].record(record, n)
            state, chunk = run.into(
                places, (setting.lanes, chains.state, tuned, metric, n, room, setting.data)
            )
            launching.wait_for_kernels()
            job = arrivals.take(chunk, slice(chains.done, chains.done + n), step_size)
            chains = chains._replace(state=state, words=copy_of(setting.lanes.state), done=chains.done + n)
            under_way.append((chains, n, job))
            as_many = int(n * CHUNK_SECONDS / max(perf_counter() - started, 1e-6))
            length = min(max(length, as_many), capacity)
    finally:
        while under_way:
            arrive()
    return chains
