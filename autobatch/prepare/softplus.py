"""log(1 + exp(z)) and its slope by one exponential: softplus : Program -> Program.

    l = logaddexp(0.0, z)              l = -log_expit(-z)
    s = exp(z - l)               ->    s = expit(z)

That is how a logistic density and its gradient come out of differentiation. Written so, both are made from exp(-|z|),
which the compiler then computes once. Where z is infinite, s is NaN as it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from codegen.ir import (
    Apply,
    Atom,
    Block,
    Equation,
    Lit,
    Operation,
    Program,
    Type,
    Var,
)
from codegen.ir.kinds import Arithmetic
from codegen.ir.traversal import with_bodies, with_inner
from codegen.primitives import ROWS

Defined = dict[Atom, Apply]


def softplus(whole: Program) -> Program:
    """The program with such pairs rewritten."""
    return with_bodies(whole, lambda body: shared(body, {}))


def shared(block: Block, defined: Defined) -> Block:
    """A block in whose scope `defined` are the operations that gave variables their values."""
    defined = dict(defined)
    equations: list[Equation] = []
    for equation in block.equations:
        for out in equation.outs:
            if isinstance(equation.op, Apply):
                defined[out] = equation.op
        equations += rewritten(equation, defined)
    return Block(tuple(equations), block.results)


def rewritten(equation: Equation, defined: Defined) -> Iterator[Equation]:
    out = equation.outs[:1]
    if (z := softplus_of(equation.op)) is not None:
        negative, log = Var("t", out[0].type), Var("t", out[0].type)
        yield Equation((negative,), Apply(ROWS["neg"], (z,)), equation.span)
        yield Equation((log,), Apply(ROWS["log_expit"], (negative,)), equation.span)
        yield replace(equation, op=Apply(ROWS["neg"], (log,)))
    elif (z := slope_of(equation.op, defined)) is not None:
        slope, finite = Var("t", out[0].type), Var("t", Type("b1"))
        yield Equation((slope,), Apply(ROWS["expit"], (z,)), equation.span)
        yield Equation((finite,), Apply(ROWS["lt"], (z, Lit(math.inf, z.type))), equation.span)
        yield replace(equation, op=Apply(ROWS["select"], (finite, slope, Lit(math.nan, z.type))))
    else:
        yield replace(equation, op=with_inner(equation.op, lambda inner: shared(inner, defined)))


def softplus_of(op: Operation | None) -> Var | None:
    """z, of logaddexp(0, z) of float64 numbers."""
    if not isinstance(op, Apply) or op.primitive.kind is not Arithmetic.LOGADDEXP:
        return None
    zeros = [o for o in op.operands if isinstance(o, Lit) and o.value == 0]
    rest = [o for o in op.operands if isinstance(o, Var) and o.type.dtype == "f8" and not o.type.rank]
    return rest[0] if zeros and rest else None


def slope_of(op: Operation, defined: Defined) -> Var | None:
    """z, of exp(z - logaddexp(0, z))."""
    if not isinstance(op, Apply) or op.primitive.kind is not Arithmetic.EXP:
        return None
    difference = defined.get(op.operands[0])
    if difference is None or difference.primitive.kind is not Arithmetic.SUB:
        return None
    z, log = difference.operands
    return z if isinstance(z, Var) and softplus_of(defined.get(log)) is z else None
