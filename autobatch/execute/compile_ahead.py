"""Machine code made by another process while this one goes on: compile_ahead : LaneModule, ... -> Ahead or None.

    ahead = compile_ahead(module, name, arguments)     the other process begins
    ...
    ahead.wait()                                       what it made lies in the cache directory now

Numba compiles one function at a time in a process. So the second of two programs that are surely needed is compiled by
a process of its own, which imports nothing of the user's: it is given the emitted text and the arguments' types. What
it does not make for any reason is made here when it is wanted. With AUTOBATCH_COMPILE_AHEAD=0 there is no such process.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from autobatch.execute.threads import processors
from autobatch.execute.vector_check import are_vectorised, compile_if_unknown
from autobatch.kernel.module import LaneModule
from codegen.activity import doing
from codegen.backend.load import load
from codegen.lazy import lazily

machine_code = lazily("codegen.backend.machine_code")

CHILD = """
import pickle, sys
sys.path[:], given = pickle.load(sys.stdin.buffer)
from autobatch.execute.compile_ahead import compile_given
compile_given(given)
"""


@dataclass(frozen=True, eq=False)
class Ahead:
    """A process that compiles `what`."""

    what: str
    process: subprocess.Popen[bytes]

    def wait(self) -> None:
        """Until it is done, or has failed."""
        with doing(f"compiling {self.what}"):
            self.process.wait()
        RUNNING.discard(self)

    def has_ended(self) -> bool:
        return self.process.poll() is not None


RUNNING: set[Ahead] = set()


def compile_ahead(module: LaneModule, name: str, arguments: Sequence[Any]) -> Ahead | None:
    """Have a module's function compiled for such arguments; None where it is already, or cannot be elsewhere."""
    signature = unmade(module, name, arguments) if has_other_process() else None
    if signature is None:
        return None
    try:
        given = pickle.dumps((module.text, name, module.run, module.wide, module.quick, signature))
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, pickle.PicklingError):
        return None
    assert process.stdin is not None
    with suppress(OSError), process.stdin:  # it may have ended
        pickle.dump((sys.path, given), process.stdin)
    ahead = Ahead(module.run, process)
    RUNNING.add(ahead)
    return ahead


def has_other_process() -> bool:
    """Whether there may be one beside this one."""
    wanted = os.environ.get("AUTOBATCH_COMPILE_AHEAD") != "0"
    return wanted and len(processors()) > 1 and bool(sys.executable)


def is_made(module: LaneModule, name: str, arguments: Sequence[Any]) -> bool:
    """Whether a module's function for such arguments is machine code already, or cannot be kept as such."""
    return unmade(module, name, arguments) is None


def unmade(module: LaneModule, name: str, arguments: Sequence[Any]) -> tuple[Any, ...] | None:
    """The types that a module's function is to be compiled for; None where `is_made`."""
    function = getattr(load(module.text, name, quick=module.quick), module.run)
    if not hasattr(function, "typeof_pyval"):  # NUMBA_DISABLE_JIT
        return None
    signature = tuple(map(function.typeof_pyval, arguments))
    return None if machine_code.is_kept(function, signature) else signature


def compile_given(given: bytes) -> None:
    """What the other process does."""
    text, name, run, wide, quick, signature = pickle.loads(given)
    module = load(text, name, quick=quick)
    if wide:
        compile_if_unknown(module)
    getattr(module, run).compile(signature)
    if wide:
        are_vectorised(module, wide)


@atexit.register
def end_all() -> None:
    """What nobody waits for any more ends with this process."""
    for ahead in RUNNING:
        ahead.process.terminate()
        ahead.process.wait()
    RUNNING.clear()
