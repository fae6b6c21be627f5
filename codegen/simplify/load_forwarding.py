"""Rules about whole arrays, as in algebra.py: an element that was just written, a shape changed twice, an
array that only spreads a scalar.

    a[i] of `a[i] = v`    reshape of reshape    zeros(n) + x    x[i][j]    `a[i] = 0; a[i] += v`
             v                one reshape             x         x[i, j]          a[i] = v
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codegen.cost_model import WRITES_LOOKED_THROUGH
from codegen.ir import Apply, Atom, Dim, Lit, Type
from codegen.ir.kinds import Access, Joined, Made, Same
from codegen.ir.literals import size_atom
from codegen.primitives.elementwise import broadcast_shape
from codegen.primitives.index import Inside, Spec, spec_within
from codegen.simplify.algebra import (
    constant,
    dims,
    integer,
    literal_of,
    make,
    offset,
    same_constant,
    superfluous,
)
from codegen.simplify.value_numbering import Result, Scope, rule

# ---- copies and conversions ----


@rule("cast")
def cast(s: Scope, type_: Type, x: Atom, *, dtype: str) -> Result:
    if x.type.dtype == dtype:
        return x
    if filled := s.made(x, Made.FULL):
        value, *sizes = filled.operands
        if value.type.is_float and dtype[0] in "iu" and not isinstance(value, Lit):
            return None  # of numbers that do not fit arrays get some, where Python raises
        return make("full", s.emit("cast", value, dtype=dtype), *sizes, dtype=dtype)
    before = s.made(x, Same.CAST)
    if before is None:
        return None
    of = before.operands[0].type
    if of.weak and not x.type.weak and dtype[0] in "iu":
        return None  # NumPy's ints wrap, Python's raise where they do not fit
    if of.dtype == x.type.dtype or (of.dtype == "b1" and x.type.dtype[0] in "if"):
        return make("cast", before.operands[0], dtype=dtype)
    return None


@rule("copy")
def copy(s: Scope, type_: Type, x: Atom) -> Result:
    """A scalar is its own copy. An array is not: the caller may hold one and be given the other."""
    return x if not type_.rank else None


# ---- arrays that spread a scalar ----


def unbroadcast_operand(s: Scope, type_: Type, apply: Apply) -> Result:
    """An operand that was broadcast to a shape the others have anyway is taken as it was."""
    if not type_.shape or apply.primitive.family != "elementwise":
        return None
    for k, atom in enumerate(apply.operands):
        made = s.made(atom, Made.FULL, Same.BROADCAST) if atom.type.rank else None
        inside = unfilled(made) if made else None
        if inside is None:
            continue
        operands = (*apply.operands[:k], inside, *apply.operands[k + 1 :])
        if broadcast_shape(operands) == broadcast_shape(apply.operands):
            return Apply(apply.primitive, operands, apply.params)
    return None


def unfilled(made: Apply) -> Atom | None:
    """What a full or broadcast_to spreads, if it promotes as the array did and is known to be spread."""
    inside = made.operands[0]
    if made.params.get("loose"):
        return None
    if made.primitive.kind is Made.FULL and isinstance(inside, Lit):
        return literal_of(inside.value, Type(made.params["dtype"]))
    same = made.primitive.kind is Same.BROADCAST or inside.type.dtype == made.params["dtype"]
    return inside if same and not inside.type.weak else None


def of_fulls(s: Scope, type_: Type, apply: Apply) -> Result:
    """An operation on filled arrays alone is done once and its result filled in."""
    if not type_.shape or apply.primitive.family != "elementwise":
        return None
    scalars = []
    for atom in apply.operands:
        made = s.made(atom, Made.FULL) if atom.type.rank else None
        inside = unfilled(made) if made else atom
        if inside is None or inside.type.rank:
            return None
        scalars.append(inside)
    value = s.emit_of(apply.primitive, *scalars, **apply.params)
    return make("full", value, *dims(type_.shape), dtype=type_.dtype)


GENERAL = (unbroadcast_operand, of_fulls)


# ---- elements ----


def is_element(spec: Spec) -> bool:
    return all(token == "i" for token in spec)


@rule("index")
def forwarded_element(s: Scope, type_: Type, x: Atom, *at: Atom, spec: Spec) -> Result:
    """Read back what was written at this place, behind writes at places that are surely others."""
    if "a" in spec:
        return None
    for _ in range(WRITES_LOOKED_THROUGH):
        made = s.made(x, Access.WRITE, Access.ADD)
        if made is None:
            break
        x, v, *places = made.operands
        if made.params["spec"] == spec and same_atoms(places, at) and made.primitive.kind is Access.WRITE:
            return v  # where it fills the place; otherwise its type is another, and the read stays
        if not (is_element(spec) and made.params["spec"] == spec and disjoint(s, tuple(places), at)):
            return None
        if (before := s.known("index", x, *at, spec=spec)) is not None:
            return before
    if not type_.rank and (filled := s.made(x, Made.FULL)):
        s.leave("index", x, *at, spec=spec)
        return filled.operands[0]
    return None


@rule("index")
def element_of_broadcast(s: Scope, type_: Type, x: Atom, *at: Atom, spec: Spec) -> Result:
    """Of what was spread, the number or the element that is there, while that can still be read."""
    made = s.made(x, Same.BROADCAST) if is_element(spec) and not type_.rank else None
    if made is None or made.params.get("loose"):
        return None
    inside = made.operands[0]
    within = places_before_broadcast(inside.type.shape, x.type.shape, at)
    if within is None or inside in s.overwritten:
        return None
    s.leave("index", x, *at, spec=spec)
    if within:
        return make("index", inside, *within, spec=("i",) * len(within))
    return literal_of(inside.value, type_) if isinstance(inside, Lit) else inside


@rule("index")
def element_of_range(s: Scope, type_: Type, x: Atom, *at: Atom, spec: Spec) -> Result:
    """Of 0, 1, 2, ... the place itself, of one that is not negative."""
    if not is_element(spec) or type_.rank or s.made(x, Made.RANGE) is None:
        return None
    if not isinstance(spec, Inside):
        if not s.nonnegative(at[0]):
            return None
        s.leave("index", x, *at, spec=spec)
    return at[0] if at[0].type == type_ else make("cast", at[0], dtype=type_.dtype)


def places_before_broadcast(
    before: Sequence[Dim], after: Sequence[Dim], at: Sequence[Atom]
) -> tuple[Atom, ...] | None:
    """Where an element was before its array was spread; None where it is not known which axes were."""
    found: list[Atom] = []
    for size, larger, place in zip(before, after[len(after) - len(before) :], at[len(at) - len(before) :]):
        if size not in (larger, 1):
            return None
        found.append(place if size == larger else size_atom(0))
    return tuple(found)


def same_atoms(atoms: Sequence[Atom], others: Sequence[Atom]) -> bool:
    """Are these the same, one by one?"""
    pairs = zip(atoms, others)
    return len(atoms) == len(others) and all(a is b or same_constant(a, b) for a, b in pairs)


def disjoint(s: Scope, places: tuple[Atom, ...], others: tuple[Atom, ...]) -> bool:
    """Do two tuples of ints surely differ as places, negative ones counted from the end?"""
    return any(distinct_places(s, p, q) for p, q in zip(places, others))


def distinct_places(s: Scope, p: Atom, q: Atom) -> bool:
    if not integer(p, q):
        return False
    (left, a), (right, b) = offset(s, p), offset(s, q)
    if left is not right or a == b:
        return False
    if left is None:
        return (a < 0) == (b < 0)
    return s.nonnegative(p) and s.nonnegative(q)


@rule("index")
def index_of_index(s: Scope, type_: Type, x: Atom, *at: Atom, spec: Spec) -> Result:
    """x[i][j] is x[i, j], unless x has been overwritten since x[i] was read: it would have to be copied, all of it."""
    made = s.made(x, Access.READ)
    if made is None or not is_element(made.params["spec"]) or "a" in spec:
        return None
    if made.operands[0] in s.overwritten:
        return None
    return make("index", *made.operands, *at, spec=spec_within(made.params["spec"], spec))


@rule("index")
def axis_taken_out_again(s: Scope, type_: Type, x: Atom, *at: Atom, spec: Spec) -> Result:
    """x[:, None][:, 0] is x."""
    made = s.made(x, Access.READ, Same.RESHAPED) if set(spec) == {":", "i"} else None
    if made is None or made.operands[0] in s.overwritten:
        return None
    longer = made.primitive.kind is Same.RESHAPED or set(made.params["spec"]) <= {":", "n"}
    gone = [n for n, token in zip(x.type.shape, spec) if token == "i"]
    same = longer and made.operands[0].type.shape == type_.shape and set(gone) == {1}
    return made.operands[0] if same else None


@rule("index")
def stacked_item(s: Scope, type_: Type, x: Atom, *at: Atom, spec: Spec) -> Result:
    """Item k of a stack of scalars."""
    made = s.made(x, Joined.STACK)
    if made and spec == ("i",) and isinstance(at[0], Lit) and -len(made.operands) <= at[0].value:
        found = made.operands[at[0].value]
        return literal_of(found.value, type_) if isinstance(found, Lit) else found
    return None


@rule("update")
def rewritten(s: Scope, type_: Type, x: Atom, v: Atom, *at: Atom, spec: Spec) -> Result:
    read = s.made(v, Access.READ)
    if read and same_atoms(read.operands, (x, *at)) and read.params["spec"] == spec:
        return x
    if x in s.kept:  # it is seen if what follows fails
        return None
    if is_whole(spec) and v.type.shape == x.type.shape:
        return v
    before = just_written(s, x, at, spec)
    return make("update", before.operands[0], v, *at, spec=spec) if before else None


def just_written(s: Scope, x: Atom, at: tuple[Atom, ...], spec: Spec) -> Apply | None:
    """The update at these places that made x, if nothing else reads it."""
    before = s.made(x, Access.WRITE) if s.once(x) else None
    same = before is not None and same_atoms(before.operands[2:], at) and before.params["spec"] == spec
    return before if same else None


@rule("accumulate")
def accumulated(s: Scope, type_: Type, x: Atom, v: Atom, *at: Atom, spec: Spec) -> Result:
    if superfluous(s, constant(s, v), type_, -1.0):
        return x
    begun = before_writes_elsewhere(s, x, at, spec)
    if superfluous(s, constant(s, begun), type_, -1.0) and "a" not in spec:
        return make("update", x, v, *at, spec=spec)
    if x in s.kept:
        return None
    if is_whole(spec) and v.type.shape == x.type.shape:
        return make("add", x, v)
    if "a" not in spec and (before := just_written(s, x, at, spec)):
        return make("update", before.operands[0], s.emit("add", before.operands[1], v), *at, spec=spec)
    return None


def before_writes_elsewhere(s: Scope, x: Atom, at: tuple[Atom, ...], spec: Spec) -> Atom:
    """What an array was before the last writes of it, all of them at other places than these."""
    for _ in range(WRITES_LOOKED_THROUGH):
        made = s.made(x, Access.WRITE, Access.ADD) if is_element(spec) else None
        if made is None or made.params["spec"] != spec or not disjoint(s, made.operands[2:], at):
            break
        x = made.operands[0]
    return x


def is_whole(spec: Spec) -> bool:
    return all(token == ":" for token in spec)


@rule("update")
def unspread(s: Scope, type_: Type, x: Atom, v: Atom, *at: Atom, spec: Spec) -> Result:
    """A write spreads its value itself. (Not np.add.at: in-place code adds it as a plain array.)"""
    made = s.made(v, Made.FULL, Same.BROADCAST) if v.type.rank else None
    inside = unfilled(made) if made else None
    return make("update", x, inside, *at, spec=spec) if inside is not None else None


# ---- shapes ----


@rule("sum")
def sum_of_zeros(s: Scope, type_: Type, x: Atom, *, axis: tuple[int, ...]) -> Result:
    if constant(s, x) != 0 or isinstance(x, Lit) or not superfluous(s, constant(s, x), type_, 1.0):
        return None
    zero = literal_of(0, Type(type_.dtype))
    return make("full", zero, *dims(type_.shape), dtype=type_.dtype) if type_.rank else zero


@rule("sum", "prod", "max", "min")
def unit_axes(s: Scope, type_: Type, x: Atom, *, axis: tuple[int, ...]) -> Result:
    """Over axes of size 1 there is nothing to reduce."""
    if not all(x.type.shape[k] == 1 for k in axis) or x.type.dtype != type_.dtype:
        return None
    return make("reshape", x, *dims(type_.shape)) if axis else x


@rule("reshape")
def reshape(s: Scope, type_: Type, x: Atom, *shape: Atom) -> Result:
    if x.type.shape == type_.shape:
        return x
    if before := s.made(x, Same.RESHAPED):
        first = before.operands[0]
        return first if first.type.shape == type_.shape else make("reshape", first, *shape)
    return None


@rule("broadcast_to")
def broadcast(s: Scope, type_: Type, x: Atom, *shape: Atom, loose: bool = False) -> Result:
    if x.type.shape == type_.shape:
        return x
    if before := s.made(x, Same.BROADCAST):
        either = {"loose": True} if loose or before.params else {}
        return make("broadcast_to", before.operands[0], *shape, **either)
    return None


@rule("transpose")
def transpose(s: Scope, type_: Type, x: Atom, *, perm: tuple[int, ...]) -> Result:
    """Turned back it is what it was; where that has sizes of other names, it stays as it is."""
    as_it_is = tuple(range(len(perm)))
    if perm == as_it_is:
        return x
    if before := s.made(x, Same.TRANSPOSED):
        inner: tuple[int, ...] = before.params["perm"]
        both = tuple(inner[k] for k in perm)
        return before.operands[0] if both == as_it_is else make("transpose", before.operands[0], perm=both)
    return None


@rule("reshape", "broadcast_to", "transpose")
def refilled(s: Scope, type_: Type, x: Atom, *shape: Atom, **params: Any) -> Result:
    """A filled array in another shape."""
    filled = s.made(x, Made.FULL)
    value = unfilled(filled) if filled else None
    if value is None or not type_.rank:
        return value
    return make("full", value, *(shape or dims(type_.shape)), dtype=type_.dtype)


@rule("concatenate")
def join_of_one(s: Scope, type_: Type, *xs: Atom, **params: Any) -> Result:
    return xs[0] if len(xs) == 1 else None
