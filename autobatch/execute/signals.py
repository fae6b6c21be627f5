"""Signals while lanes run: heard : work, word -> work(), during which Python attends to signals.

    heard(lambda: run(first, last, limit, failed, ...), failed[-1:])

Ctrl-C is met by Python in its main thread, between two steps of the interpreter, and compiled code is one step. So
lanes look at a word in memory, which costs next to nothing: 0, go on; 1, stop; 2, have Python attend to signals
(`stopped` in kernel/numba/hints.py). A thread that mostly sleeps writes the 2. That is for the main thread alone,
which so has a word of its own, the last of `failed`; that of the other threads, for stop, is the one before.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from threading import Semaphore, Thread, get_ident
from time import sleep

import numpy as np

TICK = 0.1  # seconds
IDLE = 50  # ticks without a call, after which the thread sleeps until there is one


class Clock:
    """The thread, and the words of the main thread's calls, several where a signal's handler calls too."""

    def __init__(self) -> None:
        self.main = threading.main_thread().ident
        self.words: list[np.ndarray] = []
        self.bell = Semaphore(0)
        self.started = self.awake = False

    def wake(self) -> None:
        if self.started:
            self.bell.release()
            return
        self.started = self.awake = True
        Thread(target=self.ticks, name="autobatch-clock", daemon=True).start()

    def ticks(self) -> None:
        """What the thread does."""
        quiet = 0
        while True:
            sleep(TICK)
            quiet = 0 if self.tick() else quiet + 1
            if quiet > IDLE:
                self.awake = False
                if not self.words:  # no call has begun before it could know that nobody is awake
                    self.bell.acquire()
                self.awake, quiet = True, 0

    def tick(self) -> bool:
        """Whether there is a call that is told."""
        try:
            self.words[-1][...] = 2
        except IndexError:  # none, or it has just ended
            return False
        return True


CLOCK = Clock()


def heard(work: Callable[[], None], words: np.ndarray) -> None:
    """work() in the main thread, where `words` are told to look for signals now and then."""
    clock = CLOCK
    clock.words.append(words)
    if not clock.awake:
        clock.wake()
    try:
        work()
    finally:
        clock.words.pop()


def in_main_thread() -> bool:
    return get_ident() == CLOCK.main


def forked() -> None:
    """A child has none of its parent's threads; its main thread is the one that forked."""
    global CLOCK
    CLOCK = Clock()


os.register_at_fork(after_in_child=forked)
