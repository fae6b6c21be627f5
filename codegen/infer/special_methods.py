"""What a user's class says of operators: `p + q` of a dataclass is `p.__add__(q)`, `len(p)` is `p.__len__()`, `p[i]` is
`p.__getitem__(i)`.

A dataclass has the operators that it defines and the comparisons that `dataclass` writes; it is no sequence. A named
tuple is one, but for what its class defines anew.
"""

from __future__ import annotations

import types
from dataclasses import is_dataclass, replace
from functools import lru_cache
from typing import Any

from codegen.infer.calls.binding import default_objects
from codegen.infer.frame import Frame
from codegen.infer.functions import globals_of
from codegen.infer.objects.around import with_fields_shown
from codegen.infer.objects.assigned import has_own, users_class
from codegen.infer.objects.field import AssignedField
from codegen.infer.objects.placed import Placed
from codegen.infer.tables.values import HeldList
from codegen.infer.unloaded import ReadFunction
from codegen.infer.values import Nest, Ref, Static, Value, View, cell_of
from codegen.ir import Lit, Var
from codegen.ir.build import E
from codegen.process_cache import forgettable
from codegen.read import tree
from codegen.read.scope import all_statements
from codegen.source import SourceError, Span, refuse

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
COMPARED = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
TAKEN_APART = "is compared, but not taken apart"  # one of several texts
OF_FUNCTIONS: dict[Any, str] = {
    len: "__len__", abs: "__abs__", float: "__float__", int: "__int__", bool: "__bool__", round: "__round__",
    divmod: "__divmod__", reversed: "__reversed__",
}  # fmt: skip


def method_of(value: Value, name: str) -> types.FunctionType | None:
    """A special method that a class of the user's has of its own; what `dataclass` writes stands in no file."""
    if not isinstance(value, Nest) or value.keys is None or value.cls in (dict, complex):
        return None
    return getattr(value.cls, name) if has_own(value.cls, name) else None


def by_special_method(frame: Frame, name: str, *values: Value) -> Value | None:
    """What a special method of the first value's class gives; None where it has none."""
    found = method_of(values[0], name)
    return None if found is None else frame.inference.call(frame, Static(found), values, {}, "t")


def of_function(frame: Frame, function: Any, arguments: tuple[Value, ...]) -> Value | None:
    """What a function of Python's gives by a special method of its argument's class."""
    name = OF_FUNCTIONS.get(function)
    if name is None or not arguments:
        return None
    first = arguments[0] if name == "__len__" else with_fields_shown(frame, arguments[0], name)
    return by_special_method(frame, name, first, *arguments[1:])


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
    if (
        made is None
        and sign in ("==", "!=")
        and is_an_object(left)
        and same_row(frame, left, right) is not None
    ):
        same = same_row(frame, left, right)
        return frame.b.atom(same if sign == "==" else frame.b.apply("not", same))
    if made is None and sign in ("==", "!=") and any(map(is_an_object, (left, right))):
        raise as_rows(frame.refusal(f"`{sign}` compares objects: compare their fields"), left, right)
    return made


def by_augmented(frame: Frame, sign: str, left: Value, right: Value) -> Value | None:
    """`left sign= right` by the method that the left side's class has for it."""
    return by_special_method(frame, f"__i{BINARY[sign]}__", left, right) if sign in BINARY else None


def as_rows(error: SourceError, *values: Value) -> SourceError:
    """The error for objects of which it would be known which one is which if they were rows."""
    found = [value.cls for value in values if isinstance(value, Nest) and value.keys and is_record(value)]
    error.wants_rows = (users_class(found[0]), {}) if found else None
    error.stands = True
    return error


def same_row(frame: Frame, x: Value, y: Value) -> Any:
    """Whether two objects that are rows are one; None of others."""
    if not (isinstance(x, Placed) and isinstance(y, Placed)):
        return None
    if users_class(x.cls) is not users_class(y.cls):
        return frame.b.wrap(frame.b.atom(False))
    return frame.b.apply("eq", frame.b.wrap(frame.atom(x.row)), frame.b.wrap(frame.atom(y.row)))


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


def item_by_method(frame: Frame, container: Value, index: Any) -> Value | None:
    """`container[index]` by the method of a class of the user's; None of what is a sequence or a dict."""
    container = with_fields_shown(frame, container, "__getitem__")
    if method_of(container, "__getitem__") is not None:
        return by_special_method(frame, "__getitem__", container, index_given(frame, index))
    if isinstance(container, Nest) and is_record(container):
        how = "is read by its fields: name one" if container.keys else TAKEN_APART
        raise frame.refusal(f"{frame.describe(container)} {how}")
    return None


def set_by_method(frame: Frame, container: Value, index: Any, value: Value) -> bool:
    """`container[index] = value` by the method of a class of the user's; False where it has none."""
    if method_of(container, "__setitem__") is None:
        return False
    by_special_method(frame, "__setitem__", container, index_given(frame, index), value)
    return True


def index_given(frame: Frame, index: Any) -> Value:
    """What stands between brackets, as a method's argument."""
    if isinstance(index, tuple):
        return Nest(tuple, tuple(index_given(frame, each) for each in index))
    if isinstance(index, slice):
        raise frame.refusal("a method of a class takes no slice here: give it the bounds as numbers")
    return frame.take(index, "at") if isinstance(index, E) else frame.constant(index, "at")


def items_in_turn(frame: Frame, nest: Nest, span: Span | None = None) -> list[Value]:
    """What Python gives item by item."""
    method = method_of(nest, "__iter__")
    if method is not None:
        given = what_iter_gives(frame, nest, method)
        if isinstance(given, Nest):
            return items_in_turn(frame, given, span)
        raise refuse(span or frame.span, f"`__iter__` gives {frame.describe(given)}: go through that")
    if is_record(nest):
        how = "is gone through by its fields: name them one by one" if nest.keys else TAKEN_APART
        raise refuse(span or frame.span, f"{frame.describe(nest)} {how}")
    return nest.iterated()


def as_iterated(frame: Frame, value: Value) -> Value:
    """What is gone through: the generator of an object of a class whose `__iter__` yields."""
    method = method_of(value, "__iter__")
    if method is None or not isinstance(value, Nest):
        return value
    given = [*all_statements(frame.inference.define(method).body)]
    is_generator = any(isinstance(each, tree.Yield) for each in given)
    return what_iter_gives(frame, value, method) if is_generator else value


def what_iter_gives(frame: Frame, nest: Nest, method: types.FunctionType) -> Value:
    """What an `__iter__` goes through, or the tuple of what it yields one after the other."""
    define = frame.inference.define(method)
    last = define.body[-1] if define.body else None
    if isinstance(last, tree.Yield) and all(isinstance(each, tree.Yield) for each in define.body):
        define = as_one_tuple(define)
    function = ReadFunction(define.name, define, globals_of(method), default_objects(method))
    return frame.inference.call(frame, Static(function), (nest,), {}, "t")


@forgettable
@lru_cache(256)
def as_one_tuple(define: tree.Define) -> tree.Define:
    """A function that yields one value after the other as one that returns them."""
    items = tuple(each.value for each in define.body if isinstance(each, tree.Yield))
    made = tree.Return(define.span, tree.Tuple(define.span, items))
    return replace(define, body=(made,))


def truth_by_method(frame: Frame, nest: Nest) -> Value | None:
    """What `bool` asks of a class of the user's; a dataclass that says nothing is true."""
    for name in ("__bool__", "__len__"):
        if (made := by_special_method(frame, name, nest)) is not None:
            return made
    return frame.b.atom(True) if is_record(nest) else None


def identical(frame: Frame, x: Value, y: Value) -> Any:
    """Whether two values are one object."""
    if isinstance(x, Static) and isinstance(y, Static):
        return x.value is y.value
    for one, other in ((x, y), (y, x)):
        held = users_class(other.cls) if isinstance(other, Nest) and other.keys else None
        if isinstance(one, Static) and held is type(one.value) is not dict:
            raise frame.refusal(
                "`is` of one of several objects around the program: compare what they have in a field"
            )
    if isinstance(x, Static) or isinstance(y, Static):
        return False
    if (same := same_row(frame, x, y)) is not None:
        return same
    if isinstance(x, HeldList) and isinstance(y, HeldList):
        counts = [cell_of(each.places.count) for each in (x, y)]
        return counts[0] is counts[1] and frame.b.apply("eq", frame.give(x.handle), frame.give(y.handle))
    if (
        isinstance(x, Nest)
        and isinstance(y, Nest)
        and any(isinstance(i, AssignedField) for i in (*x.items, *y.items))
    ):
        return any(i is j for i, j in zip(x.items, y.items, strict=False) if isinstance(i, AssignedField))
    for known, other in ((x, y), (y, x)):
        if (
            isinstance(known, Lit) and isinstance(known.value, bool) and known.type.weak
        ):  # True and False are one each
            if isinstance(other, Lit):
                return known.value is other.value
            if not (isinstance(other, Var) and other.type.dtype == "b1" and other.type.weak):
                return False
            return frame.b.wrap(other) if known.value else frame.b.apply("not", other)
    raise as_rows(frame.refusal("`is` compares objects: use == for numbers and arrays"), x, y)
