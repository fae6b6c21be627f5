"""Sets of numbers: their methods and operators."""

from __future__ import annotations

from typing import Any

from codegen.definitions.lists.tables import (
    add_common,
    add_others,
    is_apart,
    is_within,
    same_entries,
)
from codegen.infer.calls.binding import Arguments
from codegen.infer.control.truth import both, python_bool
from codegen.infer.frame import Frame
from codegen.infer.optional import NONE
from codegen.infer.special_methods import COMPARED
from codegen.infer.tables.changing import (
    clear,
    copied_table,
    enter,
    new_table,
    update,
)
from codegen.infer.tables.forms import Held, form_of_table, kind_word, require_no_lists, wide_form
from codegen.infer.tables.reading import key_list
from codegen.infer.tables.taking import popped_key, popped_or
from codegen.infer.tables.values import NewTable, Table
from codegen.infer.values import Static, Value

OF_SETS = {  # and the operators that they stand for
    "union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^",
    "issubset": "<=", "issuperset": ">=",
}  # fmt: skip
IN_SETS = {
    "update": "|", "intersection_update": "&", "difference_update": "-", "symmetric_difference_update": "^",
}  # fmt: skip
OTHERS_OF_SETS = ("add", "clear", "copy", "discard", "isdisjoint", "pop", "remove")


def set_method(frame: Frame, held: Held, method: str, arguments: Arguments, name: str) -> Value:
    match method, arguments:
        case "add", (key,):
            enter(frame, held, key)
            return NONE
        case "remove", (key,):
            return popped_key(frame, held, key, name)
        case "discard", (key,):
            popped_or(frame, held, key, NONE, name)
            return NONE
        case "clear", ():
            if isinstance(held, Table):
                clear(frame, held)
            return NONE
        case "copy", ():
            return copied_table(frame, held, name) if isinstance(held, Table) else held
        case "pop", ():
            raise frame.refusal(
                "which element set.pop() takes hangs on how CPython stores it: take min(...) of it, and remove that"
            )
        case "isdisjoint", (other,):
            return set_test(frame, is_apart, held, as_set(frame, other, held, name), name)
        case _, (other,) if method in OF_SETS:
            return set_operation(frame, OF_SETS[method], held, as_set(frame, other, held, name), name)
        case _, (other,) if method in IN_SETS:
            change_set(frame, IN_SETS[method], held, as_set(frame, other, held, name), name)
            return NONE
    raise frame.refusal(f"set.{method} is not supported here with {len(arguments)} arguments: write a loop")


def as_set(frame: Frame, value: Value, like: Held, name: str) -> Held:
    """What a set meets: another one, or the set of what is gone through."""
    if isinstance(value, Table | NewTable) and kind_word(value) == "set":
        return value
    made: Any = frame.inference.call(frame, Static(set), (value,), {}, name)
    return made


def is_set(value: Value) -> bool:
    return isinstance(value, Table | NewTable) and kind_word(value) == "set"


def set_operation(frame: Frame, sign: str, left: Held, right: Held, name: str) -> Value:
    """`left sign right` of sets."""
    if isinstance(left, NewTable) or isinstance(right, NewTable):
        return with_none(frame, sign, left, right, name)
    match sign:
        case "<=":
            return set_test(frame, is_within, left, right, name)
        case ">=":
            return set_test(frame, is_within, right, left, name)
        case "==" | "!=" | "<" | ">":
            return tables_compared(frame, sign, left, right, name)
    form = wide_form(frame, left, form_of_table(frame, right))
    made = new_table(frame, set, form, name, frame.span)
    for function, parts in STEPS[sign]:
        sides = {"l": left, "r": right}
        if function is None:
            update(frame, made, key_list(sides[parts]))
        else:
            frame.inference.call(frame, Static(function), (made, *(sides[p] for p in parts)), {}, "t")
    return made


STEPS: dict[str, Any] = {
    "|": ((None, "l"), (None, "r")),
    "&": ((add_common, "lr"),),
    "-": ((add_others, "lr"),),
    "^": ((add_others, "lr"), (add_others, "rl")),
}


def with_none(frame: Frame, sign: str, left: Held, right: Held, name: str) -> Value:
    """`left sign right` of sets of which one has no elements."""
    counts = [0 if isinstance(side, NewTable) else frame.give(side.entries.count) for side in (left, right)]
    b, other = frame.b, right if isinstance(left, NewTable) else left
    if sign in COMPARED:
        return python_bool(frame, b.atom(b.apply(COMPARED[sign], *counts)), name)
    keeps = sign in ("|", "^") or sign == "-" and other is left
    if keeps and isinstance(other, Table):
        return copied_table(frame, other, name)
    return NewTable(set, (), None, frame.span)


def change_set(frame: Frame, sign: str, held: Held, other: Held, name: str) -> None:
    """`held sign= other` of sets: the same object."""
    if isinstance(other, NewTable):
        if sign == "&" and isinstance(held, Table):
            clear(frame, held)
        return
    if sign == "|" or isinstance(held, NewTable):
        if sign in ("|", "^"):
            update(frame, held, key_list(other))
        return
    made = set_operation(frame, sign, held, other, name)
    assert isinstance(made, Table)
    clear(frame, held)
    update(frame, held, key_list(made))


def set_test(frame: Frame, function: Any, left: Held, right: Held, name: str) -> Value:
    if isinstance(left, NewTable) or isinstance(right, NewTable):
        none = isinstance(left, NewTable) or function is is_apart
        if none:
            return frame.b.atom(True)
        return python_bool(frame, frame.b.atom(frame.b.apply("eq", frame.give(left.entries.count), 0)), name)  # type: ignore[union-attr]
    return frame.inference.call(frame, Static(function), (left, right), {}, name)


def tables_compared(frame: Frame, sign: str, left: Table, right: Table, name: str) -> Value:
    """`==`, `!=`, `<` and `>` of sets or dicts."""
    b = frame.b
    require_no_lists(frame, left, right)
    if sign == ">":
        return tables_compared(frame, "<", right, left, name)
    counts = frame.give(left.entries.count), frame.give(right.entries.count)
    if left.is_set:
        within = frame.give(set_test(frame, is_within, left, right, name))
        met = both(frame, "and", within, b.apply("lt" if sign == "<" else "eq", *counts))
    else:
        met = frame.give(frame.inference.call(frame, Static(same_entries), (left, right), {}, name))
    return python_bool(frame, b.atom(b.apply("not", met) if sign == "!=" else met), name)
