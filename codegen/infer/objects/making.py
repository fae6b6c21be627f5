"""Objects of classes whose `__init__` does more with them than give them fields: it is called as any method is.

class Run:
    def __init__(self, n):              run = Run(n=%1%run_n, x=%2%run_x)
        self.n = n               ->     __init__(run, n), which assigns to the fields
        self.reset()
"""

from __future__ import annotations

import types
from abc import ABC, ABCMeta
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass, replace
from functools import lru_cache
from inspect import getattr_static
from typing import Any, Generic

from codegen.infer.calls.binding import Arguments, Keywords, default_objects
from codegen.infer.calls.suggestions import is_users_class
from codegen.infer.frame import Frame
from codegen.infer.functions import globals_of
from codegen.infer.objects.assigned import (
    MADE,
    assigned_fields,
    fields_given_for_sure,
    fields_given_in,
    is_readable,
)
from codegen.infer.objects.fields import new_field
from codegen.infer.objects.placed import Placed
from codegen.infer.objects.rows import as_row, empty_row
from codegen.infer.unloaded import ReadFunction
from codegen.infer.values import FALSE, Nest, Static, Unbound, Value
from codegen.process_cache import forgettable
from codegen.read import tree

BARE = (ABC, Generic)  # which tell what a class is for, and give its objects nothing
HOOKS = ("__new__", "__setattr__", "__getattr__", "__getattribute__", "__init_subclass__")


def make_by_method(
    frame: Frame, cls: type, arguments: Arguments, keywords: Keywords, name: str
) -> Value | None:
    """An object of a class of the user's, by its `__init__`; None of classes that may do more than Python's own."""
    init: Any = getattr_static(cls, "__init__")
    bases = [base for base in cls.__mro__[:-1] if base not in BARE]
    if type(cls) not in (type, ABCMeta) or getattr(cls, "__abstractmethods__", None):
        return None
    if not all(is_users_class(base) for base in bases):
        return None
    if any(hook in vars(base) for base in bases for hook in HOOKS):
        return None
    if isinstance(init, types.FunctionType) and not is_readable(init):
        return None
    first = fields_given_in(init) if isinstance(init, types.FunctionType) else ()
    later = assigned_fields(cls) | frame.inference.fields.get(cls, frozenset())
    given = dict.fromkeys((*first, *sorted(later)))
    keys = tuple(key for key in given if not isinstance(getattr_static(cls, key, None), property))
    items = [*initial_values(frame, cls, keys)]
    if len(items) < len(keys):
        return None
    nest = Nest(record_of(cls, keys), tuple(items), keys)
    at_once = isinstance(init, types.FunctionType) and set(keys) <= fields_given_for_sure(init)
    if cls in frame.inference.rows and at_once:
        made: Nest = empty_row(frame, nest)
    else:
        made = nest.with_items(tuple(new_field(frame, item, label, cls) for label, item in nest.named(name)))
    if isinstance(init, types.FunctionType):
        define = as_maker(frame.inference.define(init), cls.__name__)
        function = ReadFunction(cls.__name__, define, globals_of(init), default_objects(init))
        frame.inference.call(frame, Static(function), (made, *arguments), keywords, "t")
    elif arguments or keywords:
        raise frame.refusal(f"{cls.__name__}() takes no arguments")
    return made if isinstance(made, Placed) else as_row(frame, made)


def initial_values(frame: Frame, cls: type, keys: tuple[str, ...]) -> Iterator[Value]:
    """What fields hold before `__init__`: a number of the class, or nothing; fewer where something else is there."""
    for key in keys:
        member = getattr_static(cls, key, None)
        if isinstance(member, bool | int | float | str | tuple):
            yield frame.constant(member, key)
        elif member is None or isinstance(member, types.MemberDescriptorType):
            yield Unbound(FALSE)


@dataclass(frozen=True, eq=False)
class AsParent(Nest):
    """What `super()` is in a method: the object, with the methods of the class behind the method's."""

    own: Any = None


def python_super(frame: Frame, name: str) -> Value:
    """`super()` in a method."""
    parameters = frame.define.parameters
    held = frame.st.env.get(parameters[0].name) if parameters else None
    try:
        around = frame.globals("__class__")
    except KeyError:
        around = None
    if around is None or not isinstance(held, Nest) or around not in held.cls.__mro__:
        raise frame.refusal("`super()` stands in a method of an object that the program makes")
    behind = held.cls.__mro__[held.cls.__mro__.index(around) + 1 :]
    if any(base not in (*behind[0].__mro__, *BARE) for base in behind):
        raise frame.refusal(
            "`super()` of a class with several bases is not supported: name the class that is meant"
        )
    return AsParent(behind[0], held.items, held.keys, held)


@forgettable
@lru_cache(256)
def as_maker(init: tree.Define, name: str) -> tree.Define:
    """An `__init__` under its class's name."""
    return replace(init, name=name)


@forgettable
@lru_cache(256)
def record_of(cls: type, keys: tuple[str, ...]) -> type:
    """A class of such fields with the methods of another."""
    return make_dataclass(cls.__name__, keys, bases=(cls,), eq=False, init=False, namespace={MADE: cls})
