"""Loop nests over the places of an array, and the point inside one where elements are computed.

nest(b, (n, m), outs, init, body)   ->   for i in range(n):
                                             for j in range(m): body at (i, j)

An axis may be cut into stretches, each with a loop of its own: (n, Stretches(1, m)) has j = 0, then the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.ir import Atom, Block, Dim, For, Lit, Type, Var
from codegen.ir.build import I8, Builder, E

Place = tuple[Any, ...]  # ints and values, one for each axis
Values = tuple[Any, ...]  # of what a loop carries
Body = Callable[[Builder, Place, Values], Values]
NAMES = "ijklmnpq"


@dataclass(eq=False)
class Point:
    """Inside a loop: where equations go, the place `at` of the nest, and the elements that are known here.

    `element(point, array, place)` gives an element that is not yet known; `stored`: is the array in memory?
    """

    b: Builder
    at: Place
    element: Callable[[Point, Var, Place], Any]
    stored: Callable[[Atom], bool]
    known: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    # Of joins (concat_split.py): which one is read here; and, where that is only asked, those that are met.
    pieces: Mapping[Any, int] = field(default_factory=dict)
    met: dict[Any, None] | None = None

    def read(self, atom: Atom, place: Place) -> Any:
        """The element of `atom` (itself, if it is a scalar) at `place`, computed once at this point."""
        if isinstance(atom, Lit) or not atom.type.rank:
            return self.b.wrap(atom)
        k = (atom, *spot(place))
        if k not in self.known:
            self.known[k] = self.element(self, atom, place_in(self.b, place))
        return self.known[k]

    def spread(self, atom: Atom, shape: Sequence[Any], place: Place) -> Any:
        """The element of `atom`, broadcast to `shape`, at `place`."""
        return self.read(atom, broadcast_place(atom.type, shape, place))


def place_in(b: Builder, place: Place) -> Place:
    """A place whose arithmetic goes into `b`."""
    return tuple(b.wrap(p.atom) if isinstance(p, E) else p for p in place)


def spot(place: Place) -> tuple[Hashable, ...]:
    """A place as a key."""
    return tuple(p.atom if isinstance(p, E) else int(p) for p in place)


def never_fits(shape: Sequence[Dim], sizes: Sequence[Any]) -> bool:
    """Whether an array cannot be written to places of these sizes: a check before it has raised."""
    known = [
        (n, m) for n, m in zip(reversed(shape), reversed(sizes)) if isinstance(n, int) and isinstance(m, int)
    ]
    return any(n not in (1, m) for n, m in known)


def broadcast_place(type_: Type, shape: Sequence[Any], place: Place) -> Place:
    """The place in an array of `type_` that broadcasting shows at `place` of `shape`, whose axes of size 1 may be
    fewer."""
    spare = max(type_.rank - len(place), 0)
    first = len(place) + spare - type_.rank
    axes = zip(type_.shape[spare:], shape[first:], place[first:])
    own = (0 if n == 1 and not (isinstance(m, int) and m == 1) else p for n, m, p in axes)
    return (*(0,) * spare, *own)


@dataclass(frozen=True)
class Stretches:
    """Where the stretches of an axis stop, the last at its end; `found` notes which one an index goes through."""

    stops: tuple[Any, ...]
    found: dict[Var, int] = field(default_factory=dict)


def nest(
    b: Builder,
    shape: Sequence[Any],
    outs: tuple[Var, ...],
    init: Values,
    body: Body,
    kind: str = "sequential",
    outer: Place = (),
) -> Values:
    """`outs` = the values after loops over all places of `shape`: first `init`, then what `body` gives.

    `body(builder, place, values)`; `shape` holds ints, size Vars, int values or Stretches; with no axes it runs once.
    """
    if not shape:
        return body(b, outer, init)
    axis, *inner_axes = shape

    def loop(start: Any, stop: Any, outs: tuple[Var, ...], init: Values, body: Body) -> Values:
        """A loop with a nest over the other axes inside."""
        nowhere = isinstance(start, int) and isinstance(stop, int) and start == stop

        def step(inner: Builder, at: Any, values: Values) -> Values:
            if nowhere or any(isinstance(n, int) and n == 0 for n in inner_axes):
                return values  # there is no place to speak of
            within = tuple(Var(o.name, o.type) for o in outs)
            return nest(inner, inner_axes, within, values, body, kind, (*place_in(inner, outer), at))

        index = Var(NAMES[len(outer) % len(NAMES)], I8)
        return counted_loop(b, index, (start, stop, 1), outs, init, step, kind)

    if not isinstance(axis, Stretches):
        return loop(0, axis, outs, init, body)
    start: Any = 0
    for r, stop in enumerate(axis.stops):
        last = r == len(axis.stops) - 1
        made = outs if last else tuple(Var(o.name, o.type) for o in outs)

        def within(inner: Builder, place: Place, values: Values, r: int = r) -> Values:
            axis.found[place[len(outer)].atom] = r
            return body(inner, place, values)

        init = loop(start, stop, made, init, within)
        start = stop
    return init


def counted_loop(
    b: Builder,
    index: Var,
    over: tuple[Any, Any, int],
    outs: tuple[Var, ...],
    init: Sequence[Any],
    body: Callable[[Builder, Any, Values], Values],
    kind: str,
) -> Values:
    """`outs` = the values after a loop over a range: first `init`, then what `body(builder, index, values)` gives."""
    inner, carried = b.inner(), tuple(Var(o.name, o.type) for o in outs)
    block = inner.block(body(inner, inner.wrap(index), tuple(map(inner.wrap, carried))))
    first, last = (tuple(map(strong_literal, map(b.atom, values), outs)) for values in (init, block.results))
    start, stop = (Lit(n, index.type) if isinstance(n, int) else b.atom(n) for n in over[:2])
    b.emit(outs, For(index, start, stop, over[2], carried, first, Block(block.equations, last), kind))
    return tuple(map(b.wrap, outs))


def strong_literal(atom: Atom, out: Var) -> Atom:
    """A literal in the dtype of the variable that it initialises."""
    if isinstance(atom, Lit):
        return Lit(np.dtype(out.type.dtype).type(atom.value).item(), Type(out.type.dtype))
    return atom


def in_dtype(b: Builder, value: Any, dtype: str) -> Any:
    """A scalar as an element of an array of `dtype`."""
    atom = b.atom(value)
    if isinstance(atom, Lit):
        return np.dtype(dtype).type(atom.value)
    return value if atom.type.dtype == dtype else b.apply("cast", value, dtype=dtype)
