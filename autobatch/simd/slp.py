"""Whether a lane by itself fills vectors in loops that are unrolled: fills_vectors_unrolled : BlockProgram -> bool.

A compiler writes loops of few rounds out before it looks for vectors, and finds none where no loop is left. It has a
pass for such code, which puts like operations on neighbouring numbers together (superword-level parallelism), but it
also puts two and two scalars together, and then waits for them to be brought to one register: a Runge-Kutta step of two
numbers takes an eighth longer, a leapfrog of ten a tenth less. Numba has left that pass out since 2023, as the LLVM of
then made wrong code with it (its pull request 8852); Numba 0.62, the oldest that this project takes, has LLVM 20.
"""

from __future__ import annotations

from autobatch.cfg.cost import cost, trip_estimate
from autobatch.cfg.graph import BlockProgram
from autobatch.cost_model import SLP_ROUNDS, SLP_SHARE
from autobatch.kernel.loops import is_long
from autobatch.schedule import weights
from codegen.ir import Equation, For, Program
from codegen.ir.substitution import blocks


def fills_vectors_unrolled(program: BlockProgram) -> bool:
    """Whether most of the work, as estimated, is in loops over short arrays, in any order."""
    weight = weights(program)
    parts = (unrolled_share(block.equations, program.program) for block in program.blocks)
    inside = sum(w * p for w, p in zip(weight, parts, strict=True))
    return inside > SLP_SHARE * sum(weight)


def unrolled_share(equations: tuple[Equation, ...], program: Program) -> float:
    """What part of the cost of equations is in such loops, at any depth."""
    prices = [cost([e], program) for e in equations]
    inside = sum(price * share_of(e, program) for price, e in zip(prices, equations, strict=True))
    return inside / sum(prices) if any(prices) else 0.0


def share_of(equation: Equation, program: Program) -> float:
    """What part of an equation is."""
    op = equation.op
    if isinstance(op, For) and op.kind == "parallel" and not is_long(op) and trip_estimate(op) >= SLP_ROUNDS:
        return 1.0
    return unrolled_share(tuple(e for block in blocks(op) for e in block.equations), program)
