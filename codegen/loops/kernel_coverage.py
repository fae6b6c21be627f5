"""What a GPU is not given: covered : Program -> Program, or a SourceError at the user's line.

Kernels compute (kernels.py). Beside them the host works with numbers, makes, copies and turns arrays, takes parts of
them, and has products of matrices from a library. It does not look at single elements, each of which would be copied
from the GPU.
"""

from __future__ import annotations

from codegen.ir import Apply, Equation, Program
from codegen.ir.kinds import Access, Effect, Made, Same
from codegen.ir.traversal import equations
from codegen.source import refuse
from codegen.targets.numba_cpu import has_threads, is_for_library

ON_HOST = (Made.EMPTY, Made.FULL, Same.COPY, Same.TRANSPOSED, Same.RESHAPED)
INSTEAD = "use target='numba'"


def covered(program: Program) -> Program:
    """The program, if all of it is."""
    for function in program.functions.values():
        for equation in equations(function.body):
            if isinstance(equation.op, Apply):
                why = (
                    why_no_kernel(equation, equation.op)
                    if has_threads(function)
                    else why_not(equation, equation.op)
                )
                if why:
                    raise refuse(equation.span or function.span, f"target='cuda' of array programs: {why}")
    return program


def why_not(equation: Equation, op: Apply) -> str:
    """What the host does not do, and what to write instead; nothing where it does."""
    row = op.primitive
    if row.family == "random":
        return f"no draws from a generator; draw before, or {INSTEAD}"
    if row.kind is Effect.STORE:
        return f"arguments are not written into; return the array, or {INSTEAD}"
    arrays = any(v.type.rank for v in (*op.operands, *equation.outs))
    if not arrays:
        return f"{row.name} of numbers is for kernels alone; {INSTEAD}" if row.helper else ""
    if row.kind in (Access.WRITE, Access.ADD) or (row.kind is Access.READ and not equation.outs[0].type.rank):
        return (
            "elements are read or written here one after the other, in an order that matters; write it over whole "
            f"arrays or as a loop whose iterations are independent, or {INSTEAD}"
        )
    if (
        row.kind in ON_HOST
        or is_for_library(op)
        or (row.kind is Access.READ and "a" not in op.params["spec"])
    ):
        return ""
    return f"no {row.name} of arrays; {INSTEAD}"


def why_no_kernel(equation: Equation, op: Apply) -> str:
    """The same of a thread."""
    row = op.primitive
    if row.family == "random":
        return f"no draws from a generator; draw before, or {INSTEAD}"
    if row.kind is Made.EMPTY and not all(isinstance(n, int) for n in equation.outs[0].type.shape):
        return f"an iteration makes an array of a size that is not known; {INSTEAD}"
    elements = row.kind in (*Access, Made.EMPTY) and (
        row.kind is not Access.READ or not equation.outs[0].type.rank
    )
    if any(o.type.rank for o in equation.outs) and not elements:
        return f"an iteration makes an array, by {row.name}; write it element by element, or {INSTEAD}"
    return ""
