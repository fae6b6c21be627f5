"""Where lanes look whether they are to stop, as Ctrl-C asks: in loops, and where they come to a block again.

    while x > 1.0:                    while x > 1.0:
        x = x / 2.0                       if stopped(failed):
                               ->             failed[lane] = -2
                                              break
                                          x = x / 2.0

A look is a number in memory that is compared with 0 (`stopped` in hints.py). A loop that comes to an end soon has none.
One of independent rounds, of which vectors may be made, is cut into strips, between which there is one.
"""

from __future__ import annotations

from collections.abc import Iterable

from autobatch.cfg.cost import cost
from autobatch.cfg.graph import BlockProgram, Call, edges
from autobatch.cost_model import POLLED_OPERATIONS, UNPOLLED_OPERATIONS
from codegen.analysis.ranges import Ranges
from codegen.ir import Block, Equation, For, Function, While, program
from codegen.ir.traversal import equations

STOPPED = -2  # what failed[lane] is where a lane was stopped


def price(listed: Iterable[Equation]) -> int:
    """What equations are counted as."""
    listed = tuple(listed)
    alone = program({"main": Function("main", (), Block(listed, ()))}, "main")
    return int(min(max(cost(listed, alone), 1.0), POLLED_OPERATIONS))


def is_endless(loop: For | While, ranges: Ranges) -> bool:
    """Whether a loop may go on for long, by what is known where it stands: `for j in range(i, 64)` has no more
    than 64 rounds where i is 0 or more."""
    if isinstance(loop, While):
        return True
    first, last = (loop.start, loop.stop) if loop.step > 0 else (loop.stop, loop.start)
    return not ranges.le(last, first, UNPOLLED_OPERATIONS // price(loop.body.equations) * abs(loop.step))


def may_be_stripped(loop: For) -> bool:
    """Whether an endless loop may become vectors, if nothing in it stands in the way."""
    loops = any(isinstance(e.op, For | While) for e in equations(loop.body))
    return loop.kind == "parallel" and loop.step == 1 and not loops


def visited_again(whole: BlockProgram, among: Iterable[int] | None = None) -> set[int]:
    """Blocks of which every way that does not end comes to one again and again; `among`: of ways through these."""
    listed = range(len(whole.blocks)) if among is None else sorted(among)
    found = {e.target for k in listed for e in edges(whole.blocks[k]) if e.target <= k}
    # Of a function's calls the first of a visit: it is as often there as the others that follow returns.
    return found | {
        k for k in listed if isinstance(whole.blocks[k].terminator, Call) and not whole.blocks[k].arrives
    }
