"""Which equation makes what: definitions : equations -> {Var: (Equation, which of its outs)}."""

from __future__ import annotations

from collections.abc import Iterable

from codegen.ir import Apply, Atom, Equation
from codegen.ir.kinds import Made


def definitions(equations: Iterable[Equation]) -> dict[Atom, tuple[Equation, int]]:
    return {out: (e, k) for e in equations for k, out in enumerate(e.outs)}


def applied(equations: Iterable[Equation]) -> dict[Atom, Apply]:
    """The primitive that makes each Var, where one does."""
    return {out: e.op for e in equations for out in e.outs if isinstance(e.op, Apply)}


def is_empty(equation: Equation) -> bool:
    """Whether an equation makes an array that has nothing in it yet."""
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Made.EMPTY
