"""Arrays made of arrays end to end: loops over their elements are split where the pieces meet.

    y = np.concatenate((x[:1], x[:-1]))          z[0] = x[0] - x[0]
    z = y - x                             ->     for i in range(1, n):
                                                     z[i] = x[i - 1] - x[i]

Each stretch of a split loop reads one piece, without a test. A `Seam` is a join that a nest reads along one of its
loops. Where sizes are not known, the stretches are right if the places where pieces meet are in order, as they are
unless an array is tiny: that is asked before the loops, and elements are chosen one by one if not. So they are by the
threads of a GPU, which have a loop for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import pairwise
from math import prod
from typing import Any, TypeGuard

from codegen.analysis.affine import sum_with_literal
from codegen.cost_model import CONCATENATED_PARTS
from codegen.ir import Apply, Dim, If, Lit, Operation, Type, Var
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Arithmetic, Joined
from codegen.loops import nests
from codegen.loops.nests import Place, Point, Stretches, Values, in_dtype, place_in

Reach = tuple[int, int]  # the number of a loop, and how far ahead of its index


@dataclass(frozen=True)
class Seam:
    """A join that is read at a loop's index + `ahead` along the axis on which its pieces meet."""

    join: Var
    op: Apply
    loop: int
    ahead: int


def is_join(op: Operation) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.primitive.kind is Joined.CONCATENATE


def join_element(p: Point, join: Var, op: Apply, place: Place) -> Any:
    """The element of a join at a place: of the piece that is known to be there, or chosen by tests."""
    seam = seam_of(p, join, op, place)
    if seam is not None and seam in p.pieces:
        return piece_element(p, op, p.pieces[seam], place)
    if p.met is None:
        return choose_piece(p, join.type.dtype, op, place, 0)
    if seam is not None:
        p.met[seam] = None
    return [piece_element(p, op, q, place) for q in range(len(op.operands))][-1]


def piece_element(p: Point, op: Apply, q: int, place: Place) -> Any:
    """What piece q has at a place of the join."""
    axis, place = op.params["axis"], place_in(p.b, place)
    within = place[axis] - piece_begin(p.b, op, q)
    return p.read(op.operands[q], (*place[:axis], within, *place[axis + 1 :]))


def piece_begin(b: Builder, op: Apply, q: int) -> Any:
    """Where piece q begins."""
    total: Any = 0
    for x in op.operands[:q]:
        total = total + b.size(x.type.shape[op.params["axis"]])
    return total


def choose_piece(p: Point, dtype: str, op: Apply, place: Place, first: int) -> Any:
    """The element from whichever of the pieces from `first` on has it."""
    if first == len(op.operands) - 1:
        return in_dtype(p.b, piece_element(p, op, first, place), dtype)
    test = place_in(p.b, place)[op.params["axis"]] < piece_begin(p.b, op, first + 1)
    if not isinstance(test, E):
        return piece_element(p, op, first, place) if test else choose_piece(p, dtype, op, place, first + 1)
    sides = [replace(p, b=p.b.inner(), known=dict(p.known)) for _ in range(2)]
    values = (piece_element(sides[0], op, first, place), choose_piece(sides[1], dtype, op, place, first + 1))
    then, orelse = (s.b.block((in_dtype(s.b, v, dtype),)) for s, v in zip(sides, values))
    out = Var("t", Type(dtype))
    p.b.emit((out,), If(test.atom, then, orelse))
    return p.b.wrap(out)


# ---- where loops are split ----


def seam_of(p: Point, join: Var, op: Apply, place: Place) -> Seam | None:
    """The seam at a place that follows one of the loops."""
    found = loop_and_offset(p, place[op.params["axis"]])
    return None if found is None else Seam(join, op, *found)


def loop_and_offset(p: Point, at: Any) -> Reach | None:
    """A place as the index of a loop and how far ahead of it, if it is that."""
    if not isinstance(at, E):
        return None
    for k, index in enumerate(p.at):
        if isinstance(index, E) and index.atom is at.atom:
            return k, 0
    op = next((e.op for e in p.b.equations if e.outs == (at.atom,)), None)
    x, c = (sum_with_literal(op) if isinstance(op, Apply) else None) or (None, 0)
    found = loop_and_offset(p, p.b.wrap(x)) if isinstance(x, Var) else None
    return found and (found[0], found[1] + c)


Cut = tuple[Dim | None, int]  # a place on an axis: a size, if any, and what is added to it


def too_many(made: Builder, shape: Sequence[Dim], seams: Iterable[Seam], size: Callable[[Dim], Dim]) -> bool:
    """Whether a nest would be split into more stretches than is good."""
    b = Builder(checked=False)
    b.equations += made.equations
    along = [[s for s in seams if s.loop == k] for k in range(len(shape))]
    return prod(len(split_loop(b, n, own, size).stops) for n, own in zip(shape, along)) > CONCATENATED_PARTS


@dataclass(frozen=True)
class SplitLoop:
    """One loop in stretches: where each stops, and for each which piece of every seam it reads."""

    stops: tuple[Any, ...]
    pieces: tuple[Mapping[Seam, int], ...]
    ordered: tuple[Any, ...] = ()  # what must hold for the stops to be in order


def split_loop(b: Builder, n: Dim, seams: Sequence[Seam], size: Callable[[Dim], Dim]) -> SplitLoop:
    """The loop over an axis of size n, split for the seams along it; `size` knows which sizes are equal."""
    hoped: dict[Cut, None] = {}
    own = {s: [seam_cut(b, s, q, size, hoped) for q in range(1, len(s.op.operands))] for s in seams}
    bases = list(dict.fromkeys(base for cuts in own.values() for base, _ in cuts if base is not None))
    end = affine_size(b, n, size, hoped)
    found = {clipped(c, end) for cuts in own.values() for c in cuts}
    stops = sorted(found - {end}, key=lambda c: (c[0] is not None and 1 + bases.index(c[0]), c[1]))
    stops = [*stops, end]
    rounds = range(len(stops))
    pieces = [{s: sum(clipped(c, end) in stops[:r] for c in own[s]) for s in seams} for r in rounds]
    ahead = any(s.ahead > 0 for s in seams)  # else no piece begins before the loop
    start: list[Cut] = [(None, 0)] if ahead else []
    pairs = [(x, y) for x, y in pairwise([*start, *stops]) if x[0] is not y[0]]
    pairs += [((None, 0), c) for c in hoped if c[1] < 0 and ((None, 0), c) not in pairs]
    ordered = tuple(b.apply("le", cut_place(b, x), cut_place(b, y)) for x, y in pairs)
    filled = [r for r in rounds if stops[r] != (None, 0) or stops[r] is end]
    return SplitLoop(tuple(cut_place(b, stops[r]) for r in filled), tuple(pieces[r] for r in filled), ordered)


def seam_cut(b: Builder, seam: Seam, q: int, size: Callable[[Dim], Dim], hoped: dict[Cut, None]) -> Cut:
    """The index of the loop at which the seam's piece q begins, from the front or else from the back."""
    sizes = [size(x.type.shape[seam.op.params["axis"]]) for x in seam.op.operands]
    before, after = sizes[:q], sizes[q:]
    if all(isinstance(n, int) for n in before):
        return None, sum(before) - seam.ahead  # type: ignore[arg-type]
    whole = size(seam.join.type.shape[seam.op.params["axis"]])
    if all(isinstance(n, int) for n in after) and not isinstance(whole, int):
        base, more = affine_size(b, whole, size, hoped)
        return base, more - sum(after) - seam.ahead  # type: ignore[arg-type]
    base, more = affine_size(b, piece_begin(b, seam.op, q).atom, size, hoped)
    return base, more - seam.ahead


def affine_size(b: Builder, n: Dim, size: Callable[[Dim], Dim], hoped: dict[Cut, None]) -> Cut:
    """A size as another and what is added to it, as far as the equations say; that none is negative is `hoped`."""
    n = size(n)
    if isinstance(n, int):
        return None, n
    op = next((e.op for e in reversed(b.equations) if e.outs == (n,)), None)
    match op:
        case Apply(primitive, (Var() as x, Lit(value=0))) if primitive.kind is Arithmetic.MAXIMUM:
            base, more = affine_size(b, x, size, hoped)
            if more < 0 or not any(base in e.outs for e in b.equations):
                hoped[base, more] = None
                return base, more  # of a size of an array; what is left of one may be less than nothing
        case Apply() if (plus := sum_with_literal(op)) is not None and isinstance(plus[0], Var):
            base, so_far = affine_size(b, plus[0], size, hoped)
            return base, so_far + plus[1]
    return n, 0


def clipped(cut: Cut, end: Cut) -> Cut:
    """A cut that is known to be outside the axis, moved to its begin or end."""
    if cut[0] is not None:
        return end if cut[0] is end[0] and cut[1] >= end[1] else cut
    place = max(cut[1], 0)
    return None, min(place, end[1]) if end[0] is None else place


def cut_place(b: Builder, cut: Cut) -> Any:
    """A cut as a number."""
    base, more = cut
    if base is None:
        return more
    return b.size(base) - -more if more < 0 else b.size(base) + more


def split_nest(
    b: Builder,
    shape: Sequence[Dim],
    outs: tuple[Var, ...],
    init: Values,
    body: Callable[[Builder, Place, Values, Mapping[Seam, int]], Values],
    kind: str,
    seams: Sequence[Seam],
    size: Callable[[Dim], Dim],
    nest: Callable[..., Values] = nests.nest,
) -> None:
    """A nest of loops that are split at their seams; `body` is told which pieces are read where it is."""

    def stretches(b: Builder, outs: tuple[Var, ...], splits: Sequence[SplitLoop | None]) -> None:
        axes = [n if s is None else Stretches(s.stops) for n, s in zip(shape, splits)]

        def told(inner: Builder, at: Place, values: Values) -> Values:
            pieces: dict[Seam, int] = {}
            for axis, s, k in zip(axes, splits, at):
                if s is not None:
                    pieces |= s.pieces[axis.found[k.atom]]  # type: ignore[union-attr]
            return body(inner, at, values, pieces)

        nest(b, axes, outs, init, told, kind)

    along = [[s for s in seams if s.loop == k] for k in range(len(shape))]
    splits = [split_loop(b, n, own, size) if own else None for n, own in zip(shape, along)]
    ordered = [test for s in splits if s is not None for test in s.ordered]
    if not ordered:
        stretches(b, outs, splits)
        return
    sides = []
    for parts in (splits, [None] * len(shape)):
        inner, made = b.inner(), tuple(Var(o.name, o.type) for o in outs)
        stretches(inner, made, parts)
        sides.append(inner.block(made))
    test = reduce(partial(b.apply, "and"), ordered)
    b.emit(outs, If(b.atom(test), *sides))
