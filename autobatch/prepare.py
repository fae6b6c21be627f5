"""What every compiled spelling of lanes needs of a program: prepare : Program -> Program.

Array equations as loops over numbers, index errors as checks, nothing superfluous.
"""

from __future__ import annotations

from codegen.bounds import bounds
from codegen.check import check
from codegen.ir import Program
from codegen.scalarize import scalarize
from codegen.simplify import simplify


def prepare(program: Program) -> Program:
    """The passes before a program is cut into blocks."""
    for made in (simplify, bounds, scalarize, simplify):
        program = check(made(program), after=made.__name__)
    return program
