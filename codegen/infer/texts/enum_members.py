"""What a member of an Enum has of which it is found out when the program runs which one it is, and which has a value.

s.value     ->      (1, 2, 3)[s]
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from codegen.infer.control.truth import both
from codegen.infer.frame import Frame
from codegen.infer.texts.known_texts import members_of
from codegen.infer.values import Nest, Partial, Static, Value
from codegen.ir import Lit, Var
from codegen.source import Span, refuse


def of_member(frame: Frame, owner: Nest, name: str, span: Span) -> Value:
    """What a member has that is found out when the program runs: a text or a number of each, or a method."""
    enum = owner.cls.enum
    member = inspect.getattr_static(enum, name, None)
    if isinstance(member, types.FunctionType):
        return Partial(Static(member), (owner,), {})
    if type(member) is property:
        return frame.inference.call(frame, Static(member.fget), (owner,), {}, name)
    held: list[Any] = [getattr(each, name, None) for each in owner.cls.known]
    texts = frame.inference.texts
    are_texts = all(isinstance(each, str) for each in held)
    if not are_texts and not all(isinstance(each, bool | int | float) for each in held):
        why = "are numbers of all members, or texts, where it is found out when the program runs which one is meant"
        raise refuse(span, f"the attributes of {enum.__name__} {why}: {name!r} is not")
    given, made = frame.give(owner.items[0]), None
    for k, each in enumerate(held):
        one = frame.constant(texts.number(each) if are_texts else each, name, span)
        made = one if made is None else frame.b.apply("select", frame.b.apply("eq", given, k), one, made)
    chosen = frame.atom(made) if isinstance(made, Lit) else frame.b.atom(made)
    return Nest(texts, (chosen,)) if are_texts else chosen


def member_of_value(frame: Frame, enum: Any, value: Value) -> Value:
    """`State(k)`: the member of an Enum that has a number for its value; ValueError where none has."""
    if isinstance(value, Static | Lit):
        try:
            return frame.constant(enum(value.value), "t")
        except ValueError as error:
            raise frame.refusal(str(error)) from None
    listed = [*enum]
    if not isinstance(value, Var) or not all(isinstance(each.value, int) for each in listed):
        raise frame.refusal(f"{enum.__name__}() takes an int, or a value that is known")
    b, given, number, met = frame.b, frame.give(value), 0, False
    for k, each in enumerate(listed):
        same = b.apply("eq", given, each.value)
        number, met = b.apply("select", same, k, number), both(frame, "or", met, same)
    b.require(met, "ValueError", f"not a valid {enum.__name__}")
    return value if issubclass(enum, int) else Nest(members_of(enum), (b.atom(number),))
