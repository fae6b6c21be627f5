"""Dataclasses and named tuples: made of their fields, and made anew with other ones."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.frame import Frame
from codegen.infer.values import Nest, Static, Value


def construct(
    frame: Frame, cls: Any, keys: tuple[str, ...], arguments: Arguments, keywords: Keywords
) -> Value:
    """A named tuple or dataclass made of values."""
    if (more := own_maker(cls)) is not None:
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
    if len(arguments) > len(in_order) or any(key not in made for key in keys):
        raise frame.refusal(f"{cls.__name__} takes the fields {', '.join(taken)}")
    return Nest(cls, tuple(made[key] for key in keys), keys)


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
    kept = {k: v for k, v in zip(obj.keys or (), obj.items, strict=True) if k in taken}
    return frame.inference.call(frame, Static(obj.cls), (), {**kept, **changes}, name)


STRUCTURES: dict[Any, Callable[..., Value]] = {dataclasses.replace: python_replace}
