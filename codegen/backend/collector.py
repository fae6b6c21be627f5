"""Python's garbage collector while programs are made: rare_collections.

What a compiler makes lives until it is done, and the collector would go through it again and again: a tenth of the
time. Meanwhile it looks rarely.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

COLLECTION = 100_000  # objects that come before the collector looks


@contextmanager
def rare_collections(objects: int = COLLECTION) -> Iterator[None]:
    """Python's garbage collector looks once for so many objects, unless it is off or looks as rarely already."""
    before = gc.get_threshold()
    if not 0 < before[0] < objects:
        yield
        return
    gc.set_threshold(objects, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
