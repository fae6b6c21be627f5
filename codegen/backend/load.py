"""Emitted text as a module: load : (text, name) -> module.

    module = load("def f(x):\n    return x + 1.0\n", "f")

The text lies in a file of the cache directory, named after `name` and a hash of the text, so that
tracebacks, pdb and inspect.getsource show it. What is run is the text that was given, whatever is in the file. Machine
code is kept beside it (machine_code.py), and so is the code that Python makes of long texts.

A module stands alone, so it brings along what it calls: random streams, elementary functions, searches. A function
that is long, or whose text has been met before, is compiled in a module of its own, once for all that bring it along.
"""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
import marshal
import os
import re
import sys
from functools import cache, partial
from pathlib import Path
from threading import RLock
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple
from weakref import ref

from codegen.backend.closure import closure
from codegen.backend.disk_cache import PACKAGE, cache_directory, found, hashed_name, put, write_whole
from codegen.backend.kept_memory import keep_memory
from codegen.lazy import lazily, signals_waiting
from codegen.process_cache import FORGET

machine_code = lazily("codegen.backend.machine_code")  # Numba comes with it

LONG = 20_000  # characters, which take Python 10 ms

LOADED: set[str] = set()  # the files of all modules
LOADING = RLock()


def load(text: str, name: str, *, quick: bool = False) -> ModuleType:
    """The module of `text`; one text is loaded once per process, whatever thread comes first.

    `quick`: as machine code that is made soon, rather than to be fast; the same numbers.

    The cache directory is $AUTOBATCH_CACHE_DIR, else the user's own (`cache_directory`). Where it cannot be
    written there is no file, with a RuntimeWarning, and tracebacks show the text all the same.
    """
    keep_memory()
    with LOADING:
        return loaded(text, re.sub(r"\W", "_", name), quick)


def file_of(text: str, name: str) -> Path:
    """Where the module of `text` is, or will be."""
    return module_path(text, re.sub(r"\W", "_", name))


def forget() -> None:
    """The modules and their lines. Their functions, where something still has one, are compiled again when called."""
    with LOADING:
        loaded.cache_clear()
        for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
            module = sys.modules.pop(name)
            linecache.cache.pop(str(module.__file__), None)
            machine_code.release(list(vars(module).values()))


FORGET.append(forget)


@cache
def loaded(text: str, name: str, quick: bool = False) -> ModuleType:
    path = module_path(text, name)
    stem = f"{path.stem}_quick" if quick else path.stem
    write_source(path, text)
    spec = importlib.util.spec_from_file_location(f"{PACKAGE}.{stem}", path)
    if spec is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(PACKAGE, ModuleType(PACKAGE))  # by which pickle finds what is in it
    sys.modules[module.__name__] = module
    LOADED.add(str(path))
    with signals_waiting():
        code = module_code(text, path)
        exec(code, vars(module))
    if OURS in code.co_names:
        machine_code.share(module, partial(shared_function, text))
        if quick:
            machine_code.compile_quickly(module)
    return module


def module_path(text: str, name: str) -> Path:
    return cache_directory() / f"{name[:40]}_{hashlib.sha256(text.encode()).hexdigest()[:16]}.py"


class Met(NamedTuple):
    """A function where it was met first, and what was being compiled then."""

    function: ref[Any]
    program: ref[Any]


COSTLY = 1_500  # characters of a function and what it calls that take a tenth of a second to be compiled
MET: dict[Path, Met] = {}  # functions that were met, by where their modules would be


def shared_function(text: str, function: FunctionType) -> Any:
    """A function of a module of this text, in a module of its own: None before it is met again, if it is to be linked
    and is short or may be called where loops become vectors, for which it is compiled in another way first. Within one
    program it is compiled once, where it is met first.

    None also where it cannot be moved: one that raises says where. The compiler's lock is held.
    """
    name = function.__name__
    own = closure(text, name)
    if own is None or own.raises or own.used & function.__globals__.keys() - own.defined:
        return None
    path = module_path(own.text, name)
    is_long = len(own.text) >= COSTLY and not machine_code.is_beside_wide_loops(function)
    at_once = is_long or machine_code.is_apart(function)
    if not at_once and not path.exists():
        here, program = function.__globals__[name], machine_code.program_at_present()
        before = MET.setdefault(path, Met(ref(here), ref(program)))
        if before.function() is here:
            return None
        if before.program() is program and not machine_code.is_beside_wide_loops(function):
            return before.function()
    moved = vars(loaded(own.text, name))[name]
    machine_code.keep_linked(moved)
    return moved


def write_source(path: Path, text: str) -> None:
    """The file that holds the text; where there can be none, what shows lines is told them."""
    content = text.encode()
    try:
        there = path.read_bytes() == content
    except OSError:
        there = False
    if not there and not write_whole(path, content):
        linecache.cache[str(path)] = len(text), None, text.splitlines(keepends=True), str(path)


NUMBAS, OURS = "numba", "codegen.backend.machine_code"


def module_code(text: str, path: Path) -> CodeType:
    """What Python makes of the text, with machine code kept by this library instead of Numba."""
    if len(text) < LONG:
        return compile_text(text, path)
    python = sys.implementation.cache_tag, importlib.util.MAGIC_NUMBER
    name = f"{hashed_name(path.stem, text, path, OURS, *python)}.code"
    kept = found(name)
    if kept is None:
        kept = marshal.dumps(compile_text(text, path))
        put(name, kept)
    found_code: CodeType = marshal.loads(kept)
    return found_code


def compile_text(text: str, path: Path) -> CodeType:
    """What it imports from Numba comes from the module of this library that compiles."""
    code = compile(text, path, "exec", dont_inherit=True)
    return code.replace(co_names=tuple(OURS if name == NUMBAS else name for name in code.co_names))


def unlock() -> None:
    """In a child, where no other thread of its parent's is that could."""
    global LOADING
    LOADING = RLock()


os.register_at_fork(after_in_child=unlock)


def is_emitted(file: str) -> bool:
    """Whether a module that was loaded lies there."""
    return file in LOADED
