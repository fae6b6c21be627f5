"""Printing, refused where lanes are compiled: they run in no order."""

from __future__ import annotations

from codegen.ir import Apply, Equation, Program
from codegen.ir.kinds import Effect
from codegen.ir.traversal import all_equations
from codegen.source import refuse


def refuse_prints(program: Program) -> Program:
    """The program itself. SourceError where it prints."""
    for equation in all_equations(program):
        refuse_print(equation)
    return program


def refuse_print(equation: Equation) -> None:
    if isinstance(equation.op, Apply) and equation.op.primitive.kind is Effect.PRINT:
        raise refuse(
            equation.span,
            "print() over lanes is not supported: they run in no order; print what is returned, or call jit of the "
            "function on one example",
        )
