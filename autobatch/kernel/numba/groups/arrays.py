"""A group's memory as text: its constants, the arrays that are parts of one, and what LLVM is told of them."""

from __future__ import annotations

import numpy as np

from autobatch.kernel.ir import Layout
from autobatch.kernel.memory.arenas import TYPES, count
from autobatch.kernel.numba.groups.blocks import Blocks


def constants(b: Blocks) -> str:
    """The names of numbers and places that the text uses."""
    memory = b.memory
    numbers = {
        "G": memory.group, "FEW": b.few, "LS": memory.stride, "W": memory.width, "END": memory.end, "FULL": -2,
    }  # fmt: skip
    listed = {**{name: str(value) for name, value in numbers.items()}, **memory.constants}
    wanted = mentioned(b)
    return "\n".join(f"{c} = {memory.constant(v)}" for c, v in listed.items() if c in wanted)


def mentioned(b: Blocks) -> set[str]:
    """The constants that the text uses."""
    fails = bool(b.visits.lowering.sites) or b.looks
    rows = any(h.layout is Layout.ROWS and h.type.rank for h in b.memory.homes.values())
    facts = {
        "FAILED": fails,
        "NUMBER": b.numbered or not b.flow.one_way,
        "FEW": b.few,
        "LS": rows or b.few,
        "W": b.memory.cold,
        "FULL": b.memory.stacks,
    }
    own = {"G", "END", "PC", *(word for word, wanted in facts.items() if wanted)}
    stacks = {"DEPTH", *(f"{a}_TOP" for a in b.memory.stacks)} if b.memory.stacks else set()
    return b.used | own | stacks | {*b.memory.shares} | {*b.memory.inverses.values()}


def sizes(b: Blocks) -> str:
    """What LLVM is told of the memories of blocks that lanes run side by side: bytes in all, and of a number."""
    numbers = {m: (TYPES[m], rows * b.memory.stride) for m, rows in b.memory.rows.items()}
    numbers |= {m: (dtype, size * b.memory.stride) for m, (dtype, size) in b.memory.tall.items()}
    numbers |= {m: (dtype, b.memory.group * count(type_)) for m, (dtype, type_) in b.memory.owned.items()}
    numbers |= {
        "C": (TYPES["F"], b.memory.group * b.memory.width),
        "S": (TYPES["F"], b.memory.shared_numbers),
    }
    used = {m for k in b.flow.order() for m in b.given[k]}
    sizes = {m: (size, np.dtype(dtype.removeprefix("np.")).itemsize) for m, (dtype, size) in numbers.items()}
    listed = ", ".join(f'"{m}": ({size * item}, {item})' for m, (size, item) in sizes.items() if m in used)
    return f"MEMORY = {{{listed}}}  # bytes in all, and of a number"


def arrays(b: Blocks) -> list[str]:
    """A group's memories, parts of one: separate ones may share a page's number where caches look at its end only.

    With each the statement that names it, each from a cache line on.
    """
    group, stride = b.memory.group, b.memory.stride
    parts = [(m, TYPES[m], b.memory.rows[m] * stride, "") for m in b.memory.memories() if m in b.memory.rows]
    parts += [("C", TYPES["F"], b.memory.width * group, "")] * bool(b.memory.cold)
    parts += [("R", "np.uint64", 16 * b.memory.streams * group, "")] * bool(b.memory.streams)
    for memory, (dtype, type_) in b.memory.owned.items():
        parts.append((memory, dtype, count(type_) * group, f".reshape(G, {count(type_)})"))
    parts += [(m, dtype, size * stride, "") for m, (dtype, size) in b.memory.tall.items()]
    parts += [("S", TYPES["F"], b.memory.shared_numbers, "")] * bool(b.memory.shares)
    parts += [(f"{a}_stack", TYPES[a], 64 * group, ".reshape(G, 64)") for a in b.memory.stacks]
    if not b.flow.one_way:
        parts.append(("L", "np.uint32", (b.memory.end + 1) * group, "  # the lanes that wait at each block"))
        parts.append(("N", "np.int64", b.memory.end + 1, "  # how many they are"))
    lines, first = [], 0
    for name, dtype, size, after in parts:
        last = first + size * np.dtype(dtype.removeprefix("np.")).itemsize
        lines.append(f"{name} = memory[{first}:{last}].view({dtype}){after}")
        first = -(-last // 64) * 64
    return [f"memory = aligned({first}, np.uint8)", *lines]
