"""Which functions a lane can fail in: failing_functions : Program -> names.

A function over lanes in which nothing can fail has no result that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from codegen.analysis.calls import functions_with
from codegen.ir import Apply, Atom, Call, Equation, Lit, Program
from codegen.ir.kinds import Arithmetic
from codegen.ir.traversal import within


def failing_functions(program: Program) -> set[str]:
    """The functions in which a lane can fail, by themselves or through what they call."""
    return functions_with(program, can_fail)


def fails_in(listed: Iterable[Equation], failing: Set[str]) -> bool:
    """Whether a lane can fail in equations, by themselves or in a function that is `failing`."""
    inside = (e for each in listed for e in within(each))
    return any(e.op.function in failing if isinstance(e.op, Call) else can_fail(e) for e in inside)


def can_fail(equation: Equation) -> bool:
    match equation.op:
        case Apply(rule, operands):
            return rule.effect or (rule.kind is Arithmetic.POW and refusable(*operands))
    return False


def refusable(base: Atom, power: Atom) -> bool:
    """Whether a power may be a negative one of an int."""
    ints = base.type.dtype[0] in "iu" and power.type.dtype[0] == "i"
    return ints and not (isinstance(power, Lit) and power.value >= 0)
