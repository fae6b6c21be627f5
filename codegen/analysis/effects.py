"""What equations do beside giving values, at any depth: asked by what drops, moves or reorders them.

check n > 0                  acts, may_end
y = f(x)                     may_end
rng2, z = normal rng         draws
y = sin(x)                   pure
"""

from __future__ import annotations

from codegen.ir import Apply, Block, Call, Equation
from codegen.ir.kinds import Effect
from codegen.ir.substitution import reads
from codegen.ir.traversal import within


def acts(equation: Equation) -> bool:
    """Whether it checks, fails, stores or prints."""
    return any(isinstance(e.op, Apply) and e.op.primitive.effect for e in within(equation))


def may_end(equation: Equation) -> bool:
    """Whether it may end the program by itself, or calls a function."""
    inside = (e.op for e in within(equation))
    return any(op.primitive.stops if isinstance(op, Apply) else isinstance(op, Call) for op in inside)


def always_fails(block: Block) -> bool:
    """Whether nothing comes after a block, since it raises."""
    return any(isinstance(e.op, Apply) and e.op.primitive.kind is Effect.FAIL for e in block.equations)


def draws(equation: Equation) -> bool:
    """Whether it draws random numbers. Then it cannot be run again: the stream has moved on."""
    return any(a.type.dtype == "rng" for e in within(equation) for a in reads(e.op))


def pure(equation: Equation) -> bool:
    """Whether it computes its values and nothing else, without calls."""
    inside = (e.op for e in within(equation))
    return not any(
        op.primitive.effect or op.primitive.of_streams if isinstance(op, Apply) else isinstance(op, Call)
        for op in inside
    )
