"""Dataclasses and named tuples: made of their fields, and made anew with other ones; objects of plain classes, whose
`__init__` does nothing with them but give them fields:

    def __init__(self, L):                      def __init__(L2):
        self.L = L                    ->            L = L2; area = L * L2
        self.area = self.L * L                      return L, area
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from enum import EnumType
from functools import lru_cache
from typing import Any

from codegen.infer.calls.binding import Arguments, Keywords, default_objects
from codegen.infer.calls.suggestions import is_users_class
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.frame import Frame
from codegen.infer.functions import globals_of
from codegen.infer.objects.assigned import MADE, assigned_fields, given_fields
from codegen.infer.objects.fields import Namespace, assign_field, new_field, now, with_fields
from codegen.infer.objects.making import HOOKS, make_by_method, python_super, record_of
from codegen.infer.objects.placed import Placed
from codegen.infer.objects.rows import as_fields_now, as_row
from codegen.infer.tables.results import nests_in
from codegen.infer.texts.enum_members import member_of_value
from codegen.infer.unloaded import ReadFunction
from codegen.infer.values import FALSE, TRUE, Nest, Static, Unbound, Value, keys_of
from codegen.ir.traversal import claimed_name
from codegen.process_cache import forgettable
from codegen.read import tree
from codegen.read.relocation import with_pieces
from codegen.read.scope import all_statements, assigned_names, read_names
from codegen.source import Span, refuse


def constructed(frame: Frame, cls: Any, arguments: Arguments, keywords: Keywords, name: str) -> Value | None:
    """An object of a class of the user's, or None."""
    if cls is types.SimpleNamespace and not arguments:
        made = Nest(record_of(Namespace, (*keywords,)), (*keywords.values(),), (*keywords,))
        return made.with_items(tuple(new_field(frame, v, label, Namespace) for label, v in made.named(name)))
    if isinstance(cls, EnumType):
        return member_of_value(frame, cls, *arguments) if len(arguments) == 1 and not keywords else None
    if (keys := keys_of(cls)) is not None:
        return construct(frame, cls, keys, arguments, keywords, name)
    return construct_by_init(frame, cls, arguments, keywords, name) if is_users_class(cls) else None


def construct(
    frame: Frame, cls: Any, keys: tuple[str, ...], arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """A named tuple or dataclass made of values."""
    more = own_maker(cls)
    finishes = more == "__post_init__" and dataclasses.is_dataclass(cls)
    if finishes and takes_more(cls):
        more, finishes = "InitVar", False
    if more is not None and not finishes:
        raise frame.refusal(
            f"{cls.__name__} does more than hold its fields ({more}): use a plain class of fields"
        )
    listed = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    apart = {f.name for f in listed if not f.init or f.kw_only}
    in_order = [key for key in keys if key not in apart]
    made = dict(zip(in_order, arguments, strict=False))
    taken = [key for key in keys if key not in {f.name for f in listed if not f.init}]
    for key, value in keywords.items():
        if key not in taken or key in made:
            raise frame.refusal(f"{cls.__name__} takes no second or unknown field {key!r}")
        made[key] = value
    for key, default in defaults_of_fields(cls).items():
        if key not in made:
            made[key] = default(frame)
    missing = [key for key in keys if key not in made and not (finishes and key not in taken)]
    if len(arguments) > len(in_order) or missing:
        raise frame.refusal(f"{cls.__name__} takes the fields {', '.join(taken)}")
    nest = Nest(cls, tuple(made.get(key, Unbound(FALSE)) for key in keys), keys)
    return after_init(frame, nest, name) if finishes else with_fields(frame, nest, name)


def takes_more(cls: Any) -> bool:
    """Whether a dataclass takes what is no field, and is given to its `__post_init__`."""
    return any(key not in (keys_of(cls) or ()) for key in inspect.signature(cls).parameters)


def after_init(frame: Frame, nest: Nest, name: str) -> Value:
    """A new object of a dataclass, after its `__post_init__`, which may give fields other values."""
    cls = nest.cls
    changed = assigned_fields(cls) | frame.inference.fields.get(cls, frozenset())
    named = zip(nest.keys or (), nest.named(name), strict=True)
    items = (new_field(frame, v, label, cls) if key in changed else v for key, (label, v) in named)
    made = nest.with_items(tuple(items))
    frame.inference.call(frame, Static(cls.__post_init__), (made,), {}, "t")
    return as_row(frame, made)


def construct_by_init(
    frame: Frame, cls: type, arguments: Arguments, keywords: Keywords, name: str
) -> Value | None:
    """An object of a class whose `__init__` gives it its fields; None of a class that may do more."""
    init = cls.__dict__.get("__init__")
    own = any(key in cls.__dict__ for key in HOOKS)
    if not isinstance(init, types.FunctionType) or type(cls) is not type or cls.__bases__ != (object,) or own:
        return make_by_method(frame, cls, arguments, keywords, name)
    made = fields_made(frame.inference.define(init), cls)
    if made is None or any(hasattr(cls, key) for key in made[1]):
        return make_by_method(frame, cls, arguments, keywords, name)
    function = ReadFunction(cls.__name__, made[0], globals_of(init), default_objects(init))
    fields = frame.inference.call(frame, Static(function), arguments, keywords, name)
    assert isinstance(fields, Nest)
    later = sorted(frame.inference.fields.get(cls, frozenset()).difference(made[1]))
    keys, items = (*made[1], *later), (*fields.items, *(Unbound(FALSE) for _ in later))
    return with_fields(frame, Nest(record_of(cls, keys), items, keys), name)


@forgettable
@lru_cache(256)
def fields_made(init: tree.Define, cls: type) -> tuple[tree.Define, tuple[str, ...]] | None:
    """An `__init__` as a function that returns the fields, and these; None where it does more with its object."""
    own, *parameters = init.parameters
    fields = tuple(
        dict.fromkeys(name for node in all_statements(init.body) for name in given_fields(node, own.name))
    )
    taken = {*read_names(init.body), *assigned_names(init.body), *(p.name for p in parameters)}
    names = {name: claimed_name(name, taken) for name in fields}

    def change(part: Any) -> Any:
        match part:
            case tree.Attribute(span, tree.Name(_, own.name), name) if name in names:
                return tree.Name(span, names[name])
            case tree.Attribute(span, tree.Name(_, own.name), name) if is_constant(cls, name):
                return tree.Attribute(span, tree.Constant(span, cls), name)
        return None

    body = with_pieces(init.body, change)
    ends = any(isinstance(node, tree.Return | tree.Yield) for node in all_statements(body))
    if not fields or ends or not {own.name, "super"}.isdisjoint({*read_names(body), *assigned_names(body)}):
        return None
    listed = tuple(tree.Name(init.span, name) for name in names.values())
    last = tree.Return(init.span, tree.DictDisplay(init.span, fields, listed))
    return replace(init, name=cls.__name__, parameters=tuple(parameters), body=(*body, last)), fields


def is_constant(cls: type, name: str) -> bool:
    """Whether a class has a number, or a tuple or text, of a name."""
    return isinstance(inspect.getattr_static(cls, name, None), bool | int | float | tuple | str)


def refuse_objects(value: Any, span: Span) -> None:
    """SourceError where an object is returned that Python would have to make otherwise."""
    for part in nests_in(value):
        if isinstance(part, Nest) and hasattr(part.cls, MADE):
            raise refuse(
                span, f"an object of {part.cls.__name__} is not returned: return its fields, or a dataclass"
            )


def own_maker(cls: Any) -> str | None:
    """The method of a class of the user's that makes it otherwise than field by field."""
    for name in ("__post_init__", "__init__", "__new__"):
        found = getattr(cls, name, None)
        if isinstance(found, types.FunctionType) and found.__code__.co_filename != "<string>":
            return name
    return None


def defaults_of_fields(cls: Any) -> dict[str, Callable[[Frame], Value]]:
    """How the fields are made that a call leaves out."""

    def known(key: str, value: Any) -> Callable[[Frame], Value]:
        return lambda frame: frame.constant(value, key)

    def new(key: str, factory: Any) -> Callable[[Frame], Value]:
        return lambda frame: frame.inference.call(frame, Static(factory), (), {}, key)

    if not dataclasses.is_dataclass(cls):
        return {key: known(key, value) for key, value in cls._field_defaults.items()}
    fields, missing = dataclasses.fields(cls), dataclasses.MISSING
    values = {f.name: known(f.name, f.default) for f in fields if f.default is not missing}
    return values | {
        f.name: new(f.name, f.default_factory) for f in fields if f.default_factory is not missing
    }


def python_replace(frame: Frame, name: str, obj: Value, /, **changes: Value) -> Value:
    """A dataclass with other values of some fields."""
    if not isinstance(obj, Nest) or not dataclasses.is_dataclass(obj.cls):
        raise frame.refusal(f"replace() is of dataclasses, not of {frame.describe(obj)}")
    taken = {f.name for f in dataclasses.fields(obj.cls) if f.init}
    obj = as_fields_now(frame, obj) if isinstance(obj, Placed) else obj
    kept = {k: now(frame, v, k) for k, v in zip(obj.keys or (), obj.items, strict=True) if k in taken}
    return frame.inference.call(frame, Static(obj.cls), (), {**kept, **changes}, name)


def python_asdict(cls: type) -> Callable[..., Value]:
    """`asdict(p)` and `astuple(p)`: of the dataclasses in its fields, too."""

    def made(frame: Frame, value: Value, *, whole: bool = False) -> Value:
        if not isinstance(value, Nest) or is_complex(value):
            return value
        is_data = dataclasses.is_dataclass(value.cls) and not hasattr(value.cls, MADE)
        if not is_data and (whole or value.cls not in (tuple, list, dict)):
            return value
        value = as_fields_now(frame, value) if isinstance(value, Placed) else value
        keys = value.keys or ()
        items = tuple(made(frame, now(frame, v, "")) for v in value.items)
        return Nest(cls, items, keys if cls is dict else None) if is_data else value.with_items(items)

    def python(frame: Frame, name: str, obj: Value, /) -> Value:
        if (found := made(frame, obj, whole=True)) is obj:
            raise frame.refusal(f"{'asdict' if cls is dict else 'astuple'}() is of dataclasses")
        return found

    return python


def python_setattr(frame: Frame, name: str, obj: Value, key: Value, value: Value, /) -> Value:
    """A field given a value under a name that is known."""
    if not isinstance(key, Static) or not isinstance(key.value, str):
        raise frame.refusal("setattr() takes a text that is known")
    assign_field(frame, obj, key.value, value, frame.span)
    return Static(None)


def python_getattr(frame: Frame, name: str, obj: Value, key: Value, *default: Value) -> Value:
    """What an object has under a name that is known."""
    if not isinstance(key, Static) or not isinstance(key.value, str):
        raise frame.refusal("getattr() takes a text that is known")
    if default and not has_attribute(obj, key.value):
        return default[0]
    found: Value = frame.inference.attribute(frame, obj, key.value, frame.span)
    return found


def python_iter(frame: Frame, name: str, items: Value, /) -> Value:
    """`return iter(...)` in an `__iter__`, whose items are gone through once."""
    if not isinstance(frame.define, tree.Define) or frame.define.name != "__iter__":
        raise frame.refusal(
            "`iter` stands in an `__iter__` alone: write a loop, or take items by their places"
        )
    return items


def python_hasattr(frame: Frame, name: str, obj: Value, key: Value, /) -> Value:
    """Whether an object has a field, or its class something, of a name that is known."""
    if not isinstance(key, Static) or not isinstance(key.value, str):
        raise frame.refusal("hasattr() takes a text that is known")
    return TRUE if has_attribute(obj, key.value) else FALSE


def has_attribute(obj: Value, key: str) -> bool:
    held = obj.value if isinstance(obj, Static) else obj.cls if isinstance(obj, Nest) else None
    return isinstance(obj, Nest) and obj.cls is not dict and key in (obj.keys or ()) or hasattr(held, key)


STRUCTURES: dict[Any, Callable[..., Value]] = {
    dataclasses.replace: python_replace, dataclasses.asdict: python_asdict(dict),
    dataclasses.astuple: python_asdict(tuple), super: python_super, setattr: python_setattr,
    object.__setattr__: python_setattr, getattr: python_getattr, hasattr: python_hasattr, iter: python_iter,
}  # fmt: skip
