"""Assignment and augmented assignment: names bound anew, places of arrays written."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from codegen.infer.attributes import attribute
from codegen.infer.calls.dispatch import call_value
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.complex_numbers.places import is_array, real_value, written_parts
from codegen.infer.expressions import evaluate, evaluate_index
from codegen.infer.frame import Frame
from codegen.infer.memory.changes import Owned, by_method, owned_nest, with_item
from codegen.infer.memory.growing_lists import is_list
from codegen.infer.memory.growing_objects import change_list, change_part, is_object
from codegen.infer.memory.masks import chosen, without_masks, write_chosen
from codegen.infer.memory.patterns import matched
from codegen.infer.memory.subscripts import (
    can_accumulate,
    check_castable,
    check_writable,
    get_item,
    is_mask,
    set_item,
    write_in_place,
    write_item,
    write_under_mask,
)
from codegen.infer.memory.views import view_of
from codegen.infer.objects.fields import assign_field, label_of_field
from codegen.infer.operators import negate, operate, operate_on
from codegen.infer.optional import present
from codegen.infer.special_methods import method_of, set_by_method
from codegen.infer.tables.changing import augment_table
from codegen.infer.tables.elements import want_lists
from codegen.infer.tables.held_methods import augment_list
from codegen.infer.tables.operators import change_table
from codegen.infer.tables.values import HeldList, NewTable, Table
from codegen.infer.texts.known_texts import is_letters
from codegen.infer.values import GrowingList, Nest, Ref, Static, Value, View, cell_of
from codegen.ir import Lit, Var
from codegen.ir.build import call
from codegen.read.lists.lists_put import puts_new
from codegen.read.tree import Attribute, AugAssign, Expression, Name, Subscript
from codegen.source import Span, list_changed, refuse


def assign(frame: Frame, target: Expression, value: Value) -> None:
    """Bind a target: a name, a pattern, or places of an array."""
    for place, part in matched(frame, target, value):
        match place:
            case Name(_, name):
                frame.st.env[name] = part
            case Subscript(span, container, index):
                name = container.id if isinstance(container, Name) else ""
                nest = owned_nest(frame, name)
                into, at = (
                    written_place(frame, container, index)
                    if nest is None
                    else (nest, evaluate_index(frame, index))
                )
                with frame.b.at(span):
                    if nest is not None:
                        frame.st.env[name] = with_item(frame, nest, at, part, span)
                    elif set_by_method(frame, into, at, part):
                        continue
                    elif isinstance(at, slice) and is_object(into):
                        change_part(frame, into, at, part, span)
                    elif is_mask(at) and (isinstance(into, Ref | View) or is_complex(into)):
                        write_chosen(frame, into, at, part, span)
                    else:
                        set_item(frame, into, without_masks(frame, into, at, span), part, span)
            case Attribute(span, owner, "flat"):
                assign_flat(frame, evaluate(frame, owner), part, span)
            case Attribute(span, owner, name):
                if name in ("real", "imag") and is_complex(held := evaluate(frame, owner)):
                    set_item(frame, held.items[name == "imag"], Ellipsis, part, span)
                    continue
                with frame.b.at(span):
                    assign_field(frame, evaluate(frame, owner), name, part, span)
            case _:
                raise refuse(place.span, "this cannot be assigned to")


def assign_flat(frame: Frame, owner: Value, value: Value, span: Span) -> None:
    """`x.flat = v`: the elements of v in turn, again and again."""
    into = check_writable(frame, owner, span)
    if frame.atom(value, span).type.rank:
        shape = attribute(frame, owner, "shape", span)
        value = frame.inference.call(frame, Static(np.resize), (value, shape), {}, "t")
    set_item(frame, into, Ellipsis, value, span)


def refuse_in_place(old: Value, sign: str, span: Span, instead: str) -> None:
    """SourceError for what Python changes in place and is not here: other names may hold the same."""
    if is_list(old) and not is_letters(old):
        raise list_changed(span, f"a list {instead}") if sign == "+" else refuse(span, f"a list {instead}")
    if isinstance(old, Nest) and old.cls is dict:
        raise refuse(span, f"a dict {instead}")
    if isinstance(old, Static) and type(old.value).__hash__ is None:
        raise refuse(span, f"a {type(old.value).__name__} {instead}")


def augment(frame: Frame, statement: AugAssign) -> None:
    """`target op= value`: an array is changed in place, everything else is bound anew."""
    span, target, sign = statement.span, statement.target, statement.operator
    match target:
        case Name(_, name):
            old = present(frame, frame.lookup(name, span), span)
            frame.inference.puts_new = puts_new(statement.value, frame.owned)
            if isinstance(old, Table | NewTable) and change_table(
                frame, sign, old, evaluate(frame, statement.value), name
            ):
                return
            if isinstance(old, HeldList):
                augment_list(frame, old, sign, evaluate(frame, statement.value))
                return
            if (nest := owned_nest(frame, name)) is not None:
                more = evaluate(frame, statement.value)
                if sign == "+" and is_list(nest):
                    frame.st.env[name] = by_method(frame, name, nest, "extend", (more,), span)
                else:
                    frame.st.env[name] = operate_on(frame, sign, old, more, name)
                return
            instead = f"is not changed in place: write `{name} = {name} {sign} ...`, a new one"
            if is_object(old):
                if sign != "+":
                    raise refuse(span, f"a list {instead}")
                change_list(frame, old, "extend", (evaluate(frame, statement.value),), {}, name)
                return
            refuse_in_place(old, sign, span, instead)
            new = operate_on(frame, sign, old, evaluate(frame, statement.value), name)
            part = frame.inference.points.get(old) if isinstance(old, Var) else old
            if is_array(old):
                write_parts_in_place(frame, old, new, span)
            elif isinstance(part, Ref | View):
                write_in_place(frame, part, real_value(new, span), span)
            else:
                frame.inference.augmented |= {
                    (frame.define, name),
                    (frame.define, getattr(old, "name", name)),
                }
                frame.st.env[name] = new
        case Subscript(_, Name(_, name), index) if (nest := owned_nest(frame, name)) is not None:
            augment_item(frame, name, nest, evaluate_index(frame, index), sign, statement.value, span)
        case Attribute(_, owner, "real" | "imag" as name) if is_complex(held := evaluate(frame, owner)):
            part = check_writable(frame, held.items[name == "imag"], span)
            value = operate(frame, sign, part, evaluate(frame, statement.value), "t")
            write_in_place(frame, part, real_value(value, span), span)
        case Subscript(_, container, index):
            augment_place(frame, *written_place(frame, container, index), sign, statement.value, span)
        case Attribute(_, node, name):
            augment_field(frame, evaluate(frame, node), name, sign, statement.value, span)
        case _:
            raise refuse(span, "this cannot be assigned to")


def augment_field(frame: Frame, owner: Value, name: str, sign: str, node: Expression, span: Span) -> None:
    """`owner.name op= value`: an array is changed in place, and so is a list, to `+=`."""
    with frame.b.at(span):
        old = present(frame, attribute(frame, owner, name, span), span)
        value = evaluate(frame, node)
        if is_array(old):
            write_parts_in_place(frame, old, operate(frame, sign, old, value, name), span)
        elif isinstance(old, Ref | View):
            write_in_place(frame, old, operate(frame, sign, old, value, name), span)
        elif sign == "+" and is_list(old):
            call_value(frame, attribute(frame, old, "extend", span), (value,), {}, name)
        elif is_list(old) or isinstance(old, Table | NewTable | HeldList | Static):
            raise refuse(
                span, f"{frame.describe(old)} is not changed in place: assign a new one to the field"
            )
        else:
            assign_field(
                frame, owner, name, operate_on(frame, sign, old, value, label_of_field(owner, name)), span
            )


def written_place(frame: Frame, container: Expression, index: Expression) -> tuple[Value, Any]:
    """What is written into, and where: `x.flat` counts the elements of any array through."""
    if isinstance(container, Attribute) and container.name == "flat":
        owner = evaluate(frame, container.value)
        if isinstance(owner, Ref | View) and frame.atom(owner).type.rank > 1:
            flat = call(frame.b, np.ravel, frame.give(owner, container.span))
            return view_of(frame.b, owner, flat.atom), evaluate_index(frame, index)
    want_lists(frame, container)
    return evaluate(frame, container), evaluate_index(frame, index)


def augment_item(
    frame: Frame, name: str, nest: Owned, index: Any, sign: str, node: Expression, span: Span
) -> None:
    """`name[index] op= value` of a list or dict that nothing else refers to."""
    held = get_item(frame, *chosen(frame, nest, index, span), span, "t")
    is_number = is_complex(held) and not is_array(held)
    if isinstance(nest, Nest) and isinstance(held, Ref | View | Nest) and not is_number:
        augment_place(frame, nest, index, sign, node, span)
        return
    if not (isinstance(held, Var | Lit) or is_number):
        raise refuse(
            span, "an item of a list that grows is not changed in place: write `xs[i] = xs[i] + ...`"
        )
    with frame.b.at(span):
        new = operate_on(frame, sign, held, evaluate(frame, node), "t")
        frame.st.env[name] = with_item(frame, nest, index, new, span)


def augment_place(
    frame: Frame, container: Value, index: Any, sign: str, node: Expression, span: Span
) -> None:
    """`container[index] op= value`; an array in a list or dict is changed in place and stays there."""
    if isinstance(container, Table) and container.store is not None and container.store.is_of_lists:
        augment_list(frame, get_item(frame, container, index, span, "t"), sign, evaluate(frame, node))
        return
    if isinstance(container, Table):
        augment_table(
            frame, container, index, lambda held: operate(frame, sign, held, evaluate(frame, node), "t"), "t"
        )
        return
    if isinstance(container, Nest) and container.cls in (list, dict):
        held = get_item(frame, container, index, span, "t")
        if is_array(held):
            write_parts_in_place(frame, held, operate(frame, sign, held, evaluate(frame, node), "t"), span)
            return
        if isinstance(held, Ref | View):
            write_in_place(frame, held, operate(frame, sign, held, evaluate(frame, node), "t"), span)
            return
    if isinstance(container, NewTable) and not isinstance(index, str):
        held = get_item(frame, container, index, span, "t")
        set_item(frame, container, index, operate_on(frame, sign, held, evaluate(frame, node), "t"), span)
        return
    if is_complex(container):
        augment_parts(frame, container, index, sign, evaluate(frame, node), span)
        return
    if method_of(container, "__setitem__") is not None:
        held = get_item(frame, container, index, span, "t")
        set_by_method(frame, container, index, operate_on(frame, sign, held, evaluate(frame, node), "t"))
        return
    if isinstance(container, GrowingList) and container.fixed or isinstance(container, HeldList):
        held = get_item(frame, container, index, span, "t")
        set_item(frame, container, index, operate_on(frame, sign, held, evaluate(frame, node), "t"), span)
        return
    into = check_writable(frame, container, span)
    cell = cell_of(into)
    assert cell is not None
    before = frame.st.store[cell]
    value = evaluate(frame, node)
    if frame.st.store[cell] is not before:
        raise refuse(span, "the value written changes the array that it is written to: compute it before")
    if sign in ("+", "-") and can_accumulate(frame, into, index, value):
        added = negate(frame, "-", in_dtype_of_floats(frame, into, value), "t") if sign == "-" else value
        write_item(frame, into, index, added, span, how="accumulate")
    elif is_mask(index) and index.ndim == before.type.rank and not frame.atom(value, span).type.rank:
        write_under_mask(frame, into, index, operate(frame, sign, into, value, "t"), span)
    else:
        index = without_masks(frame, into, index, span)
        old = get_item(frame, into, index, span, "t", at_base=True)
        new = operate(frame, sign, old, value, "t")
        if isinstance(old, Ref | View):
            check_castable(frame.atom(new).type, frame.atom(old).type, span)
            if frame.atom(new).type.rank > frame.atom(old).type.rank:
                words = f"the result, {frame.atom(new).type}, does not fit the places it is written to"
                raise refuse(span, f"{words}, {frame.atom(old).type}")
        set_item(frame, into, index, new, span)


def write_parts_in_place(frame: Frame, old: Value, new: Value, span: Span) -> None:
    """`z += w` on a complex array."""
    assert is_complex(old)
    for part, made in zip(old.items, written_parts(frame, new, span), strict=True):
        assert isinstance(part, Ref | View)
        write_in_place(frame, part, made, span)


def augment_parts(frame: Frame, container: Nest, index: Any, sign: str, value: Value, span: Span) -> None:
    """`z[index] op= value` of a complex array: sums are taken at the places themselves."""
    parts = written_parts(frame, value, span)
    into = [check_writable(frame, part, span) for part in container.items]
    if sign in ("+", "-") and all(map(partial(can_accumulate, frame, into[0], index), parts)):
        for part, given in zip(into, parts, strict=True):
            added = negate(frame, "-", in_dtype_of_floats(frame, part, given), "t") if sign == "-" else given
            write_item(frame, part, index, added, span, how="accumulate")
        return
    index = without_masks(frame, container, index, span)
    new = operate(frame, sign, get_item(frame, container, index, span, "t"), value, "t")
    set_item(frame, container, index, new, span)


def in_dtype_of_floats(frame: Frame, into: Ref | View, value: Value) -> Value:
    """Ints and bools in the dtype of the floats that they are taken from: in their own some have no negative."""
    if not isinstance(value, Var | Ref | View) or frame.atom(value).type.is_float:
        return value
    dtype = frame.atom(into).type.dtype
    return frame.take(frame.b.apply("cast", frame.give(value), dtype=dtype), "t")
