"""Rough costs: cost : equations -> scalar operations of one lane, by which blocks are put in order.

    y = np.exp(x) + 1.0      x: f8[10]       10 * 15 + 10 * 1 = 160

Rows say what one element costs. A size that is not known counts as ASSUMED_SIZE, a loop whose count is not known as
ASSUMED_TRIPS, a condition as its costlier branch, a recursive call inside as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import assert_never

from autobatch.cost_model import ASSUMED_SIZE, ASSUMED_TRIPS
from codegen.ir import Apply, Call, Dim, Equation, For, If, Lit, Program, Type, While
from codegen.ir.kinds import Same
from codegen.ir.literals import range_size
from codegen.ir.substitution import blocks


def cost(equations: Iterable[Equation], program: Program, within: frozenset[str] = frozenset()) -> float:
    """What running the equations once costs; `within`: the functions being counted already."""
    return sum((cost_of(equation, program, within) for equation in equations), 0.0)


def cost_of(equation: Equation, program: Program, within: frozenset[str]) -> float:
    inner = [cost(block.equations, program, within) for block in blocks(equation.op)]
    match equation.op:
        case Apply():
            return apply_cost(equation)
        case Call(name):
            if name in within:
                return 0.0
            return cost(program.functions[name].body.equations, program, within | {name})
        case If():
            return 1.0 + max(inner)
        case For() as loop:
            return trip_estimate(loop) * (1.0 + inner[0])
        case While():
            return ASSUMED_TRIPS * sum(inner)
        case _ as never:
            assert_never(never)


def trip_estimate(loop: For) -> float:
    """The loop's count, where its bounds are literals."""
    if isinstance(loop.start, Lit) and isinstance(loop.stop, Lit):
        return range_size(loop.start.value, loop.stop.value, loop.step)
    return ASSUMED_TRIPS


def apply_cost(equation: Equation) -> float:
    """The row's cost for each element that goes in or comes out, or of all together."""
    assert isinstance(equation.op, Apply)
    rule, operands = equation.op.primitive, equation.op.operands
    if rule.family == "effect" or rule.kind is Same.STOPPED:
        return 0.0
    if rule.work is not None:
        return rule.work(*(tuple(map(size_estimate, o.type.shape)) for o in operands))
    if rule.writes:
        return rule.cost * element_estimate(operands[1].type)
    if rule.family in ("reduce", "scan", "linalg"):
        return rule.cost * max((element_estimate(o.type) for o in operands), default=1)
    return rule.cost * max((element_estimate(out.type) for out in equation.outs), default=1)


def element_estimate(type_: Type) -> int:
    """How many elements a value of the type has."""
    return prod(map(size_estimate, type_.shape))


def size_estimate(n: Dim) -> int:
    return n if isinstance(n, int) else ASSUMED_SIZE
