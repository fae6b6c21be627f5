"""Writes into the inside of an array, of what is around each of its places, go into an array of their own.

    u[1:-1] = u[1:-1] + a * (u[2:] - 2.0 * u[1:-1] + u[:-2])

    new = np.empty(n)
    new[:1] = u[:1]
    new[-1:] = u[-1:]
    new[1:-1] = u[1:-1] + a * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    u = new

`frames : Program -> Program`. In place, the value would have to be whole before any of it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from codegen.cost_model import WIDEST_FRAME
from codegen.ir import Apply, Atom, Block, Equation, Lit, Program
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import makers
from codegen.ir.traversal import with_bodies, with_inner
from codegen.primitives.index import Cut, grouped
from codegen.simplify.algebra import same_constant

BEGIN, END = Cut(start=False, stop=True), Cut(start=True, stop=False)


def frames(program: Program) -> Program:
    return with_bodies(program, with_frames)


def with_frames(block: Block) -> Block:
    made: dict[Atom, Apply] = {}
    equations: list[Equation] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Apply):
            made |= dict.fromkeys(equation.outs, op)
            if (widths := frame_widths(op)) is not None and looks_around(op, made):
                equations += framed(equation, op, widths)
                continue
        equations.append(replace(equation, op=with_inner(op, with_frames)))
    return replace(block, equations=tuple(equations))


def frame_widths(op: Apply) -> list[tuple[int, int]] | None:
    """Of a write into all but a frame of an array: its width before and after, axis by axis."""
    if op.primitive.kind is not Access.WRITE:
        return None
    spec, widths = op.params["spec"], []
    for token, given in zip(spec, grouped(spec, op.operands[2:]), strict=True):
        if token == ":":
            widths.append((0, 0))
            continue
        if not isinstance(token, Cut) or token.step != 1 or not all(isinstance(g, Lit) for g in given):
            return None
        bounds = [g.value for g in given if isinstance(g, Lit)]
        start, stop = bounds[0] if token.start else 0, bounds[-1] if token.stop else 0
        if not (0 <= start <= WIDEST_FRAME and -WIDEST_FRAME <= stop <= 0) or (token.stop and not stop):
            return None
        widths.append((start, -stop))
    return widths if any(map(any, widths)) else None


def looks_around(op: Apply, made: Mapping[Atom, Apply]) -> bool:
    """Whether the value comes, element by element, of the array at other places than those that are written."""
    array, value, *places = op.operands
    around = False
    for maker in makers([value], made, lambda maker: maker.primitive.family == "elementwise"):
        if maker.primitive.kind is Access.READ and maker.operands[0] is array:
            around = around or not same_places(maker, op.params["spec"], places)
        elif array in maker.operands:
            return False
    return around


def same_places(op: Apply, spec: tuple[object, ...], places: list[Atom]) -> bool:
    """Whether a slice is of the places that are written."""
    if op.params["spec"] != spec:
        return False
    return all(map(same_constant, op.operands[1:], places))


def framed(equation: Equation, op: Apply, widths: list[tuple[int, int]]) -> Iterator[Equation]:
    """The frame copied into a new array, then what is inside written."""
    array, *given = op.operands
    b = Builder(span=equation.span, checked=False)
    old = b.wrap(array)
    sizes = map(b.size, array.type.shape)
    new = b.apply("empty", *sizes, dtype=array.type.dtype, name=equation.outs[0].name)
    for axis, (first, last) in enumerate(widths):
        for width, cut in ((first, BEGIN), (-last, END)):
            if width:
                spec = (*(":",) * axis, cut)
                border = b.apply("index", old, width, spec=spec)
                new = b.apply("update", new, border, width, spec=spec)
    yield from b.equations
    yield replace(equation, op=replace(op, operands=(b.atom(new), *given)))
