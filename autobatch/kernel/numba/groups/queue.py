"""Lanes of a group that come and go, as text: they wait at blocks, and the cheapest that some wait at runs next.

When no more come, the last lanes move to the first places of the group, and blocks run for these alone:

    for lane in range(G):                          for lane in range(FEW):
        if I[PC + lane] == 1:              ->          if I[PC + lane] == 1:
            I[PC + lane] = body(lane, F)                   I[PC + lane] = body(lane, F)

A lane that takes ten times as long as others runs for most of its time in the company of few, and would pay for all
the places of those that have left.
"""

from __future__ import annotations

import textwrap

from autobatch.kernel.memory.group import GroupMemory
from autobatch.kernel.numba.groups.blocks import Blocks, Routine
from autobatch.kernel.numba.writer import CodeWriter

BEGIN = """
N[END] = G
for lane in range(G):
    L[END * G + lane] = lane
    I[PC + lane] = -1
more = True  # lanes may be left to be taken
number, until = 0, 0  # the taken ones that come next
idle = G - min(coming[1], G)  # places that stay free: other threads have as many lanes
"""
NEW_LANES = """
if more and N[END] > idle:
    k = END
    for j in range(N[END] - idle):
        if number >= until:
            number, until = next_lanes(coming, last)
        if number >= until:
            break
        load({given})
        number += 1
    more = number < until or coming[0] < last
"""


def queues(b: Blocks, load: Routine, onwards: Routine, p: CodeWriter) -> None:
    """The loop over blocks at which lanes wait."""
    p.paste(BEGIN)
    p.written(
        ["few = False  # whether no more lanes come, and those that are left are before FEW"] if b.few else []
    )
    with p.block("while N[END] < G or more:"):
        p.written(["if stopped(failed):", "    break"])
        if b.few:
            with p.block("if not (more or few) and G - N[END] <= FEW:"):
                p.line(f"closer({', '.join(('L', 'N', *moved_memories(b.memory)))})")
                p.line("few = True")
        run_cheapest(b, load, p)
        p.written(b.marks.alone())
        given = ", ".join(onwards.given)
        if not b.memory.stacks:
            p.line(f"onwards(k, {given})")
            return
        p.line("j, count = 0, N[k]")
        p.line("N[k] = 0")
        with p.block("while True:"):
            p.line(f"j = onwards(k, j, count, {given})")
            p.written(["if j == count:", "    break"])
            for arena in b.memory.stacks:
                p.line(f"{arena}_stack = wider({arena}_stack, {b.flow.largest(arena)})")


def run_cheapest(b: Blocks, load: Routine, p: CodeWriter) -> None:
    """The cheapest block that lanes wait at, run for them."""
    p.paste(NEW_LANES.format(given=", ".join(("L[END * G + j]", "number", *load.given))))
    for k in b.flow.order():
        with p.block(f"elif N[{k}] > 0:"):
            p.line(f"k = {k}")
            call = b.group_call(k, f"N[{k}]")
            if b.few:
                p.written(["if few:", f"    {b.group_call(k, f'N[{k}]', 'few')}", "else:", f"    {call}"])
            else:
                p.line(call)
    p.written(["else:", "    break"])


CLOSER = '''
@njit(error_model="numpy", pipeline_class=Distinct)
def closer({given}):
    """Lanes at places from FEW on move to free ones before it."""
    free = 0
    for where in range(END):
        for j in range(N[where]):
            lane = L[where * G + j]
            if lane >= FEW:
                while L[END * G + free] >= FEW:
                    free += 1
                place = L[END * G + free]
{moves}
                I[PC + lane] = -1
                L[where * G + j] = place
                L[END * G + free] = lane
'''
MOVES = {
    "C": "for k in range(W):\n    C[W * place + k] = C[W * lane + k]",
    "R": "for first in range(0, len(R), 16 * G):\n    for k in range(first, first + 16):\n"
    "        R[k + 16 * place] = R[k + 16 * lane]",
}  # how a lane's part of a memory goes to another place
OF_ROWS = "for k in range(0, len({0}), LS):\n    {0}[k + place] = {0}[k + lane]"
OF_LANES = "for k in range({0}.shape[1]):\n    {0}[place, k] = {0}[lane, k]"


def moved_memories(memory: GroupMemory) -> list[str]:
    """The memories that hold something of each lane."""
    own = {*memory.rows, *memory.tall, *memory.owned, *(f"{a}_stack" for a in memory.stacks), *MOVES}
    return [m for m in memory.memories() if m in own]


def closer(memory: GroupMemory) -> str:
    """The function that moves lanes together."""
    moved = moved_memories(memory)
    ways = [
        MOVES.get(m, OF_ROWS if m in memory.rows or m in memory.tall else OF_LANES).format(m) for m in moved
    ]
    moves = textwrap.indent("\n".join(ways), " " * 16)
    return CLOSER.format(given=", ".join(("L", "N", *moved)), moves=moves).strip()
