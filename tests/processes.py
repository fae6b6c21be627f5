"""Real processes for tests, started in a hundredth of a second: they are forked off one that has imported everything.

child = Child(program, path)      # program(say, path) runs in a process of its own; say(value) is heard by the test
child.hear()
child.signal(signal.SIGKILL)
child.end()
"""

import errno
import multiprocessing
import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 300.0  # seconds, after which a test is stuck

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["arviz", "test_resume", "test_disk_cache"])


class Child:
    def __init__(self, program: Callable[..., Any], *given: Any) -> None:
        self.ear, mouth = SERVER.Pipe(duplex=False)
        self.process = SERVER.Process(target=told, args=(program, mouth, *given), daemon=True)
        with pytest.MonkeyPatch.context() as patch:  # by which the server finds what it is to import
            patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
            self.process.start()
        mouth.close()

    def hear(self) -> Any:
        assert self.ear.poll(PATIENCE), "nothing was said"
        value = self.ear.recv()
        assert not isinstance(value, Broken), value.text
        return value

    def signal(self, number: int) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def end(self) -> int | None:
        """How it ended: its exit status, or the signal that killed it, negative."""
        self.process.join(PATIENCE)
        return self.process.exitcode


class Broken:
    def __init__(self, text: str) -> None:
        self.text = text


def told(program: Callable[..., Any], mouth: Any, *given: Any) -> None:
    try:
        program(mouth.send, *given)
    except BaseException:
        mouth.send(Broken(traceback.format_exc()))


def answer(program: Callable[..., Any], *given: Any) -> Any:
    """What a program says first, in a process of its own."""
    child = Child(program, *given)
    heard = child.hear()
    child.end()
    return heard


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can be made longer than nothing; for root too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink")


def make_read_only(folder: Path) -> None:
    """From here on this process cannot change anything in a folder, as on a disk that is mounted so; root neither."""

    def refuse(event: str, given: tuple[Any, ...]) -> None:
        writes = event in CHANGING or (event == "open" and isinstance(given[2], int) and given[2] & WRITING)
        if writes and isinstance(given[0], str | os.PathLike) and os.fspath(given[0]).startswith(str(folder)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(given[0]))

    sys.addaudithook(refuse)
