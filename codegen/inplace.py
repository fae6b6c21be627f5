"""In-place writes: after this pass every `update` and `accumulate` can overwrite its array.

y = update x, v, i                    c = copy x                 y = x.copy()
z = add x, y                  ->      y = update c, v, i         y[i] = v
                                      z = add x, y               z = x + y
"""

from __future__ import annotations

from dataclasses import replace

from codegen import ir
from codegen.fold import Storage
from codegen.ir import Apply, Block, Equation, For, If, Operation, Program, Var, While
from codegen.primitives.row import ROWS


def inplace(program: Program) -> Program:
    return ir.program(
        {name: replace(f, body=block_(f.body)) for name, f in program.functions.items()}, program.main
    )


def block_(block: Block) -> Block:
    equations: list[Equation] = []
    for e in block.equations:
        op: Operation = e.op
        if isinstance(op, Apply) and op.primitive.name in ("update", "accumulate"):
            x = op.operands[0]
            assert isinstance(x, Var)
            c = Var(x.name, x.type)
            equations.append(Equation((c,), Apply(ROWS["copy"], (x,)), e.span))
            op = replace(op, operands=(c, *op.operands[1:]))
        elif isinstance(op, If):
            op = replace(op, then=block_(op.then), orelse=block_(op.orelse))
        elif isinstance(op, For):
            op = replace(op, body=block_(op.body))
        elif isinstance(op, While):
            op = replace(op, body=block_(op.body), cond=block_(op.cond))
        equations.append(replace(e, op=op))
    return Block(tuple(equations), block.results)


def storage(program: Program) -> Storage:
    return lambda v: frozenset({v.type.dtype})
