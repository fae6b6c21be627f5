"""Files that other processes may read at any time: whole, or not there.

with replacing(path) as file:
    file.write(content)          # a reader sees what was there before, or all of this
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when it is written; after an error there is nothing left of it.

    Its name until then is of this process and this call alone.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with open(part, "x+b") as file:
            yield file
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def left_over(path: Path) -> Iterator[Path]:
    """What killed processes left of files that were to take the place of `path`."""
    for part in path.parent.glob("*.part"):
        if part.name.startswith(f"{path.name}."):
            yield part
