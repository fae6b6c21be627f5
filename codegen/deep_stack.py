"""Room for deep programs: roomy(make) is make(), again in a thread with a large stack where it was nested too deeply;
deeper() is a limit of Python's for calls of its own, which take no stack.

A program of hundreds of branches inside one another, or of functions that call one another, is walked by functions that
call themselves. Python's limit is for programs that run away; here it is 50 times what it usually is, and a program
beyond that is refused.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

from codegen.source import SourceError

T = TypeVar("T")

FRAMES = 50_000
OWN_FRAMES = 10_000  # of calls that Python makes itself, in 8 MB of stack
STACK = 2**29  # bytes, of which only those that are needed are taken
ONE, SIZE = threading.Lock(), threading.Lock()  # the limits are the process's


def roomy(make: Callable[[], T]) -> T:
    try:
        return make()
    except (RecursionError, SourceError) as error:
        if not is_deep(error) or sys.getrecursionlimit() >= FRAMES:
            raise
    return in_deep_thread(make)


def is_deep(error: Exception) -> bool:
    """Whether it is Python's limit that was met."""
    return isinstance(error, RecursionError) or isinstance(error.__context__, RecursionError)


@contextmanager
def deeper() -> Iterator[None]:
    """Numba goes from block to block by calls: a function of a thousand blocks is no program that runs away."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, OWN_FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def in_deep_thread(make: Callable[[], T]) -> T:
    """make() in a thread of its own."""
    made: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            made.append(make())
        except BaseException as error:
            failed.append(error)

    with ONE:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(FRAMES)
        try:
            thread = threading.Thread(target=copy_context().run, args=(run,))
            start_with_stack(thread, STACK)
            thread.join()
        finally:
            sys.setrecursionlimit(limit)
    if failed:
        raise failed[0]
    return made[0]


def start_with_stack(thread: threading.Thread, stack: int) -> None:
    """Start a thread with so many bytes of stack. RuntimeError where there is no memory for it."""
    with SIZE:
        before = threading.stack_size(stack)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
