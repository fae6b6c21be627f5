"""One process at a time: a lock that ends with the process that holds it, however that ends.

    lock = Lock("run.npz.lock")
    if lock.take():
        try: ...
        finally: lock.give()

It is the system's own (`flock`) on a file that has nothing in it; a file left behind locks nothing. Where the system
or the file system knows no such locks, or the file cannot be made, all are let through, and `is_held` is false.
"""

import os
from contextlib import suppress

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


HELD: set[int] = set()


def let_go() -> None:
    """In a child, which would hold its parent's locks when that has ended."""
    while HELD:
        os.close(HELD.pop())


os.register_at_fork(after_in_child=let_go)


class Lock:
    def __init__(self, path: str) -> None:
        self.path = path
        self.handle: int | None = None

    @property
    def is_held(self) -> bool:
        return self.handle is not None

    def take(self) -> bool:
        """False where another has it."""
        while fcntl is not None:
            try:
                handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError:
                return True
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return False
            except OSError:
                os.close(handle)
                return True
            if self.is_there(handle):
                self.handle = handle
                HELD.add(handle)
                return True
            os.close(handle)  # who had it has removed the file: there may be another by now
        return True

    def is_there(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self.path))
        except FileNotFoundError:
            return False

    def give(self) -> None:
        if self.handle in HELD:
            with suppress(OSError):
                os.unlink(self.path)
            HELD.remove(self.handle)
            os.close(self.handle)
        self.handle = None
