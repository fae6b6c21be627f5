"""Lanes over threads: over_threads : run, ranges -> every range run once; from_queue : run, count -> every lane once.

    over_threads(run, 2, [(0, 256), (256, 448), ..., (1008, 1024)])
    from_queue(run, 2, 1024, 32)

Threads take the ranges in order, each as it comes free, and share nothing that is written; or they take lanes, of which
they share the number of the next.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from threading import get_native_id
from time import perf_counter
from typing import Any

import numpy as np

WAKING = 1.2e-4  # seconds of work, below which waking a second thread takes what it saves
MOST = 12  # parts of the lanes for each thread, at most


def workers_of(threads: int | None) -> int:
    return threads or len(processors())


def processors() -> set[int]:
    """Those that this process may use."""
    return os.sched_getaffinity(0) if sys.platform == "linux" else set(range(os.cpu_count() or 1))


def equal(count: int, pieces: int) -> list[tuple[int, int]]:
    """`pieces` ranges, or as many as there are lanes."""
    pieces = max(1, min(count, pieces))
    return list(pairwise(count * k // pieces for k in range(pieces + 1)))


def shorter(count: int, workers: int, whole: int) -> list[tuple[int, int]]:
    """Ever shorter ranges, so that no thread waits long for the last; of groups of `whole` lanes."""
    if workers == 1:
        return equal(count, 1)
    found, first = [], 0
    while first < count:
        wanted = max((count - first) // (2 * workers), count // (MOST * workers), 1)
        last = min(first + -(-wanted // whole) * whole, count)
        found.append((first, last))
        first = last
    return found


def over_threads(
    run: Callable[[int, int], None], workers: int, ranges: Sequence[tuple[int, int]], *, light: bool = False
) -> None:
    """run(first, last) for all ranges.

    The calling thread works too, and is done without the others where it has run all ranges before they come. `light`:
    the work may not be worth waking them, which the last range, run first, is to tell.
    """
    left = deque(ranges)
    workers = min(workers, len(left))
    if workers > 1 and light:
        first, last = left.pop()
        if is_short(partial(run, first, last), first / (last - first)):
            run(left[0][0], left[-1][1])
            return
    work_off(run, workers, left)


def from_queue(
    run: Callable[[np.ndarray, int], None], workers: int, count: int, whole: int, *, light: bool = False
) -> None:
    """run(coming, count) on as many threads as groups of `whole` lanes are worth; they all take lanes off `coming`.

    `coming` is an array of one number, of the lane that comes next. `light`: as for `over_threads`; there the first
    group is to tell.
    """
    workers, first = min(workers, -(-count // whole)), 0
    if workers > 1 and light:
        first = whole
        if is_short(partial(run, np.zeros(1, np.int64), first), (count - first) / first):
            workers = 1
    coming = np.full(1, first)
    work_off(run, workers, deque([(coming, count)] * workers))


def work_off(run: Callable[[Any, int], None], workers: int, left: deque[tuple[Any, int]]) -> None:
    """run(first, last) for all that is left, which other threads are woken for; they are not waited for in vain."""

    def work() -> None:
        while left:
            try:
                first, last = left.popleft()
            except IndexError:  # another thread took the last
                return
            run(first, last)

    if workers <= 1:
        work()
        return
    pool = pool_of(workers)
    pool.keep_off(here())
    others = [pool.threads.submit(work) for _ in range(workers - 1)]
    try:
        work()
    finally:
        left.clear()
        for other in others:
            if not other.cancel():
                other.result()


def is_short(run: Callable[[], None], left: float) -> bool:
    """Runs a part of the work; whether the rest, `left` times as much, takes less than waking a thread."""
    begun = perf_counter()
    run()
    return (perf_counter() - begun) * left < WAKING


class Pool:
    """Threads that are kept from one call to the next: starting them costs more than many a call."""

    def __init__(self, workers: int):
        self.ids: list[int] = []
        self.settled: object = None  # for which processors and threads `keep_off` was called last
        self.threads = ThreadPoolExecutor(workers, thread_name_prefix="autobatch", initializer=self.started)

    def started(self) -> None:
        """In each thread, first."""
        self.ids.append(get_native_id())

    def keep_off(self, processor: int) -> None:
        """Keeps the threads off a processor, the caller's, where they may use others.

        A scheduler may queue a thread behind the one that woke it, for 10 ms, with another processor idle.
        """
        allowed = processors()
        others, wanted = allowed - {processor}, (processor, allowed, len(self.ids))
        if processor < 0 or not others or wanted == self.settled:
            return
        with suppress(OSError):  # where that is not ours to say
            for thread in list(self.ids):
                os.sched_setaffinity(thread, others)
        self.settled = wanted


@cache
def pool_of(workers: int) -> Pool:
    return Pool(workers)


GETCPU = getattr(ctypes.CDLL(None), "sched_getcpu", None) if sys.platform == "linux" else None


def here() -> int:
    """The number of the processor that this thread runs on; -1 where the system does not say."""
    return -1 if GETCPU is None else GETCPU()


os.register_at_fork(after_in_child=pool_of.cache_clear)  # a child has none of its parent's threads
