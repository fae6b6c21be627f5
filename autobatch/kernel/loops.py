"""What the statements of a lane ask of loops: whether their sums are long, and whether a lane may stop in them."""

from __future__ import annotations

from collections.abc import Iterable

from codegen.analysis.effects import acts, draws
from codegen.ir import Block, Equation, For, Lit
from codegen.ir.literals import range_size
from codegen.ir.substitution import blocks

LONG = 64  # terms of a sum or an extreme that may be taken in any order
FEW_DRAWS = 8  # that a loop of known length may have and be unrolled: by then their numbers are in registers


def is_long(loop: For) -> bool:
    """Whether a loop's sums are long enough that their terms are worth taking side by side."""
    start, stop = loop.start, loop.stop
    if not isinstance(start, Lit) or not isinstance(stop, Lit):
        return True
    return range_size(start.value, stop.value, loop.step) > LONG


def draws_often(listed: Iterable[Equation], rounds: int = 1) -> bool:
    """Whether loops of known length draw more numbers than are worth writing out, each of which is fifty operations."""
    for equation in listed:
        match equation.op:
            case For(start=Lit(first), stop=Lit(end), step=step):
                inner = rounds * range_size(first, end, step)
            case _:
                inner = 1
        if (
            any(draws_often(block.equations, inner) for block in blocks(equation.op))
            or rounds > FEW_DRAWS
            and draws(equation)
        ):
            return True
    return False


def may_stop(block: Block) -> bool:
    """Whether a check or fail stands in a block, at any depth."""
    return any(map(acts, block.equations))
