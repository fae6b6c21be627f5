"""What a routine needs of what is around it: its arguments and its constants, read off its statements."""

from __future__ import annotations

from collections.abc import Iterator

from autobatch.kernel.ir import (
    Check,
    Either,
    Fail,
    Layout,
    LeaveIfFailed,
    Look,
    Loop,
    Memory,
    Pop,
    Push,
    Region,
)
from autobatch.kernel.walk import memories, statements


def arguments(region: Region, *, vectors: bool) -> set[str]:
    """The arrays, and other names, that a lane of a group is given for these statements.

    `vectors`: a check that fails notes it in a register.
    """
    return set(needed(region, vectors))


def needed(region: Region, vectors: bool) -> Iterator[str]:
    for memory in memories(region):
        yield memory.name
        if is_numbered(memory):
            yield "I"
    for stmt in statements(region):
        match stmt:
            case Push(frames) | Pop(frames):
                yield from ("I", *(f"{frame.arena}_stack" for frame in frames))
                yield from ["limit"] if isinstance(stmt, Push) else []
            case Check() | Fail() if not vectors:
                yield "I"
            case Look() | LeaveIfFailed():
                yield from ("failed", "I")
            case Loop(strip=strip) if strip:
                yield from ("failed", "I")


def numbered(region: Region) -> bool:
    """Whether statements ask for the lane's number among all lanes."""
    return any(map(is_numbered, memories(region)))


def is_numbered(memory: Memory) -> bool:
    return memory.layout is Layout.OWN and memory.row == "number"


def constants(region: Region) -> set[str]:
    """The names of the places where memories begin."""
    found: set[str] = set()
    for memory in memories(region):
        first = memory.first
        found |= {first.then, first.orelse} if isinstance(first, Either) else {str(first)}
    return found
