"""Where the lanes of a warp wait for each other: with_meetings : BlockProgram -> BlockProgram, its first such block.

    0 step, 1 leapfrog, 2 turn      ->      0 step, 1 turn, 2 leapfrog      first: 2

The work of a block (work.py) says whether it is waited at: a little one is run at once by each lane, as it comes to
it. Those that are waited at are numbered last, so that a comparison tells the two kinds apart. Where no block is worth
a vote nothing is, and lanes go on side by side as the hardware has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autobatch.cfg.graph import BlockProgram
from autobatch.cfg.optimise import retargeted
from autobatch.cost_model import VOTED_SHARE, VOTED_WORK


def with_meetings(program: BlockProgram, works: Sequence[float]) -> tuple[BlockProgram, int]:
    """The blocks that lanes wait at last; their first one's number, or that of blocks where there is none."""
    if not has_meetings(works):
        return program, len(works)
    least = max(VOTED_WORK, VOTED_SHARE * max(works))
    order = sorted(range(len(works)), key=lambda k: (works[k] >= least, k))
    return numbered_anew(program, order), sum(work < least for work in works)


def has_meetings(works: Sequence[float]) -> bool:
    """Whether there is a block that lanes wait at."""
    return len(works) > 1 and max(works) >= VOTED_WORK


def numbered_anew(program: BlockProgram, order: list[int]) -> BlockProgram:
    """The same blocks, `order` the numbers that they had."""
    number = {old: new for new, old in enumerate(order)}
    functions = {name: replace(f, entry=number[f.entry]) for name, f in program.functions.items()}
    blocks = tuple(retargeted(program.blocks[old], number) for old in order)
    return replace(program, blocks=blocks, functions=functions)
