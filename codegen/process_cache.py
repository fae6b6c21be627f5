"""What a process keeps of what it has compiled, and `clear_cache`, which gives it back.

@forgettable
@lru_cache(maxsize=64)
def outline(text): ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

ALIVE: WeakSet[Any] = WeakSet()  # the transformed functions
FORGET: list[Callable[[], Any]] = []  # what empties a table each


class Remembers(Protocol):
    def cache_clear(self) -> None: ...


Table = TypeVar("Table", bound=Remembers)


def forgettable(table: Table) -> Table:
    """A function that remembers its results until `clear_cache`."""
    FORGET.append(table.cache_clear)
    return table


def clear_cache() -> None:
    """Give back the memory of all that was compiled: programs, texts, modules and Numba's functions.

    Transformed functions stay usable; what they need is made again when they are next called, from the files of
    earlier runs where there are such. Files stay; so do machine code and intrinsics, which LLVM and Numba keep until
    the process ends.
    Not to be called while another thread is in a transformed function.
    """
    for each in list(ALIVE):
        each.begin()
    for forget in FORGET:
        forget()
