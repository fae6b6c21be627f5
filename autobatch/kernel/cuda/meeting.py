"""Where the lanes of a warp wait for each other: with_meetings : BlockProgram -> BlockProgram, its first such block.

    0 step, 1 leapfrog, 2 turn      ->      0 step, 1 turn, 2 leapfrog      first: 2

What a block costs says whether it is waited at: one under a share of the costliest is run at once by each lane, as it
comes to it. Those that are waited at are numbered last, so that a comparison tells the two kinds apart. Where no block
is worth a vote nothing is, and lanes go on side by side as the hardware has it.
"""

from __future__ import annotations

from dataclasses import replace

from autobatch.cfg.graph import BlockProgram
from autobatch.cfg.optimise import retargeted
from autobatch.cost_model import VOTED_COST, VOTED_SHARE


def with_meetings(program: BlockProgram) -> tuple[BlockProgram, int]:
    """The blocks that lanes wait at last; their first one's number, or that of blocks where there is none."""
    costs = [block.cost for block in program.blocks]
    least = max(VOTED_COST, VOTED_SHARE * max(costs))
    if len(costs) == 1 or max(costs) < VOTED_COST:
        return program, len(costs)
    order = sorted(range(len(costs)), key=lambda k: (costs[k] >= least, k))
    return in_order(program, order), sum(cost < least for cost in costs)


def has_meetings(program: BlockProgram) -> bool:
    """Whether there is a block that lanes wait at."""
    return with_meetings(program)[1] < len(program.blocks)


def in_order(program: BlockProgram, order: list[int]) -> BlockProgram:
    """The same blocks, `order` the numbers that they had."""
    number = {old: new for new, old in enumerate(order)}
    functions = {name: replace(f, entry=number[f.entry]) for name, f in program.functions.items()}
    blocks = tuple(retargeted(program.blocks[old], number) for old in order)
    return replace(program, blocks=blocks, functions=functions)
