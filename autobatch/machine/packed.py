"""Whether a lane by itself fills vectors in loops that are written out: packed : BlockProgram -> bool.

A compiler writes loops of few rounds out before it looks for vectors, and finds none where no loop is left. It has a
pass for such code, which puts like operations on neighbouring numbers together (superword-level parallelism), but it
also puts two and two scalars together, and then waits for them to be brought to one register: a Runge-Kutta step of two
numbers takes an eighth longer, a leapfrog of ten a tenth less.
"""

from __future__ import annotations

from autobatch.cost import cost, trips
from autobatch.graph import BlockProgram
from autobatch.machine.printer import LONG
from autobatch.machine.vectors import known
from autobatch.schedule import weights
from codegen.ir import Equation, For, Program
from codegen.rename import blocks

SHORTEST = 8  # rounds of a loop that fill a vector
MOST = 0.5  # of the work, in such loops


def packed(program: BlockProgram) -> bool:
    """Whether most of the work, as estimated, is in loops over short arrays, in any order."""
    weight = weights(program)
    inside = [
        w * part(cost(b.equations, program.program), b.equations, program.program)
        for w, b in zip(weight, program.blocks, strict=True)
    ]
    return sum(inside) > MOST * sum(weight)


def part(whole: float, equations: tuple[Equation, ...], program: Program) -> float:
    """What of the cost of equations is in such loops, at any depth."""
    return sum(in_loops(e, program) for e in equations) / whole if whole else 0.0


def in_loops(equation: Equation, program: Program) -> float:
    """The cost of an equation that is in such loops."""
    op, price = equation.op, cost([equation], program)
    if isinstance(op, For) and op.kind == "parallel" and known(op) and SHORTEST <= trips(op) <= LONG:
        return price
    inner = tuple(e for block in blocks(op) for e in block.equations)
    return price * part(cost(inner, program), inner, program)
