"""Subscripts as calls: x[i], x[i] = v, masks and np.take -> equations."""

from __future__ import annotations

import operator
from itertools import accumulate
from typing import Any

import numpy as np

from codegen.ir import Atom, If, Type, Var
from codegen.ir.build import Builder, E
from codegen.ir.exceptions import Said, Thrown, told_value
from codegen.primitives.fits import fit
from codegen.primitives.index import Cut, Inside, Spec, grouped, is_outside, places_along, slot_shape
from codegen.primitives.reduce import axes
from codegen.primitives.row import FUNCTIONS, lowers


def parse(b: Builder, x: Type, index: Any) -> tuple[Spec, tuple[Any, ...]]:
    """A subscript as NumPy takes it (ints, Es, slices, None, Ellipsis, int arrays) -> spec and operands."""
    places = written_out(x, index)
    spec: list[Any] = []
    operands: list[Any] = []
    if not any(map(is_index_array, places)):
        places = single_cuts(b, x, related_cuts(b, x, places))
    for place in places:
        parse_place(b, place, spec, operands)
    while spec and spec[-1] == ":":
        spec.pop()
    check_literals(x, tuple(spec), tuple(b.atom(o) for o in operands))
    return Inside(spec) if isinstance(index, OfMask) else tuple(spec), tuple(operands)


class OfMask(tuple[Any, ...]):
    """A subscript whose places are those where a mask of the array's size holds: all of them are in the array."""


def written_out(x: Type, index: Any) -> list[Any]:
    """The places of a subscript, those of an ellipsis as slices."""
    places = list(index) if isinstance(index, tuple) else [index]
    given = sum(1 for p in places if p is not None and p is not Ellipsis)
    if sum(1 for p in places if p is Ellipsis) > 1:
        raise ValueError("an index can only have one ellipsis ('...')")
    if Ellipsis in [p for p in places if not isinstance(p, E)]:
        at = next(k for k, p in enumerate(places) if p is Ellipsis)
        places[at : at + 1] = [slice(None)] * (x.rank - given)
    return places


def is_index_array(place: Any) -> bool:
    return isinstance(place, tuple | list) or (isinstance(place, E) and bool(place.ndim))


def adjoining(x: Any, index: Any) -> tuple[Any, Any, tuple[int, ...] | None]:
    """An array and a subscript of it whose ints and index arrays stand together, and the order of the axes if they did
    not: what slices part stands first, as in NumPy."""
    places = written_out(x.type, index)
    chosen = [k for k, place in enumerate(places) if not (place is None or isinstance(place, slice))]
    if not any(map(is_index_array, places)) or chosen[-1] - chosen[0] + 1 == len(chosen):
        return x, index, None
    kept = [k for k in range(len(places)) if k not in chosen]
    axis = list(accumulate((place is not None for place in places), initial=0))
    order = [*(axis[k] for k in chosen), *(axis[k] for k in kept if places[k] is not None)]
    perm = (*order, *range(axis[-1], x.type.rank))
    return np.transpose(x, perm), tuple(places[k] for k in (*chosen, *kept)), perm


def check_literals(x: Type, spec: Spec, operands: tuple[Atom, ...]) -> None:
    """Refuse a literal index that no axis of this size has. A pass may make one, where it is never reached: a loop
    of one iteration without its check; so this is asked where a subscript is read, and of no equation."""
    for _, place, n in places_along(x, spec, operands):
        if is_outside(place, n):
            raise ValueError(f"index {place.value} is out of bounds for an axis of size {n}")


def single_cuts(b: Builder, x: Type, places: list[Any]) -> list[Any]:
    """`x[:, 0:1]` as `x[:, 0, None]`, for an axis of two or more: broadcasting has to see that the part's is 1."""
    found: list[Any] = []
    axis = 0
    for place in places:
        several = axis < x.rank and isinstance(x.shape[axis], Var) and not b.meets.may_be_one(x.shape[axis])
        start = single_place(place) if several and isinstance(place, slice) else None
        found += [place] if start is None else [start, None]
        axis += place is not None
    return found


def related_cuts(b: Builder, x: Type, places: list[Any]) -> list[Any]:
    """`x[1:n - 1]` as `x[1:-1]`, where x has n elements."""
    axes = accumulate((place is not None for place in places), initial=0)
    return [
        b.meets.from_the_end(x.shape[axis], place) if isinstance(place, slice) and axis < x.rank else place
        for axis, place in zip(axes, places)
    ]


def single_place(cut: slice) -> int | None:
    """The place that a slice of literal bounds consists of, if it is one of two or more."""
    if any(isinstance(bound, E) for bound in (cut.start, cut.stop, cut.step)) or cut.step not in (None, 1):
        return None
    start = 0 if cut.start is None else cut.start
    if cut.stop is None:
        return -1 if start == -1 else None
    return start if cut.stop - start == 1 and start in (-2, 0, 1) else None


def parse_place(b: Builder, place: Any, spec: list[Any], operands: list[Any]) -> None:
    if place is None:
        spec.append("n")
    elif isinstance(place, slice):
        step = 1 if place.step is None else place.step
        if not isinstance(step, int) or step == 0:
            raise ValueError("a slice's step must be a known int other than 0")
        bounds = [index_in_i8(b, v) for v in (place.start, place.stop) if v is not None]
        if any(b.atom(v).type.rank for v in bounds):
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        cut = Cut(place.start is not None, place.stop is not None, step)
        spec.append(":" if cut == Cut(False, False, 1) else cut)
        operands.extend(bounds)
    elif isinstance(place, tuple | list):
        parse_place(b, FUNCTIONS[np.array](b, place), spec, operands)
    else:
        type_ = b.atom(place).type
        if type_.dtype == "b1":
            raise TypeError(
                "a boolean mask selects a number of elements that is not known: use np.where or a loop"
            )
        spec.append("a" if type_.rank else "i")
        operands.append(index_in_i8(b, place))


def index_in_i8(b: Builder, place: Any) -> Any:
    """An index as 64 bits, which count from the end too; what they do not hold is beyond every end."""
    type_ = b.atom(place).type
    if type_.dtype[0] not in "iu" or type_.dtype == "i8":
        return place
    if type_.dtype == "u8" and not type_.rank:
        place = b.apply("minimum", place, np.uint64(2**63 - 1))
    return b.apply("cast", place, dtype="i8")


@lowers(operator.getitem)
def read(b: Builder, x: E, index: Any) -> Any:
    """x[index]."""
    x, index, _ = adjoining(x, index)
    spec, operands = parse(b, x.type, index)
    if not spec:
        return x
    if not x.ndim:  # new axes alone: of a number, which Python does not index
        return b.apply("full", x, *(1 for _ in spec), dtype=x.type.dtype)
    return read_slice(b, x, spec, operands)


def read_slice(b: Builder, x: Any, spec: Spec, operands: tuple[Any, ...], name: str = "t") -> Any:
    """The elements there; the sizes of slices are noted."""
    made = b.apply("index", x, *operands, spec=spec, name=name)
    if "a" not in spec and b.atom(made).type.rank:
        atoms = tuple(b.atom(o) for o in operands)
        b.meets.cuts(x.type, list(zip(spec, grouped(spec, atoms), strict=True)), b.atom(made).type)
    return made


def write(b: Builder, x: E, index: Any, value: Any, *, how: str = "update") -> Any:
    """The array that `x[index] = value` (how='update') or np.add.at (how='accumulate') leaves."""
    if isinstance(index, E) and index.type.dtype == "b1":
        if how == "accumulate" and b.atom(value).type.rank:
            raise TypeError("np.add.at takes one number by a mask: give the places, np.flatnonzero(mask)")
        return write_mask(b, x, index, value if how == "update" else x + value)
    turned, index, perm = adjoining(x, index)
    if perm is not None:
        made = write(b, turned, index, value, how=how)
        return np.transpose(made, tuple(np.argsort(perm).tolist()))
    spec, operands = parse(b, x.type, index)
    if b.atom(value).type.rank:
        value = in_axes(
            b, x, spec, operands, value, is_sum=how == "accumulate", is_number=not has_ellipsis(index)
        )
    value = fit(b, value, x.type.dtype, stored=not any(b.atom(o).type.rank for o in operands))
    if b.atom(value).type.rank and b.checked:
        is_at = how == "accumulate" and "a" in spec  # np.add.at, which reads beyond the value's end
        shape = written_shape(b, x, spec, operands, value, is_whole=is_at)
        if ("i" in spec or how == "accumulate") and not has_sizes(b, value, shape):
            b.apply("index", x, *operands, spec=spec)  # whether the places are there is asked first
        value = b.fitted(value, shape)
        if is_at and b.atom(value).type.rank < len(shape):
            value = b.apply("broadcast_to", value, *shape)
    return b.apply(how, x, value, *operands, spec=spec, name=x.atom.name)


def has_ellipsis(index: Any) -> bool:
    """Whether what ints cut out is an array without axes, and no number."""
    return any(place is Ellipsis for place in (index if isinstance(index, tuple) else (index,)))


def in_axes(
    b: Builder, x: E, spec: Spec, operands: tuple[Any, ...], value: Any, *, is_sum: bool, is_number: bool
) -> Any:
    """A value without the axes before those of the places it is written to, which an assignment leaves out."""
    type_ = b.atom(value).type
    rank = len(slot_shape(x.type, spec, tuple(b.atom(o) for o in operands)))
    more = type_.rank - rank
    if more > 0 and is_sum:
        raise ValueError(f"a sum with {type_} does not fit the places it is written to, with {rank} axes")
    if not rank and is_number:
        raise TypeError(f"an array {type_} is written to one element: write an element of it")
    if more <= 0 or any(n != 1 for n in type_.shape[:more]):
        return value
    return b.apply("index", value, *(0,) * more, spec=("i",) * more)


def written_shape(
    b: Builder, x: Any, spec: Spec, operands: tuple[Any, ...], value: Any, *, is_whole: bool
) -> tuple[Any, ...]:
    """The shape of the places written; a slice has the size of the value where that is known, or else it is read,
    if there is one or the shape is to be whole."""
    atoms = tuple(b.atom(o) for o in operands)
    cuts: dict[Var, tuple[int, Cut, tuple[Any, ...]]] = {}
    shape = list(slot_shape(x.type, spec, atoms, cuts))
    sizes = b.atom(value).type.shape
    for k in range(1, len(shape) + 1):
        n = sizes[-k] if k <= len(sizes) else 1
        if shape[-k] not in cuts or n == 1 and not is_whole:
            continue
        axis, token, given = cuts[shape[-k]]
        if isinstance(n, Var) and b.meets.cut(x.type.shape[axis], token, given) == b.meets.key(n):
            shape[-k] = n
        else:
            alone = read_slice(b, x, (":",) * axis + (token,), given)
            shape[-k] = b.atom(alone).type.shape[axis]
    return tuple(shape)


def has_sizes(b: Builder, value: Any, shape: tuple[Any, ...]) -> bool:
    """Whether a value has certainly the sizes of its places."""
    pairs = zip(reversed(b.atom(value).type.shape), reversed(shape))
    return all(n == 1 or b.meets.same(n, m) for n, m in pairs)


def write_mask(b: Builder, x: Any, mask: Any, value: Any) -> Any:
    """The array that `x[mask] = value` leaves, for a number (or an array of x's shape, meant place by place)."""
    if mask.type.rank != x.type.rank:
        raise TypeError(f"a mask must have the array's own axes: {mask.type} for {x.type}")
    if not b.atom(value).type.rank:
        value = fit(b, value, x.type.dtype, stored=False)
    sizes = [
        (k, n, m) for k, (n, m) in enumerate(zip(x.type.shape, mask.type.shape)) if not b.meets.same(n, m)
    ]
    if not sizes or not b.checked:
        return select_in_dtype(b, x, mask, value)
    for axis, n, m in sizes:
        fits = b.apply("or", b.apply("eq", b.size(m), b.size(n)), b.apply("eq", b.size(m), 0))
        b.require(fits, unlike_mask(axis), None, b.size(n), b.size(m))
    # A mask of no size selects nothing, of any array.
    test, inner, out = b.apply("eq", b.size(sizes[0][2]), b.size(sizes[0][1])), b.inner(), Var("t", x.type)
    for _, n, m in sizes[1:]:
        test = b.apply("and", test, b.apply("eq", b.size(m), b.size(n)))
    made = select_in_dtype(inner, inner.wrap(x.atom), inner.wrap(mask.atom), inner.wrap(b.atom(value)))
    b.emit((out,), If(b.atom(test), inner.block((made.atom,)), b.inner().block((x.atom,))))
    return b.wrap(out)


def select_in_dtype(b: Builder, x: Any, mask: Any, value: Any) -> Any:
    made = FUNCTIONS[np.where](b, mask, value, x)
    return made if made.type.dtype == x.type.dtype else b.apply("cast", made, dtype=x.type.dtype)


def unlike_mask(axis: int) -> Thrown:
    """NumPy's IndexError for the values (size of the array, size of the mask)."""
    begin = f"boolean index did not match indexed array along axis {axis}"
    end = "but size of corresponding boolean axis is"
    pieces = (f'f"{begin}; size of axis is ', told_value(0), f" {end} ", told_value(1), '"')
    return Thrown(IndexError, (Said(pieces, begin),))


@lowers(np.take)
def take(b: Builder, a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Any:
    """`mode`: places beyond the ends are refused, counted on from the start, or moved to the end."""
    x = FUNCTIONS[np.asarray](b, a)
    x = np.ravel(x) if axis is None else x
    (k,) = (0,) if axis is None else axes(x, axis)
    if mode == "wrap":
        indices = FUNCTIONS[np.asarray](b, indices) % x.shape[k]
    elif mode == "clip":
        indices = np.minimum(np.maximum(FUNCTIONS[np.asarray](b, indices), 0), x.shape[k] - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return x[(slice(None),) * k + (indices,)]
