"""What a GPU is not given: covered : Program -> Program, or a SourceError at the user's line.

Kernels compute (kernels.py). Beside them the host works with numbers, makes, copies and turns arrays, takes parts of
them, and has products of matrices from a library. It does not go over single elements, each of which would be copied
from the GPU.
"""

from __future__ import annotations

from collections.abc import Callable

from codegen.ir import Apply, Block, Equation, For, Program, While
from codegen.ir.kinds import Access, Effect, Made, Same
from codegen.ir.substitution import blocks
from codegen.source import Span, refuse
from codegen.targets.numba_cpu import has_threads, is_for_library

ON_HOST = (Made.EMPTY, Made.FULL, Same.COPY, Same.TRANSPOSED, Same.RESHAPED)
INSTEAD = "use target='numba'"


def covered(program: Program) -> Program:
    """The program, if all of it is."""
    for function in program.functions.values():
        why = why_no_kernel if has_threads(function) else why_not
        check(function.body, function.span, why)
    return program


def check(
    block: Block, span: Span | None, why: Callable[[Equation, Apply, bool], str], again: bool = False
) -> None:
    """SourceError for the first operation in a block that is not; `again`: the block is run in a loop."""
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Apply) and (told := why(equation, op, again)):
            raise refuse(equation.span or span, f"target='cuda' of array programs: {told}")
        for inner in blocks(op):
            check(inner, equation.span or span, why, again or isinstance(op, For | While))


def why_not(equation: Equation, op: Apply, again: bool) -> str:
    """What the host does not do, and what to write instead; nothing where it does."""
    row = op.primitive
    if row.family == "random":
        return f"no draws from a generator; draw before, or {INSTEAD}"
    if row.kind is Effect.STORE:
        return f"arguments are not written into; return the array, or {INSTEAD}"
    if not has_arrays(equation, op) or row.kind in tuple(Effect):
        return f"{row.name} of numbers is for kernels alone; {INSTEAD}" if row.helper else ""
    if again and is_of_elements(equation, op):
        return (
            "elements are read or written here by a loop whose iterations look at each other, or can fail; write it "
            f"over whole arrays or as a loop of independent iterations, or {INSTEAD}"
        )
    part = row.kind in tuple(Access) and "a" not in op.params["spec"]
    return "" if part or row.kind in ON_HOST or is_for_library(op) else f"no {row.name} of arrays; {INSTEAD}"


def why_no_kernel(equation: Equation, op: Apply, again: bool) -> str:
    """The same of a thread."""
    row = op.primitive
    if row.family == "random":
        return f"no draws from a generator; draw before, or {INSTEAD}"
    if row.kind is Made.EMPTY and not all(isinstance(n, int) for n in equation.outs[0].type.shape):
        return f"an iteration makes an array of a size that is not known; {INSTEAD}"
    if row.kind is Made.EMPTY or not has_arrays(equation, op) or is_of_elements(equation, op):
        return ""
    return f"an iteration works with a whole array, by {row.name}; write it element by element, or {INSTEAD}"


def has_arrays(equation: Equation, op: Apply) -> bool:
    return any(v.type.rank for v in (*op.operands, *equation.outs))


def is_of_elements(equation: Equation, op: Apply) -> bool:
    """Whether single elements are read or written, or a part of an array is."""
    kind = op.primitive.kind
    return kind in (Access.WRITE, Access.ADD) or (kind is Access.READ and not equation.outs[0].type.rank)
