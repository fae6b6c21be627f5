"""Loops for what has no element of its own: reductions, products of matrices, running sums, draws, writes of
many places, arrays made of arrays.

    s = np.sum(x)     s = 0.0                      y = X.T @ r     y = zeros(m)
                      for i in range(n):                           for i in range(n):
                          s += x[i]                                    for j in range(m):
                                                                           y[j] += X[i, j] * r[i]

Each function takes the walk (see lower.py), which reads elements and takes the equations. Loops run along rows where
there is a choice. Reductions that share loops with others are in folds.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, Protocol

from codegen.ir import Apply, Atom, Dim, Equation, Type, Var
from codegen.ir.build import I8, Builder
from codegen.ir.kinds import Access, Joined, Product, Reduction
from codegen.loops.elements import operand_place, slot_sizes
from codegen.loops.folds import (
    PLACES,
    Fold,
    collect,
    combine,
    empty_array,
    full_array,
    reduction_start,
    store_element,
    summed_in,
)
from codegen.loops.nests import Place, Point, Values, in_dtype, nest, never_fits, place_in, spot
from codegen.loops.products import contracted_size, is_small_product
from codegen.primitives import ROWS
from codegen.primitives.index import Cut


class BlockLowering(Protocol):
    """The block that is being lowered (lower.py)."""

    b: Builder

    @property
    def when(self) -> Callable[[Equation], bool]:
        """What is to become loops."""

    def turned(self, atom: Atom) -> bool:
        """Whether the rows of this matrix run across those in memory."""

    def need(self, atoms: Iterable[Atom]) -> None:
        """Have these in memory."""

    def keep(self, atom: Atom, *, always: bool = False, joins: bool = False) -> None:
        """Have an array in memory whose elements cost more than reading them."""

    def point(self, b: Builder, at: Place) -> Point:
        """The inside of a loop."""

    def bind_to(self, var: Var, value: Any) -> None:
        """A variable of the program is this value."""

    def base(self, array: Atom) -> Atom:
        """The array in memory that one is, or is a view of."""

    def may_overlap(self, v: Atom, x: Atom) -> bool:
        """Whether elements of `v` are read of the memory of `x`."""

    def same_parts(self, v: Atom, write: Apply) -> list[Var]:
        """What `v` reads that is the part of an array which is written."""

    def sum_of_products(self, equation: Equation, x: Atom, y: Atom) -> None:
        """A dot product as a sum, which shares loops."""


def require_elements(b: Builder, op: Apply, axes: Sequence[int]) -> None:
    """max, min, argmax and argmin of nothing are an error."""
    for k in axes if op.primitive.empty else ():
        n = op.operands[0].type.shape[k]
        test = n > 0 if isinstance(n, int) else b.apply("gt", n, 0)
        if test is not True:
            b.require(test, "ValueError", op.primitive.empty)


def lower_reduction(w: BlockLowering, equation: Equation, op: Apply) -> None:
    """Over some of the axes."""
    x, (out,), axes = op.operands[0], equation.outs, op.params["axis"]
    shape = x.type.shape
    require_elements(w.b, op, axes)
    w.keep(x)
    kept = [k for k in range(len(shape)) if k not in axes]
    if len(shape) - 1 in axes or op.primitive.kind in PLACES:
        gone = list(axes)

        def element(b: Builder, at: Place, within: Place) -> Any:
            return w.point(b, (*at, *within)).read(x, merge_places(kept, at, gone, within))

        by_rows(w, out, [shape[k] for k in kept], op, [shape[k] for k in gone], element)
    else:
        by_places(w, op, out, kept, list(axes))


def merge_places(kept: list[int], at: Place, gone: list[int], within: Place) -> Place:
    """A place out of its kept and its reduced axes."""
    both = dict(zip(kept, at)) | dict(zip(gone, within))
    return tuple(both[k] for k in range(len(both)))


def by_rows(
    w: BlockLowering,
    out: Var,
    kept: Sequence[Dim],
    op: Apply,
    gone: Sequence[Dim],
    element: Callable[[Builder, Place, Place], Any],
) -> None:
    """The reduced axes inside: a scalar collects each result of the elements at a place, and a place within."""

    def row(b: Builder, at: Place, values: Values) -> Values:
        fold = Fold(Var(out.name, Type(out.type.dtype)), op)  # `store_element` rounds what it sums up

        def step(inner: Builder, within: Place, totals: Values) -> Values:
            return fold.step(inner, totals, element(inner, at, within), within)

        kind = "sequential" if fold.places else "parallel"
        total = nest(b, gone, fold.outs, fold.start(b), step, kind)[-1]
        return (store_element(b, values[0], total, at),)

    nest(w.b, kept, (out,), (empty_array(w.b, out.type),), row, "parallel")


def by_places(w: BlockLowering, op: Apply, out: Var, kept: list[int], gone: list[int]) -> None:
    """The reduced axes outside: the array of results collects row by row."""
    x, kind = op.operands[0], op.primitive.kind
    shape = x.type.shape

    def step(b: Builder, at: Place, values: Values) -> Values:
        within, place = at[: len(gone)], at[len(gone) :]
        value = in_dtype(b, w.point(b, at).read(x, merge_places(kept, place, gone, within)), out.type.dtype)
        return (collect(b, kind, values[0], value, place),)

    made = full_array(w.b, out.type, reduction_start(kind, out.type.dtype))
    nest(w.b, [shape[k] for k in (*gone, *kept)], (out,), (made,), step, "parallel")


def lower_cumsum(w: BlockLowering, equation: Equation, op: Apply) -> None:
    x, (out,), axis = op.operands[0], equation.outs, op.params["axis"]
    shape = x.type.shape
    w.keep(x)
    others = [k for k in range(len(shape)) if k != axis]
    total = Var("total", Type(out.type.dtype))

    def line(b: Builder, at: Place, values: Values) -> Values:
        def step(inner: Builder, within: Place, carried: Values) -> Values:
            place = merge_places(others, at, [axis], within)
            x_here = w.point(inner, place).read(x, place)
            value = combine(inner, Reduction.SUM, carried[1], x_here, out.type.dtype)
            return store_element(inner, carried[0], value, place), value

        array = out if not others else Var(out.name, out.type)
        first = values[0], reduction_start(Reduction.SUM, out.type.dtype)
        return nest(b, [shape[axis]], (array, total), first, step)[:1]

    nest(w.b, [shape[k] for k in others], (out,), (empty_array(w.b, out.type),), line, "parallel")


# ---- a place in each row ----


def leaves_rows(w: BlockLowering, op: Apply) -> bool:
    """Whether an operation looks for a place in each row, which for a row by itself stays as it is."""
    x = op.operands[0].type
    if op.primitive.kind not in PLACES or tuple(op.params["axis"]) != (x.rank - 1,):
        return False
    row = Apply(op.primitive, (Var("row", Type(x.dtype, x.shape[-1:])),), {"axis": (0,)})
    return not w.when(Equation((Var("place", Type("i8")),), row))


def reduce_rows(w: BlockLowering, equation: Equation, op: Apply) -> None:
    """By what is left whole of a vector: a loop over the rows, which are in memory."""
    x, (out,) = op.operands[0], equation.outs
    require_elements(w.b, op, op.params["axis"])
    w.need([x])

    def row(b: Builder, at: Place, values: Values) -> Values:
        line = b.apply("index", x, *at, spec=(*("i",) * len(at), Cut(False, False)))
        return (store_element(b, values[0], b.apply(op.primitive, line, axis=(0,)), at),)

    nest(w.b, x.type.shape[:-1], (out,), (empty_array(w.b, out.type),), row, "parallel")


# ---- products ----


def lower_matmul(w: BlockLowering, equation: Equation, op: Apply) -> None:
    """Products of a vector and a matrix; the order of the loops follows the rows of the matrix in memory."""
    x, y = op.operands
    ranks = x.type.rank, y.type.rank
    out = equation.outs[0]
    if ranks == (1, 1):
        w.sum_of_products(equation, x, y)
        return
    for each, rank in ((x, ranks[0]), (y, ranks[1])):
        w.keep(each, always=rank == 1 or ranks == (2, 2))
    rows, columns, contracted = x.type.shape[:-1], y.type.shape[1:], contracted_size(x, y)
    by_dots = (ranks == (2, 1) and not w.turned(x)) or (ranks[1] == 2 and w.turned(y) and not w.turned(x))
    if by_dots or is_small_product(op):  # each element by itself, as the dot product of two rows
        k = (contracted,)
        total = Apply(ROWS["sum"], (Var("t", Type(out.type.dtype, k)),), {"axis": (0,)})
        by_rows(w, out, out.type.shape, total, k, lambda b, at, k: product_term(w, b, x, y, out, k[0], at))
    elif w.turned(x) or ranks[0] == 1:
        sums(w, x, y, out, lambda k, i, j: (k, i, j), (contracted, *rows, *columns))
    else:
        sums(w, x, y, out, lambda i, k, j: (k, i, j), (*rows, contracted, *columns))


def product_term(w: BlockLowering, b: Builder, x: Atom, y: Atom, out: Var, k: Any, at: Place) -> Any:
    """x[..., k] * y[k, ...]"""
    rows = x.type.rank - 1
    p = w.point(b, (*at, k))
    left, right = p.read(x, (*at[:rows], k)), p.read(y, (k, *at[rows:]))
    return in_dtype(b, left, out.type.dtype) * in_dtype(b, right, out.type.dtype)


def sums(
    w: BlockLowering, x: Atom, y: Atom, out: Var, order: Callable[..., Place], shape: Sequence[Dim]
) -> None:
    """The result collects x[i, k] * y[k, j]; `order` gives (k, i, j) from the loops' places."""

    def step(b: Builder, at: Place, values: Values) -> Values:
        full = order(*at) if len(at) == 3 else at  # (k, i) or (k, j) where one of them is a vector
        k, place = full[0], tuple(full[1:])
        term = product_term(w, b, x, y, out, k, place)
        return (collect(b, Reduction.SUM, values[0], in_dtype(b, term, total.type.dtype), place),)

    wide = Type(summed_in(out.type.dtype, x.type.shape[-1:]), out.type.shape)
    total = Var(out.name, wide) if wide.dtype != out.type.dtype else out
    zeros = full_array(w.b, wide, reduction_start(Reduction.SUM, wide.dtype))
    nest(w.b, shape, (total,), (zeros,), step, "parallel")
    if total is not out:
        round_sums(w.b, total, out)


def round_sums(b: Builder, total: Var, out: Var) -> None:
    """`out` = an array of sums in the dtype that they are to have."""
    every = ("i",) * out.type.rank

    def step(inner: Builder, at: Place, values: Values) -> Values:
        return (store_element(inner, values[0], inner.apply("index", total, *at, spec=every), at),)

    nest(b, out.type.shape, (out,), (empty_array(b, out.type),), step, "parallel")


# ---- writes, draws, arrays of arrays ----


def lower_write(w: BlockLowering, equation: Equation, op: Apply) -> None:
    """x[...] = v and np.add.at over many places; among equal places the last one wins."""
    x, v, *operands = op.operands
    spec, (out,) = op.params["spec"], equation.outs
    w.need([x])
    w.keep(v, always=v.type.rank < out.type.rank)
    sizes = slot_sizes(w.b, x.type, spec, operands)
    if never_fits(v.type.shape, sizes):
        w.bind_to(out, x)
        return
    own = w.same_parts(v, op)  # what is written over is read where it is
    if w.may_overlap(v, x) and not reads_own_places(w, v, x, own, sizes):
        w.need([v])  # of a part of x itself the loop is given a copy
        own = w.same_parts(v, op)

    def step(b: Builder, at: Place, values: Values) -> Values:
        p = w.point(b, at)
        place = operand_place(p, x.type, spec, operands, at, raw=True)
        every = ("i",) * len(place)
        if own:
            now = b.apply("index", values[0], *place, spec=every)
            p.known.update({(part, *spot(at)): now for part in own})
        value = p.spread(v, sizes, at)
        return (b.apply(op.primitive, values[0], value, *place, spec=every, name=out.name),)

    w.bind_to(out, nest(w.b, sizes, (out,), (x,), step, "sequential" if "a" in spec else "parallel")[0])


def reads_own_places(w: BlockLowering, v: Atom, x: Atom, own: list[Var], sizes: Sequence[Any]) -> bool:
    """Whether each element of `v` reads of `x` the element alone that it is written over."""
    b = Builder(checked=False)
    at = tuple(b.wrap(Var("i", I8)) for _ in sizes)
    p = w.point(b, at)
    p.known.update({(part, *spot(at)): b.wrap(Var("t", Type(x.type.dtype))) for part in own})
    p.spread(v, sizes, at)
    reads = [e.op for e in b.equations if isinstance(e.op, Apply) and e.op.primitive.kind is Access.READ]
    return all(w.base(op.operands[0]) is not w.base(x) for op in reads)


def lower_draws(w: BlockLowering, equation: Equation, op: Apply) -> None:
    """An array of draws is drawn one by one."""
    stream, out = equation.outs
    rest = op.operands[1 : len(op.operands) - out.type.rank]

    def step(b: Builder, at: Place, values: Values) -> Values:
        after, value = b.apply(op.primitive, values[0], *rest)
        return after, store_element(b, values[1], value, at)

    nest(w.b, out.type.shape, (stream, out), (w.b.wrap(op.operands[0]), empty_array(w.b, out.type)), step)


def lower_join(w: BlockLowering, equation: Equation, op: Apply) -> None:
    """stack and concatenate: one piece after the other."""
    (out,) = equation.outs
    axis = op.params.get("axis", 0)
    stacked = op.primitive.kind is Joined.STACK
    array: Any = empty_array(w.b, out.type)
    begin: Any = 0
    for k, x in enumerate(op.operands):
        last = Var(out.name, out.type) if k + 1 < len(op.operands) else out
        array = piece(w, x, last, array, begin, None if stacked else axis)
        begin = begin + (1 if stacked else w.b.size(x.type.shape[axis]))
    w.bind_to(out, array)


def piece(w: BlockLowering, x: Atom, out: Var, array: Any, begin: Any, axis: int | None) -> Any:
    """`array` with `x` written from `begin` on along `axis` (None: as item `begin`)."""

    def step(b: Builder, at: Place, values: Values) -> Values:
        value = w.point(b, at).read(x, at)
        (first,) = place_in(b, (begin,))
        moved = (first, *at) if axis is None else (*at[:axis], first + at[axis], *at[axis + 1 :])
        return (store_element(b, values[0], value, moved),)

    return nest(w.b, x.type.shape, (out,), (array,), step, "parallel")[0]


FOLDS: dict[Enum | None, Callable[[BlockLowering, Equation, Apply], None]] = {
    Reduction.CUMSUM: lower_cumsum,
    Product.MATRIX: lower_matmul,
    Access.WRITE: lower_write,
    Access.ADD: lower_write,
    Joined.STACK: lower_join,
}
