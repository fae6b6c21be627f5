"""Loops that nothing ends: refuse_endless : Program -> Program, or SourceError at the loop.

    while n == n:        for ints the condition is simplified to True
        k += 1

No compiler takes what follows such a loop, and no lane would come to it.
"""

from __future__ import annotations

from codegen.ir import Apply, Block, Lit, Program, While
from codegen.rename import blocks
from codegen.source import refuse


def refuse_endless(program: Program) -> Program:
    """The same program."""
    for function in program.functions.values():
        look(function.body)
    return program


def look(block: Block) -> None:
    for equation in block.equations:
        op = equation.op
        if isinstance(op, While) and is_true(op.cond) and not any(map(may_fail, blocks(op))):
            raise refuse(
                equation.span,
                "this loop never ends: its condition always holds, and nothing leaves it; "
                "write a condition that can become false, or a break",
            )
        for inner in blocks(op):
            look(inner)


def is_true(condition: Block) -> bool:
    test = condition.results[0]
    return isinstance(test, Lit) and bool(test.value)


def may_fail(block: Block) -> bool:
    ops = [equation.op for equation in block.equations]
    return any(op.primitive.effect if isinstance(op, Apply) else any(map(may_fail, blocks(op))) for op in ops)
