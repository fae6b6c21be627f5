"""What a function gives, described to its callers: its results, and what they may share memory with.

return x, x[i:], 2 * x      the first argument's own array, a part of it from the first result on, the second result
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.infer.calls.returned_functions import as_nests
from codegen.infer.frame import Frame
from codegen.infer.layout import root_of
from codegen.infer.memory.aliases import reachable_cells
from codegen.infer.objects.field import AssignedField, shown_name
from codegen.infer.objects.fields import value_to_give
from codegen.infer.values import (
    Cell,
    Closure,
    Conflict,
    Enumerate,
    GrowingList,
    Nest,
    Product,
    Ref,
    Reversed,
    Static,
    Unbound,
    Value,
    View,
    Wording,
    Zip,
    rebuild,
)
from codegen.ir import Atom, Lit, Type, Var
from codegen.ir.broadcasting import Meets, sized_alike
from codegen.ir.primitive import Primitive
from codegen.source import Span, refuse


@dataclass(frozen=True, eq=False)
class Result:
    """The k-th result of a Call, where a callee's value is described to its callers.

    `given`: the array arguments it may share memory with; `shared`: whether with another result.
    """

    k: int
    given: tuple[int, ...] = ()
    shared: bool = False


@dataclass(frozen=True, eq=False)
class Given:
    """The object that came in as the k-th array argument, given back; of a main function it is a result too."""

    k: int
    result: int | None = None


@dataclass(frozen=True, eq=False)
class GivenInt:
    """An int that came in as the k-th operand, given back: what the caller knows of it stays known."""

    k: int


@dataclass(frozen=True, eq=False)
class GivenField:
    """A field of an object that came in, the k-th of those that are assigned to."""

    k: int


@dataclass(frozen=True, eq=False)
class MadeField:
    """A field of an object that the function made, which holds the k-th of the values that are `made`."""

    k: int
    label: str
    of: Any = None


@dataclass(frozen=True, eq=False)
class Shown:
    """A view of what came in as an array argument: of `base`, by a row and operands."""

    base: Any
    primitive: Primitive
    operands: tuple[Any, ...]
    params: Mapping[str, Any]
    name: str
    fixed: bool
    relies: bool


@dataclass(frozen=True, eq=False)
class Summary:
    """What callers need to know of an inferred function.

    value    what it returns: Results, Givens, literals and static values in the nests returned
    types    of its results, in terms of its own parameters' sizes
    written  which array arguments come back changed, and as which result
    hidden   arrays of the enclosing scopes it reads, passed after the arguments
    ordered  which array arguments it takes to lie in order in memory
    fields   which fields of objects that it is given it assigns to, and what they hold then, as `value` is
    made     what fields hold of objects that it makes and gives
    """

    name: str
    params: tuple[Var, ...]
    value: Value | Result | Given
    types: tuple[Type, ...]
    written: tuple[tuple[int, int], ...]
    hidden: tuple[Any, ...]
    ordered: tuple[int, ...] = ()
    fields: tuple[tuple[int, Any], ...] = ()
    made: tuple[Any, ...] = ()

    def signature(self) -> Any:
        """What must be stable for a recursive function's inference to be over."""
        sizes = {n: k for k, p in enumerate(self.params) for n in p.type.shape if isinstance(n, Var)}
        types = [
            (t.dtype, t.weak, tuple(n if isinstance(n, int) else ("size", sizes.get(n)) for n in t.shape))
            for t in self.types
        ]
        fields = tuple((k, comparable(value)) for k, value in self.fields), tuple(map(comparable, self.made))
        return comparable(self.value), tuple(types), self.written, tuple(id(h) for h in self.hidden), fields


def comparable(value: Any) -> Any:
    """What a returned value is made of, comparable."""
    match value:
        case Nest(cls, items, keys):
            return cls, keys, tuple(comparable(item) for item in items)
        case GrowingList(parts, python, fixed, grows):
            return "list", python, fixed, grows, comparable(parts)
        case Wording(said, parts):
            return "text", said, comparable(parts)
        case Unbound(bound, inner):
            return "unbound", comparable(bound), comparable(inner)
        case Result(k, given, shared):
            return "result", k, given, shared
        case Given(k):
            return "given", k
        case GivenInt(k) | GivenField(k) | MadeField(k):
            return type(value), k
        case Shown(base, primitive, operands, params):
            shown = tuple(map(comparable, operands))
            return "shown", comparable(base), primitive, shown, tuple(sorted(params.items()))
        case Lit():
            return "lit", repr(value.value), value.type
        case Static(obj):
            return "static", id(obj)
    return "closure", id(getattr(value, "define", value))


def says_as_much(value: Any, other: Any) -> bool:
    """Whether a returned value is described at least as well as by another description of it."""
    match value:
        case Nest(_, items):
            return value.like(other) and all(map(says_as_much, items, other.items))
        case GrowingList(parts):
            return isinstance(other, GrowingList) and says_as_much(parts, other.parts)
        case Given():
            return isinstance(other, Given)
        case Result(_, given, shared):
            return isinstance(other, Result) and (not given or bool(other.given)) and shared <= other.shared
    return comparable(value) == comparable(other)


def argument_sizes(params: tuple[Var, ...], operands: list[Atom]) -> dict[Var, Any]:
    """What a callee's sizes are at a call: those of its arrays, and the ints it is given, which its arrays may have."""
    sizes: dict[Var, Any] = {}
    for param, operand in zip(params, operands, strict=True):
        if param.type.dtype == "i8" and not param.type.rank:
            if isinstance(operand, Var) and operand.type.dtype == "i8":
                sizes[param] = operand
            elif isinstance(operand, Lit) and operand.value >= 0:
                sizes[param] = int(operand.value)
        for n, m in zip(param.type.shape, operand.type.shape, strict=True):
            if isinstance(n, Var):
                sizes.setdefault(n, m)
    return sizes


def type_at_call(type_: Type, sizes: dict[Var, Any], meets: Meets | None = None) -> Type:
    """A callee's type in the caller's sizes; each size made inside is a fresh one, from then on. `meets`: what is
    known of those."""

    def outer(n: Any) -> Any:
        if not isinstance(n, int) and n not in sizes:
            sizes[n] = sized_alike(n)
            whole, more = (meets and meets.relation(n)) or (n, 0)
            if meets and whole is not n and isinstance(sizes.get(whole), Var):
                meets.note(sizes[n], meets.less(sizes[whole], -more))
        return n if isinstance(n, int) else sizes[n]

    return Type(type_.dtype, tuple(map(outer, type_.shape)), type_.weak)


def result_names(value: Any, name: str, made: Sequence[Any] = ()) -> Iterator[tuple[int, str]]:
    """A name for each result, after where it stands in the nest returned. `made`: what fields hold in it."""
    if isinstance(value, Nest):
        for label, item in value.named(name):
            yield from result_names(item, label, made)
    elif isinstance(value, GrowingList | Wording):
        yield from result_names(value.parts, name, made)
    elif isinstance(value, Unbound):
        for each in (value.bound, value.value):
            yield from result_names(each, name, made)
    elif isinstance(value, Shown):
        for each in (value.base, *value.operands):
            yield from result_names(each, "k", made)
    elif isinstance(value, MadeField):
        yield from result_names(made[value.k], name, made)
    elif isinstance(value, Result):
        yield value.k, name


def described_result(
    frame: Frame,
    inner: list[Cell],
    values: Sequence[Value],
    span: Span,
    *,
    main: bool,
    fields: Sequence[AssignedField],
    params: Sequence[Var],
) -> tuple[list[Any], list[Atom]]:
    """What a callee gives described to its callers, then what the fields hold of objects that it made; and the atoms
    that are its results.

    `inner`: the callee's cells for the array arguments, of which a `main` function gives no views; `fields`: those that
    are assigned to of objects that it is given; `params`: for its operands.
    """
    ints = {} if main else int_operands(params)
    results: list[Atom] = []
    arrays: list[tuple[int, Value]] = []
    seen: dict[Cell, int] = {}
    held: list[AssignedField] = []

    def add(atom: Atom) -> Result:
        results.append(atom)
        return Result(len(results) - 1)

    def make(leaf: Value) -> Any:
        match leaf:
            case Lit() | Static() | Closure() | Conflict():  # a field's, which is an error where it is read
                return leaf
            case Var():
                return GivenInt(ints[leaf]) if leaf in ints else add(leaf)
            case Ref(cell) if cell in inner:
                return Given(inner.index(cell))
            case Ref(cell) if cell in seen:
                return Result(seen[cell])
            case View() if not main and root_of(leaf) in inner:
                op = leaf.made
                operands = tuple(make(operand) for operand in op.operands[1:])
                told = op.params, leaf.atom.name, leaf.fixed, leaf.relies
                return Shown(make(leaf.base), op.primitive, operands, *told)
            case Ref() | View():
                made = add(frame.atom(leaf, span))
                arrays.append((made.k, leaf))
                if isinstance(leaf, Ref):
                    seen[leaf.cell] = made.k
                return made
            case AssignedField():
                return described_field(leaf, fields, held)
        instead = ": return a list of it" if isinstance(leaf, Zip | Enumerate | Reversed | Product) else ""
        raise refuse(span, f"{frame.describe(leaf)} cannot be returned from a function{instead}")

    def with_facts(leaf: Any) -> Any:
        return facts.get(leaf.k, leaf) if isinstance(leaf, Result) else leaf

    made = [rebuild(as_nests(frame, value, span), make) for value in values]
    for field in held:
        made.append(rebuild(as_nests(frame, value_to_give(frame, field), span), make))
    facts = dict(result_sharing(arrays, inner))
    return [rebuild(each, with_facts) for each in made], results


def int_operands(params: Sequence[Var]) -> dict[Var, int]:
    return {p: k for k, p in enumerate(params) if p.type.dtype == "i8" and not p.type.rank}


def described_field(
    field: AssignedField, given: Sequence[AssignedField], made: list[AssignedField]
) -> GivenField | MadeField:
    """A field of an object that is given back, or of one that the function made, which is noted."""
    if field in given:
        return GivenField(given.index(field))
    if field not in made:
        made.append(field)
    return MadeField(made.index(field), shown_name(field.name), field.of)


def result_sharing(arrays: list[tuple[int, Value]], inner: list[Cell]) -> Iterator[tuple[int, Result]]:
    """What the arrays returned may share memory with."""
    reached = [(k, reachable_cells(value)) for k, value in arrays]
    for k, objects in reached:
        given = tuple(place for place, cell in enumerate(inner) if cell in objects)
        shared = any(objects & others for j, others in reached if j != k)
        yield k, Result(k, given, shared)
