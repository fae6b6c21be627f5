"""Index errors made explicit: a `check` before each read or write whose index is not proved to be in range.

    def f(x, k):                      if not (k >= -n and k < n): raise IndexError(...)
        s = x[k]                      s = x[k]
        for i in range(len(x)):  ->   for i in range(n):
            s += x[i]                     s += x[i]

Compiled code then needs no other test, and what cannot fail costs nothing. What is proved is in ranges.py;
slices are clamped and never fail. A negative index counts from the end, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from codegen.analysis.effects import may_end
from codegen.analysis.places import places_of
from codegen.analysis.range_walk import RangeWalk
from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, Dim, Equation, Function, Lit, Program, Var
from codegen.ir.build import Builder
from codegen.ir.exceptions import out_of_range, thrown
from codegen.ir.kinds import Effect
from codegen.ir.literals import size_atom
from codegen.ir.traversal import with_functions
from codegen.primitives.index import Inside, first_inside, grouped


def bounds(program: Program, *, normalise: bool = False) -> Program:
    """`program` with a check (IndexError, "index out of bounds for axis k") where an index may be wrong.

    `normalise`: indices that may be negative are also made non-negative, for code that does not count from
    the end.

        bounds(program, normalise=True)
    """
    return with_functions(program, lambda f: Checks(normalise).function(f))


def left_by(function: Function, dropped: Set[Equation]) -> Function:
    """A function with the checks of these equations, which are to be dropped; the others' stay theirs."""
    return Checks(False, dropped).function(function)


def unproved(function: Function) -> frozenset[Equation]:
    """The equations of a function that may raise, where something else acts: their order is the program's."""
    if not any(map(may_end, function.body.equations)):
        return frozenset()
    checks = Checks(False)
    checks.function(function)
    return frozenset(checks.ranges.unproved)


def may_fail(equation: Equation) -> bool:
    """Whether an equation computes something that is not defined for all operands."""
    op = equation.op
    if not isinstance(op, Apply):
        return False
    return bool(op.primitive.empty or (op.primitive.accesses and op.params["spec"]))


@dataclass(eq=False)
class Checks(RangeWalk):
    """A walk that gives equations their checks: all of them, or those of `only`."""

    normalise: bool
    only: Set[Equation] | None = None

    def apply(self, equation: Equation, op: Apply) -> Sequence[Equation]:
        """An application, its checks before it."""
        r, primitive = self.ranges, op.primitive
        mine = self.only is None or equation in self.only
        done: list[Equation] = [equation]
        if primitive.accesses and isinstance(op.params["spec"], Inside):
            note_in_range(r, op)
        elif primitive.accesses and mine:
            done = indexing(r, equation, op, self.normalise)
        elif primitive.accesses:
            note_in_range(r, op)
        elif primitive.empty and mine:
            done = [*nonempty_checks(r, equation, op), equation]
        if len(done) > 1:
            r.unproved.append(equation)
        return done


# ---- reductions of which an empty array has none ----


def nonempty_checks(r: Ranges, equation: Equation, op: Apply) -> list[Equation]:
    """A check of each axis that is not known to have an element."""
    b = Builder(span=equation.span, checked=False)
    x = op.operands[0]
    for k in op.params["axis"]:
        n = x.type.shape[k]
        if n == 0:
            b.apply("fail", exception=thrown("ValueError", op.primitive.empty))
        elif isinstance(n, Var) and not r.le(None, n, -1):
            b.require(b.apply("gt", b.wrap(n), 0), "ValueError", op.primitive.empty)
            r.bound(r.below, n, None, 1)
    for made in b.equations:
        r.equation(made)
    return b.equations


# ---- one subscript ----


def note_in_range(r: Ranges, op: Apply) -> None:
    """After a read or write that is there: it was in range."""
    for _, place, n in places_of(op):
        note_place_in_range(r, place, n)


def note_place_in_range(r: Ranges, place: Atom, n: Dim) -> None:
    if isinstance(place, Var):
        r.at_most(place, size_atom(n), -1)
        r.was_inside(place, n)


def indexing(r: Ranges, equation: Equation, op: Apply, normalise: bool) -> list[Equation]:
    at = op.primitive.first_place
    x, spec = op.operands[0], op.params["spec"]
    b = Builder(span=equation.span, checked=False)
    operands: list[Atom] = []
    axis, known = 0, first_inside(spec)
    for k, (token, given) in enumerate(zip(spec, grouped(spec, op.operands[at:]), strict=True)):
        if token == "i" and k < known:
            operands += given
            note_place_in_range(r, given[0], x.type.shape[axis])
        elif token in ("i", "a"):
            operands.append(checked_index(r, b, given[0], x.type.shape[axis], axis, normalise))
        else:
            operands += given
        axis += token != "n"
    inside = replace(op, operands=(*op.operands[:at], *operands))
    for made in b.equations:
        r.equation(made)
        if made.op.primitive.kind is Effect.CHECK:  # type: ignore[union-attr]
            r.assume(made.op.operands[0], True)  # type: ignore[union-attr]
    for _, place, n in places_of(op):
        if isinstance(place, Var):
            r.was_inside(place, n)
    for token, n in zip((t for t in spec if t != "n"), x.type.shape):
        if token == "i" and isinstance(n, Var):
            r.bound(r.below, n, None, 1)  # an axis with an element
    return [*b.equations, replace(equation, op=inside)]


def checked_index(r: Ranges, b: Builder, i: Atom, n: Dim, axis: int, normalise: bool) -> Atom:
    """Require that `i` is in -n .. n - 1, as far as that is not known; the index to use."""
    size = size_atom(n)
    negative = not r.le(None, i)
    if isinstance(i, Var) and n in r.inside.get(i, ()) and not (normalise and negative):
        return i
    tests = []
    if negative and not at_least_minus(r, i, size):
        tests.append(not_below(b, i, size))
    if not r.le(i, size, -1):
        tests.append(every(b, b.apply("lt", i, size)))
    if tests:
        test = tests[0] if len(tests) == 1 else b.apply("and", *tests)
        b.require(test, out_of_range(axis, array=i.type.rank > 0), None, i, size)
    if not (normalise and negative):
        return i
    if isinstance(i, Lit):
        return b.atom(b.apply("sub", size, -i.value))
    return b.atom(b.apply("select", b.apply("lt", i, 0), b.apply("add", i, size), i))


def at_least_minus(r: Ranges, i: Atom, size: Atom) -> bool:
    """Is -size <= i proved? Of a literal, or of an i with a small literal bound."""
    if isinstance(i, Lit):
        return r.le(None, size, i.value)
    return any(r.le(None, i, c) and r.le(None, size, -c) for c in (1, 2, 3))


def not_below(b: Builder, i: Atom, size: Atom) -> Any:
    """i >= -size"""
    if isinstance(i, Lit):
        return b.apply("ge", size, -i.value)
    return every(b, b.apply("ge", i, b.apply("neg", size)))


def every(b: Builder, test: Any) -> Any:
    """A test of all elements."""
    rank = b.atom(test).type.rank
    return b.apply("all", test, axis=tuple(range(rank))) if rank else test
