"""What is being made at present, for whoever waits for it: doing, watched, log_compiles.

with doing("compiling f"):                     around what may take long
    ...

with watched(lambda it: print(it)):            told twice a second what is done, or None
    ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from time import perf_counter
from typing import Any

EVERY = 0.5  # seconds


@dataclass(frozen=True, eq=False)
class Task:
    """begun: seconds of perf_counter."""

    what: str
    begun: float

    def __str__(self) -> str:
        return f"{self.what}, {perf_counter() - self.begun:.0f} s"


CURRENT: list[Task] = []  # of all threads, one inside another


@contextmanager
def doing(what: str) -> Iterator[None]:
    one = Task(what, perf_counter())
    CURRENT.append(one)
    try:
        yield
    finally:
        CURRENT.remove(one)


@contextmanager
def watched(tell: Callable[[Task | None], None]) -> Iterator[None]:
    """tell(the outermost activity) again and again, in a thread of its own."""
    ended = Event()

    def run() -> None:
        while not ended.wait(EVERY):
            tell(next(iter(CURRENT), None))

    thread = Thread(target=run, name="autobatch-activity", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def log_compiles(after: float = 3.0, file: Any = None) -> Iterator[None]:
    """Within it, what takes longer than `after` seconds to transform or compile is named on standard error (or in
    `file`), each once, as soon as it has taken so long; and how long it took, when it is done.

        with codegen.log_compiles():
            batch(f)(x)
    """
    told: list[Task] = []

    def say(text: str) -> None:
        print(f"autobatch: {text}", file=sys.stderr if file is None else file, flush=True)

    def tell(activity: Task | None) -> None:
        if told and told[-1] is not activity:
            say(f"{told.pop()}: done")
        if activity is not None and not told and perf_counter() - activity.begun > after:
            told.append(activity)
            say(f"{activity} so far")

    with watched(tell):
        yield
    tell(None)
