"""Coordinates of grids: np.meshgrid, np.ix_, np.indices; subscripts of np.mgrid and np.ogrid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir.build import Builder, E
from codegen.ir.literals import code
from codegen.ir.promotion import joined_dtype
from codegen.primitives.reduce import as_array
from codegen.primitives.row import FUNCTIONS, lowers
from codegen.primitives.shape import checked_size, checked_sizes, step_is


@lowers(np.meshgrid)
def meshgrid(b: Builder, *xi: Any, indexing: Any = "xy", sparse: bool = False, copy: bool = True) -> Any:
    """The coordinates of a grid, each array along an axis of its own; "xy" has the first two the other way round."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    rank = len(xi)
    order = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    vectors = [np.reshape(as_array(b, x), (-1,)) for x in xi]
    sizes = tuple(vectors[order.index(k)].shape[0] for k in range(rank))
    apart = [
        np.reshape(v, tuple(v.shape[0] if n == k else 1 for n in range(rank))) for v, k in zip(vectors, order)
    ]
    whole = apart if sparse else [np.broadcast_to(v, sizes) for v in apart]
    if copy:
        return tuple(v.copy() for v in whole)
    return whole if sparse else tuple(whole)


@lowers(np.ix_)
def ix_(b: Builder, *args: Any) -> Any:
    """Places along axes of their own, so that as subscripts they are a grid; of a mask those where it holds."""
    places = []
    for k, each in enumerate(args):
        x = as_array(b, each)
        if x.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if isinstance(each, tuple | list) and not each:
            x = x.astype(np.int64)
        x = np.where(x)[0] if x.type.dtype == "b1" else x
        places.append(np.reshape(x, tuple(x.shape[0] if n == k else 1 for n in range(len(args)))))
    return tuple(places)


@lowers(np.indices)
def indices(b: Builder, dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """The place of each element of an array of these sizes, along each axis."""
    sizes = checked_sizes(b, dimensions)
    rank = len(sizes)
    made = [
        np.reshape(b.apply("arange", n, dtype=code(dtype)), tuple(n if m == k else 1 for m in range(rank)))
        for k, n in enumerate(sizes)
    ]
    return tuple(made) if sparse else np.stack([np.broadcast_to(each, sizes) for each in made])


def grid_by_subscript(*, sparse: bool) -> Callable[..., Any]:
    """np.mgrid and np.ogrid: numbers that slices count, each along an axis of its own, all of one dtype."""

    def build(b: Builder, index: Any) -> Any:
        cuts = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(cut, slice) and cut.stop is not None for cut in cuts):
            raise TypeError("np.mgrid and np.ogrid take slices that have an end")
        given = [ends_and_step(cut) for cut in cuts]
        kind = joined_dtype(
            [b.atom(abs(v) if isinstance(v, complex) else v).type for each in given for v in each]
        )
        if not isinstance(index, tuple):
            return coordinates(b, *given[0], kind)
        size = size_as_counted if sparse else checked_size
        axes = [coordinates(b, *each, kind, size) for each in given]
        made = FUNCTIONS[np.meshgrid](b, *axes, indexing="ij", sparse=sparse, copy=False)
        return tuple(made) if sparse else np.stack(made)

    return build


def ends_and_step(cut: slice) -> tuple[Any, Any, Any]:
    return 0 if cut.start is None else cut.start, cut.stop, 1 if cut.step is None else cut.step


def size_as_counted(b: Builder, n: Any) -> Any:
    """The size of an axis of np.ogrid, which is empty where np.mgrid's would be below 0."""
    return n


def coordinates(
    b: Builder,
    start: Any,
    stop: Any,
    step: Any,
    kind: np.dtype[Any],
    size: Callable[[Builder, Any], Any] | None = None,
) -> Any:
    """The numbers from `start` to `stop`, along an axis of a grid if it has a `size`; an imaginary step says how many,
    the last among them."""
    if isinstance(step, complex):
        n = int(abs(step))
        step = 1 if n == 1 else (stop - start) / float(n - 1)
    elif size is None:
        return FUNCTIONS[np.arange](b, start, stop, step)
    else:
        n = size(b, number_of_points(b, start, stop, step))
    y = FUNCTIONS[np.arange](b, n).astype(kind)
    y = y if step_is(step, 1) else y * step
    return y if step_is(start, 0) else y + start


def number_of_points(b: Builder, start: Any, stop: Any, step: Any) -> Any:
    if all(b.atom(v).type.dtype[0] in "iu" for v in (start, stop, step)):
        if step_is(step, 1):
            return stop - start
        if all(b.atom(v).type.dtype == "i8" for v in (start, stop, step)):
            return -((start - stop) // step)
        far, each = (
            b.apply("cast", v, dtype="i8") for v in (stop - start, step)
        )  # wraps no more than NumPy's
        return -(-far // each)
    n = np.ceil((stop - start) / step)
    return b.apply("cast", n, dtype="i8") if isinstance(n, E) else int(n)


FUNCTIONS[np.mgrid] = grid_by_subscript(sparse=False)
FUNCTIONS[np.ogrid] = grid_by_subscript(sparse=True)
