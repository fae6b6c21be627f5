"""Emitted text as a module on disk: load : (text, name) -> module.

    module = load("def f(x):\n    return x + 1.0\n", "f")

The text lies in a file of the cache directory, named after `name` and a hash of the text, so that
tracebacks, pdb and inspect.getsource show it, and Numba's own cache (kept beside it) is found by the next
process.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from types import ModuleType

TEMPORARY = "autobatch-"  # what the names of temporary directories begin with


def load(text: str, name: str) -> ModuleType:
    """The module of `text`; one text is loaded once per process.

    The cache directory is $AUTOBATCH_CACHE_DIR, else the user's own (`cache_directory`). Where it cannot be
    written a temporary one serves this process, with a RuntimeWarning.
    """
    return loaded(text, re.sub(r"\W", "_", name))


@cache
def loaded(text: str, name: str) -> ModuleType:
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    stem = f"{name}_{digest}"
    path = write(stem, text)
    spec = importlib.util.spec_from_file_location(f"autobatch_cache.{stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(
        "autobatch_cache", ModuleType("autobatch_cache")
    )  # by which pickle finds what is in it
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def write(stem: str, text: str) -> Path:
    """The file that holds `text`, in the cache directory or, where that fails, in a temporary one."""
    directory = cache_directory()
    try:
        return put(directory / f"{stem}.py", text.encode())
    except OSError as error:
        warnings.warn(
            f"compiled code is not kept: {directory} cannot be written ({error})", RuntimeWarning, 4
        )
        return put(Path(temporary()) / f"{stem}.py", text.encode())


@cache
def temporary() -> str:
    return tempfile.mkdtemp(prefix=TEMPORARY)


def put(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all: a reader in another process never sees half of it."""
    if path.is_file() and path.read_bytes() == content:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(part, path)
    return path


def cache_directory() -> Path:
    """$AUTOBATCH_CACHE_DIR, or `autobatch` in the user's cache directory of the platform."""
    if given := os.environ.get("AUTOBATCH_CACHE_DIR"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "autobatch" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "autobatch"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autobatch"
