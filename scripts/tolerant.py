"""Contenders of many figures at once, each of which may fail alone.

    with prepared({("collatz", "ours"): [...], ("collatz", "JAX"): [...]}, at_once=14, limit=90.0) as contenders:
        answers = in_turn([contenders["collatz", "ours"], contenders["collatz", "JAX"]], rounds=3, limit=10.0)

All prepare side by side, so many at a time, and then wait silently: what is measured has the machine for itself. One
that ends, or says nothing within its limit, is ended with all its threads; `missing` says why, by the last line of its
errors, and the others go on.
"""

import json
import os
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any


class Contender:
    """A contender that speaks the protocol of peers/serving.py; `missing`: why it is out of the race."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self.missing: str | None = "was not started: no time was left"
        self.process: subprocess.Popen[str] | None = None
        self.lines: queue.Queue[str] = queue.Queue()
        self.errors: deque[str] = deque(maxlen=1)

    def prepare(self, until: float) -> None:
        """Starts it and waits until it is ready, or until the time `until`."""
        if monotonic() >= until:
            return
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            self.missing = f"did not start: {error}"
            return
        self.missing = None
        self.listeners = [threading.Thread(target=f, daemon=True) for f in (self._read, self._listen)]
        for listener in self.listeners:
            listener.start()
        self._answer(until - monotonic())

    def measure(self, limit: float) -> dict[str, Any] | None:
        """One measurement; None where it is out."""
        if self.missing or self.process is None or self.process.stdin is None:
            return None
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except OSError:
            self._lost("ended")
            return None
        return self._answer(limit)

    def end(self) -> None:
        """It and what it started, at once."""
        if self.process is None or self.process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for listener in self.listeners:
            listener.join(timeout=1.0)
        with suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()

    def _read(self) -> None:
        assert self.process is not None and self.process.stdout is not None
        with self.process.stdout as answers:
            for line in answers:
                self.lines.put(line)
        self.lines.put("")

    def _listen(self) -> None:
        assert self.process is not None and self.process.stderr is not None
        with self.process.stderr as errors:
            self.errors.extend(line.strip() for line in errors if line.strip())

    def _answer(self, limit: float) -> dict[str, Any] | None:
        try:
            line = self.lines.get(timeout=max(limit, 0.0))
        except queue.Empty:
            self._lost(f"gave no answer within {limit:.0f} s")
            return None
        if not line:
            self._lost("ended")
            return None
        return json.loads(line)

    def _lost(self, how: str) -> None:
        self.end()
        self.missing = f"{how}: {self.errors[-1][:300]}" if self.errors else how


@contextmanager
def prepared(
    commands: Mapping[Hashable, Sequence[str]], *, at_once: int, limit: float
) -> Iterator[dict[Any, Contender]]:
    """All contenders, prepared within `limit` seconds in all or missing; ended when the block is left."""
    contenders = {key: Contender(command) for key, command in commands.items()}
    until = monotonic() + limit
    try:
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(lambda contender: contender.prepare(until), contenders.values()))
        yield contenders
    finally:
        for contender in contenders.values():
            contender.end()


def in_turn(contenders: Sequence[Contender], rounds: int, limit: float) -> list[list[dict[str, Any]]]:
    """The answers of each, measured in turn; a contender that fails has none."""
    answers: list[list[dict[str, Any]]] = [[] for _ in contenders]
    for _ in range(rounds):
        for contender, mine in zip(contenders, answers, strict=True):
            answer = contender.measure(limit)
            if answer is not None:
                mine.append(answer)
    return [[] if contender.missing else mine for contender, mine in zip(contenders, answers, strict=True)]
