"""The size of what is kept on disk: the oldest files go when it is more than $AUTOBATCH_CACHE_SIZE megabytes.

    used(directory) -> files, each with its last use and size         cleared(directory) -> what is left of them

A file is as old as its last use, to an hour. A process looks when it first keeps something, unless another has looked
within the hour and found room (to look at 50,000 files takes half a second), and again when it has kept a tenth of the
limit; what it removes makes a fifth of it free, so that it looks rarely. A file that another process
reads or writes meanwhile is no worse than one that is not there.
"""

from __future__ import annotations

import math
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LIMIT = "AUTOBATCH_CACHE_SIZE"
USUAL = 1024.0  # megabytes
MEGABYTE = 2**20
FRESH = 3600.0  # seconds, in which one use more is not noted
LOOKED = "looked"  # a file that has the bytes that the last look left
OURS = re.compile(
    r".{1,65}_[0-9a-f]{16,24}\.[a-z]+(\.\d+-[0-9a-f]{8}\.part)?"
)  # names, as this library makes them


@dataclass(frozen=True, order=True)
class KeptFile:
    """used: seconds since 1970; size: bytes."""

    used: float
    size: int
    path: Path

    def is_being_written(self) -> bool:
        """Whether another process may be about to put it in its place."""
        return self.path.suffix == ".part" and time.time() - self.used < FRESH


@dataclass
class CachedBytes:
    """Bytes that this process has kept since it looked; None before it has."""

    bytes: int | None = None


SINCE = CachedBytes()


def limit() -> float:
    """Bytes; a number that makes no sense is not followed."""
    try:
        given = float(os.environ.get(LIMIT, USUAL))
    except ValueError:
        given = USUAL
    return (given if given >= 0.0 else USUAL) * MEGABYTE


def files(directory: Path) -> list[KeptFile]:
    """What this library keeps in a directory, the oldest first; other files are not its own."""
    found = []
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if OURS.fullmatch(entry.name):
                with suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    found.append(KeptFile(about.st_mtime, about.st_size, Path(entry.path)))
    return sorted(found)


def note_use(path: Path) -> None:
    """The file has been read."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > FRESH:
            os.utime(path)


def note_kept(directory: Path, size: int) -> None:
    """A file of `size` bytes has come; the oldest go where that was too much."""
    if SINCE.bytes is None and had_room(directory):
        SINCE.bytes = 0
    if SINCE.bytes is not None:
        SINCE.bytes += size
        if SINCE.bytes < 0.1 * limit():
            return
    SINCE.bytes = 0
    there = [file for file in files(directory) if not file.is_being_written()]
    total = sum(file.size for file in there)
    if total > limit():
        total -= removed(there, total - 0.8 * limit())
    with suppress(OSError):
        (directory / LOOKED).write_text(str(total))


def had_room(directory: Path) -> bool:
    """Whether a look within the last hour found a fifth of the limit free."""
    mark = directory / LOOKED
    try:
        return time.time() - mark.stat().st_mtime < FRESH and int(mark.read_text()) <= 0.8 * limit()
    except (OSError, ValueError):
        return False


def cleared(directory: Path) -> int:
    """Remove all files of this library: how many bytes they had."""
    with suppress(OSError):
        (directory / LOOKED).unlink()
    return removed(files(directory), math.inf)


def removed(there: list[KeptFile], wanted: float) -> int:
    """Remove files, in order, until so many bytes are free: how many were."""
    free = 0
    for file in there:
        if free >= wanted:
            break
        with suppress(OSError):
            file.path.unlink()
            free += file.size
    return free
