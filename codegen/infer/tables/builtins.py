"""dict, set, frozenset and what collections has of them: made of numbers."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from dataclasses import replace
from typing import Any

from codegen.definitions.lists.tables import count_all, put_each
from codegen.infer.calls.builtins import PYTHON
from codegen.infer.calls.containers import python_dict
from codegen.infer.calls.listed import as_list
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.frame import Frame
from codegen.infer.operators import operate
from codegen.infer.optional import NONE
from codegen.infer.tables.changing import (
    augment_table,
    check_entries,
    copied_table,
    enter,
    made_empty,
    made_of_entries,
    made_of_list,
)
from codegen.infer.tables.forms import Held, known_form, known_key, require_known
from codegen.infer.tables.reading import as_gone_through, key_list
from codegen.infer.tables.values import Default, NewTable, Table
from codegen.infer.texts.letters import is_known_text, letters_of
from codegen.infer.values import Closure, GrowingList, Nest, Static, Value
from codegen.ir import Lit
from codegen.ir.literals import literal


def make_dict(frame: Frame, name: str, /, *arguments: Value, **keywords: Value) -> Value:
    """dict(), of a dict or of pairs: with texts for keys a dict of fields, with numbers a table, or a dict of what is
    under each, if they are known."""
    if keywords or len(arguments) > 1:
        return python_dict(frame, name, *arguments, **keywords)
    if not arguments:
        return made_empty(frame, dict, name)
    (first,) = arguments
    if isinstance(first, Table) and not first.is_set:
        return replace(copied_table(frame, first, name), default=None)
    require_known(frame, first)
    if isinstance(first, Nest) and first.cls is dict:
        return (
            first
            if not isinstance(first, NewTable)
            else made_of_known(frame, [*zip(first.iterated(), first.items, strict=True)], name)
        )
    if is_counted(frame, first):
        listed = as_list(frame, first)
        return (
            made_of_list(frame, dict, listed, name)
            if isinstance(listed, GrowingList)
            else make_dict(frame, name, listed)
        )
    pairs = [
        each.items for each in all_items(frame, first) if isinstance(each, Nest) and len(each.items) == 2
    ]
    if not pairs and not all_items(frame, first):
        return made_empty(frame, dict, name)
    if any(isinstance(key, Static) for key, _ in pairs) or len(pairs) < len(all_items(frame, first)):
        return python_dict(frame, name, first)
    return made_of_known(frame, pairs, name)


def made_of_known(frame: Frame, pairs: Any, name: str) -> Value:
    """A dict of pairs that are known: of keys that are, too, a dict of what is under each, unless it gets others."""
    keys = [known_key(key) for key, _ in pairs]
    if known_form(frame, frame.span) is None and all(isinstance(key, int) for key in keys):
        made = {key: value for key, (_, value) in zip(keys, pairs, strict=True)}
        return NewTable(dict, tuple(made.values()), tuple(made), frame.span)
    return made_of_entries(frame, dict, pairs, name)


def make_set(frame: Frame, name: str, iterable: Value | None = None, /) -> Value:
    """set() of what is gone through."""
    if iterable is None:
        return made_empty(frame, set, name)
    if isinstance(iterable, Table):
        return (
            copied_table(frame, iterable, name)
            if iterable.is_set
            else made_of_list(frame, set, key_list(iterable), name)
        )
    if is_known_text(iterable):
        iterable = letters_of(frame, iterable)
    if is_counted(frame, iterable):
        listed = as_list(frame, iterable)
        if isinstance(listed, GrowingList):
            return made_of_list(frame, set, listed, name)
        iterable = listed
    return made_of_entries(frame, set, [(key,) for key in all_items(frame, iterable)], name)


def make_defaultdict(frame: Frame, name: str, factory: Value = NONE, /) -> Value:
    """defaultdict(int)"""
    match factory:
        case Static(kind) if kind in (int, float, bool):
            number: Any = kind()
        case Static(None):
            return made_empty(frame, dict, name)
        case Static(kind) if kind is list:
            return made_empty(frame, dict, name, Default(None, True))
        case Closure():
            made = frame.inference.call(frame, factory, (), {}, "t")
            if isinstance(made, Nest) and made.cls is list and not made.items:
                return made_empty(frame, dict, name, Default(None, True))
            number = made.value if isinstance(made, Lit) and made.type.weak else None
        case _:
            number = None
    if number is None:
        raise frame.refusal(
            "defaultdict() takes int, float, bool, list or a lambda of a number or an empty list: keep others in a "
            "list, and their places in the dict"
        )
    return made_empty(frame, dict, name, Default(number, True))


def make_counter(frame: Frame, name: str, iterable: Value | None = None, /) -> Value:
    """Counter(iterable)"""
    made = made_empty(frame, dict, name, Default(0, False))
    if iterable is not None:
        count_items(frame, made, as_gone_through(frame, iterable, in_order=True))
    return made


def count_items(frame: Frame, held: Held, more: Value) -> None:
    """`held.update(more)` of a Counter."""
    listed = as_list(frame, more) if is_counted(frame, more) else more
    if isinstance(listed, GrowingList):
        check_entries(frame, held, listed, literal(1))
        frame.inference.call(frame, Static(count_all), (held, listed), {}, "t")
        return
    for key in all_items(frame, listed):
        if isinstance(held, NewTable):
            enter(frame, held, key, literal(1))
        assert isinstance(held, Table)
        augment_table(
            frame, held, frame.give(key), lambda old: operate(frame, "+", old, literal(1), "t"), "t"
        )


def make_from_keys(frame: Frame, name: str, keys: Value, value: Value, /) -> Value:
    """dict.fromkeys(keys, value)"""
    keys = as_gone_through(frame, keys, in_order=True)
    if not is_counted(frame, keys):
        pairs = tuple(Nest(tuple, (key, value)) for key in all_items(frame, keys))
        return make_dict(frame, name, Nest(list, pairs))
    made, listed = made_empty(frame, dict, name), as_list(frame, keys)
    assert isinstance(listed, GrowingList)
    check_entries(frame, made, listed, value)
    frame.inference.call(frame, Static(put_each), (made, listed, value), {}, "t")
    return made


PYTHON[dict] = make_dict
PYTHON[dict.fromkeys] = make_from_keys
PYTHON[OrderedDict] = make_dict
PYTHON[defaultdict] = make_defaultdict
PYTHON[Counter] = make_counter
PYTHON[set] = make_set
PYTHON[frozenset] = make_set
