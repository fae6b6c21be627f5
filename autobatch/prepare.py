"""What every compiled spelling of lanes needs of a program: prepare : Program -> Program.

Calls only of recursive functions, array equations as loops over numbers, index errors as checks, nothing superfluous.
"""

from __future__ import annotations

from codegen.bounds import bounds
from codegen.check import check
from codegen.inline import inline
from codegen.ir import Program
from codegen.scalarize import scalarize
from codegen.simplify import simplify


def prepare(program: Program) -> Program:
    """The passes before a program is cut into blocks."""
    for made in (simplify, flat, simplify, bounds, scalarize, simplify):
        program = check(made(program), after=made.__name__)
    return program


def flat(program: Program) -> Program:
    """Only recursive functions are called: what a gradient runs again is then seen beside its first run."""
    return inline(program, when=lambda function, calls: True)
