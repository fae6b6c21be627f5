"""Which int is at most which other: what can be proved of indices without running anything.

    for i in range(1, n - 1):       1 <= i <= n - 2
        if j < i: ...               j <= i - 1, so j <= n - 3

Every int (or array of ints: each of its elements) has bounds `<= base + c` and `>= base + c`, where the
base is another Var or None for 0; to prove a <= b + c is to find a path of bounds from a to b (proofs.py).
Python's ints are taken not to overflow; NumPy's wrap, but for those that are surely within 2**62 of 0, as what sizes
bound is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from codegen.analysis.affine import offset_of
from codegen.analysis.proofs import Bounds, Facts
from codegen.ir import Apply, Atom, Dim, Equation, For, Lit, Var
from codegen.ir.kinds import (
    Access,
    Arithmetic,
    Choice,
    Drawn,
    Joined,
    Logic,
    Made,
    Order,
    Reduction,
    Relation,
    Same,
)
from codegen.ir.literals import size_atom

LARGEST_SIZE = 2**48  # no array has as many elements
HALF = 2**62
FEW = 8  # places beside one, as windows have them


@dataclass(eq=False)
class Ranges(Facts):
    """The bounds known at a place of a program."""

    made: dict[Var, Apply] = field(default_factory=dict)
    inside: dict[Var, list[Dim]] = field(
        default_factory=lambda: defaultdict(list)
    )  # sizes that it was a place in
    joined: dict[Var, tuple[Atom, Atom, Atom]] = field(
        default_factory=dict
    )  # a bool: if test: then else: orelse
    undo: list[Callable[[], object]] = field(default_factory=list)
    unproved: list[Equation] = field(default_factory=list)  # those that were given checks
    doubled: set[Atom] = field(default_factory=set)  # ints of Python's that may wrap (doubling.py)

    def bound(self, side: Bounds, var: Atom | None, base: Atom | None, c: int) -> None:
        """Note `var <= base + c` (side: above) or `var >= base + c` (below), in this block."""
        low = (None, c + base.value) if isinstance(base, Lit) else (base, c)
        if isinstance(var, Var) and base is not var and low not in side[var]:
            side[var].append(low)
            self.undo.append(side[var].pop)

    def at_most(self, a: Atom, b: Atom | None, c: int = 0) -> None:
        """Note a <= b + c, for both of them."""
        self.bound(self.above, a, b, c)
        if isinstance(b, Var):
            self.bound(self.below, b, a, -c)

    def was_inside(self, var: Var, size: Dim) -> None:
        """Note -size <= var < size, as something was read or written there."""
        self.inside[var].append(size)
        self.undo.append(self.inside[var].pop)

    def leave(self, depth: int) -> None:
        """Forget what was noted since `undo` was `depth` long."""
        while len(self.undo) > depth:
            self.undo.pop()()

    def assume(self, test: Atom, value: bool) -> None:
        """A test is known to give `value`, in this block."""
        if not isinstance(test, Var):
            return
        if test in self.joined:
            self.assume_joined(*self.joined[test], value)
        if (op := self.made.get(test)) is None:
            return
        kind, parts = op.primitive.kind, op.operands
        if kind is Logic.NOT:
            self.assume(parts[0], not value)
        elif kind is (Logic.AND if value else Logic.OR):
            for part in parts:
                self.assume(part, value)
        elif isinstance(kind, Relation) and all(p.type.dtype[0] in "iu" for p in parts):
            self.compare(kind if value else kind.negated, *parts)
        elif kind is Reduction.ALL and value:
            self.assume(parts[0], value)

    def assume_joined(self, test: Atom, then: Atom, orelse: Atom, value: bool) -> None:
        """`a and b` is an If that gives False where a is false, `a or b` True where a is true."""
        for side, other, holds in ((orelse, then, True), (then, orelse, False)):
            if isinstance(side, Lit) and side.value is not value:
                self.assume(test, holds)
                self.assume(other, value)

    def compare(self, relation: Relation, a: Atom, b: Atom) -> None:
        if relation in (Relation.GT, Relation.GE):
            relation, a, b = relation.swapped, b, a
        (x, c), (y, d) = self.offset(a), self.offset(b)
        if relation is Relation.LT:
            self.at_most(x, y, d - c - 1)
        elif relation in (Relation.LE, Relation.EQ):
            self.at_most(x, y, d - c)
        elif relation is Relation.NE and self.le(y, x, c - d):
            self.at_most(y, x, c - d - 1)
        elif relation is Relation.NE and self.le(x, y, d - c):
            self.at_most(x, y, d - c - 1)
        if relation is Relation.EQ:
            self.at_most(y, x, c - d)

    def offset(self, atom: Atom) -> tuple[Atom, int]:
        """x + 2 as (x, 2), where it cannot have overflowed."""
        op = self.made.get(atom) if isinstance(atom, Var) and atom.type.dtype == "i8" else None
        x, c = offset_of(op) or (atom, 0)
        return (x, c) if shifts(self, x, c) else (atom, 0)

    def is_exact(self, *atoms: Atom) -> bool:
        """Do sums of two such ints not wrap? Python's do not, nor does what is surely within 2**62 of 0."""
        return all(a.type.weak or (self.le(a, None, HALF) and self.le(None, a, HALF)) for a in atoms)

    def equation(self, equation: Equation) -> None:
        """Note what an equation says of the ints it makes."""
        for out in equation.outs:
            self.binder(out)
        op = equation.op
        if not isinstance(op, Apply) or not equation.outs:
            return
        out = equation.outs[-1]
        self.made[out] = op
        if out.type.dtype == "i8" and (meaning := MEANING.get(op.primitive.kind)) is not None:
            meaning(self, out, op)

    def binder(self, var: Var) -> None:
        """Sizes are 0 or more, and not very large."""
        for d in var.type.shape:
            if isinstance(d, Var):
                self.bound(self.below, d, None, 0)
                self.bound(self.above, d, None, LARGEST_SIZE)

    def loop_index(self, loop: For) -> None:
        if loop.step > 0:
            self.at_most(loop.start, loop.index)
            self.at_most(loop.index, loop.stop, -1)
            self.below_the_rest(loop)
        else:
            self.at_most(loop.index, loop.start)
            self.at_most(loop.stop, loop.index, -1)

    def below_the_rest(self, loop: For) -> None:
        """Where a loop ends at the largest of some, it has no iteration by those that it begins at or beyond: of
        range(max(n - 2, 0)) all are below n - 2."""
        parts = self.largest.get(loop.stop, ()) if isinstance(loop.stop, Var) else ()
        rest = [p for p in parts if not self.le(p, loop.start)]
        if len(rest) == 1:
            self.at_most(loop.index, rest[0], -1)


# ---- what primitives say of the ints they make ----


def add(r: Ranges, out: Var, op: Apply) -> None:
    x, y = op.operands
    if isinstance(x, Lit):
        x, y = y, x
    if isinstance(y, Lit):
        shift(r, out, x, y.value)
    elif r.is_exact(x, y):
        if isinstance(x, Var) and isinstance(y, Var):
            r.sums[out] = x, y
        for a, b in ((x, y), (y, x)):
            if r.le(None, b):
                r.bound(r.below, out, a, 0)
            if r.le(b, None):
                r.bound(r.above, out, a, 0)
            for total, c in at_most_rest(r, a, b):
                r.bound(r.above, out, total, c)
            for side in (r.above, r.below):
                known = side.get(b, ()) if isinstance(b, Var) else ()
                for c in {c for base, c in known if base is None and abs(c) <= FEW}:
                    r.bound(side, out, a, c)


def at_most_rest(r: Ranges, x: Atom, y: Atom, depth: int = 4) -> Iterator[tuple[Atom, int]]:
    """What x + y is at most, as x is at most something less y: i + k, where i < n - k + 1."""
    if not isinstance(x, Var) or not depth:
        return
    if (op := r.made.get(x)) is not None and op.primitive.kind is Arithmetic.SUB and op.operands[1] is y:
        yield op.operands[0], 0
    for base, c in r.above.get(x, ()):
        if base is not None:
            yield from ((total, c + d) for total, d in at_most_rest(r, base, y, depth - 1))


def shift(r: Ranges, out: Var, x: Atom, c: int) -> None:
    """out = x + c; where x + c could overflow, it can only be less (c > 0) or more (c < 0) than that."""
    exact = shifts(r, x, c)
    if c >= 0 or exact:
        r.bound(r.above, out, x, c)
        r.bound(r.below, x, out, -c)
    if c <= 0 or exact:
        r.bound(r.below, out, x, c)
        r.bound(r.above, x, out, -c)


def shifts(r: Ranges, x: Atom, c: int) -> bool:
    """Is x + c no overflow? There is another int beyond x as far as c, or x is not near the ends of 64 bits."""
    if not isinstance(x, Var):
        return False
    known = (r.above if c > 0 else r.below).get(x, ())
    if x.type.weak:
        return bool(known)
    beyond = any(k + c <= 0 if c > 0 else k + c >= 0 for _, k in known)
    return beyond or (abs(c) < HALF and r.is_exact(x))


def sub(r: Ranges, out: Var, op: Apply) -> None:
    x, y = op.operands
    if isinstance(y, Lit):
        shift(r, out, x, -y.value)
        return
    if not r.is_exact(x, y):
        return
    for c in (1, 0):
        if r.le(None, y, -c):  # y >= c
            r.bound(r.above, out, x, -c)
            break
    for c in (1, 0):
        if r.le(y, x, -c):  # x - y >= c
            r.bound(r.below, out, None, c)
            break


def neg(r: Ranges, out: Var, op: Apply) -> None:
    """-x <= -c of x >= c, for 1 and 0, and the other way round; -x of the least int is that, which is below 0."""
    (x,) = op.operands
    for c in (1, 0):
        if r.le(None, x, -c):
            r.bound(r.above, out, None, -c)
            return
    if r.le(x, None) and x.type.weak:
        r.bound(r.below, out, None, 0)


def mul(r: Ranges, out: Var, op: Apply) -> None:
    if all(r.le(None, o) and (o.type.weak or r.le(o, None, LARGEST_SIZE)) for o in op.operands):
        r.bound(r.below, out, None, 0)


def mod(r: Ranges, out: Var, op: Apply) -> None:
    """x % n is in 0 .. n - 1, n being positive (NumPy's x % 0 is 0): where an array of n elements has one, n is."""
    n = op.operands[1]
    if n in out.type.shape or r.le(None, n, -1):
        r.bound(r.below, out, None, 0)
        r.bound(r.above, out, n, -1)


def floordiv(r: Ranges, out: Var, op: Apply) -> None:
    x, n = op.operands
    if r.le(None, n, -1) and r.le(None, x):
        r.bound(r.below, out, None, 0)
        r.bound(r.above, out, x, 0)


def extreme(r: Ranges, out: Var, op: Apply) -> None:
    most = op.primitive.kind in (Arithmetic.MAXIMUM, Reduction.MAX)
    side, all_of = (r.below, r.largest) if most else (r.above, r.smallest)
    all_of[out] = op.operands
    for x in op.operands:
        r.bound(side, out, x, 0)
    if not most and all(r.le(None, x) for x in op.operands):
        r.bound(r.below, out, None, 0)
    elif most and all(r.le(x, None, LARGEST_SIZE) for x in op.operands):
        r.bound(r.above, out, None, LARGEST_SIZE)


def one_of(r: Ranges, out: Var, op: Apply) -> None:
    r.among[out] = op.operands[1:] if op.primitive.kind is Choice.SELECT else op.operands


def elements_of_first(r: Ranges, out: Var, op: Apply) -> None:
    """Elements of the first operand in other places."""
    if op.operands[0].type.dtype in ("i8", "i4", "i2", "i1", "u4", "u2", "u1"):
        r.among[out] = op.operands[:1]


def arange(r: Ranges, out: Var, op: Apply) -> None:
    r.bound(r.below, out, None, 0)
    r.bound(r.above, out, op.operands[0], -1)


def axis_place(r: Ranges, out: Var, op: Apply) -> None:
    """A place of an axis, the last where none is named: of argmax, argsort or a mask."""
    shape = op.operands[0].type.shape
    axes = op.params.get("axis", (len(shape) - 1,))
    r.bound(r.below, out, None, 0)
    if len(axes) == 1:
        past = 0 if op.primitive.kind is Order.AMONG else 1
        r.bound(r.above, out, size_atom(shape[axes[0]]), -past)


def drawn_between(r: Ranges, out: Var, op: Apply) -> None:
    r.bound(r.below, out, op.operands[1], 0)
    r.bound(r.above, out, op.operands[2], -1)


def drawn_count(r: Ranges, out: Var, op: Apply) -> None:
    r.bound(r.below, out, None, 0)
    if op.primitive.kind is Drawn.SHARE:
        r.bound(r.above, out, op.operands[1], 0)


MEANING: dict[Enum | None, Callable[[Ranges, Var, Apply], None]] = {
    Arithmetic.ADD: add,
    Arithmetic.SUB: sub,
    Arithmetic.NEG: neg,
    Arithmetic.MUL: mul,
    Arithmetic.MOD: mod,
    Arithmetic.FLOORDIV: floordiv,
    Arithmetic.MAXIMUM: extreme,
    Arithmetic.MINIMUM: extreme,
    Drawn.BETWEEN: drawn_between,
    Drawn.COUNT: drawn_count,
    Drawn.SHARE: drawn_count,
    Choice.SELECT: one_of,
    Joined.STACK: one_of,
    Joined.CONCATENATE: one_of,
    Made.RANGE: arange,
    **dict.fromkeys((Made.PLACES, Reduction.ARGMAX, Reduction.ARGMIN, *Order), axis_place),
    **dict.fromkeys((*set(Same) - {Same.STOPPED, Same.MARKED}, Made.FULL, Access.READ), elements_of_first),
    **dict.fromkeys((Reduction.MAX, Reduction.MIN), elements_of_first),
}
