"""Random numbers rounded as NumPy rounds them: exact_draws : Program -> Program.

    z = draw_standard_normal rng              z = draw_standard_normal rng
    t = mul scale, z                   ->     t = rounded_mul scale, z
    x = add loc, t                            x = add loc, t

A compiler for GPUs makes one operation of a product and a sum, and then loc + scale * z is not NumPy's last bit.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.ir import Apply, Atom, Equation, Program, Type
from codegen.ir.kinds import Access, Arithmetic
from codegen.ir.traversal import with_bodies, with_equations
from codegen.primitives import ROWS


def exact_draws(program: Program) -> Program:
    """The program with products of what has just been drawn rounded by themselves."""
    drawn: set[Atom] = set()

    def exact(equation: Equation) -> list[Equation]:
        op = equation.op
        if not isinstance(op, Apply):
            return [equation]
        row = op.primitive
        if row.family == "random" or (row.kind is Access.READ and op.operands[0] in drawn):
            drawn.add(equation.outs[-1])
        of_draw = row.kind is Arithmetic.MUL and not drawn.isdisjoint(op.operands)
        if of_draw and equation.outs[0].type == Type("f8"):
            op = replace(op, primitive=ROWS["rounded_mul"])
        return [replace(equation, op=op)]

    return with_bodies(program, lambda body: with_equations(body, exact))
