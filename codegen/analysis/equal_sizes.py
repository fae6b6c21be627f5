"""Sizes that checks have shown to be equal: equal_sizes : equations -> EqualSizes.

check n == 2            equal_sizes(...).same(n, m)
check m == n
"""

from __future__ import annotations

from collections.abc import Iterable

from codegen.analysis.definitions import applied
from codegen.ir import Apply, Atom, Dim, Equation, Lit, Type
from codegen.ir.kinds import Effect, Logic, Relation


class EqualSizes:
    """Classes of sizes (a union-find)."""

    def __init__(self) -> None:
        self.parent: dict[Dim, Dim] = {}

    def find(self, n: Dim) -> Dim:
        while n in self.parent:
            n = self.parent[n]
        return n

    def join(self, n: Dim, m: Dim) -> None:
        x, y = self.find(n), self.find(m)
        if x is not y and x != y:
            self.parent[x] = y

    def same(self, n: Dim, m: Dim) -> bool:
        return self.find(n) == self.find(m)

    def alike(self, a: Type, b: Type) -> bool:
        """Whether two types are one but for the names of their sizes."""
        return (a.dtype, a.rank, a.weak) == (b.dtype, b.rank, b.weak) and all(
            self.same(n, m) for n, m in zip(a.shape, b.shape, strict=True)
        )


def equal_sizes(equations: Iterable[Equation]) -> EqualSizes:
    """What is known where all of some equations have run."""
    listed = list(equations)
    made, found = applied(listed), EqualSizes()

    def assume(test: Atom) -> None:
        op = made.get(test)
        if op is None:
            return
        if op.primitive.kind is Logic.AND:
            for part in op.operands:
                assume(part)
        elif op.primitive.kind is Relation.EQ and all(is_count(o) for o in op.operands):
            found.join(*(o.value if isinstance(o, Lit) else o for o in op.operands))

    for equation in listed:
        if isinstance(equation.op, Apply) and equation.op.primitive.kind is Effect.CHECK:
            assume(equation.op.operands[0])
    return found


def is_count(atom: Atom) -> bool:
    return atom.type.dtype == "i8" and not atom.type.rank
