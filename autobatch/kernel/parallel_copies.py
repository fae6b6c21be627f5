"""Moves that are made at once, one after the other where no value is lost: in_order : moves -> order, what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autobatch.kernel.ir import (
    Copy,
    Register,
    Value,
)
from autobatch.kernel.walk import registers


def in_order(pairs: Sequence[tuple[Register, Value]]) -> tuple[list[int], list[int]]:
    """Which parallel moves can be made one by one, in which order, and which must be made together."""
    waiting, done = list(range(len(pairs))), list[int]()
    read = [set(registers(value)) for _, value in pairs]
    while True:
        free = (k for k in waiting if not any(pairs[k][0] in read[j] for j in waiting if j != k))
        if (k := next(free, None)) is None:
            return done, waiting
        waiting.remove(k)
        done.append(k)


def apart(copy: Copy) -> Copy:
    """A statement for each of many arrays, where none is read after it is written."""
    targets = [to for to, _ in copy.pairs]
    sources = [{source, *copy.others[k : k + 1]} for k, (_, source) in enumerate(copy.pairs)]
    later = any(to in source for k, to in enumerate(targets) for source in sources[k + 1 :])
    return replace(copy, apart=not later)
