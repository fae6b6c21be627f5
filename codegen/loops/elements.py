"""How one element of an array comes from elements of what it is made of.

    y = exp(x) * w    y[i]    is exp(x[i]) * w[i]
    y = x.T           y[i, j] is x[j, i]
    y = x[2:, idx]    y[i, j] is x[2 + i, idx[j]]

`ELEMENT` has a rule for each kind that has such an element: `(point, type, place, *operands, **params)`
to its value; a row's own `element` comes first, and every elementwise primitive has the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from codegen.ir import Apply, Atom, Lit, Type
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Access, Joined, Made, Product, Same
from codegen.loops.nests import Place, Point
from codegen.primitives.elementwise import broadcast_shape
from codegen.primitives.index import Cut, Inside, Spec, grouped

Element = Callable[..., Any]


def element_of(op: Apply) -> Element | None:
    """The rule for elements of `op`'s result; None where an element is no matter of a few others."""
    if op.primitive.element is not None:
        return op.primitive.element
    if op.primitive.kind in ELEMENT:
        return ELEMENT[op.primitive.kind]
    if op.primitive.family != "elementwise":
        return None

    def rule(p: Point, type_: Type, place: Place, *operands: Atom, **params: Any) -> Any:
        values = [p.spread(o, type_.shape, place) for o in operands]
        return p.b.apply(op.primitive, *values, **params)

    return rule


def full_element(p: Point, type_: Type, place: Place, value: Atom, *dims: Atom, dtype: str) -> Any:
    return p.b.wrap(value)


def arange_element(p: Point, type_: Type, place: Place, n: Atom, *, dtype: str) -> Any:
    return place[0]


def copy_element(p: Point, type_: Type, place: Place, x: Atom) -> Any:
    return p.read(x, place)


def broadcast_element(p: Point, type_: Type, place: Place, x: Atom, *dims: Atom, loose: bool = False) -> Any:
    if loose:
        ahead = len(place) - x.type.rank
        axes = zip(x.type.shape, type_.shape[ahead:], place[ahead:])
        place = (*place[:ahead], *(first_or(p.b, n, m, k) for n, m, k in axes))
    return p.spread(x, type_.shape, place)


def first_or(b: Builder, n: Any, m: Any, k: Any) -> Any:
    """The place in an axis of size n that may be 1 of what is at k in one of size m."""
    if n is m or isinstance(n, int):
        return k
    return b.apply("select", b.apply("eq", b.size(n), b.size(m)), k, 0)


def transpose_element(p: Point, type_: Type, place: Place, x: Atom, *, perm: tuple[int, ...]) -> Any:
    inside = dict(zip(perm, place))
    return p.read(x, tuple(inside[k] for k in range(len(perm))))


def outer_element(p: Point, type_: Type, place: Place, x: Atom, y: Atom) -> Any:
    return p.read(x, place[:1]) * p.read(y, place[1:])


def reshape_element(p: Point, type_: Type, place: Place, x: Atom, *dims: Atom) -> Any:
    return p.read(x, unfold(p.b, type_.shape, x.type.shape, place))


def unfold(b: Builder, shape: Sequence[Any], into: Sequence[Any], place: Place) -> Place:
    """The place in shape `into` of what is at `place` in `shape`, both in row-major order."""
    plain = [(n, p) for n, p in zip(shape, place) if n != 1]
    if [n for n, _ in plain] == [n for n in into if n != 1]:
        rest = iter([p for _, p in plain])
        return tuple(0 if n == 1 else next(rest) for n in into)
    if shape and into and shape[0] == into[0]:
        return (place[0], *unfold(b, shape[1:], into[1:], place[1:]))
    if shape and into and shape[-1] == into[-1]:
        return (*unfold(b, shape[:-1], into[:-1], place[:-1]), place[-1])
    flat: Any = 0
    for n, k in zip(shape, place):
        flat = flat * b.size(n) + k
    found = []
    for n in reversed(into[1:]):
        found.append(flat % b.size(n))
        flat = flat // b.size(n)
    return (*([flat] if into else []), *reversed(found))


def divides(shape: Sequence[Any], into: Sequence[Any]) -> bool:
    """Whether the place in shape `into` of what is somewhere in `shape` takes divisions."""
    shape, into = ([n for n in each if n != 1] for each in (shape, into))
    while shape and into and shape[0] == into[0]:
        shape, into = shape[1:], into[1:]
    while shape and into and shape[-1] == into[-1]:
        shape, into = shape[:-1], into[:-1]
    return len(into) > 1


def index_element(p: Point, type_: Type, place: Place, x: Atom, *operands: Atom, spec: Spec) -> Any:
    return p.read(x, operand_place(p, x.type, spec, operands, place, raw=p.stored(x)))


def concatenate_element(p: Point, type_: Type, place: Place, *xs: Atom, axis: int) -> Any:
    raise AssertionError("which piece of a join has an element is for concat_split.py to say")


ELEMENT: dict[Enum | None, Element] = {
    Made.FULL: full_element,
    Made.RANGE: arange_element,
    Joined.CONCATENATE: concatenate_element,
    Same.COPY: copy_element,
    Same.BROADCAST: broadcast_element,
    Same.TRANSPOSED: transpose_element,
    Same.RESHAPED: reshape_element,
    Product.OUTER: outer_element,
    Access.READ: index_element,
}


def reduces_all(op: Apply) -> bool:
    """Whether an operation is a reduction over all axes of an array."""
    return op.primitive.family == "reduce" and len(op.params["axis"]) == op.operands[0].type.rank


# ---- subscripts ----


def is_slice(op: Apply) -> bool:
    """Whether a read or write is of whole axes and slices alone."""
    return not {"a", "i"} & set(op.params["spec"])


def operand_place(
    p: Point, x: Type, spec: Spec, operands: Sequence[Atom], place: Place, *, raw: bool = False
) -> Place:
    """The place in an array of type `x` of what is at `place` of x[spec].

    `raw`: it may count from the end, as the program's own indices do.
    """
    advanced = [a for a in operands if a.type.rank]
    wide = broadcast_shape(tuple(advanced))
    found: list[Any] = []
    across: Place | None = None
    rest = list(place)
    for token, given in zip(spec, grouped(spec, tuple(operands))):
        n = p.b.size(x.shape[len(found)]) if token != "n" else 1
        if token == "n":
            rest.pop(0)
        elif token == ":":
            found.append(rest.pop(0))
        elif isinstance(token, Cut):
            found.append(slice_begin(p.b, token, given, n, spec) + token.step * rest.pop(0))
        else:
            if advanced and across is None:
                across, rest = tuple(rest[: len(wide)]), rest[len(wide) :]
            k = p.spread(given[0], wide, across or ()) if given[0].type.rank else p.b.wrap(given[0])
            found.append(k if raw else from_end(p, k, n))
    return (*found, *rest)


def from_end(p: Point, k: Any, n: Any) -> Any:
    """An index that may be negative, counted from the beginning."""
    if not isinstance(k, E):
        return k if k >= 0 else n + int(k)
    if any(k.atom is (q.atom if isinstance(q, E) else None) for q in p.at):
        return k
    return p.b.apply("select", k < 0, k + n, k)


def slice_begin(b: Builder, cut: Cut, given: Sequence[Atom], n: Any, spec: Spec = ()) -> Any:
    """Where a slice of n elements begins. (Where it is empty this place is not read.)"""
    if not cut.start:
        return 0 if cut.step > 0 else n - 1
    if isinstance(spec, Inside):
        return b.wrap(given[0])
    start = from_beginning(b, b.wrap(given[0]), n)
    return b.apply("maximum", start, 0) if cut.step > 0 else b.apply("minimum", start, n - 1)


def from_beginning(b: Builder, k: Any, n: Any) -> Any:
    """A bound of a slice, counted from the beginning."""
    if not isinstance(k, E):
        return k if k >= 0 else n + k
    return b.apply("select", k < 0, k + n, k)


def slice_size(b: Builder, cut: Cut, given: Sequence[Atom], n: Any, spec: Spec = ()) -> Any:
    """How many elements a slice of n has, as a value."""
    if isinstance(spec, Inside):
        stop = b.wrap(given[-1])
        return stop - b.wrap(given[0]) if cut.start else stop
    if (plain := plain_size(b, cut, given, n)) is not None:
        return plain
    low, high = (0, n) if cut.step > 0 else (-1, n - 1)
    start, stop = (low, high) if cut.step > 0 else (high, low)
    if cut.start:
        start = clamp(b, from_beginning(b, b.wrap(given[0]), n), low, high)
    if cut.stop:
        stop = clamp(b, from_beginning(b, b.wrap(given[-1]), n), low, high)
    span = stop - start if cut.step > 0 else start - stop
    size = span if abs(cut.step) == 1 else (span + (abs(cut.step) - 1)) // abs(cut.step)
    return b.apply("maximum", size, 0)


def plain_size(b: Builder, cut: Cut, given: Sequence[Atom], n: Any) -> Any:
    """The same of slices as x[1:], x[:-1] and x[1:-1], of a size that is not known; None for others."""
    if not isinstance(n, E) or cut.step != 1 or not all(isinstance(k, Lit) for k in given):
        return None
    start, stop = (
        given[k].value if has else None  # type: ignore[union-attr]
        for k, has in ((0, cut.start), (-1, cut.stop))
    )
    if stop is None and start is not None and start < 0:
        return b.apply("minimum", n, -start)
    if start in (None, 0) and stop is not None and stop >= 0:
        return b.apply("minimum", n, stop)
    if (start is None or start >= 0) and (stop is None or stop < 0):
        return b.apply("maximum", n - ((start or 0) - (stop or 0)), 0)
    return None


def clamp(b: Builder, k: Any, low: Any, high: Any) -> Any:
    return b.apply("minimum", b.apply("maximum", k, low), high)


def slot_sizes(b: Builder, x: Type, spec: Spec, operands: Sequence[Atom]) -> list[Any]:
    """The sizes of x[spec], as values."""
    advanced = [a for a in operands if a.type.rank]
    wide = [b.size(n) for n in broadcast_shape(tuple(advanced))]
    found: list[Any] = []
    axis, met = 0, False
    for token, given in zip(spec, grouped(spec, tuple(operands))):
        if token == "n":
            found.append(1)
            continue
        n = b.size(x.shape[axis])
        axis += 1
        if token == ":":
            found.append(n)
        elif isinstance(token, Cut):
            found.append(slice_size(b, token, given, n, spec))
        elif advanced and not met:
            met = True
            found += wide
    return [*found, *(b.size(n) for n in x.shape[axis:])]
