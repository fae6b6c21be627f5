"""A walk over a function that knows at each place what is known of its ints (ranges.py), for passes that ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from codegen.analysis.effects import always_fails
from codegen.analysis.induction import counters
from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Block, Call, Equation, For, Function, If, While
from codegen.ir.kinds import Effect


@dataclass(eq=False)
class RangeWalk:
    """Goes through equations in order; a pass says what becomes of each Apply."""

    ranges: Ranges = field(default_factory=Ranges, kw_only=True)

    def function(self, f: Function) -> Function:
        for param in f.params:
            self.ranges.binder(param)
        return replace(f, body=self.block(f.body))

    def block(self, b: Block) -> Block:
        return Block(tuple(each for equation in b.equations for each in self.step(equation)), b.results)

    def step(self, equation: Equation) -> Sequence[Equation]:
        """What an equation becomes; what the last of it says is noted."""
        r = self.ranges
        match equation.op:
            case Apply() as op:
                done = self.apply(equation, op)
                if op.primitive.kind is Effect.CHECK:
                    r.assume(op.operands[0], True)
            case Call():
                done = [equation]
            case If() as op:
                done = [replace(equation, op=self.branch(equation, op))]
            case For() | While() as op:
                done = [replace(equation, op=self.loop(equation, op))]
            case _:
                assert_never(equation.op)
        for each in done[-1:]:
            r.equation(each)
        return done

    def apply(self, equation: Equation, op: Apply) -> Sequence[Equation]:
        """What an application of a primitive becomes."""
        raise NotImplementedError

    def branch(self, equation: Equation, op: If) -> If:
        """What one side alone says is forgotten after it, but where the other one fails."""
        r = self.ranges
        sides, natural = [], []
        for body, value in ((op.then, True), (op.orelse, False)):
            depth = len(r.undo)
            r.assume(op.test, value)
            sides.append(self.block(body))
            natural.append([result.type.dtype == "i8" and r.le(None, result) for result in body.results])
            r.leave(depth)
        for k, (out, a, b) in enumerate(zip(equation.outs, op.then.results, op.orelse.results)):
            if out.type.dtype == "i8":
                r.among[out] = (a, b)
            elif out.type.dtype == "b1":
                r.joined[out] = (op.test, a, b)
            if natural[0][k] and natural[1][k]:
                r.bound(r.below, out, None, 0)
        for body, value in ((op.then, False), (op.orelse, True)):
            if always_fails(body):
                r.assume(op.test, value)
        return If(op.test, sides[0], sides[1])

    def loop(self, equation: Equation, op: For | While) -> For | While:
        r = self.ranges
        for var in op.carried:
            r.binder(var)
        counters(r, op, equation.outs)
        depth = len(r.undo)
        if isinstance(op, For):
            r.loop_index(op)
        else:
            op = replace(op, cond=self.block(op.cond))
            r.assume(op.cond.results[0], True)
        done = replace(op, body=self.block(op.body))
        r.leave(depth)
        return done
