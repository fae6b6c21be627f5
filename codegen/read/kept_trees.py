"""Trees of functions, kept on disk: kept : (name, read, source, part of it) -> read(source).

A later process that meets the same text at the same place finds its tree, and need not import libcst, which takes
longer than all else that it does before a function is called whose machine code is kept too. What is refused is read
again.
"""

from __future__ import annotations

import hashlib
import pickle
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path

from codegen import source as places
from codegen.backend.collector import rare_collections
from codegen.backend.disk_cache import hashed_name, remembered
from codegen.read import tree
from codegen.source import Source


def kept(name: str, read: Callable[[Source], tree.Define], source: Source, *part: int | str) -> tree.Define:
    """The tree of a part of the source, or of all of it, or read in some way; errors are those of `read`."""
    words = source.file, source.text, source.first_line, *part, *reader_versions()
    file = f"{hashed_name(name, *words)}.tree"
    try:
        with rare_collections():
            return remembered(file, lambda: read(source), packed_tree)
    except RecursionError:  # of a stack that is nearly full
        return read(source)


def packed_tree(made: tree.Define) -> bytes | None:
    try:
        return pickle.dumps(made)
    except RecursionError:
        return None


@cache
def reader_versions() -> tuple[str, str]:
    """Of Python, whose syntax it is, and of the files that make trees."""
    files = [*sorted(Path(__file__).parent.rglob("*.py")), Path(places.__file__)]
    content = b"".join(path.read_bytes() for path in files)
    return platform.python_version(), hashlib.sha256(content).hexdigest()
