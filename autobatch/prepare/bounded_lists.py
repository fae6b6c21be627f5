"""Lists that grow, refused where lanes are compiled: what a lane computes does not tell how long they get."""

from __future__ import annotations

from codegen.analysis.growth import growth
from codegen.ir import Program
from codegen.ir.traversal import all_equations
from codegen.source import UnknownSizeError


def refuse_growth(program: Program) -> Program:
    """The program itself. SourceError where an array is made larger as it runs."""
    for equation in all_equations(program):
        for out in growth(equation):
            raise UnknownSizeError.at(
                equation.span,
                f"how long a list gets, {out.name!r}, is not known before the program runs, and lanes have arrays of "
                "one size: say in the loop how long at most, `assert len(xs) <= 100`",
            )
    return program
