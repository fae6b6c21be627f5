"""Loops for the threads of a GPU, each a function of its own: kernels : Program -> Program.

    for i in range(n):                        s = f_loop(X, y)
        for j in range(m):
            s += X[i, j] * y[j]       ->      def f_loop(X, y):
                                                  for k in range(n * m):               of kind "threads"
                                                      i, j = k // m, k % m
                                                      s += X[i, j] * y[j]

The outermost loops of the main function in which an iteration writes its own places of arrays alone, adds to numbers,
or takes their extremes. Of two loops, one alone in the other, the iterations of both are threads where both are such
loops; and those of the inner one where that alone is (sums of columns), each going through the outer by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from codegen import ir
from codegen.analysis.affine import sum_with_literal
from codegen.analysis.effects import pure
from codegen.analysis.own_places import own_axes
from codegen.ir import Apply, Atom, Block, Equation, For, Function, If, Lit, Program, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Arithmetic, Logic
from codegen.ir.substitution import free, reads, sizes
from codegen.ir.traversal import binds, nested, with_outer_loops
from codegen.loops.first_failure import checks
from codegen.loops.parallelise import SharedLoops
from codegen.primitives.row import ROWS
from codegen.simplify.driver import use_counts

Kind = Arithmetic | Logic
Sizes = frozenset[Var]
REDUCED = (Arithmetic.ADD, Arithmetic.MUL, Arithmetic.MAXIMUM, Arithmetic.MINIMUM, Logic.AND, Logic.OR)


def kernels(program: Program) -> Program:
    """`program` with such loops as functions, of kind "threads"."""
    main = program.entry
    made = Kernels(main.name, {n: f for n, f in program.functions.items() if n != main.name})
    made.sizes = sizes_in(main)
    body = with_outer_loops(main.body, made.shared)
    return ir.program({**made.functions, main.name: replace(main, body=body)}, program.main)


def sizes_in(function: Function) -> Sizes:
    """What is the size of an array, and so never negative."""
    inside = (v for e in nested(function.body.equations) for v in binds(e))
    return frozenset(n for v in (*function.params, *inside) for n in sizes(v.type))


class Kernels(SharedLoops):
    sizes: Sizes

    def shared(self, equation: Equation, loop: For, again: bool) -> Sequence[Equation] | None:
        """A loop as a call, where threads can share it."""
        if checks(loop.body):
            return None
        nest = nest_of(loop)
        inner = nest is not None and is_independent(nest.inner, self.sizes)
        if is_independent(loop, self.sizes):
            return self.flat(equation, nest) if nest and inner else [self.function(equation, loop)]
        if nest and inner:
            return [self.function(equation, exchanged(nest))]
        return None

    def flat(self, equation: Equation, nest: Nest) -> list[Equation]:
        """The iterations of both loops as those of one."""
        outer, inner = nest.outer, nest.inner
        b = Builder(span=equation.span, checked=False)
        sides = (self.count(b, loop.stop) for loop in (outer, inner))
        total = b.atom(b.apply("mul", *sides, name="cells"))
        c = Builder(span=equation.span, checked=False)
        k = Var("k", outer.index.type)
        for index, row in ((outer.index, "floordiv"), (inner.index, "mod")):
            c.emit((index,), Apply(ROWS[row], (k, inner.stop)))
        body = Block((*c.equations, *nest.before, *inner.body.equations), inner.body.results)
        return [
            *b.equations,
            self.function(equation, replace(inner, index=k, stop=total, init=outer.init, body=body)),
        ]

    def count(self, b: Builder, stop: Atom) -> Any:
        """The iterations of a loop from 0."""
        least = stop.value if isinstance(stop, Lit) else 0 if stop in self.sizes else -1
        return stop if least >= 0 else b.apply("maximum", stop, 0)


@dataclass(frozen=True, eq=False)
class Nest:
    """A loop with nothing in it but another, and numbers that are made before."""

    outer: For
    before: tuple[Equation, ...]
    around: Equation
    inner: For


def nest_of(loop: For) -> Nest | None:
    """The loops, if both begin at 0 and the inner one's range is the same in each iteration of the outer."""
    *before, last = loop.body.equations or (None,)
    if last is None or not isinstance(last.op, For) or loop.body.results != last.outs:
        return None
    inner = last.op
    made = {loop.index, *loop.carried, *(o for e in before for o in e.outs)}
    same = inner.init == loop.carried and inner.step == loop.step == 1
    zero = all(isinstance(start, Lit) and start.value == 0 for start in (loop.start, inner.start))
    plain = all(isinstance(e.op, Apply) and not any(o.type.rank for o in e.outs) for e in before)
    carried = {v for e in before for v in reads(e.op)} | set(free(inner.body))
    if not (same and zero and plain) or inner.stop in made or carried & set(loop.carried):
        return None
    return Nest(loop, tuple(before), last, inner)


def exchanged(nest: Nest) -> For:
    """The inner loop around the outer."""
    outer, inner = nest.outer, nest.inner
    body = Block((*nest.before, *inner.body.equations), inner.body.results)
    within = replace(outer, carried=inner.carried, init=outer.carried, body=body)
    around = Block((replace(nest.around, op=within),), nest.around.outs)
    return replace(inner, carried=outer.carried, init=outer.init, body=around)


def is_independent(loop: For, known: Sizes = frozenset()) -> bool:
    """Whether no iteration looks at what another has made, but for reductions, and none can fail. `known`: sizes."""
    if loop.step != 1 or not loop.carried or not all(map(pure, loop.body.equations)):
        return False
    places = places_of(loop, known)
    return all(
        any(own_axes(loop.body, param, place, result) for place in places)
        if param.type.rank
        else reduction(loop.body, param, result) is not None
        for param, result in zip(loop.carried, loop.body.results, strict=True)
    )


def places_of(loop: For, known: Sizes) -> list[Var]:
    """The index, and it and what is the same for all iterations more: each iteration has another. None is below 0,
    where places count from an array's end, and two may be one."""
    if isinstance(loop.start, Lit):
        least = loop.start.value
    elif loop.start in known:
        least = 0
    else:
        return []
    found = [loop.index] if least >= 0 else []
    for equation in loop.body.equations:
        op = equation.op
        if not isinstance(op, Apply) or loop.index not in op.operands:
            continue
        moved = sum_with_literal(op)
        by_size = op.primitive.kind is Arithmetic.ADD and bool(known & set(op.operands))
        if least >= 0 and by_size or moved is not None and moved[0] is loop.index and least + moved[1] >= 0:
            found += equation.outs
    return found


def share_alike(a: For, b: For) -> bool:
    """Whether iterations of one loop may be done beside the other's by the same threads, as many as they have alone."""
    nests = [nest is not None and is_independent(nest.inner) for nest in map(nest_of, (a, b))]
    return is_independent(a) and is_independent(b) and nests[0] == nests[1]


def reductions(loop: For) -> dict[Var, Kind]:
    """The numbers among what is carried, each with what it is reduced by."""
    found = zip(loop.carried, loop.body.results, strict=True)
    kinds = {p: reduction(loop.body, p, result) for p, result in found if not p.type.rank}
    return {p: kind for p, kind in kinds.items() if kind is not None}


def reduction(block: Block, carried: Var, result: Atom) -> Kind | None:
    """What a number is made of itself and one term an iteration by, and nothing else; a loop's terms may be several,
    and a branch may have none."""
    counts = use_counts(block)
    made = next((e for e in block.equations if result in e.outs), None)
    if made is None or not isinstance(result, Var) or counts[result] != 1:
        return None
    at = made.outs.index(result)
    match made.op:
        case Apply(primitive, operands) if carried in operands and counts[carried] == 1:
            kind = primitive.kind
            wraps = kind is Arithmetic.MUL and not carried.type.is_float  # in an order that overflow.py sees
            return kind if kind in REDUCED and not wraps else None
        case For(carried=inner, init=init, body=body) if init[at] is carried and counts[carried] == 1:
            return reduction(body, inner[at], body.results[at])
        case If(test, then, orelse) if test is not carried:
            sides = [(b, b.results[at]) for b in (then, orelse)]
            quiet = [b for b, r in sides if r is carried and use_counts(b)[carried] == 1]
            kinds = {reduction(b, carried, r) for b, r in sides if r is not carried}
            counted = sum(use_counts(b)[carried] for b, _ in sides) == counts[carried]
            return kinds.pop() if len(quiet) == 1 and len(kinds) == 1 and counted else None
    return None
