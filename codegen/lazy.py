"""Modules that run when something of them is first asked for: lazily : name -> module.

    numba = lazily("numba")        costs nothing until numba.njit(...)

For what takes long and few programs need. An import cannot fail later than it is used, so this is for modules that
installing brings along. (SPEC 1 of scientific-python.org, "Lazy loading of submodules and functions".) Signals wait
until a module has run: Ctrl-C on the way would leave half of Numba, for as long as the process lives.
"""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class LazyModule:
    """The module of this name, run at the first attribute."""

    def __init__(self, name: str):
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            with signals_waiting():
                self._module = importlib.import_module(self._name)
        return getattr(self._module, attribute)


def lazily(name: str) -> Any:
    """The module `name` (with its packages: "codegen.read.function"). Errors of importing it are raised at its use."""
    return LazyModule(name)


@contextmanager
def signals_waiting() -> Iterator[None]:
    """What Python's handlers are to hear meanwhile they hear afterwards. They run in the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = range(1, signal.NSIG)  # quicker than valid_signals; those that are none have no handler
    handlers = {n: handler for n in numbers if callable(handler := signal.getsignal(n))}
    for each in handlers:
        signal.signal(each, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
        for number in came:
            signal.raise_signal(number)
