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
        if not isinstance(op, Apply) or op.primitive.alone is None or used[op.operands[0]] != 1:
            return [equation]
        of, part = (ROWS[name] for name in op.primitive.alone)
        whole = made.get(op.operands[0])
        if whole is None or whole.primitive is not of:
            return [equation]
        return [replace(equation, op=Apply(part, whole.operands))]

    return with_equations(body, changed)
