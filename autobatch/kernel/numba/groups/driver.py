"""The function over lanes of a module of groups, as text: its arguments, its memory, and the loop over blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autobatch.errors import Site
from autobatch.kernel.ir import Layout
from autobatch.kernel.memory.arenas import CODES, element_count
from autobatch.kernel.numba.groups.blocks import Blocks, Routine
from autobatch.kernel.numba.groups.queue import queues
from autobatch.kernel.numba.groups.sweep import sweep_loop
from autobatch.kernel.numba.writer import CodeWriter
from codegen.emit.spelling import scalar_type


def driver(b: Blocks, load: Routine, advance: Routine, finish: Routine, onwards: Routine | None) -> str:
    signature = [*b.memory.inputs, *b.memory.plain_outputs, *b.marks.given]
    begins = "first" if b.flow.one_way else "coming"
    head = '@njit(cache=True, nogil=True, error_model="numpy")\n'
    head += f"def {b.memory.name}_lanes({', '.join((begins, 'last', 'limit', 'failed', *signature))}):\n"
    p = CodeWriter(1)
    p.lines += docstring(b.visits.lowering.sites, b.memory.streams > 0, queued=not b.flow.one_way)
    p.written(["use_wide_registers()"] if any(b.memory.wide) else [])
    p.written([] if b.flow.one_way else ["add_at_once(coming[2:3], 1)"])
    p.written(memory_lines(b))
    for constant, (argument, size) in b.memory.shares.items():
        flat = "" if b.memory.homes[argument].type.rank == 1 else ".flat"
        p.elements(size, f"S[{constant} + k] = {argument}{flat}[k]")
        if constant in b.memory.inverses:
            p.line(f"    S[{b.memory.inverses[constant]} + k] = 1.0 / S[{constant} + k]")
    if b.flow.one_way:
        sweep_loop(b, load, advance, finish, p)
    else:
        assert onwards is not None
        queues(b, load, onwards, p)
        p.line("add_at_once(coming[3:4], 1)")
    p.line("raise_waiting(failed)")
    p.line("return last")
    return head + p.text


def in_docstring(message: str) -> str:
    """A message as it can stand in a docstring."""
    return repr(message)[1:-1].replace('"', "'")


COMING = (
    "    coming is what threads share: the number of the lane that comes next, how many lanes a thread has at a time,",
    "    at most, how many calls have begun, and how many have ended.",
)


def docstring(sites: Sequence[Site], streams: bool, *, queued: bool) -> list[str]:
    """The docstring of the function over lanes."""
    taken = "Lanes that nobody has taken, up to last" if queued else "Lanes first to last"
    lines = [
        f'    """{taken}, G of them at a time; returns last.',
        "",
        *(COMING if queued else ()),
        "    What ends in _lanes has a row a lane, what ends in _shared is one for all; results go to out0, out1, ...",
        *(["    Streams are state rows (Philox 4x64-10), which are advanced."] if streams else []),
        "    failed[lane] is 0, or the number of what ended the lane; limit is the deepest recursion, -1 for none.",
    ]
    causes = [f"    {k + 1}: {s.exception}: {in_docstring(s.message)}" for k, s in enumerate(sites)]
    return [*lines, *([""] if causes else []), *causes, '    """']


# memory


def constant_lines(b: Blocks) -> str:
    """The names of numbers and places that the text uses."""
    memory = b.memory
    numbers = {
        "G": memory.group, "FEW": b.few, "LS": memory.stride, "W": memory.width, "END": memory.end, "FULL": -2,
    }  # fmt: skip
    wanted = used_constants(b)
    return "\n".join(f"{c} = {n}" for c, n in (numbers | memory.numbers()).items() if c in wanted)


def used_constants(b: Blocks) -> set[str]:
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


def memory_sizes(b: Blocks) -> str:
    """What LLVM is told of the memories of blocks that lanes run side by side: bytes in all, and of a number."""
    numbers = {m: (CODES[m], rows * b.memory.stride) for m, rows in b.memory.rows.items()}
    numbers |= {m: (CODES[arena], size * b.memory.stride) for m, (arena, size) in b.memory.tall.items()}
    numbers |= {m: (t.dtype, b.memory.group * element_count(t)) for m, t in b.memory.owned.items()}
    numbers |= {"C": ("f8", b.memory.group * b.memory.width), "S": ("f8", b.memory.shared_numbers)}
    used = {m for k in b.flow.order() for m in b.given[k]}
    sizes = {m: (size, np.dtype(dtype).itemsize) for m, (dtype, size) in numbers.items()}
    listed = ", ".join(f'"{m}": ({size * item}, {item})' for m, (size, item) in sizes.items() if m in used)
    return f"MEMORY = {{{listed}}}  # bytes in all, and of a number"


def memory_lines(b: Blocks) -> list[str]:
    """A group's memories, parts of one: separate ones may share a page's number where caches look at its end only.

    With each the statement that names it, each from a cache line on.
    """
    group, stride = b.memory.group, b.memory.stride
    parts = [(m, CODES[m], b.memory.rows[m] * stride, "") for m in b.memory.memories() if m in b.memory.rows]
    parts += [("C", "f8", b.memory.width * group, "")] * bool(b.memory.cold)
    parts += [("R", "u8", 16 * b.memory.streams * group, "")] * bool(b.memory.streams)
    for memory, type_ in b.memory.owned.items():
        kind, size = type_.dtype, element_count(type_)
        parts.append((memory, kind, size * group, f".reshape(G, {size})"))
    parts += [(m, CODES[arena], size * stride, "") for m, (arena, size) in b.memory.tall.items()]
    parts += [("S", "f8", b.memory.shared_numbers, "")] * bool(b.memory.shares)
    parts += [(f"{a}_stack", CODES[a], 64 * group, ".reshape(G, 64)") for a in b.memory.stacks]
    if not b.flow.one_way:
        parts.append(("L", "u4", (b.memory.end + 1) * group, "  # the lanes that wait at each block"))
        parts.append(("N", "i8", b.memory.end + 1, "  # how many they are"))
    lines, first = [], 0
    for name, dtype, size, after in parts:
        last = first + size * np.dtype(dtype).itemsize
        lines.append(f"{name} = memory[{first}:{last}].view({scalar_type(dtype)}){after}")
        first = -(-last // 64) * 64
    return [f"memory = aligned({first}, np.uint8)", *lines]
