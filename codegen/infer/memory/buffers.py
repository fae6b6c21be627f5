"""Buffers of what lists hold (codegen/ir/buffers.py): rows that are read and written, moved, and made arrays of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.infer.kinds import Kind
from codegen.infer.values import Nest, Range
from codegen.ir import Atom, For, Lit, Var
from codegen.ir.buffers import AT, FIRST
from codegen.ir.build import SIZE, Builder, call
from codegen.ir.literals import name_of
from codegen.primitives.index import Cut, Inside
from codegen.primitives.row import FUNCTIONS
from codegen.source import refuse

PART = Inside((Cut(True, True),))


OF_ONE_SIZE = "a list of arrays has them of one size here, and this one is of another"


def made(b: Builder, count: Any, row: Kind, name: str) -> Any:
    """A buffer with room for so many rows."""
    return b.apply("empty", count, *map(b.size, row.dims), dtype=row.dtype, name=name)


def first_rows(b: Builder, buffer: Atom, count: Any) -> Any:
    """The rows in use."""
    return b.apply("index", buffer, count, spec=FIRST, name=name_of(buffer))


def row_at(b: Builder, buffer: Atom, place: Any, name: str) -> Any:
    """The row at a place in use."""
    return b.apply("index", buffer, place, spec=AT, name=name)


def with_row(b: Builder, buffer: Atom, place: Any, row: Any) -> Any:
    """With a row at a place that there is."""
    for n, m in zip(buffer.type.shape[1:], b.atom(row).type.shape):
        b.same_size(n, m, OF_ONE_SIZE)
    return b.apply("update", buffer, row, place, spec=AT, name=name_of(buffer))


def with_rows(b: Builder, buffer: Atom, start: Any, source: Atom, count: Any) -> Any:
    """With the first rows of another buffer from a place on, for which there is room: one by one where sizes are known,
    as lanes have them."""
    if isinstance(buffer.type.shape[0], int):
        return moved_rows(b, buffer, source, count, lambda c, k: c.apply("add", k, start), lambda c, k: k)
    end = b.apply("add", start, count)
    return b.apply(
        "update", buffer, first_rows(b, source, count), start, end, spec=PART, name=name_of(buffer)
    )


Place = Callable[[Builder, Any], Any]


def moved_rows(b: Builder, buffer: Atom, source: Atom, count: Any, to: Place, of: Place) -> Any:
    """With so many rows of a buffer at other places, the k-th read after the ones before it are written."""
    k, before = Var("i", SIZE), Var(name_of(buffer), buffer.type)
    c = b.inner()
    row = row_at(c, before if source is buffer else source, of(c, c.wrap(k)), "t")
    after = with_row(c, before, to(c, c.wrap(k)), row)
    out = Var(name_of(buffer), buffer.type)
    b.emit((out,), For(k, Lit(0, SIZE), b.atom(count), 1, (before,), (buffer,), c.block((after,))))
    return b.wrap(out)


NO_ITEMS = "a list without items: NumPy makes an array of float64 with one axis of it, which others of its kind are not"


def as_one_array(b: Builder, buffers: Any, count: Any, *, any_dtype: bool = True) -> Any:
    """What NumPy makes of a list whose items' parts are in these: those of tuples side by side. `any_dtype`: it is the
    items', or of none float64."""

    def joined(part: Any) -> Any:
        if isinstance(part, Nest) and part.cls is complex:
            raise TypeError("a list of complex numbers is no array here: write np.array of it")
        if isinstance(part, Nest) and not issubclass(part.cls, tuple):
            message = (
                f"a list of objects, {part.cls.__name__}, is no array of numbers: make a list of a field"
            )
            raise refuse(b.span, message)
        if isinstance(part, Nest):
            return FUNCTIONS[np.stack](b, [joined(each) for each in part.items], 1)
        return first_rows(b, part, count)

    made = joined(buffers)
    if made.ndim > 1 or any_dtype and made.type.dtype != "f8":
        b.require(b.apply("gt", count, 0), "ValueError", NO_ITEMS)
    return made


def of_range(b: Builder, value: Range) -> Any:
    """The array that NumPy makes of a range."""
    return call(b, np.arange, *(b.wrap(atom) for atom in (value.start, value.stop, value.step)))
