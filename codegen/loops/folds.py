"""Reductions as part of a loop over the places of what they reduce, which others may share.

    s = np.sum(x)            over all axes: a number that the whole nest carries
    r = np.sum(x, axis=1)    over the last ones: a number that the loops along a row carry, stored after them
    c = np.sum(x, axis=0)    over the first ones: an array that collects row by row

Sums are not pairwise as NumPy's; those of float32 add in float64, and round once.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import prod
from typing import Any

import numpy as np

from codegen.ir import Apply, Dim, Type, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Reduction
from codegen.loops.nests import Body, Place, Values, in_dtype, nest
from codegen.primitives import ROWS

COMBINE: dict[Enum | None, str] = {
    Reduction.SUM: "add", Reduction.PROD: "mul", Reduction.MAX: "maximum", Reduction.MIN: "minimum",
    Reduction.ANY: "or", Reduction.ALL: "and",
}  # fmt: skip
PLACES = (Reduction.ARGMAX, Reduction.ARGMIN)


def reduction_start(kind: Enum | None, dtype: str) -> Any:
    """Where a reduction begins: what changes nothing."""
    made = np.dtype(dtype)
    lowest = kind in (Reduction.MAX, Reduction.ARGMAX)
    if lowest or kind in (Reduction.MIN, Reduction.ARGMIN):
        if made.kind == "b":
            return not lowest
        if made.kind == "f":
            return made.type(-np.inf if lowest else np.inf)
        return made.type(np.iinfo(made).min if lowest else np.iinfo(made).max)
    if kind in (Reduction.ANY, Reduction.ALL):
        return kind is Reduction.ALL
    return made.type(kind is Reduction.PROD)


def combine(b: Builder, kind: Enum | None, total: Any, value: Any, dtype: str) -> Any:
    if kind in (Reduction.ANY, Reduction.ALL):
        value = in_dtype(b, value, "b1")
    return b.apply(COMBINE[kind], total, in_dtype(b, value, dtype))


def is_better(b: Builder, kind: Enum | None, best: Any, value: Any) -> Any:
    """Does argmax take this value over the best before it? The first of equals stays; the first NaN wins."""
    ahead = b.apply("gt" if kind is Reduction.ARGMAX else "lt", value, best)
    if not b.atom(value).type.is_float:
        return ahead
    return b.apply("or", ahead, b.apply("and", b.apply("isnan", value), b.apply("eq", best, best)))


FEW = 64  # terms of which no sum loses much: float32 is twice as fast in vectors of lanes


def summed_in(dtype: str, terms: Sequence[Dim]) -> str:
    """The dtype of a running sum of so many numbers: one in float32 would lose what is small beside it."""
    few = all(isinstance(n, int) for n in terms) and prod(terms) <= FEW  # type: ignore[arg-type]
    return "f8" if dtype == "f4" and not few else dtype


class Fold:
    """A reduction over the last axes of an array, or all, to be part of a loop over its places; `rows`: how many axes
    stay."""

    def __init__(self, out: Var, op: Apply):
        self.out, self.kind, self.x = out, op.primitive.kind, op.operands[0]
        self.rows = out.type.rank
        self.places = self.kind in PLACES
        dtype = out.type.dtype
        best = Var("best", Type(self.x.type.dtype))
        wide = summed_in(dtype, [self.x.type.shape[k] for k in op.params["axis"]])
        self.is_rounded = self.kind is Reduction.SUM and wide != dtype
        total = (
            Var(out.name, Type(wide if self.is_rounded else dtype)) if self.rows or self.is_rounded else out
        )
        self.outs = (best, out) if self.places else (total,)

    def start(self, b: Builder) -> Values:
        first = reduction_start(self.kind, self.outs[0].type.dtype)
        return (first, np.int64(0)) if self.places else (first,)

    def step(self, b: Builder, values: Values, value: Any, place: Place) -> Values:
        if not self.places:
            return (combine(b, self.kind, values[0], value, self.outs[0].type.dtype),)
        better = is_better(b, self.kind, values[0], value)
        return (b.apply("select", better, value, values[0]), b.apply("select", better, place[-1], values[1]))

    def finish(self, b: Builder) -> None:
        """After the loop: a sum in the dtype that it is to have."""
        if self.is_rounded and not self.rows:
            b.emit((self.out,), Apply(ROWS["cast"], self.outs, {"dtype": self.out.type.dtype}))


class ColumnFold(Fold):
    """One over the first axes."""

    def __init__(self, out: Var, op: Apply):
        self.out, self.kind, self.x = out, op.primitive.kind, op.operands[0]
        self.rows, self.places, self.outs = 0, False, (out,)

    def start(self, b: Builder) -> Values:
        return (full_array(b, self.out.type, reduction_start(self.kind, self.out.type.dtype)),)

    def step(self, b: Builder, values: Values, value: Any, place: Place) -> Values:
        own = place[self.x.type.rank - self.out.type.rank :]
        return (collect(b, self.kind, values[0], in_dtype(b, value, self.out.type.dtype), own),)

    def finish(self, b: Builder) -> None:
        """It is what it is to be."""


def fold_of(out: Var, op: Apply) -> Fold | None:
    """A reduction as part of a loop; None where its axes are neither the last nor the first."""
    axes, rank = tuple(op.params["axis"]), op.operands[0].type.rank
    if len(axes) == rank:
        return Fold(out, op)
    if op.primitive.kind in PLACES:
        return None
    if axes == tuple(range(out.type.rank, rank)):
        return Fold(out, op)
    return ColumnFold(out, op) if axes == tuple(range(len(axes))) else None


def row_nest(
    b: Builder,
    shape: Sequence[Any],
    outs: tuple[Var, ...],
    init: Values,
    body: Body,
    kind: str,
    *,
    folds: Sequence[Fold],
) -> Values:
    """A nest (nests.py) the last of whose results are of these folds of rows: the loops along a row carry their totals,
    which go into arrays after it."""
    rows, others = folds[0].rows, len(outs) - len(folds)

    def row(b: Builder, at: Place, values: Values) -> Values:
        made = (*renewed(outs[:others]), *renewed([o for f in folds for o in f.outs]))
        start = (*values[:others], *(v for f in folds for v in f.start(b)))
        done = nest(b, shape[rows:], made, start, body, kind, at)
        stored = (store_element(b, v, total, at) for v, total in zip(values[others:], done[others:]))
        return (*done[:others], *stored)

    return nest(b, shape[:rows], outs, init, row, kind)


def renewed(outs: Sequence[Var]) -> Sequence[Var]:
    return [Var(o.name, o.type) for o in outs]


def collect(b: Builder, kind: Enum | None, array: Any, value: Any, place: Place) -> Any:
    spec = ("i",) * len(place)
    if kind is Reduction.SUM:
        return b.apply("accumulate", array, value, *place, spec=spec)
    before = b.apply("index", array, *place, spec=spec)
    return store_element(b, array, combine(b, kind, before, value, b.atom(before).type.dtype), place)


def store_element(b: Builder, array: Any, value: Any, place: Place) -> Any:
    """The array with `value` at `place`."""
    atom = b.atom(array)
    value = in_dtype(b, value, atom.type.dtype)
    name = atom.name if isinstance(atom, Var) else "t"
    return b.apply("update", array, value, *place, spec=("i",) * len(place), name=name)


def empty_array(b: Builder, type_: Type) -> Any:
    return b.apply("empty", *(b.size(n) for n in type_.shape), dtype=type_.dtype)


def full_array(b: Builder, type_: Type, value: Any) -> Any:
    return b.apply("full", value, *(b.size(n) for n in type_.shape), dtype=type_.dtype)
