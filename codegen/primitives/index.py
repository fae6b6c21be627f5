"""Reading and writing elements: x[i], x[i:j, :, None], x[idx], and their functional writes.

`spec` says what each place of the subscript is; the operands after the array (and the value) fill it in order:
    "i"             an int                                     one operand
    "a"             an int array                               one operand
    ":"             a whole axis                               none
    "n"             None, a new axis                           none
    Cut(a, b, k)    start:stop:step, a and b: is it given      the given ones
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.ir import Atom, If, Lit, Type, Var
from codegen.ir.build import SIZE, Builder, E
from codegen.ir.exceptions import Said, Slot, Thrown
from codegen.ir.kinds import Access, Made
from codegen.ir.primitive import LINEAR
from codegen.primitives.elementwise import broadcast_shape
from codegen.primitives.fits import fit
from codegen.primitives.row import FUNCTIONS, lowers, row


@dataclass(frozen=True)
class Cut:
    """A slice: which bounds are given, and its step (a non-zero literal)."""

    start: bool
    stop: bool
    step: int = 1


Spec = tuple[Any, ...]


def fill(spec: Spec, operands: tuple[Any, ...], cut: Any = slice) -> tuple[Any, ...]:
    """The subscript itself, as NumPy takes it, from a spec and its operands."""
    rest = iter(operands)
    places: list[Any] = []
    for token in spec:
        if token in ("i", "a"):
            places.append(next(rest))
        elif token == ":":
            places.append(slice(None))
        elif token == "n":
            places.append(None)
        else:
            start = next(rest) if token.start else None
            stop = next(rest) if token.stop else None
            places.append(cut(start, stop, None if token.step == 1 else token.step))
    return tuple(places)


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
    advanced = tuple(o for token, o in zip(arrays(spec), operands_of(spec, operands), strict=True) if token)
    for token, given in zip(spec, grouped(spec, operands), strict=True):
        if token == "n":
            shape.append(1)
            continue
        if token == "a" or (token == "i" and advanced):
            place = len(shape) if place is None else place
        elif token == ":":
            shape.append(x.shape[axis])
        elif isinstance(token, Cut):
            start = given[0] if token.start else None
            stop = given[-1] if token.stop else None
            size = cut_size(x.shape[axis], start, stop, token.step)
            if cuts is not None and isinstance(size, Var) and size is not x.shape[axis]:
                cuts[size] = axis, token, given
            shape.append(size)
        axis += 1
    shape.extend(x.shape[axis:])
    if advanced:
        shape[place:place] = broadcast_shape(advanced)
    return tuple(shape)


def arrays(spec: Spec) -> list[bool]:
    return [token == "a" for token in spec if token in ("i", "a")]


def operands_of(spec: Spec, operands: tuple[Any, ...]) -> list[Any]:
    """The operands of the "i" and "a" places."""
    return [g[0] for token, g in zip(spec, grouped(spec, operands), strict=True) if token in ("i", "a")]


def grouped(spec: Spec, operands: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The operands of each place."""
    rest = iter(operands)
    counts = [1 if t in ("i", "a") else t.start + t.stop if isinstance(t, Cut) else 0 for t in spec]
    return [tuple(next(rest) for _ in range(count)) for count in counts]


def index_type(x: Atom, *operands: Atom, spec: Spec) -> Type:
    used = sum(1 for token in spec if token != "n")
    if used > x.type.rank:
        raise ValueError(f"too many indices: {used} for {x.type}")
    for k in operands:
        if k.type.dtype[0] not in "iu":
            raise TypeError(f"an index must be an int or an array of ints, not {k.type}")
    check_constants(x.type, spec, operands)
    return Type(x.type.dtype, slot_shape(x.type, spec, operands))


def check_constants(x: Type, spec: Spec, operands: tuple[Atom, ...]) -> None:
    axis = 0
    for token, given in zip(spec, grouped(spec, operands), strict=True):
        if token == "n":
            continue
        n = x.shape[axis]
        if token == "i" and isinstance(given[0], Lit) and isinstance(n, int) and not -n <= given[0].value < n:
            raise ValueError(f"index {given[0].value} is out of bounds for an axis of size {n}")
        axis += 1


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


def read_numpy(x: Any, *operands: Any, spec: Spec) -> Any:
    return x[fill(spec, operands)]


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


def index_form(x: str, *operands: str, spec: Spec, rank: int) -> tuple[str, int]:
    return f"{x}[{subscript(spec, operands)}]", 100


def index_back(ct: Any, x: Type, *operands: Any, spec: Spec) -> Any:
    zeros = ct.builder.apply("full", np.dtype(x.dtype).type(0), *x.shape, dtype=x.dtype)
    return ct.builder.apply("accumulate", zeros, ct, *operands, spec=spec)


def update_back_array(ct: Any, x: Any, v: Any, *operands: Any, spec: Spec) -> Any:
    return ct.builder.apply("update", ct, np.dtype(ct.type.dtype).type(0), *operands, spec=spec)


def places(ct: Any, operands: tuple[Any, ...], spec: Spec) -> Any:
    """ct[i], which is ct itself where the whole array was written."""
    whole = all(token == ":" for token in spec)
    return ct if whole else ct.builder.apply("index", ct, *operands, spec=spec)


def update_back_value(ct: Any, x: Any, v: Any, *operands: Any, spec: Spec) -> Any:
    """ct[i]; among equal places of an index array only the last write reaches the result."""
    b = ct.builder
    slot = places(ct, operands, spec)
    if "a" not in spec:
        return slot
    order = np.reshape(b.apply("arange", slot.size, dtype="i8"), slot.shape)
    nobody = b.apply("full", np.int64(-1), *ct.type.shape, dtype="i8")
    owner = b.apply("update", nobody, order, *operands, spec=spec)
    return np.where(b.apply("index", owner, *operands, spec=spec) == order, slot, 0.0)


# fmt: off
row("index", read_numpy, index_type, "index", kind=Access.READ, jvp=LINEAR, linear=(0,),
    transpose={0: index_back}, form=index_form)
row("update", write_numpy, written_type, "index", kind=Access.WRITE, jvp=LINEAR, linear=(0, 1),
    transpose={0: update_back_array, 1: update_back_value})
row("accumulate", add_numpy, written_type, "index", kind=Access.ADD, jvp=LINEAR, linear=(0, 1),
    numba=lambda op: "a" not in op.params["spec"],
    transpose={0: lambda ct, x, v, *operands, spec: ct,
               1: lambda ct, x, v, *operands, spec: places(ct, operands, spec)})
# Where a mask holds: programs over lanes gather the lanes that go on. (A user's own mask: see parse.)
row("flatnonzero", np.flatnonzero, mask_places, "index", kind=Made.PLACES, call="np.flatnonzero")
# fmt: on


def parse(b: Builder, x: Type, index: Any) -> tuple[Spec, tuple[Any, ...]]:
    """A subscript as NumPy takes it (ints, Es, slices, None, Ellipsis, int arrays) -> spec and operands."""
    places = list(index) if isinstance(index, tuple) else [index]
    given = sum(1 for p in places if p is not None and p is not Ellipsis)
    if sum(1 for p in places if p is Ellipsis) > 1:
        raise ValueError("an index can only have one ellipsis ('...')")
    if Ellipsis in [p for p in places if not isinstance(p, E)]:
        at = next(k for k, p in enumerate(places) if p is Ellipsis)
        places[at : at + 1] = [slice(None)] * (x.rank - given)
    spec: list[Any] = []
    operands: list[Any] = []
    if not any(isinstance(p, tuple | list) or (isinstance(p, E) and p.ndim) for p in places):
        places = single_cuts(b, x, places)
    for place in places:
        parse_place(b, place, spec, operands)
    if "a" in spec:
        check_side_by_side(spec)
    while spec and spec[-1] == ":":
        spec.pop()
    return tuple(spec), tuple(operands)


def single_cuts(b: Builder, x: Type, places: list[Any]) -> list[Any]:
    """`x[:, 0:1]` as `x[:, 0, None]`, for an axis of two or more: broadcasting has to see that the part's is 1."""
    found: list[Any] = []
    axis = 0
    for place in places:
        several = axis < x.rank and isinstance(x.shape[axis], Var) and not b.meets.may_be_one(x.shape[axis])
        start = single(place) if several and isinstance(place, slice) else None
        found += [place] if start is None else [start, None]
        axis += place is not None
    return found


def single(cut: slice) -> int | None:
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
        bounds = [counted(b, v) for v in (place.start, place.stop) if v is not None]
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
        operands.append(counted(b, place))


def counted(b: Builder, place: Any) -> Any:
    """An index as 64 bits, which count from the end too; what they do not hold is beyond every end."""
    type_ = b.atom(place).type
    if type_.dtype[0] not in "iu" or type_.dtype == "i8":
        return place
    if type_.dtype == "u8" and not type_.rank:
        place = b.apply("minimum", place, np.uint64(2**63 - 1))
    return b.apply("cast", place, dtype="i8")


def check_side_by_side(spec: list[Any]) -> None:
    places = [k for k, token in enumerate(spec) if token in ("i", "a")]
    if places[-1] - places[0] + 1 != len(places):
        raise TypeError("index arrays with a slice between them are not supported: index in two steps")


@lowers(operator.getitem)
def read(b: Builder, x: E, index: Any) -> Any:
    """x[index]."""
    spec, operands = parse(b, x.type, index)
    return cut(b, x, spec, operands) if spec else x


def cut(b: Builder, x: Any, spec: Spec, operands: tuple[Any, ...], name: str = "t") -> Any:
    """The elements there; the sizes of slices are noted."""
    made = b.apply("index", x, *operands, spec=spec, name=name)
    if "a" not in spec and b.atom(made).type.rank:
        atoms = tuple(b.atom(o) for o in operands)
        b.meets.cuts(x.type, list(zip(spec, grouped(spec, atoms), strict=True)), b.atom(made).type)
    return made


def write(b: Builder, x: E, index: Any, value: Any, *, how: str = "update") -> Any:
    """The array that `x[index] = value` (how='update') or np.add.at (how='accumulate') leaves."""
    if isinstance(index, E) and index.type.dtype == "b1":
        return write_mask(b, x, index, value if how == "update" else x + value)
    spec, operands = parse(b, x.type, index)
    if b.atom(value).type.rank:
        value = in_axes(
            b, x, spec, operands, value, is_sum=how == "accumulate", is_number=not has_ellipsis(index)
        )
    value = fit(b, value, x.type.dtype, stored=not any(b.atom(o).type.rank for o in operands))
    if b.atom(value).type.rank and b.checked:
        shape = slot(b, x, spec, operands, value)
        if ("i" in spec or how == "accumulate") and not fits(b, value, shape):
            b.apply("index", x, *operands, spec=spec)  # whether the places are there is asked first
        value = b.fitted(value, shape)
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


def slot(b: Builder, x: Any, spec: Spec, operands: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    """The shape of the places written; a slice has the size of the value where that is known, or else it is read."""
    atoms = tuple(b.atom(o) for o in operands)
    cuts: dict[Var, tuple[int, Cut, tuple[Any, ...]]] = {}
    shape = list(slot_shape(x.type, spec, atoms, cuts))
    for k, n in enumerate(reversed(b.atom(value).type.shape[-len(shape) :]), start=1):
        if n == 1 or shape[-k] not in cuts:
            continue
        axis, token, given = cuts[shape[-k]]
        if isinstance(n, Var) and b.meets.cut(x.type.shape[axis], token, given) == b.meets.key(n):
            shape[-k] = n
        else:
            alone = cut(b, x, (":",) * axis + (token,), given)
            shape[-k] = b.atom(alone).type.shape[axis]
    return tuple(shape)


def fits(b: Builder, value: Any, shape: tuple[Any, ...]) -> bool:
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
        return masked(b, x, mask, value)
    for axis, n, m in sizes:
        fits = b.apply("or", b.apply("eq", b.size(m), b.size(n)), b.apply("eq", b.size(m), 0))
        b.require(fits, unlike_mask(axis), None, b.size(n), b.size(m))
    # A mask of no size selects nothing, of any array.
    test, inner, out = b.apply("eq", b.size(sizes[0][2]), b.size(sizes[0][1])), b.inner(), Var("t", x.type)
    for _, n, m in sizes[1:]:
        test = b.apply("and", test, b.apply("eq", b.size(m), b.size(n)))
    made = masked(inner, inner.wrap(x.atom), inner.wrap(mask.atom), inner.wrap(b.atom(value)))
    b.emit((out,), If(b.atom(test), inner.block((made.atom,)), b.inner().block((x.atom,))))
    return b.wrap(out)


def masked(b: Builder, x: Any, mask: Any, value: Any) -> Any:
    made = FUNCTIONS[np.where](b, mask, value, x)
    return made if made.type.dtype == x.type.dtype else b.apply("cast", made, dtype=x.type.dtype)


def unlike_mask(axis: int) -> Thrown:
    """NumPy's IndexError for the values (size of the array, size of the mask)."""
    begin = f"boolean index did not match indexed array along axis {axis}"
    end = "but size of corresponding boolean axis is"
    pieces = (f'f"{begin}; size of axis is {{', Slot(0), f"}} {end} {{", Slot(1), '}"')
    return Thrown(IndexError, (Said(pieces, begin),))


@lowers(np.take)
def take(b: Builder, a: Any, indices: Any, axis: Any = None) -> Any:
    x = FUNCTIONS[np.asarray](b, a)
    if axis is None:
        return np.ravel(x)[indices]
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis {axis} is out of bounds for an array with {x.ndim} dimensions")
    return x[(slice(None),) * (axis % x.ndim) + (indices,)]
