"""Fields that are assigned to, as variables: `p.x = 1.0` binds the name that stands in p for its x.

class Body:                                    b = Body(x=%1%b_x, v=%2%b_v)
    def step(self, dt):                        %1%b_x, %2%b_v = x, 0.0
        self.v -= dt * self.x          ->      %2%b_v = %2%b_v - dt * %1%b_x
        self.x += dt * self.v                  %1%b_x = %1%b_x + dt * %2%b_v

b = Body(x, 0.0)
b.step(dt)

So branches, loops and calls do with them what they do with names, and two names of one object have its fields in
common. Which fields of a class are assigned to is found out: where one is that was taken to keep its value, inference
begins anew and knows it (known_lists.py).
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from typing import Any

from codegen.infer.frame import Bottom, Frame
from codegen.infer.memory.aliases import inner_values
from codegen.infer.objects.assigned import assigned_fields, users_class
from codegen.infer.objects.field import AssignedField, field_name, is_field_name, shown_name
from codegen.infer.objects.placed import Placed, objects_in
from codegen.infer.objects.rows import GIVEN_AWAY, as_fields_now, as_row, write_field
from codegen.infer.values import (
    FALSE,
    Closure,
    Conflict,
    Nest,
    Static,
    Unbound,
    Value,
    is_named_tuple,
    keys_of,
    leaves,
    rebuild,
)
from codegen.source import SourceError, Span, refuse

OUTSIDE = (
    "an object that the program is given, or that is around it, keeps its fields: make a new one in the program, "
    "`dataclasses.replace(...)` of it"
)

NOT_GIVEN = (
    "an object of {}, of which there are as many as is known when the program runs, stays in the program: give its "
    "fields"
)


class Namespace:
    """What a SimpleNamespace is in a program: fields under the names that it is made with."""


ONE_OF_TWO = (
    "a name is one of two objects here, or another one in each iteration, and one of them has another name or is in "
    "another object, which would show what is assigned to its fields: make a new one, `dataclasses.replace(...)` of it"
)


def with_fields(frame: Frame, made: Nest, name: str) -> Nest:
    """A new object; those of its fields that are assigned to are variables."""
    cls = users_class(made.cls)
    if cls in frame.inference.rows:
        return as_row(frame, made)
    known = frame.inference.fields.get(cls, frozenset())
    if not known:
        return made
    named = zip(made.keys or (), made.named(name), strict=True)
    return made.with_items(
        tuple(new_field(frame, item, label, cls) if key in known else item for key, (label, item) in named)
    )


def new_field(frame: Frame, value: Value, label: str, cls: Any) -> AssignedField:
    field = AssignedField(new_name(frame, label), cls)
    frame.st.env[field.name] = value
    return field


def new_name(frame: Frame, label: str) -> str:
    return field_name(next(frame.inference.numbers), shown_name(label))


def now(frame: Frame, item: Value, key: str, span: Span | None = None) -> Value:
    """What an object has in its field `key`."""
    return field_now(frame, item, key, span or frame.span) if isinstance(item, AssignedField) else item


def field_now(frame: Frame, field: AssignedField, key: str, span: Span) -> Value:
    """What the variable holds that a field is."""
    value = frame.st.env.get(field.name)
    message = f"the field {key!r} is used before it is given a value"
    match value:
        case None:
            raise refuse(
                span, f"{shown_name(field.name)!r} is of an object that a loop made: make it before the loop"
            )
        case Unbound(pending=True):
            raise Bottom
        case Unbound(bound, inner):
            if inner is None or bound is FALSE:
                raise refuse(span, message)
            with frame.b.at(span):
                frame.b.require(frame.b.wrap(bound), "AttributeError", message)
            frame.st.env[field.name] = value = inner
    return frame.use(field.name, value, span)


def value_to_give(frame: Frame, field: AssignedField) -> Value:
    """What a field holds, given on to a function or by one; Unbound where it may hold nothing."""
    return frame.st.env.get(field.name, Unbound(FALSE))


def numbers_given(frame: Frame, values: Iterable[Value]) -> Iterator[Value]:
    """What is given with values: what is in them, and what fields hold of objects among them."""
    for value in values:
        for leaf in leaves(value):
            if isinstance(leaf, AssignedField):
                held = frame.st.env.get(leaf.name)
                yield from numbers_given(frame, () if held is None else (held,))
            else:
                yield leaf


def as_they_are(frame: Frame, value: Any, span: Span, around: tuple[Any, ...] = ()) -> Any:
    """A value with what the fields in it hold now: no object, but a copy of one. `around`: the classes of objects in
    whose fields it is."""
    rows = [each.cls for each in objects_in(value)]
    if isinstance(value, Placed) and value.cls not in around:
        return as_they_are(frame, as_fields_now(frame, value), span, (*around, value.cls))
    if rows and (not isinstance(value, Nest) or isinstance(value, Placed)):
        raise refuse(span, NOT_GIVEN.format(users_class(rows[0]).__name__))
    if rows:
        return value.with_items(tuple(as_they_are(frame, item, span, around) for item in value.items))

    def held(leaf: Any) -> Any:
        if not isinstance(leaf, AssignedField):
            return leaf
        return as_they_are(frame, field_now(frame, leaf, shown_name(leaf.name), span), span)

    return rebuild(value, held) if any(isinstance(leaf, AssignedField) for leaf in leaves(value)) else value


def assign_field(frame: Frame, owner: Value, key: str, value: Value, span: Span) -> None:
    """`owner.key = value`"""
    if not isinstance(owner, Nest) or owner.keys is None or owner.cls in (dict, complex):
        if isinstance(owner, Static) and keys_of(type(owner.value)) is not None:
            raise refuse(span, OUTSIDE)
        instead = "write `x = x.reshape(...)`" if key == "shape" else "make a new one"
        raise refuse(
            span,
            f"assigning to the attribute {key!r} of {frame.describe(owner)} is not supported: {instead}",
        )
    cls, field = users_class(owner.cls), owner.field(key)
    if isinstance(owner, Placed) and write_field(frame, owner, key, value, span):
        return
    if isinstance(field, AssignedField):
        if isinstance(held := frame.st.env.get(field.name), Conflict) and held.message == GIVEN_AWAY:
            raise refuse(span, GIVEN_AWAY)
        frame.st.env[field.name] = value
        return
    member = inspect.getattr_static(cls, key, None)
    if isinstance(member, property) and member.fset is not None:
        frame.inference.call(frame, Static(member.fset), (owner, value), {}, "t")
        return
    raise keeping(frame, owner, cls, key, span)


def keeping(frame: Frame, owner: Nest, cls: Any, key: str, span: Span) -> SourceError:
    """The SourceError for a field that keeps its value, or is to be known as one that does not."""
    is_data, name = is_dataclass(cls), cls.__name__
    if cls is Namespace:
        return refuse(
            span, f"a SimpleNamespace has the fields that it is made with: make it with {key!r}, too"
        )
    if is_named_tuple(cls):
        return refuse(span, f"a named tuple keeps its fields: write `{name}(...)`, or `_replace`")
    if is_data and vars(cls)["__dataclass_params__"].frozen:
        return refuse(span, f"cannot assign to field {key!r}: {name} is frozen; use dataclasses.replace")
    if isinstance(inspect.getattr_static(cls, key, None), property):
        return refuse(span, f"property {key!r} of {name!r} object has no setter")
    if is_data and key not in (owner.keys or ()):
        return refuse(span, f"{name} has no field {key!r}: give the dataclass one")
    if any(isinstance(vars(base).get("__setattr__"), types.FunctionType) for base in cls.__mro__):
        return refuse(span, f"{name} has a __setattr__ of its own, which is not called: write a method")
    error = refuse(span, OUTSIDE)
    known = frame.inference.fields.get(cls, frozenset())
    if key not in known:
        error.wants_fields = cls, known | {key} | assigned_fields(cls)
    return error


def label_of_field(owner: Value, key: str) -> str:
    """What a field is called in emitted text."""
    field = owner.field(key) if isinstance(owner, Nest) else None
    return shown_name(field.name) if isinstance(field, AssignedField) else key


def one_of_two(span: Span, field: AssignedField) -> SourceError:
    """The SourceError for a field of one of two objects, others of which have names."""
    error = refuse(span, ONE_OF_TWO)
    error.wants_rows = None if field.of is None else (field.of, {})
    return error


def fields_in(values: Iterable[Value | None], frame: Frame) -> Iterator[AssignedField]:
    """The fields that values reach, through objects in fields and what functions hold; functions of the frame itself
    look its names up when they are called."""
    seen: set[Any] = set()
    waiting: list[Value | None] = [*values]
    while waiting:
        for leaf in leaves(waiting.pop()):
            if leaf in seen or isinstance(leaf, Closure) and leaf.frame is frame:
                continue
            seen.add(leaf)
            if isinstance(leaf, AssignedField):
                yield leaf
                waiting.append(frame.st.env.get(leaf.name))
            else:
                waiting.extend(inner_values(leaf))


def fields_of(env: dict[str, Value]) -> dict[str, Value]:
    """What fields hold, by the names of their variables."""
    return {name: value for name, value in env.items() if is_field_name(name)}
