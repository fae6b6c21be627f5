"""What the statements of a lane ask of loops: whether their sums are long, and whether a lane may stop in them."""

from __future__ import annotations

from codegen.ir import Apply, Block, Equation, For, Lit
from codegen.ir.traversal import nested

LONG = 64  # terms of a sum or an extreme that may be taken in any order


def is_long(loop: For) -> bool:
    """Whether a loop's sums are long enough that their terms are worth taking side by side."""
    start, stop = loop.start, loop.stop
    if not isinstance(start, Lit) or not isinstance(stop, Lit):
        return True
    return len(range(start.value, stop.value, loop.step)) > LONG


def acts(equation: Equation) -> bool:
    """Whether an equation may end its lane."""
    return any(isinstance(e.op, Apply) and e.op.primitive.effect for e in nested((equation,)))


def may_stop(block: Block) -> bool:
    """Whether a check or fail stands in a block, at any depth."""
    return any(map(acts, block.equations))
