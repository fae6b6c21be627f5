"""Lanes of a group that come and go, as text: they wait at blocks, and the cheapest that some wait at runs next."""

from __future__ import annotations

from autobatch.kernel.numba.groups.blocks import Blocks
from autobatch.kernel.numba.groups.compaction import moved_memories
from autobatch.kernel.numba.groups.routine import Routine
from autobatch.kernel.numba.writer import Writer


def queues(b: Blocks, load: Routine, onwards: Routine, p: Writer) -> None:
    """The loop over blocks at which lanes wait."""
    p.line("N[END] = G")
    p.line("for lane in range(G):")
    p.line("    L[END * G + lane] = lane")
    p.line("    I[PC + lane] = -1")
    p.line("more = True  # lanes may be left to be taken")
    p.line("number, until = 0, 0  # the taken ones that come next")
    p.line("idle = G - min(coming[1], G)  # places that stay free: other threads have as many lanes")
    if b.few:
        p.line("few = False  # whether no more lanes come, and those that are left are before FEW")
    p.line("while N[END] < G or more:")
    p.depth = 2
    p.line("if stopped(failed):")
    p.line("    break")
    if b.few:
        p.line("if not (more or few) and G - N[END] <= FEW:")
        p.line(f"    closer({', '.join(('L', 'N', *moved_memories(b.memory)))})")
        p.line("    few = True")
    choice(b, load, p)
    p.written(b.marks.alone())
    given = ", ".join(onwards.given)
    if b.memory.stacks:
        p.line("j, count = 0, N[k]")
        p.line("N[k] = 0")
        p.line("while True:")
        p.line(f"    j = onwards(k, j, count, {given})")
        p.line("    if j == count:")
        p.line("        break")
        for arena in b.memory.stacks:
            p.line(f"    {arena}_stack = wider({arena}_stack, {b.flow.largest(arena)})")
    else:
        p.line(f"onwards(k, {given})")
    p.depth = 1


def choice(b: Blocks, load: Routine, p: Writer) -> None:
    """The cheapest block that lanes wait at, run for them."""
    p.line("if more and N[END] > idle:")
    p.depth += 1
    p.line("k = END")
    p.line("for j in range(N[END] - idle):")
    p.line("    if number >= until:")
    p.line("        number, until = next_lanes(coming, last)")
    p.line("    if number >= until:")
    p.line("        break")
    p.line(f"    load({', '.join(('L[END * G + j]', 'number', *load.given))})")
    p.line("    number += 1")
    p.line("more = number < until or coming[0] < last")
    p.depth -= 1
    for k in b.flow.order():
        p.line(f"elif N[{k}] > 0:")
        p.line(f"    k = {k}")
        call = b.group_call(k, f"N[{k}]")
        if b.few:
            p.line("    if few:")
            p.line(f"        {b.group_call(k, f'N[{k}]', 'few')}")
            p.line("    else:")
            call = f"    {call}"
        p.line(f"    {call}")
    p.line("else:")
    p.line("    break")
