"""Memory that arrays give up is kept for the next ones, in large pages: keep_memory.

A call that makes arrays of a megabyte or more and gives them up is often made again at once. The C library hands such
memory to the system after each call, which clears it page by page for the next one: of a gradient of a Gaussian process
of 300 points that was a third to two thirds of the time. So glibc is asked, of the whole process, to keep up to 128
megabytes, and arrays of less than 32 megabytes among them; the system, to have the first 64 of them in large pages, as
NumPy asks for its own arrays. None of that is used before an array is. What MALLOC_TRIM_THRESHOLD_ or
MALLOC_MMAP_THRESHOLD_ say goes before that.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from functools import cache

TRIM_THRESHOLD, TOP_PAD, MMAP_THRESHOLD = -1, -2, -3  # mallopt's names of them
KEPT = 128 * 2**20
LARGEST = 32 * 2**20  # the most that glibc takes
LARGE_PAGE = 2**21
OF_USERS = "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"


@cache
def keep_memory() -> None:
    """Once a process; nothing where the C library is another one."""
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt") and not any(name in os.environ for name in OF_USERS):
        library.mallopt(MMAP_THRESHOLD, LARGEST)
        library.mallopt(TRIM_THRESHOLD, KEPT)
        ask_for_large_pages(library)


def ask_for_large_pages(library: ctypes.CDLL) -> None:
    """For the heap's next 64 megabytes, which an array of half of them and as much again behind it make room for."""
    library.malloc.restype = library.sbrk.restype = ctypes.c_void_p
    library.mallopt(TOP_PAD, LARGEST)
    first = library.malloc(ctypes.c_size_t(LARGEST - mmap.PAGESIZE))
    library.mallopt(TOP_PAD, 0)
    end = library.sbrk(ctypes.c_ssize_t(0))
    if first:
        start = -(-first // LARGE_PAGE) * LARGE_PAGE
        if start < end:
            library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_HUGEPAGE)
        library.free(ctypes.c_void_p(first))
