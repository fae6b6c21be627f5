"""May a write of an array touch, later in a loop, what was read? Decided by the places of all axes at once.

    for d in range(2, n):                              read:   i, k       k < i + d
        for i in range(n - d):                         later:  i', i' + d'       d' > d
            M[i, i + d] = f(M[i, i : i + d])           apart:  i = i' and k = i' + d' have no solution

Subscripts are sums of indices, sizes and other ints. What is known of these are inequalities: the bounds of loops, what
`max`, `min`, `//` and `%` make, the tests of the branches that an access is in. What is not decided counts as touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from autodiff.loops.affine_bounds import AffineBounds, Guards
from autodiff.loops.inequalities import LinearSum, variable, without_solution
from codegen.ir import Apply, Atom, Dim, For, Lit, Var
from codegen.ir.kinds import Arithmetic, Choice, Logic, Relation
from codegen.ir.substitution import sizes
from codegen.ir.traversal import binds
from codegen.primitives.index import Cut, cut_bounds, grouped

MOST_CASES = 8  # of tests that hold in more than one way

Cases = list[list[LinearSum]]
"""One of these lists of inequalities holds, all of it; of no list, nothing does."""


@dataclass(frozen=True)
class Edge:
    """An int plus a literal: of a size, where it is counted from the end."""

    base: Atom | None
    offset: int = 0


@dataclass(frozen=True)
class IndexRange:
    """The indices of one axis from `start` up to `stop`, which is not among them."""

    start: Edge
    stop: Edge


@dataclass(frozen=True)
class Place:
    """Where an array of a shape is read or written: by axis an int or a range, None for anything else."""

    axes: tuple[Edge | IndexRange | None, ...]
    shape: tuple[Dim, ...]
    guards: Guards


def accessed_place(op: Apply, first: int, guards: Guards) -> Place:
    """The place of a subscript; operands before `first` are the array and the value."""
    spec = op.params["spec"]
    shape = op.operands[0].type.shape
    if "n" in spec:
        return Place((), (), guards)
    given = grouped(spec, op.operands[first:])
    return Place(tuple(map(along_axis, spec, given, shape)), shape, guards)


def along_axis(token: Any, given: tuple[Atom, ...], size: Dim) -> Edge | IndexRange | None:
    """What one part of a subscript chooses of its axis; None where that is not one int or one range."""
    if token == "i":
        return from_start(given[0], size)
    if token == ":":
        return IndexRange(Edge(None), counted_from_end(size))
    if not isinstance(token, Cut) or token.step != 1:
        return None
    start, stop = cut_bounds(token, given)
    low = Edge(None) if start is None else from_start(start, size)
    return IndexRange(low, from_start(stop, size) if stop is not None else counted_from_end(size))


def from_start(atom: Atom, size: Dim) -> Edge:
    """An int of a subscript; a negative literal is counted from the end of its axis."""
    return counted_from_end(size, atom.value) if isinstance(atom, Lit) and atom.value < 0 else Edge(atom)


def counted_from_end(size: Dim, offset: int = 0) -> Edge:
    return Edge(size, offset) if isinstance(size, Var) else Edge(None, size + offset)


@dataclass(frozen=True)
class Iterations:
    """The iterations of a loop in which something is written, as seen from one in which something was read.

    `later`: those after it; otherwise the same one, in which inner loops may be elsewhere. Of no loop: the same moment.
    """

    loop: For | None
    later: bool

    @cached_property
    def others(self) -> set[Var]:
        """What is bound inside the loop and may be another value then."""
        if self.loop is None:
            return set()
        body = self.loop.body.equations
        if self.later:
            found = {self.loop.index, *self.loop.carried, *(v for e in body for v in binds(e))}
        else:
            found = {v for e in body for v in set(binds(e)) - set(e.outs)}
        return found.union(*(sizes(v.type) for v in found))


ALWAYS = Iterations(None, later=False)


@dataclass(eq=False)
class Dependences:
    """What is decided of a program's loops: `ranges` knows how its ints are made."""

    ranges: AffineBounds
    iterations: dict[tuple[For, bool], Iterations] = field(default_factory=dict)
    decided: dict[tuple[Place, Place, For, bool], bool] = field(default_factory=dict)
    natural: dict[tuple[Edge, Guards, Dim], bool] = field(default_factory=dict)

    def apart(self, read: Place, write: Place, loop: For, strictly: bool) -> bool:
        """Are the places read and written different, in all later iterations, and unless `strictly` in the same?"""
        return self.differ(read, write, loop, True) and (strictly or self.differ(read, write, loop, False))

    def never_meet(self, one: Place, other: Place) -> bool:
        """Are two places different, whatever the indices of the loops around each?"""
        return self.decide(one, other, ALWAYS)

    def differ(self, read: Place, write: Place, loop: For, later: bool) -> bool:
        """The same of the later ones, or of the same."""
        question = read, write, loop, later
        if question not in self.decided:
            when = self.iterations.setdefault((loop, later), Iterations(loop, later))
            self.decided[question] = self.decide(read, write, when)
        return self.decided[question]

    def decide(self, read: Place, write: Place, when: Iterations) -> bool:
        """Is there no element that is read and that is written then?"""
        if any((t, not holds) in write.guards for t, holds in read.guards if t not in when.others):
            return True
        now, then = System(self.ranges), System(self.ranges, when.others)
        pairs = [
            (r, w)
            for r, w, n in zip(read.axes, write.axes, read.shape)
            if r and w and self.is_natural(r, n, read.guards) and self.is_natural(w, n, write.guards)
        ]
        positive: list[LinearSum] = []
        zero: list[LinearSum] = []
        for k, (r, w) in enumerate(pairs):
            if isinstance(r, Edge) and isinstance(w, Edge):
                zero.append(now.edge(r) - then.edge(w))
                continue
            element = variable(k)
            for system, each in ((now, r), (then, w)):
                low, high = (each.start, each.stop) if isinstance(each, IndexRange) else (each, None)
                positive.append(element - system.edge(low))
                positive.append(system.edge(high) - element - 1 if high else system.edge(low) - element)
        if not pairs:
            return False
        if when.later and (loop := when.loop):
            steps = variable("steps")
            positive.append(steps - 1)
            zero.append(then.atom(loop.index) - now.atom(loop.index) - steps * loop.step)
        return none_holds(positive, zero, (now, read.guards), (then, write.guards))

    def is_natural(self, found: Edge | IndexRange, size: Dim, guards: Guards) -> bool:
        """Is what is found along an axis known not to be counted from its end? Of a slice, are both ends?"""
        if isinstance(found, IndexRange):
            return all(self.is_zero_or_more(end, guards, 0) for end in (found.start, found.stop))
        return self.is_zero_or_more(found, guards, size)  # an element is there: the axis is not empty

    def is_zero_or_more(self, edge: Edge, guards: Guards, size: Dim) -> bool:
        if not isinstance(edge.base, Var) or edge.base in self.ranges.sizes:
            return True
        question = edge, guards, size
        if question not in self.natural:
            system = System(self.ranges)
            known = [system.edge(counted_from_end(size)) - 1] if size else []
            self.natural[question] = none_holds([-system.edge(edge) - 1, *known], [], (system, guards))
        return self.natural[question]


def none_holds(positive: list[LinearSum], zero: list[LinearSum], *given: tuple[System, Guards]) -> bool:
    """Have these no solution, with the guards of each system, and all that is known of what is mentioned?"""
    cases: Cases = [[]]
    for system, guards in given:
        for test, holds in guards:
            both = [[*a, *b] for a, b in product(cases, system.cases(test, holds))]
            cases = both if len(both) <= MOST_CASES else cases
    for case in cases:
        known = [*positive, *case, *(f for system, _ in given for f in system.facts())]
        if not without_solution(known, zero):
            return False
    return True


@dataclass(eq=False)
class System:
    """Ints as sums of variables, and what is known of these. `others`: Vars that have another value in this system."""

    ranges: AffineBounds
    others: set[Var] = field(default_factory=set)
    mentioned: dict[Var, None] = field(default_factory=dict)

    def edge(self, edge: Edge) -> LinearSum:
        return (LinearSum({}) if edge.base is None else self.atom(edge.base)) + edge.offset

    def atom(self, atom: Atom) -> LinearSum:
        """An int as a sum."""
        if isinstance(atom, Lit):
            return LinearSum({}, int(atom.value))
        op = self.ranges.made.get(atom)
        match op and (op.primitive.kind, op.operands):
            case Arithmetic.ADD, (a, b):
                return self.atom(a) + self.atom(b)
            case Arithmetic.SUB, (a, b):
                return self.atom(a) - self.atom(b)
            case Arithmetic.NEG, (a,):
                return -self.atom(a)
            case Arithmetic.MUL, (a, Lit(value=c)) | (Lit(value=c), a):
                return self.atom(a) * int(c)
        self.mentioned[atom] = None
        return variable((atom, atom in self.others))

    def facts(self) -> list[LinearSum]:
        """What is known of all that is mentioned, and of what that mentions: these are 0 or more."""
        found: list[LinearSum] = []
        done: set[Var] = set()
        while left := [v for v in self.mentioned if v not in done]:
            for var in left:
                done.add(var)
                found += self.known(var)
        return found

    def known(self, var: Var) -> Iterator[LinearSum]:
        """What is known of one variable."""
        x = self.atom(var)
        if (loop := self.ranges.loops.get(var)) is not None:
            first, stop = self.atom(loop.start), self.atom(loop.stop)
            yield from (x - first, stop - x - 1) if loop.step > 0 else (first - x, x - stop - 1)
        if var in self.ranges.sizes:
            yield x
        if var in self.ranges.caps:
            most, over = self.ranges.caps[var]
            yield self.atom(most) + over - x
        op = self.ranges.made.get(var)
        match op and (op.primitive.kind, op.operands):
            case (Arithmetic.MAXIMUM | Choice.LARGER, operands):
                yield from (x - self.atom(a) for a in operands)
            case (Arithmetic.MINIMUM | Choice.SMALLER, operands):
                yield from (self.atom(a) - x for a in operands)
            case Arithmetic.ABS, (a,):
                yield from (x - self.atom(a), x + self.atom(a))
            case Arithmetic.FLOORDIV, (a, Lit(value=c)) if c > 0:
                rest = self.atom(a) - x * int(c)
                yield from (rest, -rest + (int(c) - 1))
            case Arithmetic.MOD, (_, Lit(value=c)) if c > 0:
                yield from (x, -x + (int(c) - 1))

    def cases(self, test: Atom, holds: bool) -> Cases:
        """What a test says where it holds, or where it does not."""
        op = self.ranges.made.get(test) if isinstance(test, Var) else None
        if op is None:
            return [[]]
        kind, operands = op.primitive.kind, op.operands
        if kind is Logic.NOT:
            return self.cases(operands[0], not holds)
        if kind in (Logic.AND, Logic.OR):
            sides = [self.cases(a, holds) for a in operands]
            if (kind is Logic.AND) == holds:
                return [[*a, *b] for a, b in product(*sides)]
            return [*sides[0], *sides[1]]
        if isinstance(kind, Relation) and all(a.type.dtype == "i8" for a in operands):
            difference = self.atom(operands[0]) - self.atom(operands[1])
            return RELATIONS[kind if holds else kind.negated](difference)
        return [[]]


RELATIONS: dict[Relation, Callable[[LinearSum], Cases]] = {
    Relation.LT: lambda d: [[-d - 1]],
    Relation.LE: lambda d: [[-d]],
    Relation.GT: lambda d: [[d - 1]],
    Relation.GE: lambda d: [[d]],
    Relation.EQ: lambda d: [[d, -d]],
    Relation.NE: lambda d: [[-d - 1], [d - 1]],
}
"""What is 0 or more where x is below y, at most y, ... : of x - y."""
