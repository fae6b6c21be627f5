"""Elements of an array into which a window is written: written_element : Apply -> rule, as of elements.py.

    v = u.copy(); v[1:-1] += a         v[i] is u[i] + a[i - 1] where 1 <= i < n - 1, else u[i]

Threads of a GPU then make v in one loop, with no copy before; and what adjoints add to windows that overlap (of
stencils) is summed at each place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from codegen.ir import Apply, Atom, If, Program, Type, Var
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Access, Same
from codegen.ir.traversal import equations
from codegen.loops.elements import Element, is_slice, slice_begin, slice_size
from codegen.loops.nests import Place, Point, broadcast_place, in_dtype, place_in
from codegen.primitives.index import Cut, Spec, grouped


def written_element(op: Apply) -> Element | None:
    """The rule for elements of what a number or an array is written or added to, if that is a window."""
    kind = op.primitive.kind
    if kind not in (Access.WRITE, Access.ADD) or not is_slice(op) or "n" in op.params["spec"]:
        return None
    array, value = op.operands[:2]
    steps = all(token.step == 1 for token in op.params["spec"] if isinstance(token, Cut))
    return partial(window_element, kind) if steps and value.type.rank in (0, array.type.rank) else None


def window_element(
    kind: Access, p: Point, type_: Type, place: Place, array: Atom, value: Atom, *operands: Atom, spec: Spec
) -> Any:
    """What is there: in the window what is written, or both; else what the array has."""
    test, within = window(p.b, array.type, spec, operands, place_in(p.b, place))

    def on(side: Point, inside: bool) -> Any:
        before = None if inside and kind is Access.WRITE else side.read(array, place)
        if not inside:
            return in_dtype(side.b, before, type_.dtype)
        there = side.read(value, broadcast_place(value.type, value.type.shape, place_in(side.b, within)))
        both = there if before is None else side.b.apply("add", before, there)
        return in_dtype(side.b, both, type_.dtype)

    if not isinstance(test, E):
        return on(p, bool(test))
    if kind is Access.ADD:
        p.read(array, place)  # known on both sides
    sides = [replace(p, b=p.b.inner(), known=dict(p.known)) for _ in range(2)]
    then, orelse = (s.b.block((on(s, inside),)) for s, inside in zip(sides, (True, False), strict=True))
    out = Var("t", Type(type_.dtype))
    p.b.emit((out,), If(test.atom, then, orelse))
    return p.b.wrap(out)


def window(
    b: Builder, array: Type, spec: Spec, operands: Sequence[Atom], place: Place
) -> tuple[Any, tuple[Any, ...]]:
    """Whether a place is in the window, and where there."""
    tests: list[Any] = []
    within = list(place)
    for axis, (token, given) in enumerate(zip(spec, grouped(spec, tuple(operands)), strict=True)):
        if not isinstance(token, Cut):
            continue
        n = b.size(array.shape[axis])
        if token.start:
            within[axis] = place[axis] - slice_begin(b, token, given, n)
            tests.append(within[axis] >= 0)
        if token.stop:
            tests.append(within[axis] < slice_size(b, token, given, n))
    return reduce(partial(b.apply, "and"), tests) if tests else True, tuple(within)


def written_windows(program: Program) -> frozenset[Atom]:
    """The copies into which a window is written next."""
    found = set[Atom]()
    for function in program.functions.values():
        ops = [(e.outs, e.op) for e in equations(function.body) if isinstance(e.op, Apply)]
        copies = {outs[0] for outs, op in ops if op.primitive.kind is Same.COPY}
        found |= {op.operands[0] for _, op in ops if written_element(op)} & copies
    return frozenset(found)
