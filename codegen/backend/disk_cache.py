"""What is kept on disk for later processes: put : (name, content) -> None, found : name -> content or None.

    found("f_0123.lanewise")           None: not there, or not what was written
    put("f_0123.lanewise", content)    whole or not at all, and never an error
    remembered("f_0123.lanewise", make)     what make() gives, or gave in an earlier process

Each file begins with a checksum of the rest, and names say all that their content hangs on, so that what is found is
what was put. There is never more than fits (cache_size.py). Any fault of the disk costs making a thing anew, and a
RuntimeWarning, one of a kind in a process.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from codegen.backend.atomic_files import replacing
from codegen.backend.cache_size import note_kept, note_use

T = TypeVar("T")

PACKAGE = "autobatch_cache"  # of all emitted modules
SEAL = b"kept, sha256 "
HEAD = len(SEAL) + 32
OLD = 3600.0  # seconds, after which nobody is still writing a file


def put(name: str, content: bytes) -> None:
    write_whole(cache_directory() / name, SEAL + hashlib.sha256(content).digest() + content)


def found(name: str) -> bytes | None:
    path = cache_directory() / name
    try:
        whole = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        warn(f"what is kept in {path.parent} cannot be read", f"{name}: {reason(error)}")
        return None
    content = unsealed(whole)
    if content is None:
        damaged(name)
    note_use(path)
    return content


def remembered(name: str, make: Callable[[], T], packed: Callable[[T], bytes | None] = pickle.dumps) -> T:
    """What an earlier process kept, or else what is made now, and kept unless it cannot be `packed`."""
    if (content := found(name)) is not None:
        before: T = pickle.loads(content)
        return before
    made = make()
    if (content := packed(made)) is not None:
        put(name, content)
    return made


def damaged(name: str) -> None:
    """Says that what is kept under a name is of no use. What is made in its place will replace it."""
    warn(f"what is kept in {cache_directory()} is damaged, and made again", name)


def unsealed(whole: bytes) -> bytes | None:
    """The content of a file, None where any byte of it is not what was written."""
    content = whole[HEAD:]
    return content if whole[:HEAD] == SEAL + hashlib.sha256(content).digest() else None


def write_whole(path: Path, content: bytes) -> bool:
    """Whether a file now is what it should be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_left_halves(path.parent)
        with replacing(path) as file:
            file.write(content)
        note_kept(path.parent, len(content))
        return True
    except OSError as error:
        warn("compiled code is not kept", f"{path.parent} cannot be written ({reason(error)})")
        return False


@cache
def remove_left_halves(directory: Path) -> None:
    """Once in a process: removes what processes that were killed have left half written."""
    for part in directory.glob("*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > OLD:
                part.unlink()


def reason(error: OSError) -> str:
    return error.strerror or str(error)


WARNED: set[str] = set()


def warn(what: str, first: str) -> None:
    """Once in a process, with what was met first."""
    if what not in WARNED:
        WARNED.add(what)
        warnings.warn(f"{what}: {first}", RuntimeWarning, stacklevel=2)


def hashed_name(name: str, *words: object) -> str:
    """A name that no other name and words have: file systems take 255 bytes."""
    digest = hashlib.sha256("\0".join((name, *map(str, words))).encode()).hexdigest()
    return f"{name[:40]}_{digest[:24]}"


def cache_directory() -> Path:
    """$AUTOBATCH_CACHE_DIR, or `autobatch` in the user's cache directory of the platform.

    Where there is no such user it is a place at which nothing can be.
    """
    if given := os.environ.get("AUTOBATCH_CACHE_DIR"):
        return Path(given)
    try:
        return users_directory()
    except RuntimeError:
        return Path(os.devnull) / "autobatch"


def users_directory() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "autobatch" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "autobatch"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autobatch"
