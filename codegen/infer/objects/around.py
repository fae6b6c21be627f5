"""Objects around the program of which one is chosen when it runs: the fields that they have.

SCENE = [Ball(1.0, 2.0), Ball(3.0, 0.5)]
hit = None                                          hit_there, hit_x, hit_r = False, 0.0, 0.0
for ball in SCENE:                       ->         if 1.0 < x:
    if ball.x < x:                                      hit_there, hit_x, hit_r = True, 1.0, 2.0
        hit = ball                                  ...
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from codegen.infer.calls.suggestions import is_users_class
from codegen.infer.dependencies import note_attribute
from codegen.infer.frame import Frame
from codegen.infer.objects.assigned import has_own
from codegen.infer.objects.making import record_of
from codegen.infer.texts.letters import are_unlike_texts, texts_that_meet
from codegen.infer.values import Nest, Static, Value, keys_of


def values_that_meet(frame: Frame, x: Any, y: Any, ways: Any) -> tuple[Value, Value] | None:
    """Two texts, or two objects, as values that may be one; None of others. Raises Differ."""
    if are_unlike_texts(x, y):
        u, v = texts_that_meet(frame, (x, y), ways)
        return u, v
    u, v = (with_fields_shown(frame, each) for each in (x, y))
    met = isinstance(u, Nest) and u.like(v) and (u is not x or v is not y)
    return (u, v) if met else None


def with_fields_shown(frame: Frame, value: Any, method: str = "") -> Any:
    """An object around the program, of a class that has the method, as what it has in its fields; other values as they
    are."""
    obj: Any = value.value if isinstance(value, Static) else None
    if not is_users_class(type(obj)) or isinstance(obj, type | Enum | BaseException):
        return value
    if (
        method
        and not has_own(type(obj), method)
        or hasattr(obj, "trace")
        or hasattr(type(obj), "__getattr__")
    ):
        return value
    keys = keys_of(type(obj)) or tuple(getattr(obj, "__dict__", ()))
    if not keys:
        return value
    own: Any = type(obj)
    cls = own if keys_of(own) else record_of(own, keys)
    return Nest(cls, tuple(fields_shown(frame, obj, keys)), keys)


def sides_shown(frame: Frame, x: Any, y: Any, sign: str) -> tuple[Any, Any]:
    """The two sides of an operator, an object around the program by its fields; not where Python can tell, or where it
    is equal to itself alone."""
    if isinstance(x, Static) == isinstance(y, Static):
        return x, y
    one, other = (x, y) if isinstance(x, Static) else (y, x)
    cls: Any = type(one.value)
    if sign in ("==", "!=") and cls.__eq__ is object.__eq__ and not isinstance(other, Nest):
        return x, y
    made = with_fields_shown(frame, one)
    return (made, other) if one is x else (other, made)


def fields_shown(frame: Frame, obj: Any, keys: tuple[str, ...]) -> Iterator[Value]:
    for key in keys:
        found = getattr(obj, key)
        note_attribute(obj, key, found)
        yield frame.constant(found, key)
