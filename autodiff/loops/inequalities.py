"""Linear inequalities over ints: without_solution : [sums], [sums] -> is there none?

    i >= k,  k >= j + 1,  j >= i            none: of the first two i >= j + 1
    i + 1 = j + 2 k                         none where i = j: 1 is no multiple of 2

Equations are solved for a variable, then one variable after the other is eliminated from the inequalities (Fourier and
Motzkin), whose constants are rounded to ints on the way. What takes too many of them counts as solvable.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import gcd

MOST_INEQUALITIES = 120  # inequalities at a time


@dataclass(frozen=True)
class LinearSum:
    """A sum of variables, each times an int, and an int; none of `terms` is 0."""

    terms: Mapping[Hashable, int]
    constant: int = 0

    def __add__(self, other: LinearSum | int) -> LinearSum:
        if isinstance(other, int):
            return LinearSum(self.terms, self.constant + other)
        terms = dict(self.terms)
        for var, c in other.terms.items():
            terms[var] = terms.get(var, 0) + c
        return LinearSum({v: c for v, c in terms.items() if c}, self.constant + other.constant)

    def __mul__(self, factor: int) -> LinearSum:
        terms = {v: c * factor for v, c in self.terms.items()} if factor else {}
        return LinearSum(terms, self.constant * factor)

    def __neg__(self) -> LinearSum:
        return self * -1

    def __sub__(self, other: LinearSum | int) -> LinearSum:
        return self + -other

    def without(self, var: Hashable, value: LinearSum) -> LinearSum:
        """The same where `var` is `value`."""
        c = self.terms.get(var, 0)
        return self + (value - LinearSum({var: 1})) * c if c else self


def variable(key: Hashable) -> LinearSum:
    return LinearSum({key: 1})


def without_solution(positive: Iterable[LinearSum], zero: Iterable[LinearSum] = ()) -> bool:
    """Is there no choice of ints for which all of `positive` are 0 or more, and all of `zero` 0?"""
    left, solved = list(positive), list(zero)
    while solved:
        each = solved.pop()
        divisor = gcd(*each.terms.values())
        if each.constant % divisor if divisor else each.constant:
            return True
        var = next((v for v, c in each.terms.items() if abs(c) == divisor), None)
        if var is None:
            left += [each, -each]
            continue
        value = LinearSum({v: c for v, c in each.terms.items() if v != var}, each.constant)
        value = LinearSum({v: c // divisor for v, c in value.terms.items()}, value.constant // divisor)
        value = value * (-1 if each.terms[var] > 0 else 1)
        left = [e.without(var, value) for e in left]
        solved = [e.without(var, value) for e in solved]
    return is_contradiction(left)


def is_contradiction(positive: Iterable[LinearSum]) -> bool:
    """The same of inequalities alone."""
    left = tightest(positive)
    while left:
        counts: dict[Hashable, list[int]] = {}
        for terms in left:
            for var, c in terms:
                counts.setdefault(var, [0, 0])[c > 0] += 1
        if not counts:
            break
        var = min(counts, key=lambda v: counts[v][0] * counts[v][1] - sum(counts[v]))
        rows = [LinearSum(dict(terms), c) for terms, c in left.items()]
        below = [e for e in rows if e.terms.get(var, 0) > 0]
        above = [e for e in rows if e.terms.get(var, 0) < 0]
        rest = [e for e in rows if var not in e.terms]
        if len(rest) + len(below) * len(above) > MOST_INEQUALITIES:
            return False
        made = [a * -b.terms[var] + b * a.terms[var] for a in below for b in above]
        left = tightest([*rest, *made])
    return any(c < 0 for c in left.values())


def tightest(positive: Iterable[LinearSum]) -> dict[frozenset[tuple[Hashable, int]], int]:
    """Of inequalities with the same terms the one that says most; terms have no common divisor."""
    found: dict[frozenset[tuple[Hashable, int]], int] = {}
    for each in positive:
        divisor = gcd(*each.terms.values()) or 1
        terms = frozenset((v, c // divisor) for v, c in each.terms.items())
        constant = each.constant // divisor
        if terms or constant < 0:
            found[terms] = min(found.get(terms, constant), constant)
    return found
