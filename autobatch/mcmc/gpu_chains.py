"""Chains on a GPU: where they stand stays there, and draws come to the host while the next are made.

    GPU       draws 0-49   |  50-74  |  75-99  |
    host                      0-49   |  50-74  |  75-99

Those of a chunk come in parts, some chains at a time (execute/arrivals.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from time import perf_counter
from typing import Any

import numpy as np

from autobatch.cost_model import CHUNK, CHUNK_SECONDS, OVERLAPPED_BYTES, OVERLAPPED_SHARE
from autobatch.device_arrays import copy_of, to_gpu, tree_on_host, tree_to_gpu
from autobatch.mcmc.chains import Chains, Setting, chunk_room, empty_record, extended_record
from autobatch.mcmc.kernels.chain import Record
from autobatch.mcmc.kernels.pooled import Report
from autobatch.mcmc.kernels.state import State
from autobatch.streams import Streams
from codegen.gpu import is_on_gpu
from codegen.lazy import lazily

arrivals = lazily("autobatch.execute.arrivals")  # numba-cuda comes with these
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


def draw_on_gpu(
    setting: Setting, chains: Chains, draws: int, report: Report, keep: Callable[[Chains], None]
) -> Chains:
    """`draw_chains` on a GPU, where chains stay."""
    if chains.done >= draws:
        return chains
    count = len(chains.words)
    record = extended_record(chains.record, empty_record(count, draws, setting.model), chains.done)
    row = sum(array[:, 0].nbytes for array in record)
    room, step_size = chunk_room(setting, count), tree_on_host(chains.step_size)
    capacity, room = len(room), to_gpu(room)
    length = min(CHUNK, capacity)
    under_way: deque[tuple[Chains, int, list[Future[None]]]] = deque()
    run: Any = setting.programs.run  # of `batch`
    metric, tuned = tree_to_gpu(chains.metric), tree_to_gpu(chains.step_size)
    chains = chains._replace(record=record, state=tree_to_gpu(chains.state))

    def arrive() -> None:
        """The first of those under way."""
        then, n, jobs = under_way[0]
        with launching.plain_errors():
            for job in jobs:
                job.result()
        under_way.popleft()
        made = slice(then.done - n, then.done)
        report(n, record.n_steps[:, made], record.diverging[:, made], step_size)
        keep(then)

    try:
        while chains.done < draws:
            n, started = min(rows_of_chunk(draws - chains.done, row), length), perf_counter()
            if len(under_way) == UNDER_WAY:
                arrive()
            aims = Record(*(array[:, chains.done : chains.done + n] for array in record))
            wanted = (None if name == "step_size" else aim for name, aim in zip(Record._fields, aims))
            places = *[None] * len(State._fields), *wanted
            with arrivals.arriving_later() as jobs:
                state, chunk = run.into(
                    places, (setting.lanes, chains.state, tuned, metric, n, room, setting.data)
                )
            jobs += others_arriving(chunk, aims, step_size)
            chains = chains._replace(state=state, words=copy_of(setting.lanes.state), done=chains.done + n)
            under_way.append((chains, n, jobs))
            as_many = int(n * CHUNK_SECONDS / max(perf_counter() - started, 1e-6))
            length = min(max(length, as_many), capacity)
    finally:
        while under_way:
            arrive()
    return chains
