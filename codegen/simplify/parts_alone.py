"""What one operation makes and only a part of is read, as that part alone: parts_alone : Program -> Program.

    system = eigensystem(a)                       values = eigenvalues(a)
    values = eigenvalues_in(system, a)     ->

A derivative reads the vectors too: this comes after differentiation.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from codegen.analysis.definitions import applied
from codegen.ir import Apply, Block, Equation, Program
from codegen.ir.traversal import equations, operands, with_bodies, with_equations
from codegen.primitives import ROWS


def parts_alone(program: Program) -> Program:
    """The program with rows' `alone` where nothing else of an operation's result is read."""
    return with_bodies(program, parts_alone_in)


def parts_alone_in(body: Block) -> Block:
    used, made = Counter(operands(body)), applied(equations(body))

    def changed(equation: Equation) -> list[Equation]:
        op = equation.op
        if (
            isinstance(op, Apply)
            and op.primitive.alone
            and used[op.operands[0]] == 1
            and op.operands[0] in made
        ):
            whole = made[op.operands[0]].operands
            return [replace(equation, op=Apply(ROWS[op.primitive.alone], whole))]
        return [equation]

    return with_equations(body, changed)
