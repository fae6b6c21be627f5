"""The last lanes of a group: when no more come, they move to its first places, and blocks run for these alone.

    for lane in range(G):                          for lane in range(FEW):
        if I[PC + lane] == 1:              ->          if I[PC + lane] == 1:
            I[PC + lane] = body(lane, F)                   I[PC + lane] = body(lane, F)

A lane that takes ten times as long as others runs for most of its time in the company of few, and would pay for all
the places of those that have left.
"""

from __future__ import annotations

from autobatch.kernel.memory.group import GroupMemory


def moved_memories(layout: GroupMemory) -> list[str]:
    """The memories that hold something of each lane."""
    rows = {*layout.rows, *layout.tall}
    own = {*layout.owned, *(f"{a}_stack" for a in layout.stacks), "C", "R"}
    return [m for m in layout.memories() if m in rows or m in own]


def closer(layout: GroupMemory) -> str:
    """The function that moves lanes together."""
    lines = []
    for memory in moved_memories(layout):
        if memory in layout.rows or memory in layout.tall:
            lines += [
                f"for k in range(0, len({memory}), LS):",
                f"    {memory}[k + place] = {memory}[k + lane]",
            ]
        elif memory == "C":
            lines += ["for k in range(W):", "    C[W * place + k] = C[W * lane + k]"]
        elif memory == "R":
            lines += [
                "for first in range(0, len(R), 16 * G):",
                "    for k in range(first, first + 16):",
                "        R[k + 16 * place] = R[k + 16 * lane]",
            ]
        else:
            lines += [f"for k in range({memory}.shape[1]):", f"    {memory}[place, k] = {memory}[lane, k]"]
    return "\n".join(
        (
            '@njit(error_model="numpy", pipeline_class=Distinct)',
            f"def closer({', '.join(('L', 'N', *moved_memories(layout)))}):",
            '    """Lanes at places from FEW on move to free ones before it."""',
            "    free = 0",
            "    for where in range(END):",
            "        for j in range(N[where]):",
            "            lane = L[where * G + j]",
            "            if lane >= FEW:",
            "                while L[END * G + free] >= FEW:",
            "                    free += 1",
            "                place = L[END * G + free]",
            *(f"                {line}" for line in lines),
            "                I[PC + lane] = -1",
            "                L[where * G + j] = place",
            "                L[END * G + free] = lane",
        )
    )
