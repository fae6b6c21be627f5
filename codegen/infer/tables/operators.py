"""Operators of dicts and sets whose keys are numbers."""

from __future__ import annotations

from typing import Any

from codegen.infer.control.truth import python_bool
from codegen.infer.frame import Frame
from codegen.infer.memory.growing_lists import copied
from codegen.infer.memory.list_joins import joined
from codegen.infer.special_methods import COMPARED
from codegen.infer.tables.changing import new_table
from codegen.infer.tables.forms import (
    Held,
    form_of_entries,
    form_of_table,
    kind_word,
    wanting_table,
    wide_form,
)
from codegen.infer.tables.held_methods import lists_method, numbers_put
from codegen.infer.tables.lists import of_numbers
from codegen.infer.tables.methods import put_from
from codegen.infer.tables.sets import STEPS, change_set, is_set, set_operation, tables_compared
from codegen.infer.tables.values import NewTable, Table
from codegen.infer.values import Static, Value
from codegen.ir import Lit, Var


def change_table(frame: Frame, sign: str, held: Held, other: Value, name: str) -> bool:
    """`held sign= other`: the same object; False for what is none of dicts whose keys are numbers, and sets."""
    if isinstance(held, Table) and held.is_list and sign == "+":
        lists_method(frame, held, "extend", (other,), {}, name)
        return True
    if is_set(held) and is_set(other) and sign in STEPS:
        change_set(frame, sign, held, other, name)  # type: ignore[arg-type]
        return True
    if is_set(held) or sign != "|" or not isinstance(held, Table) and not isinstance(other, Table):
        if is_set(held) or isinstance(held, Table):
            raise frame.refusal(
                f"`{sign}=` of {frame.describe(held)} and {frame.describe(other)} is not supported: write a loop"
            )
        return False
    put_from(frame, held, other)
    return True


def is_dict_of_numbers(value: Value) -> bool:
    return isinstance(value, Table) and not value.is_set


def unify_sides(frame: Frame, left: Value, right: Value) -> Any:
    """The form of the entries of two dicts."""
    for held, other in ((left, right), (right, left)):
        if isinstance(held, Table) and isinstance(other, Table | NewTable):
            return wide_form(frame, held, form_of_entries(frame, other))
    raise frame.refusal(
        f"`|` of {frame.describe(left)} and {frame.describe(right)} is not supported: write a loop"
    )


def operate_tables(frame: Frame, sign: str, left: Value, right: Value, name: str) -> Value | None:
    """`left sign right`, if one of them is a dict or set whose keys are numbers; None of others."""
    if any(isinstance(side, Table) and side.is_list for side in (left, right)):
        if sign == "+" and isinstance(left, Table) and isinstance(right, Table):
            more: Any = numbers_put(frame, left, right)
            return of_numbers(frame, left, joined(frame, copied(frame, left.entries), more), name)
        raise frame.refusal(f"`{sign}` of lists of lists that get longer is not supported: write a loop")
    if is_set(left) and is_set(right):
        if sign in ("|", "&", "-", "^", "==", "!=", "<", "<=", ">", ">="):
            return set_operation(frame, sign, left, right, name)  # type: ignore[arg-type]
    elif sign == "|" and any(map(is_dict_of_numbers, (left, right))) and not (is_set(left) or is_set(right)):
        form = unify_sides(frame, left, right)
        made = new_table(frame, dict, form, name, frame.span)
        put_from(frame, made, left)
        put_from(frame, made, right)
        return made
    elif (
        sign in ("==", "!=")
        and isinstance(left, Table)
        and isinstance(right, Table)
        and not (left.is_set or right.is_set)
    ):
        return tables_compared(frame, sign, left, right, name)
    elif not (isinstance(left, Table) or isinstance(right, Table) or is_set(left) or is_set(right)):
        return None
    for one, other in ((left, right), (right, left)):
        if not (
            isinstance(one, Table) and isinstance(other, NewTable) and kind_word(one) == kind_word(other)
        ):
            continue
        if other.items:
            raise wanting_table(frame, other, wide_form(frame, other, form_of_table(frame, one)))
        if sign in ("==", "!="):
            met = frame.b.apply(COMPARED[sign], frame.give(one.entries.count), 0)
            return python_bool(frame, frame.b.atom(met), name)
    if sign in ("==", "!=") and any(isinstance(side, Static | Lit | Var) for side in (left, right)):
        return frame.b.atom(sign == "!=")
    raise frame.refusal(
        f"`{sign}` of {frame.describe(left)} and {frame.describe(right)} is not supported: write a loop over their keys"
    )
