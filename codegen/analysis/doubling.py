"""Ints that grow by what they are: as far as 64 bits go within a hundred iterations, beyond which they wrap.

for k in range(n):                   for k in range(n):                 while d < n:
    d = d + d                            a, b = b, a + b                    d = 2 * d
    if d < len(x):                                                      at most 2 n, as it is held below n before
        s += x[d]      0 <= d is not known

Others that are sums and products of ints that are not negative would take years to wrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TypeAlias

from codegen.analysis.affine import sum_with_literal
from codegen.analysis.definitions import definitions
from codegen.ir import Apply, Atom, Equation, For, If, Lit, Var, While
from codegen.ir.kinds import Arithmetic, Logic, Relation
from codegen.ir.traversal import equations

Made: TypeAlias = Mapping[Atom, tuple[Equation, int]]
LARGEST_STEP = 2**31  # added or multiplied by at a time; of more it takes few iterations until an int wraps
DEEPEST = 8  # of expressions that are looked into
NONE: frozenset[Atom] = frozenset()


@dataclass(eq=False)
class Doubling:
    """Of the ints that a loop carries; `inside`: what makes each atom of its body."""

    loop: For | While
    inside: Made

    @cached_property
    def carried(self) -> frozenset[Atom]:
        return frozenset(v for v in self.loop.carried if is_scalar_int(v))

    @cached_property
    def before(self) -> dict[Atom, frozenset[Atom]]:
        """Of each carried int those that it is made of, in one iteration or more."""
        pairs = zip(self.loop.carried, self.loop.body.results)
        found: dict[Atom, frozenset[Atom]] = {
            v: self.hangs_on(after) for v, after in pairs if is_scalar_int(v)
        }
        for _ in found:
            wider = {v: made_of.union(*(found[each] for each in made_of)) for v, made_of in found.items()}
            if wider == found:
                break
            found = wider
        return found

    def hangs_on(self, x: Atom, depth: int = DEEPEST) -> frozenset[Atom]:
        """The carried ints by which an int grows; a remainder is as large as its divisor at most."""
        if x in self.carried:
            return frozenset((x,))
        if x not in self.inside:
            return NONE
        if not depth:
            return self.carried
        equation, k = self.inside[x]
        match equation.op:
            case If(_, then, orelse):
                parts: tuple[Atom, ...] = then.results[k], orelse.results[k]
            case Apply(primitive, operands):
                parts = operands[1:] if primitive.kind is Arithmetic.MOD else operands
                if primitive.kind is Arithmetic.MINIMUM:
                    each = [self.hangs_on(part, depth - 1) for part in parts]
                    return NONE if NONE in each else frozenset().union(*each)
            case _:
                return self.carried
        return frozenset().union(*(self.hangs_on(part, depth - 1) for part in parts))

    def may_wrap(self, var: Atom, x: Atom, op: Apply, held: frozenset[Atom]) -> bool:
        """Whether a sum or a product of ints that are not negative, of which a carried one is made, may be beyond 64
        bits some day: a product of what is made of it, or a sum of two such; `held`: what is below something that the
        loop does not change."""
        if any(isinstance(o, Lit) and abs(o.value) > LARGEST_STEP for o in op.operands):
            return True
        if x in held:
            return False
        around = {v for v in self.before[var] if var in self.before[v]}
        growing = [o for o in op.operands if o not in held and not around.isdisjoint(self.hangs_on(o))]
        return len(growing) > (op.primitive.kind is Arithmetic.ADD)

    @cached_property
    def held_in_loop(self) -> frozenset[Atom]:
        """What the test of a `while` holds below something."""
        if isinstance(self.loop, For):
            return NONE
        made = {**self.inside, **definitions(equations(self.loop.cond))}
        inner = Doubling(self.loop, made)
        return inner.held(self.loop.cond.results[0], True)

    def held(self, test: Atom, value: bool, depth: int = DEEPEST) -> frozenset[Atom]:
        """What is below something that the loop does not change, where a test gives `value`."""
        equation, k = self.inside.get(test, (None, 0))
        if equation is None or not depth:
            return NONE
        match equation.op:
            case If(first, then, orelse):  # `and`, `or`
                parts = then.results[k], orelse.results[k]
                known = [part for part in parts if isinstance(part, Lit) and part.value is not value]
                return self.all_held((first, *parts), value, depth) if known else NONE
            case Apply(primitive, (part,)) if primitive.kind is Logic.NOT:
                return self.held(part, not value, depth - 1)
            case Apply(primitive, parts) if primitive.kind is (Logic.AND if value else Logic.OR):
                return self.all_held(parts, value, depth)
            case Apply(primitive, (x, y)) if isinstance(primitive.kind, Relation):
                relation = primitive.kind if value else primitive.kind.negated
                if relation in (Relation.GT, Relation.GE):
                    relation, x, y = relation.swapped, y, x
                if relation in (Relation.LT, Relation.LE) and not self.hangs_on(y):
                    return frozenset(self.less_than(x))
        return NONE

    def all_held(self, tests: Iterable[Atom], value: bool, depth: int) -> frozenset[Atom]:
        return reduce(frozenset.union, (self.held(each, value, depth - 1) for each in tests), NONE)

    def less_than(self, x: Atom, depth: int = DEEPEST) -> Iterator[Atom]:
        """An int, and what it is more of: 2 * k + 1, 2 * k, k."""
        yield x
        equation, _ = self.inside.get(x, (None, 0))
        if not depth or equation is None or not isinstance(equation.op, Apply):
            return
        op = equation.op
        if (further := sum_with_literal(op)) is not None and further[1] >= 0:
            yield from self.less_than(further[0], depth - 1)
        elif op.primitive.kind is Arithmetic.MUL:
            factors = [o for o in op.operands if not isinstance(o, Lit) or o.value < 1]
            if len(factors) == 1:
                yield from self.less_than(factors[0], depth - 1)


def is_scalar_int(atom: Atom) -> bool:
    return isinstance(atom, Var) and atom.type.dtype == "i8" and not atom.type.rank
