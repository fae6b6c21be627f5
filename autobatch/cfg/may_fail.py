"""Which functions a lane can fail in: failing_functions : Program -> names.

A function over lanes in which nothing can fail has no result that says so.
"""

from __future__ import annotations

from collections.abc import Set

from codegen.ir import Apply, Atom, Block, Call, Lit, Operation, Program
from codegen.ir.kinds import Arithmetic
from codegen.ir.traversal import equations


def failing_functions(program: Program) -> set[str]:
    """The functions in which a lane can fail, by themselves or through what they call."""
    failing: set[str] = set()
    while more := {n for n, f in program.functions.items() if n not in failing and can_fail(f.body, failing)}:
        failing |= more
    return failing


def can_fail(block: Block, failing: Set[str]) -> bool:
    return any(operation_can_fail(equation.op, failing) for equation in equations(block))


def operation_can_fail(op: Operation, failing: Set[str]) -> bool:
    """Whether an operation can fail, the blocks inside it aside."""
    match op:
        case Apply(rule, operands):
            return rule.effect or (rule.kind is Arithmetic.POW and refusable(*operands))
        case Call(name):
            return name in failing
    return False


def refusable(base: Atom, power: Atom) -> bool:
    """Whether a power may be a negative one of an int."""
    ints = base.type.dtype[0] in "iu" and power.type.dtype[0] == "i"
    return ints and not (isinstance(power, Lit) and power.value >= 0)
