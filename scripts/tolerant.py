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
import tempfile
import threading
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

    def prepare(self, until: float) -> None:
        """Starts it and waits until it is ready, or until the time `until`."""
        if monotonic() >= until:
            return
        self.errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            start_new_session=True,
        )
        self.missing = None
        threading.Thread(target=self._read, daemon=True).start()
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
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _read(self) -> None:
        assert self.process is not None and self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

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
        self.errors.seek(0)
        said = [line.strip() for line in self.errors.read().splitlines() if line.strip()]
        self.missing = f"{how}: {said[-1][:300]}" if said else how


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
