"""Objects of which so many are made as is known when the program runs: each is a row of arrays, a column a field.

    nodes[k] = Node(x, y)           node_x[node_count], node_y[node_count] = x, y
                             ->     nodes[k], node_count = node_count, node_count + 1
    nodes[k].x += 1.0               node_x[nodes[k]] += 1.0

An object is the number of its row, so that lists, dicts and other objects have numbers in its place, and branches and
loops choose among numbers; what is written into a row is seen under every name that the object has. A class is taken
so where one of its objects would have to be known and is not; what kind its fields are is found out by what they are
given, wherever that is: then inference begins anew (known_lists.py). All functions have the arrays of their callers,
and rows are never taken back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.cost_model import LEAST_ROOM
from codegen.definitions.lists.held_lists import list_put
from codegen.infer.frame import Bottom, Frame
from codegen.infer.kinds import Differ, Kind, as_kind, filler_value
from codegen.infer.memory import buffers
from codegen.infer.memory.growing_lists import part_kinds
from codegen.infer.memory.list_objects import named_rows
from codegen.infer.objects.assigned import fields_of_new_lists, has_own, users_class
from codegen.infer.objects.field import AssignedField
from codegen.infer.objects.placed import (
    LISTS,
    OF_NUMBERS,
    TEXTS,
    FieldLists,
    Placed,
    form_of_both,
    held_form,
    same_form,
)
from codegen.infer.optional import given_value, is_none
from codegen.infer.tables.values import HeldList
from codegen.infer.texts.among import number_among
from codegen.infer.texts.known_texts import Members
from codegen.infer.values import (
    FALSE,
    TRUE,
    Cell,
    Conflict,
    GrowingList,
    Nest,
    Optional,
    Ref,
    Static,
    Unbound,
    Value,
    leaves,
)
from codegen.ir import Atom
from codegen.ir.buffers import with_rows_for
from codegen.source import SourceError, Span, refuse

GIVEN_AWAY = (
    "an object whose class is one of those of which as many are made as is known when the program runs is given to "
    "others in its `__init__`: do that after it is made"
)


class OfRows:
    """The class of the columns of a class's fields."""


def no_rows(frame: Frame, cls: Any, forms: dict[str, Any]) -> GrowingList:
    b, label = frame.b, cls.__name__.lower()
    form = Nest(OfRows, tuple(forms.values()), tuple(forms))
    kinds = part_kinds(form)
    room = b.apply("add", b.wrap(b.atom(LEAST_ROOM)), 0)  # no size that is known, as there is none later on

    def owned(atom: Atom, name: str) -> Ref:
        cell = Cell(name, grows=True)
        frame.st.store[cell] = atom
        return Ref(cell)

    columns = named_rows(
        form,
        label,
        lambda leaf, at: owned(buffers.made(b, room, leaf, at).atom, at) if isinstance(leaf, Kind) else leaf,
    )
    parts = Nest(tuple, (owned(b.atom(0), f"{label}_count"), columns), ("count", ""))
    return GrowingList(parts, tuple(kind.weak for kind in kinds), fixed=True, grows=True)


def as_row(frame: Frame, made: Nest) -> Nest:
    """A new object as a row, if those of its class are; what it was until then has no fields any more."""
    cls = users_class(made.cls)
    known = frame.inference.rows.get(cls)
    if known is None:
        return made
    given = {
        key: value_when_made(frame, cls, key, item)
        for key, item in zip(made.keys or (), made.items, strict=True)
    }
    forms = {
        key: form_with(frame, cls, key, known.get(key), value, frame.span) for key, value in given.items()
    }
    if forms.keys() != known.keys() or not all(same_form(known[key], form) for key, form in forms.items()):
        raise wanting_forms(frame, cls, {**known, **forms}, frame.span)
    atoms: list[Atom] = []
    for key, value in given.items():
        frame.inference.puts_new = key in fields_of_new_lists(cls)
        atoms += elements(frame, forms[key], value, FieldLists(cls, key))
    row = add_row(frame, cls, atoms)
    for item in made.items:
        if isinstance(item, AssignedField):
            frame.st.env[item.name] = Conflict(GIVEN_AWAY)
    return Placed.of(made.cls, row)


def empty_row(frame: Frame, nest: Nest) -> Placed:
    """A row for an object whose `__init__` gives all its fields values, and may give it to others."""
    cls = users_class(nest.cls)
    form = Nest(OfRows, tuple(frame.inference.rows[cls].values()))
    return Placed.of(
        nest.cls, add_row(frame, cls, [filler_value(frame.b, kind) for kind in part_kinds(form)])
    )


def add_row(frame: Frame, cls: Any, atoms: list[Atom]) -> Atom:
    """The number of a new row, of these elements."""
    rows, b = frame.rows[cls], frame.b
    cells = [leaf for leaf in leaves(rows.rows) if isinstance(leaf, Ref)]
    count = b.wrap(frame.atom(rows.count))
    held = [frame.atom(cell) for cell in cells]
    room = with_rows_for(b, held, count, 1, known=False) if held else []
    for cell, buffer, atom in zip(cells, room, atoms, strict=True):
        frame.write(cell, buffers.with_row(b, buffer, count, b.wrap(atom)).atom)
    frame.write(rows.count, b.atom(b.apply("add", count, 1, name=rows.count.cell.name)))
    number: Atom = b.atom(count)
    return number


def value_when_made(frame: Frame, cls: Any, key: str, item: Value) -> Value:
    """What a field has when its object is made."""
    value = frame.st.env.get(item.name, Unbound(FALSE)) if isinstance(item, AssignedField) else item
    if isinstance(value, Unbound):
        if value.pending:
            raise Bottom
        raise frame.refusal(
            f"the field {key!r} of {cls.__name__} may have no value when the object is made, and of such objects there "
            "are as many as is known when the program runs: give it one in `__init__`"
        )
    return value


def form_with(frame: Frame, cls: Any, key: str, form: Any, value: Value, span: Span) -> Any:
    """The form of a field that is given a value, too."""
    try:
        given = held_form(value)
    except Differ as differ:
        error = refuse(
            span,
            f"the field {key!r} of {cls.__name__} holds {differ}: fields of objects, of which there are as many as is "
            f"known when the program runs, {OF_NUMBERS}",
        )
        raise error from differ
    try:
        return form_of_both(form, given)
    except Differ as differ:
        raise refuse(
            span, f"the field {key!r} of {cls.__name__} is {differ}: give it one kind of value"
        ) from differ


def wanting_forms(frame: Frame, cls: Any, forms: dict[str, Any], span: Span) -> SourceError:
    """The SourceError for objects of a class whose fields hold more than was known."""
    error = refuse(
        span, f"the fields of {cls.__name__} are of kinds that change: give each one kind of value"
    )
    error.wants_rows = cls, forms
    return error


def elements(frame: Frame, form: Any, value: Value, field: FieldLists) -> Iterator[Atom]:
    """The elements of the columns of a field for a value of a form."""
    match form:
        case Nest(cls) if cls is LISTS:
            given = (frame.rows[field], value)
            yield frame.atom(frame.inference.call(frame, Static(list_put), given, {}, field.key))
        case Kind():
            yield as_kind(frame.b, frame.atom(value), form)
        case Optional():
            yield value.there if isinstance(value, Optional) else FALSE if is_none(value) else TRUE
            if is_none(value):
                yield from (filler_value(frame.b, kind) for kind in part_kinds(form.value))
            else:
                yield from elements(frame, form.value, given_value(value), field)
        case Nest(cls) if cls is TEXTS:
            yield frame.b.atom(number_among(frame, frame.inference.texts, value))
        case Nest(Members() as enum):
            yield frame.b.atom(number_among(frame, enum, value))
        case Nest(_, items):
            assert isinstance(value, Nest)
            for part, item in zip(items, value.items, strict=True):
                yield from elements(frame, part, item, field)


def read_field(frame: Frame, owner: Placed, key: str) -> Value | None:
    """What an object has in a field; None where it has no such field."""
    cls = users_class(owner.cls)
    column = frame.rows[cls].rows.field(key)
    if column is None:
        return None
    row = frame.b.wrap(frame.atom(owner.row))

    def now(part: Any, form: Any) -> Any:
        match part:
            case Ref():
                made = buffers.row_at(frame.b, frame.atom(part), row, key)
                return frame.take(frame.named(made, key, weak=form.weak), key)
            case Nest(of, (handles,)) if of is LISTS:
                number = buffers.row_at(frame.b, frame.atom(handles), row, key)
                return HeldList.made(number.atom, frame.rows[FieldLists(cls, key)])
            case Nest(of, items) if of is TEXTS:
                return Nest(frame.inference.texts, tuple(map(now, items, form.items)))
            case Nest(_, items):
                return part.with_items(tuple(map(now, items, form.items)))
        return part

    return now(column, frame.inference.rows[cls][key])


def with_fields_now(frame: Frame, value: Value) -> Value:
    """A dataclass that is compared by its fields with what these hold now; other values as they are."""
    if not isinstance(value, Placed) or value.cls.__eq__ is object.__eq__ or has_own(value.cls, "__eq__"):
        return value
    return as_fields_now(frame, value)


def as_fields_now(frame: Frame, value: Placed) -> Nest:
    """An object as what its fields hold now."""
    keys = tuple(frame.inference.rows[users_class(value.cls)])
    held = [read_field(frame, value, key) for key in keys]
    return Nest(value.cls, tuple(each for each in held if each is not None), keys)


def write_field(frame: Frame, owner: Placed, key: str, value: Value, span: Span) -> bool:
    """`owner.key = value`; False where it has no such field."""
    cls = users_class(owner.cls)
    known, column = frame.inference.rows[cls], frame.rows[cls].rows.field(key)
    if column is None and key not in (owner.cls.__dataclass_fields__ or ()):
        return False
    form = form_with(frame, cls, key, known.get(key), value, span)
    if column is None or not same_form(form, known[key]):
        raise wanting_forms(frame, cls, {**known, key: form}, span)
    b, row = frame.b, frame.b.wrap(frame.atom(owner.row))
    cells = [leaf for leaf in leaves(column) if isinstance(leaf, Ref)]
    given = [*elements(frame, form, value, FieldLists(cls, key))]
    for cell, atom in zip(cells, given, strict=True):
        frame.write(cell, buffers.with_row(b, frame.atom(cell), row, b.wrap(atom)).atom, span)
    return True
