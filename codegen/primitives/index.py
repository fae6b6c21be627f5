"""Reading and writing elements: x[i], x[i:j, :, None], x[idx], and their functional writes.

`spec` says what each place of the subscript is; the operands after the array (and the value) fill it in order:
    "i"             an int                                     one operand
    "a"             an int array                               one operand
    ":"             a whole axis                               none
    "n"             None, a new axis                           none
    Cut(a, b, k)    start:stop:step, a and b: is it given      the given ones

Of a spec that is `Inside`, ints and what slices end at are known to be in the array, by what made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, TypeGuard

import numpy as np

from codegen.ir import Atom, Dim, Lit, Type, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access, Made
from codegen.ir.primitive import LINEAR
from codegen.primitives.elementwise import broadcast_shape
from codegen.primitives.row import row


@dataclass(frozen=True)
class Cut:
    """A slice: which bounds are given, and its step (a non-zero literal)."""

    start: bool
    stop: bool
    step: int = 1


Spec = tuple[Any, ...]


class Inside(tuple[Any, ...]):
    """A spec whose ints are from 0 on and in the array, as are the slices, of step 1, from their starts to their
    stops."""


class FirstInside(tuple[Any, ...]):
    """A spec of which the `first` places are so: of an element of a row that is there."""

    first = 0


def first_inside(spec: Spec) -> int:
    """How many of the first places of a spec are known to be in the array."""
    return len(spec) if isinstance(spec, Inside) else spec.first if isinstance(spec, FirstInside) else 0


def spec_within(row: Spec, spec: Spec) -> Spec:
    """The spec of what `spec` says of a row, or an element's array, in the whole."""
    first = first_inside(row) + (first_inside(spec) if isinstance(row, Inside) else 0)
    if first == len(row) + len(spec):
        return Inside(row + spec)
    made = FirstInside(row + spec)
    made.first = first
    return made if first else row + spec


def grouped(spec: Spec, operands: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The operands of each place."""
    rest = iter(operands)
    counts = [1 if t in ("i", "a") else t.start + t.stop if isinstance(t, Cut) else 0 for t in spec]
    return [tuple(next(rest) for _ in range(count)) for count in counts]


def cut_bounds(cut: Cut, given: tuple[Any, ...]) -> tuple[Any, Any]:
    """Start and stop of a slice, None where they are not given."""
    return given[0] if cut.start else None, given[-1] if cut.stop else None


def places_along(x: Type, spec: Spec, operands: tuple[Any, ...]) -> Iterator[tuple[Any, Any, Dim]]:
    """The ints and arrays of ints of a subscript ("i" or "a", which), with the sizes of their axes."""
    along = (each for each in zip(spec, grouped(spec, operands), strict=True) if each[0] != "n")
    for n, (token, given) in zip(x.shape, along):
        if token in ("i", "a"):
            yield token, given[0], n


def is_outside(place: Any, n: Any) -> TypeGuard[Lit]:
    """Whether a literal place is in no axis of a known size."""
    return isinstance(place, Lit) and isinstance(n, int) and not -n <= place.value < n


def fill(spec: Spec, operands: tuple[Any, ...], cut: Any = slice) -> tuple[Any, ...]:
    """The subscript itself, as NumPy takes it, from a spec and its operands."""

    def place(token: Any, given: tuple[Any, ...]) -> Any:
        if isinstance(token, Cut):
            return cut(*cut_bounds(token, given), None if token.step == 1 else token.step)
        return given[0] if given else slice(None) if token == ":" else None

    return tuple(map(place, spec, grouped(spec, operands)))


def as_dimension(atom: Atom) -> Dim:
    """A number as a dimension."""
    return int(atom.value) if isinstance(atom, Lit) else atom


def cut_size(n: Any, start: Any, stop: Any, step: int) -> Any:
    """The size of n elements cut: an int where all is known, n itself for the whole, else a fresh size."""
    known = [n, start, stop]
    values = [a.value if isinstance(a, Lit) else a for a in known]
    if all(v is None or isinstance(v, int) for v in values):
        return len(range(*slice(values[1], values[2], step).indices(values[0])))
    if step in (1, -1) and start is None and stop is None:
        return n
    return Var("n", SIZE)


def slot_shape(
    x: Type,
    spec: Spec,
    operands: tuple[Any, ...],
    cuts: dict[Any, tuple[int, Cut, tuple[Any, ...]]] | None = None,
) -> tuple[Any, ...]:
    """The shape of x[...]: NumPy's rules, with the index arrays side by side. `cuts` notes the cuts of new sizes."""
    shape: list[Any] = []
    axis, place = 0, None
    places = list(zip(spec, grouped(spec, operands), strict=True))
    advanced = tuple(given[0] for token, given in places if token == "a")
    for token, given in places:
        if token == "n":
            shape.append(1)
            continue
        if token == "a" or (token == "i" and advanced):
            place = len(shape) if place is None else place
        elif token == ":":
            shape.append(x.shape[axis])
        elif isinstance(token, Cut):
            size = (
                as_dimension(given[0])
                if isinstance(spec, Inside) and not token.start
                else cut_size(x.shape[axis], *cut_bounds(token, given), token.step)
            )
            if cuts is not None and isinstance(size, Var) and size is not x.shape[axis]:
                cuts[size] = axis, token, given
            shape.append(size)
        axis += 1
    shape.extend(x.shape[axis:])
    if advanced:
        shape[place:place] = broadcast_shape(advanced)
    return tuple(shape)


def index_type(x: Atom, *operands: Atom, spec: Spec) -> Type:
    used = sum(1 for token in spec if token != "n")
    if used > x.type.rank:
        raise ValueError(f"too many indices: {used} for {x.type}")
    for k in operands:
        if k.type.dtype[0] not in "iu":
            raise TypeError(f"an index must be an int or an array of ints, not {k.type}")
    return Type(x.type.dtype, slot_shape(x.type, spec, operands))


def written_type(x: Atom, v: Atom, *operands: Atom, spec: Spec) -> Type:
    slot = index_type(x, *operands, spec=spec).shape
    for n, m in zip(reversed(v.type.shape), reversed(slot), strict=False):
        if isinstance(n, int) and isinstance(m, int) and n not in (1, m):
            raise ValueError(f"a value {v.type} does not fit the {slot} places written")
    if v.type.rank > len(slot) and any(n != 1 for n in v.type.shape[: v.type.rank - len(slot)]):
        raise ValueError(f"a value {v.type} has more axes than the places written {slot}")
    return Type(x.type.dtype, x.type.shape)


def mask_places(mask: Atom) -> Type:
    if mask.type.dtype != "b1" or mask.type.rank != 1:
        raise TypeError(f"flatnonzero takes a vector of bools, not {mask.type}")
    return Type("i8", (Var("m", Type("i8")),))


def mask_axes(b: Builder, mask: Any) -> tuple[Any, ...]:
    """Where a mask holds: the places along each of its axes, in C order."""
    if mask.ndim == 1:
        return (b.apply("flatnonzero", mask, name="places"),)
    sizes = [b.size(n) for n in mask.type.shape]
    flat = b.apply("flatnonzero", b.apply("reshape", mask, prod(sizes[1:], start=sizes[0])), name="places")
    found = []
    for k, n in enumerate(sizes):
        rows = flat // prod(sizes[k + 2 :], start=sizes[k + 1]) if k + 1 < len(sizes) else flat
        found.append(rows % n if k else rows)
    return tuple(found)


def write_numpy(x: Any, v: Any, *operands: Any, spec: Spec) -> Any:
    y = x.copy()
    y[fill(spec, operands)] = v
    return y


def add_numpy(x: Any, v: Any, *operands: Any, spec: Spec) -> Any:
    y = x.copy()
    np.add.at(y, fill(spec, operands), v)
    return y


def cut_text(start: str | None, stop: str | None, step: int | None) -> str:
    tail = "" if step is None else f":{step}"
    return f"{start or ''}:{stop or ''}{tail}"


def subscript(spec: Spec, operands: tuple[str, ...]) -> str:
    """The text between the brackets."""
    places = fill(spec, operands, cut_text) or (Ellipsis,)
    return ", ".join(":" if isinstance(p, slice) else MARKS.get(p, p) for p in places)


MARKS = {None: "None", Ellipsis: "..."}


def places_of_cotangent(ct: Any, operands: tuple[Any, ...], spec: Spec) -> Any:
    """ct[i], which is ct itself where the whole array was written."""
    whole = all(token == ":" for token in spec)
    return ct if whole else ct.builder.apply("index", ct, *operands, spec=spec)


def update_back_value(ct: Any, x: Any, v: Any, *operands: Any, spec: Spec) -> Any:
    """ct[i]; among equal places of an index array only the last write reaches the result."""
    b = ct.builder
    slot = places_of_cotangent(ct, operands, spec)
    if "a" not in spec:
        return slot
    order = np.reshape(b.apply("arange", slot.size, dtype="i8"), slot.shape)
    nobody = b.apply("full", np.int64(-1), *ct.type.shape, dtype="i8")
    owner = b.apply("update", nobody, order, *operands, spec=spec)
    return np.where(b.apply("index", owner, *operands, spec=spec) == order, slot, 0.0)


# fmt: off
# How x itself is transposed: autodiff/transpose.py, which adds into cotangents that are there.
row("index", lambda x, *operands, spec: x[fill(spec, operands)], index_type, "index", kind=Access.READ,
    jvp=LINEAR, linear=(0,), form=lambda x, *operands, spec, rank, lib: (f"{x}[{subscript(spec, operands)}]", 100))
row("update", write_numpy, written_type, "index", kind=Access.WRITE, jvp=LINEAR, linear=(0, 1),
    transpose={1: update_back_value})
row("accumulate", add_numpy, written_type, "index", kind=Access.ADD, jvp=LINEAR, linear=(0, 1),
    transpose={1: lambda ct, x, v, *operands, spec: places_of_cotangent(ct, operands, spec)})
# Where a mask holds: programs over lanes gather the lanes that go on. (A user's own: `mask_axes`.)
row("flatnonzero", np.flatnonzero, mask_places, "index", kind=Made.PLACES, call="np.flatnonzero",
    helper="places_where")
# fmt: on
