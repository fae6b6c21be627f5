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
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from queue import SimpleQueue
from threading import Lock, Thread, get_native_id
from time import perf_counter
from typing import Any

import numpy as np

from autobatch.cost_model import LONGEST_RANGE, RANGES_PER_THREAD, SPINNING_SECONDS, WAKING_SECONDS
from codegen.deep_stack import start_with_stack

First = int | np.ndarray  # a lane, or the queue that lanes are taken off (`from_queue`)


def do_nothing() -> None:
    """Where threads need not be stopped."""


def workers_of(threads: int | None) -> int:
    return threads or len(processors())


def processors() -> set[int]:
    """Those that this process may use."""
    return os.sched_getaffinity(0) if sys.platform == "linux" else set(range(os.cpu_count() or 1))


def equal_ranges(count: int, pieces: int) -> list[tuple[int, int]]:
    """`pieces` ranges, or as many as there are lanes."""
    pieces = max(1, min(count, pieces))
    return list(pairwise(count * k // pieces for k in range(pieces + 1)))


def shrinking_ranges(count: int, workers: int, whole: int) -> list[tuple[int, int]]:
    """Ever shorter ranges, so that no thread waits long for the last; of groups of `whole` lanes."""
    if workers == 1:
        return equal_ranges(count, -(-count // LONGEST_RANGE))
    found, first = [], 0
    while first < count:
        wanted = max((count - first) // (2 * workers), count // (RANGES_PER_THREAD * workers), 1)
        last = min(first + -(-min(wanted, LONGEST_RANGE) // whole) * whole, count)
        found.append((first, last))
        first = last
    return found


def over_threads(
    run: Callable[[int, int], None],
    workers: int,
    ranges: Sequence[tuple[int, int]],
    *,
    light: bool = False,
    stop: Callable[[], None] = do_nothing,
) -> None:
    """run(first, last) for all ranges.

    The calling thread works too, and is done without the others where it has run all ranges before they come. `light`:
    the work may not be worth waking them, which the last range, run first, is to tell. `stop`: see `work_off`.
    """
    left = deque(ranges)
    workers = min(workers, len(left))
    if workers > 1 and light:
        first, last = left.pop()
        if runs_briefly(partial(run, first, last), first / (last - first)):
            run(left[0][0], left[-1][1])
            return
    work_off(run, workers, left, stop=stop)


def from_queue(
    run: Callable[[np.ndarray, int], None],
    workers: int,
    count: int,
    few: int,
    whole: int,
    *,
    light: bool = False,
    early: bool = False,
    stop: Callable[[], None] = do_nothing,
) -> float:
    """run(coming, count) on as many threads as `few` lanes each are worth; they all take lanes off `coming`.

    `coming` is an array of numbers: of the lane that comes next, and of the lanes that a thread has at a time, at most;
    how many calls of `run` have begun and ended, which it counts itself. `light`: as for `over_threads`; there the
    first group, of `whole` lanes, is to tell. `early`: when all have ended nobody needs what other threads still do in
    Python. `stop`: see `work_off`. Returns the seconds that threads worked, about.
    """
    workers, first, spent = max(min(workers, -(-count // few)), 1), 0, 0.0
    begun = perf_counter()
    if workers > 1 and light:
        first = min(whole, count)
        if runs_briefly(partial(run, np.array([0, first, 0, 0]), first), (count - first) / first):
            workers = 1
        spent, begun = perf_counter() - begun, perf_counter()
    if first == count:
        return spent
    coming = np.array([first, -(-(count - first) // workers), 0, 0])
    work_off(run, workers, deque([(coming, count)] * workers), coming[2:] if early else None, stop)
    return spent + (perf_counter() - begun) * max(int(coming[2]), 1)


def work_off(
    run: Callable[[Any, int], None],
    workers: int,
    left: deque[tuple[Any, int]],
    counts: np.ndarray | None = None,
    stop: Callable[[], None] = do_nothing,
) -> None:
    """run(first, last) for all that is left, which other threads are woken for; they are not waited for in vain.

    counts: how many calls have begun and ended, where that is all to wait for. stop: has running calls end soon; it is
    called where one raised, or Ctrl-C was met, before the others are waited for.
    """

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
    others = [pool.give(work) for _ in range(workers - 1)]
    try:
        work()
        if counts is None or not soon(lambda: counts[0] == counts[1]):
            for other in others:
                other.wait()
    except BaseException:
        left.clear()
        stop()
        for other in others:
            other.end()
        raise


def soon(done: Callable[[], bool]) -> bool:
    """Whether that comes to be in a while: falling asleep and being woken takes as long."""
    until = perf_counter() + SPINNING_SECONDS
    while not (found := done()) and perf_counter() < until:
        pass
    return found


def runs_briefly(run: Callable[[], None], left: float) -> bool:
    """Runs a part of the work; whether the rest, `left` times as much, takes less than waking a thread."""
    begun = perf_counter()
    run()
    return (perf_counter() - begun) * left < WAKING_SECONDS


class ThreadTask:
    """Work that a thread may do, until the one that gave it has waited for it."""

    def __init__(self, work: Callable[[], None]):
        self.work = work
        self.claim, self.over = Lock(), Lock()
        self.over.acquire()
        self.error: BaseException | None = None

    def __call__(self) -> None:
        if not self.claim.acquire(blocking=False):
            return
        try:
            self.work()
        except BaseException as error:
            self.error = error
        finally:
            self.over.release()

    def wait(self) -> None:
        """Until it is done, or never begun. Raises what the work raised."""
        if self.claim.acquire(blocking=False):
            return
        with self.over:
            if self.error is not None:
                raise self.error

    def end(self) -> None:
        """Until it is done, or never begun, whatever it raises; Ctrl-C once more does not wait."""
        with suppress(Exception):
            self.wait()


def in_thread(work: Callable[[], None], stack: int, stop: Callable[[], None]) -> bool:
    """work() in a thread of its own; False where there is no memory for it.

    stack: its bytes, of which those that are used are taken. stop: see `work_off`.
    """
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, name="autobatch-deep", daemon=True)
    try:
        start_with_stack(thread, stack)
    except RuntimeError:  # there is no memory for it
        return False
    try:
        thread.join()
    except BaseException:
        stop()
        thread.join()
        raise
    if errors:
        raise errors[0]
    return True


class Pool:
    """Threads that are kept from one call to the next: starting them costs more than many a call.

    An executor of the standard library's takes 9 us to be given work, a queue less than 1.
    """

    def __init__(self, workers: int):
        self.ids: list[int] = []
        self.settled: object = None  # for which processors and threads `keep_off` was called last
        self.tasks: SimpleQueue[ThreadTask] = SimpleQueue()
        for k in range(workers):
            Thread(target=self.serve, name=f"autobatch-{k}", daemon=True).start()

    def serve(self) -> None:
        """What each thread does."""
        self.ids.append(get_native_id())
        while True:
            self.tasks.get()()

    def give(self, work: Callable[[], None]) -> ThreadTask:
        """Wakes a thread for it."""
        task = ThreadTask(work)
        self.tasks.put(task)
        return task

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
