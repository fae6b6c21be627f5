"""Ranges of lanes over threads: each lane once, on other threads only where that pays."""

from __future__ import annotations

import os
import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from autobatch import Schedule, batch
from autobatch.execute import threads
from autobatch.execute.threads import equal_ranges, from_queue, over_threads, shrinking_ranges


@pytest.mark.parametrize("count", [1, 7, 16, 100, 1000, 12345])
@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("whole", [1, 16, 64])
def test_ranges_cover_all_lanes_by_groups_and_become_shorter(count: int, workers: int, whole: int) -> None:
    found = shrinking_ranges(count, workers, whole)
    assert found[0][0] == 0 and found[-1][1] == count
    assert all(a[1] == b[0] for a, b in pairwise(found))
    assert workers == 1 or all(last % whole == 0 for _, last in found[:-1])
    lengths = [last - first for first, last in found]
    assert lengths == sorted(lengths, reverse=True) and min(lengths) > 0


@pytest.mark.parametrize(("count", "pieces"), [(0, 2), (1, 2), (10, 3), (512, 2)])
def test_equal_ranges(count: int, pieces: int) -> None:
    found = equal_ranges(count, pieces)
    assert found[0][0] == 0 and found[-1][1] == count
    lengths = [last - first for first, last in found]
    assert max(lengths) - min(lengths) <= 1 and len(found) <= max(pieces, 1)


class Noted:
    """Notes which lanes ran, and on which threads; each range takes `seconds`."""

    def __init__(self, seconds: float):
        self.seconds, self.lanes, self.threads = seconds, [], set()

    def __call__(self, first: int, last: int) -> None:
        self.threads.add(threading.get_ident())
        time.sleep(self.seconds)
        self.lanes += range(first, last)


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("light", [True, False])
@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_every_lane_runs_once(workers: int, light: bool, seconds: float) -> None:
    run = Noted(seconds)
    over_threads(run, workers, shrinking_ranges(200, workers, 8), light=light)
    assert sorted(run.lanes) == list(range(200))
    assert len(run.threads) <= workers
    if seconds and workers > 1:
        assert len(run.threads) > 1


def test_threads_keep_off_the_caller() -> None:
    """They are woken elsewhere: behind the caller they might wait until it is done."""
    run = Noted(0.01)
    for _ in range(2):  # the first time they are only started
        over_threads(run, 2, shrinking_ranges(200, 2, 8))
    pool = threads.pool_of(2)
    processor, allowed, count = pool.settled
    assert count == len(pool.ids) > 0 and processor in allowed == threads.processors()
    for thread in pool.ids if len(allowed) > 1 else []:
        assert os.sched_getaffinity(thread) == allowed - {processor}


def test_little_work_stays_on_the_calling_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "WAKING_SECONDS", 60.0)
    ran: list[int] = []
    over_threads(
        lambda first, last: ran.append(threading.get_ident()), 2, shrinking_ranges(64, 2, 1), light=True
    )
    from_queue(lambda coming, last: ran.append(threading.get_ident()), 2, 64, 1, 1, light=True)
    assert set(ran) == {threading.get_ident()} and len(ran) == 4


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 7, 200])
@pytest.mark.parametrize("light", [True, False])
@pytest.mark.parametrize("early", [True, False])
def test_every_lane_is_taken_off_the_queue_once(workers: int, count: int, light: bool, early: bool) -> None:
    lanes, used, taking = [], set(), threading.Lock()

    def run(coming: np.ndarray, last: int) -> None:
        used.add(threading.get_ident())
        with taking:
            coming[2] += 1
        while True:
            with taking:
                lane = int(coming[0])
                coming[0] += 1
                if lane >= last:
                    coming[3] += 1
                    return
            time.sleep(1e-3)
            lanes.append(lane)

    took = from_queue(run, workers, count, 4, 8, light=light, early=early)
    assert sorted(lanes) == list(range(count))
    assert took >= count * 1e-3
    assert len(used) <= workers
    if workers > 1 and count == 200:
        assert len(used) > 1


def test_nobody_waits_for_what_threads_do_after_their_lanes() -> None:
    caller, ended, going = threading.get_ident(), threading.Event(), threading.Event()

    def run(coming: np.ndarray, last: int) -> None:
        coming[2] += 1
        if threading.get_ident() == caller:
            assert ended.wait(10)
        coming[3] += 1
        if threading.get_ident() != caller:
            ended.set()
            assert going.wait(10)

    begun = time.perf_counter()
    from_queue(run, 2, 64, 16, 16, early=True)
    assert time.perf_counter() - begun < 5
    going.set()


def test_what_a_range_raises_is_raised() -> None:
    def run(first: int, last: int) -> None:
        time.sleep(0.01)
        raise KeyError(first)

    with pytest.raises(KeyError):
        over_threads(run, 2, shrinking_ranges(100, 2, 1))


@pytest.mark.parametrize("form", ["auto", "local_static"])
def test_other_threads_run_while_lanes_are_computed(form):
    def long(x, n):
        for _ in range(n):
            x = x * 0.999 + 0.001
        return x

    many, turns, over = (
        batch(long, in_axes=(0, None), schedule=Schedule(form, threads=1)),
        [0],
        threading.Event(),
    )
    x = np.arange(64.0)
    many(x, 1)

    def count():
        while not over.wait(1e-3):
            turns[0] += 1

    other = threading.Thread(target=count)
    other.start()
    for n in (
        10**6,
        10**7,
        10**8,
    ):  # on a busy machine a short call may be over before the other thread's turn
        before = turns[0]
        many(x, n)
        during = turns[0] - before
        if during > 2:
            break
    over.set()
    other.join()
    assert during > 2  # a thread that waits for the whole call counts one, however long it is
