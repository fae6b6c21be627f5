"""Proofs that one int is at most another, of bounds known for each: a path of bounds from one to the other.

After Bodik, Gupta and Sarkar 2000, "ABCD: eliminating array bounds checks on demand". A sum is at most a sum whose
terms its own are at most: i + j < n + m - 1 of i < n and j < m, as in a convolution.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

from codegen.ir import Atom, Lit, Var

Base = Var | None
Bounds = dict[Var, list[tuple[Base, int]]]
STEPS = 120  # of one proof
LENGTHS = (2, 4, STEPS)  # of paths: short ones are tried first, lest long ones take all steps


@dataclass(eq=False)
class Facts:
    """What is known of ints."""

    above: Bounds = field(default_factory=lambda: defaultdict(list))  # var <= base + c
    below: Bounds = field(default_factory=lambda: defaultdict(list))  # var >= base + c
    among: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)  # var is one of these
    largest: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)
    smallest: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)
    sums: dict[Var, tuple[Var, Var]] = field(default_factory=dict)  # that do not wrap

    def le(self, a: Atom | None, b: Atom | None, c: int = 0) -> bool:
        """Is a <= b + c proved? None stands for 0."""
        return any(Proof(self, longest).le(a, b, c) for longest in LENGTHS)


class Proof:
    """One search for a path of bounds, of limited length, in a limited time."""

    def __init__(self, facts: Facts, longest: int):
        self.facts = facts
        self.longest = longest
        self.left = STEPS
        self.open: set[tuple[Base, Base]] = set()

    def le(self, a: Atom | None, b: Atom | None, c: int) -> bool:
        """a <= b + c"""
        if isinstance(a, Lit):
            c -= math.floor(a.value)
            a = None
        if isinstance(b, Lit):
            c += math.floor(b.value)
            b = None
        if a is b and (a is None or not a.type.rank):  # of an array's elements one may be above another
            return c >= 0
        self.left -= 1
        if self.left < 0 or (a, b) in self.open:
            return False
        if self.noted(a, b, c):
            return True
        if len(self.open) == self.longest:
            return False
        self.open.add((a, b))
        proved = self.from_above(a, b, c) or self.from_below(a, b, c) or self.by_terms(a, b, c)
        self.open.remove((a, b))
        return proved

    def noted(self, a: Var | None, b: Var | None, c: int) -> bool:
        """By one bound alone, of no other element of the same array."""
        above = () if a is None or (b and b.type.rank) else self.facts.above.get(a, ())
        below = () if b is None or (a and a.type.rank) else self.facts.below.get(b, ())
        return any(base is b and k <= c for base, k in above) or any(
            base is a and c + k >= 0 for base, k in below
        )

    def from_above(self, a: Var | None, b: Var | None, c: int) -> bool:
        """By what a is at most."""
        if a is None:
            return False
        if any(self.le(base, b, c - k) for base, k in self.facts.above.get(a, ())):
            return True
        parts = self.facts.among.get(a) or self.facts.largest.get(a)
        return parts is not None and all(self.le(p, b, c) for p in parts)

    def from_below(self, a: Var | None, b: Var | None, c: int) -> bool:
        """By what b is at least."""
        if b is None:
            return False
        if any(self.le(a, base, c + k) for base, k in self.facts.below.get(b, ())):
            return True
        parts = self.facts.among.get(b) or self.facts.smallest.get(b)
        return parts is not None and all(self.le(a, p, c) for p in parts)

    def by_terms(self, a: Var | None, b: Var | None, c: int) -> bool:
        """Of two sums: one term by a bound of its own, or as it is the same, the other as can be."""
        sums = self.facts.sums
        if a is None or b is None or b.type.rank or a not in sums or b not in sums:
            return False
        (x, y), (p, q) = sums[a], sums[b]
        return any(
            self.le(other, right, c - k)
            for term, other in ((x, y), (y, x))
            for base, k in ((term, 0), *self.facts.above.get(term, ()))
            for left, right in ((p, q), (q, p))
            if base is left
        )
