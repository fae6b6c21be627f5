"""Memory that arrays give up is kept for the next ones: keep_memory.

A call that makes arrays of a megabyte or more and gives them up is often made again at once. The C library hands such
memory to the system after each call, which clears it page by page for the next one: of a gradient of a Gaussian process
of 300 points that was a third to two thirds of the time. So glibc is asked, of the whole process, to keep up to 128
megabytes, and arrays of less than 32 megabytes among them. What MALLOC_TRIM_THRESHOLD_ or MALLOC_MMAP_THRESHOLD_ say
goes before that.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # mallopt's names of them
KEPT = 128 * 2**20
LARGEST = 32 * 2**20  # the most that glibc takes
OF_USERS = "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"


@cache
def keep_memory() -> None:
    """Once a process; nothing where the C library is another one."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None and not any(name in os.environ for name in OF_USERS):
        mallopt(MMAP_THRESHOLD, LARGEST)
        mallopt(TRIM_THRESHOLD, KEPT)
