"""log(1 + exp(z)) and its slope by one exponential: softplus : Program -> Program.

    l = logaddexp(0.0, z)              l = -log_expit(-z)
    s = exp(z - l)               ->    s = expit(z)

That is how a logistic density and its gradient come out of differentiation. Written so, both are made from exp(-|z|),
which the compiler then computes once: s is not chosen, which would be a branch, but NaN is added to it where z is
infinite, as it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from codegen.ir import Apply, Atom, Equation, Lit, Operation, Program, Type, Var
from codegen.ir.kinds import Arithmetic
from codegen.ir.traversal import with_bodies, with_equations
from codegen.primitives import ROWS

Defined = dict[Atom, Apply]


def rewrite_softplus(whole: Program) -> Program:
    """The program with such pairs rewritten."""
    defined: Defined = {}  # the operations that gave variables their values
    return with_bodies(whole, lambda body: with_equations(body, lambda e: rewrite_pair(e, defined)))


def rewrite_pair(equation: Equation, defined: Defined) -> Iterator[Equation]:
    op, out = equation.op, equation.outs[:1]
    if isinstance(op, Apply):
        defined.update(dict.fromkeys(equation.outs, op))
    if (z := softplus_of(op)) is not None:
        negative, log = Var("t", out[0].type), Var("t", out[0].type)
        yield Equation((negative,), Apply(ROWS["neg"], (z,)), equation.span)
        yield Equation((log,), Apply(ROWS["log_expit"], (negative,)), equation.span)
        yield replace(equation, op=Apply(ROWS["neg"], (log,)))
    elif (z := slope_of(op, defined)) is not None:
        slope, finite, lost = Var("t", out[0].type), Var("t", Type("b1")), Var("t", out[0].type)
        yield Equation((slope,), Apply(ROWS["expit"], (z,)), equation.span)
        yield Equation((finite,), Apply(ROWS["lt"], (z, Lit(math.inf, z.type))), equation.span)
        either = finite, Lit(0.0, z.type), Lit(math.nan, z.type)
        yield Equation((lost,), Apply(ROWS["select"], either), equation.span)
        yield replace(equation, op=Apply(ROWS["add"], (slope, lost)))
    else:
        yield equation


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
