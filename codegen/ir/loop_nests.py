"""Nests of loops that fill tables."""

from __future__ import annotations

from collections.abc import Callable

from codegen.ir.build import I8, Builder
from codegen.ir.literals import literal
from codegen.ir.nodes import Atom, Dim, For, Var

Place = tuple[Var, ...]
Atoms = tuple[Atom, ...]
Fill = Callable[[Builder, Place, Atoms], Atoms]


def loop_nest(b: Builder, dims: tuple[Dim, ...], place: Place, tables: Atoms, fill: Fill) -> Atoms:
    """A nest of loops over `dims` that carries tables; `fill` is its innermost body."""
    if not dims:
        return fill(b, place, tables)
    index, inner = Var("ijkl"[len(place) % 4], I8), b.inner()
    carried = tuple(Var("rows", t.type) for t in tables)
    results = loop_nest(inner, dims[1:], (*place, index), carried, fill)
    outs = tuple(Var("rows", t.type) for t in tables)
    stop = b.atom(dims[0])
    b.emit(outs, For(index, literal(0), stop, 1, carried, tables, inner.block(results)))
    return outs


def with_element(b: Builder, array: Atom, value: Atom, place: Place, spec: tuple[str, ...]) -> Atom:
    if not spec:
        return value
    name = array.name if isinstance(array, Var) else "t"
    return b.atom(b.apply("update", array, value, *place, spec=spec, name=name))
