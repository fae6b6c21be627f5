"""Functions under other names, so that the functions of one program can join another's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from codegen.ir import Apply, Block, Call, Equation, For, Function, If, Operation, While

Names = Mapping[str, str]


def renamed(function: Function, names: Names) -> Function:
    """A function whose Calls go to other names, under its own other name."""
    body = recalled(function.body, names)
    return Function(names[function.name], function.params, body, function.span, function.doc)


def recalled(block: Block, names: Names) -> Block:
    if all(old == new for old, new in names.items()):
        return block
    return Block(
        tuple(Equation(e.outs, recalled_op(e.op, names), e.span) for e in block.equations), block.results
    )


def recalled_op(op: Operation, names: Names) -> Operation:
    match op:
        case Apply():
            return op
        case Call(function, operands):
            return Call(names[function], operands)
        case If(test, then, orelse):
            return If(test, recalled(then, names), recalled(orelse, names))
        case For():
            return replace(op, body=recalled(op.body, names))
        case While(carried, init, cond, body):
            return While(carried, init, recalled(cond, names), recalled(body, names))
