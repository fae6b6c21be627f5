"""Ranges of lanes over threads: over_threads : run, ranges -> every range run once.

    over_threads(run, 2, [(0, 256), (256, 448), ..., (1008, 1024)])

Threads take the ranges in order, each as it comes free. They share nothing that is written.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from time import perf_counter

WAKING = 2e-4  # seconds: what a second thread costs, and more
MOST = 12  # parts of the lanes for each thread, at most


def workers_of(threads: int | None) -> int:
    return threads or len(os.sched_getaffinity(0))


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
    if workers > 1 and light and is_short(run, left):
        run(left[0][0], left[-1][1])
        return

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
    others = [pool(workers).submit(work) for _ in range(workers - 1)]
    try:
        work()
    finally:
        left.clear()
        for other in others:
            if not other.cancel():
                other.result()


def is_short(run: Callable[[int, int], None], left: deque[tuple[int, int]]) -> bool:
    """Whether what is left once the last range has been run, as this does, takes less than waking a thread."""
    first, last = left.pop()
    begun = perf_counter()
    run(first, last)
    return (perf_counter() - begun) * first < WAKING * (last - first)


@cache
def pool(workers: int) -> ThreadPoolExecutor:
    """Threads that are kept from one call to the next: starting them costs more than many a call."""
    return ThreadPoolExecutor(workers, thread_name_prefix="autobatch")


os.register_at_fork(after_in_child=pool.cache_clear)  # a child has none of its parent's threads
