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
from codegen.ir.substitution import blocks
from codegen.ir.traversal import with_bodies, with_equations
from codegen.primitives import ROWS


def exact_draws(program: Program) -> Program:
    """The program with products of draws, and of elements of arrays of them, rounded by themselves."""
    drawn: set[Atom] = set()

    def exact(equation: Equation) -> list[Equation]:
        op = equation.op
        if not isinstance(op, Apply):
            ends = (zip(equation.outs, block.results) for block in blocks(op))
            drawn.update(out for pairs in ends for out, result in pairs if result in drawn)
            return [equation]
        row = op.primitive
        moves = row.kind in (Access.READ, Access.WRITE)
        if row.family == "random" or (moves and not drawn.isdisjoint(op.operands[: row.first_place])):
            drawn.add(equation.outs[-1])
        of_draw = row.kind is Arithmetic.MUL and not drawn.isdisjoint(op.operands)
        if of_draw and equation.outs[0].type == Type("f8"):
            op = replace(op, primitive=ROWS["rounded_mul"])
        return [replace(equation, op=op)]

    return with_bodies(program, lambda body: with_equations(body, exact))
