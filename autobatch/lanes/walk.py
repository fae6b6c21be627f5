"""The walk over structured code: run : Scope, Block -> the block's results over the scope's lanes.

Each equation becomes what stands for it over lanes: a primitive in equations.py, an If in if_conversion.py, a
loop in loops.py, a call in local_static.py.
"""

from __future__ import annotations

from typing import assert_never

from autobatch.lanes.equations import apply
from autobatch.lanes.if_conversion import branch
from autobatch.lanes.loops import loop
from autobatch.lanes.masks import Scope, Value
from codegen.ir import Apply, Block, Call, Equation, For, If, While


def run(scope: Scope, block: Block) -> list[Value]:
    """The block's equations in `scope`; its results."""
    for equation in block.equations:
        step(scope, equation)
    return [scope.value(r) for r in block.results]


def step(scope: Scope, equation: Equation) -> None:
    with scope.b.at(equation.span):
        match equation.op:
            case Apply() as op:
                apply(scope, equation, op)
            case Call() as op:
                scope.whole.call(scope, equation, op)
            case If() as op:
                branch(scope, equation, op)
            case For() | While() as op:
                loop(scope, equation, op)
            case _ as never:
                assert_never(never)
