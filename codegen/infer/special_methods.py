"""What a user's class says of operators: `p + q` of a dataclass is `p.__add__(q)`, `len(p)` is `p.__len__()`.

A dataclass has the operators that it defines and the comparisons that `dataclass` writes; it is no sequence. A named
tuple is one, but for what its class defines anew.
"""

from __future__ import annotations

import types
from dataclasses import is_dataclass
from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.values import Nest, Ref, Static, Value, View
from codegen.source import Span, refuse

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
COMPARED = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
OF_FUNCTIONS: dict[Any, str] = {
    len: "__len__", abs: "__abs__", float: "__float__", int: "__int__", bool: "__bool__", round: "__round__",
    divmod: "__divmod__", reversed: "__reversed__",
}  # fmt: skip


def method_of(value: Value, name: str) -> types.FunctionType | None:
    """A special method that a class of the user's has of its own; what `dataclass` writes stands in no file."""
    if not isinstance(value, Nest) or value.keys is None or value.cls in (dict, complex):
        return None
    found = getattr(value.cls, name, None)
    is_own = isinstance(found, types.FunctionType) and found.__code__.co_filename != "<string>"
    return found if is_own else None


def by_special_method(frame: Frame, name: str, *values: Value) -> Value | None:
    """What a special method of the first value's class gives; None where it has none."""
    found = method_of(values[0], name)
    return None if found is None else frame.inference.call(frame, Static(found), values, {}, "t")


def of_function(frame: Frame, function: Any, arguments: tuple[Value, ...]) -> Value | None:
    """What a function of Python's gives by a special method of its argument's class."""
    name = OF_FUNCTIONS.get(function)
    return by_special_method(frame, name, *arguments) if name and arguments else None


def by_operator(frame: Frame, sign: str, left: Value, right: Value) -> Value | None:
    """`left sign right` by a method of one of them; None where neither has one."""
    first, second = sign_methods(sign)
    if sign == "!=" and method_of(left, first) is None and method_of(left, "__eq__") is not None:
        raise frame.refusal(f"`!=` of {frame.describe(left)} is not supported: write `not ... == ...`")
    made = by_special_method(frame, first, left, right)
    if made is None and method_of(right, second) is not None:
        if isinstance(left, Ref | View):
            raise frame.refusal(
                f"`{sign}` of an array and {frame.describe(right)} asks each element: turn them round"
            )
        made = by_special_method(frame, second, right, left)
    if made is not None and isinstance(made, Static) and made.value is NotImplemented:
        raise frame.refusal(f"`{sign}` gives NotImplemented here: test for what it takes before")
    if made is None and sign in ("==", "!=") and any(map(is_an_object, (left, right))):
        raise frame.refusal(f"`{sign}` compares objects: compare their fields")
    return made


def by_augmented(frame: Frame, sign: str, left: Value, right: Value) -> Value | None:
    """`left sign= right` by the method that the left side's class has for it."""
    return by_special_method(frame, f"__i{BINARY[sign]}__", left, right) if sign in BINARY else None


def is_an_object(value: Value) -> bool:
    """Whether a dataclass is equal to itself alone."""
    return isinstance(value, Nest) and is_record(value) and value.cls.__eq__ is object.__eq__


def sign_methods(sign: str) -> tuple[str, str]:
    """The methods of the left side, and of the right."""
    if sign in COMPARED:
        return f"__{COMPARED[sign]}__", f"__{COMPARED[TURNED[sign]]}__"
    return f"__{BINARY[sign]}__", f"__r{BINARY[sign]}__"


def is_record(value: Value) -> bool:
    """Whether a value is a dataclass: fields by names, and no sequence."""
    return isinstance(value, Nest) and is_dataclass(value.cls)


def items_in_turn(frame: Frame, nest: Nest, span: Span | None = None) -> list[Value]:
    """What Python gives item by item."""
    if is_record(nest) or method_of(nest, "__iter__") is not None:
        raise refuse(
            span or frame.span, f"{frame.describe(nest)} is gone through by its fields: name them one by one"
        )
    return nest.iterated()


def truth_by_method(frame: Frame, nest: Nest) -> Value | None:
    """What `bool` asks of a class of the user's; a dataclass that says nothing is true."""
    for name in ("__bool__", "__len__"):
        if (made := by_special_method(frame, name, nest)) is not None:
            return made
    return frame.b.atom(True) if is_record(nest) else None
