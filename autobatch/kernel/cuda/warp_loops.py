"""Which loops the threads of a warp may share, where a lane is a warp: WarpLowering, in Lowering's place.

    for i in range(100):            rounds look at nothing that others make, but for sums and the like:
        t += x[i] * y[i]            Loop(..., reduced=(t: a sum,))
        z[i] = x[i]

That is read off the program (codegen/loops/independent.py), and held against where arrays are: a round writes into the
arrays that the loop carries alone, as those that it has for itself are one for all rounds. It does not fail, for that
the lane would have to leave the loop; and what it reduces to threads can give each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autobatch.cost_model import SHARED_ROUNDS
from autobatch.kernel import ir
from autobatch.kernel.ir import Memory, Stmt
from autobatch.kernel.lower import Lowering
from autobatch.kernel.walk import outs, statements
from codegen.ir import Equation, For, Lit
from codegen.ir.kinds import Arithmetic
from codegen.loops.independent import Kind, counts, is_independent, reductions
from codegen.source import Span

OF_A_ROUND = ir.Assign | ir.Move | ir.Store | ir.Accumulate | ir.If | ir.Loop | ir.Step
GIVEN = ("f8", "i8", "f4", "i4", "b1")  # the numbers that threads can give each other
UNCHANGED: dict[Kind, float] = {Arithmetic.ADD: 0.0, Arithmetic.MUL: 1.0}
"""What a sum or a product may begin with in all threads but one. Of the others each may begin with all there is."""


class WarpLowering(Lowering):
    def for_(self, equation: Equation, loop: For, around: Span | None) -> Iterator[Stmt]:
        for stmt in super().for_(equation, loop, around):
            if isinstance(stmt, ir.Loop) and self.is_shared(loop, stmt):
                yield replace(stmt, reduced=self.reduced(loop))
            else:
                yield stmt

    def is_shared(self, loop: For, made: ir.Loop) -> bool:
        if not isinstance(loop.start, Lit) or not isinstance(loop.stop, Lit) or made.strip:
            return False
        if loop.stop.value - loop.start.value < SHARED_ROUNDS or not is_independent(loop):
            return False
        if any(p.type.dtype not in GIVEN for p in reductions(loop)):
            return False
        inside = list(statements(made.body))
        if not self.used[loop.index] or any(made.index == out for s in inside for out in outs(s)):
            return False
        arrays = (p for k, p in enumerate(loop.carried) if p.type.rank and not counts(loop, k))
        own = {beginning_of(self.array(p)) for p in arrays}
        written = {beginning_of(s.address.memory) for s in inside if isinstance(s, ir.Store | ir.Accumulate)}
        return written <= own and all(isinstance(s, OF_A_ROUND) for s in inside)

    def reduced(self, loop: For) -> tuple[ir.Reduced, ...]:
        init = dict(zip(loop.carried, loop.init))
        return tuple(
            (self.register(p), kind, is_fresh(init[p], kind)) for p, kind in reductions(loop).items()
        )


def is_fresh(value: object, kind: Kind) -> bool:
    """Whether all threads may begin with a number."""
    return kind not in UNCHANGED or isinstance(value, Lit) and value.value == UNCHANGED[kind]


def beginning_of(memory: Memory) -> tuple[str, ir.First]:
    """What tells an array of a lane from its others."""
    return memory.name, memory.first
