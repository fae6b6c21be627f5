"""Sums at any places of an array, in the order in which they are written: in_order : For -> equations.

    for i in range(n):                 for i in range(n):
        out[p[i]] += x[i]                  places[i], terms[i] = p[i], x[i]
                               ->      order = places_in_order(places)
                                       for j in range(len(out)):
                                           for each k of order, where places[k] == j: out[j] += terms[k]

Threads share both loops. Each sum is taken in its order, so that it is the same each time, and what the CPU's is; with
atomic additions it would be as threads come. (For whole numbers that is the same: independent.py.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.analysis.definitions import applied
from codegen.ir import Apply, Atom, Block, Equation, For, If, Lit, Type, Var, While
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access, Arithmetic
from codegen.ir.literals import code, size_atom
from codegen.ir.substitution import free
from codegen.ir.traversal import with_inner
from codegen.loops.independent import COUNTED, Sizes, is_independent
from codegen.primitives.row import ROWS
from codegen.simplify.driver import use_counts

INT, BOOL = SIZE, Type("b1")


def added_in_order(equation: Equation, loop: For, sizes: Sizes) -> Sequence[Equation] | None:
    """A loop in which one array is added to at any places, and nothing else hangs on the order; None for another."""
    begins = isinstance(loop.start, Lit) and loop.start.value == 0 and loop.step == 1
    for at, carried in enumerate(loop.carried):
        adds = additions(loop, at) if carried.type.rank and begins else []
        if adds:
            b = Builder(span=equation.span, checked=False)
            known = isinstance(loop.stop, Lit) and loop.stop.value >= 0 or loop.stop in sizes
            n = b.wrap(loop.stop) if known else b.apply("maximum", b.wrap(loop.stop), 0)
            width = len(adds)
            noted, (places, terms) = noting(b, loop, at, adds, n)
            if not is_independent(noted, sizes):
                continue
            outs = list(equation.outs)
            sums = outs.pop(at)
            b.emit((*outs, places, terms), noted)
            at_places, added = (in_line(b, w, n, width) for w in (places, terms))
            order = b.apply("places_in_order", at_places, name="order")
            summing(b, sums, b.wrap(loop.init[at]), n * width, at_places, added, order)
            return b.equations
    return None


def with_additions(block: Block) -> Block:
    """A block in which what is read, added to and written back where it was is added to there, of whole numbers."""
    counts, made = use_counts(block), applied(block.equations)
    found, spent = [], set[Atom]()
    for equation in block.equations:
        op = equation.op
        if (
            isinstance(op, Apply)
            and op.primitive.kind is Access.WRITE
            and op.operands[0].type.dtype in COUNTED
        ):
            array, value, *places = op.operands
            there = Apply(ROWS["index"], (array, *places), op.params)
            sides = sum_with(there, value, made, counts)
            if sides is not None and sides[1].type.dtype == array.type.dtype:
                spent |= {value, sides[0]}
                op = Apply(ROWS["accumulate"], (array, sides[1], *places), op.params)
        found.append(replace(equation, op=with_inner(op, with_additions)))
    return replace(block, equations=tuple(e for e in found if spent.isdisjoint(e.outs)))


def sum_with(
    there: Apply, value: Atom, made: Mapping[Atom, Apply], counts: Mapping[Any, int]
) -> tuple[Atom, Atom] | None:
    """Of a sum with this element both sides, the element first, if nobody else reads either."""
    added = made.get(value)
    if added is None or added.primitive.kind is not Arithmetic.ADD or counts[value] != 1:
        return None
    for read, term in (added.operands, added.operands[::-1]):
        found = made.get(read)
        same = found and (found.primitive, found.operands) == (there.primitive, there.operands)
        if found and same and counts[read] == 1 and found.params["spec"] == there.params["spec"]:
            return read, term
    return None


def in_line(b: Builder, noted: Var, n: Any, width: int) -> Any:
    """What was noted, in its order."""
    return b.apply("reshape", b.wrap(noted), n * width, name=noted.name) if width > 1 else b.wrap(noted)


def additions(loop: For, at: int) -> list[Equation]:
    """The equations that add numbers to a carried array, if nothing else is done with it."""
    versions = {loop.carried[at]}
    found = []
    for equation in loop.body.equations:
        op = equation.op
        used = versions & set(free(op))
        if not used:
            continue
        whole = isinstance(op, Apply) and op.params.get("spec") == ("i",) * op.operands[0].type.rank
        if not isinstance(op, Apply) or op.primitive.kind is not Access.ADD or not whole:
            return []
        if op.operands[0] not in versions or not versions.isdisjoint(op.operands[1:]):
            return []
        found.append(equation)
        versions.add(equation.outs[0])
    return found if loop.body.results[at] in versions and not versions & set(loop.body.results[:at]) else []


def noting(b: Builder, loop: For, at: int, adds: Sequence[Equation], n: Any) -> tuple[For, tuple[Var, Var]]:
    """The loop that notes where is added what, and what it makes: an element an iteration, or a row."""
    width = len(adds)
    dims, spec = ((n,), ("i",)) if width == 1 else ((n, width), ("i", "i"))
    terms = [e.op.operands[1].type.dtype for e in adds]  # type: ignore[union-attr]
    made = [b.apply("empty", *dims, dtype=d) for d in ("i8", code(np.result_type(*terms)))]
    carried = [Var(word, m.atom.type) for word, m in zip(("places", "terms"), made, strict=True)]
    c = Builder(checked=False)
    now = [c.wrap(v) for v in carried]
    for equation in loop.body.equations:
        if equation not in adds:
            c.equations.append(equation)
            continue
        c.span = equation.span
        array, term, *places = equation.op.operands  # type: ignore[union-attr]
        slot = (loop.index,) if width == 1 else (loop.index, adds.index(equation))
        place = flat_place(c, array.type, [c.wrap(p) for p in places])
        now = [
            c.apply("update", w, v, *slot, spec=spec) for w, v in zip(now, (place, c.wrap(term)), strict=True)
        ]
    results = list(loop.body.results)
    kept = [k for k in range(len(results)) if k != at]
    noted = replace(
        loop,
        carried=(*(loop.carried[k] for k in kept), *carried),
        init=(*(loop.init[k] for k in kept), *(b.atom(m) for m in made)),
        body=Block(tuple(c.equations), (*(results[k] for k in kept), *map(c.atom, now))),
    )
    return noted, (Var("places", carried[0].type), Var("terms", carried[1].type))


def flat_place(b: Builder, type_: Type, places: Sequence[Any]) -> Any:
    """Which element of an array that is, counted from its first."""
    found: Any = None
    for place, n in zip(places, type_.shape, strict=True):
        size = b.wrap(size_atom(n))
        place = b.apply("select", b.apply("lt", place, 0), place + size, place)
        found = place if found is None else found * size + place
    return found


def summing(b: Builder, sums: Var, array: Any, count: Any, places: Any, terms: Any, order: Any) -> None:
    """`sums` = the array with its terms added, an element a thread."""
    shape = sums.type.shape
    indices = [Var("j", INT) for _ in shape]
    carried = [Var(sums.name, sums.type) for _ in shape]

    def element(b: Builder, whole: Any) -> Any:
        j: Any = None
        for index, n in zip(indices, shape, strict=True):
            j = b.wrap(index) if j is None else j * b.wrap(size_atom(n)) + b.wrap(index)
        first = first_place(b, j, count, places, order)
        return added_from(b, first, j, count, whole, indices, places, terms, order)

    def level(b: Builder, axis: int, init: Any, out: Var) -> None:
        inner = b.inner()
        if axis + 1 < len(shape):
            made = Var(sums.name, sums.type)
            level(inner, axis + 1, inner.wrap(carried[axis]), made)
        else:
            made = element(inner, inner.wrap(carried[axis]))
        body = inner.block((made,))
        stop = size_atom(shape[axis])
        b.emit(
            (out,),
            For(indices[axis], Lit(0, INT), stop, 1, (carried[axis],), (b.atom(init),), body, "parallel"),
        )

    level(b, 0, array, sums)


def first_place(b: Builder, j: Any, count: Any, places: Any, order: Any) -> Any:
    """Where the terms of element j begin in the order, by halving."""
    low, high = Var("k", INT), Var("high", INT)
    test = b.inner()
    cond = test.block((test.apply("lt", test.wrap(low), test.wrap(high)),))
    c = b.inner()
    middle = (c.wrap(low) + c.wrap(high)) // 2
    before = c.apply("lt", added_place(c, middle, places, order), rewrap(c, j))
    body = c.block((
        c.apply("select", before, middle + 1, c.wrap(low)),
        c.apply("select", before, c.wrap(high), middle),
    ))  # fmt: skip
    outs = (Var("k", INT), Var("high", INT))
    b.emit(outs, While((low, high), (Lit(0, INT), b.atom(count)), cond, body))
    return b.wrap(outs[0])


def added_place(b: Builder, k: Any, places: Any, order: Any) -> Any:
    return b.apply("index", places.atom, b.apply("index", order.atom, k, spec=("i",)), spec=("i",))


def added_from(
    b: Builder, first: Any, j: Any, count: Any, whole: Any, indices: Any, places: Any, terms: Any, order: Any
) -> Any:
    """The array with the terms from `first` on added, while they are element j's."""
    k, array = Var("k", INT), Var(whole.atom.name, whole.atom.type)
    test, there = b.inner(), b.inner()
    mine = there.apply("eq", added_place(there, there.wrap(k), places, order), rewrap(there, j))
    more = Var("t", BOOL)
    left = test.atom(test.apply("lt", test.wrap(k), rewrap(test, count)))
    test.emit((more,), If(left, there.block((mine,)), Block((), (Lit(False, BOOL),))))
    c = b.inner()
    term = c.apply("index", terms.atom, c.apply("index", order.atom, c.wrap(k), spec=("i",)), spec=("i",))
    spec = ("i",) * len(indices)
    body = c.block((c.wrap(k) + 1, c.apply("accumulate", c.wrap(array), term, *indices, spec=spec)))
    outs = (Var("k", INT), Var(array.name, array.type))
    b.emit(outs, While((k, array), (b.atom(first), whole.atom), test.block((more,)), body))
    return b.wrap(outs[1])


def rewrap(b: Builder, value: Any) -> Any:
    """A value of another builder."""
    return b.wrap(value.atom) if hasattr(value, "atom") else value
