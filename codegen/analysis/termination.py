"""Loops that nothing ends: refuse_endless : Program -> Program, or SourceError at the loop.

    while n == n:        for ints the condition is simplified to True
        k += 1

No compiler takes what follows such a loop, and nothing would come to it.

    while n > 0:         ends or never does, whatever happens in it: `stuck`, and never dropped
        k += 1
"""

from __future__ import annotations

from codegen.ir import Apply, Block, Call, Equation, Lit, Operation, Program, While
from codegen.ir.substitution import free
from codegen.ir.traversal import all_equations, equations
from codegen.simplify.bounds_checks import may_fail
from codegen.source import refuse


def refuse_endless(program: Program) -> Program:
    """The same program."""
    for equation in all_equations(program):
        op = equation.op
        if isinstance(op, While) and is_true(op.cond) and not may_leave(program, op.body, set()):
            raise refuse(
                equation.span,
                "this loop never ends: its condition always holds, and nothing leaves it; "
                "write a condition that can become false, or a break",
            )
    return program


def is_true(condition: Block) -> bool:
    test = condition.results[0]
    return isinstance(test, Lit) and bool(test.value)


def may_leave(program: Program, block: Block, seen: set[str]) -> bool:
    """Whether something in a block, or in what it calls, may raise."""
    return any(may_exit(program, equation, seen) for equation in equations(block))


def may_exit(program: Program, equation: Equation, seen: set[str]) -> bool:
    match equation.op:
        case Apply(primitive):
            return primitive.effect or may_fail(equation)
        case Call(name) if name not in seen:
            seen.add(name)
            return may_leave(program, program.functions[name].body, seen)
    return False


def stuck(op: Operation) -> bool:
    """Whether it is a loop whose condition hangs on nothing that it changes."""
    return isinstance(op, While) and set(op.carried).isdisjoint(free(op.cond))
