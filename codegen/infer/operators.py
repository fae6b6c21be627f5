"""Operators on values: arithmetic and comparisons as Python and NumPy define them, truth, membership, identity.

Operations on known Python numbers are computed by Python itself; a Python bool in arithmetic is an int.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from codegen.infer.complex_numbers.operators import (
    known_result,
    negate_parts,
    of_operands,
    operate_parts,
)
from codegen.infer.complex_numbers.parts import holds_complex, is_complex, is_number
from codegen.infer.control.truth import both, python_bool, truth
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Raises
from codegen.infer.memory.growing_lists import is_list
from codegen.infer.memory.list_items import is_complex_list, is_item, list_as_array
from codegen.infer.memory.list_joins import equal_lists, is_repetition, joined_lists, repeated
from codegen.infer.objects.around import sides_shown, with_fields_shown
from codegen.infer.objects.fields import as_they_are
from codegen.infer.objects.rows import with_fields_now
from codegen.infer.optional import IDENTITY, given_value, is_none
from codegen.infer.python_ints import (
    ZERO_DIVISION,
    as_int,
    as_ints,
    by_python,
    is_float_value,
    operate_power,
    operate_shift,
    python_ints,
    require_as_python,
    with_float_base,
)
from codegen.infer.ranges import is_in_range
from codegen.infer.special_methods import (
    UNARY,
    by_augmented,
    by_operator,
    by_special_method,
    identical,
    is_record,
)
from codegen.infer.tables.operators import operate_tables
from codegen.infer.tables.reading import as_list_alone, is_in_table
from codegen.infer.tables.values import Table
from codegen.infer.texts.known_texts import is_chosen, is_letters
from codegen.infer.texts.letters import has_letters
from codegen.infer.texts.text_operators import compare_letters, operate_on_texts
from codegen.infer.texts.wording import with_values_in
from codegen.infer.values import NEEDED, GrowingList, Nest, Optional, Range, Ref, Static, Value, View
from codegen.ir import Lit, Var
from codegen.ir.build import E, call
from codegen.primitives.row import ROWS
from codegen.read import tree
from codegen.source import Span, refusing

OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
    "&": "bitand", "|": "bitor", "^": "bitxor", "<<": "lshift", ">>": "rshift",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
FUNCTIONS = {"/": operator.truediv, "**": operator.pow, "@": np.matmul}  # what is no operator of the parts
BOOLEAN = ("&", "|", "^", "==", "!=", "<", "<=", ">", ">=")
PLAIN = bool | int | float


def operate(frame: Frame, sign: str, left: Value, right: Value, name: str) -> Value:
    """`left sign right`."""
    left, right = (
        with_fields_now(frame, as_list_alone(frame, v)) for v in sides_shown(frame, left, right, sign)
    )
    if (made := by_operator(frame, sign, left, right)) is not None:
        return made
    if (made := operate_on_texts(frame, sign, left, right)) is not None:
        return made
    if sign == "%" and isinstance(left, Static) and isinstance(left.value, str):
        return with_values_in(frame, left.value, right)
    if isinstance(left, Nest) and (made := operate_tables(frame, sign, left, right, name)) is not None:
        return made
    if isinstance(left, GrowingList) or isinstance(right, GrowingList) or is_repetition(sign, left, right):
        return operate_lists(frame, sign, left, right, name)
    if holds_complex(left) or holds_complex(right):
        return operate_complex(frame, sign, left, right, name)
    if isinstance(left, Nest) or isinstance(right, Nest):
        return operate_nests(frame, sign, left, right, name)
    if isinstance(left, Static) and isinstance(right, Static):
        return by_python(frame, PYTHON[sign], left.value, right.value, name=name)
    plain = all(isinstance(side, Var | Lit | Ref | View) for side in (left, right))
    if not plain and not is_array_and_range(left, right):
        if frame.depth and (is_none(left) or is_none(right)):  # in a later round it may be another value
            raise Raises("TypeError", NEEDED)
        words = f"{frame.describe(left)} and {frame.describe(right)}"
        raise frame.refusal(f"`{sign}` of {words} is not supported")
    x, y = frame.give(left), frame.give(right)
    if isinstance(x, PLAIN) and isinstance(y, PLAIN) and sign != "@":
        return by_python(frame, PYTHON[sign], x, y, name=name)
    with frame.refusing():
        if sign == "@":
            return frame.take(frame.named(call(frame.b, np.matmul, x, y), name), name)
        if sign not in BOOLEAN:
            x, y = as_ints(frame, x, y)
        if sign in ZERO_DIVISION and python_ints(frame, x, y):
            frame.b.require(frame.b.apply("ne", y, 0), "ZeroDivisionError", ZERO_DIVISION[sign])
        elif frame.inference.catches and frame.define not in frame.inference.definitions:
            require_as_python(frame, sign, x, y)
        if sign in ("<<", ">>"):
            return frame.take(operate_shift(frame, sign, x, y, name), name)
        if sign == "**":
            return frame.take(operate_power(frame, x, y, name), name)
        return frame.take(frame.b.apply(OPERATORS[sign], x, y, name=name), name)


def operands_of(
    frame: Frame, node: tree.Binary, evaluate: Callable[[Frame, tree.Expression], Value]
) -> tuple[Value, Value]:
    """Both sides of an operator. An int to a power written `-n` is a float, and so is one to a power `m - n` where it
    meets a float: Python's would be where the power is negative."""
    if node.operator == "**":
        left, right = evaluate(frame, node.left), evaluate(frame, node.right)
        return (with_float_base(frame, left, right) if has_minus(node.right, tree.Unary) else left), right
    sides: list[Any] = [
        (evaluate(frame, side.left), evaluate(frame, side.right))
        if isinstance(side, tree.Binary) and side.operator == "**" and has_minus(side.right, tree.Binary)
        else evaluate(frame, side)
        for side in (node.left, node.right)
    ]
    if not any(isinstance(side, tuple) for side in sides):
        return sides[0], sides[1]
    is_float = node.operator == "/" or any(is_float_value(frame, side) for side in sides)
    for k, (side, at) in enumerate(zip(sides, (node.left, node.right), strict=True)):
        if isinstance(side, tuple):
            with frame.b.at(at.span):
                base = with_float_base(frame, *side) if is_float else side[0]
                sides[k] = operate(frame, "**", base, side[1], "t")
    return sides[0], sides[1]


def has_minus(power: tree.Expression, how: type[tree.Unary] | type[tree.Binary]) -> bool:
    """Whether a power is written `-n`, or `m - n`."""
    return isinstance(power, how) and power.operator == "-"


def is_array_and_range(left: Value, right: Value) -> bool:
    """Whether NumPy makes an array of one side."""
    array, other = (right, left) if isinstance(left, Range) else (left, right)
    return isinstance(array, Ref | View) and isinstance(other, Range)


def operate_on(frame: Frame, sign: str, left: Value, right: Value, name: str) -> Value:
    """What `left sign= right` binds the left side to."""
    made = by_augmented(frame, sign, left, right)
    return operate(frame, sign, left, right, name) if made is None else made


def operate_complex(frame: Frame, sign: str, left: Value, right: Value, name: str) -> Value:
    """`left sign right` of which one is complex, or a list of such numbers."""
    if any(isinstance(side, Nest) and not is_complex(side) for side in (left, right)):
        return operate_nests(frame, sign, left, right, name)
    known = None if sign == "@" else known_result(frame, PYTHON[sign], left, right)
    if known is not None:
        return known
    row = ROWS[OPERATORS[sign]] if sign in OPERATORS else None
    if sign not in BOOLEAN:
        left, right = (
            frame.take(as_ints(frame, frame.give(v))[0], "t") if is_number(v) else v for v in (left, right)
        )
    made = operate_parts(frame, row, sign, left, right, name, operate)
    if made is None:
        made = frame.inference.call(frame, Static(FUNCTIONS[sign]), (left, right), {}, name)
    return of_operands(frame, made, left, right, name=name)


def operate_nests(frame: Frame, sign: str, left: Value, right: Value, name: str) -> Value:
    """`+` and `*` of tuples and lists, comparison, and arithmetic of a list with an array or a number of NumPy's, which
    make an array of it."""
    match sign, left, right:
        case "+", Nest(cls, items), Nest(other, more) if cls is other and cls in (tuple, list):
            return Nest(cls, items + more)
        case "|", Nest(), Nest() if left.cls is dict and right.cls is dict:
            made = {k: v for side in (left, right) for k, v in zip(side.keys or (), side.items, strict=True)}
            return Nest(dict, tuple(made.values()), tuple(made))
        case ("*", Nest(cls, items), Lit(int(times))) | ("*", Lit(int(times)), Nest(cls, items)):
            return Nest(cls, items * times)
        case "==" | "!=", Nest(), Nest():
            return equal_nests(frame, sign, *as_they_are(frame, Nest(tuple, (left, right)), frame.span).items)
        case "<" | "<=" | ">" | ">=", Nest(cls, items), Nest(other, more) if cls is other and cls in (
            tuple,
            list,
        ):
            return ordered_nests(frame, sign, items, more)
    sides = left, right
    of_numpy = sign != "*" and any(isinstance(side, Var | Lit) and not side.type.weak for side in sides)
    if of_numpy or any(isinstance(side, Ref | View) for side in sides):
        return operate(
            frame, sign, array_value(frame, left, frame.span), array_value(frame, right, frame.span), name
        )
    if sign in ("==", "!=") and any(isinstance(side, Var | Lit | Static) for side in sides):
        return frame.b.atom(sign == "!=")
    words = f"{frame.describe(left)} and {frame.describe(right)}"
    raise frame.refusal(f"`{sign}` of {words} is not supported: use arrays")


def operate_lists(frame: Frame, sign: str, left: Value, right: Value, name: str) -> Value:
    """`+` and comparison of lists, and `*` of a list and an int, whose length is known when the program runs."""
    with frame.refusing():
        try:
            if sign == "+" and is_list(left) and is_list(right):
                return joined_lists(frame, left, right, name)
            if sign == "*" and is_repetition(sign, left, right):
                held, times = (left, right) if isinstance(left, Nest) else (right, left)
                assert isinstance(held, Nest)
                return repeated(frame, held, times, name)
            if sign in ("==", "!=") and is_list(left) and is_list(right):
                met = equal_lists(frame, left, right, name)
                return met if sign == "==" else frame.b.atom(frame.b.apply("not", met))
        except Differ as differ:
            raise frame.refusal(f"{differ}: give all items one kind and shape") from None
    if any(
        isinstance(side, Ref | View) or isinstance(side, Var | Lit) and not side.type.weak
        for side in (left, right)
    ):
        return operate(
            frame, sign, array_value(frame, left, frame.span), array_value(frame, right, frame.span), name
        )
    words = f"{frame.describe(left)} and {frame.describe(right)}"
    raise frame.refusal(f"`{sign}` of {words} is not supported: use arrays")


def array_value(frame: Frame, value: Value, span: Span) -> Value:
    if not isinstance(value, Nest | GrowingList):
        return value
    if is_complex_list(value):
        return list_as_array(frame, value)
    if holds_complex(value):
        return frame.inference.call(frame, Static(np.array), (value,), {}, "t")
    with refusing(span):
        return frame.take(call(frame.b, np.array, frame.give(value, span)), "t")


def equal_nests(frame: Frame, sign: str, left: Nest, right: Nest) -> Value:
    b = frame.b
    kinds = [tuple if issubclass(nest.cls, tuple) else nest.cls for nest in (left, right)]
    names = [set(nest.keys or ()) if nest.cls is dict else set() for nest in (left, right)]
    if kinds[0] is not kinds[1] or names[0] != names[1] or len(left.items) != len(right.items):
        return b.atom(sign == "!=")
    if left.cls is dict:
        right = Nest(dict, tuple(right.field(key) for key in left.keys or ()), left.keys)  # type: ignore[misc]
    met: Any = True
    for x, y in zip(left.items, right.items, strict=True):
        met = both(frame, "and", met, b.wrap(items_equal(frame, x, y)))
    return python_bool(frame, b.atom(met if sign == "==" else b.apply("not", met)), "t")


def ordered_nests(frame: Frame, sign: str, left: Sequence[Value], right: Sequence[Value]) -> Value:
    """`(a, b) < (c, d)`: what the first items say that differ, or the lengths."""
    met: Any = bool(PYTHON[sign](len(left), len(right)))
    for x, y in reversed([*zip(left, right, strict=False)]):
        same = frame.b.wrap(items_equal(frame, x, y))
        before = frame.b.wrap(truth(frame, compare(frame, sign[0], x, y)))
        met = both(frame, "or", before, both(frame, "and", same, met))
    return python_bool(frame, frame.b.atom(met), "t")


def items_equal(frame: Frame, x: Value, y: Value) -> Var | Lit:
    """Whether an item is another: one object, as a NaN that is in a list, or equal."""
    if isinstance(x, Var | Ref) and x is y:
        return frame.b.atom(True)
    return truth(frame, compare(frame, "==", x, y))


def negate(frame: Frame, sign: str, value: Value, name: str) -> Value:
    """`-x`, `+x`, `~x`."""
    if (made := by_special_method(frame, UNARY[sign], with_fields_shown(frame, value))) is not None:
        return made
    if is_complex(value):
        return negate_parts(frame, sign, value, name, negate)
    x = None if isinstance(value, GrowingList | Range) else frame.give(value)
    if isinstance(x, PLAIN):
        functions = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
        return by_python(frame, functions[sign], x, name=name)
    if not isinstance(x, E | np.generic):
        raise frame.refusal(f"`{sign}` of {frame.describe(value)} is not supported")
    type_ = frame.b.atom(x).type
    if type_.dtype == "b1" and type_.weak:
        if sign == "~":
            raise frame.refusal("`~` of a bool is -1 or -2 in Python: write `not`")
        x = as_int(frame, x)
    elif type_.dtype == "b1" and sign != "~":
        raise frame.refusal(
            f"`{sign}` of NumPy's bools is not defined: write `~` or `not`, or convert by int()"
        )
    if sign == "+":
        return frame.take(x, name)
    with frame.refusing():
        return frame.take(frame.b.apply("neg" if sign == "-" else "invert", x, name=name), name)


def compare(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """One comparison, `is` and `in` included."""
    for value, other in ((x, y), (y, x)):
        if isinstance(value, Optional) and is_none(other) and sign in IDENTITY:
            there = frame.b.wrap(value.there)
            found = there if sign in ("is not", "!=") else frame.b.apply("not", there)
            return python_bool(frame, frame.b.atom(found), "t")
    if sign in ("==", "!=") and (isinstance(x, Optional) or isinstance(y, Optional)):
        return equal_where_there(frame, sign, x, y)
    if any(has_letters(v) or is_chosen(v) for v in (x, y)) and not has_items_of_a_kind(sign, y):
        return compare_letters(frame, sign, x, y)
    if sign in ("is", "is not"):
        same = identical(frame, x, y)
        if not isinstance(same, bool):
            return frame.b.atom(same if sign == "is" else frame.b.apply("not", same))
        return frame.b.atom(same if sign == "is" else not same)
    if sign in ("in", "not in"):
        return contains(frame, sign, x, y)
    x, y = sides_shown(frame, x, y, sign)
    if sign in ("==", "!=") and isinstance(x, Static) != isinstance(y, Static):
        return frame.b.atom(sign == "!=")
    return operate(frame, sign, x, y, "t")


def has_items_of_a_kind(sign: str, y: Value) -> bool:
    """Whether a value is looked for in a list whose length is known when the program runs, or in a dict or set of what
    is found out then."""
    return sign in ("in", "not in") and isinstance(y, GrowingList | Table) and not is_letters(y)


def equal_where_there(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """`x == y` of values that may be None."""
    b, none = frame.b, False
    here, there = (b.wrap(v.there) if isinstance(v, Optional) else True for v in (x, y))
    met = b.wrap(truth(frame, compare(frame, "==", given_value(x), given_value(y))))
    met = both(frame, "and", both(frame, "and", here, there), met)
    if not (here is True or there is True):
        none = b.apply("not", b.apply("or", here, there))
    met = both(frame, "or", none, met)
    return python_bool(frame, b.atom(met if sign == "==" else b.apply("not", met)), "t")


def contains(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """`x in y` for a dict's keys, a tuple's items, an array's elements."""
    b, y = frame.b, sides_shown(frame, x, as_list_alone(frame, y), sign)[1]
    if isinstance(y, Static):
        if not isinstance(x, Static):
            raise frame.refusal(f"`{sign}` needs a tuple or an array on its right")
        return b.atom((x.value in y.value) == (sign == "in"))
    met: Any = False
    if (said := by_special_method(frame, "__contains__", y, x)) is not None:
        met = b.wrap(truth(frame, said))
    elif is_record(y):
        raise frame.refusal(f"`{sign}` {frame.describe(y)} is not supported: compare with its fields")
    elif isinstance(y, Range | GrowingList) and isinstance(x, Optional):
        met = both(frame, "and", b.wrap(x.there), b.wrap(truth(frame, contains(frame, "in", x.value, y))))
    elif isinstance(y, Range):
        if isinstance(x, Static) or frame.atom(x).type.rank:
            raise frame.refusal(f"`{sign}` of a range takes a number on its left")
        met = is_in_range(b, as_ints(frame, frame.give(x))[0], y)
    elif isinstance(y, GrowingList):
        met = is_item(frame, y, x)
        met = met if met is False else call(b, np.any, met)
    elif isinstance(y, Table) or isinstance(y, Nest) and y.cls is dict and not isinstance(x, Static):
        met = is_in_table(frame, y, x)
    elif isinstance(y, Nest) and y.cls is dict:
        met = isinstance(x, Static) and x.value in (y.keys or ())
    elif isinstance(y, Nest) and not is_complex(y):
        for each in y.items:
            met = both(frame, "or", met, b.wrap(items_equal(frame, x, each)))
    elif isinstance(y, Var | Lit) and y.type.weak:
        raise frame.refusal(
            f"`{sign}` {frame.describe(y)} is not supported: it takes an array, a list or a range"
        )
    else:
        with frame.refusing():
            met = call(b, np.any, frame.give(operate(frame, "==", y, x, "t")))
    if isinstance(met, bool | np.bool_):
        return b.atom(bool(met) == (sign == "in"))
    return python_bool(frame, b.atom(met if sign == "in" else b.apply("not", met)), "t")
