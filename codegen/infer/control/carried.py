"""What a loop carries, as templates of values: what they become at the loop's head, and which atoms fill them.

    x = 0; p = (1.0, a)       x: Number(i8), p: (Number(f8), Array(f8[n]))
    for ...: x = x / 2   ->   x: Number(f8) once the body was seen

A template grows until the values at the end of the body fit it.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from codegen.infer.complex_numbers.parts import is_complex, pair, zero_of
from codegen.infer.control.flags import RESULT
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Kind, Open, kind, unify, unify_rounds
from codegen.infer.memory.aliases import type_of
from codegen.infer.memory.growing_lists import (
    KindOf,
    form_of_list,
    growing,
    is_list,
    kinds_in,
    python_parts,
    unify_forms,
)
from codegen.infer.objects.field import AssignedField, field_name
from codegen.infer.objects.held import AnyField
from codegen.infer.optional import as_told, given_value, is_none
from codegen.infer.tables.forms import meeting_table
from codegen.infer.tables.values import NewTable, Table
from codegen.infer.texts.known_texts import Texts, is_letters, is_of, is_words, texts_of
from codegen.infer.texts.letters import FORM, becomes_letters, is_text_value, letters_or_known
from codegen.infer.texts.words import in_words
from codegen.infer.values import (
    FALSE,
    Cell,
    Conflict,
    FlowState,
    GrowingList,
    Nest,
    Optional,
    Ref,
    Static,
    Unbound,
    Value,
    View,
    Wording,
    cell_of,
    leaves,
    rebuild,
    same_reference,
    same_static,
)
from codegen.ir import Lit, Type, Var
from codegen.ir.build import B1, SIZE

Path = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Number:
    kind: Kind


@dataclass(frozen=True, eq=False)
class Array:
    """An array that may be another object in each iteration."""

    kind: Kind


@dataclass(frozen=True, eq=False)
class Fixed:
    """What stays: a static value, a function, an array that stays the same object, or a Conflict."""

    value: Value


@dataclass(frozen=True, eq=False)
class Maybe:
    """A name that may have no value; `inner` is None while no way gives it one."""

    inner: Template | None = None


Template = Number | Array | Fixed | Maybe | Nest | GrowingList | Wording


def template(
    value: Value | None, st: FlowState, inside: Container[Var] | None = None, stays: Container[Cell] = ()
) -> Template:
    """The template of a value: before the loop, where an array may be one that stays, or at the end of a body, where
    sizes bound `inside` it are open, and one that `stays` is no view of what may be written meanwhile."""
    value = as_told(value)
    match value:
        case None | Unbound(value=None):
            return Maybe()
        case Unbound(_, inner):
            return Maybe(template(inner, st, inside))
        case Var() | Lit() if value.type.dtype != "rng":
            return Number(kind(value.type, inside or ()))
        case AssignedField() if inside is not None:
            return AnyField.of(template(st.env.get(value.name), st, inside), value.of)
        case Ref(cell) if cell in stays and not cell.bases:
            return Fixed(value)
        case Ref() | View() if inside is not None and type_of(value, st).dtype != "rng":
            return Array(kind(type_of(value, st), inside))
        case Nest(_, items):
            return value.with_items(tuple(template(item, st, inside, stays) for item in items))  # type: ignore[misc]
        case GrowingList() | Wording():
            return value.with_parts(template(value.parts, st, inside, stays))
    return Fixed(value)


@dataclass(frozen=True, eq=False)
class BodyStates:
    """The states around one run of a body, for comparing values at its end with templates."""

    start: FlowState
    end: FlowState
    inside: Container[Var]
    texts: Texts

    def widen(self, t: Template, value: Value | None) -> Template:
        """The template that holds `value` too: `t` itself where it does. Raises Differ."""
        match t, value:
            case (_, None) | (Fixed(Conflict()), _) | (Maybe(None), Unbound(value=None)):
                return t
            case _, Conflict():
                return Fixed(value)
            case Maybe(None), _:
                return Maybe(template(bound_value(value), self.end, self.inside))
            case Maybe(inner), _:
                assert inner is not None
                wide = self.widen(inner, bound_value(value))
                return t if wide is inner else Maybe(wide)
            case _, Unbound():
                return Maybe(self.widen(t, value.value))
            case (Number(), Var() | Lit()) | (Array(), Ref() | View()):
                return self.wider(t, t.kind, value)  # type: ignore[union-attr, arg-type]
            case Fixed(Ref() | View() as before), Ref() | View():
                return t if same_reference(before, value) else self.other_object(before, value)
            case Fixed(before), _ if before is value or same_static(before, value):
                return t
            case Fixed(AssignedField()) | AnyField(), AssignedField(name):
                return self.other_field(t, self.end.env[name])
            case Optional(), _:
                return self.with_value(t, t.value, value)
            case _ if becomes_letters(self.texts, t.value if isinstance(t, Fixed) else t, value):
                return t if is_letters(t) else growing_template(FORM)
            case Fixed(Static(str() | Enum())) | Nest(Texts()), _ if is_words(value):
                return self.of_texts(t, value)
            case (Fixed(Static(None)), _) if not is_none(value):
                return optional_of(template(given_value(value), self.end, self.inside))
            case (_, Optional()) | (_, Static(None)) if not isinstance(t, Fixed) or cell_of(t.value):
                return optional_of(t if is_none(value) else self.widen(t, given_value(value)))
            case Number(), Nest() if is_complex(value):
                return self.widen(with_imaginary(t), value)
            case Nest(), Var() | Lit() if is_complex(t):
                return self.widen(t, pair(value, zero_of(value.type)))
            case Nest(), Nest() if t.like(value):
                items = tuple(self.widen(i, v) for i, v in zip(t.items, value.items, strict=True))  # type: ignore[arg-type]
                return t if items == t.items else t.with_items(items)  # type: ignore[arg-type]
            case NewTable(), Table():
                ended: Any = template(value.entries, self.end, self.inside)
                raise meeting_table(t, ended, kinds_of_templates(self.end))
            case Table(), NewTable():
                raise meeting_table(value, t.entries, kinds_of_templates(self.start))
            case Wording(said, parts), Wording(other) if said == other:
                return t if (w := self.widen(parts, value.parts)) is parts else t.with_parts(w)
            case GrowingList(parts, python), GrowingList(after, others) if t.grows == value.grows:
                if python != others and not value.fixed:
                    return self.of_any_length(t, value)
                wide_parts = self.widen(parts, after)
                both = tuple(a and b for a, b in zip(python, others, strict=True))
                fixed = t.fixed and value.fixed
                same = wide_parts is parts and both == python and fixed == t.fixed
                return t if same else GrowingList(wide_parts, both, fixed, t.grows)  # type: ignore[arg-type]
            case _ if is_list(t) and is_list(value):
                return self.of_any_length(t, value)
        raise Differ(
            f"{template_words(t, self.start)} before an iteration and {in_words(value, self.end.store)} after it"
        )

    def of_texts(self, t: Any, value: Any) -> Nest:
        """The template of a text of which one is chosen: its number."""
        texts = t.cls if isinstance(t, Nest) else texts_of(value, self.texts)
        if not all(is_of(texts, v) for v in (value, t if isinstance(t, Nest) else t.value)):
            raise Differ("a text, or a member of an Enum, before an iteration and one of others after it")
        if not isinstance(t, Nest):
            return Nest(texts, (Number(kind(SIZE)),))  # type: ignore[arg-type]
        wide = self.widen(t.items[0], value.items[0] if isinstance(value, Nest) else None)  # type: ignore[arg-type]
        return t if wide is t.items[0] else t.with_items((wide,))  # type: ignore[arg-type]

    def other_field(self, t: Any, value: Value) -> AnyField:
        """The template of a field that may be another object's; `value`: what that holds."""
        if isinstance(t, AnyField):
            wide = self.widen(t.items[0], value)  # type: ignore[arg-type]
            return t if wide is t.items[0] else AnyField.of(wide, t.owner)
        own = t.value
        return AnyField.of(self.widen(template(self.start.env[own.name], self.start), value), own.of)

    def with_value(self, t: Optional, inner: Template, value: Value) -> Template:
        """The template of what may be None."""
        wide = inner if is_none(value) else self.widen(inner, given_value(value))
        return t if wide is inner else optional_of(wide)

    def wider(self, t: Number | Array, before: Kind, value: Value) -> Template:
        wide = unify_rounds(before, kind(type_of(value, self.end), self.inside))
        return t if wide == before else type(t)(wide)

    def of_any_length(self, t: Any, value: Any) -> GrowingList:
        """The template of a list whose length is known when the program runs."""
        before = form_of_list(t, kinds_of_templates(self.start))
        ended: Any = template(value, self.end, self.inside)
        after = form_of_list(ended, kinds_of_templates(self.end))
        return growing_template(unify_forms(before, after))

    def other_object(self, before: Value, value: Value) -> Template:
        old = kind(type_of(before, self.start))
        new = kind(type_of(value, self.end), self.inside)
        if "rng" in (old.dtype, new.dtype):
            raise Differ("one random generator before an iteration and another after it")
        return Array(unify(old, new))


def optional_of(inner: Template) -> Template:
    return Optional.made(Number(Kind(B1.dtype)), inner)


def with_imaginary(t: Number) -> Nest:
    """The template of a real number where complex ones come too."""
    zero = zero_of(Type(t.kind.dtype, (), t.kind.weak)).type
    return pair(t, Number(kind(zero)))


def growing_template(form: Any) -> GrowingList:
    """The template of a list of items of a form."""

    def rows(part: Any) -> Any:
        if not isinstance(part, Kind):
            return Fixed(part)
        return Array(Kind(part.dtype, (Open(), *part.dims)))

    return GrowingList.of(Number(Kind(SIZE.dtype, (), SIZE.weak)), rebuild(form, rows), python_parts(form))


def kinds_of_templates(st: FlowState) -> KindOf:
    def part(t: Any) -> Any:
        match t:
            case Number(k) | Array(k):
                return k
            case Fixed(Ref() | View() as value):
                return kind(type_of(value, st))
            case Fixed(value):
                return value
        return t

    return part


def as_carried(frame: Frame, t: Template | None, value: Any, name: str, room: Any = 0) -> Any:
    """A value with lists of unknown length where its template has such."""
    match t, value:
        case GrowingList(), _ if is_letters(t) and is_text_value(value):
            return growing(frame, letters_or_known(frame, value), FORM, name, room)
        case GrowingList(), Nest() | GrowingList() if is_list(value):
            before = form_of_list(t, kinds_of_templates(frame.st))
            form = unify_forms(before, form_of_list(value, kinds_in(frame)))
            return growing(frame, value, form, name, room)
        case Nest(_, parts), Nest(_, items) if t.like(value):
            named = zip(parts, value.named(name), strict=True)
            made = tuple(as_carried(frame, part, item, at) for part, (at, item) in named)  # type: ignore[arg-type]
            return value if all(map(operator.is_, made, items)) else value.with_items(made)
        case Maybe(inner), Unbound(bound, held) if held is not None:
            inside = as_carried(frame, inner, held, name)
            return value if inside is held else Unbound(bound, inside)
        case Maybe(inner), _:
            return as_carried(frame, inner, value, name)
    return value


def holds_growing(t: Any) -> bool:
    """Whether a list of unknown length, which is no object that grows, is in a template."""
    if isinstance(t, Maybe | Nest):
        return any(map(holds_growing, t.items if isinstance(t, Nest) else (t.inner,)))
    return isinstance(t, GrowingList) and not t.grows


def bound_value(value: Value | None) -> Value | None:
    return value.value if isinstance(value, Unbound) else value


def template_words(t: Template, st: FlowState) -> str:
    """A template in the user's words."""
    match t:
        case Number(k) | Array(k):
            return f"an array of {k.dtype}" if k.dims else in_words(Var("t", Type(k.dtype, (), k.weak)), {})
        case Fixed(value):
            return in_words(value, st.store)
        case Nest() | GrowingList() | Wording():
            return in_words(t, {})
    return "no value"


@dataclass(eq=False)
class Head:
    """The loop's head: its parameters, and the state in terms of them.

    `numbers`: for names of fields; `arrays`: the cells made for carried arrays; `pending`: names without a value may
    still turn out to have one.
    """

    st: FlowState
    numbers: Iterator[int]
    pending: bool = False
    params: list[Var] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    arrays: dict[Cell, Path] = field(default_factory=dict)

    @property
    def sizes(self) -> set[Var]:
        """The sizes that the parameters bring."""
        kinds = zip(self.params, self.kinds, strict=True)
        pairs = [(n, d) for p, k in kinds for n, d in zip(p.type.shape, k.dims)]
        return {n for n, d in pairs if isinstance(d, Open) and isinstance(n, Var)}

    def param(self, name: str, k: Kind) -> Var:
        var = Var(name, k.type())
        self.params.append(var)
        self.kinds.append(k)
        return var

    def value(self, t: Template, path: Path, name: str) -> Value:
        """A template filled with parameters."""
        match t:
            case Number(k):
                return self.param(name, k)
            case Array(k):
                cell = Cell(name, final=path[0] == RESULT)
                self.arrays[cell] = path
                self.st.store[cell] = self.param(name, k)
                return Ref(cell)
            case Fixed(value):
                return value
            case Maybe(None):
                return Unbound(FALSE, pending=self.pending)
            case Maybe(inner):
                assert inner is not None
                bound = self.param(f"{name}_bound", Kind(B1.dtype))
                return Unbound(bound, self.value(inner, path, name))
        if isinstance(t, GrowingList | Wording):
            return t.with_parts(self.value(t.parts, path, name))
        assert isinstance(t, Nest)
        named = enumerate(t.named(name))
        made = t.with_items(tuple(self.value(item, (*path, k), label) for k, (label, item) in named))  # type: ignore[arg-type]
        return made if not isinstance(t, AnyField) else self.field(made.items[0], name, t.owner)

    def field(self, value: Value, name: str, owner: Any) -> AssignedField:
        """A field of an object that may be another in each iteration."""
        made = AssignedField(field_name(next(self.numbers), name), owner)
        self.st.env[made.name] = value
        return made


def widen_again(t: Template, learned: Template | None, st: FlowState) -> Template:
    """A first template, as wide as it was found to be when the loop was run before (sizes are found anew)."""
    match t, learned:
        case Number(k), Number(other):
            return Number(unify(k, other))
        case Fixed(Static(str() | Enum())), Nest(Texts()):
            return learned
        case Number(), Nest() if is_complex(learned):
            return widen_again(with_imaginary(t), learned, st)
        case Fixed(Ref() | View() as value), Array(other):
            first = kind(type_of(value, st))
            dims = tuple(m if isinstance(m, Open) else n for n, m in zip(first.dims, other.dims, strict=True))
            return Array(unify(first, Kind(other.dtype, dims)))
        case Maybe(None), Maybe(inner) if inner is not None and is_certain(inner):
            return Maybe(inner)
        case Nest(), Nest() if t.like(learned):
            pairs = zip(t.items, learned.items, strict=True)
            return t.with_items(tuple(widen_again(i, j, st) for i, j in pairs))  # type: ignore[arg-type, misc]
        case GrowingList(parts), GrowingList(found):
            return t.with_parts(widen_again(parts, found, st))
        case Number() | Fixed(), Maybe():
            return Maybe(widen_again(t, learned.inner, st))
    return t


def is_certain(t: Template) -> bool:
    """Whether a template holds nothing of the run that it was found in: no size and no object."""
    parts: list[Any] = list(leaves(t))  # type: ignore[arg-type]
    return all(isinstance(p, Number | Array) and not any(type(n) is Var for n in p.kind.dims) for p in parts)
