"""Sizes that checks have shown to be equal: equal_sizes : equations -> EqualSizes.

check n == 2            equal_sizes(...).same(n, m)
check m == n
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from codegen.analysis.definitions import applied
from codegen.ir import Apply, Atom, Dim, Equation, Lit, Type
from codegen.ir.kinds import Arithmetic, Choice, Effect, Logic, Relation


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
    counts: set[Atom] = set()  # ints that are not negative

    for equation in listed:
        op = equation.op
        if not isinstance(op, Apply):
            continue
        if op.primitive.kind is Effect.CHECK:
            for kind, n, m in comparisons(op.operands[0], made):
                if kind is Relation.EQ:
                    found.join(size(n), size(m))
                elif kind is Relation.GE and size(m) == 0:
                    counts.add(n)
        elif op.primitive.kind is Choice.SELECT and is_count(equation.outs[0]):
            one, other = map(size, op.operands[1:])
            if found.same(one, other):
                found.join(equation.outs[0], one)
        elif op.primitive.kind is Arithmetic.MAXIMUM and is_count(equation.outs[0]):
            n, least = op.operands
            if n in counts and size(least) == 0:
                found.join(equation.outs[0], size(n))
    return found


def comparisons(test: Atom, made: Mapping[Atom, Apply]) -> Iterator[tuple[object, Atom, Atom]]:
    """The comparisons of ints that hold where a test does; `made`: what makes each value."""
    op = made.get(test)
    if op is None:
        return
    if op.primitive.kind is Logic.AND:
        for part in op.operands:
            yield from comparisons(part, made)
    elif isinstance(op.primitive.kind, Relation) and all(map(is_count, op.operands)):
        yield op.primitive.kind, *op.operands  # type: ignore[misc]


def size(atom: Atom) -> Dim:
    return atom.value if isinstance(atom, Lit) else atom


def is_count(atom: Atom) -> bool:
    return atom.type.dtype == "i8" and not atom.type.rank
