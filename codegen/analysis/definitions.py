"""Which equation makes what: definitions : equations -> {Var: (Equation, which of its outs)}."""

from __future__ import annotations

from collections.abc import Container, Iterable

from codegen.ir import Apply, Atom, Equation, Var
from codegen.ir.kinds import Made
from codegen.ir.substitution import reads


def definitions(equations: Iterable[Equation]) -> dict[Atom, tuple[Equation, int]]:
    return {out: (e, k) for e in equations for k, out in enumerate(e.outs)}


def applied(equations: Iterable[Equation]) -> dict[Atom, Apply]:
    """The primitive that makes each Var, where one does."""
    return {out: e.op for e in equations for out in e.outs if isinstance(e.op, Apply)}


def hangs_on(equations: Iterable[Equation], atom: Atom, found: Container[Atom]) -> bool:
    """Whether equations make an atom of any that are found, by their values or as sizes of arrays."""
    made: dict[Atom, Equation] = {}
    for e in equations:
        for out in e.outs:
            for bound in (out, *out.type.shape):
                if isinstance(bound, Var):
                    made.setdefault(bound, e)
    left, met = [atom], set[Atom]()
    while left:
        each = left.pop()
        if each in found:
            return True
        if each not in met and isinstance(each, Var):
            met.add(each)
            left += [n for n in each.type.shape if isinstance(n, Var)]
            left += reads(made[each].op) if each in made else ()
    return False


def is_empty(equation: Equation) -> bool:
    """Whether an equation makes an array that has nothing in it yet."""
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Made.EMPTY
