"""What a routine needs of what is around it: its arguments and its constants, read off its statements."""

from __future__ import annotations

from autobatch.kernel import ir
from autobatch.kernel.ir import Layout, Region
from autobatch.kernel.walk import memories_in, nodes


def arguments(region: Region, *, vectors: bool) -> set[str]:
    """The arrays, and other names, that a lane of a group is given for these statements.

    `vectors`: a check that fails notes it in a register.
    """
    found: set[str] = {"I"} if asks_for_number(region) else set()
    for node in nodes(region):
        match node:
            case ir.Memory(name=name):
                found.add(name)
            case ir.Push(frames) | ir.Pop(frames):
                found |= {"I", *(f"{frame.arena}_stack" for frame in frames)}
                found |= {"limit"} if isinstance(node, ir.Push) else set()
            case ir.Check() | ir.Fail() if not vectors:
                found.add("I")
            case ir.Look() | ir.LeaveIfFailed():
                found |= {"failed", "I"}
            case ir.Loop(strip=strip) if strip:
                found |= {"failed", "I"}
    return found


def asks_for_number(region: Region) -> bool:
    """Whether statements ask for the lane's number among all lanes."""
    return any(memory.layout is Layout.OWN and memory.row == "number" for memory in memories_in(region))


def place_constants(region: Region) -> set[str]:
    """The names of the places where memories begin."""
    firsts = [memory.first for memory in memories_in(region)]
    return {
        str(place)
        for first in firsts
        for place in ((first.then, first.orelse) if isinstance(first, ir.Either) else (first,))
    }
